//! What a linked program needs of an adapter, beyond what its case says.

use crate::gpu::Gpu;
use crate::link::program::{LinkedProgram, LinkedStages};

/// What `program` needs and the adapter lacks, in words.
pub(crate) fn lacks_program(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    lacks_storage(gpu, program)
        .or_else(|| super::texture::lacks_images(gpu, program))
        .or_else(|| lacks_layouts(gpu, program))
        .or_else(|| lacks_clipping(gpu, program))
        .or_else(|| lacks_culling(gpu, program))
        .or_else(|| lacks_room(&gpu.device.limits(), program))
}

fn lacks_storage(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    let flags = gpu.adapter.get_downlevel_capabilities().flags;
    let has = |flag| flags.contains(flag);
    if matches!(program.stages, LinkedStages::Compute(_))
        && !has(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    {
        return Some("the adapter has no compute stage".to_owned());
    }
    for buffer in &program.storage_buffers {
        let writes = |is_used: bool| is_used && buffer.is_writable;
        if buffer.stages.vertex && !has(wgpu::DownlevelFlags::VERTEX_STORAGE) {
            return Some("the adapter has no storage buffers in the vertex stage".to_owned());
        }
        let vertex_writes = wgpu::Features::VERTEX_WRITABLE_STORAGE;
        if writes(buffer.stages.vertex) && !gpu.device.features().contains(vertex_writes) {
            return Some("the adapter cannot write storage buffers in the vertex stage".to_owned());
        }
        if writes(buffer.stages.fragment) && !has(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE) {
            return Some(
                "the adapter cannot write storage buffers in the fragment stage".to_owned(),
            );
        }
    }
    None
}

/// naga writes GLSL blocks as std430 or std140 and drops every other offset, which would read the wrong bytes.
fn lacks_layouts(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    if gpu.adapter.get_info().backend != wgpu::Backend::Gl {
        return None;
    }
    let storage = program.storage_buffers.iter().find(|buffer| !buffer.is_std430);
    let storage = storage.map(|buffer| (&buffer.name, "std430"));
    let uniform = program.uniform_buffers.iter().find(|buffer| !buffer.is_std140);
    let (name, standard) = storage.or(uniform.map(|buffer| (&buffer.name, "std140")))?;
    Some(format!(
        "the GL backend lays out blocks by {standard} only, and `{name}` has other offsets"
    ))
}

fn lacks_clipping(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    let LinkedStages::Render { vertex, .. } = &program.stages else { return None };
    let is_lacking = gives_clip_distances(vertex)
        && !gpu.device.features().contains(wgpu::Features::CLIP_DISTANCES);
    is_lacking.then(|| "the adapter lacks the feature CLIP_DISTANCES".to_owned())
}

/// Culling takes a compute stage with three storage buffers beside the vertex stage's.
fn lacks_culling(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    program.cull.as_ref()?;
    let flags = gpu.adapter.get_downlevel_capabilities().flags;
    if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return Some("the adapter has no compute stage, which cull distances need".to_owned());
    }
    let own = program.storage_buffers.iter().filter(|buffer| buffer.stages.compute).count();
    let most = gpu.device.limits().max_storage_buffers_per_shader_stage;
    (own + 3 > usize::try_from(most).unwrap_or(usize::MAX)).then(|| {
        format!("the adapter has {most} storage buffers, and cull distances need {}", own + 3)
    })
}

fn gives_clip_distances(vertex: &naga::Module) -> bool {
    let results = vertex.entry_points.iter().filter_map(|entry| entry.function.result.as_ref());
    let mut types = results.map(|result| &vertex.types[result.ty].inner);
    types.any(|ty| {
        let naga::TypeInner::Struct { members, .. } = ty else { return false };
        let clip = naga::Binding::BuiltIn(naga::BuiltIn::ClipDistances);
        members.iter().any(|member| member.binding.as_ref() == Some(&clip))
    })
}

fn lacks_room(limits: &wgpu::Limits, program: &LinkedProgram) -> Option<String> {
    let largest = program.uniform_buffers.iter().map(|buffer| u64::from(buffer.size)).max();
    let most = limits.max_uniform_buffer_binding_size;
    if let Some(size) = largest.filter(|size| *size > most) {
        return Some(format!("a uniform buffer has {size} bytes; the adapter allows {most}"));
    }
    let locations = program.attributes.iter().map(|attribute| {
        let count = u32::try_from(attribute.location_count()).unwrap_or(u32::MAX);
        attribute.location.saturating_add(count)
    });
    let most = limits.max_vertex_attributes;
    if let Some(count) = locations.max().filter(|count| *count > most) {
        return Some(format!("the vertex stage reads {count} locations; the adapter has {most}"));
    }
    None
}
