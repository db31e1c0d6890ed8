//! Declarations in GLSL stages that do not compile, found by their words.

use interstage::case::Language;
use interstage::case::outline::{Content, OutlinedSection};
use interstage::ir::source::Span;
use interstage::ir::stage::ShaderStage;

use super::document::Document;
use super::names::{Declaration, Names, Role};

/// The names, with those of the GLSL stages that have no declarations among them.
pub(super) fn completed(document: &Document, names: &Names) -> Names {
    let mut all = names.clone();
    for section in &document.sections {
        let Content::Shader { stage, language: Language::Glsl, .. } = section.content else {
            continue;
        };
        let is_inside = |known: &Declaration| {
            section.body.start <= known.span.start && known.span.start < section.body.end
        };
        if !names.declarations.iter().any(is_inside) {
            for declaration in declarations(document, section, stage) {
                all.declare(declaration);
            }
        }
    }
    all
}

/// Declarations at global scope: statements with a word such as `in`, whose last identifier is the name.
fn declarations(
    document: &Document,
    section: &OutlinedSection,
    stage: ShaderStage,
) -> Vec<Declaration> {
    let text = document.text.slice(section.body);
    let mut found = Vec::new();
    let mut start = 0;
    for (end, _) in text.match_indices([';', '{', '}', '\n']) {
        let statement = &text[start..end];
        let is_end = text.as_bytes()[end] == b';';
        if let (true, Some(role)) = (is_end, role_of(statement, stage)) {
            let declared = statement.split(['=', '[']).next().unwrap_or(statement).trim_end();
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let name = &declared[declared.trim_end_matches(is_part).len()..];
            let at = section.body.start + start + declared.len() - name.len();
            found.push(Declaration {
                name: name.to_owned(),
                alias: String::new(),
                role,
                stage,
                location: None,
                span: Span::new(at, at + name.len()),
                text: statement.trim().to_owned(),
            });
        }
        start = end + 1;
    }
    found.retain(|declaration| !declaration.name.is_empty());
    found
}

fn role_of(statement: &str, stage: ShaderStage) -> Option<Role> {
    let words = statement.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).find_map(|word| match word {
        "out" => Some(Role::Output),
        "varying" if stage == ShaderStage::Vertex => Some(Role::Output),
        "in" | "attribute" | "varying" => Some(Role::Input),
        "uniform" => Some(Role::Uniform),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::position::{Encoding, Text};
    use super::*;

    #[test]
    fn statements_with_a_storage_word_declare_their_last_identifier() {
        let text = "[vertex shader]\n#version 450\nflat out vec2 uv[2];\nuniform float u = 1.0;\nfloat f(in int a) {\n  return 1.0; }\nin vec4\n p; broken\n";
        let text = Text::new(text.to_owned(), Encoding::Utf8);
        let document = Document::new("cases/a.shader_test".to_owned(), 1, text);
        let found = completed(&document, &Names::default()).declarations;
        let found: Vec<_> = found
            .iter()
            .map(|known| (known.role, known.name.as_str(), document.text.slice(known.span)))
            .collect();
        assert_eq!(found, [(Role::Output, "uv", "uv"), (Role::Uniform, "u", "u")]);
    }
}
