//! Bind group layouts and bind groups of a program.

use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use offer::entries::Entry;
use plan::{Bindings, BoundOpaque};

use crate::adapter::Gpu;
use crate::resources::Resources;

/// A resource with its binding point.
pub(crate) type Bound<'a> = (BindingPoint, wgpu::BindingResource<'a>);

/// Bind group layouts by group number; `None` for an empty group.
pub(crate) type Layouts = Vec<Option<wgpu::BindGroupLayout>>;

/// Bind groups by group number; `None` for an empty group.
pub(crate) type Groups = Vec<Option<wgpu::BindGroup>>;

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

/// The layout of pipelines with these bind groups.
pub(crate) fn pipeline_layout(gpu: &Gpu, groups: &Layouts) -> wgpu::PipelineLayout {
    gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups.iter().map(Option::as_ref).collect::<Vec<_>>(),
        immediate_size: 0,
    })
}

/// The resources of the program as wgpu's binding resources, with the contents that `bindings` selects.
pub(crate) fn bound<'a>(
    program: &LinkedProgram,
    resources: &'a Resources,
    bindings: &Bindings,
) -> Vec<Bound<'a>> {
    let uniforms =
        program.uniform_buffers.iter().zip(&bindings.uniforms).map(|(buffer, content)| {
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
pub(crate) fn bind_groups(gpu: &Gpu, layouts: &Layouts, all: &[Bound<'_>]) -> Groups {
    (0..)
        .zip(layouts)
        .map(|(group, layout)| {
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
        })
        .collect()
}

/// Adds one dispatch to `pass`.
pub(crate) fn dispatch(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    groups: &Groups,
    [x, y, z]: [u32; 3],
) {
    pass.set_pipeline(pipeline);
    for (group, bind_group) in (0..).zip(groups) {
        pass.set_bind_group(group, bind_group.as_ref(), &[]);
    }
    pass.dispatch_workgroups(x, y, z);
}
