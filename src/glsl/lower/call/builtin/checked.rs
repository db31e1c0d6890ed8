//! Functions whose calls are checked and cannot be run, because WebGPU has nothing like them: interpolation of inputs at
//! other places (GLSL 4.60 section 8.13.2), `GL_ARB_shader_group_vote` and `GL_ARB_shader_clock`.

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::{Result, unsupported, wrong};
use ir::stage::ShaderStage;

use super::{Call, Row};

/// The functions of this file.
pub(super) const ROWS: &[Row] = &[
    Row::custom("interpolateAtCentroid", "genF(genF)", interpolate),
    Row::custom("interpolateAtSample", "genF(genF, int)", interpolate),
    Row::custom("interpolateAtOffset", "genF(genF, vec2)", interpolate),
    Row::custom("anyInvocation", "bool(bool)", stand_in),
    Row::custom("allInvocations", "bool(bool)", stand_in),
    Row::custom("allInvocationsEqual", "bool(bool)", stand_in),
    Row::custom("anyInvocationARB", "bool(bool)", stand_in),
    Row::custom("allInvocationsARB", "bool(bool)", stand_in),
    Row::custom("allInvocationsEqualARB", "bool(bool)", stand_in),
    Row::custom("clock2x32ARB", "uvec2()", stand_in),
];

fn interpolate(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    if body.stage.stage != ShaderStage::Fragment {
        let message = format!("`{}` is only available in the fragment stage", call.name);
        return wrong(call.span, message);
    }
    stand_in(body, call)
}

/// A zero in place of the result, where only the verdict about the shader counts.
fn stand_in(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    if body.stage.hints.is_only_compiled {
        return Ok(Some(body.zero(call.ty, call.span)));
    }
    unsupported(call.span, call.name)
}
