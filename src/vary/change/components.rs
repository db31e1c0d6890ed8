//! Takes vectors apart and composes them again, and computes operations on vectors component by component.
//!
//! Only operations are split in which a component of the result depends on the same component of the operands alone.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions have dozens of variants of which few work by component"
)]

use naga::{Expression, Handle, MathFunction, TypeInner, VectorSize};

use crate::copy::{Change, Copy};
use crate::facts::is_plain;

use super::values::Shape;

/// The change.
#[derive(Debug)]
pub(crate) struct Components;

impl Change for Components {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        let shape = Shape::of(copy, old)?;
        let size = shape.size?;
        if matches!(new, Expression::Compose { .. }) || !copy.random.alters() {
            return None;
        }
        let components = if copy.random.coin() && is_split(copy, old) {
            one_by_one(copy, old, new, size)
        } else {
            let whole = copy.new.emit(new.clone());
            (0..size as u32).map(|index| copy.new.part(whole, index)).collect()
        };
        let ty = copy.new.insert_type(shape.inner());
        Some(copy.new.compose(ty, components))
    }
}

/// True if each component of the result depends on the same components of the operands alone.
fn is_split(copy: &Copy<'_>, old: Handle<Expression>) -> bool {
    match &copy.old.expressions[old] {
        Expression::Binary { left, right, .. } => {
            [left, right].into_iter().all(|operand| is_plain(copy.inner(*operand)))
        }
        Expression::Unary { .. } | Expression::Splat { .. } => true,
        Expression::Math { fun, .. } => SPLIT.contains(fun),
        _ => false,
    }
}

/// Functions of numbers that naga also has for vectors, component by component.
const SPLIT: [MathFunction; 16] = {
    use MathFunction as M;
    [
        M::Abs,
        M::Min,
        M::Max,
        M::Clamp,
        M::Saturate,
        M::Floor,
        M::Ceil,
        M::Round,
        M::Fract,
        M::Trunc,
        M::Sqrt,
        M::Fma,
        M::Step,
        M::Sign,
        M::CountOneBits,
        M::ReverseBits,
    ]
};

/// The components of an operation, each computed by itself.
fn one_by_one(
    copy: &mut Copy<'_>,
    old: Handle<Expression>,
    new: &Expression,
    size: VectorSize,
) -> Vec<Handle<Expression>> {
    let mut old = copy.old.expressions[old].clone();
    let old: Vec<_> = ir::operands::of_expression(&mut old).into_iter().map(|one| *one).collect();
    let component = |index| {
        let mut one = new.clone();
        if let Expression::Splat { value, .. } = one {
            return value;
        }
        for (operand, old) in ir::operands::of_expression(&mut one).into_iter().zip(&old) {
            if matches!(copy.inner(*old), TypeInner::Vector { .. }) {
                *operand = copy.new.part(*operand, index);
            }
        }
        copy.new.emit(one)
    };
    (0..size as u32).map(component).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check_some;

    #[test]
    fn vectors_are_taken_apart() {
        let text =
            "@fragment fn main(@location(0) a: vec2f, @location(1) b: f32) -> @location(0) vec4f {
            let c = floor(a * b); return vec4f(c, c); }";
        let parts = ["vec2<f32>((a.x * b), (a.y * b))", "vec2<f32>(floor("];
        check_some(&mut || Box::new(Components), text, &parts);
    }

    /// A product of matrices has other components.
    #[test]
    fn products_of_matrices_are_not_split() {
        let text = "@fragment fn main(@location(0) a: vec2f) -> @location(0) vec4f {
            let m = mat2x2f(a, a.yx); return vec4f(m * a, a * m); }";
        for seed in 0..8 {
            let (module, _) = crate::tests::varied_by(&mut Components, text, seed);
            assert_eq!(crate::tests::text(&module).matches(" * ").count(), 2);
        }
    }
}
