//! Options of the linker, from the case and the adapter.

use std::fmt;

use crate::semantic::Semantic;
use crate::source::{Span, Spanned};
use crate::stage::PerStage;

/// First binding point of atomic counters, which are numbered separately from storage buffers. Smaller numbers are a
/// shader's own sets and bindings.
pub const ATOMIC_COUNTER_POINT: u32 = 1 << 24;

/// First number of the buffers and images that a script declares; its pipelines bind them to points.
pub const SCRIPT_POINT: u32 = 2 << 24;

/// Binding point of the records of a geometry stage, which only the planner fills.
pub const GEOMETRY_POINT: u32 = 3 << 24;

/// First binding point of transform feedback buffers, which follow in order of their numbers.
pub const XFB_POINT: u32 = 4 << 24;

/// `[capture]`: outputs for transform feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSection {
    /// Span of the header.
    pub header: Span,
    /// Interleaved or separate buffers.
    pub mode: CaptureMode,
    /// Captured outputs, in order.
    pub items: Vec<Spanned<CaptureItem>>,
}

/// Buffer mode of transform feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaptureMode {
    /// All outputs in one buffer, until `next buffer`.
    #[default]
    Interleaved,
    /// Each output in its own buffer.
    Separate,
}

/// One line of `[capture]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureItem {
    /// An output, an element of one, or a member of a structure: `a`, `n[1]`, `s[2].v`, `Block.a`, `gl_Position`.
    Output(String),
    /// `skip N`: leaves N words, 1 to 4, unwritten.
    Skip(u32),
    /// `next buffer`.
    NextBuffer,
}

/// Highest number of a transform feedback buffer.
pub const MAX_XFB_BUFFER: u32 = 3;

/// Number of `GENERIC` labels, from 0 on, that the stages of each kind may use, if a case limits it. Models gallium's
/// cap of 2010, whose value may differ between stages. Inputs and outputs count, except for attributes, draw buffers
/// and the variables of patches, which have no such labels.
pub type GenericLimits = PerStage<Option<u32>>;

/// Visibility of debug names (`OpName`) of SPIR-V modules in queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugNames {
    /// A program of SPIR-V stages has no names.
    #[default]
    Hidden,
    /// `debug_names on`: queries return them.
    Told,
}

/// GL limits for programs that a case may set. A limit that it does not set is the adapter's, and a program that
/// exceeds that is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLimit {
    /// Uniform blocks of each stage (`MAX_VERTEX_UNIFORM_BLOCKS` and so on).
    UniformBlocks,
    /// Storage blocks of each stage.
    StorageBlocks,
    /// Uniform blocks of all stages; a block that two stages share counts twice.
    CombinedUniformBlocks,
    /// Storage blocks of all stages.
    CombinedStorageBlocks,
    /// Size of a uniform block in bytes.
    UniformBlockSize,
    /// Size of a storage block in bytes.
    StorageBlockSize,
    /// Components of all varyings (`MAX_VARYING_COMPONENTS`), regardless of packing.
    VaryingComponents,
}

impl ProgramLimit {
    /// All limits, with their keywords in `[link]`.
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

/// Rule for a fragment output whose base type differs from its target's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputRule {
    /// `typed`: a link error.
    #[default]
    Typed,
    /// `raw`: the bits are written unchanged, for shaders that clear targets of any type.
    Raw,
    /// GL's rule (for piglit's files): the program links, but its drawing is undefined, so a case that draws is
    /// unsupported.
    Undefined {
        /// True if the case draws.
        is_drawn: bool,
    },
}

/// Varyings that are replaced by the point coordinate in points, like those of gallium's `sprite_coord_enable`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpriteCoordinates {
    /// Labels of the varyings.
    pub labels: Vec<Spanned<Semantic>>,
    /// True if the second coordinate runs up from the lower left corner, false if down from the upper left one.
    pub is_lower_left: bool,
}

/// Rule for redeclaring `gl_PerVertex` in a vertex stage that uses its members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerVertexRule {
    /// Not required.
    #[default]
    Free,
    /// Required from GLSL 1.50 on, as for a separable program.
    Redeclared,
}

/// The outputs of a SPIR-V stage without a following stage of which no two may share a component of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastOutputs {
    /// All outputs that code uses.
    #[default]
    Used,
    /// The outputs that transform feedback captures. Mesa compares no others.
    Captured,
}

/// Packing of varyings into slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// `pack …`.
    pub mode: PackMode,
    /// `fallback on|off`: true if the linker packs more tightly, step by step, when the varyings do not fit.
    pub has_fallback: bool,
    /// `native on|off`: true if slots with only whole scalars and vectors of one base type keep that type.
    pub is_native_kept: bool,
    /// `optimise …`.
    pub optimise: Optimise,
    /// `share …`.
    pub share: Share,
    /// True if three-component vectors start at slots, as each is captured into its own buffer. Set by the linker.
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
    /// `dead`: removes scalars that the fragment stage does not read.
    pub dead: bool,
    /// `constants`: moves constants into the fragment stage.
    pub constants: bool,
    /// `uniforms`: replaces scalars that equal a uniform by loads in the fragment stage.
    pub uniforms: bool,
    /// `duplicates`: passes equal scalars only once.
    pub duplicates: bool,
    /// `convergent`: fills holes of any class with scalars that are equal at all vertices of a primitive.
    pub convergent: bool,
}

/// Interpolation modes that may share slots although they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// `centroid`: centroid and sample with center, where there is one sample per pixel.
    pub centroid: bool,
    /// `noperspective`: with smooth, multiplied by w in the vertex stage and divided in the fragment stage.
    pub noperspective: bool,
}

/// A step of tighter packing, in the order in which the linker tries them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackStep {
    /// `dense`: places scalars individually.
    Dense,
    /// `optimise`: removes dead, constant and duplicate scalars.
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

/// Reason why a scalar is removed from the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemovalReason {
    /// No stage reads the scalar.
    Dead,
    /// The scalar is a constant.
    Constant,
    /// The scalar is the value of a uniform.
    Uniform,
    /// The scalar equals another one that is passed.
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

/// Mode of packing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackMode {
    /// Default: by class, order and declaration; see `link::pack`.
    #[default]
    On,
    /// Every scalar, vector, matrix column and array element has its own slot.
    Off,
    /// Every varying starts a slot, in declaration order; arrays, matrices and structs are packed inside.
    Inside,
    /// Every scalar is placed individually, densely (§1.3.9).
    Scalar,
    /// Every scalar takes the first free component with a compatible class, also between explicit locations.
    Dense,
}

/// Where front and back colours are selected under a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorChooser {
    /// `hardware`: in the rasteriser.
    Hardware,
    /// `fragment`: in code of the fragment stage, which reads both colours.
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

/// Consecutive components of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The slot.
    pub slot: u32,
    /// First component, 0 (x) to 3 (w).
    pub component: u8,
    /// Number of components, 1 to 4.
    pub count: u8,
}

/// Number of draw buffers.
pub const DRAW_BUFFERS: usize = 8;

/// GL shade model: interpolation of colours without a qualifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadeModel {
    /// The provoking vertex's colour.
    Flat,
    /// Perspective-correct.
    #[default]
    Smooth,
}

/// State that affects linking of the compatibility profile's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorState {
    /// True if back faces use the back colours.
    pub is_two_sided: bool,
    /// Interpolation of colours without a qualifier.
    pub shade_model: ShadeModel,
    /// True if the vertex stage's colours are not clamped to 0 to 1.
    pub is_vertex_unclamped: bool,
    /// True if float outputs are clamped before they are written, regardless of the target's format.
    pub is_fragment_clamped: bool,
}
