//! Properties that only a geometry stage has.

use naga::{Function, GlobalVariable, Handle};

/// Properties of a geometry stage, and the globals and functions of its module that represent them.
///
/// Its [`inputs`](crate::stage::stage_module::StageModule::inputs) are those of one vertex: a type without the per-vertex
/// dimension. The place of an input names a global that is an array of the vertices, and its path lacks the index of
/// the vertex, which comes first. Members of `gl_in` are inputs called `gl_Position`, `gl_PointSize`,
/// `gl_ClipDistance`, and so on.
///
/// Outputs that are built-ins only in geometry stages are outputs of type `int` called `gl_PrimitiveID`, `gl_Layer` and
/// `gl_ViewportIndex`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryStage {
    /// Primitive of the input, `layout(triangles) in`.
    pub input: InputPrimitive,
    /// Primitive of the output, `layout(triangle_strip) out`.
    pub output: OutputPrimitive,
    /// `max_vertices`: vertices that one invocation may emit.
    pub max_vertices: u32,
    /// `invocations`: how many times the stage runs for each primitive.
    pub invocations: u32,
    /// `EmitStreamVertex`: takes the number of the stream, a `u32`. Its body is empty in an unlinked stage.
    pub emit: Handle<Function>,
    /// `EndStreamPrimitive`: takes the number of the stream, a `u32`. Its body is empty in an unlinked stage.
    pub end: Handle<Function>,
    /// `gl_PrimitiveIDIn`: an `i32`, if the stage uses it.
    pub primitive_id: Option<Handle<GlobalVariable>>,
    /// `gl_InvocationID`: an `i32`, if the stage uses it.
    pub invocation_id: Option<Handle<GlobalVariable>>,
}

/// Input primitive of a geometry stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPrimitive {
    /// `points`
    Points,
    /// `lines`
    Lines,
    /// `lines_adjacency`
    LinesAdjacency,
    /// `triangles`
    Triangles,
    /// `triangles_adjacency`
    TrianglesAdjacency,
}

impl InputPrimitive {
    /// Number of the primitive's vertices.
    pub const fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
            Self::LinesAdjacency => 4,
            Self::TrianglesAdjacency => 6,
        }
    }

    /// The primitive's name in GLSL.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Lines => "lines",
            Self::LinesAdjacency => "lines_adjacency",
            Self::Triangles => "triangles",
            Self::TrianglesAdjacency => "triangles_adjacency",
        }
    }
}

/// Output primitive of a geometry stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPrimitive {
    /// `points`
    Points,
    /// `line_strip`
    LineStrip,
    /// `triangle_strip`
    TriangleStrip,
}

impl OutputPrimitive {
    /// Number of vertices of each primitive that is rasterised.
    pub const fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::LineStrip => 2,
            Self::TriangleStrip => 3,
        }
    }
}

/// `gl_MaxGeometryOutputVertices`, with the value of Mesa's drivers.
pub const MAX_OUTPUT_VERTICES: u32 = 1024;

/// `gl_MaxVertexStreams`.
pub const MAX_STREAMS: u32 = 4;

/// Maximum of `invocations` (`GL_MAX_GEOMETRY_SHADER_INVOCATIONS`).
pub const MAX_INVOCATIONS: u32 = 32;
