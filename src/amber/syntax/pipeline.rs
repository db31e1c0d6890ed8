//! Pipelines: their shaders, resources and fixed state.

use case::depth_stencil::{CompareFunction, StencilOperation};
use case::output::{BlendEquation, BlendFactor};
use ir::scalar::Number;
use ir::source::{Span, Spanned};

use super::data::{DataFormat, Scalar};
use super::{BufferId, SamplerId, ShaderId, ShaderKind};

/// `PIPELINE` or `DERIVE_PIPELINE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// The name. In a `VkScript`, names are `pipeline N`.
    pub name: String,
    /// The line that declares the pipeline; in a `VkScript`, the first line that draws or dispatches with it.
    pub span: Span,
    /// The kind of the pipeline.
    pub kind: PipelineKind,
    /// Shaders of the pipeline, in file order.
    pub stages: Vec<Attached>,
    /// `FRAMEBUFFER_SIZE`; 250 by 250 by default.
    pub framebuffer_size: Option<[u32; 2]>,
    /// `VIEWPORT`; the whole framebuffer by default.
    pub viewport: Option<Viewport>,
    /// The state of rasterisation, tests and blending.
    pub state: FixedState,
    /// The colour attachments, in file order. The default is one of format `B8G8R8A8_UNORM`.
    pub color_attachments: Vec<ColorAttachment>,
    /// The attachment for depth and stencil.
    pub depth_stencil: Option<Spanned<BufferId>>,
    /// The targets to which multisampled colour attachments are resolved, in the order of the attachments.
    pub resolves: Vec<Spanned<BufferId>>,
    /// The buffer with the push constants.
    pub push_constant: Option<Spanned<BufferId>>,
    /// Resources, in file order. No two have the same set and binding.
    pub bindings: Vec<Spanned<Binding>>,
    /// Vertex data, in file order. No two have the same location.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// `INDEX_DATA`
    pub index_buffer: Option<Spanned<BufferId>>,
    /// `PATCH_CONTROL_POINTS`: number of vertices of a patch.
    pub patch_control_points: u32,
}

/// Kind of a pipeline: it draws or computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipelineKind {
    /// `graphics`
    Graphics,
    /// `compute`
    Compute,
}

/// `ATTACH`: a shader of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The shader.
    pub shader: ShaderId,
    /// The stage as which the shader is used; never [`ShaderKind::Multi`].
    pub stage: ShaderKind,
    /// `ENTRY_POINT`; `main` by default.
    pub entry: Option<Spanned<String>>,
    /// `SPECIALIZE`: values of specialisation constants.
    pub specializations: Vec<Specialized>,
    /// The line that attaches the shader.
    pub span: Span,
}

/// `SPECIALIZE`: the value of a specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specialized {
    /// Number of the constant.
    pub id: u32,
    /// Type of the value: one of 32 bits.
    pub scalar: Scalar,
    /// The value.
    pub value: Number,
    /// Position of the value.
    pub span: Span,
}

/// `VIEWPORT`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The corner, in pixels.
    pub position: [f64; 2],
    /// Width and height, in pixels.
    pub size: [f64; 2],
    /// `MIN_DEPTH`
    pub min_depth: f64,
    /// `MAX_DEPTH`
    pub max_depth: f64,
}

/// A colour attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The location of the fragment shader's output.
    pub location: u32,
    /// The image.
    pub buffer: BufferId,
    /// `BASE_MIP_LEVEL`: the level of the image.
    pub base_mip_level: u32,
    /// The line that binds the attachment.
    pub span: Span,
}

/// A resource of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `DESCRIPTOR_SET`
    pub set: u32,
    /// `BINDING`
    pub binding: u32,
    /// The resource that is bound.
    pub resource: Resource,
}

/// A resource that is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// `uniform` or `uniform_dynamic`: a uniform buffer.
    Uniform(BufferRange),
    /// `storage` or `storage_dynamic`: a storage buffer.
    Storage(BufferRange),
    /// `storage_image`: an image that shaders load and store.
    StorageImage {
        /// The image.
        buffer: BufferId,
        /// `BASE_MIP_LEVEL`
        base_mip_level: u32,
    },
    /// `sampled_image`: an image without a sampler.
    SampledImage {
        /// The image.
        buffer: BufferId,
        /// `BASE_MIP_LEVEL`
        base_mip_level: u32,
    },
    /// `combined_image_sampler`: an image with a sampler.
    CombinedImageSampler {
        /// The image.
        buffer: BufferId,
        /// The sampler.
        sampler: SamplerId,
        /// `BASE_MIP_LEVEL`
        base_mip_level: u32,
    },
    /// A sampler without an image.
    Sampler(SamplerId),
}

/// A buffer, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferId,
    /// Start of the part in bytes: the sum of `DESCRIPTOR_OFFSET` and, for a dynamic buffer, `OFFSET`.
    pub offset: u64,
    /// `DESCRIPTOR_RANGE`: length of the part in bytes; by default it ends with the buffer.
    pub range: Option<u64>,
}

/// `VERTEX_DATA`: a vertex attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexBuffer {
    /// The buffer.
    pub buffer: BufferId,
    /// The location of the vertex shader's input.
    pub location: u32,
    /// `RATE`: whether there is an element for each vertex or for each instance.
    pub rate: InputRate,
    /// `FORMAT`; by default the buffer's own.
    pub format: Option<DataFormat>,
    /// `OFFSET`: start of the first element, in bytes.
    pub offset: u32,
    /// `STRIDE`: bytes from one element to the next; by default determined by the format.
    pub stride: Option<u32>,
    /// The line that attaches the buffer.
    pub span: Span,
}

/// The rate at which a vertex attribute advances to the next element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InputRate {
    /// `vertex`
    #[default]
    Vertex,
    /// `instance`
    Instance,
}

/// The state of rasterisation, tests and blending.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedState {
    /// `POLYGON_MODE` or `polygonMode`
    pub polygon_mode: PolygonMode,
    /// `cullMode`
    pub cull: CullMode,
    /// `frontFace`: true if front faces are clockwise.
    pub is_front_clockwise: bool,
    /// `primitiveRestartEnable`
    pub restarts_primitives: bool,
    /// `rasterizerDiscardEnable`
    pub discards_everything: bool,
    /// `lineWidth`
    pub line_width: f64,
    /// `logicOp`, if it is enabled.
    pub logic_op: Option<LogicOp>,
    /// `colorWriteMask`: which of red, green, blue and alpha are written.
    pub color_write_mask: [bool; 4],
    /// The depth test.
    pub depth: Depth,
    /// The stencil test.
    pub stencil: Stencil,
    /// Blending, if it is enabled.
    pub blend: Option<Blend>,
}

impl Default for FixedState {
    fn default() -> Self {
        Self {
            polygon_mode: PolygonMode::Fill,
            cull: CullMode::None,
            is_front_clockwise: false,
            restarts_primitives: false,
            discards_everything: false,
            line_width: 1.0,
            logic_op: None,
            color_write_mask: [true; 4],
            depth: Depth::default(),
            stencil: Stencil::default(),
            blend: None,
        }
    }
}

/// How polygons are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolygonMode {
    /// `fill`
    #[default]
    Fill,
    /// `line`
    Line,
    /// `point`
    Point,
}

/// The faces that are culled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// `VK_CULL_MODE_NONE`
    #[default]
    None,
    /// `VK_CULL_MODE_FRONT_BIT`
    Front,
    /// `VK_CULL_MODE_BACK_BIT`
    Back,
    /// `VK_CULL_MODE_FRONT_AND_BACK`
    FrontAndBack,
}

/// `DEPTH`: the depth test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// `TEST`: true if depths are compared.
    pub is_tested: bool,
    /// `WRITE`: true if depths are written.
    pub is_written: bool,
    /// `COMPARE_OP`
    pub compare: CompareFunction,
    /// `CLAMP`: true if depths are clamped instead of clipped.
    pub is_clamped: bool,
    /// `BOUNDS`: the minimum and the maximum depth that passes; `None` if bounds are not tested.
    pub bounds: Option<[f64; 2]>,
    /// `BIAS`: offset added to depths, if there is one.
    pub bias: Option<DepthBias>,
}

impl Default for Depth {
    fn default() -> Self {
        Self {
            is_tested: false,
            is_written: false,
            compare: CompareFunction::Always,
            is_clamped: false,
            bounds: None,
            bias: None,
        }
    }
}

/// `BIAS`: offset added to depths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// `constant`
    pub constant: f64,
    /// `clamp`
    pub clamp: f64,
    /// `slope`
    pub slope: f64,
}

/// `STENCIL`: the stencil test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stencil {
    /// `TEST`: true if the test is enabled, for both faces.
    pub is_tested: bool,
    /// The test of front faces.
    pub front: StencilFace,
    /// The test of back faces.
    pub back: StencilFace,
}

/// The stencil test of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// `FAIL_OP`: operation if the stencil test fails.
    pub fail: StencilOperation,
    /// `PASS_OP`: operation if both tests pass.
    pub pass: StencilOperation,
    /// `DEPTH_FAIL_OP`: operation if only the depth test fails.
    pub depth_fail: StencilOperation,
    /// `COMPARE_OP`
    pub compare: CompareFunction,
    /// `COMPARE_MASK`: mask of the bits that are compared.
    pub compare_mask: u32,
    /// `WRITE_MASK`: mask of the bits that are written.
    pub write_mask: u32,
    /// `REFERENCE`: value that is compared with the stored value.
    pub reference: u32,
}

impl Default for StencilFace {
    fn default() -> Self {
        Self {
            fail: StencilOperation::Keep,
            pass: StencilOperation::Keep,
            depth_fail: StencilOperation::Keep,
            compare: CompareFunction::Always,
            compare_mask: u32::MAX,
            write_mask: u32::MAX,
            reference: 0,
        }
    }
}

/// `BLEND`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blend {
    /// `SRC_COLOR_FACTOR`, `DST_COLOR_FACTOR` and `COLOR_OP`.
    pub color: BlendPart,
    /// `SRC_ALPHA_FACTOR`, `DST_ALPHA_FACTOR` and `ALPHA_OP`.
    pub alpha: BlendPart,
}

/// Blending of colours or of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlendPart {
    /// Factor of the new colour.
    pub source: BlendFactor,
    /// Factor of the stored colour.
    pub destination: BlendFactor,
    /// Operation that combines the two products.
    pub operation: BlendEquation,
}

/// A logical operation on a new and a stored colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// `VK_LOGIC_OP_CLEAR`
    Clear,
    /// `VK_LOGIC_OP_AND`
    And,
    /// `VK_LOGIC_OP_AND_REVERSE`
    AndReverse,
    /// `VK_LOGIC_OP_COPY`
    Copy,
    /// `VK_LOGIC_OP_AND_INVERTED`
    AndInverted,
    /// `VK_LOGIC_OP_NO_OP`
    NoOp,
    /// `VK_LOGIC_OP_XOR`
    Xor,
    /// `VK_LOGIC_OP_OR`
    Or,
    /// `VK_LOGIC_OP_NOR`
    Nor,
    /// `VK_LOGIC_OP_EQUIVALENT`
    Equivalent,
    /// `VK_LOGIC_OP_INVERT`
    Invert,
    /// `VK_LOGIC_OP_OR_REVERSE`
    OrReverse,
    /// `VK_LOGIC_OP_COPY_INVERTED`
    CopyInverted,
    /// `VK_LOGIC_OP_OR_INVERTED`
    OrInverted,
    /// `VK_LOGIC_OP_NAND`
    Nand,
    /// `VK_LOGIC_OP_SET`
    Set,
}
