//! Writes stages for external programs, as wgpu's Vulkan backend writes them for drivers.

mod hlsl;
mod reread;

use std::fmt::Write as _;

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

/// HLSL's types of 32 bits.
const NUMBERS: [&str; 3] = ["int", "uint", "float"];

/// Ends of the names of scalars and vectors.
const SIZES: [&str; 4] = ["", "2", "3", "4"];

/// The text with functions around `asint`, `asuint` and `asfloat`. glslang computes these of a constant as if the bits were
/// those of a float: `asuint(int(1))` becomes an infinity, and naga writes one for every addition of a constant. The
/// parameter of a function is no constant, so the text shows what else glslang does.
pub(super) fn around_glslang(text: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(text).into_owned();
    let mut functions = String::new();
    for to in NUMBERS {
        for before in ["(", " "] {
            text = text.replace(&format!("{before}as{to}("), &format!("{before}bits_as_{to}("));
        }
        let types = NUMBERS.iter().flat_map(|from| SIZES.map(|size| (from, size)));
        for (from, size) in types {
            let _ = writeln!(
                functions,
                "{to}{size} bits_as_{to}({from}{size} x) {{ return as{to}(x); }}"
            );
        }
    }
    (functions + &text).into_bytes()
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
    fn glslang_computes_no_bits_of_constants() {
        let text = around_glslang(b"i = asint(asuint(i) + asuint(int(1))) + alasint(asfloat(1));");
        let text = String::from_utf8(text).expect("a text");
        let end = "\ni = bits_as_int(bits_as_uint(i) + bits_as_uint(int(1))) + alasint(bits_as_float(1));";
        assert!(text.ends_with(end), "{text}");
        assert!(text.contains("\nuint3 bits_as_uint(float3 x) { return asuint(x); }\n"), "{text}");
        assert_eq!(text.lines().count(), 37, "{text}");
    }

    fn text_of(module: &Module, language: emit::Language) -> String {
        let written = text(module, language).expect("is expressible");
        String::from_utf8(written).expect("is a text")
    }
}
