//! Render targets and their textures.

use case::{Case, RenderTarget};
use ir::format::Format;
use ir::scalar::Number;
use offer::format::texture_format;

use super::flat_texture::{flat_texture, upload};
use crate::adapter::Gpu;

/// The multisampled texture of a render target.
pub(crate) struct Multisampled {
    pub(crate) texture: wgpu::Texture,
    view: wgpu::TextureView,
    /// True if every pass resolves the samples into the target's other texture.
    pub(crate) is_resolved: bool,
}

/// A render target.
pub(crate) struct Target {
    pub(crate) texture: wgpu::Texture,
    pub(crate) view: wgpu::TextureView,
    /// Slice that is drawn into, if the texture is three-dimensional.
    pub(crate) slice: Option<u32>,
    /// Index of the target among the render targets.
    pub(crate) index: u32,
    pub(crate) format: Format,
    /// The texture that is drawn into if there are several samples per pixel. It is resolved into `texture` if its
    /// format allows this.
    pub(crate) multisampled: Option<Multisampled>,
}

impl Target {
    /// Makes a render target. Returns `None` for a format that wgpu does not have, which the format table rules out.
    pub(crate) fn new(gpu: &Gpu, case: &Case, target: &RenderTarget) -> Option<Self> {
        let texture = gpu.device.create_texture(&flat_texture(
            "render target",
            case.size,
            texture_format(target.format)?,
            wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST,
        ));
        if let Some(values) = &target.clear {
            fill(gpu, &texture, target.format, values);
        }
        Some(Self {
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            texture,
            slice: None,
            index: target.index,
            format: target.format,
            multisampled: (case.samples > 1)
                .then(|| Multisampled::new(gpu, case, target))
                .flatten(),
        })
    }

    /// The attachment of the target for a pass, with this load operation.
    pub(crate) fn attachment(
        &self,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPassColorAttachment<'_> {
        let many = self.multisampled.as_ref();
        wgpu::RenderPassColorAttachment {
            view: many.map_or(&self.view, |multisampled| &multisampled.view),
            depth_slice: self.slice,
            resolve_target: many
                .filter(|multisampled| multisampled.is_resolved)
                .map(|_| &self.view),
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        }
    }

    /// Samples per pixel of the target.
    pub(crate) fn samples(&self) -> u32 {
        self.multisampled.as_ref().map_or(1, |multisampled| multisampled.texture.sample_count())
    }
}

impl Multisampled {
    fn new(gpu: &Gpu, case: &Case, target: &RenderTarget) -> Option<Self> {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            sample_count: case.samples,
            ..flat_texture("samples", case.size, texture_format(target.format)?, sample_usage(gpu))
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let is_resolved = gpu.offer().format_support(target.format).is_resolvable;
        Some(Self { texture, view, is_resolved })
    }
}

/// Usage of multisampled textures: render attachments, which shaders also read if the adapter can read single samples.
fn sample_usage(gpu: &Gpu) -> wgpu::TextureUsages {
    let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    usage.set(wgpu::TextureUsages::TEXTURE_BINDING, gpu.offer().reads_samples());
    usage
}

/// Fills a texture with its initial values. They are uploaded, because a clear value cannot hold every bit pattern.
fn fill(gpu: &Gpu, texture: &wgpu::Texture, format: Format, values: &[Number]) {
    let texel = format.pack(stored_channels(format, values));
    let (width, height) = (u64::from(texture.width()), u64::from(texture.height()));
    let texels = texel.repeat(usize::try_from(width * height).unwrap_or(0));
    upload(gpu, texture, 0, texel.len(), &texels);
}

/// The stored bits of a texel whose channels were written as `values`; channels without a value are zero.
pub(crate) fn stored_channels(format: Format, values: &[Number]) -> [u32; 4] {
    let mut bits = [0; 4];
    for (channel, (place, value)) in bits.iter_mut().zip(values).enumerate() {
        *place = match value {
            Number::Integer(value) => format.encode_integer(channel, *value),
            Number::Real(value) => format.encode_real(channel, *value),
            Number::Bits(bits) => u32::try_from(*bits).unwrap_or(u32::MAX),
        };
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_values_are_stored_in_the_targets_own_way() {
        let check = |name, values: &[Number], expected| {
            let format = Format::from_name(name).expect("the test names a format");
            assert_eq!(stored_channels(format, values), expected, "{name}");
        };
        check("rgba8unorm", &[Number::Integer(1), Number::Real(0.5)], [255, 128, 0, 0]);
        check(
            "rg32float",
            &[Number::Bits(0x7f80_0001), Number::Integer(1)],
            [0x7f80_0001, 0x3f80_0000, 0, 0],
        );
        check("rgba8sint", &[Number::Integer(-1)], [255, 0, 0, 0]);
    }
}
