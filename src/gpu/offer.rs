//! The features, downlevel flags, limits and formats that an adapter offers to cases, by wgpu's names.

use ir::backend::Backend;
use link::{AdapterRules, Wide};
use plan::PlanOptions;
use plan::topology::ProvokingVertex;

use super::AdapterInfo;
use super::ability::Abilities;
use super::pretend::{Pretend, PretendError};

/// The abilities of a device, which is a driver's or the CPU executor.
#[derive(Debug)]
pub struct Offer {
    pub(super) info: AdapterInfo,
    pub(super) abilities: Abilities,
    /// The driver's adapter; `None` for the executor.
    pub(super) adapter: Option<wgpu::Adapter>,
}

impl Offer {
    /// The abilities of the executor with this description, reduced by `pretend`.
    ///
    /// # Errors
    /// `pretend` does not describe a possible device.
    pub fn of_executor(info: AdapterInfo, pretend: &Pretend) -> Result<Self, PretendError> {
        Ok(Self { info, abilities: pretend.reduce(Abilities::of_executor())?, adapter: None })
    }

    /// Description of the adapter.
    pub const fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Properties of the adapter that the linker depends on.
    pub fn link_rules(&self) -> AdapterRules {
        let is_gl = self.info.backend == Backend::Gl;
        AdapterRules {
            max_inter_stage_variables: self.abilities.limits.max_inter_stage_shader_variables,
            has_clip_distances: self.has_clip_distances(),
            are_blocks_standard_only: is_gl,
            are_clip_distances_padded: is_gl,
            lacking: self.lacking(),
        }
    }

    /// The 64-bit types that shaders cannot use on this device.
    fn lacking(&self) -> Option<Wide> {
        let has = |feature| self.abilities.features.contains(feature);
        match (has(wgpu::Features::SHADER_F64), has(wgpu::Features::SHADER_INT64)) {
            (true, true) => None,
            (false, true) => Some(Wide::Floats),
            (true | false, false) => Some(Wide::Both),
        }
    }

    /// True if the device supports clip distances.
    pub fn has_clip_distances(&self) -> bool {
        self.abilities.features.contains(wgpu::Features::CLIP_DISTANCES)
    }

    /// True if single samples of a multisampled target can be read. wgpu's GL backend loses the contents of
    /// multisampled targets that shaders can read.
    pub(super) fn reads_samples(&self) -> bool {
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
        super::requirement::limit_values(&self.abilities.limits)
    }

    /// Names and values of GL's limits on this device, as `[require]` accepts them.
    pub fn gl_limits(&self) -> Vec<(&'static str, i64)> {
        super::requirement::gl_limit_values(self)
    }

    /// Properties of the adapter that the plan depends on.
    pub(super) fn plan_options(&self) -> PlanOptions {
        let provoking = match self.info.backend {
            Backend::Gl => ProvokingVertex::Last,
            Backend::Vulkan | Backend::Metal | Backend::Dx12 | Backend::Cpu => {
                ProvokingVertex::First
            }
        };
        let joins_targets = !self.abilities.has(wgpu::DownlevelFlags::INDEPENDENT_BLEND);
        PlanOptions { provoking, joins_targets }
    }
}
