//! The case format: data types for one test case (shaders, link settings, draws, expectations), and its parser.
//!
//! `read` is the parser. Everything else is plain data and pure functions on it.

mod buffer_point;
pub mod capture;
pub mod depth_stencil;
pub mod draws;
pub mod expectation;
mod expected;
pub mod gl;
pub mod limits;
pub mod linking;
pub mod output;
pub mod query;
pub mod reach;
mod read;
pub mod state;
pub mod texture;
pub mod tolerance;

use std::sync::Arc;

use ir::backend::Backend;
use ir::diagnostic::Diagnostic;
use ir::format::Format;
use ir::interface::{Type, VaryingDeclaration};
use ir::scalar::Number;
use ir::source::{Source, Span, Spanned};
use ir::stage::{ShaderStage, Specialization};
use ir::uniform::UniformStep;

use depth_stencil::DepthFormat;

pub use buffer_point::buffer_name;
pub use expectation::{
    BufferProbe, Comparison, DepthProbe, Expectation, Golden, GoldenRule, Probe, Region,
};
pub use expected::{AdapterPattern, ExpectedOutcome, ExpectedStatus};
pub use ir::options::{ATOMIC_COUNTER_POINT, CAPTURE_POINT};
pub use ir::options::{
    Chunk, ColorChooser, DebugNames, GenericLimits, Optimise, OutputRule, PackMode, PackStep,
    Packing, PerVertexRule, ProgramLimit, RemovalReason, Share, SpriteCoordinates,
};
pub use linking::{
    BlockFact, Counter, Likeness, LinkExpectation, LinkSection, MemberFact, ProfileChoice,
    StagePair,
};
pub use read::{commands, known_words, parse};

/// One case: a file, or one combination of a file's parameters.
#[derive(Clone, Debug)]
pub struct Case {
    /// The path as given, plus `#name=value,…` when the file has parameters.
    pub name: String,
    /// Source text, with parameters filled in.
    pub source: Arc<Source>,
    /// Strictness of the parser.
    pub dialect: Dialect,
    /// `[require]`, in file order.
    pub requirements: Vec<Spanned<Requirement>>,
    /// The shader sections, in file order.
    pub shaders: Vec<ShaderSource>,
    /// Values of SPIR-V stages' specialisation constants.
    pub specializations: Vec<Specialization>,
    /// `[shader include]`: texts for GLSL `#include`.
    pub includes: Vec<IncludeSource>,
    /// `[shader include paths]`: search folders for relative paths.
    pub include_folders: Vec<String>,
    /// `[varyings]`, for WGSL and SPIR-V stages.
    pub varyings: Vec<VaryingDeclaration>,
    /// `samples N` of `[render targets]`: samples per pixel.
    pub samples: u32,
    /// `depth FORMAT` of `[render targets]`: the format of the depth buffer.
    pub depth_format: Option<DepthFormat>,
    /// `[render targets]`; one rgba8unorm target at index 0 when the section is missing.
    pub render_targets: Vec<RenderTarget>,
    /// Render target width and height in pixels: `size` or `SIZE` of `[require]`, else 250 by 250.
    pub size: [u32; 2],
    /// `[link]`.
    pub link: LinkSection,
    /// `[capture]`.
    pub capture: Option<ir::options::CaptureSection>,
    /// `[vertex data]`.
    pub vertex_data: Option<VertexData>,
    /// `[index data]`: vertex indices for `draw indexed`.
    pub indices: Vec<u32>,
    /// `[test]`, in file order.
    pub steps: Vec<Spanned<Step>>,
    /// `[expect]`: known failures. They do not change the verdict, only how the verdict is counted.
    pub expected: Vec<ExpectedOutcome>,
    /// Warnings: lines that were read but have no effect.
    pub warnings: Vec<Diagnostic>,
}

impl Case {
    /// Format of the depth buffer, or `None` without one.
    pub fn depth_buffer(&self) -> Option<DepthFormat> {
        let is_required = self.requirements.iter().any(|it| it.value == Requirement::DepthBuffer);
        self.depth_format.or(is_required.then(DepthFormat::default))
    }

    /// True if the fragment stage clips by discarding, instead of the adapter with clip distances.
    pub fn emulates_clip(&self, has_clip_distances: bool) -> bool {
        let has_choice = self.requirements.iter().any(|it| it.value == Requirement::ClipDistances);
        self.link.emulates_clip || has_choice && !has_clip_distances
    }

    /// Switches to clipping in the fragment stage, so that the adapter needs no clip distances.
    ///
    /// Returns `false`, and changes nothing, if the case requires native clip distances and has expectations about
    /// slots: those hold only for the varyings without emulation.
    pub fn emulate_clip(&mut self) -> bool {
        let clip_distances = Requirement::Feature("CLIP_DISTANCES".to_owned());
        let is_native = |it: &Spanned<Requirement>| {
            it.value == clip_distances || it.value == Requirement::ClipDistances
        };
        let is_about_slots = |it: &Spanned<LinkExpectation>| it.value.is_about_slots();
        let is_clipping = self.requirements.iter().any(is_native) && !self.link.emulates_clip;
        if is_clipping && self.link.expectations.iter().any(is_about_slots) {
            return false;
        }
        self.requirements.retain(|it| it.value != clip_distances);
        self.link.emulates_clip = true;
        true
    }
}

/// Strictness of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Cases of this project: everything unknown is an error.
    Interstage,
    /// Files written for piglit: trailing text is a warning, and commands that piglit knows but interstage does not
    /// make the case unsupported.
    Piglit,
}

/// The language of a shader section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL or GLSL ES; the version is in the text or in `[require]`.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    SpirvAssembly,
    /// No text: the pass-through vertex shader, which copies the attribute `piglit_vertex` to the position.
    Passthrough,
}

/// One shader section.
#[derive(Clone, Debug)]
pub struct ShaderSource {
    /// Its stage.
    pub stage: ShaderStage,
    /// Its language.
    pub language: Language,
    /// The object's name for separable programs (`[vertex shader NAME]`).
    pub name: Option<String>,
    /// The header line.
    pub header: Span,
    /// The shader text, as a span of the case's source.
    pub text: Span,
    /// `entry = "name"`: entry point of a SPIR-V module.
    pub entry: Option<Spanned<String>>,
    /// `file = "path"`: the file with the SPIR-V module; the section has no text.
    pub file: Option<BinaryFile>,
}

/// A binary file that a case names. The parser does no I/O: callers load the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryFile {
    /// Path relative to the case's folder, and inside it.
    pub path: Spanned<String>,
    /// The bytes, or the error message of the load.
    pub content: Result<Arc<[u8]>, String>,
}

/// One `[shader include]` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeSource {
    /// Path for `#include`: the first line of the section.
    pub path: String,
    /// The text below the first line.
    pub text: Span,
}

/// One line of `[require]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// `GL >= 3.3` or `GL ES >= 3.0`: version times 10.
    Gl {
        /// True for ES.
        is_es: bool,
        /// Version times 10.
        version: u16,
        /// `COMPAT` or `CORE` after the number.
        profile: Option<String>,
    },
    /// `GLSL >= 1.30` or `GLSL ES >= 3.00`: version times 100.
    Glsl {
        /// True for ES.
        is_es: bool,
        /// Version times 100.
        version: u16,
    },
    /// A GL extension name; `is_wanted` is false for `!GL_…`.
    Extension {
        /// `GL_ARB_…`.
        name: String,
        /// True if the extension is required, false if it must be absent.
        is_wanted: bool,
    },
    /// Another numeric key of piglit's, such as `GL_MAX_… >= n`, by its words.
    GlLimit {
        /// The key.
        name: String,
        /// Minimum value.
        minimum: i64,
    },
    /// `depthbuffer`.
    DepthBuffer,
    /// `size W H` or `SIZE W H`; also in [`Case::size`].
    Size([u32; 2]),
    /// `feature NAME`: a wgpu feature in wgpu's notation (`CLIP_DISTANCES`).
    Feature(String),
    /// `feature CLIP_DISTANCES or emulated`: without clip distances in the adapter, the fragment stage clips.
    ClipDistances,
    /// `limit NAME >= N`: a wgpu limit.
    Limit {
        /// Field name in `wgpu::Limits`.
        name: String,
        /// Minimum value.
        minimum: u64,
    },
    /// `backend vulkan gl metal dx12`: one of these backends.
    Backend(Vec<Backend>),
    /// `adapter ~ "text"` or `adapter !~ "text"`: the adapter's name contains the text, or does not.
    Adapter {
        /// The text, compared without regard to case.
        pattern: String,
        /// True for `~`.
        is_wanted: bool,
        /// The reason: the comment on the line above.
        reason: String,
    },
}

/// One line of `[render targets]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderTarget {
    /// Index of the colour attachment, 0 to 7.
    pub index: u32,
    /// Pixel format.
    pub format: Format,
    /// Initial content: `clear …`, else zeros.
    pub clear: Option<Vec<Number>>,
    /// Span of the line; `None` for a target that no line declares.
    pub span: Option<Span>,
}

/// `[vertex data]`: interleaved rows.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexData {
    /// The columns in order.
    pub columns: Vec<VertexColumn>,
    /// Bytes from one row to the next: the sum of the columns' sizes.
    pub stride: u32,
    /// All rows, little-endian, without padding.
    pub bytes: Vec<u8>,
    /// Number of rows.
    pub row_count: u32,
}

/// One column of `[vertex data]`: `name[idx]/ctype/glsltype[/matrix column]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexColumn {
    /// Attribute name, or a decimal location.
    pub attribute: String,
    /// Array element, for `name[idx]`.
    pub element: u32,
    /// Matrix column.
    pub matrix_column: u32,
    /// Storage type.
    pub storage: VertexStorage,
    /// Components, 1 to 4.
    pub components: u8,
    /// True if the shader type is an integer type (`int`, `ivec3`, `uint` …).
    pub is_integer: bool,
    /// Byte offset in the row.
    pub offset: u32,
    /// Span of the header cell.
    pub span: Span,
}

/// Storage type of a vertex column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the storage types")]
pub enum VertexStorage {
    Half,
    Float,
    Double,
    Byte,
    Ubyte,
    Short,
    Ushort,
    Int,
    Uint,
}

/// One line of `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `clear color r g b a`: sets the clear colour, and makes `clear` clear the colour buffers.
    ClearColor([f64; 4]),
    /// `clear`: clears the buffers that have a clear value set.
    Clear,
    /// `clearbuffer N r g b a`: clears the render target of draw buffer N.
    ClearBuffer {
        /// The draw buffer.
        buffer: u32,
        /// The colour, in the target's number type.
        values: [f64; 4],
    },
    /// `uniform TYPE NAME values…`.
    Uniform(UniformStep),
    /// Any `draw …`.
    Draw(Draw),
    /// `compute X Y Z`.
    Compute([u32; 3]),
    /// `ssbo N SIZE`: a zero-filled buffer of SIZE bytes at binding N.
    Ssbo {
        /// Binding point.
        binding: u32,
        /// Size in bytes.
        size: u32,
    },
    /// `ssbo N subdata TYPE OFFSET values…`.
    SsboData {
        /// Binding point.
        binding: u32,
        /// Byte offset.
        offset: u32,
        /// Type of the values.
        ty: Type,
        /// The values in order.
        values: Vec<Number>,
    },
    /// `texture …`: makes a texture and binds it to a unit.
    Texture(texture::TextureStep),
    /// `texparameter …`: changes a sampling parameter of the texture made last.
    TextureParameter(texture::TextureParameter),
    /// `image texture UNIT FORMAT`: the unit's texture becomes the image unit of the same number.
    ImageTexture {
        /// Texture and image unit.
        unit: u32,
        /// Format of the image in shaders.
        format: Format,
    },
    /// `fb tex 2d UNIT…`: the units' textures become the render targets, in this order.
    FramebufferTextures(Vec<u32>),
    /// `xfb …` and `capture …`: transform feedback.
    Capture(capture::CaptureStep),
    /// A change of GL state for the draws below it.
    State(state::StateChange),
    /// `use VERTEX FRAGMENT`: selects the stage objects for the draws below it.
    Use {
        /// Name of the vertex stage's object.
        vertex: String,
        /// Name of the fragment stage's object.
        fragment: String,
    },
    /// `tolerance …`: tolerance of the float probes below it.
    Tolerance(Tolerance),
    /// `link success`, `link error`, probes and goldens.
    Expect(Expectation),
}

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
    /// `from capture …`: vertex rows from transform feedback buffers. If empty, rows come from `[vertex data]`.
    pub sources: Vec<capture::CapturedRows>,
}

impl Draw {
    /// One instance of `shape`.
    pub const fn once(shape: DrawShape) -> Self {
        Self { shape, instances: 1, base_vertex: 0, first_instance: 0, sources: Vec::new() }
    }
}

/// Shape of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawShape {
    /// `draw rect x y w h`: a quad in clip space, z = 0, w = 1.
    Rect([f32; 4]),
    /// `draw rect ortho x y w h`: the same, in pixels of the window.
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
    /// `draw captured MODE`: as many rows as vertices were captured last (`glDrawTransformFeedback`).
    Captured {
        /// Primitive topology.
        topology: Topology,
    },
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
}

/// Maximum difference between an observed and an expected float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Per channel r, g, b, a. piglit's default is 0.01 each.
    Absolute([f64; 4]),
    /// Units in the last place of the target's number format.
    Ulp(u32),
}

impl Tolerance {
    /// piglit's default, in force until a `tolerance` step.
    pub const DEFAULT: Self = Self::Absolute([0.01; 4]);
}

/// True if some step of the case draws, dispatches or checks a result of the GPU.
pub fn needs_gpu(case: &Case) -> bool {
    case.steps.iter().any(|step| match &step.value {
        Step::Draw(_) | Step::Compute(_) | Step::Capture(_) => true,
        Step::Expect(expectation) => match expectation {
            Expectation::Probe(_)
            | Expectation::Depth(_)
            | Expectation::Buffer(_)
            | Expectation::CaptureCount { .. }
            | Expectation::Golden(_) => true,
            Expectation::LinkSuccess
            | Expectation::LinkError(_)
            | Expectation::CompileError(_)
            | Expectation::Query(_)
            | Expectation::CapturedVaryings(_) => false,
        },
        Step::ClearColor(_)
        | Step::Clear
        | Step::ClearBuffer { .. }
        | Step::Uniform(_)
        | Step::Ssbo { .. }
        | Step::SsboData { .. }
        | Step::Texture(_)
        | Step::TextureParameter(_)
        | Step::ImageTexture { .. }
        | Step::FramebufferTextures(_)
        | Step::State(_)
        | Step::Use { .. }
        | Step::Tolerance(_) => false,
    })
}
