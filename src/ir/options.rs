//! What a case or an adapter tells the linker.

use std::fmt;

use crate::semantic::Semantic;
use crate::source::{Span, Spanned};

/// Binding points from this one on are those of atomic counters: they are counted apart from storage buffers.
pub const ATOMIC_COUNTER_POINT: u32 = 1 << 16;

/// Binding points from this one on are the numbers of capture buffers.
pub const CAPTURE_POINT: u32 = 1 << 17;

/// `[capture]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSection {
    /// The header.
    pub header: Span,
    /// Whether items share buffers.
    pub mode: CaptureMode,
    /// What is captured, in order.
    pub items: Vec<Spanned<CaptureItem>>,
}

/// Whether captured variables share a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaptureMode {
    /// One after the other in one buffer, until `next buffer`.
    #[default]
    Interleaved,
    /// Each in a buffer of its own.
    Separate,
}

/// One line of `[capture]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureItem {
    /// An output, an element of one, or a member of a structure: `a`, `n[1]`, `s[2].v`, `Block.a`, `gl_Position`.
    Output(String),
    /// `skip N`: N words, 1 to 4, that are left as they are.
    Skip(u32),
    /// `next buffer`.
    NextBuffer,
}

/// Highest number of a capture buffer.
pub const MAX_CAPTURE_BUFFER: u32 = 3;

/// How many `GENERIC` labels a stage may use, from 0 on, where a case says so: gallium's cap of 2010, of which a driver may
/// have another value for the outputs of the vertex stage than for the inputs of the fragment stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenericLimits {
    /// Outputs of the vertex stage.
    pub vertex: Option<u32>,
    /// Inputs of the fragment stage.
    pub fragment: Option<u32>,
}

/// Whether queries tell the names that SPIR-V modules have for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugNames {
    /// Nothing in a program of SPIR-V stages has a name.
    #[default]
    Hidden,
    /// `debug_names on`.
    Told,
}

/// GL's limits for programs, which a case may set: what an adapter lacks is a skip otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLimit {
    /// Uniform blocks of each stage (`MAX_VERTEX_UNIFORM_BLOCKS` and so on).
    UniformBlocks,
    /// Storage blocks of each stage.
    StorageBlocks,
    /// Uniform blocks of all stages; what two stages share counts twice.
    CombinedUniformBlocks,
    /// Storage blocks of all stages.
    CombinedStorageBlocks,
    /// Bytes of a uniform block.
    UniformBlockSize,
    /// Bytes of a storage block.
    StorageBlockSize,
    /// Components of all varyings (`MAX_VARYING_COMPONENTS`), however they are packed.
    VaryingComponents,
}

impl ProgramLimit {
    /// All of them with the words that `[link]` has for them.
    pub const ALL: [(&'static str, Self); 7] = [
        ("uniform_blocks", Self::UniformBlocks),
        ("storage_blocks", Self::StorageBlocks),
        ("combined_uniform_blocks", Self::CombinedUniformBlocks),
        ("combined_storage_blocks", Self::CombinedStorageBlocks),
        ("uniform_block_size", Self::UniformBlockSize),
        ("storage_block_size", Self::StorageBlockSize),
        ("varying_components", Self::VaryingComponents),
    ];
}

/// What becomes of a fragment output whose base type is not its target's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputRule {
    /// `typed`: a link error.
    #[default]
    Typed,
    /// `raw`: its bits are written, as shaders do that clear targets of any type.
    Raw,
    /// As in GL (piglit's dialect): such a program links, and what it draws is undefined, so that a case that draws is
    /// not supported.
    Undefined {
        /// Whether the case draws.
        is_drawn: bool,
    },
}

/// Which varyings are replaced in points by the place in the point, as by gallium's mask of sprite coordinates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpriteCoordinates {
    /// Their labels.
    pub labels: Vec<Spanned<Semantic>>,
    /// Whether the second coordinate runs up from the lower left corner, and not down from the upper left one.
    pub is_lower_left: bool,
}

/// Whether a vertex stage that uses members of `gl_PerVertex` must redeclare the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerVertexRule {
    /// It need not.
    #[default]
    Free,
    /// From GLSL 1.50 on it must, as a separable program does.
    Redeclared,
}

/// How varyings are packed into slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// `pack …`.
    pub mode: PackMode,
    /// `fallback on|off`: whether the linker packs more tightly, step by step, when the varyings do not fit.
    pub has_fallback: bool,
    /// `native on|off`: whether slots that hold only whole scalars and vectors of one base type keep that type.
    pub is_native_kept: bool,
    /// `optimise …`.
    pub optimise: Optimise,
    /// `share …`.
    pub share: Share,
    /// Whether three-component vectors start at slots, because each is captured into a buffer of its own. Set by the
    /// linker.
    pub is_vec3_aligned: bool,
}

impl Default for Packing {
    fn default() -> Self {
        Self {
            mode: PackMode::default(),
            has_fallback: true,
            is_native_kept: true,
            optimise: Optimise::default(),
            share: Share::default(),
            is_vec3_aligned: false,
        }
    }
}

/// Link-time optimisations of varyings, scalar by scalar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Optimise {
    /// `dead`: what the fragment stage does not read does not travel.
    pub dead: bool,
    /// `constants`: what is always the same constant is put into the fragment stage.
    pub constants: bool,
    /// `uniforms`: what is always the value of a uniform is loaded by the fragment stage.
    pub uniforms: bool,
    /// `duplicates`: what is always equal travels once.
    pub duplicates: bool,
    /// `convergent`: what is the same at all vertices of a primitive fills holes of any class.
    pub convergent: bool,
}

/// Interpolation modes that share slots although they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// `centroid`: centroid and sample with center, where there is one sample per pixel.
    pub centroid: bool,
    /// `noperspective`: with smooth, multiplied by w in the vertex stage and divided in the fragment stage.
    pub noperspective: bool,
}

/// A way of packing more tightly, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackStep {
    /// `dense`: scalars on their own.
    Dense,
    /// `optimise`: dead, constant and duplicate scalars do not travel.
    Optimise,
    /// `centroid`: see [`Share::centroid`].
    Centroid,
    /// `convergent`: see [`Optimise::convergent`].
    Convergent,
    /// `noperspective`: see [`Share::noperspective`].
    NoPerspective,
}

impl PackStep {
    /// All steps with their names, in the order in which they are tried.
    pub const ALL: [(&str, Self); 5] = [
        ("dense", Self::Dense),
        ("optimise", Self::Optimise),
        ("centroid", Self::Centroid),
        ("convergent", Self::Convergent),
        ("noperspective", Self::NoPerspective),
    ];
}

impl fmt::Display for PackStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Self::ALL.iter().find(|(_, step)| step == self);
        f.write_str(own.map_or("", |(name, _)| name))
    }
}

/// Why a scalar does not travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemovalReason {
    /// Nobody reads it.
    Dead,
    /// It is a constant.
    Constant,
    /// It is the value of a uniform.
    Uniform,
    /// It is equal to another that travels.
    Duplicate,
}

impl RemovalReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Dead, Self::Constant, Self::Uniform, Self::Duplicate];
}

impl fmt::Display for RemovalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dead => "dead",
            Self::Constant => "constant",
            Self::Uniform => "uniform",
            Self::Duplicate => "duplicate",
        })
    }
}

/// Whether varyings share slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackMode {
    /// By class, order and declaration: see `link::pack`.
    #[default]
    On,
    /// Every scalar, vector, matrix column and array element has its own slot.
    Off,
    /// Every varying begins a slot, in the order of declaration; arrays, matrices and structs are packed inside.
    Inside,
    /// Every scalar is placed on its own, densely (§1.3.9).
    Scalar,
    /// Every scalar takes the first free component that suits it, also between explicit locations.
    Dense,
}

/// Who chooses between front and back colours under a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorChooser {
    /// `hardware`: its rasteriser.
    Hardware,
    /// `fragment`: code in the fragment stage, which reads both.
    Fragment,
}

impl fmt::Display for ColorChooser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hardware => "hardware",
            Self::Fragment => "fragment",
        })
    }
}

/// A run of components inside one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The slot.
    pub slot: u32,
    /// First component, 0 (x) to 3 (w).
    pub component: u8,
    /// How many, 1 to 4.
    pub count: u8,
}

/// Draw buffers there are.
pub const DRAW_BUFFERS: usize = 8;

/// How colours without an interpolation qualifier are interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadeModel {
    /// As the last vertex has them.
    Flat,
    /// With perspective.
    #[default]
    Smooth,
}

/// State that decides how the compatibility profile's colours are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorState {
    /// Whether back faces have the back colours.
    pub is_two_sided: bool,
    /// How colours without a qualifier are interpolated.
    pub shade_model: ShadeModel,
    /// Whether the vertex stage's colours keep what is below 0 and above 1.
    pub is_vertex_unclamped: bool,
    /// Whether floats are clamped before they are written, whatever the target could hold.
    pub is_fragment_clamped: bool,
}
