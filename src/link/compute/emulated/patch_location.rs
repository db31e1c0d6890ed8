//! Locations of the variables of a patch among those of its vertices.
//!
//! Both are of one interface, and variables that share a location must agree in their auxiliary storage, of which `patch`
//! is one (GLSL 4.60 section 4.4.1). Whether the variables are used does not matter.

use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::stage_module::StageModule;

use crate::LinkError;

/// Refuses a tessellation stage in which a variable of the patch has a location of a variable of the vertices.
///
/// # Errors
/// There is such a location.
pub(super) fn check(stage: &StageModule) -> Result<(), LinkError> {
    let is_control = stage.control().is_some();
    let variables = match &stage.tessellation {
        Some(_) if is_control => &stage.outputs,
        Some(_) => &stage.inputs,
        None => return Ok(()),
    };
    let locations = |variable: &Variable| {
        let first = variable.location?;
        let count = variable.ty.location_count(0);
        Some(first..first.saturating_add(count))
    };
    for patch in variables.iter().filter(|variable| variable.is_patch) {
        let Some(own) = locations(patch) else { continue };
        let of_vertices = variables.iter().filter(|variable| !variable.is_patch);
        let shared = |other: &&Variable| {
            locations(other).is_some_and(|other| own.start < other.end && other.start < own.end)
        };
        if let Some(other) = of_vertices.clone().find(shared) {
            let message = format!(
                "`{}` is `patch` and shares location {} with `{}`, which is not",
                patch.name,
                own.start.max(other.location.unwrap_or(0)),
                other.name
            );
            return Err(LinkError::Refused(vec![Diagnostic::error(patch.span, message)]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    #[track_caller]
    fn check_of(stage: ShaderStage, declarations: &str, expected: Option<&str>) {
        let is_control = stage == ShaderStage::TessellationControl;
        let layout = if is_control { "layout(vertices = 3) out;" } else { "layout(quads) in;" };
        let text = format!("#version 450\n{layout}\n{declarations}\nvoid main() {{}}");
        let message = match check(&testing::stage(stage, &text)) {
            Ok(()) => None,
            Err(LinkError::Refused(errors)) => Some(errors[0].message.clone()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(message.as_deref(), expected);
    }

    #[test]
    fn patches_and_vertices_share_no_location() {
        let control = ShaderStage::TessellationControl;
        let evaluation = ShaderStage::TessellationEvaluation;
        let at = |location: u32| format!("layout(location = {location})");
        let outputs = |patch, vertex| {
            format!("{} patch out vec4 a[2]; {} out vec2 b[];", at(patch), at(vertex))
        };
        check_of(control, &outputs(3, 5), None);
        check_of(control, &outputs(3, 2), None);
        let shared = "`a` is `patch` and shares location 4 with `b`, which is not";
        check_of(control, &outputs(3, 4), Some(shared));
        let inputs =
            |patch, vertex| format!("{} patch in float a; {} in mat2 b[];", at(patch), at(vertex));
        check_of(evaluation, &inputs(4, 3), Some(shared));
        check_of(evaluation, &inputs(5, 3), None);
        check_of(evaluation, &format!("patch in float a; {} in mat2 b[];", at(0)), None);
        // The inputs of a control stage are all of vertices.
        let both = format!("{} in vec4 b[]; {} patch out vec4 a;", at(4), at(4));
        check_of(control, &both, None);
    }
}
