//! A helper function under construction.

use naga::{
    BinaryOperator, Expression, FunctionArgument, Handle, Module, ScalarKind as Kind, Type,
};

use ir::builder::FunctionBuilder;

use super::{ExplicitBlock, WordStorage};

/// A function under construction.
pub(super) struct Body<'a> {
    pub(super) builder: FunctionBuilder<&'a mut Module>,
}

impl Body<'_> {
    pub(super) fn argument(&mut self, name: &str, ty: Handle<Type>) -> Handle<Expression> {
        self.builder.argument(FunctionArgument { name: Some(name.into()), ty, binding: None })
    }

    /// A pointer to the word at `base` plus `offset` bytes.
    pub(super) fn word(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        offset: u32,
    ) -> Handle<Expression> {
        let offset = self.builder.uint(offset);
        let at = self.builder.binary(BinaryOperator::Add, base, offset);
        let two = self.builder.uint(2);
        let index = self.builder.binary(BinaryOperator::ShiftRight, at, two);
        let words = self.builder.pointer_into(root.global, &[0]);
        match root.memory {
            WordStorage::Words | WordStorage::AtomicWords => self.builder.element(words, index),
            WordStorage::Vectors(_) => {
                let vector = self.builder.binary(BinaryOperator::ShiftRight, index, two);
                let three = self.builder.uint(3);
                let component = self.builder.binary(BinaryOperator::And, index, three);
                let base = self.builder.element(words, vector);
                self.builder.element(base, component)
            }
        }
    }

    pub(super) fn cast(
        &mut self,
        expr: Handle<Expression>,
        from: Kind,
        to: Kind,
    ) -> Handle<Expression> {
        if from == to {
            return expr;
        }
        self.builder.emit(Expression::As { expr, kind: to, convert: None })
    }
}
