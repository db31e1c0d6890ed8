//! The contract between compute stages that emulate stages before rasterisation. Tessellation and geometry stages,
//! which WebGPU does not have, and the vertex stage before them run as compute stages before each draw. The drawn
//! vertex stage passes on the results of the last of them.
//!
//! The order is vertex, tessellation control, tessellation evaluation, geometry. Each stage has four internal buffers
//! in the group of the storage buffers, at consecutive bindings: the results of the stage before it (rows of vertices
//! for the vertex stage), the index lists, its own results, and a uniform with the parameters of the draw. All except
//! the uniform are arrays of `u32`. See `vertex_compute` for the vertex stage and [`crate::geometry`] for the
//! geometry stage.
//!
//! # Tessellation control
//!
//! Workgroup (x, y) runs patch x of instance y; its invocations are those of GLSL. The number of the patch is p = y ·
//! patches + x. The words of the uniform, two `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of patches in the index lists, which has the ordinals of the vertices of each patch of an instance |
//! | 1 | number of patches of one instance |
//! | 2 | vertices of one instance |
//! | 3 | number of vertices of a patch, `gl_PatchVerticesIn` |
//!
//! The results of patch p begin at word p · [`stride`](ControlCompute::stride): [`LEVEL_WORDS`] words with the four
//! outer and two inner levels, then the other `patch` outputs, and from word
//! [`first_vertex`](ControlCompute::first_vertex) on the results of each vertex,
//! [`vertex_stride`](ControlCompute::vertex_stride) words each.
//!
//! # Tessellation evaluation
//!
//! Invocation x (in one dimension, with workgroups of [`WORKGROUP_SIZE`](crate::shell::WORKGROUP_SIZE)) runs domain
//! point x of the draw and writes the entry of corner x. The number of invocations is the larger of the numbers of
//! points and corners. The words of the uniform, four `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of points in the index lists, which has for each point the number p of its patch and the bits of u, v and w |
//! | 1 | number of points |
//! | 2 | number of vertices of a patch, `gl_PatchVerticesIn`: the control stage's output size, if there is one |
//! | 3 | patches of one instance |
//! | 4 | without a control stage: word 0 of the control stage's uniform |
//! | 5 | without a control stage: vertices of one instance |
//! | 6 | without a geometry stage: index of the first word of the list of corners in the index lists, which has the numbers of points, primitive by primitive |
//! | 7 | without a geometry stage: number of corners |
//! | 8 to 13 | without a control stage: bits of the four outer and two inner levels |
//!
//! Without a control stage, the evaluation stage reads the results of the vertex stage. If a geometry stage follows, it
//! writes results like the vertex stage: point x at word x · [`stride`](EvaluationCompute::stride). The geometry stage
//! then treats points as vertices of one instance, and word 5 of its uniform is the index of a list with the number of
//! each primitive's patch. Otherwise the evaluation stage writes the same as a geometry stage: an entry for each
//! corner, and after the entries a record of `stride` words for each point.

use naga::Module;

use crate::binding::{BindingPoint, GeometryCompute, VertexComputeStage};
use ir::tessellation::TessellationPattern;

/// Number of words of the tessellation levels, with which the results of a control stage for a patch begin.
pub const LEVEL_WORDS: u32 = 6;

/// The stages that run before each draw of a program: the vertex stage, and tessellation stages, a geometry stage or
/// both.
#[derive(Clone, Debug)]
pub struct Front {
    /// The vertex stage, which writes the values of each vertex that the next stage reads.
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
    /// The final module. Its workgroup has an invocation for each output vertex.
    pub module: Module,
    /// Binding point of the first of the stage's four buffers.
    pub at: BindingPoint,
    /// Number of vertices of the output patch.
    pub vertices: u32,
    /// Number of words of a patch's results.
    pub stride: u32,
    /// Index of the first word of the first vertex in a patch's results.
    pub first_vertex: u32,
    /// Number of words of a vertex's results.
    pub vertex_stride: u32,
    /// The tessellation levels, if they are the same for every patch of a draw. Otherwise the stage must run to
    /// determine them.
    pub levels: Option<KnownLevels>,
}

/// Tessellation levels that are known before the control stage runs.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLevels {
    /// Levels of the outer edges.
    pub outer: [KnownLevel; 4],
    /// Levels of the inside.
    pub inner: [KnownLevel; 2],
}

/// A tessellation level that is the same for every patch of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownLevel {
    /// The level is constant.
    Constant(f32),
    /// The level is a scalar of a uniform of the control stage.
    Uniform {
        /// Name of the uniform.
        name: String,
        /// Index of the scalar in the uniform's value, in leaf order.
        scalar: usize,
    },
}

/// A tessellation evaluation stage as a compute stage.
#[derive(Clone, Debug)]
pub struct EvaluationCompute {
    /// The final module of the evaluation stage.
    pub module: Module,
    /// Binding point of the first of the stage's four buffers.
    pub at: BindingPoint,
    /// Number of words of a point's results or record.
    pub stride: u32,
    /// The pattern into which a patch is divided.
    pub pattern: TessellationPattern,
}

impl Front {
    /// The modules of the stages with the binding points of their first buffers, in the order of the pipeline.
    pub fn stages(&self) -> Vec<(&Module, BindingPoint)> {
        let vertex = (&self.vertex.module, self.vertex.at);
        let control = self.tessellation.iter().flat_map(|stages| &stages.control);
        let control = control.map(|stage| (&stage.module, stage.at));
        let evaluation = self.tessellation.iter().map(|stages| &stages.evaluation);
        let evaluation = evaluation.map(|stage| (&stage.module, stage.at));
        let geometry = self.geometry.iter().map(|stage| (&stage.module, stage.at));
        std::iter::once(vertex).chain(control).chain(evaluation).chain(geometry).collect()
    }

    /// The modules of the stages with their names, in the order of the pipeline.
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

    /// Number of vertex streams.
    pub fn streams(&self) -> u32 {
        self.geometry.as_ref().map_or(1, |stage| stage.streams)
    }
}
