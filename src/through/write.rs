//! Writes stages for external programs, as wgpu's Vulkan backend writes them for drivers.

mod hlsl;
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
    written(module, true, spv::WriterFlags::FORCE_POINT_SIZE)
}

/// Like [`spirv`], without the point size of vertex stages, which HLSL does not have.
pub(super) fn without_point_size(module: &Module) -> Result<Vec<u32>, Fault> {
    written(module, true, spv::WriterFlags::empty())
}

/// Like [`spirv`], with the resources that the entry point does not use, too: what a compiler may declare.
pub(super) fn whole(module: &Module) -> Result<Vec<u32>, Fault> {
    written(module, false, spv::WriterFlags::FORCE_POINT_SIZE)
}

fn written(module: &Module, is_reduced: bool, flags: spv::WriterFlags) -> Result<Vec<u32>, Fault> {
    let fault = |reason: String| Fault::NotWritten { language: Language::Spirv, reason };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| fault(error.to_string()))?;
    let entry = module.entry_points.first();
    let stage = entry.ok_or_else(|| fault("the module has no entry point".to_owned()))?.stage;
    let restrict = BoundsCheckPolicy::Restrict;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: flags | spv::WriterFlags::LABEL_VARYINGS,
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
    if language == emit::Language::Hlsl
        && let Some(what) = hlsl::dropped(module)
    {
        return Err(format!("the text has no {what}"));
    }
    let written = emit::write(module, language).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&written);
    if matches!(language, emit::Language::Wgsl(_)) {
        reread::check(module, &text)?;
    }
    Ok(match language {
        emit::Language::Hlsl => hlsl::for_vulkan(&text, module).into_bytes(),
        emit::Language::Wgsl(WgslDialect::Standard) => with_any_flow(&text).into_bytes(),
        emit::Language::Wgsl(WgslDialect::Naga)
        | emit::Language::Spirv
        | emit::Language::Glsl
        | emit::Language::Msl
        | emit::Language::Dot => written,
    })
}

/// The text without a call that glslang computes wrongly: `asuint(int(1))` becomes an infinity, and naga writes one for
/// every addition of a constant. A conversion gives the same bits, and shows what else glslang does.
pub(super) fn around_glslang(text: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(text).into_owned();
    for size in ["", "2", "3", "4"] {
        text = text.replace(&format!("asuint(int{size}("), &format!("uint{size}(int{size}("));
    }
    text.into_bytes()
}

/// The text with the directives without which WGSL refuses derivatives and subgroup functions where invocations may have
/// diverged. GLSL, SPIR-V and naga allow them; their results are undefined there.
fn with_any_flow(text: &str) -> String {
    let has_derivatives =
        ["dpdx", "dpdy", "fwidth", "textureSample"].iter().any(|one| text.contains(one));
    let rules = [
        (has_derivatives, "derivative_uniformity"),
        (text.starts_with(emit::ENABLE_SUBGROUPS), "subgroup_uniformity"),
    ];
    let lines = rules.into_iter().filter(|(is_used, _)| *is_used);
    lines.fold(text.to_owned(), |text, (_, rule)| format!("diagnostic(off, {rule});\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_need_uniform_flow_are_allowed_everywhere() {
        let check = |text: &str, expected: &str| {
            let module = fixture::module(text);
            let language = emit::Language::Wgsl(WgslDialect::Standard);
            let written = text_of(&module, language);
            assert!(written.starts_with(expected), "{written}");
            let naga = text_of(&module, emit::Language::Wgsl(WgslDialect::Naga));
            assert!(!naga.contains("diagnostic"), "{naga}");
        };
        let derivative = "@fragment fn main(@location(0) a: f32) -> @location(0) vec4f {
            var b = a; if a > 1 { b = dpdx(a); } return vec4f(b); }";
        check(derivative, "diagnostic(off, derivative_uniformity);\n");
        let subgroup = "@group(0) @binding(0) var<storage, read_write> a: u32;
            @compute @workgroup_size(1) fn main() { if a > 1u { a = subgroupAdd(a); } }";
        check(subgroup, "diagnostic(off, subgroup_uniformity);\nenable subgroups;\n");
        check("@fragment fn main() {}", "@fragment");
    }

    #[test]
    fn glslang_gets_conversions_of_constants() {
        let text =
            "i = asint(asuint(i) + asuint(int(1))) + asuint(float(1)) + asuint(int2(1, 2)).x;";
        let expected =
            "i = asint(asuint(i) + uint(int(1))) + asuint(float(1)) + uint2(int2(1, 2)).x;";
        assert_eq!(around_glslang(text.as_bytes()), expected.as_bytes());
    }

    fn text_of(module: &Module, language: emit::Language) -> String {
        let written = text(module, language).expect("is expressible");
        String::from_utf8(written).expect("is a text")
    }
}
