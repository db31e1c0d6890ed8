//! Writes stages for external programs, as wgpu's Vulkan backend writes them for drivers.

mod reread;

use naga::Module;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use ir::emit::{self, WgslDialect};
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

/// The text of a stage in another language. `dialect` is that of WGSL.
pub(super) fn text(
    module: &Module,
    language: Language,
    dialect: Option<WgslDialect>,
) -> Result<Vec<u8>, Fault> {
    let own = match language {
        Language::Spirv => emit::Language::Spirv,
        Language::Wgsl => emit::Language::Wgsl,
        Language::Hlsl => emit::Language::Hlsl,
        Language::Glsl => emit::Language::Glsl,
    };
    let fault = |reason: String| Fault::NotWritten { language, reason };
    let text = match dialect {
        Some(dialect) => emit::write_in(module, dialect),
        None => emit::write(module, own),
    };
    let mut text = text.map_err(|error| fault(error.to_string()))?;
    if language == Language::Hlsl {
        text = with_locations(&String::from_utf8_lossy(&text)).into_bytes();
    }
    if dialect.is_some() {
        reread::check(module, &String::from_utf8_lossy(&text)).map_err(fault)?;
    }
    Ok(text)
}

/// Word of naga's HLSL before the number of a location.
const LOCATION: &str = " : LOC";

/// HLSL whose inputs and outputs have the locations of their semantics in SPIR-V, too. Without them, compilers number
/// locations in the order of the text.
fn with_locations(text: &str) -> String {
    let mut parts = text.split(LOCATION);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let before = written.rfind(['(', ',', '\n']).map_or(0, |at| at + 1);
        let spaces = written[before..].len() - written[before..].trim_start().len();
        written.insert_str(before + spaces, &format!("[[vk::location({})]] ", &part[..end]));
        written = written + LOCATION + part;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_of_hlsl_get_locations() {
        let text = "struct A {\n    nointerpolation int3 a : LOC12;\n    float4 b : SV_Position;\n};\n\
                    A main(uint i : SV_VertexID, float4 c : LOC0, float d : LOC3)\n";
        let expected = "struct A {\n    [[vk::location(12)]] nointerpolation int3 a : LOC12;\n    float4 b : SV_Position;\n};\n\
                        A main(uint i : SV_VertexID, [[vk::location(0)]] float4 c : LOC0, [[vk::location(3)]] float d : LOC3)\n";
        assert_eq!(with_locations(text), expected);
    }
}
