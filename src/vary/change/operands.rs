//! Exchanges the operands of commutative operations, and mirrors comparisons: `a < b` becomes `b > a`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's operators and functions have dozens of variants of which few are symmetric"
)]

use naga::{BinaryOperator, Expression, Handle, MathFunction, ScalarKind};

use crate::copy::{Change, Copy};
use crate::facts::is_plain;

/// The change.
#[derive(Debug)]
pub(crate) struct Operands;

impl Change for Operands {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        copy.varying(old)?;
        let exchanged = match (&copy.old.expressions[old], new) {
            (&Expression::Binary { left, right, .. }, Expression::Binary { op, .. }) => {
                let are_plain = [left, right].into_iter().all(|one| is_plain(copy.inner(one)));
                let op = mirrored(*op).filter(|_| are_plain)?;
                let (left, right) = operands(new)?;
                Expression::Binary { op, left: right, right: left }
            }
            (&Expression::Math { arg, .. }, Expression::Math { fun, .. }) => {
                // The order decides which zero or NaN a minimum of floats returns.
                let is_float = copy.inner(arg).scalar_kind() == Some(ScalarKind::Float);
                let fun = match fun {
                    MathFunction::Min | MathFunction::Max if !is_float => *fun,
                    MathFunction::Dot => *fun,
                    _ => return None,
                };
                let (left, right) = operands(new)?;
                Expression::Math { fun, arg: right, arg1: Some(left), arg2: None, arg3: None }
            }
            _ => return None,
        };
        copy.random.alters().then(|| copy.new.emit(exchanged))
    }
}

/// Both operands.
const fn operands(new: &Expression) -> Option<(Handle<Expression>, Handle<Expression>)> {
    match *new {
        Expression::Binary { left, right, .. }
        | Expression::Math { arg: left, arg1: Some(right), .. } => Some((left, right)),
        _ => None,
    }
}

/// The operator that gives the same for exchanged operands.
const fn mirrored(op: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    match op {
        B::Add
        | B::Multiply
        | B::Equal
        | B::NotEqual
        | B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr => Some(op),
        B::Less => Some(B::Greater),
        B::LessEqual => Some(B::GreaterEqual),
        B::Greater => Some(B::Less),
        B::GreaterEqual => Some(B::LessEqual),
        B::Subtract | B::Divide | B::Modulo | B::ShiftLeft | B::ShiftRight => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn operands_are_exchanged() {
        let text =
            "@fragment fn main(@location(0) a: vec4f, @location(1) @interpolate(flat) i: vec2i)
            -> @location(0) vec4f {
            let c = a.x <= a.y; let d = a.x - a.y; let e = a.z + a.w; let f = min(i.x, i.y);
            return vec4f(f32(c), d, e, f32(f)); }";
        let parts = ["(a.y >= a.x)", "(a.x - a.y)", "(a.w + a.z)", "min(i.y, i.x)"];
        check(&mut Operands, text, &parts);
    }

    #[test]
    fn products_of_matrices_and_minima_of_floats_stay() {
        let text = "@fragment fn main(@location(0) a: vec2f) -> @location(0) vec4f {
            let m = mat2x2f(a, a.yx); return vec4f(m * a, min(a, a.yx)); }";
        assert_eq!(crate::tests::varied(&mut Operands, text).1, 0);
    }
}
