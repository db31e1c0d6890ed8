//! Compiles the tessellation stages of a case.

use case::gl::limit::Limits;
use case::{Case, ShaderSource};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::options::PerVertexRule;
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::{LanguageRules, StageModule};

use super::optional_stage;

/// Compiles the tessellation stages, if there are any, in the order of the pipeline.
///
/// Unless the program is separable, the stages need a vertex shader, and a control stage needs an evaluation stage (GL
/// 4.6 compatibility profile, section 7.3). The specification allows a control stage alone, but such a program is
/// useless, and Mesa refuses it. ES 3.20 also requires a control stage.
pub(super) fn compile(
    case: &Case,
    limits: &Limits,
    sections: &PerStage<Vec<&ShaderSource>>,
) -> Result<Vec<StageModule>, CompileError> {
    let own = [ShaderStage::TessellationControl, ShaderStage::TessellationEvaluation];
    let Some(first) = own.iter().find_map(|stage| sections[*stage].first()) else {
        return Ok(Vec::new());
    };
    let mut stages = Vec::new();
    for stage in own {
        stages.extend(optional_stage(case, limits, stage, sections)?);
    }
    let fail = |message: &str| {
        Err(CompileError::Link(vec![Diagnostic::error(first.header, message.to_owned())]))
    };
    let is_separable = case.link.per_vertex == PerVertexRule::Redeclared;
    if sections[ShaderStage::Vertex].is_empty() && !is_separable {
        return fail("a tessellation shader must be linked with a vertex shader");
    }
    let Some(evaluation) = stages.last().filter(|last| last.evaluation().is_some()) else {
        if is_separable {
            let word = "a separable program with a control stage and no evaluation stage";
            return Err(CompileError::unsupported(word, first.header));
        }
        return fail("a control shader must be linked with an evaluation shader");
    };
    let is_es = matches!(evaluation.rules, LanguageRules::Glsl { is_es: true, .. });
    if is_es && stages.len() == 1 && !is_separable {
        return fail("in GLSL ES an evaluation shader must be linked with a control shader");
    }
    Ok(stages)
}

#[cfg(test)]
mod tests {
    use crate::testing::first_error;

    const VERTEX: &str =
        "[vertex shader]\n#version 410\nvoid main() { gl_Position = vec4(0.0); }\n";
    const CONTROL: &str =
        "[tessellation control shader]\n#version 410\nlayout(vertices = 3) out;\nvoid main() {}\n";
    const EVALUATION: &str =
        "[tessellation evaluation shader]\n#version 410\nlayout(quads) in;\nvoid main() {}\n";

    #[track_caller]
    fn check(sections: &[&str], expected: &str) {
        assert_eq!(first_error("410", sections), expected);
    }

    #[test]
    fn tessellation_stages_need_others() {
        check(&[VERTEX, CONTROL, EVALUATION], "");
        check(&[VERTEX, EVALUATION], "");
        let alone = "link: a control shader must be linked with an evaluation shader";
        check(&[VERTEX, CONTROL], alone);
        let vertex = "link: a tessellation shader must be linked with a vertex shader";
        check(&[CONTROL, EVALUATION], vertex);
        let es = |text: &str| text.replace("410", "320 es");
        let control = "link: in GLSL ES an evaluation shader must be linked with a control shader";
        check(&[&es(VERTEX), &es(EVALUATION)], control);
        check(&[&es(VERTEX), &es(CONTROL), &es(EVALUATION)], "");
    }

    #[test]
    fn tessellation_stages_are_written_in_glsl() {
        let wgsl = "[tessellation control shader wgsl]\n@vertex fn main() {}\n";
        check(&[VERTEX, wgsl], "compile: WGSL has no tessellation stages");
        let spirv = "[tessellation evaluation shader spirv]\nOpCapability Tessellation\n";
        let word = "unsupported: tessellation stages in SPIR-V, which naga's reader does not know";
        check(&[VERTEX, spirv], word);
    }
}
