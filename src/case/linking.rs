//! What `[link]` says: how varyings are packed, and what the linker must decide.

use std::fmt;

use ir::linkage_table::LinkageTable;
use ir::options::{
    Chunk, ColorChooser, DebugNames, GenericLimits, OutputRule, PackStep, Packing, PerVertexRule,
    ProgramLimit, RemovalReason, SpriteCoordinates,
};
use ir::profile::Profile;
use ir::semantic::Semantic;
use ir::source::{Span, Spanned};

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
