//! Identities on 32-bit integers: `x + 0`, `x - 0`, `x ^ 0`, `x | 0`, `x << 0`, `x * 1`, `x & ~0`, `~(~x)` and `-(-x)`.
//! Compilers cannot know some of the zeros and ones. All operations wrap, so each identity holds for every value.

use naga::{BinaryOperator, Expression, Handle, Scalar, UnaryOperator};

use crate::copy::{Change, Copy};

use super::values::Shape;

/// The change.
#[derive(Debug)]
pub(crate) struct Integer;

/// Operations that return the left operand if the right one is this number.
const NEUTRAL: [(BinaryOperator, u8); 5] = [
    (BinaryOperator::Add, 0),
    (BinaryOperator::Subtract, 0),
    (BinaryOperator::ExclusiveOr, 0),
    (BinaryOperator::InclusiveOr, 0),
    (BinaryOperator::Multiply, 1),
];

impl Change for Integer {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        let shape = Shape::of(copy, old).filter(|shape| shape.is_integer())?;
        if !copy.random.alters() {
            return None;
        }
        let value = copy.new.emit(new.clone());
        Some(same(copy, value, shape).unwrap_or(value))
    }
}

/// An integer with the value of `value`.
fn same(
    copy: &mut Copy<'_>,
    value: Handle<Expression>,
    shape: Shape,
) -> Option<Handle<Expression>> {
    let choice = copy.random.index(NEUTRAL.len() + 4);
    if let Some(&(op, number)) = NEUTRAL.get(choice) {
        let other = copy.spread(number, shape)?;
        return Some(copy.new.binary(op, value, other));
    }
    let twice = |copy: &mut Copy<'_>, op| {
        let once = copy.unary(op, value);
        copy.unary(op, once)
    };
    Some(match choice - NEUTRAL.len() {
        0 if shape.scalar == Scalar::I32 => twice(copy, UnaryOperator::Negate),
        0 | 1 => twice(copy, UnaryOperator::BitwiseNot),
        2 => {
            let zero = copy.spread(0, shape)?;
            let ones = copy.unary(UnaryOperator::BitwiseNot, zero);
            copy.new.binary(BinaryOperator::And, value, ones)
        }
        _ => {
            let count = copy.spread(0, Shape { scalar: Scalar::U32, ..shape })?;
            copy.new.binary(BinaryOperator::ShiftLeft, value, count)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check_some;

    #[test]
    fn every_identity_occurs() {
        let text = "@fragment fn main(@location(0) @interpolate(flat) a: vec4i, @location(1) @interpolate(flat) b: u32)
            -> @location(0) vec4f { return vec4f(a * a) + f32(b / 3u); }";
        let parts = [" + vec4(0i)", " - ", " ^ ", " | ", " * ", "~(~", "-(-", " << ", " & ~("];
        check_some(&mut || Box::new(Integer), text, &parts);
    }
}
