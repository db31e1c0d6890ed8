//! The text that the suite puts in place of placeholders, and the stages that it generates.

mod compare;
mod gl;
mod vulkan;

use std::fmt::Write as _;

use ir::stage::ShaderStage;

use super::syntax::Case;
use super::values::{Value, ValueType, Values};

pub(super) use vulkan::located;

/// The API whose templates fill in the placeholders of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Templates {
    /// OpenGL and OpenGL ES: inputs and outputs match by name, and every value is a uniform of its own.
    OpenGl,
    /// Vulkan: inputs and outputs have locations, and values are members of uniform blocks.
    Vulkan,
}

/// The shader whose placeholders are filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The source of `both` as this stage; the suite generates the other one.
    Both(ShaderStage),
    /// A stage of a program.
    Stage(ShaderStage),
}

/// Names of placeholders with the text for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    /// The text for the placeholder with this name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }

    /// The names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}

impl Templates {
    /// The texts for the placeholders of a shader.
    pub(super) fn parameters(self, case: &Case, role: Role) -> Parameters {
        let list = match (self, role) {
            (Self::OpenGl, Role::Both(ShaderStage::Fragment)) => gl::fragment_of_both(case),
            (Self::OpenGl, Role::Both(_)) => gl::vertex_of_both(case),
            (Self::Vulkan, Role::Both(ShaderStage::Fragment)) => vulkan::fragment_of_both(case),
            (Self::Vulkan, Role::Both(_)) => vulkan::vertex_of_both(case),
            (_, Role::Stage(stage)) => self.of_stage(case, stage),
        };
        Parameters(list)
    }

    /// The text of the stage beside the source of `both`.
    pub(super) fn generated(self, case: &Case, stage: ShaderStage) -> String {
        match (self, stage) {
            (Self::OpenGl, ShaderStage::Fragment) => gl::fragment(case),
            (Self::OpenGl, _) => gl::vertex(case),
            (Self::Vulkan, ShaderStage::Fragment) => vulkan::fragment(case),
            (Self::Vulkan, _) => vulkan::vertex(case),
        }
    }

    /// The texts for a stage of a program.
    fn of_stage(self, case: &Case, stage: ShaderStage) -> Vec<(&'static str, String)> {
        let uniforms = match self {
            Self::OpenGl => gl::uniforms(&case.values),
            Self::Vulkan => vulkan::uniforms(&case.values),
        };
        let most = match self {
            Self::OpenGl => "32",
            Self::Vulkan => "4",
        };
        let with = |layout: &str| format!("{layout}\n\n{uniforms}");
        match stage {
            ShaderStage::Vertex => match self {
                Self::OpenGl => gl::vertex_of_program(case),
                Self::Vulkan => vulkan::vertex_of_program(case),
            },
            ShaderStage::Fragment => match self {
                Self::OpenGl => gl::fragment_of_program(case),
                Self::Vulkan => vulkan::fragment_of_program(case),
            },
            ShaderStage::Geometry => vec![(
                "GEOMETRY_DECLARATIONS",
                with("layout (triangles) in;\nlayout (triangle_strip, max_vertices=3) out;"),
            )],
            ShaderStage::TessellationControl => vec![
                ("TESSELLATION_CONTROL_DECLARATIONS", with("layout (vertices=3) out;")),
                ("TESSELLATION_CONTROL_OUTPUT", control_output()),
                ("GL_MAX_PATCH_VERTICES", most.to_owned()),
            ],
            ShaderStage::TessellationEvaluation => vec![
                ("TESSELLATION_EVALUATION_DECLARATIONS", with("layout (triangles) in;")),
                ("TESSELLATION_EVALUATION_OUTPUT", evaluation_output()),
                ("GL_MAX_PATCH_VERTICES", most.to_owned()),
            ],
            ShaderStage::Compute => Vec::new(),
        }
    }
}

/// Statements of a control stage: its position, and levels of two.
fn control_output() -> String {
    let levels = [("Inner", 2), ("Outer", 4)].into_iter().flat_map(|(side, count)| {
        (0..count).map(move |index| format!("\ngl_TessLevel{side}[{index}] = 2.0;"))
    });
    let position = "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;";
    std::iter::once(position.to_owned()).chain(levels).collect()
}

/// Statement of an evaluation stage: the position within the triangle.
fn evaluation_output() -> String {
    let corners: Vec<String> = (0..3)
        .map(|corner| format!("gl_TessCoord[{corner}] * gl_in[{corner}].gl_Position"))
        .collect();
    format!("gl_Position = {};\n", corners.join(" + "))
}

/// The types of the outputs, each once.
fn types_of_outputs(values: &Values) -> Vec<ValueType> {
    let mut types: Vec<ValueType> = values.outputs.iter().map(|value| value.ty).collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// Statements that compare the outputs and write `target`: white if all are right, else black. `name` is the variable
/// with an output, and `reference` the one with its expected value.
fn comparison(
    values: &Values,
    target: &str,
    name: impl Fn(&Value) -> String,
    reference: impl Fn(&Value) -> String,
) -> String {
    let mut text = String::new();
    for (idx, value) in values.outputs.iter().enumerate() {
        let beginning = if idx == 0 { "bool RES =" } else { "RES = RES &&" };
        let tolerance = if value.ty.is_float() { ", 0.05" } else { "" };
        let (name, reference) = (name(value), reference(value));
        let _ = writeln!(text, "{beginning} isOk({name}, {reference}{tolerance});");
    }
    let color = if text.is_empty() { "1.0" } else { "RES, RES, RES, 1.0" };
    text + &format!("{target} = vec4({color});\n")
}
