//! Bind group layouts and bind groups of a program.

use crate::binding_entry::Entry;
use link::binding::{
    BindingPoint, ImageAccess, OpaqueBinding, OpaqueKind, StageUse, StorageBuffer, TexelClass,
    UniformBuffer,
};
use link::program::LinkedProgram;
use plan::{Bindings, BoundOpaque};

use super::Gpu;
use super::resources::Resources;
use super::texture_format::texture_format;
use super::textures::view_dimension;

/// A resource with its binding point.
pub(super) type Bound<'a> = (BindingPoint, wgpu::BindingResource<'a>);

/// The layout entry of every resource of the program.
pub(super) fn entries(program: &LinkedProgram) -> Vec<Entry> {
    let uniforms = program.uniform_buffers.iter().map(|buffer| (buffer.at, uniform_entry(buffer)));
    let storage = program.storage_buffers.iter().map(|buffer| (buffer.at, storage_entry(buffer)));
    let opaques = program.opaques.iter().map(|opaque| (opaque.at, opaque_entry(opaque)));
    uniforms.chain(storage).chain(opaques).collect()
}

/// Bind group layouts by group number; `None` for an empty group.
pub(super) type Layouts = Vec<Option<wgpu::BindGroupLayout>>;

/// Bind groups by group number; `None` for an empty group.
pub(super) type Groups = Vec<Option<wgpu::BindGroup>>;

/// Makes the bind group layout of every group number up to the last.
pub(super) fn layouts(gpu: &Gpu, entries: &[Entry]) -> Layouts {
    let count = entries.iter().map(|(at, _)| at.group.saturating_add(1)).max().unwrap_or(0);
    let layout = |group| {
        let entries = entries.iter().filter(|(at, _)| at.group == group);
        let entries: Vec<_> = entries.map(|(_, entry)| *entry).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        (!entries.is_empty()).then(|| gpu.device.create_bind_group_layout(&descriptor))
    };
    // One group more than the limit is enough to make wgpu report an error.
    (0..count.min(gpu.offer.abilities.limits.max_bind_groups.saturating_add(1)))
        .map(layout)
        .collect()
}

/// The layout of pipelines with these bind groups.
pub(super) fn pipeline_layout(gpu: &Gpu, groups: &Layouts) -> wgpu::PipelineLayout {
    gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups.iter().map(Option::as_ref).collect::<Vec<_>>(),
        immediate_size: 0,
    })
}

/// The resources of the program as wgpu's binding resources, with the contents that `bindings` selects.
pub(super) fn bound<'a>(
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
pub(super) fn bind_groups(gpu: &Gpu, layouts: &Layouts, all: &[Bound<'_>]) -> Groups {
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
pub(super) fn dispatch(
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

fn uniform_entry(buffer: &UniformBuffer) -> wgpu::BindGroupLayoutEntry {
    layout_entry(buffer.at, buffer.stages, wgpu::BufferBindingType::Uniform)
}

fn storage_entry(buffer: &StorageBuffer) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Storage { read_only: !buffer.is_writable };
    layout_entry(buffer.at, buffer.stages, ty)
}

fn opaque_entry(opaque: &OpaqueBinding) -> wgpu::BindGroupLayoutEntry {
    let ty = match opaque.kind {
        OpaqueKind::Texture { dimension, class } => wgpu::BindingType::Texture {
            sample_type: match class {
                TexelClass::Float => wgpu::TextureSampleType::Float { filterable: true },
                TexelClass::Sint => wgpu::TextureSampleType::Sint,
                TexelClass::Uint => wgpu::TextureSampleType::Uint,
                TexelClass::Depth => wgpu::TextureSampleType::Depth,
            },
            view_dimension: view_dimension(dimension),
            multisampled: false,
        },
        OpaqueKind::Sampler { is_comparison } => wgpu::BindingType::Sampler(if is_comparison {
            wgpu::SamplerBindingType::Comparison
        } else {
            wgpu::SamplerBindingType::Filtering
        }),
        OpaqueKind::Image { dimension, format, access } => wgpu::BindingType::StorageTexture {
            access: match access {
                ImageAccess::Read => wgpu::StorageTextureAccess::ReadOnly,
                ImageAccess::Write => wgpu::StorageTextureAccess::WriteOnly,
                ImageAccess::ReadWrite => wgpu::StorageTextureAccess::ReadWrite,
                ImageAccess::Atomic => wgpu::StorageTextureAccess::Atomic,
            },
            format: texture_format(format).unwrap_or(wgpu::TextureFormat::Rgba8Unorm),
            view_dimension: view_dimension(dimension),
        },
    };
    binding_entry(opaque.at, opaque.stages, ty)
}

fn layout_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    binding_entry(at, stages, ty)
}

fn binding_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu::BindingType,
) -> wgpu::BindGroupLayoutEntry {
    let mut visibility = wgpu::ShaderStages::empty();
    visibility.set(wgpu::ShaderStages::VERTEX, stages.vertex);
    visibility.set(wgpu::ShaderStages::FRAGMENT, stages.fragment);
    visibility.set(wgpu::ShaderStages::COMPUTE, stages.compute);
    wgpu::BindGroupLayoutEntry { binding: at.binding, visibility, ty, count: None }
}
