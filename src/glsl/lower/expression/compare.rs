//! Lowers `==` on every type. naga compares only scalars and vectors.

use naga::BinaryOperator;

use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Shape;

impl Body<'_, '_> {
    /// Lowers `left == right` to one boolean, after implicit conversion. `!=` is its negation, which is also right for
    /// NaN.
    pub(in crate::lower) fn equal_operands(
        &mut self,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<Value> {
        if self.stage.has_opaque(left.ty) {
            return None;
        }
        if left.ty == right.ty {
            return Some(self.equal(left, right, span));
        }
        let (left, right, _) = self.unify(left, right, span)?;
        (left.ty == right.ty).then(|| self.equal(left, right, span))
    }

    /// Tests whether two values of the same type are equal in every part.
    fn equal(&mut self, left: Value, right: Value, span: Span) -> Value {
        match self.shape(left.ty) {
            Shape::Scalar(_) | Shape::Vector(..) => {
                let equal = self.compare(BinaryOperator::Equal, left, right, span);
                self.all(equal, span)
            }
            Shape::Matrix(..) | Shape::Array(..) | Shape::Struct => {
                let mut agree: Option<Value> = None;
                for idx in 0..self.stage.child_count(left.ty) {
                    let (a, b) = (self.part(left, idx, span), self.part(right, idx, span));
                    let equal = self.equal(a, b, span);
                    agree = Some(match agree {
                        Some(before) => self.plain(BinaryOperator::LogicalAnd, before, equal, span),
                        None => equal,
                    });
                }
                agree.unwrap_or_else(|| self.bool(true, span))
            }
        }
    }
}
