//! A helper function under construction.

use naga::{
    BinaryOperator, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal,
    ScalarKind as Kind, Statement, Type,
};

use crate::wrap::builder::FunctionBuilder;

use super::{Memory, Root};

/// A function under construction.
pub(super) struct Body<'a> {
    pub(super) builder: FunctionBuilder<'a>,
}

impl Body<'_> {
    pub(super) fn argument(&mut self, name: &str, ty: Handle<Type>) -> Handle<Expression> {
        let arguments = &mut self.builder.function.arguments;
        let idx = u32::try_from(arguments.len()).expect("three arguments at most");
        arguments.push(FunctionArgument { name: Some(name.into()), ty, binding: None });
        self.builder.declare(Expression::FunctionArgument(idx))
    }

    pub(super) fn give(mut self, ty: Handle<Type>, value: Handle<Expression>) -> Function {
        self.builder.push(Statement::Return { value: Some(value) });
        self.builder.function.result = Some(FunctionResult { ty, binding: None });
        self.builder.finish()
    }

    pub(super) fn literal(&mut self, value: u32) -> Handle<Expression> {
        self.builder.declare(Expression::Literal(Literal::U32(value)))
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.builder.emit(Expression::Binary { op, left, right })
    }

    /// Pointer to the word at `base` plus `offset` bytes.
    pub(super) fn word(
        &mut self,
        root: &Root,
        base: Handle<Expression>,
        offset: u32,
    ) -> Handle<Expression> {
        let offset = self.literal(offset);
        let at = self.binary(BinaryOperator::Add, base, offset);
        let two = self.literal(2);
        let index = self.binary(BinaryOperator::ShiftRight, at, two);
        let words = self.builder.pointer_into(root.global, &[0]);
        match root.memory {
            Memory::Words | Memory::AtomicWords => {
                self.builder.emit(Expression::Access { base: words, index })
            }
            Memory::Vectors(_) => {
                let vector = self.binary(BinaryOperator::ShiftRight, index, two);
                let three = self.literal(3);
                let component = self.binary(BinaryOperator::And, index, three);
                let base = self.builder.emit(Expression::Access { base: words, index: vector });
                self.builder.emit(Expression::Access { base, index: component })
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
