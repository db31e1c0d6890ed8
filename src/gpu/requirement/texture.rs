//! What a program's images and a plan's textures need of an adapter.

use crate::case::texture::Wrap;
use crate::gpu::Gpu;
use crate::gpu::plan::Plan;
use crate::gpu::texture_format::texture_format;
use crate::link::program::{ImageAccess, LinkedProgram, OpaqueBinding, OpaqueKind};

/// What the textures and samplers of `plan` need and the adapter, or WebGPU, lacks, in words.
pub(in crate::gpu) fn lacks_plan(gpu: &Gpu, plan: &Plan) -> Option<String> {
    if let Some(impossible) = &plan.impossible {
        return Some(impossible.clone());
    }
    let has_border =
        plan.samplers.iter().any(|sampler| sampler.wrap.contains(&Wrap::ClampToBorder));
    let borders = wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER;
    if has_border && !gpu.abilities.features.contains(borders) {
        return Some("the adapter's textures have no borders".to_owned());
    }
    let most = gpu.abilities.limits.max_texture_dimension_2d;
    let side = plan.textures.iter().flat_map(|it| [it.size[0], it.size[1]]).max().unwrap_or(0);
    (side > most)
        .then(|| format!("a texture has {side} texels in a row; the adapter allows {most}"))
}

/// What the images of `program` need and the adapter lacks, in words.
pub(super) fn lacks_images(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    program.opaques.iter().find_map(|opaque| lacks_image(gpu, opaque))
}

fn lacks_image(gpu: &Gpu, opaque: &OpaqueBinding) -> Option<String> {
    let OpaqueKind::Image { format, access, .. } = opaque.kind else { return None };
    let flags = image_flags(gpu, texture_format(format)?);
    let needed = match access {
        ImageAccess::Read => wgpu::TextureFormatFeatureFlags::STORAGE_READ_ONLY,
        ImageAccess::Write => wgpu::TextureFormatFeatureFlags::STORAGE_WRITE_ONLY,
        ImageAccess::ReadWrite => wgpu::TextureFormatFeatureFlags::STORAGE_READ_WRITE,
        ImageAccess::Atomic => wgpu::TextureFormatFeatureFlags::STORAGE_ATOMIC,
    };
    if !flags.contains(needed) {
        let (name, format) = (&opaque.name, format.name());
        return Some(format!("the adapter cannot use {format} for image `{name}` in this way"));
    }
    let is_written = access != ImageAccess::Read;
    let vertex_writes = wgpu::Features::VERTEX_WRITABLE_STORAGE;
    if opaque.stages.vertex && is_written && !gpu.abilities.features.contains(vertex_writes) {
        return Some("the adapter cannot write images in the vertex stage".to_owned());
    }
    None
}

/// What the adapter's storage textures of a format can do.
fn image_flags(gpu: &Gpu, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatureFlags {
    let features = gpu.abilities.features;
    if features.contains(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES) {
        gpu.adapter.get_texture_format_features(format).flags
    } else {
        format.guaranteed_format_features(features).flags
    }
}
