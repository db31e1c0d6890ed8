//! Polyfills for old GLSL: replaces constructs that naga writes even if the version lacks them, and integer divisions
//! that no version defines.

mod division;
mod function;
mod nested_array;
mod vector_choice;

use std::borrow::Cow;

use naga::{EarlyDepthTest, Module};

use super::language::Language;

pub(crate) use function::lacks;

/// Rewrites `module` to constructs that `language` has, as far as replacements exist. Returns `None` if nothing
/// changes.
pub fn lowered(language: Language, module: &Module) -> Option<Module> {
    let mut result = Cow::Borrowed(module);
    if !language.has_arrays_of_arrays()
        && let Some(without) = nested_array::without_arrays_of_arrays(&result)
    {
        result = Cow::Owned(without);
    }
    if let Some(defined) = division::with_defined_divisions(&result) {
        result = Cow::Owned(defined);
    }
    // The replacement of a function may itself need replacements, including vector choices.
    while let Some(without) = function::without_missing_functions(language, &result) {
        result = Cow::Owned(without);
    }
    if !language.mixes_integers()
        && let Some(without) = vector_choice::without_vector_choices(&result)
    {
        result = Cow::Owned(without);
    }
    if !language.has_conservative_depth() && promises_depth(&result) {
        for entry in &mut result.to_mut().entry_points {
            entry.early_depth_test = None;
        }
    }
    match result {
        Cow::Borrowed(_) => None,
        Cow::Owned(lowered) => Some(lowered),
    }
}

/// True if a stage declares how it changes its depth, which does not affect any result.
fn promises_depth(module: &Module) -> bool {
    module
        .entry_points
        .iter()
        .any(|entry| matches!(entry.early_depth_test, Some(EarlyDepthTest::Allow { .. })))
}

#[cfg(test)]
mod tests {
    use naga::back::glsl;
    use naga::proc::BoundsCheckPolicies;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::nested_array::has_arrays_of_arrays;
    use super::*;

    /// Writes a fragment stage as GLSL 3.30.
    #[track_caller]
    pub(super) fn written(module: &Module) -> String {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(module).expect("it stays valid");
        let options =
            glsl::Options { version: glsl::Version::Desktop(330), ..glsl::Options::default() };
        let (shader_stage, entry_point) = (naga::ShaderStage::Fragment, "main".to_owned());
        let entry = glsl::PipelineOptions { shader_stage, entry_point, multiview: None };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, module, &info, &options, &entry, policies)
            .and_then(|mut writer| writer.write())
            .expect("GLSL 3.30 can say it");
        text
    }

    #[test]
    fn each_version_is_spared_what_it_has_not() {
        let text = "@fragment fn main(@location(0) f: vec2f) -> @location(0) vec4f {
            var a: array<array<vec2u, 2>, 2>;
            a[1][0] = select(vec2u(1), vec2u(2), f > vec2f(0.5));
            return vec4f(vec2f(a[1][0]), 0.0, 1.0);
        }";
        let module = fixture::module(text);
        let check = |number: u16, is_es: bool, has_arrays: bool, mixes: bool| {
            let lowered = lowered(Language { number, is_es }, &module);
            let found = lowered.as_ref().unwrap_or(&module);
            assert_eq!(has_arrays_of_arrays(found), has_arrays, "arrays of {number}");
            assert_eq!(written_for_any(found).contains("mix("), mixes, "choices of {number}");
        };
        check(330, false, false, false);
        check(430, false, true, false);
        check(450, false, true, true);
        check(300, true, false, false);
        check(310, true, true, true);
    }

    /// Writes a module as GLSL of the newest version.
    fn written_for_any(module: &Module) -> String {
        let text = ir::emit::write(module, ir::emit::Language::Glsl).expect("it can be said");
        String::from_utf8(text).expect("GLSL is text")
    }
}
