//! What a linked program needs of an adapter, beyond what its case says.

use crate::gpu::Gpu;
use crate::link::program::{LinkedProgram, LinkedStages};
use naga::Module;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// What `program` needs and the adapter lacks, in words.
pub(crate) fn lacks_program(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    lacks_storage(gpu, program)
        .or_else(|| super::texture::lacks_images(gpu, program))
        .or_else(|| lacks_layouts(gpu, program))
        .or_else(|| lacks_clipping(gpu, program))
        .or_else(|| lacks_dual_source(gpu, program))
        .or_else(|| lacks_culling(gpu, program))
        .or_else(|| lacks_room(&gpu.abilities.limits, program))
        .or_else(|| lacks_workgroup(&gpu.abilities.limits, program))
        .or_else(|| super::language::lacks_language(gpu.abilities.language, program))
        .or_else(|| super::binding::lacks_bindings(&gpu.abilities, program))
        .or_else(|| lacks_capability(shader_capabilities(gpu), program))
}

/// What shaders may use on this adapter.
fn shader_capabilities(gpu: &Gpu) -> Capabilities {
    let flags = gpu.abilities.flags;
    wgpu_naga_bridge::features_to_naga_capabilities(gpu.abilities.features, flags)
}

/// A built-in, type or operation that naga knows and the adapter has not. Linked modules are valid with all of naga's
/// capabilities, so what fails here fails for want of one.
fn lacks_capability(offered: Capabilities, program: &LinkedProgram) -> Option<String> {
    if !program.needs_capabilities {
        return None;
    }
    let modules = stages(program);
    let is_refused = |capabilities: Capabilities| {
        let mut validator = Validator::new(ValidationFlags::all(), capabilities);
        modules.iter().any(|module| validator.validate(module).is_err())
    };
    if !is_refused(offered) {
        return None;
    }
    let lacking = Capabilities::all().difference(offered);
    let needed = lacking.iter_names().filter(|(_, one)| is_refused(Capabilities::all() - *one));
    let names: Vec<&str> = needed.map(|(name, _)| name).collect();
    Some(format!("the adapter's shaders lack {}", names.join(" and ")))
}

/// All modules, those for captures and culling too.
pub(super) fn stages(program: &LinkedProgram) -> Vec<&Module> {
    let feedback = program.feedback.iter();
    let captures = feedback.flat_map(|it| [&it.from_function.module, &it.from_slots.module]);
    let captures = captures.chain(program.cull.iter().map(|it| &it.module));
    match &program.stages {
        LinkedStages::Render { vertex, fragment } => {
            std::iter::once(vertex).chain(fragment).chain(captures).collect()
        }
        LinkedStages::Compute(module) => vec![module],
    }
}

fn lacks_workgroup(limits: &wgpu::Limits, program: &LinkedProgram) -> Option<String> {
    let LinkedStages::Compute(module) = &program.stages else { return None };
    let [x, y, z] = module.entry_points.first()?.workgroup_size;
    let most = [
        limits.max_compute_workgroup_size_x,
        limits.max_compute_workgroup_size_y,
        limits.max_compute_workgroup_size_z,
    ];
    let total = [x, y, z].iter().map(|side| u64::from(*side)).product::<u64>();
    let is_lacking = total > u64::from(limits.max_compute_invocations_per_workgroup)
        || [x, y, z].iter().zip(most).any(|(side, most)| *side > most);
    is_lacking.then(|| {
        format!(
            "a workgroup of {x} × {y} × {z} is too large; the adapter allows {} invocations, and {} × {} × {}",
            limits.max_compute_invocations_per_workgroup, most[0], most[1], most[2]
        )
    })
}

fn lacks_storage(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    let has = |flag| gpu.abilities.has(flag);
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
        if writes(buffer.stages.vertex) && !gpu.abilities.features.contains(vertex_writes) {
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
        && !gpu.abilities.features.contains(wgpu::Features::CLIP_DISTANCES);
    is_lacking.then(|| "the adapter lacks the feature CLIP_DISTANCES".to_owned())
}

fn lacks_dual_source(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    let is_lacking = program.is_dual_source
        && !gpu.abilities.features.contains(wgpu::Features::DUAL_SOURCE_BLENDING);
    is_lacking.then(|| "the adapter lacks the feature DUAL_SOURCE_BLENDING".to_owned())
}

/// Captures and culling take a compute stage with three storage buffers beside the vertex stage's.
fn lacks_culling(gpu: &Gpu, program: &LinkedProgram) -> Option<String> {
    if program.cull.is_none() && program.feedback.is_none() {
        return None;
    }
    if !gpu.abilities.has(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return Some(
            "the adapter has no compute stage, which captures and cull distances need".to_owned(),
        );
    }
    let own = program.storage_buffers.iter().filter(|buffer| buffer.stages.compute).count();
    let most = gpu.abilities.limits.max_storage_buffers_per_shader_stage;
    (own + 3 > usize::try_from(most).unwrap_or(usize::MAX)).then(|| {
        format!(
            "the adapter has {most} storage buffers, and captures and cull distances need {}",
            own + 3
        )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn compute(wgsl: &str) -> LinkedProgram {
        fixture::program(LinkedStages::Compute(fixture::module(wgsl)))
    }

    #[track_caller]
    fn check_capability(offered: Capabilities, wgsl: &str, expected: Option<&str>) {
        assert_eq!(lacks_capability(offered, &compute(wgsl)).as_deref(), expected);
    }

    #[track_caller]
    fn check_workgroup(size: &str, expected: Option<&str>) {
        let program = compute(&format!("@compute @workgroup_size({size}) fn main() {{}}"));
        let found = lacks_workgroup(&wgpu::Limits::default(), &program);
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn what_a_shader_uses_and_the_adapter_has_not_is_named() {
        let wgsl = "enable f16;
            @compute @workgroup_size(1) fn main(@builtin(subgroup_size) size: u32) {
                let half = f16(size);
            }";
        check_capability(Capabilities::all(), wgsl, None);
        let halves = Capabilities::SHADER_FLOAT16;
        let message = Some("the adapter's shaders lack SHADER_FLOAT16");
        check_capability(Capabilities::all() - halves, wgsl, message);
        let message = Some("the adapter's shaders lack SUBGROUP and SHADER_FLOAT16");
        check_capability(Capabilities::all() - halves - Capabilities::SUBGROUP, wgsl, message);
        check_capability(Capabilities::all() - Capabilities::FLOAT64, wgsl, None);
    }

    #[test]
    fn workgroups_keep_to_each_side_and_to_the_number_of_invocations() {
        check_workgroup("256, 1, 1", None);
        check_workgroup("4, 1, 64", None);
        let most = "the adapter allows 256 invocations, and 256 × 256 × 64";
        let message = |size: &str| format!("a workgroup of {size} is too large; {most}");
        check_workgroup("16, 17, 1", Some(&message("16 × 17 × 1")));
        check_workgroup("1, 1, 65", Some(&message("1 × 1 × 65")));
    }
}
