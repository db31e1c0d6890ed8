//! Compiles the geometry stage of a case, which needs a vertex stage.

use case::gl::limit::Limits;
use case::{Case, ShaderSource};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::options::PerVertexRule;
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::StageModule;

use super::optional_stage;

/// Compiles the geometry stage if the case has one. It needs a vertex shader (GL 4.6 compatibility profile, section
/// 7.3).
pub(super) fn compile(
    case: &Case,
    limits: &Limits,
    sections: &PerStage<Vec<&ShaderSource>>,
) -> Result<Option<StageModule>, CompileError> {
    let Some(first) = sections[ShaderStage::Geometry].first() else { return Ok(None) };
    let stage = optional_stage(case, limits, ShaderStage::Geometry, sections)?;
    if sections[ShaderStage::Vertex].is_empty() && case.link.per_vertex != PerVertexRule::Redeclared
    {
        let message = "a geometry shader must be linked with a vertex shader";
        return Err(CompileError::Link(vec![Diagnostic::error(first.header, message)]));
    }
    Ok(stage)
}

#[cfg(test)]
mod tests {
    use crate::testing::first_error;

    const VERTEX: &str = "[vertex shader]\n#version 150\n";
    const GEOMETRY: &str = "[geometry shader]\n#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;\n";
    const WRITE: &str = "void main() { gl_Position = vec4(0.0); }\n";
    const READ: &str = "void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n";

    #[track_caller]
    fn check(sections: &[&str], expected: &str) {
        assert_eq!(first_error("150", sections), expected);
    }

    #[test]
    fn a_geometry_stage_needs_a_vertex_shader_in_the_same_language() {
        check(&[VERTEX, WRITE, GEOMETRY, READ], "");
        check(&[GEOMETRY, READ], "link: a geometry shader must be linked with a vertex shader");
        let wgsl = "[geometry shader wgsl]\n@vertex fn main() {}\n";
        check(&[VERTEX, WRITE, wgsl], "compile: WGSL has no geometry stages");
        let spirv = "[geometry shader spirv]\nOpCapability Geometry\n";
        let word = "unsupported: geometry stages in SPIR-V, which naga's reader does not know";
        check(&[VERTEX, WRITE, spirv], word);
    }
}
