//! Compiles the stages between the vertex and the fragment stage, which run as compute stages.

use case::gl::limit::Limits;
use case::{Case, ShaderSource};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::options::PerVertexRule;
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::{LanguageRules, StageModule};

use super::optional_stage;

/// Compiles the tessellation and geometry stages of a case, in the order of the pipeline.
pub(super) fn compile(
    case: &Case,
    limits: &Limits,
    sections: &PerStage<Vec<&ShaderSource>>,
) -> Result<Vec<StageModule>, CompileError> {
    let family = |stage: &ShaderStage| stage.properties().family;
    let mut all = Vec::new();
    for stages in ShaderStage::OF_DRAWS.chunk_by(|one, other| family(one) == family(other)) {
        let present: Vec<_> =
            stages.iter().copied().filter(|stage| !sections[*stage].is_empty()).collect();
        let (Some(family), [first, ..]) = (family(&stages[0]), present.as_slice()) else {
            continue;
        };
        let mut own = Vec::new();
        for stage in &present {
            own.extend(optional_stage(case, limits, *stage, sections)?);
        }
        let place = sections[*first][0];
        check(case, place, family, &present)?;
        check_control(case, place, &own)?;
        all.append(&mut own);
    }
    Ok(all)
}

/// Checks the stages of one family, the first of which is in the section `first`.
///
/// Unless the program is separable, they need a vertex shader, and a control stage needs an evaluation stage (GL 4.6
/// compatibility profile, section 7.3). The specification allows a control stage alone, but such a program is useless,
/// and Mesa refuses it.
fn check(
    case: &Case,
    first: &ShaderSource,
    family: &str,
    present: &[ShaderStage],
) -> Result<(), CompileError> {
    let is_separable = is_separable(case);
    if !is_separable && case.shaders.iter().all(|section| section.stage != ShaderStage::Vertex) {
        let message = format!("a {family} shader must be linked with a vertex shader");
        return fail(first, message);
    }
    for stage in present {
        let behind = stage.properties().followed_by.filter(|behind| !present.contains(behind));
        let Some(behind) = behind else { continue };
        if is_separable {
            let (own, behind) = (stage.word(), behind.word());
            let word = format!("a separable program with a {own} stage and no {behind} stage");
            return Err(CompileError::unsupported(word, first.header));
        }
        let [own, behind] = [*stage, behind].map(ShaderStage::word_with_article);
        return fail(first, format!("{own} shader must be linked with {behind} shader"));
    }
    Ok(())
}

/// Checks that an evaluation stage of ES has a control stage, as ES 3.20 requires of programs that are not separable.
fn check_control(
    case: &Case,
    first: &ShaderSource,
    stages: &[StageModule],
) -> Result<(), CompileError> {
    let [alone] = stages else { return Ok(()) };
    let is_es = matches!(alone.rules, LanguageRules::Glsl { is_es: true, .. });
    if is_es && alone.evaluation().is_some() && !is_separable(case) {
        let message = "in GLSL ES an evaluation shader must be linked with a control shader";
        return fail(first, message.to_owned());
    }
    Ok(())
}

fn is_separable(case: &Case) -> bool {
    case.link.per_vertex == PerVertexRule::Redeclared
}

fn fail(first: &ShaderSource, message: String) -> Result<(), CompileError> {
    Err(CompileError::Link(vec![Diagnostic::error(first.header, message)]))
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
    const GEOMETRY: &str =
        "[geometry shader]\n#version 410\nlayout(points) in; layout(points, max_vertices = 1) out;
                            void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n";

    #[track_caller]
    fn check(sections: &[&str], expected: &str) {
        assert_eq!(first_error("410", sections), expected);
    }

    #[test]
    fn a_geometry_stage_needs_a_vertex_shader_in_the_same_language() {
        check(&[VERTEX, GEOMETRY], "");
        check(&[GEOMETRY], "link: a geometry shader must be linked with a vertex shader");
        let wgsl = "[geometry shader wgsl]\n@vertex fn main() {}\n";
        check(&[VERTEX, wgsl], "compile: WGSL has no geometry stages");
        let spirv = "[geometry shader spirv]\nOpCapability Geometry\n";
        let word = "unsupported: geometry stages in SPIR-V, which naga's reader does not know";
        check(&[VERTEX, spirv], word);
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
