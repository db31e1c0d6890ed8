//! Flags and exits of loops.

use naga::{Block, Expression, Handle, Literal, Scalar, Statement, TypeInner};

use crate::copy::Copy;

impl Copy<'_> {
    /// A new boolean variable with this value from here on.
    pub(super) fn flag(&mut self, value: bool) -> Handle<Expression> {
        let ty = self.new.insert_type(TypeInner::Scalar(Scalar::BOOL));
        let flag = self.variable(ty);
        self.set(flag, value);
        flag
    }

    /// Sets a boolean variable.
    pub(super) fn set(&mut self, flag: Handle<Expression>, value: bool) {
        let value = self.new.literal(Literal::Bool(value));
        self.new.store(flag, value);
    }

    /// Leaves the loop around the current place if a condition holds.
    pub(super) fn break_if(&mut self, condition: Handle<Expression>) {
        let accept = Block::from_vec(vec![Statement::Break]);
        self.new.push(Statement::If { condition, accept, reject: Block::new() });
    }
}
