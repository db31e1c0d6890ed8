//! The syntax tree of a script, the same for `AmberScript` and `VkScript`: names are resolved, data is laid out in
//! bytes, and derived pipelines are copies.
//!
//! Spans are ranges of the script's text.

pub mod command;
pub mod data;
pub mod pipeline;
pub mod sampler;

use std::sync::Arc;

use ir::source::{Span, Spanned};

use command::Command;
use data::{DataFormat, Standard};
use pipeline::Pipeline;
use sampler::Sampler;

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// What the device must have, in file order.
    pub requirements: Vec<Spanned<Requirement>>,
    /// The shaders, in file order.
    pub shaders: Vec<Shader>,
    /// The buffers and images, in file order.
    pub buffers: Vec<Buffer>,
    /// The samplers, in file order.
    pub samplers: Vec<Sampler>,
    /// The pipelines, in file order. Of a `VkScript`, one for every state that a draw or a dispatch has.
    pub pipelines: Vec<Pipeline>,
    /// What is done, in file order.
    pub commands: Vec<Spanned<Command>>,
}

/// Index of a shader in [`Script::shaders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShaderId(pub usize);

/// Index of a buffer or image in [`Script::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub usize);

/// Index of a sampler in [`Script::samplers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplerId(pub usize);

/// Index of a pipeline in [`Script::pipelines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PipelineId(pub usize);

/// Something that the device must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `DEVICE_FEATURE`: a feature, such as `shaderFloat64` or `Float16Int8Features.shaderInt8`.
    Feature(String),
    /// `DEVICE_EXTENSION`: an extension of the device.
    DeviceExtension(String),
    /// `INSTANCE_EXTENSION`: an extension of the instance.
    InstanceExtension(String),
    /// `DEVICE_PROPERTY`: a property that must be true.
    Property(String),
}

/// One shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The name; of a `VkScript`, the words between the brackets.
    pub name: String,
    /// The stage that the shader is for.
    pub stage: ShaderKind,
    /// The language of its text.
    pub language: ShaderLanguage,
    /// `TARGET_ENV`: the environment that it is compiled for.
    pub target_env: Option<Spanned<String>>,
    /// The line that declares it.
    pub header: Span,
    /// Its text in the script: between the header and `END`, or the content of a `VIRTUAL_FILE`. Empty for
    /// [`ShaderLanguage::Passthrough`] and where `file` is given.
    pub text: Span,
    /// `FILE`: the file that has the text.
    pub file: Option<Spanned<String>>,
}

/// The stage that a shader is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShaderKind {
    /// `vertex`
    Vertex,
    /// `fragment`
    Fragment,
    /// `compute`
    Compute,
    /// `geometry`
    Geometry,
    /// `tessellation_control`
    TessellationControl,
    /// `tessellation_evaluation`
    TessellationEvaluation,
    /// `multi`: the module has several entry points, and pipelines say which they use.
    Multi,
}

/// The language of a shader's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShaderLanguage {
    /// `GLSL`
    Glsl,
    /// `SPIRV-ASM`: SPIR-V assembly.
    SpirvAssembly,
    /// `SPIRV-HEX`: the words of a SPIR-V module as hexadecimal numbers.
    SpirvHex,
    /// `SPIRV-BIN`: a SPIR-V module in a file of its own.
    SpirvBinary,
    /// `WGSL`
    Wgsl,
    /// `PASSTHROUGH`: a vertex shader that passes the vec4 at location 0 on as the position.
    Passthrough,
}

/// A buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name. A `VkScript`'s are `framebuffer`, `depth_stencil`, `push_constant`, `indices`, `vertices LOCATION` and
    /// `SET:BINDING`.
    pub name: String,
    /// The line that declares it.
    pub span: Span,
    /// Whether it is a buffer or an image, and what an image is like.
    pub kind: BufferKind,
    /// The format of its elements or texels.
    pub format: DataFormat,
    /// Whether the type was written with `[]`, which makes each element one of an array.
    pub is_array: bool,
    /// The layout of its elements.
    pub layout: Standard,
    /// What it contains at the start.
    pub content: Content,
    /// Number of elements or texels; `None` where the pipeline decides it, or where a file does.
    pub count: Option<u32>,
}

/// Whether a buffer is an image, and what that is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// `BUFFER … DATA_TYPE`: a plain buffer.
    Plain,
    /// `IMAGE`, and `BUFFER … WIDTH … HEIGHT`: an image of its own size.
    Image {
        /// The dimension.
        dimension: Dimension,
        /// Width, height and depth in texels; 1 where the dimension has none.
        size: [u32; 3],
        /// Number of levels.
        mip_levels: u32,
        /// Samples per texel.
        samples: u32,
    },
    /// `BUFFER … FORMAT`: an image that is as large as the framebuffer of the pipelines that use it.
    Attachment {
        /// Number of levels.
        mip_levels: u32,
        /// Samples per texel.
        samples: u32,
    },
}

/// The dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// `DIM_1D`
    D1,
    /// `DIM_2D`
    D2,
    /// `DIM_3D`
    D3,
}

/// What a buffer contains at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Zeros, as many as it is large.
    Zero,
    /// `DATA`, `FILL` or `SERIES_FROM`, laid out.
    Bytes(Arc<[u8]>),
    /// `FILE`
    File {
        /// How the file is read.
        form: FileForm,
        /// Its path, relative to the script's folder.
        path: Spanned<String>,
    },
}

/// How a file with the content of a buffer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileForm {
    /// `PNG`: an image.
    Png,
    /// `BINARY`: the bytes themselves.
    Binary,
    /// `TEXT`: numbers, as those of `DATA`.
    Text,
}
