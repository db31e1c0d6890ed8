//! Scripts of Amber and `VkRunner`: their parsers, and their translation to a case and to the case's text. Files of the
//! shader library and parser tests: their parsers, and the cases that they become.

use std::sync::Arc;

use interstage::amber::{is_vkscript, read_case, to_case_file};
use interstage::case::parse::NoFiles;
use interstage::conformance::parser_test;
use interstage::conformance::shader_library::{File, Library, Templates};
use interstage::ir::source::Source;

use super::text::check_parsed;
use crate::section::divided;

/// Reads an `AmberScript`.
pub(super) fn amber(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let is_script = text.starts_with("#!amber");
    read(if is_script { text.into_owned() } else { format!("#!amber\n{text}") });
}

/// Reads a `VkScript`.
pub(super) fn vkscript(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let is_script = is_vkscript(&text);
    read(if is_script { text.into_owned() } else { format!("[test]\n{text}") });
}

/// Reads a file of the shader library, with the templates of both APIs.
pub(super) fn shader_library(text: &[u8]) {
    for templates in [Templates::OpenGl, Templates::Vulkan] {
        let file = File { path: "fuzz", name: "fuzz", text, templates };
        let cases = match Library::read(file, &NoFiles) {
            Ok(library) => library.cases(),
            Err(broken) => vec![*broken],
        };
        for case in cases {
            check_parsed(&case.read());
        }
    }
}

/// Reads a parser test of any stage.
pub(super) fn parser_test(input: &[u8]) {
    let Some((stage, text)) = divided(input) else { return };
    let known = parser_test::EXTENSIONS.iter().find(|(_, known)| *known == stage);
    let (extension, _) = known.expect("every stage has an extension");
    let text = String::from_utf8_lossy(text).into_owned();
    let source = Arc::new(Source::new(format!("fuzz.{extension}"), text));
    check_parsed(&parser_test::read_case("fuzz".to_owned(), source, &NoFiles));
}

fn read(text: String) {
    let source = Arc::new(Source::new("fuzz", text));
    let parsed = read_case("fuzz".to_owned(), source, &NoFiles);
    check_parsed(&parsed);
    if let Ok(case) = &parsed.result {
        drop(to_case_file(case));
    }
}
