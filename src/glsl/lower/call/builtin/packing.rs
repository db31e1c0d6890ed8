//! Floating-point pack and unpack functions (GLSL 4.60 section 8.4), except those for `double`.

use naga::MathFunction as Math;

use super::Row;

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::math("packUnorm2x16", "uint(vec2)", Math::Pack2x16unorm),
    Row::math("packSnorm2x16", "uint(vec2)", Math::Pack2x16snorm),
    Row::math("packUnorm4x8", "uint(vec4)", Math::Pack4x8unorm),
    Row::math("packSnorm4x8", "uint(vec4)", Math::Pack4x8snorm),
    Row::math("packHalf2x16", "uint(vec2)", Math::Pack2x16float),
    Row::math("unpackUnorm2x16", "vec2(uint)", Math::Unpack2x16unorm),
    Row::math("unpackSnorm2x16", "vec2(uint)", Math::Unpack2x16snorm),
    Row::math("unpackUnorm4x8", "vec4(uint)", Math::Unpack4x8unorm),
    Row::math("unpackSnorm4x8", "vec4(uint)", Math::Unpack4x8snorm),
    Row::math("unpackHalf2x16", "vec2(uint)", Math::Unpack2x16float),
];
