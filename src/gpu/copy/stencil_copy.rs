//! Copies stencil values on adapters that can neither copy nor bind them. The stencil test itself determines which bits
//! are set.
//!
//! One draw for each bit passes the test where the bit is set, and adds the bit's value to a texture of bytes.

use crate::adapter::Gpu;
use crate::target::flat_texture::flat_texture;
use crate::target::full_screen::{self, Written};

/// A pass that writes the stencil value of every pixel into a texture.
pub(crate) struct StencilCopy {
    /// The pipelines, one for each bit.
    pipelines: Vec<wgpu::RenderPipeline>,
    from: wgpu::TextureView,
    has_depth: bool,
    view: wgpu::TextureView,
    /// Texture that receives the stencil values, one byte each.
    pub(crate) texture: wgpu::Texture,
}

impl StencilCopy {
    /// Makes the pass that copies the stencil values of `from`, which has one sample and a stencil aspect.
    pub(crate) fn new(gpu: &Gpu, from: &wgpu::Texture) -> Self {
        // The sums are exact, because each bit is a whole number of steps of the format.
        let format = wgpu::TextureFormat::R8Unorm;
        let texture = gpu.device.create_texture(&flat_texture(
            "stencil copy",
            [from.width(), from.height()],
            format,
            wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        ));
        Self {
            pipelines: (0..8).map(|bit| pipeline(gpu, 1 << bit, from.format(), format)).collect(),
            from: from.create_view(&wgpu::TextureViewDescriptor::default()),
            has_depth: from.format().has_depth_aspect(),
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            texture,
        }
    }

    /// Records the pass.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(full_screen::covered(&self.view))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.from,
                depth_ops: self.has_depth.then_some(KEPT_DEPTH),
                stencil_ops: Some(KEPT_STENCIL),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        for (bit, pipeline) in (0..).zip(&self.pipelines) {
            pass.set_pipeline(pipeline);
            pass.set_stencil_reference(1 << bit);
            pass.draw(0..3, 0..1);
        }
    }
}

const KEPT_DEPTH: wgpu::Operations<f32> =
    wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store };
const KEPT_STENCIL: wgpu::Operations<u32> =
    wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store };

/// A pipeline that adds `bit` where it is set in the stencil value.
fn pipeline(
    gpu: &Gpu,
    bit: u8,
    from: wgpu::TextureFormat,
    to: wgpu::TextureFormat,
) -> wgpu::RenderPipeline {
    let face = wgpu::StencilFaceState {
        compare: wgpu::CompareFunction::Equal,
        fail_op: wgpu::StencilOperation::Keep,
        depth_fail_op: wgpu::StencilOperation::Keep,
        pass_op: wgpu::StencilOperation::Keep,
    };
    let has_depth = from.has_depth_aspect();
    let depth = wgpu::DepthStencilState {
        format: from,
        depth_write_enabled: has_depth.then_some(false),
        depth_compare: has_depth.then_some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState {
            front: face,
            back: face,
            read_mask: bit.into(),
            write_mask: 0,
        },
        bias: wgpu::DepthBiasState::default(),
    };
    let sum = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    let target = wgpu::ColorTargetState {
        format: to,
        blend: Some(wgpu::BlendState { color: sum, alpha: sum }),
        write_mask: wgpu::ColorWrites::ALL,
    };
    let written =
        Written { targets: &[Some(target)], depth: Some(depth), samples: 1, sample_mask: !0 };
    full_screen::pipeline(gpu, "stencil copy", &shader(bit), written)
}

fn shader(bit: u8) -> String {
    format!(
        "@fragment fn fragment() -> @location(0) vec4<f32> {{ return vec4<f32>({bit}.0 / 255.0); }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_has_a_shader() {
        for bit in 0..8 {
            assert!(naga::front::wgsl::parse_str(&shader(1 << bit)).is_ok());
        }
        assert!(shader(128).contains("128.0 / 255.0"));
    }
}
