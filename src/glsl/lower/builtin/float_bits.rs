//! Functions on the bits of floats (GLSL 4.60 section 8.3): reinterpretation, tests for NaN and infinity.
//!
//! The tests use the bits, because a driver may assume that there are no NaNs wherever floats are compared.

use naga::{BinaryOperator, Literal};

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Kind;

use super::{Call, Row};

/// All bits of a float except the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
/// The magnitude of infinity; that of a NaN is larger.
const INFINITY: u32 = 0x7f80_0000;

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::unary("isnan", "genB(genF)", classify),
    Row::unary("isinf", "genB(genF)", classify),
    Row::unary("floatBitsToInt", "genI(genF)", to_int),
    Row::unary("floatBitsToUint", "genU(genF)", to_uint),
    Row::unary("intBitsToFloat", "genF(genI)", to_float),
    Row::unary("uintBitsToFloat", "genF(genU)", to_float),
];

fn classify(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    let bits = body.bitcast(x, Kind::Uint, call.span);
    let mask = body.literal_like(bits, Literal::U32(MAGNITUDE), call.span);
    let magnitude = body.plain(BinaryOperator::And, bits, mask, call.span);
    let infinity = body.literal_like(bits, Literal::U32(INFINITY), call.span);
    let op = if call.name == "isnan" { BinaryOperator::Greater } else { BinaryOperator::Equal };
    body.compare(op, magnitude, infinity, call.span)
}

fn to_int(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    body.bitcast(x, Kind::Int, call.span)
}

fn to_uint(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    body.bitcast(x, Kind::Uint, call.span)
}

fn to_float(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    body.bitcast(x, Kind::Float, call.span)
}
