//! Stages that WebGPU does not have, and those before them: they run as compute stages before each draw, and the vertex
//! stage that is drawn passes on what the last of them gave.
//!
//! The order is vertex, tessellation control, tessellation evaluation, geometry. Each stage has four buffers of its own in
//! the group of the storage buffers, at consecutive bindings: what the stage before it wrote (rows of vertices for the
//! vertex stage), the index lists, what it writes, and a uniform with the identity of the draw. All but the last are
//! arrays of `u32`. The vertex stage: `vertex_compute`; the geometry stage: [`crate::geometry`].
//!
//! # Tessellation control
//!
//! Workgroup (x, y) is patch x of instance y; its invocations are those of GLSL. The patch has the number
//! p = y · patches + x. The words of the uniform, two `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of patches in the index lists: for each patch of an instance the ordinals of its vertices |
//! | 1 | patches of one instance |
//! | 2 | vertices of one instance |
//! | 3 | vertices of a patch, `gl_PatchVerticesIn` |
//!
//! What it writes for patch p begins at word p · [`stride`](ControlCompute::stride): [`LEVEL_WORDS`] words with the four
//! outer and two inner levels, then the other `patch` outputs, and from word
//! [`first_vertex`](ControlCompute::first_vertex) on the results of each vertex,
//! [`vertex_stride`](ControlCompute::vertex_stride) words each.
//!
//! # Tessellation evaluation
//!
//! Invocation x (one dimension, workgroups of [`WORKGROUP_SIZE`](crate::shell::WORKGROUP_SIZE)) is domain point x of the
//! draw, and writes the entry of corner x; there are as many as the larger of both numbers. The words of the uniform, four `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of points in the index lists: for each point the number p of its patch and the bits of u, v and w |
//! | 1 | points |
//! | 2 | vertices of a patch, `gl_PatchVerticesIn`: those that the control stage gives, if there is one |
//! | 3 | patches of one instance |
//! | 4 | without a control stage: word 0 of the control stage's uniform |
//! | 5 | without a control stage: vertices of one instance |
//! | 6 | without a geometry stage: index of the first word of the list of corners in the index lists: numbers of points, primitive after primitive |
//! | 7 | without a geometry stage: corners |
//! | 8 to 13 | without a control stage: bits of the four outer and two inner levels |
//!
//! Without a control stage it reads the results of the vertex stage. With a geometry stage behind it, it writes results as
//! the vertex stage does: point x at word x · [`stride`](EvaluationCompute::stride), and the geometry stage takes points
//! for vertices of one instance, and word 5 of its uniform as the index of a list with the number of each primitive's patch.
//! Otherwise it writes what a geometry stage writes: an entry for each corner, and behind the entries a record of `stride`
//! words for each point.

use naga::Module;

use crate::binding::{BindingPoint, GeometryCompute, VertexComputeStage};
use ir::tessellation::TessellationPattern;

/// Words of the levels at the beginning of what a control stage writes for a patch.
pub const LEVEL_WORDS: u32 = 6;

/// The stages that run before each draw of a program. There are tessellation stages, a geometry stage or both.
#[derive(Clone, Debug)]
pub struct Front {
    /// The vertex stage, which writes what the next stage reads of each vertex.
    pub vertex: VertexComputeStage,
    /// The tessellation stages.
    pub tessellation: Option<TessellationCompute>,
    /// The geometry stage.
    pub geometry: Option<GeometryCompute>,
}

/// Tessellation stages as compute stages.
#[derive(Clone, Debug)]
pub struct TessellationCompute {
    /// The control stage, if there is one.
    pub control: Option<ControlCompute>,
    /// The evaluation stage.
    pub evaluation: EvaluationCompute,
}

/// A tessellation control stage as a compute stage.
#[derive(Clone, Debug)]
pub struct ControlCompute {
    /// The final module. Its workgroup has an invocation for each vertex.
    pub module: Module,
    /// Binding point of the first of its four buffers.
    pub at: BindingPoint,
    /// Vertices of the patch that it gives.
    pub vertices: u32,
    /// Words of a patch.
    pub stride: u32,
    /// The first word of the first vertex in a patch.
    pub first_vertex: u32,
    /// Words of a vertex.
    pub vertex_stride: u32,
    /// The levels, if they are the same for every patch of a draw. Otherwise only running the stage tells them.
    pub levels: Option<KnownLevels>,
}

/// Levels that are known before the control stage runs.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLevels {
    /// Of the outer edges.
    pub outer: [KnownLevel; 4],
    /// Of the inside.
    pub inner: [KnownLevel; 2],
}

/// A level that is the same for every patch of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownLevel {
    /// It never changes.
    Constant(f32),
    /// It is a scalar of a uniform of the control stage.
    Uniform {
        /// Name of the uniform.
        name: String,
        /// Number of the scalar in its value, in leaf order.
        scalar: usize,
    },
}

/// A tessellation evaluation stage as a compute stage.
#[derive(Clone, Debug)]
pub struct EvaluationCompute {
    /// The final module.
    pub module: Module,
    /// Binding point of the first of its four buffers.
    pub at: BindingPoint,
    /// Words of the results of a point, or of its record.
    pub stride: u32,
    /// What a patch is divided into.
    pub pattern: TessellationPattern,
}

impl Front {
    /// The modules of the stages with the binding points of their first buffers, in their order.
    pub fn stages(&self) -> Vec<(&Module, BindingPoint)> {
        let vertex = (&self.vertex.module, self.vertex.at);
        let control = self.tessellation.iter().flat_map(|stages| &stages.control);
        let control = control.map(|stage| (&stage.module, stage.at));
        let evaluation = self.tessellation.iter().map(|stages| &stages.evaluation);
        let evaluation = evaluation.map(|stage| (&stage.module, stage.at));
        let geometry = self.geometry.iter().map(|stage| (&stage.module, stage.at));
        std::iter::once(vertex).chain(control).chain(evaluation).chain(geometry).collect()
    }

    /// The modules of the stages with their names, in their order.
    pub fn named_stages(&self) -> Vec<(&'static str, &Module)> {
        let control = self.tessellation.as_ref().is_some_and(|stages| stages.control.is_some());
        let names = [
            ("vertex", true),
            ("tessellation_control", control),
            ("tessellation_evaluation", self.tessellation.is_some()),
            ("geometry", self.geometry.is_some()),
        ];
        let names = names.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
        names.zip(self.stages().into_iter().map(|(module, _)| module)).collect()
    }

    /// Vertex streams.
    pub fn streams(&self) -> u32 {
        self.geometry.as_ref().map_or(1, |stage| stage.streams)
    }
}
