//! The features, downlevel flags, limits and formats that an adapter offers to cases, by wgpu's names.

use ir::backend::Backend;
use ir::emit::{self, WgslDialect};
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
    /// The language in which naga writes the stages for other compilers; `None` if there are none.
    pub(crate) written: Option<emit::Language>,
}

impl Offer {
    /// The offer of the adapter with this description. `abilities` are those that its device has, which may be fewer
    /// than the adapter's; `format_table` is the adapter's.
    pub const fn new(info: AdapterInfo, abilities: Abilities, format_table: FormatTable) -> Self {
        Self { info, abilities, format_table, written: None }
    }

    /// Reduces the offer to what naga can write in a language, which other compilers read. The linker then lowers the rest
    /// ([`lower_for_compilers`]), and cases that need what WGSL lacks are skipped.
    pub const fn write_in(&mut self, language: emit::Language) {
        self.written = Some(language);
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
        let mut rules = AdapterRules {
            max_inter_stage_variables: self.abilities.limits.max_inter_stage_shader_variables,
            has_clip_distances: self.has_clip_distances(),
            block_layouts: if is_gl { BlockLayouts::Standard } else { BlockLayouts::Any },
            are_clip_distances_padded: is_gl,
            lacking: self.lacking(),
        };
        if let Some(language) = self.written {
            lower_for_compilers(language, &mut rules);
        }
        rules
    }

    /// The 64-bit types that shaders cannot use on this device.
    fn lacking(&self) -> Option<Wide> {
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

/// Makes the linker lower what naga cannot write in a language: layouts of blocks and 64-bit types become words.
pub const fn lower_for(language: emit::Language, rules: &mut AdapterRules) {
    match language {
        // Metal has no doubles. HLSL has few functions of them, naga writes more, and wgpu has none on Direct3D.
        emit::Language::Msl | emit::Language::Hlsl if rules.lacking.is_none() => {
            rules.lacking = Some(Wide::Floats);
        }
        emit::Language::Wgsl(dialect) => {
            rules.block_layouts = BlockLayouts::Natural;
            if matches!(dialect, WgslDialect::Standard) {
                rules.lacking = Some(Wide::Both);
            }
        }
        emit::Language::Spirv
        | emit::Language::Glsl
        | emit::Language::Hlsl
        | emit::Language::Msl
        | emit::Language::Dot => {}
    }
}

/// Like [`lower_for`], for compilers whose result runs on Vulkan.
pub const fn lower_for_compilers(language: emit::Language, rules: &mut AdapterRules) {
    lower_for(language, rules);
    if matches!(language, emit::Language::Hlsl) {
        rules.block_layouts = BlockLayouts::Flat;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: emit::Language, layouts: BlockLayouts, lacking: Option<Wide>) {
        let mut rules = AdapterRules::default();
        lower_for_compilers(language, &mut rules);
        assert_eq!((rules.block_layouts, rules.lacking), (layouts, lacking), "{language:?}");
        rules.lacking = Some(Wide::Both);
        lower_for_compilers(language, &mut rules);
        assert_eq!(rules.lacking, Some(Wide::Both), "{language:?}: what is lacking stays so");
    }

    #[test]
    fn languages_have_layouts_and_types_of_their_own() {
        check(emit::Language::Spirv, BlockLayouts::Any, None);
        check(emit::Language::Hlsl, BlockLayouts::Flat, Some(Wide::Floats));
        check(emit::Language::Msl, BlockLayouts::Any, Some(Wide::Floats));
        let of = emit::Language::Wgsl;
        check(of(WgslDialect::Naga), BlockLayouts::Natural, None);
        check(of(WgslDialect::Standard), BlockLayouts::Natural, Some(Wide::Both));
        // Direct3D has the layouts for which naga writes HLSL.
        let mut rules = AdapterRules::default();
        lower_for(emit::Language::Hlsl, &mut rules);
        assert_eq!(rules.block_layouts, BlockLayouts::Any);
    }
}
