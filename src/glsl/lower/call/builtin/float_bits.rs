//! Functions on the bits of floats (GLSL 4.60 section 8.3): reinterpretation, tests for NaN and infinity.
//!
//! The tests use the bits, because a driver may assume that compared floats are never NaN.

use naga::BinaryOperator;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Kind;

use super::{Call, Row};

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
    let is_double = body.shape(x.ty).kind() == Some(Kind::Double);
    // All bits except the sign, and the magnitude of infinity. The magnitude of a NaN is larger.
    let (integer, magnitude, infinity) = if is_double {
        (Kind::Uint64, u64::MAX >> 1, f64::INFINITY.to_bits())
    } else {
        (Kind::Uint, u64::from(u32::MAX >> 1), u64::from(f32::INFINITY.to_bits()))
    };
    let bits = body.bitcast(x, integer, call.span);
    let mask = body.bits_like(bits, magnitude, call.span);
    let magnitude = body.plain(BinaryOperator::And, bits, mask, call.span);
    let infinity = body.bits_like(bits, infinity, call.span);
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
