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

    /// The stage's name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TessellationControl => "tessellation control",
            Self::TessellationEvaluation => "tessellation evaluation",
            Self::Vertex | Self::Geometry | Self::Fragment | Self::Compute => self.word(),
        }
    }

    /// The stage's name as one word, as cases write it in `seam`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::TessellationControl => "control",
            Self::TessellationEvaluation => "evaluation",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
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
    match stage {
        ShaderStage::Vertex => naga::ShaderStage::Vertex,
        ShaderStage::Fragment => naga::ShaderStage::Fragment,
        ShaderStage::TessellationControl
        | ShaderStage::TessellationEvaluation
        | ShaderStage::Geometry
        | ShaderStage::Compute => naga::ShaderStage::Compute,
    }
}
