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

use crate::table::binding::Sharing;

/// The linker's options: its input other than the stages.
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
    /// State of the draws with the program.
    pub raster: RasterState,
    /// Rules of GL for the program.
    pub rules: ProgramRules,
    /// The case's `[capture]` section.
    pub capture: Option<CaptureSection>,
}

/// The adapter's properties that linking depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterRules {
    /// Number of vec4 locations between a vertex and a fragment stage.
    pub max_inter_stage_variables: u32,
    /// True if the adapter clips by the vertex stage's clip distances. Otherwise the fragment stage emulates clipping
    /// by discarding.
    pub has_clip_distances: bool,
    /// The layouts that blocks may have. Blocks with other layouts are lowered to words.
    pub block_layouts: BlockLayouts,
    /// True if a vertex stage must write all eight clip distances or none: wgpu's GL backend keeps the distances of an
    /// earlier pipeline enabled.
    pub are_clip_distances_padded: bool,
    /// The 64-bit types that the adapter lacks, whose values are lowered to pairs of words.
    pub lacking: Option<Wide>,
}

impl Default for AdapterRules {
    /// WebGPU's guaranteed limits.
    fn default() -> Self {
        Self {
            max_inter_stage_variables: 16,
            has_clip_distances: true,
            block_layouts: BlockLayouts::Any,
            are_clip_distances_padded: false,
            lacking: None,
        }
    }
}

/// The layouts of blocks that the way to the adapter keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockLayouts {
    /// All: members have explicit offsets.
    #[default]
    Any,
    /// std430 for storage blocks and std140 for uniform blocks: naga's GLSL has no member offsets.
    Standard,
    /// The layout that WGSL gives a type without `@align` and `@size`, which naga's WGSL has not. It is std430; uniform
    /// blocks must also be std140.
    Natural,
    /// Any for storage blocks; uniform blocks only have scalars, vectors and arrays of vectors of four. Members behind
    /// other arrays, matrices and structures have other places in HLSL's constant buffers on Vulkan than on Direct3D, for
    /// which naga writes HLSL.
    Flat,
}

/// Options for the labels of varyings, whose locations a linkage profile chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelOptions {
    /// The linkage profile.
    pub profile: Profile,
    /// Value of inputs of separable stages whose label is not written.
    pub unwritten: UnwrittenInput,
    /// True if stages are compiled separately and connected by semantic.
    pub is_separable: bool,
    /// Semantics that the case assigns to varyings.
    pub semantics: Vec<Spanned<(String, Semantic)>>,
    /// Number of `GENERIC` labels that each stage may use.
    pub generics: GenericLimits,
    /// Pairs of labels of the two stages that are connected.
    pub linkage: LinkageTable,
}

/// State of all draws with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RasterState {
    /// Number type of each draw buffer; `None` for those without a render target.
    pub targets: Vec<Option<FormatClass>>,
    /// Rule for a fragment output whose base type differs from that of its target.
    pub outputs: OutputRule,
    /// Height of the render targets in pixels; `None` if it changes between draws.
    pub target_height: Option<u32>,
    /// True if the render targets have several samples per pixel.
    pub is_multisampled: bool,
    /// True if points are drawn, which needs one inter-stage variable if WebGPU draws them.
    pub has_points: bool,
    /// True if `GL_PROGRAM_POINT_SIZE` is ever enabled.
    pub is_point_size_enabled: bool,
    /// Varyings that are replaced in point sprites.
    pub sprite: SpriteCoordinates,
    /// Path of the colours of the compatibility profile to the fragment stage.
    pub colors: ColorState,
    /// The highest user clip plane that is ever enabled, plus 1: 0 to 8.
    pub clip_planes: u32,
    /// Maximum number of vertices of a patch in any draw, 1 to 32.
    pub patch_vertices: u32,
}

impl Default for RasterState {
    /// The state with one float target, without points, and with patches of any size.
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

/// Rules of GL for a program, as far as they depend on the case or the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramRules {
    /// Whether the vertex stage must redeclare `gl_PerVertex`.
    pub per_vertex: PerVertexRule,
    /// The outputs of a last stage whose locations are compared.
    pub last_outputs: LastOutputs,
    /// True if SPIR-V stages link with GLSL stages.
    pub mixes_languages: bool,
    /// Limits that the case sets.
    pub limits: Vec<(ProgramLimit, u32)>,
    /// Whether queries report the debug names of SPIR-V modules.
    pub debug_names: DebugNames,
    /// The highest version of desktop GLSL in the program, whose rules apply to all of its stages. The linker sets it.
    pub newest_version: u16,
    /// Number of locations of vertex attributes that the case requires, if it exceeds GL's guarantee.
    pub attributes: Option<u32>,
}

/// Origin of the limit on inter-stage variables; it decides what happens when varyings do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotLimit {
    /// A limit of the case (`variables N`) or of a caller: the program does not link.
    #[default]
    Case,
    /// The adapter's limit: the program is valid, but this adapter cannot run it.
    Adapter,
    /// WebGPU's guarantee, for a case that draws nothing and sets no limit; treated like [`Self::Adapter`].
    Guarantee,
    /// The limit [`crate::place::budget::GL_SLOTS`], all of whose slots are for varyings: the program does not link.
    Gl,
}

impl LinkOptions {
    /// These options with `variables` inter-stage variables as GL's limit instead of the adapter's.
    #[must_use]
    pub fn with_slots_of_gl(&self, variables: u32) -> Self {
        let adapter = AdapterRules { max_inter_stage_variables: variables, ..self.adapter };
        Self { adapter, slot_limit: SlotLimit::Gl, ..self.clone() }
    }

    /// These options for an adapter with all 64-bit types.
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

    /// The meaning of equal names of uniforms and blocks in two stages.
    pub const fn sharing(&self) -> Sharing {
        if self.is_separable { Sharing::Apart } else { Sharing::ByName }
    }
}

/// The 64-bit types that an adapter lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// Only 64-bit floats. A stage without 64-bit floats keeps its 64-bit integers.
    Floats,
    /// 64-bit integers, and also floats, because floats are composed from integers.
    Both,
}
