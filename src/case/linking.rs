//! `[link]`: packing of varyings, and expected results of the linker.

use std::fmt;

use ir::linkage_table::LinkageTable;
use ir::options::{
    Chunk, ColorChooser, DebugNames, GenericLimits, OutputRule, PackStep, Packing, PerVertexRule,
    ProgramLimit, RemovalReason, SpriteCoordinates,
};
use ir::profile::Profile;
use ir::semantic::Semantic;
use ir::source::{Span, Spanned};
use ir::stage::{PerStage, ShaderStage};

/// `[link]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSection {
    /// The header, when the section exists.
    pub header: Option<Span>,
    /// Packing of varyings into slots.
    pub packing: Packing,
    /// `variables …`: number of inter-stage variables that the linker may use, if the adapter has as many.
    pub variables: Option<u32>,
    /// `outputs …`: rule for a fragment output whose base type differs from its target's.
    pub outputs: OutputRule,
    /// `emulate clip`: the fragment stage clips by discarding, instead of the adapter.
    pub emulates_clip: bool,
    /// `profile …`.
    pub profile: Option<ProfileChoice>,
    /// `profile all but NAME…`: the profiles that refuse the stages. `None` without `but`.
    pub refusing: Option<Vec<Profile>>,
    /// `separable`: stages are compiled separately, and matched by semantic when they are used together.
    pub is_separable: bool,
    /// Rule for redeclaring `gl_PerVertex` in the vertex stage. Required with `separable`, and in piglit's files with
    /// `SEPARABLE PROGRAM ENABLED`, where all stages are one program.
    pub per_vertex: PerVertexRule,
    /// `sprite SEMANTIC… [lower_left]`.
    pub sprite: SpriteCoordinates,
    /// `semantic NAME SEMANTIC`: semantics of varyings that GLSL cannot express.
    pub semantics: Vec<Spanned<(String, Semantic)>>,
    /// `generics STAGE N`.
    pub generics: GenericLimits,
    /// `linkage SEMANTIC -> SEMANTIC`: pairs of labels of the two stages that match although they differ.
    pub linkage: LinkageTable,
    /// `mix on`: SPIR-V stages link with GLSL ones.
    pub mixes_languages: bool,
    /// `debug_names on`: queries return the debug names of SPIR-V modules (`OpName`).
    pub debug_names: DebugNames,
    /// `limit NAME N`: limits of GL for the program.
    pub limits: Vec<(ProgramLimit, u32)>,
    /// Expectations about the linker's result, in file order.
    pub expectations: Vec<Spanned<LinkExpectation>>,
}

/// An interface before the last one, named by `seam PRODUCER CONSUMER [patch]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    /// The producer and the consumer.
    pub stages: [ShaderStage; 2],
    /// `patch`: the interface consists of the variables of patches instead of those of vertices.
    pub is_patch: bool,
}

/// Formats as `vertex geometry` or `control evaluation patch`.
impl fmt::Display for Seam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stages: [producer, consumer], is_patch } = self;
        let of = if *is_patch { " patch" } else { "" };
        write!(f, "{} {}{of}", producer.word(), consumer.word())
    }
}

/// The linkage profiles that a case runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// One profile.
    One(Profile),
    /// All profiles: first WebGPU's own, for which the expectations are written. The others must give the same
    /// results, bit by bit.
    All,
}

impl ProfileChoice {
    /// Name of the choice of all profiles.
    pub const ALL_NAME: &str = "all";

    /// The choice called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        if name == Self::ALL_NAME {
            return Some(Self::All);
        }
        let known = Profile::ALL.iter().find(|(known, _)| *known == name);
        known.map(|(_, profile)| Self::One(*profile))
    }
}

/// One expectation of `[link]`.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkExpectation {
    /// An expectation for the link map of the program, or of each pair of stage objects.
    Map(MapExpectation),
    /// A line below `pair VERTEX …`, with the names of stage objects: an expectation for their program.
    OfPair {
        /// The stages of the pair.
        pair: UsedStages,
        /// The expectation.
        line: MapExpectation,
    },
    /// A line below `seam PRODUCER CONSUMER`: an expectation for the interface between these stages.
    OfSeam {
        /// The interface.
        seam: Seam,
        /// The expectation.
        line: SlotExpectation,
    },
    /// An expectation for the blocks of the program.
    Block(BlockExpectation),
    /// `relocations 2`, `emitted 1`, `reused 1`, `identical 3`: a counter over all links of the case.
    Counter {
        /// The counter.
        counter: Counter,
        /// Value of the counter.
        value: u32,
    },
    /// `pipelines 4`: number of different pipelines that the draws of the case use.
    Pipelines(u32),
    /// `error "text"`: linking fails with a message containing the text.
    Error(String),
}

/// An expectation for the link map of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum MapExpectation {
    /// The slots of one interface.
    Slots(SlotExpectation),
    /// The varyings of the program.
    Varyings(VaryingExpectation),
    /// The results of the stages.
    Output(OutputExpectation),
    /// `alone same`, `alone different`: comparison of the pair's link map with that of the pair linked on its own.
    Alone(Likeness),
}

/// An expectation for the slots of any interface between two stages.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotExpectation {
    /// `slots 3`.
    Count(u32),
    /// `a 0.xy`, `d 1.w 2.x`, `m[1] 1.yzw`.
    Placement {
        /// Varying, or part of one.
        name: String,
        /// Positions of the scalars, in order.
        chunks: Vec<Chunk>,
    },
    /// `unused b`: removed because no stage reads it.
    Unused(String),
    /// `carrier 0 flat ivec2`: interpolation and type of a slot.
    Carrier {
        /// The slot.
        slot: u32,
        /// The text that the link map shows.
        text: String,
    },
    /// `mismatch a`: this input is undefined, because the interfaces of separable stages do not match.
    Mismatch(String),
}

/// An expectation for the varyings of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum VaryingExpectation {
    /// `dead a.zw`, `constant a`, `uniform a`, `duplicate a`: scalars removed from the interface, and the reason.
    Removed {
        /// Varying, or part of one.
        name: String,
        /// The reason for the removal.
        reason: RemovalReason,
    },
    /// `steps dense centroid`, `steps none`: the steps of tighter packing that the linker needed.
    Steps(Vec<PackStep>),
    /// `captured d 1.w->5 2.x->6`: source and destination of each word of a transform feedback output.
    XfbChunks {
        /// The output, as `[capture]` lists it.
        name: String,
        /// The chunks, as the link map shows them.
        text: String,
    },
    /// `layout dense`: placement of the vertex stage's labels.
    Layout(String),
    /// `register GENERIC[200] 1`, `register GENERIC[3] -> GENERIC[7] 1`: the location of a label.
    Register {
        /// The label in the vertex stage.
        semantic: Semantic,
        /// The label in the fragment stage, if given.
        reader: Option<Semantic>,
        /// The location of the label.
        location: u32,
    },
}

/// An expectation for results of stages that are not varyings in slots.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputExpectation {
    /// `output 1 uvec4`, `output 1 none`: type of the fragment output for a draw buffer.
    Fragment {
        /// The draw buffer.
        buffer: u32,
        /// The text that the link map shows.
        text: String,
    },
    /// `distances c0 c1 | k0`, `distances none`: the clip and cull distances that the vertex stage writes.
    Distances(String),
    /// `stride 0 32`: bytes per vertex in a transform feedback buffer.
    XfbStride {
        /// Number of the buffer.
        buffer: u32,
        /// Bytes.
        bytes: u32,
    },
    /// `two_sided hardware`: where front and back colours are selected.
    TwoSided(ColorChooser),
}

/// An expectation for a block of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockExpectation {
    /// `block Lights size 496 binding 4 members 11`, with any of the three facts.
    Whole {
        /// The block: its name, `binding 4` in SPIR-V, or the name or place of a buffer of WGSL.
        name: String,
        /// Expected facts.
        facts: Vec<(BlockFact, u32)>,
    },
    /// `member Lights.s[1].c4 offset 224 stride 16`.
    Member {
        /// Block and member.
        path: String,
        /// Expected facts.
        facts: Vec<(MemberFact, u32)>,
    },
}

impl From<SlotExpectation> for LinkExpectation {
    fn from(line: SlotExpectation) -> Self {
        Self::Map(MapExpectation::Slots(line))
    }
}

impl From<VaryingExpectation> for LinkExpectation {
    fn from(line: VaryingExpectation) -> Self {
        Self::Map(MapExpectation::Varyings(line))
    }
}

impl From<OutputExpectation> for LinkExpectation {
    fn from(line: OutputExpectation) -> Self {
        Self::Map(MapExpectation::Output(line))
    }
}

/// Names of stage objects that are used together: a vertex stage and others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedStages(PerStage<Option<String>>);

impl UsedStages {
    /// A vertex stage and the `later` stages.
    pub fn new(vertex: String, later: impl IntoIterator<Item = (ShaderStage, String)>) -> Self {
        let names = later.into_iter().chain([(ShaderStage::Vertex, vertex)]);
        Self(names.map(|(stage, name)| (stage, Some(name))).collect())
    }

    /// The name of each stage.
    pub const fn names(&self) -> &PerStage<Option<String>> {
        &self.0
    }
}

/// Formats as the names in the order of the pipeline.
impl fmt::Display for UsedStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.present().map(|(_, name)| name.as_str()).collect();
        f.write_str(&names.join(" "))
    }
}

/// Result of comparing two link maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The link maps are equal.
    Same,
    /// The link maps differ.
    Different,
}

impl Likeness {
    /// Both results, by name.
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
    /// True if the expectation concerns the varyings between the stages, or their slots.
    pub const fn is_about_slots(&self) -> bool {
        match self {
            Self::Map(line) | Self::OfPair { line, .. } => {
                !matches!(line, MapExpectation::Output(_))
            }
            Self::OfSeam { .. } | Self::Counter { .. } => true,
            Self::Block(_) | Self::Pipelines(_) | Self::Error(_) => false,
        }
    }

    /// The expectation for a link map, without the pair that it is for.
    pub const fn of_map(&self) -> Option<&MapExpectation> {
        if let Self::Map(line) | Self::OfPair { line, .. } = self { Some(line) } else { None }
    }
}

/// Counter of the linker for separately compiled stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Pairs linked for the first time.
    Links,
    /// Stage modules used unchanged.
    Identical,
    /// Locations that were rewritten.
    Relocations,
    /// Stage modules generated by rewriting.
    Emitted,
    /// Rewritten stage modules found in the cache.
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

/// Fact that `block` of `[link]` checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFact {
    /// `BUFFER_DATA_SIZE`.
    Size,
    /// The binding point.
    Binding,
    /// Number of active variables.
    Members,
}

/// Fact that `member` of `[link]` checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFact {
    /// Bytes from the block's start.
    Offset,
    /// Bytes between the elements of an array.
    Stride,
    /// Bytes between columns or rows.
    MatrixStride,
    /// 1 for a row-major matrix, else 0.
    RowMajor,
}
