//! Fills depth textures. Not every adapter copies bytes to them, so a pass writes every texel as a depth.

use offer::format::DEPTH_TEXTURE;

use super::flat_texture::{flat_texture, upload};
use super::full_screen::{self, Written};
use crate::adapter::Gpu;

/// A fragment stage that reads depths from the texels of a colour texture.
const SHADER: &str = "
@group(0) @binding(0) var depths: texture_2d<f32>;

@fragment fn fragment(@builtin(position) at: vec4<f32>) -> @builtin(frag_depth) f32 {
    return textureLoad(depths, vec2<i32>(at.xy), 0).r;
}
";

/// Writes `bytes`, 32-bit floats layer after layer, into the first level of `texture`.
pub(crate) fn fill(gpu: &Gpu, texture: &wgpu::Texture, bytes: &[u8]) {
    let size = texture.size();
    let layer_bytes = usize::try_from(u64::from(size.width) * u64::from(size.height) * 4);
    let pipeline = pipeline(gpu);
    let mut encoder =
        gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None });
    for (layer, bytes) in (0..).zip(bytes.chunks_exact(layer_bytes.unwrap_or(1).max(1))) {
        let group = source_group(gpu, &pipeline, size, bytes);
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: layer,
            array_layer_count: Some(1),
            mip_level_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
    gpu.queue.submit([encoder.finish()]);
}

/// Uploads `bytes` to a texture and binds it for `pipeline`.
fn source_group(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    size: wgpu::Extent3d,
    bytes: &[u8],
) -> wgpu::BindGroup {
    let source = gpu.device.create_texture(&flat_texture(
        "depths",
        [size.width, size.height],
        wgpu::TextureFormat::R32Float,
        wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
    ));
    upload(gpu, &source, 0, 4, bytes);
    full_screen::texture_group(
        gpu,
        pipeline,
        &source.create_view(&wgpu::TextureViewDescriptor::default()),
    )
}

fn pipeline(gpu: &Gpu) -> wgpu::RenderPipeline {
    let depth = wgpu::DepthStencilState {
        format: DEPTH_TEXTURE,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    };
    let written = Written { targets: &[], depth: Some(depth), samples: 1 };
    full_screen::pipeline(gpu, "depths", SHADER, written)
}
