//! The stages of a pipeline.

pub mod geometry;
mod per_stage;
pub mod stage_module;
pub mod tessellation;
pub mod uniform;

use crate::interface::ScalarKind;
use crate::source::Span;

pub use per_stage::{Iter, PerStage};

/// A shader stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShaderStage {
    /// Vertex stage.
    Vertex,
    /// Tessellation control stage.
    TessellationControl,
    /// Tessellation evaluation stage.
    TessellationEvaluation,
    /// Geometry stage.
    Geometry,
    /// Fragment stage.
    Fragment,
    /// Compute stage.
    Compute,
}

impl ShaderStage {
    /// All stages, in the order of the pipeline.
    pub const ALL: [Self; 6] = [
        Self::Vertex,
        Self::TessellationControl,
        Self::TessellationEvaluation,
        Self::Geometry,
        Self::Fragment,
        Self::Compute,
    ];

    /// The stages of a draw, in the order of the pipeline.
    pub const OF_DRAWS: &'static [Self] = Self::ALL.split_at(Self::Compute as usize).0;

    /// The stage's row in the table of stages.
    pub const fn properties(self) -> &'static StageProperties {
        match self {
            Self::Vertex => &VERTEX,
            Self::TessellationControl => &TESSELLATION_CONTROL,
            Self::TessellationEvaluation => &TESSELLATION_EVALUATION,
            Self::Geometry => &GEOMETRY,
            Self::Fragment => &FRAGMENT,
            Self::Compute => &COMPUTE,
        }
    }

    /// The stage's name in messages.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// The stage's name as one word, as cases write it in `seam`.
    pub const fn word(self) -> &'static str {
        self.properties().word
    }

    /// The one word with the indefinite article: `an evaluation`.
    pub fn word_with_article(self) -> String {
        let word = self.word();
        let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {word}")
    }

    /// Kind of the stage's inputs.
    pub const fn inputs(self) -> Ports {
        self.properties().inputs
    }

    /// Kind of the stage's outputs.
    pub const fn outputs(self) -> Ports {
        self.properties().outputs
    }

    /// True for tessellation stages, which work on patches.
    pub const fn has_patches(self) -> bool {
        self.inputs().have_patches() || self.outputs().have_patches()
    }

    /// True if the stage may be the last one before the rasteriser.
    pub const fn may_precede_raster(self) -> bool {
        self.outputs().are_varyings() && self.properties().followed_by.is_none()
    }
}

const _: () = assert!(ShaderStage::ALL.len() == ShaderStage::Compute as usize + 1);

/// A row of the table of stages: what code that is not about one stage needs to know of a stage.
#[derive(Debug)]
pub struct StageProperties {
    /// Name in messages.
    pub name: &'static str,
    /// Header of its section in cases.
    pub header: &'static str,
    /// Name as one word.
    pub word: &'static str,
    /// GL's name of the type of shader.
    pub gl_name: &'static str,
    /// The group of stages of OpenGL that this one belongs to, if WebGPU has none of them, so that they are written in
    /// GLSL only and run as compute stages.
    pub family: Option<&'static str>,
    /// WebGPU's stage that it runs as.
    pub runs_as: Execution,
    /// Kind of the stage's inputs.
    pub inputs: Ports,
    /// Kind of the stage's outputs.
    pub outputs: Ports,
    /// The stage that must follow.
    pub followed_by: Option<ShaderStage>,
    /// True if the stage makes its own primitives of those that are drawn.
    pub makes_primitives: bool,
    /// True if the stage has `barrier()`.
    pub has_barrier: bool,
    /// Its number as an execution model of SPIR-V.
    pub spirv_model: u32,
    /// The first of its bindings in every group, if each stage is a separate program. Bindings of a stage then do not
    /// depend on its partners. From 768 on they belong to the vertex stage that passes on results of compute stages.
    pub first_binding: u32,
}

const VERTEX: StageProperties = StageProperties {
    name: "vertex",
    header: "vertex shader",
    word: "vertex",
    gl_name: "GL_VERTEX_SHADER",
    family: None,
    runs_as: Execution::Vertex,
    inputs: Ports::Outer,
    outputs: Ports::Varyings,
    followed_by: None,
    makes_primitives: false,
    has_barrier: false,
    spirv_model: 0,
    first_binding: 0,
};

const TESSELLATION_CONTROL: StageProperties = StageProperties {
    name: "tessellation control",
    header: "tessellation control shader",
    word: "control",
    gl_name: "GL_TESS_CONTROL_SHADER",
    family: Some("tessellation"),
    runs_as: Execution::Compute,
    inputs: Ports::VaryingsOfVertices,
    outputs: Ports::VaryingsOfPatches,
    followed_by: Some(ShaderStage::TessellationEvaluation),
    makes_primitives: false,
    has_barrier: true,
    spirv_model: 1,
    first_binding: 128,
};

const TESSELLATION_EVALUATION: StageProperties = StageProperties {
    name: "tessellation evaluation",
    header: "tessellation evaluation shader",
    word: "evaluation",
    gl_name: "GL_TESS_EVALUATION_SHADER",
    family: Some("tessellation"),
    runs_as: Execution::Compute,
    inputs: Ports::VaryingsOfPatches,
    outputs: Ports::Varyings,
    followed_by: None,
    makes_primitives: true,
    has_barrier: false,
    spirv_model: 2,
    first_binding: 384,
};

const GEOMETRY: StageProperties = StageProperties {
    name: "geometry",
    header: "geometry shader",
    word: "geometry",
    gl_name: "GL_GEOMETRY_SHADER",
    family: Some("geometry"),
    runs_as: Execution::Compute,
    inputs: Ports::VaryingsOfVertices,
    outputs: Ports::Varyings,
    followed_by: None,
    makes_primitives: true,
    has_barrier: false,
    spirv_model: 3,
    first_binding: 512,
};

const FRAGMENT: StageProperties = StageProperties {
    name: "fragment",
    header: "fragment shader",
    word: "fragment",
    gl_name: "GL_FRAGMENT_SHADER",
    family: None,
    runs_as: Execution::Fragment,
    inputs: Ports::Varyings,
    outputs: Ports::Outer,
    followed_by: None,
    makes_primitives: false,
    has_barrier: false,
    spirv_model: 4,
    first_binding: 256,
};

const COMPUTE: StageProperties = StageProperties {
    name: "compute",
    header: "compute shader",
    word: "compute",
    gl_name: "GL_COMPUTE_SHADER",
    family: None,
    runs_as: Execution::Compute,
    inputs: Ports::Nothing,
    outputs: Ports::Nothing,
    followed_by: None,
    makes_primitives: false,
    has_barrier: true,
    spirv_model: 5,
    first_binding: 0,
};

/// A stage of WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are WebGPU's words")]
pub enum Execution {
    Vertex,
    Fragment,
    Compute,
}

/// What the inputs or the outputs of a stage are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// There are none.
    Nothing,
    /// The ends of the pipeline: vertex attributes or fragment outputs.
    Outer,
    /// Varyings.
    Varyings,
    /// Varyings with one element for each vertex of a primitive or patch.
    VaryingsOfVertices,
    /// Varyings with one element for each vertex of a patch, and `patch` variables.
    VaryingsOfPatches,
}

impl Ports {
    /// True for all varyings.
    pub const fn are_varyings(self) -> bool {
        !matches!(self, Self::Nothing | Self::Outer)
    }

    /// True if varyings have one element for each vertex.
    pub const fn have_vertices(self) -> bool {
        matches!(self, Self::VaryingsOfVertices | Self::VaryingsOfPatches)
    }

    /// True if variables may be `patch`.
    pub const fn have_patches(self) -> bool {
        matches!(self, Self::VaryingsOfPatches)
    }
}

/// A line of `[vertex shader specializations]`: the value of a specialisation constant of SPIR-V or GLSL, or of an
/// override of WGSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Stage of the constant.
    pub stage: ShaderStage,
    /// The constant.
    pub constant: ConstantName,
    /// Type of the value, which has 32 bits.
    pub kind: ScalarKind,
    /// The value's bits; 0 and 1 for booleans.
    pub bits: u32,
    /// Span of the line.
    pub span: Span,
}

/// Identifies a constant whose value a case sets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstantName {
    /// `SpecId` of SPIR-V, `constant_id` of GLSL, or `@id` of WGSL.
    Id(u32),
    /// Name of an override without `@id`.
    Name(String),
}

impl ConstantName {
    /// The numeric id, if the constant has one.
    pub const fn id(&self) -> Option<u32> {
        match self {
            Self::Id(id) => Some(*id),
            Self::Name(_) => None,
        }
    }
}

/// Name of the entry point of every final module.
pub const ENTRY_POINT: &str = "main";

/// Converts to naga's type. Tessellation and geometry stages, which naga does not have, run as compute
/// stages.
pub const fn naga_stage(stage: ShaderStage) -> naga::ShaderStage {
    match stage.properties().runs_as {
        Execution::Vertex => naga::ShaderStage::Vertex,
        Execution::Fragment => naga::ShaderStage::Fragment,
        Execution::Compute => naga::ShaderStage::Compute,
    }
}
