//! `frexp` and `ldexp` (GLSL 4.60 section 8.3).

use naga::{BinaryOperator, Literal, MathFunction as Math};

use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Kind;
use ir::source::Span;

use super::{Call, Row};

/// Position of the exponent in a float's bits.
const EXPONENT_SHIFT: u32 = 23;
/// The exponent's bits after shifting; all of them are set in infinities and NaNs.
const EXPONENT_MASK: u32 = 0xff;
/// The stored exponent of 0.5.
const HALF_EXPONENT: i32 = 126;

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("frexp", "genF(genF, out genI)", frexp),
    Row::math("ldexp", "genF(genF, genI)", Math::Ldexp),
];

fn frexp(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, _] = call.values[..] else { return Ok(None) };
    let (fraction, power) = split(body, x, call.span);
    body.write_out(call, 1, power)?;
    Ok(Some(fraction))
}

/// Splits into a number from 0.5 up to 1 and a power of two, by the bits. Zero, denormals, infinities and NaNs are
/// unchanged, with the power 0.
pub(super) fn split(body: &mut Body<'_, '_>, x: Value, span: Span) -> (Value, Value) {
    use BinaryOperator::{And, Equal, InclusiveOr, LogicalOr, ShiftRight, Subtract};
    let bits = body.bitcast(x, Kind::Uint, span);
    let number =
        |body: &mut Body<'_, '_>, value: u32| body.literal_like(bits, Literal::U32(value), span);
    let (shift, mask) = (number(body, EXPONENT_SHIFT), number(body, EXPONENT_MASK));
    let shifted = body.plain(ShiftRight, bits, shift, span);
    let stored = body.plain(And, shifted, mask, span);
    let zero = number(body, 0);
    let is_small = body.compare(Equal, stored, zero, span);
    let is_special = body.compare(Equal, stored, mask, span);
    let op = if body.is_scalar(x) { LogicalOr } else { InclusiveOr };
    let is_kept = body.plain(op, is_small, is_special, span);

    let signed = body.bitcast(stored, Kind::Int, span);
    let bias = body.literal_like(signed, Literal::I32(HALF_EXPONENT), span);
    let power = body.plain(Subtract, signed, bias, span);
    let no_power = body.literal_like(power, Literal::I32(0), span);
    let power = body.choose(is_kept, no_power, power, span);

    let rest = number(body, !(EXPONENT_MASK << EXPONENT_SHIFT));
    let half = number(body, HALF_EXPONENT.cast_unsigned() << EXPONENT_SHIFT);
    let fraction = body.plain(And, bits, rest, span);
    let fraction = body.plain(InclusiveOr, fraction, half, span);
    let fraction = body.bitcast(fraction, Kind::Float, span);
    (body.choose(is_kept, x, fraction, span), power)
}
