//! Fills textures that bytes cannot be copied to on every adapter: a pass writes each texel of a depth texture, and one
//! pass for each sample those of a multisampled texture.

use case::texture::SAMPLES;
use ir::format::FormatClass;
use offer::format::{DEPTH_TEXTURE, texel_format};
use plan::{PlannedTexture, TexelFormat};

use super::flat_texture::{flat_texture, upload};
use super::full_screen::{self, Written};
use crate::adapter::Gpu;

/// The texels of one level of a texture.
#[derive(Clone, Copy)]
pub(crate) struct Texels<'a> {
    /// The level.
    pub(crate) level: u32,
    /// The bytes, layer after layer or sample after sample. Depths are 32-bit floats.
    pub(crate) bytes: &'a [u8],
}

/// Writes the texels of a level into `texture`, which is made for `planned`.
pub(crate) fn fill(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    planned: &PlannedTexture,
    texels: Texels<'_>,
) {
    let halved = |side: u32| (side >> texels.level).max(1);
    let size = [halved(planned.size[0]), halved(planned.size[1])];
    let texel = u64::try_from(planned.format.bytes_per_texel()).unwrap_or(1);
    let slice = usize::try_from(u64::from(size[0]) * u64::from(size[1]) * texel).unwrap_or(1);
    let is_multisampled = texture.sample_count() > 1;
    let mut encoder =
        gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None });
    for (idx, bytes) in (0..).zip(texels.bytes.chunks_exact(slice.max(1))) {
        let (layer, sample) = if is_multisampled { (0, idx) } else { (idx, 0) };
        let pipeline = pipeline(gpu, planned.format, is_multisampled.then_some(sample));
        let group = source_group(gpu, &pipeline, planned.format, Slice { size, bytes });
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: layer,
            array_layer_count: Some(1),
            base_mip_level: texels.level,
            mip_level_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        draw(&mut encoder, &pipeline, &group, To { view: &view, format: planned.format, sample });
    }
    gpu.queue.submit([encoder.finish()]);
}

/// The slice that a pass writes.
struct To<'a> {
    view: &'a wgpu::TextureView,
    format: TexelFormat,
    sample: u32,
}

/// Records the pass that writes a slice, and keeps the samples of earlier passes.
fn draw(
    encoder: &mut wgpu::CommandEncoder,
    pipeline: &wgpu::RenderPipeline,
    group: &wgpu::BindGroup,
    to: To<'_>,
) {
    let is_first = to.sample == 0;
    let store = wgpu::StoreOp::Store;
    let color = wgpu::RenderPassColorAttachment {
        view: to.view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: if is_first {
                wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT)
            } else {
                wgpu::LoadOp::Load
            },
            store,
        },
    };
    let depth = wgpu::RenderPassDepthStencilAttachment {
        view: to.view,
        depth_ops: Some(wgpu::Operations {
            load: if is_first { wgpu::LoadOp::Clear(0.0) } else { wgpu::LoadOp::Load },
            store,
        }),
        stencil_ops: None,
    };
    let (colors, depth) = match to.format {
        TexelFormat::Color(_) => (vec![Some(color)], None),
        TexelFormat::Depth => (Vec::new(), Some(depth)),
    };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &colors,
        depth_stencil_attachment: depth,
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, group, &[]);
    pass.draw(0..3, 0..1);
}

/// Uploads the bytes of a slice to a texture and binds it for `pipeline`.
fn source_group(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    format: TexelFormat,
    slice: Slice<'_>,
) -> wgpu::BindGroup {
    let source_format = match format {
        TexelFormat::Color(_) => texel_format(format),
        TexelFormat::Depth => wgpu::TextureFormat::R32Float,
    };
    let source = gpu.device.create_texture(&flat_texture(
        "texels",
        slice.size,
        source_format,
        wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
    ));
    upload(gpu, &source, 0, format.bytes_per_texel(), slice.bytes);
    full_screen::texture_group(
        gpu,
        pipeline,
        &source.create_view(&wgpu::TextureViewDescriptor::default()),
    )
}

/// The pipeline that writes texels of a format, to one sample of a multisampled texture.
fn pipeline(gpu: &Gpu, format: TexelFormat, sample: Option<u32>) -> wgpu::RenderPipeline {
    let samples = if sample.is_some() { SAMPLES } else { 1 };
    let sample_mask = sample.map_or(!0, |sample| 1 << sample);
    let state = wgpu::ColorTargetState {
        format: texel_format(format),
        blend: None,
        write_mask: wgpu::ColorWrites::ALL,
    };
    let depth = wgpu::DepthStencilState {
        format: DEPTH_TEXTURE,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    };
    let (targets, depth) = match format {
        TexelFormat::Color(_) => (vec![Some(state)], None),
        TexelFormat::Depth => (Vec::new(), Some(depth)),
    };
    let written = Written { targets: &targets, depth, samples, sample_mask };
    full_screen::pipeline(gpu, "texels", &shader(format), written)
}

/// The WGSL of a fragment stage that reads the texel at its own place.
fn shader(format: TexelFormat) -> String {
    let texture = |scalar: &str| {
        format!(
            "@group(0) @binding(0) var texels: texture_2d<{scalar}>;\n@fragment fn fragment(@builtin(position) at: vec4<f32>)"
        )
    };
    let load = "textureLoad(texels, vec2<i32>(at.xy), 0)";
    match format {
        TexelFormat::Color(format) => {
            let scalar = match format.class() {
                FormatClass::Float => "f32",
                FormatClass::Sint => "i32",
                FormatClass::Uint => "u32",
            };
            let head = texture(scalar);
            format!("{head} -> @location(0) vec4<{scalar}> {{ return {load}; }}")
        }
        TexelFormat::Depth => {
            format!("{} -> @builtin(frag_depth) f32 {{ return {load}.r; }}", texture("f32"))
        }
    }
}

/// The texels of one layer or sample.
#[derive(Clone, Copy)]
struct Slice<'a> {
    size: [u32; 2],
    bytes: &'a [u8],
}

#[cfg(test)]
mod tests {
    use ir::format::Format;

    use super::*;

    #[test]
    fn shaders_are_valid_for_every_format() {
        let all = Format::all().iter().map(|format| TexelFormat::Color(*format));
        for format in all.chain([TexelFormat::Depth]) {
            let text = shader(format);
            assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
        }
    }
}
