//! Draws: their shapes, and where their vertices come from.

pub(crate) mod vertex_data;
pub mod xfb;

use crate::VertexColumn;

/// A draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// The shape.
    pub shape: DrawShape,
    /// Number of instances, at least 1.
    pub instances: u32,
    /// `base vertex N`: added to every index.
    pub base_vertex: i32,
    /// `first instance N`: number of the first instance; GLSL's `gl_InstanceID` does not include it.
    pub first_instance: u32,
    /// `draw rect patch` and similar draws: the four corners of the rectangle, in strip order, are one patch.
    pub is_patch: bool,
    /// `from capture …`: vertex rows from transform feedback buffers. If empty, rows come from `[vertex data]`.
    pub sources: Vec<XfbRows>,
}

impl Draw {
    /// One instance of `shape`.
    pub const fn once(shape: DrawShape) -> Self {
        Self {
            shape,
            instances: 1,
            base_vertex: 0,
            first_instance: 0,
            is_patch: false,
            sources: Vec::new(),
        }
    }
}

/// Shape of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawShape {
    /// `draw rect x y w h`: a quad in clip space, z = 0, w = 1.
    Rect([f32; 4]),
    /// `draw rect ortho x y w h`: a quad in pixels of the window.
    RectOrtho([f32; 4]),
    /// `draw rect tex x y w h s t sw th`: a quad in clip space with texture coordinates in its corners.
    RectTextured {
        /// x, y, width and height.
        rect: [f32; 4],
        /// s and t of the lower left corner, then their extent up to the upper right corner.
        texture: [f32; 4],
    },
    /// `draw arrays MODE FIRST COUNT`: rows of `[vertex data]`.
    Arrays {
        /// Primitive topology.
        topology: Topology,
        /// First row.
        first: u32,
        /// Number of rows.
        count: u32,
    },
    /// `draw indexed MODE FIRST COUNT`: rows chosen by `[index data]`.
    Indexed {
        /// Primitive topology.
        topology: Topology,
        /// First index.
        first: u32,
        /// Number of indices.
        count: u32,
    },
    /// `draw captured MODE`: draws as many rows as the last transform feedback captured vertices
    /// (`glDrawTransformFeedback`).
    Captured {
        /// Primitive topology.
        topology: Topology,
    },
}

impl DrawShape {
    /// True for a draw of points.
    pub fn is_of_points(&self) -> bool {
        match self {
            Self::Arrays { topology, .. }
            | Self::Indexed { topology, .. }
            | Self::Captured { topology } => *topology == Topology::Points,
            Self::Rect(_) | Self::RectOrtho(_) | Self::RectTextured { .. } => false,
        }
    }
}

/// Value of `restart` in `[index data]`, GL's primitive restart index (`GL_PRIMITIVE_RESTART_FIXED_INDEX`): ends a
/// strip, fan, loop or polygon, and drops an incomplete primitive.
pub const RESTART_INDEX: u32 = u32::MAX;

/// GL's primitive topologies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum Topology {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
    Quads,
    QuadStrip,
    Polygon,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    Patches,
}

impl Topology {
    /// The topology's name in GL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "GL_POINTS",
            Self::Lines => "GL_LINES",
            Self::LineLoop => "GL_LINE_LOOP",
            Self::LineStrip => "GL_LINE_STRIP",
            Self::Triangles => "GL_TRIANGLES",
            Self::TriangleStrip => "GL_TRIANGLE_STRIP",
            Self::TriangleFan => "GL_TRIANGLE_FAN",
            Self::Quads => "GL_QUADS",
            Self::QuadStrip => "GL_QUAD_STRIP",
            Self::Polygon => "GL_POLYGON",
            Self::LinesAdjacency => "GL_LINES_ADJACENCY",
            Self::LineStripAdjacency => "GL_LINE_STRIP_ADJACENCY",
            Self::TrianglesAdjacency => "GL_TRIANGLES_ADJACENCY",
            Self::TriangleStripAdjacency => "GL_TRIANGLE_STRIP_ADJACENCY",
            Self::Patches => "GL_PATCHES",
        }
    }
}

/// `from capture N COLUMN… [offset BYTES] [stride BYTES]`: vertices of a draw from a transform feedback buffer. A row
/// has the columns in order without gaps; rows are one stride apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbRows {
    /// Number of the buffer, which is read from its first byte even if captures go to a range of it.
    pub buffer: u32,
    /// Attributes, stored as 32-bit words.
    pub columns: Vec<VertexColumn>,
    /// Offset of the first row, a multiple of four.
    pub offset: u32,
    /// Bytes from one row to the next: a multiple of four, and at least the size of a row.
    pub stride: u32,
}

impl XfbRows {
    /// Size of a row in bytes, without padding up to the stride.
    pub fn row_bytes(&self) -> u32 {
        let ends =
            self.columns.iter().map(|column| column.offset + 4 * u32::from(column.components));
        ends.max().unwrap_or(0)
    }

    /// Number of rows in a buffer of `size` bytes.
    pub fn count_in(&self, size: u32) -> u32 {
        let room =
            size.checked_sub(self.offset).and_then(|rest| rest.checked_sub(self.row_bytes()));
        room.map_or(0, |room| room / self.stride.max(1) + 1)
    }
}
