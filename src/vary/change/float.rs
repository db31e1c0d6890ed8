//! Exact identities on 32-bit floats: `x * 1.0`, `-(-x)`, a selection whose condition is always true, bits that become an
//! integer and a float again, and components that change places twice.
//!
//! Only results of arithmetic are changed. Other values can be denormal numbers or NaN with any bits, which arithmetic
//! may flush or change. `x + 0.0` is no identity: it turns -0 into 0.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions have dozens of variants of which few are arithmetic"
)]

use naga::{
    BinaryOperator, Expression, Handle, MathFunction, Scalar, ScalarKind, SwizzleComponent,
    UnaryOperator, VectorSize,
};

use crate::copy::{Change, Copy};

use super::values::Shape;

/// The change.
#[derive(Debug)]
pub(crate) struct Float;

impl Change for Float {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        let shape = Shape::of(copy, old).filter(|shape| shape.scalar == Scalar::F32)?;
        if !is_arithmetic(new) || !copy.random.alters() {
            return None;
        }
        let value = copy.new.emit(new.clone());
        Some(same(copy, value, shape).unwrap_or(value))
    }
}

/// True if the expression computes floats anew.
const fn is_arithmetic(expression: &Expression) -> bool {
    match expression {
        Expression::Binary { .. } => true,
        Expression::Math { fun, .. } => !matches!(
            fun,
            MathFunction::Abs | MathFunction::Min | MathFunction::Max | MathFunction::Clamp
        ),
        _ => false,
    }
}

/// A float with the value of `value`.
fn same(
    copy: &mut Copy<'_>,
    value: Handle<Expression>,
    shape: Shape,
) -> Option<Handle<Expression>> {
    Some(match copy.random.below(5) {
        0 => {
            let one = copy.spread(1, shape)?;
            copy.new.binary(BinaryOperator::Multiply, value, one)
        }
        1 => {
            let once = copy.unary(UnaryOperator::Negate, value);
            copy.unary(UnaryOperator::Negate, once)
        }
        2 => {
            let condition = copy.always()?;
            let other = copy.spread(7, shape)?;
            copy.new.select(condition, value, other)
        }
        3 => {
            let bits = As { kind: ScalarKind::Uint }.of(copy, value);
            As { kind: ScalarKind::Float }.of(copy, bits)
        }
        _ => {
            let once = reversed(copy, value, shape.size?);
            reversed(copy, once, shape.size?)
        }
    })
}

/// A bit cast.
struct As {
    kind: ScalarKind,
}

impl As {
    fn of(self, copy: &mut Copy<'_>, expr: Handle<Expression>) -> Handle<Expression> {
        copy.new.emit(Expression::As { expr, kind: self.kind, convert: None })
    }
}

/// The vector with its components in reverse order.
fn reversed(
    copy: &mut Copy<'_>,
    vector: Handle<Expression>,
    size: VectorSize,
) -> Handle<Expression> {
    use SwizzleComponent::{W, X, Y, Z};
    let pattern = match size {
        VectorSize::Bi => [Y, X, X, X],
        VectorSize::Tri => [Z, Y, X, X],
        VectorSize::Quad => [W, Z, Y, X],
    };
    copy.new.emit(Expression::Swizzle { size, vector, pattern })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check_some, varied};

    #[test]
    fn every_identity_occurs() {
        let text = "@fragment fn main(@location(0) a: vec4f, @location(1) b: f32)
            -> @location(0) vec4f { return (a + b) * b / sqrt(a); }";
        let parts = [" * vec4(1f)", "-(-", "select(", "bitcast<vec4<u32>>", ".wzyx.wzyx"];
        check_some(&mut || Box::new(Float), text, &parts);
    }

    /// The bits of a NaN pass through unchanged, and must stay so.
    #[test]
    fn what_is_not_computed_stays() {
        let text = "@group(0) @binding(0) var<storage, read_write> b: array<f32>;
            @compute @workgroup_size(1) fn main() { b[0] = -max(b[1], bitcast<f32>(7u)); }";
        assert_eq!(varied(&mut Float, text).1, 0);
    }
}
