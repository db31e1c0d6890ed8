//! A case as its file says it, and nothing else: stages, how they link, what to draw, what must come back.
//!
//! Everything here is data. [`read`] reads it, and the rest of the crate only looks.

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
    /// The text, with parameters filled in.
    pub source: Arc<Source>,
    /// How strictly the text was read.
    pub dialect: Dialect,
    /// `[require]`, in file order.
    pub requirements: Vec<Spanned<Requirement>>,
    /// The shader sections, in file order.
    pub shaders: Vec<ShaderSource>,
    /// Values of SPIR-V stages' specialisation constants.
    pub specializations: Vec<Specialization>,
    /// `[shader include]`: texts that GLSL can `#include`.
    pub includes: Vec<IncludeSource>,
    /// `[shader include paths]`: the folders that relative paths are looked up in.
    pub include_folders: Vec<String>,
    /// `[varyings]`, for WGSL and SPIR-V stages.
    pub varyings: Vec<VaryingDeclaration>,
    /// `samples N` of `[render targets]`: samples for each pixel of them.
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
    /// `[expect]`: how it is known to go wrong. Nothing of this changes the verdict; it says how the verdict counts.
    pub expected: Vec<ExpectedOutcome>,
    /// What was read but had no effect.
    pub warnings: Vec<Diagnostic>,
}

impl Case {
    /// The format of the depth buffer beside the render targets, if there is one.
    pub fn depth_buffer(&self) -> Option<DepthFormat> {
        let is_required = self.requirements.iter().any(|it| it.value == Requirement::DepthBuffer);
        self.depth_format.or(is_required.then(DepthFormat::default))
    }

    /// Whether the fragment stage clips and not the adapter, which perhaps has no clip distances.
    pub fn emulates_clip(&self, has_clip_distances: bool) -> bool {
        let has_choice = self.requirements.iter().any(|it| it.value == Requirement::ClipDistances);
        self.link.emulates_clip || has_choice && !has_clip_distances
    }

    /// Lets the fragment stage clip, so that no clip distances of the adapter's are required. Says whether that is
    /// possible: what a case expects of slots is about the varyings that it has without.
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

/// How strictly a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Our own cases: everything that is not understood is an error.
    Interstage,
    /// Files written for piglit: trailing text is a warning, and what piglit knows but interstage does not
    /// makes the case unsupported.
    Piglit,
}

/// The language of a shader section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL or GLSL ES; the version stands in the text or in `[require]`.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    SpirvAssembly,
    /// No text: the attribute `piglit_vertex` is copied to the position.
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
    /// The text in the case's source.
    pub text: Span,
    /// `entry = "name"`: the entry point of a SPIR-V module that is the stage.
    pub entry: Option<Spanned<String>>,
    /// `file = "path"`: the SPIR-V module is this file, and there is no text.
    pub file: Option<BinaryFile>,
}

/// A file that a case names. The library opens no files: whoever does puts the bytes here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryFile {
    /// Relative to the case's folder and inside it.
    pub path: Spanned<String>,
    /// The bytes, or why there are none.
    pub content: Result<Arc<[u8]>, String>,
}

/// One `[shader include]` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeSource {
    /// The path that `#include` names: the section's first line.
    pub path: String,
    /// The text below it.
    pub text: Span,
}

/// One line of `[require]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// `GL >= 3.3` or `GL ES >= 3.0`: version times 10.
    Gl {
        /// Whether ES.
        is_es: bool,
        /// Version times 10.
        version: u16,
        /// `COMPAT` or `CORE` after the number.
        profile: Option<String>,
    },
    /// `GLSL >= 1.30` or `GLSL ES >= 3.00`: version times 100.
    Glsl {
        /// Whether ES.
        is_es: bool,
        /// Version times 100.
        version: u16,
    },
    /// A GL extension name; `is_wanted` is false for `!GL_…`.
    Extension {
        /// `GL_ARB_…`.
        name: String,
        /// Whether it must be there.
        is_wanted: bool,
    },
    /// Another of piglit's keys, `GL_MAX_…  >= n` included, as its words.
    GlLimit {
        /// The key.
        name: String,
        /// The least value.
        minimum: i64,
    },
    /// `depthbuffer`.
    DepthBuffer,
    /// `size W H` or `SIZE W H`; also in [`Case::size`].
    Size([u32; 2]),
    /// `feature NAME`: a wgpu feature in wgpu's notation (`CLIP_DISTANCES`).
    Feature(String),
    /// `feature CLIP_DISTANCES or emulated`: where the adapter lacks clip distances, the fragment stage clips.
    ClipDistances,
    /// `limit NAME >= N`: a wgpu limit.
    Limit {
        /// Field name in wgpu's limits.
        name: String,
        /// The least value.
        minimum: u64,
    },
    /// `backend vulkan gl metal dx12`: any of these.
    Backend(Vec<String>),
    /// `adapter ~ "text"` or `adapter !~ "text"`: the adapter's name contains (or not) the text.
    Adapter {
        /// The text, compared without case.
        pattern: String,
        /// True for `~`.
        is_wanted: bool,
        /// The comment on the line above: why.
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
    /// Content before the first step: `clear …`, else zeros.
    pub clear: Option<Vec<Number>>,
    /// The line; empty for the implied target.
    pub span: Span,
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
    /// How the numbers are stored.
    pub storage: VertexStorage,
    /// Components, 1 to 4.
    pub components: u8,
    /// Whether the shader sees integers (`int`, `ivec3`, `uint` …) and not floats.
    pub is_integer: bool,
    /// Byte offset in the row.
    pub offset: u32,
    /// Header cell.
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
    /// `clear color r g b a`: arms the colour bit and sets the value.
    ClearColor([f64; 4]),
    /// `clear`: clears what is armed.
    Clear,
    /// `clearbuffer N r g b a`: clears the render target of one draw buffer.
    ClearBuffer {
        /// The draw buffer.
        buffer: u32,
        /// The colour, in the target's own numbers.
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
        /// Bytes.
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
    /// `texparameter …`: changes how the texture that was made last is sampled.
    TextureParameter(texture::TextureParameter),
    /// `image texture UNIT FORMAT`: the unit's texture becomes the image unit of the same number.
    ImageTexture {
        /// Texture and image unit.
        unit: u32,
        /// Format that shaders see.
        format: Format,
    },
    /// `fb tex 2d UNIT…`: the units' textures become the render targets, in this order.
    FramebufferTextures(Vec<u32>),
    /// `xfb …` and `capture …`.
    Capture(capture::CaptureStep),
    /// A change of GL state, which the draws below it see.
    State(state::StateChange),
    /// `use VERTEX FRAGMENT`: the stage objects of the draws below it.
    Use {
        /// Name of the vertex stage's object.
        vertex: String,
        /// Name of the fragment stage's object.
        fragment: String,
    },
    /// `tolerance …`: replaces the tolerance of the float probes below it.
    Tolerance(Tolerance),
    /// `link success`, `link error`, probes and goldens.
    Expect(Expectation),
}

/// A draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// What is drawn.
    pub shape: DrawShape,
    /// Number of instances, at least 1.
    pub instances: u32,
    /// `base vertex N`: added to every index.
    pub base_vertex: i32,
    /// `first instance N`: the number of the first instance, which GLSL's `gl_InstanceID` leaves out.
    pub first_instance: u32,
    /// `from capture …`: the rows are those of capture buffers. When there is none, they are those of `[vertex data]`.
    pub sources: Vec<capture::CapturedRows>,
}

impl Draw {
    /// One instance of `shape`.
    pub const fn once(shape: DrawShape) -> Self {
        Self { shape, instances: 1, base_vertex: 0, first_instance: 0, sources: Vec::new() }
    }
}

/// What a draw draws.
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
        /// s and t of the lower left corner, and how much they grow to the upper right one.
        texture: [f32; 4],
    },
    /// `draw arrays MODE FIRST COUNT`: rows of `[vertex data]`.
    Arrays {
        /// Primitive topology.
        topology: Topology,
        /// First row.
        first: u32,
        /// Rows.
        count: u32,
    },
    /// `draw indexed MODE FIRST COUNT`: rows chosen by `[index data]`.
    Indexed {
        /// Primitive topology.
        topology: Topology,
        /// First index.
        first: u32,
        /// Indices.
        count: u32,
    },
    /// `draw captured MODE`: as many rows as vertices were captured last.
    Captured {
        /// Primitive topology.
        topology: Topology,
    },
}

/// What `restart` in `[index data]` is: no row, but the end of a strip, fan, loop or polygon, and of an incomplete
/// primitive (`GL_PRIMITIVE_RESTART_FIXED_INDEX`).
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

/// How far a float may be from what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Per channel r, g, b, a. piglit's default is 0.01 each.
    Absolute([f64; 4]),
    /// Units in the last place of the target's own number format.
    Ulp(u32),
}

impl Tolerance {
    /// piglit's, until a `tolerance` step replaces it.
    pub const DEFAULT: Self = Self::Absolute([0.01; 4]);
}

/// Whether some step of the case draws, dispatches or looks at what came back.
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
