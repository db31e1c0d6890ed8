//! The linker's options.

use ir::format::FormatClass;
use ir::linkage_table::LinkageTable;
use ir::options::{
    CaptureSection, ColorState, DebugNames, GenericLimits, OutputRule, Packing, PerVertexRule,
    ProgramLimit, SpriteCoordinates,
};
use ir::profile::{Missing, Profile};
use ir::semantic::Semantic;
use ir::source::Spanned;

use crate::binding::Sharing;
use crate::budget::Room;

/// The adapter's properties that linking depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterRules {
    /// Vec4 locations between a vertex and a fragment stage.
    pub max_inter_stage_variables: u32,
    /// True if the adapter clips by the vertex stage's clip distances.
    pub has_clip_distances: bool,
    /// True if blocks are laid out by std430 and std140 whatever a module says: naga's GLSL has no member offsets.
    pub are_blocks_standard_only: bool,
    /// True if a vertex stage must write all eight clip distances or none: wgpu's GL backend keeps them enabled.
    pub are_clip_distances_padded: bool,
}

impl Default for AdapterRules {
    /// WebGPU's guaranteed limits.
    fn default() -> Self {
        Self {
            max_inter_stage_variables: LinkOptions::default().max_inter_stage_variables,
            has_clip_distances: true,
            are_blocks_standard_only: false,
            are_clip_distances_padded: false,
        }
    }
}

/// The linker's input beyond the stages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct LinkOptions {
    /// How varyings share slots.
    pub packing: Packing,
    /// The linkage profile.
    pub profile: Profile,
    /// What inputs of separable stages read whose label nobody writes.
    pub missing: Missing,
    /// Whether stages are compiled apart and joined by semantic.
    pub is_separable: bool,
    /// Whether the vertex stage must redeclare `gl_PerVertex`.
    pub per_vertex: PerVertexRule,
    /// Semantics that varyings were given.
    pub semantics: Vec<Spanned<(String, Semantic)>>,
    /// How many `GENERIC` labels the stages may use.
    pub generics: GenericLimits,
    /// Which labels of the two stages meet.
    pub linkage: LinkageTable,
    /// Which varyings are replaced in points.
    pub sprite: SpriteCoordinates,
    /// Whether the render targets have several samples per pixel.
    pub is_multisampled: bool,
    /// Inter-stage variables that the linker may use (vec4 locations).
    pub max_inter_stage_variables: u32,
    /// Whose number that is.
    pub room: Room,
    /// What each draw buffer holds; `None` for those without a render target.
    pub targets: Vec<Option<FormatClass>>,
    /// What becomes of a fragment output whose base type is not its target's.
    pub outputs: OutputRule,
    /// Height of the render targets in pixels; `None` when it changes between draws.
    pub target_height: Option<u32>,
    /// Whether the case draws points, which costs one inter-stage variable where WebGPU draws them.
    pub has_points: bool,
    /// Whether the case ever enables `GL_PROGRAM_POINT_SIZE`.
    pub is_point_size_enabled: bool,
    /// How the colours of the compatibility profile reach the fragment stage.
    pub colors: ColorState,
    /// The highest user clip plane that the case ever enables, plus 1: 0 to 8.
    pub clip_planes: u32,
    /// Whether the fragment stage clips, by discarding, and not the adapter.
    pub emulates_clip: bool,
    /// Whether a vertex stage with any clip distance must give all eight, because the adapter keeps those of an earlier
    /// pipeline enabled.
    pub are_clip_distances_padded: bool,
    /// `[capture]`.
    pub capture: Option<CaptureSection>,
    /// Whether the backend lays out storage blocks by std430 and uniform blocks by std140, whatever a module says.
    pub are_blocks_standard_only: bool,
    /// Whether SPIR-V stages link with GLSL ones.
    pub mixes_languages: bool,
    /// What GL allows the program, where the case says so.
    pub limits: Vec<(ProgramLimit, u32)>,
    /// Whether queries tell the names that SPIR-V modules have for people.
    pub debug_names: DebugNames,
}

impl Default for LinkOptions {
    /// WebGPU's default limits, one float target, no points.
    fn default() -> Self {
        Self {
            packing: Packing::default(),
            profile: Profile::default(),
            missing: Missing::Zero,
            is_separable: false,
            per_vertex: PerVertexRule::default(),
            semantics: Vec::new(),
            generics: GenericLimits::default(),
            linkage: LinkageTable::default(),
            sprite: SpriteCoordinates::default(),
            is_multisampled: false,
            max_inter_stage_variables: 16,
            room: Room::Given,
            targets: vec![Some(FormatClass::Float)],
            outputs: OutputRule::default(),
            target_height: None,
            has_points: false,
            is_point_size_enabled: false,
            colors: ColorState::default(),
            clip_planes: 0,
            emulates_clip: false,
            are_clip_distances_padded: false,
            capture: None,
            are_blocks_standard_only: false,
            mixes_languages: false,
            limits: Vec::new(),
            debug_names: DebugNames::default(),
        }
    }
}

impl LinkOptions {
    /// Whether slots are labels, whose locations the profile chooses.
    pub fn is_relabelled(&self) -> bool {
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
