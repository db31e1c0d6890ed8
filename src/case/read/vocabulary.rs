//! The words that begin lines of sections, with the syntax of what follows, for editors.

use crate::read::section::{self, capture, expected, link, require, targets};
use crate::read::{commands, section::varyings};
use ir::backend::Backend;

/// The first words of a line, as the reader knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Header of the section, without brackets.
    pub section: &'static str,
    /// The words, separated by single blanks.
    pub words: &'static str,
    /// Syntax of the rest of the line; `None` where only the reference of the format has it.
    pub arguments: Option<&'static str>,
}

/// The words of all sections, in the order of the reader's tables.
pub fn vocabulary() -> Vec<Term> {
    let plain = |section, words: Vec<&'static str>| {
        words.into_iter().map(move |words| Term { section, words, arguments: None })
    };
    let commands = commands::usages();
    let commands = commands.map(|(words, arguments)| Term {
        section: "test",
        words,
        arguments: Some(arguments),
    });
    // Backends follow `backend`.
    let is_first = |word: &&str| !Backend::ALL.iter().any(|backend| backend.name() == *word);
    plain("require", require::known_words().filter(is_first).collect())
        .chain(plain("varyings", varyings::known_words().collect()))
        .chain(plain("render targets", targets::known_words().collect()))
        .chain(plain("link", link::first_words().collect()))
        .chain(plain("capture", capture::known_words().collect()))
        .chain(commands)
        .chain(plain("expect", expected::first_words().collect()))
        .collect()
}

/// Headers of sections, without brackets: those of all stages in all languages, and the others.
pub fn headers() -> Vec<String> {
    section::headers()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_readers() {
        let all = vocabulary();
        let find = |section: &str, words: &str| {
            all.iter().find(|term| term.section == section && term.words == words)
        };
        assert_eq!(find("test", "probe depth").and_then(|term| term.arguments), Some("x y z"));
        for (section, words) in [
            ("require", "GLSL"),
            ("require", "adapter"),
            ("link", "slots"),
            ("link", "profile"),
            ("link", "pair"),
            ("render targets", "samples"),
            ("capture", "next buffer"),
            ("expect", "any"),
        ] {
            assert!(find(section, words).is_some(), "{section}: {words}");
        }
        assert_eq!(find("require", "vulkan"), None);
    }

    #[test]
    fn headers_have_languages_where_the_reader_allows_them() {
        let all = headers();
        let has = |header: &str| all.iter().any(|known| known == header);
        for header in ["test", "vertex shader passthrough", "compute shader wgsl", "link"] {
            assert!(has(header), "{header}");
        }
        assert!(!has("fragment shader passthrough"));
    }
}
