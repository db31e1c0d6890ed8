//! Evaluates constant expressions, and emits constants as expressions.

use crate::ast::Expr;
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::constant::{Constant, literal_of};
use crate::lower::types::{Kind, Shape};
use crate::lower::{Result, Stage, wrong};

impl Stage<'_> {
    /// The value of a constant expression in a declaration. The declaration is item `position` of `object`.
    pub(in crate::lower) fn constant(
        &mut self,
        object: usize,
        position: usize,
        expr: &Expr,
    ) -> Result<Constant> {
        let mut body = Body::new(self, object, position);
        body.constant(expr)
    }

    /// The value of a constant integer expression.
    pub(in crate::lower) fn constant_integer(
        &mut self,
        object: usize,
        position: usize,
        expr: &Expr,
    ) -> Result<i64> {
        let constant = self.constant(object, position, expr)?;
        self.integer_of(&constant, expr.span)
    }
}

impl Body<'_, '_> {
    /// The value of a constant expression.
    pub(in crate::lower) fn constant(&mut self, expr: &Expr) -> Result<Constant> {
        let value = self.rvalue(expr)?;
        match self.evaluate(value.handle) {
            Some(constant) => Ok(constant),
            None => wrong(expr.span, "this is not a constant expression"),
        }
    }

    /// Emits a constant as a value.
    pub(in crate::lower) fn materialize(&mut self, constant: &Constant, span: Span) -> Value {
        if let Shape::Scalar(kind) = self.shape(constant.ty) {
            let bits = constant.bits.first().copied().unwrap_or(0);
            if let Some(literal) = literal_of(kind, bits) {
                return self.literal(literal, span);
            }
            let integer = if kind.is_wide() { Kind::Uint64 } else { Kind::Uint };
            let Some(literal) = literal_of(integer, bits) else {
                return self.zero(constant.ty, span);
            };
            let bits = self.literal(literal, span);
            return self.bitcast(bits, kind, span);
        }
        let mut parts = Vec::new();
        for idx in 0..self.stage.child_count(constant.ty) {
            if let Some(part) = self.stage.constant_part(constant, idx) {
                parts.push(self.materialize(&part, span));
            }
        }
        self.compose(constant.ty, &parts, span)
    }

    /// The value of an index, if it is constant.
    pub(in crate::lower) fn known_index(&mut self, index: Value) -> Option<i64> {
        let constant = self.evaluate(index.handle)?;
        self.stage.known_integer(&constant)
    }
}
