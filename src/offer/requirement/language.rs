//! Checks for GLSL features that a program needs on an old GL adapter, and for functions that naga writes even if the
//! version lacks them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use naga::back::glsl;
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Expression, Module};

use crate::language::Language;
use crate::need::modules;
use crate::old_language::{lacks, lowered};
use ir::stage::ENTRY_POINT;
use link::program::LinkedProgram;

/// The feature that `program` needs and `language` lacks, in words.
pub(super) fn lacks_language(
    language: Option<Language>,
    program: &LinkedProgram,
) -> Option<String> {
    let language = language.filter(|language| !language.is_complete())?;
    let modules = modules(program);
    modules.iter().find_map(|module| {
        let lowered = lowered(language, module);
        let module = lowered.as_ref().unwrap_or(*module);
        lacks_function(language, module).or_else(|| lacks_feature(language, module))
    })
}

fn lacks_function(language: Language, module: &Module) -> Option<String> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    let expressions = functions.flat_map(|function| function.expressions.iter());
    let mut needed = expressions.filter_map(|(_, expression)| {
        if matches!(expression, Expression::ImageSample { gather: Some(_), .. }) {
            return (!language.gathers()).then(|| "textureGather".to_owned());
        }
        let Expression::Math { fun, .. } = expression else { return None };
        lacks(language, *fun).then(|| format!("{fun:?}"))
    });
    let name = needed.next()?;
    Some(format!("the adapter's {language} has no function for {name}"))
}

/// The missing feature that naga's writer itself reports.
fn lacks_feature(language: Language, module: &Module) -> Option<String> {
    let entry = module.entry_points.first()?;
    let mut validator = Validator::new(ValidationFlags::empty(), Capabilities::all());
    let info = validator.validate(module).ok()?;
    let number = language.number;
    let version = if language.is_es {
        glsl::Version::Embedded { version: number, is_webgl: false }
    } else {
        glsl::Version::Desktop(number)
    };
    let options = glsl::Options { version, ..glsl::Options::default() };
    let stage = glsl::PipelineOptions {
        shader_stage: entry.stage,
        entry_point: ENTRY_POINT.to_owned(),
        multiview: None,
    };
    let write = || {
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, module, &info, &options, &stage, policies)
            .and_then(|mut writer| writer.write())
            .err()
    };
    // A panic would occur in every version too. wgpu meets it again, and the case then tells it as naga's.
    let error = catch_unwind(AssertUnwindSafe(write)).ok()??;
    if let glsl::Error::MissingFeatures(features) = error {
        let names: Vec<_> = features.iter_names().map(|(name, _)| name).collect();
        return Some(format!("the adapter's {language} lacks {}", names.join(" and ")));
    }
    // Other errors would occur in every version, so they are not due to the adapter.
    let glsl::Error::UnsupportedExternal(name) = error else { return None };
    Some(format!("the adapter's {language} has no function {name}"))
}

#[cfg(test)]
mod tests {
    use link::program::LinkedStages;

    use super::*;

    #[track_caller]
    fn check(number: u16, is_es: bool, body: &str, expected: Option<&str>) {
        let text = format!(
            "@group(0) @binding(0) var<uniform> a: vec4f;
            @group(0) @binding(1) var t: texture_2d<f32>;
            @group(0) @binding(2) var s: sampler;
            @fragment fn main() -> @location(0) vec4f {{ {body} }}"
        );
        let program = fixture::program(LinkedStages::Compute(fixture::module(&text)));
        let language = Some(Language { number, is_es });
        assert_eq!(lacks_language(language, &program).as_deref(), expected, "{body}");
    }

    #[test]
    fn functions_have_their_versions() {
        let gather = "return textureGather(0, t, s, a.xy);";
        let message = "the adapter's GLSL 3.30 has no function for textureGather";
        check(330, false, gather, Some(message));
        check(400, false, gather, None);
        let message = "the adapter's GLSL ES 3.00 has no function for textureGather";
        check(300, true, gather, Some(message));
        check(310, true, gather, None);
        // These functions have replacements.
        check(330, false, "return vec4f(f32(countOneBits(u32(a.x))));", None);
        check(410, false, "return vec4f(unpack2x16float(u32(a.x)), 0.0, 0.0);", None);
        check(330, false, "return sin(a);", None);
    }

    /// Where naga's writer no longer panics at this, another module is needed.
    #[test]
    fn a_panic_of_the_writer_is_no_missing_feature() {
        let text = "fn two() -> u32 { return 2u; }
            @group(0) @binding(0) var<storage, read_write> a: u32;
            @compute @workgroup_size(1) fn main() {
                loop { let b = two(); continuing { a += b; break if a > b; } }
            }";
        let module = fixture::module(text);
        let written = ir::emit::write(&module, ir::emit::Language::Glsl);
        assert!(matches!(written, Err(ir::emit::WriteError::Panic(_))), "{written:?}");
        let program = fixture::program(LinkedStages::Compute(module));
        let language = Some(Language { number: 310, is_es: true });
        assert_eq!(lacks_language(language, &program), None);
    }

    #[test]
    fn arrays_of_arrays_need_no_version() {
        let fragment = "@group(0) @binding(0) var<uniform> a: array<array<vec4f, 2>, 3>;
            @fragment fn main() -> @location(0) vec4f { return a[0][1]; }";
        let compute = "var<workgroup> a: array<array<u32, 2>, 3>;
            @compute @workgroup_size(1) fn main() { a[0][1] = 1u; workgroupBarrier(); }";
        let lacks = |text, number, is_es| {
            let program = fixture::program(LinkedStages::Compute(fixture::module(text)));
            lacks_language(Some(Language { number, is_es }), &program)
        };
        assert_eq!(lacks(fragment, 420, false), None);
        assert_eq!(lacks(fragment, 300, true), None);
        assert_eq!(lacks(fragment, 310, true), None);
        assert_eq!(lacks(compute, 420, false), None);
        assert_eq!(lacks(compute, 430, false), None);
    }

    #[test]
    fn what_the_writer_refuses_is_named() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = 1u; }";
        let program = fixture::program(LinkedStages::Compute(fixture::module(text)));
        let lacks = |number| lacks_language(Some(Language { number, is_es: false }), &program);
        let found = lacks(330).expect("3.30 has neither buffers nor compute stages");
        assert!(found.contains("BUFFER_STORAGE and COMPUTE_SHADER"), "{found}");
        assert_eq!(lacks(450), None);
    }
}
