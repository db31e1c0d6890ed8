//! The features, downlevel flags, limits and formats that an adapter offers to cases, by wgpu's names.

use ir::backend::Backend;
use ir::emit::WgslDialect;
use link::{AdapterRules, BlockLayouts, Wide};
use plan::PlanOptions;
use plan::topology::ProvokingVertex;

use super::ability::Abilities;
use super::adapter_info::AdapterInfo;
use super::format::FormatTable;
use super::limits::limit_values;

/// The abilities of a device, which is a driver's or the CPU executor.
#[derive(Clone, Debug)]
pub struct Offer {
    pub(crate) info: AdapterInfo,
    pub(crate) abilities: Abilities,
    /// What the adapter, whatever the device has of it, reports about formats.
    pub(crate) format_table: FormatTable,
    /// The dialect of the WGSL that stages are written in for other compilers; `None` if they are not.
    pub(crate) wgsl: Option<WgslDialect>,
}

impl Offer {
    /// The offer of the adapter with this description. `abilities` are those that its device has, which may be fewer
    /// than the adapter's; `format_table` is the adapter's.
    pub const fn new(info: AdapterInfo, abilities: Abilities, format_table: FormatTable) -> Self {
        Self { info, abilities, format_table, wgsl: None }
    }

    /// Reduces the offer to what stages in this dialect of WGSL can express. The linker then lowers 64-bit values and
    /// blocks with other layouts than WGSL's to words, and cases that need what WGSL lacks are skipped.
    pub const fn read_as_wgsl(&mut self, dialect: WgslDialect) {
        self.wgsl = Some(dialect);
    }

    /// The features, flags and limits of the device, by wgpu's names.
    pub const fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Description of the adapter.
    pub const fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Properties of the adapter that the linker depends on.
    pub fn link_rules(&self) -> AdapterRules {
        let is_gl = self.info.backend == Backend::Gl;
        let block_layouts = match self.wgsl {
            Some(WgslDialect::Standard | WgslDialect::Naga) => BlockLayouts::Natural,
            None if is_gl => BlockLayouts::Standard,
            None => BlockLayouts::Any,
        };
        AdapterRules {
            max_inter_stage_variables: self.abilities.limits.max_inter_stage_shader_variables,
            has_clip_distances: self.has_clip_distances(),
            block_layouts,
            are_clip_distances_padded: is_gl,
            lacking: self.lacking(),
        }
    }

    /// The 64-bit types that shaders cannot use on this device.
    fn lacking(&self) -> Option<Wide> {
        if self.wgsl == Some(WgslDialect::Standard) {
            return Some(Wide::Both);
        }
        let has = |feature| self.abilities.features.contains(feature);
        match (has(wgpu_types::Features::SHADER_F64), has(wgpu_types::Features::SHADER_INT64)) {
            (true, true) => None,
            (false, true) => Some(Wide::Floats),
            (true | false, false) => Some(Wide::Both),
        }
    }

    /// True if the device supports clip distances.
    pub fn has_clip_distances(&self) -> bool {
        self.abilities.features.contains(wgpu_types::Features::CLIP_DISTANCES)
    }

    /// True if single samples of a multisampled target can be read. wgpu's GL backend loses the contents of
    /// multisampled targets that shaders can read.
    pub fn reads_samples(&self) -> bool {
        self.info.backend != Backend::Gl
    }

    /// Names of the features that the device has, as `feature …` of `[require]` accepts them.
    pub fn features(&self) -> Vec<&'static str> {
        self.abilities.features.iter_names().map(|(name, _)| name).collect()
    }

    /// Names of the downlevel flags of wgpu that the device has.
    pub fn flags(&self) -> Vec<&'static str> {
        self.abilities.flags.iter_names().map(|(name, _)| name).collect()
    }

    /// Names and values of the device's limits, as `limit …` of `[require]` accepts them.
    pub fn limits(&self) -> Vec<(&'static str, u64)> {
        limit_values(&self.abilities.limits)
    }

    /// Properties of the adapter that the plan depends on.
    pub fn plan_options(&self) -> PlanOptions {
        let provoking = match self.info.backend {
            Backend::Gl => ProvokingVertex::Last,
            Backend::Vulkan | Backend::Metal | Backend::Dx12 | Backend::Cpu => {
                ProvokingVertex::First
            }
        };
        let joins_targets = !self.abilities.has(wgpu_types::DownlevelFlags::INDEPENDENT_BLEND);
        PlanOptions { provoking, joins_targets }
    }
}
