//! Binding of resources by point, for scripts whose pipelines bind buffers and textures themselves.
//!
//! A *point* is the number of a resource in the stages of a program, [`ir::vulkan::point`] of its set and binding. The
//! script's own buffers and images have separate numbers, from [`SCRIPT_POINT`] on.

use std::sync::Arc;

use crate::resource::texture::{Filter, Wrap};
use crate::state::depth_stencil::CompareFunction;
use crate::{ShaderSource, VertexData};
use ir::options::SCRIPT_POINT;
use ir::stage::Specialization;

/// Number of the script's buffer or image with this index.
pub fn script_point(index: usize) -> u32 {
    SCRIPT_POINT.saturating_add(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Binds a resource of a program from this step on.
#[derive(Clone, Debug, PartialEq)]
pub enum BindStep {
    /// Selects a program for the draws below: 0 is the program of [`Case::shaders`](crate::Case::shaders), and n is
    /// program n − 1 of [`Case::further_programs`](crate::Case::further_programs).
    Program(usize),
    /// Sets the content of the uniform block at `point`, from its first byte on. A block that no stage uses is ignored.
    Uniform {
        /// Binding point.
        point: u32,
        /// The bytes.
        content: Arc<[u8]>,
    },
    /// Fills the uniform block at `point` with the content that part of a storage buffer has when a draw or dispatch
    /// begins.
    StoredUniform {
        /// Binding point.
        point: u32,
        /// The part.
        part: BufferPart,
    },
    /// Writes bytes, in whole words, into a storage buffer.
    Content {
        /// Number of the buffer.
        buffer: u32,
        /// Offset of the first byte.
        offset: u32,
        /// The bytes.
        content: Arc<[u8]>,
    },
    /// Binds the buffer as the storage buffer at `point`.
    Storage {
        /// Binding point.
        point: u32,
        /// Number of the buffer.
        buffer: u32,
    },
    /// Binds part of a buffer as the storage buffer at `point`. No other part of that buffer is bound at the same time.
    StoragePart {
        /// Binding point.
        point: u32,
        /// The part.
        part: BufferPart,
    },
    /// Binds the texture at `point`.
    Texture {
        /// Binding point.
        point: u32,
        /// Number of the texture.
        texture: u32,
        /// First level that is read.
        level: u32,
    },
    /// Binds a sampler at `point`.
    Sampler {
        /// Binding point.
        point: u32,
        /// Parameters of the sampler.
        sampler: Sampler,
    },
    /// Binds the texture as the storage image at `point`.
    Image {
        /// Binding point.
        point: u32,
        /// Number of the texture.
        texture: u32,
        /// The level that is read and written.
        level: u32,
    },
    /// True to combine the case's depth buffer with the textures that
    /// [`FramebufferTextures`](crate::Setting::FramebufferTextures) below makes render targets.
    Depth(bool),
    /// Copies the depths of the case's depth buffer into a texture of 32-bit floats with the same size, by its number.
    DepthTexture(u32),
    /// Replaces the rows and indices of `[vertex data]` for the draws below.
    Vertices(Arc<VertexTable>),
}

/// A part of a storage buffer, in whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferPart {
    /// Number of the buffer.
    pub buffer: u32,
    /// Offset of the first byte.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Parameters of a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Filter if a texel covers more than a pixel.
    pub magnify: Filter,
    /// Filter if a texel covers less than a pixel.
    pub minify: Filter,
    /// Filter between levels.
    pub between: Filter,
    /// Wrap mode of each axis.
    pub wrap: [Wrap; 3],
    /// Border colour.
    pub border: [f64; 4],
    /// Smallest and largest level of detail.
    pub levels: [f32; 2],
    /// Comparison of depths.
    pub compare: Option<CompareFunction>,
}

impl Sampler {
    /// WebGPU's default: the nearest texel of the nearest level, or of the edge.
    pub const DEFAULT: Self = Self {
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        between: Filter::Nearest,
        wrap: [Wrap::ClampToEdge; 3],
        border: [0.0; 4],
        levels: [0.0, 32.0],
        compare: None,
    };
}

/// Rows and indices of a draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexTable {
    /// The rows.
    pub data: Option<VertexData>,
    /// Numbers of the rows, for indexed draws.
    pub indices: Vec<u32>,
    /// Columns whose rows are read from storage buffers when the draw runs.
    pub stored: Vec<StoredColumn>,
}

/// The location of a column's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    /// Index of the column in [`VertexData::columns`].
    pub column: usize,
    /// Number of the storage buffer.
    pub buffer: u32,
    /// Offset of the first row in bytes: whole words, like the stride.
    pub offset: u32,
    /// Bytes from one row to the next.
    pub stride: u32,
}

/// The sections of a program besides the first.
#[derive(Clone, Debug)]
pub struct ProgramSource {
    /// Shaders of the program.
    pub shaders: Vec<ShaderSource>,
    /// Values of the program's specialisation constants.
    pub specializations: Vec<Specialization>,
}
