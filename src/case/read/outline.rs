//! The sections of a text as written: parameters are not filled in, and any part may be wrong. For editors and the
//! formatter.

use crate::read::section::{self, SectionKind};
use crate::{Dialect, Language};
use ir::source::{Source, Span};
use ir::stage::ShaderStage;

/// A section of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedSection {
    /// The header, brackets included; the whole line if the bracket is not closed.
    pub header: Span,
    /// The lines below the line of the header, up to the next header.
    pub body: Span,
    /// The words of the header, separated by single blanks.
    pub words: String,
    /// Content of the section.
    pub content: Content,
}

/// Content of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The text of a shader.
    Shader {
        /// The stage.
        stage: ShaderStage,
        /// The language.
        language: Language,
        /// The name of the stage object.
        name: Option<String>,
    },
    /// A path, and below it the text of a GLSL include.
    Include,
    /// Lines of words.
    Lines,
    /// Unknown: the header is not one of the format.
    Unknown,
}

/// Splits a text into its sections. The text above the first header belongs to none.
pub fn outline(text: &str, dialect: Dialect) -> Vec<OutlinedSection> {
    let source = Source::new("", text);
    let mut sections: Vec<OutlinedSection> = Vec::new();
    for idx in 0..source.line_count() {
        let line = source.line_span(idx);
        let is_test = sections.last().is_some_and(|last| last.words == "test");
        if !source.slice(line).starts_with('[') || is_test && dialect == Dialect::Piglit {
            continue;
        }
        if let Some(last) = sections.last_mut() {
            last.body.end = line.start;
        }
        sections.push(section_at(&source, line, dialect));
    }
    sections
}

/// The section whose header is in `line`; its body reaches to the end of the text.
fn section_at(source: &Source, line: Span, dialect: Dialect) -> OutlinedSection {
    let text = source.slice(line);
    let length = text.find(']').map_or(text.trim_end().len(), |closing| closing + 1);
    let header = Span::new(line.start, line.start + length);
    let inside = text[1..length].trim_end_matches(']');
    let words: Vec<&str> = inside.split_whitespace().collect();
    let end = source.text().len();
    OutlinedSection {
        header,
        body: Span::new((line.end + 1).min(end), end),
        words: words.join(" "),
        content: content_of(inside, header, dialect),
    }
}

fn content_of(inside: &str, header: Span, dialect: Dialect) -> Content {
    let filled = with_names(inside);
    let words: Vec<&str> = filled.split_whitespace().collect();
    match section::kind_of(&words, header, dialect) {
        Ok(SectionKind::Shader { stage, language, name }) => {
            Content::Shader { stage, language, name }
        }
        Ok(SectionKind::Include) => Content::Include,
        Ok(
            SectionKind::Require
            | SectionKind::Parameters
            | SectionKind::Specializations(_)
            | SectionKind::IncludePaths
            | SectionKind::Varyings
            | SectionKind::VertexData
            | SectionKind::IndexData
            | SectionKind::RenderTargets
            | SectionKind::Link
            | SectionKind::Capture
            | SectionKind::Test
            | SectionKind::Expect,
        ) => Content::Lines,
        Err(_) => Content::Unknown,
    }
}

/// Replaces every `${…}` by a name.
fn with_names(inside: &str) -> String {
    let mut filled = String::new();
    let mut rest = inside;
    while let Some((before, behind)) = rest.split_once("${") {
        filled.push_str(before);
        filled.push_str("parameter");
        rest = behind.split_once('}').map_or("", |(_, after)| after);
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shader(stage: ShaderStage, language: Language, name: Option<&str>) -> Content {
        Content::Shader { stage, language, name: name.map(str::to_owned) }
    }

    #[track_caller]
    fn check(text: &str, dialect: Dialect, expect: &[(&str, Content, &str)]) {
        let found = outline(text, dialect);
        let found: Vec<_> = found
            .iter()
            .map(|section| {
                let body = &text[section.body.start..section.body.end];
                (section.words.as_str(), section.content.clone(), body)
            })
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn every_header_begins_a_section_even_a_wrong_one() {
        check(
            "# top\n[ vertex  shader ] # why\nin\n[tset]\nx\n[link\n[test]",
            Dialect::Interstage,
            &[
                ("vertex shader", shader(ShaderStage::Vertex, Language::Glsl, None), "in\n"),
                ("tset", Content::Unknown, "x\n"),
                ("link", Content::Lines, ""),
                ("test", Content::Lines, ""),
            ],
        );
    }

    #[test]
    fn parameters_in_headers_are_names() {
        check(
            "[fragment shader wgsl f_${n}]\r\nx\n[shader include]\n/a\n",
            Dialect::Interstage,
            &[
                (
                    "fragment shader wgsl f_${n}",
                    shader(ShaderStage::Fragment, Language::Wgsl, Some("f_parameter")),
                    "x\n",
                ),
                ("shader include", Content::Include, "/a\n"),
            ],
        );
    }

    #[test]
    fn a_header_in_the_test_section_of_a_piglit_file_is_none() {
        let text = "[test]\nclear\n[link]\n";
        let count = |dialect| outline(text, dialect).len();
        assert_eq!([Dialect::Interstage, Dialect::Piglit].map(count), [2, 1]);
    }
}
