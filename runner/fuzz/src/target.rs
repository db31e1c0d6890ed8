//! The fuzz targets: the code that each runs, and the laws that hold for any input.

mod script;
mod stage;
mod text;
mod unruly;

use interstage::ir::diagnostic::{Diagnostic, render};
use interstage::ir::source::{Source, Span};

use crate::corpus::Diet;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target and of its file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Processes an input. Panics if a law does not hold.
    pub body: fn(&[u8]),
    /// The files of a corpus that are the target's seeds.
    pub(crate) diet: Diet,
    /// Extension of files with the target's inputs.
    pub(crate) extension: &'static str,
}

/// All targets.
pub const TARGETS: [Target; 9] = [
    Target { name: "case", body: text::case, diet: Diet::Cases, extension: "shader_test" },
    Target { name: "plan", body: text::plan, diet: Diet::Cases, extension: "shader_test" },
    Target { name: "glsl", body: stage::glsl, diet: Diet::Glsl, extension: "glsl" },
    Target { name: "spirv", body: stage::spirv, diet: Diet::Spirv, extension: "spirv" },
    Target { name: "wgsl", body: stage::wgsl, diet: Diet::Wgsl, extension: "wgsl" },
    Target { name: "amber", body: script::amber, diet: Diet::Amber, extension: "amber" },
    Target {
        name: "vkscript",
        body: script::vkscript,
        diet: Diet::VkScript,
        extension: "vkscript",
    },
    Target {
        name: "shader_library",
        body: script::shader_library,
        diet: Diet::ShaderLibrary,
        extension: "test",
    },
    Target {
        name: "parser_test",
        body: script::parser_test,
        diet: Diet::ParserTests,
        extension: "glsl",
    },
];

/// A target with one fault of each kind, for the tests of the fuzzer.
const UNRULY: Target =
    Target { name: "unruly", body: unruly::body, diet: Diet::Everything, extension: "txt" };

impl Target {
    /// Finds the target with this name.
    pub fn named(name: &str) -> Option<Self> {
        TARGETS.into_iter().chain([UNRULY]).find(|target| target.name == name)
    }
}

/// Runs the target called `name` on an input.
///
/// # Panics
/// A law does not hold, or there is no such target.
pub fn run(name: &str, input: &[u8]) {
    let target = Target::named(name).expect("fuzz/ names targets that are there");
    (target.body)(input);
}

/// Checks that messages refer to places in the text and can be printed.
fn check_messages(source: &Source, messages: &[Diagnostic]) {
    for message in messages {
        if let Some(span) = message.span {
            check_span(source, span, &message.message);
        }
    }
    assert!(messages.is_empty() || !render(source, messages).is_empty());
}

/// Checks that a span is a part of the text.
fn check_span(source: &Source, span: Span, about: &str) {
    let part = source.text().get(span.start..span.end);
    assert!(part.is_some(), "{span:?} is no part of the text: {about}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{files, seeds};

    /// Every target has seeds among the cases, and accepts some of them and parts of them.
    #[test]
    fn targets_read_the_cases_as_they_are() {
        let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
        for target in TARGETS {
            let files =
                files(std::slice::from_ref(&cases), target.diet).expect("the cases can be read");
            let step = (files.len() / 40).max(1);
            let mut count = 0;
            for seed in files.iter().step_by(step).flat_map(|file| seeds(file, target.diet)) {
                (target.body)(&seed);
                (target.body)(&seed[..seed.len() / 2]);
                count += 1;
            }
            assert!(count >= 3, "{} has {count} seeds", target.name);
        }
    }

    #[test]
    fn cargo_fuzz_has_a_file_for_each_target() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("it is there");
        for Target { name, .. } in TARGETS {
            let path = format!("fuzz_targets/{name}.rs");
            let file = std::fs::read_to_string(root.join(&path)).expect("the target has a file");
            assert!(file.contains(&format!("run(\"{name}\", ")), "{path} runs another target");
            assert!(manifest.contains(&format!("path = \"{path}\"")), "{path} is not built");
        }
    }
}
