//! Compute passes beside the draws of a program. They run the stages that WebGPU lacks before a draw
//! ([`crate::table::front`]), and the vertex stage for its cull distances and for transform feedback.
//!
//! Each pass has four internal buffers in the group of the storage buffers, at consecutive bindings: what it reads
//! (rows of vertices, or the results of an earlier pass), the index lists, what it writes, and a uniform with the
//! parameters of the draw. All except the uniform are storage buffers.

use naga::Module;

use crate::table::binding::{BindingPoint, room};
use crate::table::front::KnownLevels;
use ir::geometry::{InputPrimitive, OutputPrimitive};
use ir::tessellation::TessellationPattern;

/// A compute stage that runs before or beside the draws of a program.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The final module.
    pub module: Module,
    /// Binding point of the first of the four buffers.
    pub at: BindingPoint,
    /// Number of words of one result: of a vertex, a patch, a domain point or an emitted vertex.
    pub stride: u32,
    /// What the pass computes.
    pub role: Role,
}

/// What a pass computes.
#[derive(Clone, Debug)]
pub enum Role {
    /// The vertex stage before tessellation and geometry stages: the values of each vertex that the next stage reads.
    Vertex,
    /// The tessellation control stage.
    Control(ControlPass),
    /// The tessellation evaluation stage, for a pattern.
    Evaluation(TessellationPattern),
    /// The geometry stage.
    Geometry(GeometryPass),
    /// The vertex stage, for the cull distances of each vertex, one word per distance.
    Distances,
    /// Copies index lists without culled primitives, by the distances.
    Culling,
    /// The vertex stage, for records of the captured values as the user's code leaves them.
    FunctionCapture,
    /// The vertex stage, for records of the captured values as packed in slots.
    SlotCapture,
}

/// Properties of a tessellation control stage.
#[derive(Clone, Debug)]
pub struct ControlPass {
    /// Number of vertices of the output patch, for each of which the workgroup has an invocation.
    pub vertices: u32,
    /// Index of the first word of the first vertex in a patch's results.
    pub first_vertex: u32,
    /// Number of words of a vertex's results.
    pub vertex_stride: u32,
    /// The tessellation levels, if they are the same for every patch of a draw. Otherwise the stage must run to
    /// determine them.
    pub levels: Option<KnownLevels>,
}

/// Properties of a geometry stage.
#[derive(Clone, Debug)]
pub struct GeometryPass {
    /// Input primitive.
    pub input: InputPrimitive,
    /// Output primitive.
    pub output: OutputPrimitive,
    /// Maximum number of vertices that one invocation may emit.
    pub max_vertices: u32,
    /// Number of invocations per primitive.
    pub invocations: u32,
    /// Number of vertex streams: the last one that is emitted to or captured from, plus one.
    pub streams: u32,
    /// Number of records of each invocation.
    pub records: u32,
}

/// Number of records of each invocation. Outputs that are written in place need one for the vertex that is never emitted.
pub(crate) const fn records_of(max_vertices: u32, is_written_in_place: bool) -> u32 {
    max_vertices.saturating_add(is_written_in_place as u32)
}

impl GeometryPass {
    /// Number of list entries for each invocation and stream: the vertices of as many primitives as an invocation can
    /// emit.
    pub const fn room(&self) -> u32 {
        room(self.output, self.max_vertices)
    }
}

impl Role {
    /// True for the stages of a chain, whose results are drawn.
    pub const fn is_in_chain(&self) -> bool {
        match self {
            Self::Vertex | Self::Control(_) | Self::Evaluation(_) | Self::Geometry(_) => true,
            Self::Distances | Self::Culling | Self::FunctionCapture | Self::SlotCapture => false,
        }
    }

    /// True for both captures of transform feedback.
    pub const fn is_capture(&self) -> bool {
        matches!(self, Self::FunctionCapture | Self::SlotCapture)
    }

    /// Name of the stage; `None` for code that no user wrote.
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Self::Vertex => Some("vertex"),
            Self::Control(_) => Some("tessellation_control"),
            Self::Evaluation(_) => Some("tessellation_evaluation"),
            Self::Geometry(_) => Some("geometry"),
            Self::Distances => Some("capture"),
            Self::Culling => None,
            Self::FunctionCapture => Some("capture_function"),
            Self::SlotCapture => Some("capture_slots"),
        }
    }
}

/// A pass of a program, with the properties of its role.
#[derive(Clone, Copy, Debug)]
pub struct Known<T> {
    /// Index in [`crate::program::LinkedProgram::passes`].
    pub number: usize,
    /// Stride of the pass.
    pub stride: u32,
    /// Properties of the role.
    pub own: T,
}
