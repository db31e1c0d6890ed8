//! Rewrites booleans: `!(!x)`, De Morgan's laws, and comparisons of integers as the negation of the opposite.
//!
//! Comparisons of floats have no opposite, because all are false for NaN.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's operators have a dozen variants of which few are logical"
)]

use naga::{BinaryOperator, Expression, Handle, Scalar, ScalarKind, UnaryOperator};

use crate::copy::{Change, Copy};

use super::values::Shape;

/// The change.
#[derive(Debug)]
pub(crate) struct Boolean;

impl Change for Boolean {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        Shape::of(copy, old).filter(|shape| shape.scalar == Scalar::BOOL)?;
        if !copy.random.alters() {
            return None;
        }
        if let Some(negated) = negated(copy, old, new).filter(|_| copy.random.coin()) {
            let value = copy.new.emit(negated);
            return Some(copy.unary(UnaryOperator::LogicalNot, value));
        }
        let value = copy.new.emit(new.clone());
        let not = copy.unary(UnaryOperator::LogicalNot, value);
        Some(copy.unary(UnaryOperator::LogicalNot, not))
    }
}

/// The opposite of a comparison of integers or of a logical operation.
fn negated(copy: &mut Copy<'_>, old: Handle<Expression>, new: &Expression) -> Option<Expression> {
    let &Expression::Binary { left: old_left, .. } = &copy.old.expressions[old] else {
        return None;
    };
    let &Expression::Binary { op, left, right } = new else { return None };
    let kind = copy.inner(old_left).scalar_kind()?;
    let (op, is_logical) = opposite(op)?;
    if is_logical && kind == ScalarKind::Bool {
        let [left, right] =
            [left, right].map(|operand| copy.unary(UnaryOperator::LogicalNot, operand));
        return Some(Expression::Binary { op, left, right });
    }
    let is_integer = matches!(kind, ScalarKind::Sint | ScalarKind::Uint);
    (!is_logical && is_integer).then_some(Expression::Binary { op, left, right })
}

/// The opposite operator, and whether it takes negated operands.
const fn opposite(op: BinaryOperator) -> Option<(BinaryOperator, bool)> {
    use BinaryOperator as B;
    Some(match op {
        B::Equal => (B::NotEqual, false),
        B::NotEqual => (B::Equal, false),
        B::Less => (B::GreaterEqual, false),
        B::LessEqual => (B::Greater, false),
        B::Greater => (B::LessEqual, false),
        B::GreaterEqual => (B::Less, false),
        B::LogicalAnd => (B::LogicalOr, true),
        B::LogicalOr => (B::LogicalAnd, true),
        B::And => (B::InclusiveOr, true),
        B::InclusiveOr => (B::And, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check_some, text, varied_by};

    #[test]
    fn every_rule_occurs() {
        let text =
            "@fragment fn main(@location(0) @interpolate(flat) i: vec2i) -> @location(0) vec4f {
            let a = i.x < i.y; let b = a & (i.x != 3); return vec4f(f32(a), f32(b), 0.0, 1.0); }";
        let parts = ["!(!((i.x < i.y)))", "!((i.x >= i.y))", "| !(", "!((i.x == 3i))"];
        check_some(&mut || Box::new(Boolean), text, &parts);
    }

    #[test]
    fn comparisons_of_floats_have_no_opposite() {
        let wgsl = "@fragment fn main(@location(0) i: vec2f) -> @location(0) vec4f {
            return vec4f(f32(i.x < i.y)); }";
        for seed in 0..8 {
            assert!(text(&varied_by(&mut Boolean, wgsl, seed).0).contains("!(!((i.x < i.y)))"));
        }
    }
}
