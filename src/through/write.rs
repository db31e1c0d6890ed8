//! Writes stages for external programs, as wgpu's Vulkan backend writes them for drivers.

mod hlsl;
mod reread;

use naga::Module;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use ir::emit;
use ir::stage::ENTRY_POINT;

use super::fault::Fault;
use super::language::Language;

/// The SPIR-V of a stage, with the options of wgpu's Vulkan backend that change what code does: indices stay within
/// bounds, loops end, and vertex stages write a point size.
pub(super) fn spirv(module: &Module) -> Result<Vec<u32>, Fault> {
    written(module, true)
}

/// Like [`spirv`], with the resources that the entry point does not use, too: what a compiler may declare.
pub(super) fn whole(module: &Module) -> Result<Vec<u32>, Fault> {
    written(module, false)
}

fn written(module: &Module, is_reduced: bool) -> Result<Vec<u32>, Fault> {
    let fault = |reason: String| Fault::NotWritten { language: Language::Spirv, reason };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| fault(error.to_string()))?;
    let entry = module.entry_points.first();
    let stage = entry.ok_or_else(|| fault("the module has no entry point".to_owned()))?.stage;
    let restrict = BoundsCheckPolicy::Restrict;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::FORCE_POINT_SIZE | spv::WriterFlags::LABEL_VARYINGS,
        bounds_check_policies: BoundsCheckPolicies {
            index: restrict,
            buffer: restrict,
            image_load: restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions { shader_stage: stage, entry_point: ENTRY_POINT.to_owned() };
    let entry = is_reduced.then_some(&entry);
    spv::write_vec(module, &info, &options, entry).map_err(|error| fault(error.to_string()))
}

/// The text of a stage in another language. An error says why there is none.
pub(super) fn text(module: &Module, language: emit::Language) -> Result<Vec<u8>, String> {
    let is_hlsl = language == emit::Language::Hlsl;
    if let Some(what) = hlsl::dropped(module).filter(|_| is_hlsl) {
        return Err(format!("the text has no {what}"));
    }
    let written = emit::write(module, language).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&written);
    if matches!(language, emit::Language::Wgsl(_)) {
        reread::check(module, &text)?;
    }
    Ok(if is_hlsl { hlsl::for_vulkan(&text, module).into_bytes() } else { written })
}
