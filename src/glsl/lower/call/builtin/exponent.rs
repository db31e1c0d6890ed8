//! `frexp` and `ldexp` (GLSL 4.60 section 8.3).

use naga::{BinaryOperator, Literal, MathFunction as Math};

use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Kind;
use ir::source::Span;

use super::{Call, Row};

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

/// Position and meaning of the bits of a floating-point format.
struct Format {
    /// The integer with the same bits.
    bits: Kind,
    /// The signed integer of the same size.
    signed: Kind,
    /// Position of the exponent's lowest bit.
    shift: u8,
    /// The exponent's bits after shifting; all of them are set in infinities and NaNs.
    mask: u64,
    /// The stored exponent of 0.5.
    half: u64,
}

const SINGLE: Format =
    Format { bits: Kind::Uint, signed: Kind::Int, shift: 23, mask: 0xff, half: 126 };
const DOUBLE: Format =
    Format { bits: Kind::Uint64, signed: Kind::Int64, shift: 52, mask: 0x7ff, half: 1022 };

/// Splits `x` by its bits into a number from 0.5 up to 1 and a power of two. Zero, denormals, infinities and NaNs are
/// unchanged, with the power 0.
pub(super) fn split(body: &mut Body<'_, '_>, x: Value, span: Span) -> (Value, Value) {
    use BinaryOperator::{And, Equal, InclusiveOr, LogicalOr, ShiftRight, Subtract};
    let kind = body.shape(x.ty).kind().unwrap_or(Kind::Float);
    let format = if kind == Kind::Double { DOUBLE } else { SINGLE };
    let bits = body.bitcast(x, format.bits, span);
    let number = |body: &mut Body<'_, '_>, value: u64| body.bits_like(bits, value, span);
    let mask = number(body, format.mask);
    let shift = body.literal_like(bits, Literal::U32(u32::from(format.shift)), span);
    let shifted = body.plain(ShiftRight, bits, shift, span);
    let stored = body.plain(And, shifted, mask, span);
    let zero = number(body, 0);
    let is_small = body.compare(Equal, stored, zero, span);
    let is_special = body.compare(Equal, stored, mask, span);
    let op = if body.is_scalar(x) { LogicalOr } else { InclusiveOr };
    let is_kept = body.plain(op, is_small, is_special, span);

    let signed = body.bitcast(stored, format.signed, span);
    let signed = body.convert(signed, Kind::Int, span);
    let bias = body.bits_like(signed, format.half, span);
    let power = body.plain(Subtract, signed, bias, span);
    let no_power = body.number_like(power, 0, span);
    let power = body.choose(is_kept, no_power, power, span);

    let rest = number(body, !(format.mask << format.shift));
    let half = number(body, format.half << format.shift);
    let fraction = body.plain(And, bits, rest, span);
    let fraction = body.plain(InclusiveOr, fraction, half, span);
    let fraction = body.bitcast(fraction, kind, span);
    (body.choose(is_kept, x, fraction, span), power)
}
