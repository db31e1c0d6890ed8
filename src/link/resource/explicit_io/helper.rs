//! Helper functions that the user's code calls instead of accessing the block directly.

use naga::{
    BinaryOperator, Expression, Function, Handle, Module, Scalar, ScalarKind as Kind, Type,
    TypeInner,
};

use ir::builder::{FunctionBuilder, vector_size};
use ir::interface::ScalarKind;

use super::ExplicitBlock;
use super::atomic::Operation;
use super::body::Body;
use super::part::Part;

/// A helper function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Helper {
    /// Computes `base + amount`.
    Add { amount: u32 },
    /// Computes `base + index * stride`.
    Step { stride: u32, is_signed: bool },
    /// Loads the value at an offset.
    Read { root: usize, part: Part },
    /// Stores the value at an offset.
    Write { root: usize, part: Part },
    /// Computes the number of elements between an offset and the buffer's end.
    Length { root: usize, stride: u32 },
    /// Executes an atomic operation on the word at an offset.
    Atomic { root: usize, operation: Operation, scalar: Scalar },
}

impl Helper {
    /// Builds the helper function.
    pub(super) fn build(&self, module: &mut Module, roots: &[ExplicitBlock]) -> Function {
        let mut body = Body { builder: FunctionBuilder::new(module) };
        let word = body.builder.scalar_type(ScalarKind::U32);
        let base = body.argument("base", word);
        match self {
            Self::Add { amount } => {
                let amount = body.builder.uint(*amount);
                let sum = body.builder.binary(BinaryOperator::Add, base, amount);
                body.builder.finish_with(word, sum)
            }
            Self::Step { stride, is_signed } => {
                let kind = if *is_signed { ScalarKind::I32 } else { ScalarKind::U32 };
                let ty = body.builder.scalar_type(kind);
                let index = body.argument("index", ty);
                let index = body.builder.bitcast(index, kind, ScalarKind::U32);
                let stride = body.builder.uint(*stride);
                let product = body.builder.binary(BinaryOperator::Multiply, index, stride);
                let sum = body.builder.binary(BinaryOperator::Add, base, product);
                body.builder.finish_with(word, sum)
            }
            Self::Read { root, part } => {
                let value = body.read(&roots[*root], base, 0, part);
                let ty = body.type_of(part);
                body.builder.finish_with(ty, value)
            }
            Self::Write { root, part } => {
                let ty = body.type_of(part);
                let value = body.argument("value", ty);
                body.write(&roots[*root], base, 0, part, value);
                body.builder.finish()
            }
            Self::Length { root, stride } => {
                let length = body.length(&roots[*root], base, *stride);
                body.builder.finish_with(word, length)
            }
            Self::Atomic { root, operation, scalar } => {
                body.atomic(&roots[*root], base, *operation, *scalar)
            }
        }
    }
}

impl Body<'_> {
    fn type_of(&mut self, part: &Part) -> Handle<Type> {
        match part {
            Part::Vector { size, scalar, ty, .. } => match (ty, vector_size(usize::from(*size))) {
                (Some(ty), _) => *ty,
                (None, None) => self.builder.insert_type(TypeInner::Scalar(*scalar)),
                (None, Some(size)) => {
                    self.builder.insert_type(TypeInner::Vector { size, scalar: *scalar })
                }
            },
            Part::Matrix { ty, .. } | Part::Array { ty, .. } | Part::Struct { ty, .. } => *ty,
        }
    }

    fn read(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        offset: u32,
        part: &Part,
    ) -> Handle<Expression> {
        if let Part::Vector { size: 1, scalar, .. } = part {
            let pointer = self.word(root, base, offset);
            let word = self.builder.load(pointer);
            return self.cast(word, Kind::Uint, scalar.kind);
        }
        let components = (0..count(part))
            .filter_map(|idx| part.at(idx))
            .map(|(inner, part)| self.read(root, base, offset.saturating_add(inner), &part))
            .collect();
        let ty = self.type_of(part);
        self.builder.compose(ty, components)
    }

    fn write(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        offset: u32,
        part: &Part,
        value: Handle<Expression>,
    ) {
        if let Part::Vector { size: 1, scalar, .. } = part {
            let pointer = self.word(root, base, offset);
            let word = self.cast(value, scalar.kind, Kind::Uint);
            self.builder.store(pointer, word);
            return;
        }
        for idx in 0..count(part) {
            let Some((inner, part)) = part.at(idx) else { continue };
            let value = self.builder.part(value, idx);
            self.write(root, base, offset.saturating_add(inner), &part, value);
        }
    }

    fn length(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        stride: u32,
    ) -> Handle<Expression> {
        let words = self.builder.pointer_into(root.global, &[0]);
        let words = self.builder.emit(Expression::ArrayLength(words));
        let two = self.builder.uint(2);
        let bytes = self.builder.binary(BinaryOperator::ShiftLeft, words, two);
        let rest = self.builder.binary(BinaryOperator::Subtract, bytes, base);
        let stride = self.builder.uint(stride.max(1));
        self.builder.binary(BinaryOperator::Divide, rest, stride)
    }
}

/// Number of parts of a composite.
fn count(part: &Part) -> u32 {
    match part {
        Part::Vector { size, .. } => u32::from(*size),
        Part::Matrix { columns, .. } => u32::from(*columns),
        Part::Array { length, .. } => length.unwrap_or(0),
        Part::Struct { members, .. } => u32::try_from(members.len()).unwrap_or(0),
    }
}
