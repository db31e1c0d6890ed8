//! The syntax tree of a script, which `AmberScript` and `VkScript` share: names are resolved, data is laid out in
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
    /// Requirements for the device, in file order.
    pub requirements: Vec<Spanned<Requirement>>,
    /// The shaders, in file order.
    pub shaders: Vec<Shader>,
    /// The buffers and images, in file order.
    pub buffers: Vec<Buffer>,
    /// The samplers, in file order.
    pub samplers: Vec<Sampler>,
    /// The pipelines, in file order. A `VkScript` has one for every state of a draw or a dispatch.
    pub pipelines: Vec<Pipeline>,
    /// The commands, in file order.
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

/// A requirement for the device.
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
    /// The name; in a `VkScript`, the words between the brackets.
    pub name: String,
    /// Stage of the shader.
    pub stage: ShaderKind,
    /// Language of the text.
    pub language: ShaderLanguage,
    /// `TARGET_ENV`: the environment for which the shader is compiled.
    pub target_env: Option<Spanned<String>>,
    /// The line that declares the shader.
    pub header: Span,
    /// The text in the script: between the header and `END`, or the content of a `VIRTUAL_FILE`. Empty for
    /// [`ShaderLanguage::Passthrough`] and if `file` is given.
    pub text: Span,
    /// `FILE`: the file that contains the text.
    pub file: Option<Spanned<String>>,
}

/// The stage of a shader.
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
    /// `multi`: the module has several entry points, and pipelines select one.
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
    /// `SPIRV-BIN`: a SPIR-V module in a separate file.
    SpirvBinary,
    /// `WGSL`
    Wgsl,
    /// `PASSTHROUGH`: a vertex shader that copies the vec4 at location 0 to the position.
    Passthrough,
}

/// A buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name. In a `VkScript`, names are `framebuffer`, `depth_stencil`, `push_constant`, `indices`,
    /// `vertices LOCATION` and `SET:BINDING`.
    pub name: String,
    /// The line that declares the buffer.
    pub span: Span,
    /// The kind: a buffer, or an image with its properties.
    pub kind: BufferKind,
    /// Format of the elements or texels.
    pub format: DataFormat,
    /// True if the type was written with `[]`, so that each element belongs to an array.
    pub is_array: bool,
    /// Layout of the elements.
    pub layout: Standard,
    /// Initial content.
    pub content: Content,
    /// Number of elements or texels; `None` if the pipeline or a file determines it.
    pub count: Option<u32>,
}

/// Kind of a buffer: a plain buffer, or an image with its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// `BUFFER … DATA_TYPE`: a plain buffer.
    Plain,
    /// `IMAGE`, and `BUFFER … WIDTH … HEIGHT`: an image with its own size.
    Image {
        /// The dimension.
        dimension: Dimension,
        /// Width, height and depth in texels; 1 for dimensions that the image lacks.
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

/// Initial content of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Zeros in the whole buffer.
    Zero,
    /// `DATA`, `FILL` or `SERIES_FROM`, as bytes.
    Bytes(Arc<[u8]>),
    /// `FILE`
    File {
        /// How the file is read.
        form: FileForm,
        /// Path of the file, relative to the script's folder.
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
    /// `TEXT`: numbers, like those of `DATA`.
    Text,
}
