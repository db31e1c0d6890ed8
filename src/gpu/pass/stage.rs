//! Shader modules: naga's own, or those that other compilers make of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use naga::Module;
use offer::entries::Entry;

use super::back_end;
use crate::adapter::Gpu;

/// Makes the shader module of a stage whose pipeline has the bind group layouts of `entries`.
///
/// If the device compiles through other programs and one of them fails, the module is naga's own, and the failure is
/// kept for [`Gpu::take_compiler_failure`]: nothing may be drawn with it.
pub(crate) fn shader_module(
    gpu: &Gpu,
    stage: &str,
    module: Module,
    entries: &[Entry],
) -> wgpu::ShaderModule {
    let module = back_end::prepared(gpu, Cow::Owned(module)).into_owned();
    if let Some(chain) = gpu.compilers() {
        match chain.compile(&numbered(module.clone(), entries), stage) {
            Ok(compiled) => return passthrough::shader_module(&gpu.device, stage, &compiled),
            Err(failure) => gpu.keep_compiler_failure(failure),
        }
    }
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(stage),
        source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
    })
}

/// The module with the binding numbers of wgpu's Vulkan backend, which counts the entries of each bind group from 0
/// without gaps. wgpu renumbers only modules that it writes itself.
fn numbered(mut module: Module, entries: &[Entry]) -> Module {
    let points: BTreeSet<(u32, u32)> =
        entries.iter().map(|(at, _)| (at.group, at.binding)).collect();
    for (_, variable) in module.global_variables.iter_mut() {
        if let Some(at) = &mut variable.binding {
            let before = points.range((at.group, 0)..(at.group, at.binding)).count();
            at.binding = u32::try_from(before).unwrap_or(u32::MAX);
        }
    }
    module
}

#[cfg(test)]
mod tests {
    use link::table::binding::BindingPoint;
    use offer::entries::texture_entry;

    use super::*;

    #[test]
    fn numbers_of_each_group_have_no_gaps() {
        let text = "@group(0) @binding(3) var<uniform> a: vec4f;
            @group(1) @binding(7) var<uniform> b: vec4f;
            @fragment fn main() -> @location(0) vec4f { return a + b; }";
        let entry = |group, binding| (BindingPoint { group, binding }, texture_entry().1);
        let entries = [entry(1, 7), entry(0, 5), entry(0, 1), entry(0, 3), entry(1, 2)];
        let module = numbered(fixture::module(text), &entries);
        let numbers = module.global_variables.iter().filter_map(|(_, one)| one.binding.as_ref());
        let numbers: Vec<_> = numbers.map(|at| (at.group, at.binding)).collect();
        assert_eq!(numbers, [(0, 1), (1, 1)]);
    }
}
