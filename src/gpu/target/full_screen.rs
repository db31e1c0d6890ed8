//! Internal passes that draw one triangle over the whole target.

use std::borrow::Cow;

use crate::adapter::Gpu;

/// The vertex stage of a full-screen pass.
const VERTEX_STAGE: &str = "
@vertex fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return vec4<f32>(corner * 4.0 - 1.0, 0.0, 1.0);
}
";

/// Outputs of a full-screen pass.
pub(crate) struct Written<'a> {
    /// The colour targets of the pass.
    pub(crate) targets: &'a [Option<wgpu::ColorTargetState>],
    /// The depth and stencil state of the pass, if it writes depths.
    pub(crate) depth: Option<wgpu::DepthStencilState>,
    /// Samples per pixel of the targets.
    pub(crate) samples: u32,
    /// The samples that the pass writes.
    pub(crate) sample_mask: u64,
}

/// The pipeline of a full-screen pass whose entry point `fragment` is in the WGSL text `fragment_stage`.
pub(crate) fn pipeline(
    gpu: &Gpu,
    label: &str,
    fragment_stage: &str,
    written: Written<'_>,
) -> wgpu::RenderPipeline {
    let text = format!("{VERTEX_STAGE}{fragment_stage}");
    // wgpu gets the module instead of the text. On validated devices it would embed the text in the SPIR-V as source in
    // a language that validators of 2023 do not know.
    let parsed = naga::front::wgsl::parse_str(&text);
    let source = parsed.map_or_else(
        |_| wgpu::ShaderSource::Wgsl(text.into()),
        |module| wgpu::ShaderSource::Naga(Cow::Owned(module)),
    );
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
    let module = gpu.device.create_shader_module(descriptor);
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: written.depth,
        multisample: wgpu::MultisampleState {
            count: written.samples,
            mask: written.sample_mask,
            ..wgpu::MultisampleState::default()
        },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: written.targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// The bind group with the texture that a full-screen pass reads.
pub(crate) fn texture_group(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    view: &wgpu::TextureView,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(view),
        }],
    })
}

/// A colour attachment that a full-screen pass covers completely, so its old contents need not be loaded.
pub(crate) fn covered(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            store: wgpu::StoreOp::Store,
        },
    }
}
