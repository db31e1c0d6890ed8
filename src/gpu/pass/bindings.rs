//! Bind group layouts and bind groups of a program.

use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use offer::entries::Entry;
use plan::{Bindings, BoundOpaque, Plan};

use crate::adapter::Gpu;
use crate::resources::Resources;

/// A resource with its binding point.
pub(crate) type Bound<'a> = (BindingPoint, wgpu::BindingResource<'a>);

/// Bind group layouts by group number; `None` for an empty group.
pub(crate) type Layouts = Vec<Option<wgpu::BindGroupLayout>>;

/// What a draw or dispatch binds.
pub(crate) struct Groups {
    /// Bind groups by group number; `None` for an empty group.
    groups: Vec<Option<wgpu::BindGroup>>,
    /// The bytes of the immediates; empty if the program has none.
    immediates: Vec<u8>,
}

impl Groups {
    /// Binds the groups and sets the immediates for the draws that follow. The pass has its pipeline already.
    pub(crate) fn set(&self, pass: &mut wgpu::RenderPass<'_>) {
        for (number, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(number, group.as_ref(), &[]);
        }
        if !self.immediates.is_empty() {
            pass.set_immediates(0, &self.immediates);
        }
    }
}

/// Makes the bind group layout of every group number up to the last.
pub(crate) fn layouts(gpu: &Gpu, entries: &[Entry]) -> Layouts {
    let count = entries.iter().map(|(at, _)| at.group.saturating_add(1)).max().unwrap_or(0);
    let layout = |group| {
        let entries = entries.iter().filter(|(at, _)| at.group == group);
        let entries: Vec<_> = entries.map(|(_, entry)| *entry).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        (!entries.is_empty()).then(|| gpu.device.create_bind_group_layout(&descriptor))
    };
    // One group more than the limit is enough to make wgpu report an error.
    (0..count.min(gpu.offer().abilities().limits.max_bind_groups.saturating_add(1)))
        .map(layout)
        .collect()
}

/// The layout of the program's pipelines with these bind groups.
pub(crate) fn pipeline_layout(
    gpu: &Gpu,
    program: &LinkedProgram,
    groups: &Layouts,
) -> wgpu::PipelineLayout {
    let mut buffers = program.uniform_buffers.iter();
    let immediates = buffers.find(|buffer| buffer.is_immediate());
    gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups.iter().map(Option::as_ref).collect::<Vec<_>>(),
        immediate_size: immediates.map_or(0, |immediates| immediates.size),
    })
}

/// The resources of the program as wgpu's binding resources, with the contents that `bindings` selects.
pub(crate) fn bound<'a>(
    program: &LinkedProgram,
    resources: &'a Resources,
    bindings: &Bindings,
) -> Vec<Bound<'a>> {
    let uniforms = program.uniform_buffers.iter().zip(&bindings.uniforms);
    let uniforms =
        uniforms.filter(|(buffer, _)| !buffer.is_immediate()).map(|(buffer, content)| {
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &resources.uniforms,
                offset: resources.uniform_offsets[*content],
                size: wgpu::BufferSize::new(u64::from(buffer.size)),
            });
            (buffer.at, resource)
        });
    let storage =
        program.storage_buffers.iter().zip(&bindings.storage).map(|(declared, buffer)| {
            (declared.at, resources.storage[*buffer].as_entire_binding())
        });
    let textures = &resources.textures;
    let opaques = program.opaques.iter().zip(&bindings.opaques).map(|(opaque, bound)| {
        let resource = match bound {
            BoundOpaque::View(idx) => wgpu::BindingResource::TextureView(&textures.views[*idx]),
            BoundOpaque::Sampler(idx) => wgpu::BindingResource::Sampler(&textures.samplers[*idx]),
        };
        (opaque.at, resource)
    });
    uniforms.chain(storage).chain(opaques).collect()
}

/// Makes one bind group for every layout.
pub(crate) fn bind_groups(
    gpu: &Gpu,
    layouts: &Layouts,
    all: &[Bound<'_>],
    immediates: Vec<u8>,
) -> Groups {
    let group = |(group, layout): (u32, &Option<wgpu::BindGroupLayout>)| {
        let layout = layout.as_ref()?;
        let entries: Vec<_> = all
            .iter()
            .filter(|(at, _)| at.group == group)
            .map(|(at, resource)| wgpu::BindGroupEntry {
                binding: at.binding,
                resource: resource.clone(),
            })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        Some(gpu.device.create_bind_group(&descriptor))
    };
    Groups { groups: (0..).zip(layouts).map(group).collect(), immediates }
}

/// The bytes of the immediates of the program, with the content that `bindings` selects; empty if it has none.
pub(crate) fn immediates(program: &LinkedProgram, plan: &Plan, bindings: &Bindings) -> Vec<u8> {
    let mut uniforms = program.uniform_buffers.iter().zip(&bindings.uniforms);
    let own = uniforms.find(|(buffer, _)| buffer.is_immediate());
    own.map_or_else(Vec::new, |(_, content)| plan.uniform_contents[*content].clone())
}

/// Adds one dispatch to `pass`.
pub(crate) fn dispatch(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    bound: &Groups,
    [x, y, z]: [u32; 3],
) {
    pass.set_pipeline(pipeline);
    for (number, group) in (0..).zip(&bound.groups) {
        pass.set_bind_group(number, group.as_ref(), &[]);
    }
    if !bound.immediates.is_empty() {
        pass.set_immediates(0, &bound.immediates);
    }
    pass.dispatch_workgroups(x, y, z);
}
