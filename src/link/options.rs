//! The linker's options.

use ir::format::FormatClass;
use ir::linkage_table::LinkageTable;
use ir::options::{
    CaptureSection, ColorState, DebugNames, GenericLimits, LastOutputs, OutputRule, Packing,
    PerVertexRule, ProgramLimit, SpriteCoordinates,
};
use ir::profile::{Profile, UnwrittenInput};
use ir::semantic::Semantic;
use ir::source::Spanned;
use ir::tessellation::MAX_PATCH_VERTICES;

use crate::binding::Sharing;
use crate::budget::SlotLimit;
use crate::words::Wide;

/// The linker's input beyond the stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// How varyings share slots.
    pub packing: Packing,
    /// Properties of the adapter.
    pub adapter: AdapterRules,
    /// Origin of the limit on inter-stage variables.
    pub slot_limit: SlotLimit,
    /// Labels of separately compiled stages.
    pub labels: LabelOptions,
    /// State of the draws.
    pub raster: RasterState,
    /// What GL allows the program.
    pub rules: ProgramRules,
    /// `[capture]`.
    pub capture: Option<CaptureSection>,
}

/// The adapter's properties that linking depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterRules {
    /// Vec4 locations between a vertex and a fragment stage.
    pub max_inter_stage_variables: u32,
    /// True if the adapter clips by the vertex stage's clip distances; otherwise the fragment stage clips, by discarding.
    pub has_clip_distances: bool,
    /// True if blocks are laid out by std430 and std140 whatever a module says: naga's GLSL has no member offsets.
    pub are_blocks_standard_only: bool,
    /// True if a vertex stage must write all eight clip distances or none: wgpu's GL backend keeps those of an earlier
    /// pipeline enabled.
    pub are_clip_distances_padded: bool,
    /// 64-bit types that the adapter lacks: values of those are pairs of words.
    pub lacking: Option<Wide>,
}

impl Default for AdapterRules {
    /// WebGPU's guaranteed limits.
    fn default() -> Self {
        Self {
            max_inter_stage_variables: 16,
            has_clip_distances: true,
            are_blocks_standard_only: false,
            are_clip_distances_padded: false,
            lacking: None,
        }
    }
}

/// Labels of varyings, where a linkage profile chooses their locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelOptions {
    /// The linkage profile.
    pub profile: Profile,
    /// Value of inputs of separable stages whose label nobody writes.
    pub unwritten: UnwrittenInput,
    /// True if stages are compiled apart and joined by semantic.
    pub is_separable: bool,
    /// Semantics that varyings were given.
    pub semantics: Vec<Spanned<(String, Semantic)>>,
    /// Number of `GENERIC` labels that each stage may use.
    pub generics: GenericLimits,
    /// Pairs of labels of the two stages that meet.
    pub linkage: LinkageTable,
}

/// State of all draws with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RasterState {
    /// Number type of each draw buffer; `None` for those without a render target.
    pub targets: Vec<Option<FormatClass>>,
    /// Rule for a fragment output whose base type is not its target's.
    pub outputs: OutputRule,
    /// Height of the render targets in pixels; `None` if it changes between draws.
    pub target_height: Option<u32>,
    /// True if the render targets have several samples per pixel.
    pub is_multisampled: bool,
    /// True if points are drawn, which costs one inter-stage variable where WebGPU draws them.
    pub has_points: bool,
    /// True if `GL_PROGRAM_POINT_SIZE` is ever enabled.
    pub is_point_size_enabled: bool,
    /// Varyings that are replaced in points.
    pub sprite: SpriteCoordinates,
    /// Path of the colours of the compatibility profile to the fragment stage.
    pub colors: ColorState,
    /// The highest user clip plane that is ever enabled, plus 1: 0 to 8.
    pub clip_planes: u32,
    /// Most vertices of a patch in any draw, 1 to 32.
    pub patch_vertices: u32,
}

impl Default for RasterState {
    /// One float target, no points, patches of any size.
    fn default() -> Self {
        Self {
            targets: vec![Some(FormatClass::Float)],
            outputs: OutputRule::default(),
            target_height: None,
            is_multisampled: false,
            has_points: false,
            is_point_size_enabled: false,
            sprite: SpriteCoordinates::default(),
            colors: ColorState::default(),
            clip_planes: 0,
            patch_vertices: MAX_PATCH_VERTICES,
        }
    }
}

/// What GL allows the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramRules {
    /// Whether the vertex stage must redeclare `gl_PerVertex`.
    pub per_vertex: PerVertexRule,
    /// Outputs whose locations are compared where no stage follows.
    pub last_outputs: LastOutputs,
    /// True if SPIR-V stages link with GLSL ones.
    pub mixes_languages: bool,
    /// Limits that the case sets.
    pub limits: Vec<(ProgramLimit, u32)>,
    /// Whether queries tell the names that SPIR-V modules have for people.
    pub debug_names: DebugNames,
    /// The highest version of desktop GLSL in the program, which decides for all its stages. The linker sets it.
    pub newest_version: u16,
    /// Locations of vertex attributes that the case asks for, if they are more than GL guarantees.
    pub attributes: Option<u32>,
}

impl LinkOptions {
    /// The same with `variables` inter-stage variables, which GL and not the adapter allows.
    #[must_use]
    pub fn with_slots_of_gl(&self, variables: u32) -> Self {
        let adapter = AdapterRules { max_inter_stage_variables: variables, ..self.adapter };
        Self { adapter, slot_limit: SlotLimit::Gl, ..self.clone() }
    }

    /// The same for an adapter with all 64-bit types.
    #[must_use]
    pub fn with_wide_types(&self) -> Self {
        Self { adapter: AdapterRules { lacking: None, ..self.adapter }, ..self.clone() }
    }
}

impl LabelOptions {
    /// True if slots are labels, whose locations the profile chooses.
    pub fn are_used(&self) -> bool {
        self.is_separable
            || self.profile != Profile::Webgpu
            || !self.semantics.is_empty()
            || self.generics != GenericLimits::default()
            || !self.linkage.is_empty()
    }

    /// What equal names of uniforms and blocks in two stages mean.
    pub const fn sharing(&self) -> Sharing {
        if self.is_separable { Sharing::Apart } else { Sharing::ByName }
    }
}
