//! Minimum, maximum and middle of three (`GL_AMD_shader_trinary_minmax`).

use naga::MathFunction as Math;

use crate::lower::body::Body;
use crate::lower::operand::Value;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::ternary("min3", "genF(genF, genF, genF)", min3),
    Row::ternary("min3", "genI(genI, genI, genI)", min3),
    Row::ternary("min3", "genU(genU, genU, genU)", min3),
    Row::ternary("max3", "genF(genF, genF, genF)", max3),
    Row::ternary("max3", "genI(genI, genI, genI)", max3),
    Row::ternary("max3", "genU(genU, genU, genU)", max3),
    Row::ternary("mid3", "genF(genF, genF, genF)", mid3),
    Row::ternary("mid3", "genI(genI, genI, genI)", mid3),
    Row::ternary("mid3", "genU(genU, genU, genU)", mid3),
];

fn min3(body: &mut Body<'_, '_>, values: [Value; 3], call: &Call) -> Value {
    twice(body, values, Math::Min, call)
}

fn max3(body: &mut Body<'_, '_>, values: [Value; 3], call: &Call) -> Value {
    twice(body, values, Math::Max, call)
}

fn twice(body: &mut Body<'_, '_>, [x, y, z]: [Value; 3], fun: Math, call: &Call) -> Value {
    let first = body.math(fun, &[x, y], x.ty, call.span);
    body.math(fun, &[first, z], x.ty, call.span)
}

/// Emits `max(min(x, y), min(max(x, y), z))`.
fn mid3(body: &mut Body<'_, '_>, [x, y, z]: [Value; 3], call: &Call) -> Value {
    let low = body.math(Math::Min, &[x, y], x.ty, call.span);
    let high = body.math(Math::Max, &[x, y], x.ty, call.span);
    let bounded = body.math(Math::Min, &[high, z], x.ty, call.span);
    body.math(Math::Max, &[low, bounded], x.ty, call.span)
}
