//! Hands the SPIR-V of another compiler to a Vulkan driver, unchanged. The only unsafe code of interstage.

use std::borrow::Cow;

use through::Compiled;

/// A shader module of a stage that was compiled through other programs.
///
/// wgpu gives the words to the driver without looking at them. [`Compiled`] exists only for SPIR-V that is well-formed
/// and whose entry point and interface are those that the linker planned, which is what wgpu's validation of pipelines
/// relies on. What else is wrong with the code, such as an index beyond an array, can still crash the driver; cases run
/// in worker processes for that reason.
pub fn shader_module(device: &wgpu::Device, label: &str, stage: &Compiled) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(label),
        entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
            name: Cow::Borrowed(stage.entry_point()),
            workgroup_size: stage.workgroup_size().into(),
        }]),
        spirv: Some(Cow::Borrowed(stage.words())),
        ..wgpu::ShaderModuleDescriptorPassthrough::default()
    };
    // SAFETY: the words are a well-formed SPIR-V module with this entry point and the planned interface, as the type
    // guarantees.
    unsafe { device.create_shader_module_passthrough(descriptor) }
}
