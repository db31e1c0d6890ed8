//! Copies texels whose bytes cannot be copied: one sample of every pixel of a multisampled target, or depths.

use crate::adapter::Gpu;
use crate::target::flat_texture::flat_texture;
use crate::target::full_screen::{self, Written};

/// Source of copied texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TexelSource {
    /// A multisampled colour texture.
    Color(ir::format::FormatClass),
    /// A depth texture.
    Depth,
    /// The stencil values of a depth texture, which [`super::stencil_copy`] copies.
    Stencil,
}

/// A pass that writes the source texel of each pixel into a single-sampled texture.
pub(crate) struct TexelCopy {
    pipeline: wgpu::RenderPipeline,
    source: wgpu::BindGroup,
    view: wgpu::TextureView,
    /// Texture that receives the texels.
    pub(crate) texture: wgpu::Texture,
}

impl TexelCopy {
    /// Makes the pass that copies sample `sample` of `from` to a new texture of the same size, with format `format`.
    pub(crate) fn new(
        gpu: &Gpu,
        from: &wgpu::Texture,
        source: TexelSource,
        sample: u32,
        format: wgpu::TextureFormat,
    ) -> Self {
        let texture = gpu.device.create_texture(&flat_texture(
            "texel copy",
            [from.width(), from.height()],
            format,
            wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        ));
        Self::into_texture(gpu, from, source, sample, texture)
    }

    /// Makes the pass that copies sample `sample` of `from` into a given texture of the same size.
    pub(crate) fn into_texture(
        gpu: &Gpu,
        from: &wgpu::Texture,
        source: TexelSource,
        sample: u32,
        texture: wgpu::Texture,
    ) -> Self {
        let text = shader(source, sample, from.sample_count() > 1);
        let pipeline = pipeline(gpu, &text, texture.format());
        let view = from.create_view(&wgpu::TextureViewDescriptor {
            aspect: match source {
                TexelSource::Color(_) => wgpu::TextureAspect::All,
                TexelSource::Depth => wgpu::TextureAspect::DepthOnly,
                TexelSource::Stencil => wgpu::TextureAspect::StencilOnly,
            },
            ..wgpu::TextureViewDescriptor::default()
        });
        let source = full_screen::texture_group(gpu, &pipeline, &view);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self { pipeline, source, view, texture }
    }

    /// Records the pass.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(full_screen::covered(&self.view))],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.source, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn shader(source: TexelSource, sample: u32, is_multisampled: bool) -> String {
    use ir::format::FormatClass;
    let prefix = if is_multisampled { "multisampled_" } else { "" };
    // The last operand is the level for a single-sampled texture.
    let operand = if is_multisampled { sample } else { 0 };
    let (texture, scalar) = match source {
        TexelSource::Color(FormatClass::Float) => (format!("texture_{prefix}2d<f32>"), "f32"),
        TexelSource::Color(FormatClass::Sint) => (format!("texture_{prefix}2d<i32>"), "i32"),
        TexelSource::Color(FormatClass::Uint) | TexelSource::Stencil => {
            (format!("texture_{prefix}2d<u32>"), "u32")
        }
        // GLSL cannot load texels from a shadow sampler.
        TexelSource::Depth if !is_multisampled => ("texture_2d<f32>".to_owned(), "f32"),
        TexelSource::Depth => (format!("texture_depth_{prefix}2d"), "f32"),
    };
    let load = format!("textureLoad(source, vec2<i32>(at.xy), {operand})");
    format!(
        "@group(0) @binding(0) var source: {texture};
        @fragment fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<{scalar}> {{
            return vec4<{scalar}>({load});
        }}"
    )
}

fn pipeline(gpu: &Gpu, text: &str, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let written =
        Written { targets: &[Some(format.into())], depth: None, samples: 1, sample_mask: !0 };
    full_screen::pipeline(gpu, "texel copy", text, written)
}

#[cfg(test)]
mod tests {
    use ir::format::FormatClass;

    use super::*;

    #[test]
    fn every_source_has_a_shader() {
        let classes = [FormatClass::Float, FormatClass::Sint, FormatClass::Uint];
        let sources = classes.map(TexelSource::Color).into_iter().chain([TexelSource::Depth]);
        for (source, is_multisampled) in
            sources.flat_map(|source| [(source, false), (source, true)])
        {
            let text = shader(source, 3, is_multisampled);
            let module = naga::front::wgsl::parse_str(&text).expect("the shader is right");
            let flags = naga::valid::ValidationFlags::all();
            let capabilities = naga::valid::Capabilities::all();
            let mut validator = naga::valid::Validator::new(flags, capabilities);
            assert!(validator.validate(&module).is_ok(), "{text}");
        }
    }
}
