//! What `[link]` says: how varyings are packed, and what the linker must decide.

use std::fmt;

use crate::link::linkage_table::LinkageTable;
use crate::link::profile::Profile;
use crate::link::semantic::Semantic;
use crate::source::{Span, Spanned};

/// `[link]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSection {
    /// The header, when the section exists.
    pub header: Option<Span>,
    /// How varyings share slots.
    pub packing: Packing,
    /// `variables …`: inter-stage variables that the linker may use, where the adapter has no fewer.
    pub variables: Option<u32>,
    /// `outputs …`: what becomes of a fragment output whose base type is not its target's.
    pub outputs: OutputRule,
    /// `emulate clip`: the fragment stage clips, by discarding, and not the adapter.
    pub emulates_clip: bool,
    /// `profile …`.
    pub profile: Option<ProfileChoice>,
    /// `separable`: stages are compiled apart, and joined by semantic when they are used together.
    pub is_separable: bool,
    /// Whether a vertex stage must redeclare `gl_PerVertex`: under `separable`, and in piglit's files under
    /// `SEPARABLE PROGRAM ENABLED`, which is one program of all stages.
    pub per_vertex: PerVertexRule,
    /// `sprite SEMANTIC… [lower_left]`.
    pub sprite: SpriteCoordinates,
    /// `semantic NAME SEMANTIC`: what varyings mean that GLSL has no word for.
    pub semantics: Vec<Spanned<(String, Semantic)>>,
    /// `generics vertex N`, `generics fragment N`.
    pub generics: GenericLimits,
    /// `linkage SEMANTIC -> SEMANTIC`: which labels of the two stages meet, where they are not equal.
    pub linkage: LinkageTable,
    /// `mix on`: SPIR-V stages link with GLSL ones.
    pub mixes_languages: bool,
    /// `debug_names on`: queries tell the names that SPIR-V modules have for people.
    pub debug_names: DebugNames,
    /// `limit NAME N`: what GL allows a program.
    pub limits: Vec<(ProgramLimit, u32)>,
    /// What the linker must decide, in file order.
    pub expectations: Vec<Spanned<LinkExpectation>>,
}

impl LinkSection {
    /// `limit varying_components N`: the components of varyings that the program is promised.
    pub fn promised_components(&self) -> Option<u32> {
        let is_it = |(limit, _): &&(ProgramLimit, u32)| *limit == ProgramLimit::VaryingComponents;
        self.limits.iter().find(is_it).map(|(_, most)| *most)
    }
}

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

/// Under which linkage profiles a case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// One.
    One(Profile),
    /// All: first WebGPU's own, which expectations are about; then the others, which must give the same, bit by bit.
    All,
}

impl ProfileChoice {
    /// Stands for every profile.
    pub const ALL_NAME: &str = "all";

    /// The choice of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        if name == Self::ALL_NAME {
            return Some(Self::All);
        }
        let known = Profile::ALL.iter().find(|(known, _)| *known == name);
        known.map(|(_, profile)| Self::One(*profile))
    }
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

/// One expectation of `[link]`.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkExpectation {
    /// `slots 3`.
    Slots(u32),
    /// `a 0.xy`, `d 1.w 2.x`, `m[1] 1.yzw`.
    Placement {
        /// Varying, or part of one.
        name: String,
        /// Where its scalars are, in order.
        chunks: Vec<Chunk>,
    },
    /// `unused b`: removed because nobody reads it.
    Unused(String),
    /// `dead a.zw`, `constant a`, `uniform a`, `duplicate a`: these scalars do not travel, for this reason.
    Removed {
        /// Varying, or part of one.
        name: String,
        /// The reason.
        reason: RemovalReason,
    },
    /// `steps dense centroid`, `steps none`: how the linker had to pack more tightly.
    Steps(Vec<PackStep>),
    /// `carrier 0 flat ivec2`: interpolation and type of a slot.
    Carrier {
        /// The slot.
        slot: u32,
        /// As the link map shows it.
        text: String,
    },
    /// `output 1 uvec4`, `output 1 none`: type of what the fragment stage gives a draw buffer.
    Output {
        /// The draw buffer.
        buffer: u32,
        /// As the link map shows it.
        text: String,
    },
    /// `distances c0 c1 | k0`, `distances none`: the clip and cull distances that the vertex stage writes.
    Distances(String),
    /// `captured d 1.w->5 2.x->6`: where the words of a captured output come from, and go to.
    Captured {
        /// The output, as it is listed.
        name: String,
        /// The chunks, as the link map shows them.
        text: String,
    },
    /// `stride 0 32`: bytes of a vertex in a capture buffer.
    CaptureStride {
        /// Number of the buffer.
        buffer: u32,
        /// Bytes.
        bytes: u32,
    },
    /// `layout dense`: how the vertex stage's labels were placed.
    Layout(String),
    /// `register GENERIC[200] 1`, `register GENERIC[3] -> GENERIC[7] 1`: the location of a label.
    Register {
        /// The label in the vertex stage.
        semantic: Semantic,
        /// The label in the fragment stage, where it is given.
        reader: Option<Semantic>,
        /// Its location.
        location: u32,
    },
    /// `relocations 2`, `emitted 1`, `reused 1`, `identical 3`: a counter of all links of the case together.
    Counter {
        /// Which one.
        counter: Counter,
        /// Its value.
        value: u32,
    },
    /// `pipelines 4`: how many different pipelines the draws of the case use.
    Pipelines(u32),
    /// `two_sided hardware`: who chooses between front and back colours.
    TwoSided(ColorChooser),
    /// `mismatch a`: this input is undefined, because the interfaces of separable stages do not match.
    Mismatch(String),
    /// `block Lights size 496 binding 4 members 11`, with any of the three.
    Block {
        /// The block: its name, or `binding 4` in SPIR-V.
        name: String,
        /// What is expected of it.
        facts: Vec<(BlockFact, u32)>,
    },
    /// `member Lights.s[1].c4 offset 224 stride 16`.
    Member {
        /// Block and member.
        path: String,
        /// What is expected of it.
        facts: Vec<(MemberFact, u32)>,
    },
    /// `alone same`, `alone different`: how the link map of the pair compares with that of the pair linked alone.
    Alone(Likeness),
    /// A line below `pair VERTEX FRAGMENT`, which is about that pair.
    OfPair {
        /// The pair.
        pair: StagePair,
        /// What is expected of it.
        line: Box<LinkExpectation>,
    },
    /// `error "text"`: linking fails with a message containing the text.
    Error(String),
}

/// Two stage objects that are used together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagePair {
    /// Name of the vertex stage.
    pub vertex: String,
    /// Name of the fragment stage.
    pub fragment: String,
}

impl fmt::Display for StagePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.vertex, self.fragment)
    }
}

/// How two link maps compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They are equal.
    Same,
    /// They are not.
    Different,
}

impl Likeness {
    /// Both with their words.
    pub const ALL: [(&'static str, Self); 2] =
        [("same", Self::Same), ("different", Self::Different)];
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Self::ALL.iter().find(|(_, likeness)| likeness == self);
        f.write_str(own.map_or("", |(word, _)| word))
    }
}

impl LinkExpectation {
    /// Whether it is about what travels between the stages, and where.
    pub fn is_about_slots(&self) -> bool {
        match self {
            Self::Slots(_)
            | Self::Placement { .. }
            | Self::Unused(_)
            | Self::Removed { .. }
            | Self::Steps(_)
            | Self::Carrier { .. }
            | Self::Captured { .. }
            | Self::Layout(_)
            | Self::Register { .. }
            | Self::Counter { .. }
            | Self::Alone(_)
            | Self::Mismatch(_) => true,
            Self::OfPair { line, .. } => line.is_about_slots(),
            Self::Output { .. }
            | Self::Pipelines(_)
            | Self::TwoSided(_)
            | Self::Distances(_)
            | Self::CaptureStride { .. }
            | Self::Block { .. }
            | Self::Member { .. }
            | Self::Error(_) => false,
        }
    }

    /// The expectation without the pair that it is about.
    pub fn plain(&self) -> &Self {
        if let Self::OfPair { line, .. } = self { line } else { self }
    }

    /// Whether it is about the link map of one pair, and not about all pairs or what GL tells of a program.
    pub const fn is_about_a_pair(&self) -> bool {
        match self {
            Self::Slots(_)
            | Self::Placement { .. }
            | Self::Unused(_)
            | Self::Removed { .. }
            | Self::Steps(_)
            | Self::Carrier { .. }
            | Self::Output { .. }
            | Self::Distances(_)
            | Self::Captured { .. }
            | Self::CaptureStride { .. }
            | Self::Layout(_)
            | Self::Register { .. }
            | Self::TwoSided(_)
            | Self::Mismatch(_)
            | Self::Alone(_) => true,
            Self::Counter { .. }
            | Self::Pipelines(_)
            | Self::Block { .. }
            | Self::Member { .. }
            | Self::OfPair { .. }
            | Self::Error(_) => false,
        }
    }
}

/// What the linker counts while it joins stages that were compiled apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Pairs that were linked for the first time.
    Links,
    /// Stage modules that served as they are.
    Identical,
    /// Locations that were rewritten.
    Relocations,
    /// Stage modules that were made by rewriting.
    Emitted,
    /// Rewritten stage modules that were there already.
    Reused,
}

impl Counter {
    /// All counters by name.
    pub const ALL: [(&str, Self); 5] = [
        ("links", Self::Links),
        ("identical", Self::Identical),
        ("relocations", Self::Relocations),
        ("emitted", Self::Emitted),
        ("reused", Self::Reused),
    ];
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

/// What `block` of `[link]` expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFact {
    /// `BUFFER_DATA_SIZE`.
    Size,
    /// The binding point.
    Binding,
    /// Active variables.
    Members,
}

/// What `member` of `[link]` expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFact {
    /// Bytes from the block's start.
    Offset,
    /// Bytes between the elements of an array.
    Stride,
    /// Bytes between columns or rows.
    MatrixStride,
    /// 1 when rows follow one another, else 0.
    RowMajor,
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
