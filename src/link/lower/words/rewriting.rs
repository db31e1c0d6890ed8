//! State for rewriting the expressions of a function, or of a module, to words.

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, Expression, FunctionArgument, Handle, Literal, LocalVariable, Module, TypeInner,
};

use super::refusal::span_of;
use super::types::{self, WordTypes};
use crate::LinkError;
use ir::builder::FunctionBuilder;
use ir::interface::{ScalarKind, Type};

/// The expressions before and after rewriting.
#[derive(Debug)]
pub(super) struct Rewriting<'a> {
    pub(super) old: &'a Module,
    /// The old expressions.
    pub(super) expressions: &'a Arena<Expression>,
    pub(super) types: &'a WordTypes,
    typifier: Typifier,
    /// The new expression for each old one, by its index.
    moved: Vec<Option<Handle<Expression>>>,
    /// The old expressions that statements need, by index.
    pub(super) needed: Vec<bool>,
    pub(super) builder: FunctionBuilder<&'a mut Module>,
}

impl<'a> Rewriting<'a> {
    /// A state in which nothing is rewritten yet. `variables` are the old function's local variables and arguments.
    pub(super) fn new(
        old: &'a Module,
        types: &'a WordTypes,
        expressions: &'a Arena<Expression>,
        variables: (&'a Arena<LocalVariable>, &'a [FunctionArgument]),
        new: &'a mut Module,
    ) -> Result<Self, LinkError> {
        let context = ResolveContext::with_locals(old, variables.0, variables.1);
        let mut typifier = Typifier::new();
        for (handle, _) in expressions.iter() {
            typifier.grow(handle, expressions, &context).map_err(|error| {
                let message = format!("an expression has no type: {error}");
                LinkError::Invalid { message, span: span_of(expressions.get_span(handle)) }
            })?;
        }
        let moved = vec![None; expressions.len()];
        let needed = vec![true; expressions.len()];
        let builder = FunctionBuilder::new(new);
        Ok(Self { old, expressions, types, typifier, moved, needed, builder })
    }

    /// The type of an old expression.
    pub(super) fn ty(&self, old: Handle<Expression>) -> &TypeInner {
        self.typifier.get(old, &self.old.types)
    }

    /// The declared type of an old expression that is lowered to words; `None` for others.
    pub(super) fn wide(&self, old: Handle<Expression>) -> Option<Type> {
        types::wide(self.ty(old))
    }

    /// True if the old expression already has a replacement.
    pub(super) fn is_moved(&self, old: Handle<Expression>) -> bool {
        self.moved[old.index()].is_some()
    }

    /// The replacement of an old expression.
    pub(super) fn of(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.moved[old.index()].expect("operands are evaluated before what uses them")
    }

    /// Records the replacement of an old expression.
    pub(super) fn note(&mut self, old: Handle<Expression>, new: Handle<Expression>) {
        self.moved[old.index()] = Some(new);
    }

    /// The scalars of the replacement of an old scalar or vector.
    pub(super) fn scalars(&mut self, old: Handle<Expression>) -> Vec<Handle<Expression>> {
        let value = self.of(old);
        match count(self.ty(old)) {
            None => vec![value],
            Some(count) => (0..count).map(|idx| self.part(value, idx, count)).collect(),
        }
    }

    /// Extracts a part of a new vector or array of `count` parts. No access is built if the parts are known.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the parts of others are unknown")]
    pub(super) fn part(
        &mut self,
        value: Handle<Expression>,
        index: u32,
        count: u32,
    ) -> Handle<Expression> {
        match &self.builder.function.expressions[value] {
            Expression::Compose { components, .. } if components.len() == count as usize => {
                components[index as usize]
            }
            Expression::ZeroValue(ty) if *ty == self.types.pair => self.builder.uint(0),
            Expression::ZeroValue(ty) => match self.builder.module.types[*ty].inner {
                TypeInner::Array { base, .. } => self.builder.emit(Expression::ZeroValue(base)),
                _ => self.builder.part(value, index),
            },
            _ => self.builder.part(value, index),
        }
    }

    /// The low and the high word of a pair.
    pub(super) fn words(&mut self, pair: Handle<Expression>) -> [Handle<Expression>; 2] {
        [0, 1].map(|idx| self.part(pair, idx, 2))
    }

    /// Composes a pair of its two words.
    pub(super) fn pair(
        &mut self,
        low: Handle<Expression>,
        high: Handle<Expression>,
    ) -> Handle<Expression> {
        self.builder.compose(self.types.pair, vec![low, high])
    }

    /// The pair for the bits of a constant.
    pub(super) fn constant_pair(&mut self, bits: u64) -> Handle<Expression> {
        let [low, high] = [bits, bits >> 32].map(|bits| {
            let word = u32::try_from(bits & 0xffff_ffff).expect("32 bits are a word");
            self.builder.uint(word)
        });
        self.pair(low, high)
    }

    /// Composes the lowered value of the scalar or vector type `ty` from its pairs.
    pub(super) fn whole(
        &mut self,
        ty: &Type,
        pairs: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        match ty {
            Type::Vector { size, .. } => {
                let ty = self.types.vector(u32::from(*size), self.builder.module);
                self.builder.compose(ty, pairs)
            }
            Type::Scalar(_) | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
                pairs[0]
            }
        }
    }

    /// Composes a scalar or vector of scalars that are not lowered.
    pub(super) fn joined(
        &mut self,
        scalars: Vec<Handle<Expression>>,
        kind: ScalarKind,
    ) -> Handle<Expression> {
        if let [scalar] = scalars[..] {
            return scalar;
        }
        let ty = self.builder.vector_type(scalars.len(), kind);
        self.builder.compose(ty, scalars)
    }

    /// True if the new expression is known to be the word zero.
    pub(super) fn is_zero(&self, word: Handle<Expression>) -> bool {
        self.builder.function.expressions[word] == Expression::Literal(Literal::U32(0))
    }
}

/// Number of scalars of a vector; `None` for others.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a vector")]
pub(super) const fn count(ty: &TypeInner) -> Option<u32> {
    match *ty {
        TypeInner::Vector { size, .. } => Some(size as u32),
        _ => None,
    }
}
