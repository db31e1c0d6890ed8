//! Stages that a parser test is linked with.
//!
//! They are those that piglit adds: a program of GL ES has a vertex and a fragment stage, tessellation and geometry stages follow a
//! vertex stage, and a control stage precedes an evaluation stage.

use ir::stage::ShaderStage;

use super::config::ContextVersion;

/// A stage with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partner {
    pub(super) stage: ShaderStage,
    pub(super) text: String,
}

/// The partners of a stage.
pub(super) fn partners(stage: ShaderStage, version: ContextVersion) -> Vec<Partner> {
    let needed: &[ShaderStage] = match stage {
        ShaderStage::Vertex if version.is_es => &[ShaderStage::Fragment],
        ShaderStage::Fragment if version.is_es => &[ShaderStage::Vertex],
        ShaderStage::Vertex | ShaderStage::Fragment | ShaderStage::Compute => &[],
        ShaderStage::TessellationControl => {
            &[ShaderStage::Vertex, ShaderStage::TessellationEvaluation]
        }
        ShaderStage::TessellationEvaluation | ShaderStage::Geometry => &[ShaderStage::Vertex],
    };
    needed.iter().map(|stage| Partner { stage: *stage, text: text(*stage, version) }).collect()
}

/// The text of a partner.
fn text(stage: ShaderStage, version: ContextVersion) -> String {
    let position = "gl_Position = vec4(0.0);";
    let (declarations, body) = match stage {
        ShaderStage::TessellationEvaluation if version.number < 400 => (
            "#extension GL_ARB_tessellation_shader : require\nlayout(quads, equal_spacing) in;\n",
            position,
        ),
        ShaderStage::TessellationEvaluation => ("layout(quads, equal_spacing) in;\n", position),
        ShaderStage::Fragment => ("", ""),
        ShaderStage::Vertex
        | ShaderStage::TessellationControl
        | ShaderStage::Geometry
        | ShaderStage::Compute => ("", position),
    };
    format!("#version {version}\n{declarations}void main() {{ {body} }}\n")
}
