//! Functions between 64-bit values and their halves or bits (GLSL 4.60, 8.4; `GL_ARB_gpu_shader_int64`).

use naga::{BinaryOperator, Literal};

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::Kind;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::unary("packDouble2x32", "double(uvec2)", pack),
    Row::unary("unpackDouble2x32", "uvec2(double)", unpack),
    Row::unary("packInt2x32", "int64_t(ivec2)", pack),
    Row::unary("unpackInt2x32", "ivec2(int64_t)", unpack),
    Row::unary("packUint2x32", "uint64_t(uvec2)", pack),
    Row::unary("unpackUint2x32", "uvec2(uint64_t)", unpack),
    Row::unary("doubleBitsToInt64", "genI64(genD)", reinterpret),
    Row::unary("doubleBitsToUint64", "genU64(genD)", reinterpret),
    Row::unary("int64BitsToDouble", "genD(genI64)", reinterpret),
    Row::unary("uint64BitsToDouble", "genD(genU64)", reinterpret),
];

/// Packs two halves to a 64-bit value, whose lower half is the first component.
fn pack(body: &mut Body<'_, '_>, halves: Value, call: &Call) -> Value {
    let span = call.span;
    let words = body.bitcast(halves, Kind::Uint, span);
    let [low, high] = [0, 1].map(|half| body.part(words, half, span));
    let [low, high] = [low, high].map(|word| body.convert(word, Kind::Uint64, span));
    let by = body.literal(Literal::U32(32), span);
    let high = body.plain(BinaryOperator::ShiftLeft, high, by, span);
    let bits = body.plain(BinaryOperator::InclusiveOr, high, low, span);
    let kind = body.shape(call.ty).kind().unwrap_or(Kind::Uint64);
    body.bitcast(bits, kind, span)
}

fn unpack(body: &mut Body<'_, '_>, value: Value, call: &Call) -> Value {
    let span = call.span;
    let bits = body.bitcast(value, Kind::Uint64, span);
    let by = body.literal(Literal::U32(32), span);
    let high = body.plain(BinaryOperator::ShiftRight, bits, by, span);
    let [low, high] = [bits, high].map(|half| body.convert(half, Kind::Uint, span));
    let ty = body.stage.vector(2, Kind::Uint);
    let words = body.compose(ty, &[low, high], span);
    let kind = body.shape(call.ty).kind().unwrap_or(Kind::Uint);
    body.bitcast(words, kind, span)
}

fn reinterpret(body: &mut Body<'_, '_>, value: Value, call: &Call) -> Value {
    let kind = body.shape(call.ty).kind().unwrap_or(Kind::Uint64);
    body.bitcast(value, kind, call.span)
}
