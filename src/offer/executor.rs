//! What the executor on the CPU offers.

use wgpu_types::{TextureFormat, TextureFormatFeatures};

use ir::format::{Format, FormatClass};

use super::ability::Abilities;
use super::adapter_info::AdapterInfo;
use super::format::{FormatTable, SAMPLE_FLAGS, texture_format};
use super::offer::Offer;
use super::pretend::{Pretend, PretendError};

/// Features of the executor that cases can need.
const EXECUTOR_FEATURES: wgpu_types::Features = wgpu_types::Features::CLIP_DISTANCES
    .union(wgpu_types::Features::DUAL_SOURCE_BLENDING)
    .union(wgpu_types::Features::VERTEX_WRITABLE_STORAGE)
    .union(wgpu_types::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu_types::Features::SHADER_F64)
    .union(wgpu_types::Features::SHADER_F16)
    .union(wgpu_types::Features::SHADER_I16)
    .union(wgpu_types::Features::SHADER_INT64)
    .union(wgpu_types::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(wgpu_types::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu_types::Features::SHADER_FLOAT32_ATOMIC)
    .union(wgpu_types::Features::TEXTURE_ATOMIC)
    .union(wgpu_types::Features::IMMEDIATES)
    .union(wgpu_types::Features::PRIMITIVE_INDEX)
    .union(wgpu_types::Features::SHADER_EARLY_DEPTH_TEST)
    .union(wgpu_types::Features::SUBGROUP)
    .union(wgpu_types::Features::SUBGROUP_BARRIER)
    .union(wgpu_types::Features::MEMORY_DECORATION_COHERENT)
    .union(wgpu_types::Features::MEMORY_DECORATION_VOLATILE)
    .union(wgpu_types::Features::TEXTURE_FORMAT_16BIT_NORM)
    .union(wgpu_types::Features::DEPTH32FLOAT_STENCIL8)
    .union(wgpu_types::Features::FLOAT32_BLENDABLE)
    .union(wgpu_types::Features::FLOAT32_FILTERABLE)
    .union(wgpu_types::Features::RG11B10UFLOAT_RENDERABLE)
    .union(wgpu_types::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES);

impl Abilities {
    /// All abilities of the CPU executor. Its compiler reports shader features that it does not implement.
    pub fn of_executor() -> Self {
        Self {
            features: EXECUTOR_FEATURES,
            flags: wgpu_types::DownlevelFlags::all(),
            // The executor has no limits of its own. These are lavapipe's limits where they exceed WebGPU's.
            limits: wgpu_types::Limits {
                max_texture_dimension_2d: 16_384,
                max_texture_dimension_3d: 4096,
                max_texture_array_layers: 2048,
                max_bind_groups: 8,
                max_sampled_textures_per_shader_stage: 32,
                max_samplers_per_shader_stage: 32,
                max_storage_buffers_per_shader_stage: 32,
                max_storage_textures_per_shader_stage: 32,
                max_uniform_buffers_per_shader_stage: 15,
                max_vertex_buffers: 16,
                max_vertex_attributes: 32,
                max_immediate_size: 128,
                max_inter_stage_shader_variables: 31,
                max_color_attachment_bytes_per_sample: 128,
                max_compute_workgroup_storage_size: 32_768,
                max_compute_invocations_per_workgroup: 1024,
                max_compute_workgroup_size_x: 1024,
                max_compute_workgroup_size_y: 1024,
                max_compute_workgroup_size_z: 1024,
                ..wgpu_types::Limits::defaults()
            },
            language: None,
        }
    }
}

impl Offer {
    /// The abilities of the executor with this description, reduced by `pretend`.
    ///
    /// # Errors
    /// `pretend` does not describe a possible device.
    pub fn of_executor(info: AdapterInfo, pretend: &Pretend) -> Result<Self, PretendError> {
        let abilities = pretend.reduce(Abilities::of_executor())?;
        Ok(Self::new(info, abilities, FormatTable::new(true, features_on_executor)))
    }
}

/// The capabilities of a format on the executor, which has all that make sense for the format.
fn features_on_executor(format: TextureFormat) -> TextureFormatFeatures {
    use wgpu_types::TextureFormatFeatureFlags as Flags;
    let ours = Format::all().iter().find(|known| texture_format(**known) == Some(format));
    let is_integer = ours.is_some_and(|format| format.class() != FormatClass::Float);
    let mut flags =
        SAMPLE_FLAGS.into_iter().fold(Flags::MULTISAMPLE_RESOLVE, |all, (_, own)| all | own);
    flags.set(Flags::FILTERABLE, !is_integer);
    flags.set(Flags::BLENDABLE, ours.is_some() && !is_integer);
    let images = Flags::STORAGE_READ_ONLY | Flags::STORAGE_WRITE_ONLY | Flags::STORAGE_READ_WRITE;
    flags.set(images, ours.is_some());
    flags.set(
        Flags::STORAGE_ATOMIC,
        matches!(format, TextureFormat::R32Uint | TextureFormat::R32Sint),
    );
    TextureFormatFeatures { allowed_usages: wgpu_types::TextureUsages::all(), flags }
}
