//! Integer functions (GLSL 4.60 section 8.8).

use BinaryOperator::{Add, And, Greater, Less, Multiply, ShiftRight, Subtract};
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
    Row::custom("uaddCarry", "genU(genU, genU, out genU)", add_carry),
    Row::custom("usubBorrow", "genU(genU, genU, out genU)", subtract_borrow),
    Row::custom("umulExtended", "void(genU, genU, out genU, out genU)", multiply_unsigned),
    Row::custom("imulExtended", "void(genI, genI, out genI, out genI)", multiply_signed),
    Row::bits("bitfieldExtract", "genI(genI, int, int)", Math::ExtractBits),
    Row::bits("bitfieldExtract", "genU(genU, int, int)", Math::ExtractBits),
    Row::bits("bitfieldInsert", "genI(genI, genI, int, int)", Math::InsertBits),
    Row::bits("bitfieldInsert", "genU(genU, genU, int, int)", Math::InsertBits),
    Row::math("bitfieldReverse", "genI(genI)", Math::ReverseBits),
    Row::math("bitfieldReverse", "genU(genU)", Math::ReverseBits),
    Row::unary("bitCount", "genI(genI)", find),
    Row::unary("bitCount", "genI(genU)", find),
    Row::unary("findLSB", "genI(genI)", find),
    Row::unary("findLSB", "genI(genU)", find),
    Row::unary("findMSB", "genI(genI)", find),
    Row::unary("findMSB", "genI(genU)", find),
];

fn add_carry(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y, _] = call.values[..] else { return Ok(None) };
    let sum = body.plain(Add, x, y, call.span);
    let has_carry = body.compare(Less, sum, x, call.span);
    write_flag(body, call, has_carry)?;
    Ok(Some(sum))
}

fn subtract_borrow(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y, _] = call.values[..] else { return Ok(None) };
    let difference = body.plain(Subtract, x, y, call.span);
    let has_borrow = body.compare(Greater, y, x, call.span);
    write_flag(body, call, has_borrow)?;
    Ok(Some(difference))
}

/// Writes the third argument of a call: 1 if `flag` is true, else 0.
fn write_flag(body: &mut Body<'_, '_>, call: &Call, flag: Value) -> Result<()> {
    let flag = body.convert(flag, Kind::Uint, call.span);
    body.write_out(call, 2, flag)
}

fn multiply_unsigned(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    multiply(body, call, high_word)
}

fn multiply_signed(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    multiply(body, call, signed_high_word)
}

/// Writes both words of a product; `high_word` computes the upper one.
fn multiply(
    body: &mut Body<'_, '_>,
    call: &Call,
    high_word: fn(&mut Body<'_, '_>, Value, Value, Span) -> Value,
) -> Result<Option<Value>> {
    let [x, y, ..] = call.values[..] else { return Ok(None) };
    let high = high_word(body, x, y, call.span);
    let low = body.plain(Multiply, x, y, call.span);
    body.write_out(call, 2, high)?;
    body.write_out(call, 3, low)?;
    Ok(None)
}

/// The upper word of a signed product. It is that of the unsigned product, corrected for negative factors, which are
/// 2³² too large there.
pub(super) fn signed_high_word(body: &mut Body<'_, '_>, x: Value, y: Value, span: Span) -> Value {
    let (a, b) = (body.bitcast(x, Kind::Uint, span), body.bitcast(y, Kind::Uint, span));
    let mut high = high_word(body, a, b, span);
    let zero = body.literal_like(x, Literal::I32(0), span);
    let nothing = body.literal_like(a, Literal::U32(0), span);
    for (factor, other) in [(x, b), (y, a)] {
        let is_negative = body.compare(Less, factor, zero, span);
        let excess = body.choose(is_negative, other, nothing, span);
        high = body.plain(Subtract, high, excess, span);
    }
    body.bitcast(high, Kind::Int, span)
}

/// The upper 32 bits of a 64-bit product, from products of 16-bit halves.
pub(super) fn high_word(body: &mut Body<'_, '_>, x: Value, y: Value, span: Span) -> Value {
    let mask = body.literal_like(x, Literal::U32(0xffff), span);
    let half = body.literal_like(x, Literal::U32(16), span);
    let (x_low, y_low) = (body.plain(And, x, mask, span), body.plain(And, y, mask, span));
    let (x_high, y_high) =
        (body.plain(ShiftRight, x, half, span), body.plain(ShiftRight, y, half, span));
    let low = body.plain(Multiply, x_low, y_low, span);
    let low_carry = body.plain(ShiftRight, low, half, span);
    let middle = body.plain(Multiply, x_high, y_low, span);
    let middle = body.plain(Add, middle, low_carry, span);
    let other = body.plain(Multiply, x_low, y_high, span);
    let middle_low = body.plain(And, middle, mask, span);
    let other = body.plain(Add, other, middle_low, span);
    let high = body.plain(Multiply, x_high, y_high, span);
    let middle_carry = body.plain(ShiftRight, middle, half, span);
    let other_carry = body.plain(ShiftRight, other, half, span);
    let high = body.plain(Add, high, middle_carry, span);
    body.plain(Add, high, other_carry, span)
}

/// Converts a bit position or count to a signed number, which is the result for signed and unsigned arguments.
fn find(body: &mut Body<'_, '_>, value: Value, call: &Call) -> Value {
    let fun = match call.name {
        "findLSB" => Math::FirstTrailingBit,
        "findMSB" => Math::FirstLeadingBit,
        _ => Math::CountOneBits,
    };
    let found = body.math(fun, &[value], value.ty, call.span);
    if value.ty == call.ty {
        return found;
    }
    body.bitcast(found, Kind::Int, call.span)
}
