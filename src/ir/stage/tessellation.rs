//! Properties that only tessellation stages have.

use naga::{GlobalVariable, Handle};

/// Properties that only one of the two tessellation stages has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tessellation {
    /// Properties of a control stage.
    Control(ControlStage),
    /// Properties of an evaluation stage.
    Evaluation(EvaluationStage),
}

/// Properties of a tessellation control stage, and the globals of its module that represent them.
///
/// Its [`inputs`](crate::stage::stage_module::StageModule::inputs) are those of one vertex, as in a geometry stage: the place
/// of an input names a private global that is an array of [`MAX_PATCH_VERTICES`] vertices, and its path lacks the index
/// of the vertex, which comes first. Members of `gl_in` are inputs called `gl_Position` and so on.
///
/// Its [`outputs`](crate::stage::stage_module::StageModule::outputs) that are not `patch` are also those of one vertex: arrays
/// of [`vertices`](Self::vertices) vertices. All globals of outputs are in the address space of the workgroup, because
/// every invocation of a patch may read them. Members of `gl_out` are outputs called `gl_Position` and so on, and never
/// built-ins. The levels are `patch` outputs called [`OUTER_LEVELS`] and [`INNER_LEVELS`], arrays of four and two
/// `float`, if the stage uses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlStage {
    /// `layout(vertices = …) out`: number of vertices of the output patch, and of invocations for each patch.
    pub vertices: u32,
    /// `gl_PatchVerticesIn`: an `i32`, if the stage uses it.
    pub patch_vertices: Option<Handle<GlobalVariable>>,
    /// `gl_PrimitiveID`: an `i32`, if the stage uses it.
    pub primitive_id: Option<Handle<GlobalVariable>>,
    /// `gl_InvocationID`: an `i32`, if the stage uses it.
    pub invocation_id: Option<Handle<GlobalVariable>>,
}

/// Properties of a tessellation evaluation stage, and the globals of its module that represent them.
///
/// Its [`inputs`](crate::stage::stage_module::StageModule::inputs) that are not `patch` are those of one vertex, as in a
/// control stage, with arrays of [`MAX_PATCH_VERTICES`] vertices; the levels are `patch` inputs called [`OUTER_LEVELS`]
/// and [`INNER_LEVELS`]. Its outputs are like those of a vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationStage {
    /// How a patch is divided.
    pub pattern: TessellationPattern,
    /// `gl_TessCoord`: a `vec3<f32>`, if the stage uses it.
    pub coordinate: Option<Handle<GlobalVariable>>,
    /// `gl_PatchVerticesIn`: an `i32`, if the stage uses it.
    pub patch_vertices: Option<Handle<GlobalVariable>>,
    /// `gl_PrimitiveID`: an `i32`, if the stage uses it.
    pub primitive_id: Option<Handle<GlobalVariable>>,
}

/// `layout` of an evaluation stage as a whole (GLSL 4.60 section 4.4.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TessellationPattern {
    /// `triangles`, `quads` or `isolines`.
    pub domain: Domain,
    /// `equal_spacing` and so on.
    pub spacing: Spacing,
    /// `cw`: triangles are clockwise. Otherwise they are counter-clockwise.
    pub is_clockwise: bool,
    /// `point_mode`: every domain point is a point.
    pub is_point_mode: bool,
}

impl TessellationPattern {
    /// Number of vertices of each primitive.
    pub const fn vertices(self) -> u32 {
        match self.domain {
            _ if self.is_point_mode => 1,
            Domain::Isolines => 2,
            Domain::Triangles | Domain::Quads => 3,
        }
    }
}

/// Shape of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's words")]
pub enum Domain {
    Triangles,
    Quads,
    Isolines,
}

/// How an edge is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// `equal_spacing`
    Equal,
    /// `fractional_even_spacing`
    FractionalEven,
    /// `fractional_odd_spacing`
    FractionalOdd,
}

/// Levels of a patch: `gl_TessLevelOuter` and `gl_TessLevelInner`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TessellationLevels {
    /// Levels of the outer edges.
    pub outer: [f32; 4],
    /// Levels of the inside.
    pub inner: [f32; 2],
}

impl Default for TessellationLevels {
    fn default() -> Self {
        Self { outer: [1.0; 4], inner: [1.0; 2] }
    }
}

/// Name of the outer levels in the tables of interfaces.
pub const OUTER_LEVELS: &str = "gl_TessLevelOuter";

/// Name of the inner levels in the tables of interfaces.
pub const INNER_LEVELS: &str = "gl_TessLevelInner";

/// True for the built-in variables that hold the levels of a patch.
pub fn is_level(name: &str) -> bool {
    [OUTER_LEVELS, INNER_LEVELS].contains(&name)
}

/// `gl_MaxPatchVertices`.
pub const MAX_PATCH_VERTICES: u32 = 32;

/// `gl_MaxTessGenLevel`.
pub const MAX_LEVEL: u32 = 64;

/// `gl_MaxTessPatchComponents`.
pub const MAX_PATCH_COMPONENTS: u32 = 120;
