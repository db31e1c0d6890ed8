//! An open document, and what is at a place of it.

use interstage::case::Dialect;
use interstage::case::outline::{Content, OutlinedSection, outline};
use interstage::ir::source::Span;

use super::position::Text;
use crate::files::case_file;
use crate::project;

/// An open document.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// Path of its file.
    pub(super) path: String,
    /// The client's number of the version.
    pub(super) version: i32,
    /// The text.
    pub(super) text: Text,
    /// The sections; none in files of another kind.
    pub(super) sections: Vec<OutlinedSection>,
}

/// Meaning of a position in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// The header of a section.
    Header(&'a OutlinedSection),
    /// A word of a section with lines of words.
    Word {
        /// The section.
        section: &'a OutlinedSection,
        /// The line.
        line: Span,
        /// The word: up to white space, a parenthesis or a comma.
        word: Span,
    },
    /// An identifier of a shader.
    Identifier {
        /// The section.
        section: &'a OutlinedSection,
        /// The identifier.
        word: Span,
    },
    /// Anything else.
    Nothing,
}

impl Document {
    /// A version of the document whose file is `path`.
    pub(super) fn new(path: String, version: i32, text: Text) -> Self {
        let sections = if has_sections(&path) {
            outline(text.as_str(), dialect_of(&path))
        } else {
            Vec::new()
        };
        Self { path, version, text, sections }
    }

    /// True if this is a case file, and not a script, a WGSL file or a file of the shader library.
    pub(super) fn is_case_file(&self) -> bool {
        has_sections(&self.path)
    }

    /// Dialect of the case file.
    pub(super) fn dialect(&self) -> Dialect {
        dialect_of(&self.path)
    }

    /// The section that contains byte `offset`, its header included.
    pub(super) fn section_at(&self, offset: usize) -> Option<&OutlinedSection> {
        self.sections.iter().rev().find(|section| section.header.start <= offset)
    }

    /// The meaning of byte `offset`.
    pub(super) fn place(&self, offset: usize) -> Place<'_> {
        let Some(section) = self.section_at(offset) else { return Place::Nothing };
        if offset <= section.header.end {
            return Place::Header(section);
        }
        if offset < section.body.start {
            return Place::Nothing;
        }
        match section.content {
            Content::Lines => {
                let line = self.text.line_at(offset);
                let is_part = |letter: char| !letter.is_whitespace() && !"(),".contains(letter);
                self.around(offset, is_part)
                    .filter(|word| !self.is_in_comment(line, word.start))
                    .map_or(Place::Nothing, |word| Place::Word { section, line, word })
            }
            Content::Shader { .. } | Content::Include => {
                let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
                self.around(offset, is_part)
                    .map_or(Place::Nothing, |word| Place::Identifier { section, word })
            }
            Content::Unknown => Place::Nothing,
        }
    }

    /// The letters around byte `offset` that are part of a word.
    fn around(&self, offset: usize, is_part: impl Fn(char) -> bool) -> Option<Span> {
        let text = self.text.as_str();
        let before = text[..offset].trim_end_matches(&is_part).len();
        let after = text.len() - text[offset..].trim_start_matches(&is_part).len();
        (before < after).then_some(Span::new(before, after))
    }

    /// True if a comment of the line begins before byte `offset`.
    fn is_in_comment(&self, line: Span, offset: usize) -> bool {
        let before = self.text.slice(Span::new(line.start, offset.max(line.start)));
        let starts_word =
            |at: usize| before[..at].chars().next_back().is_none_or(char::is_whitespace);
        before.match_indices('#').any(|(at, _)| starts_word(at))
    }
}

/// True for the path of a case file, whose text has sections.
fn has_sections(path: &str) -> bool {
    let is_other = [
        case_file::is_wgsl,
        case_file::is_script,
        case_file::is_shader_library,
        case_file::is_stage,
    ];
    !is_other.iter().any(|is_it| is_it(path))
}

/// Dialect of the case file at `path`; strict if the settings of its project are wrong, which a message says.
fn dialect_of(path: &str) -> Dialect {
    project::identify(path).map_or(Dialect::Interstage, |identity| identity.dialect)
}

#[cfg(test)]
mod tests {
    use super::super::position::Encoding;
    use super::*;

    const TEXT: &str =
        "[vertex shader] # a\nout vec2 uv;\n[link]\nv.yz 0.xy # uv\n[test]\nprobe (1,22)\n";

    #[track_caller]
    fn check(before: &str, expect: &str) {
        let text = Text::new(TEXT.to_owned(), Encoding::Utf8);
        let document = Document::new("cases/a.shader_test".to_owned(), 1, text);
        let offset = TEXT.find(before).expect("the text has it") + before.len();
        let found = match document.place(offset) {
            Place::Header(section) => format!("header {}", section.words),
            Place::Word { section, word, .. } => {
                format!("word {} {}", section.words, &TEXT[word.start..word.end])
            }
            Place::Identifier { section, word } => {
                format!("identifier {} {}", section.words, &TEXT[word.start..word.end])
            }
            Place::Nothing => "nothing".to_owned(),
        };
        assert_eq!(found, expect, "behind {before:?}");
    }

    #[test]
    fn a_place_is_a_header_a_word_or_an_identifier() {
        check("", "header vertex shader");
        check("[vertex", "header vertex shader");
        check("[vertex shader] # ", "nothing");
        check("out vec2 u", "identifier vertex shader uv");
        check("out vec2 uv;", "nothing");
        check("[link]\nv", "word link v.yz");
        check("# u", "nothing");
        check("probe (1,2", "word test 22");
        check("probe (1,22)\n", "nothing");
    }
}
