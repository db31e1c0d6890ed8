//! Cases for the entry points of a plain WGSL file, with generated inputs; the oracle says what must come back.
//!
//! [`programs`] finds the programs of a file and writes a case file for each; [`read_cases`] also reads these.

#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types")]
mod inputs;
mod partner;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types and address spaces")]
mod program;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types and address spaces")]
mod sink;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types")]
mod texture;

use case::Dialect;
use case::parse::{CaseError, UnreadCase, split};
use ir::source::{Source, Span};

pub use program::{Program, programs};

/// The cases of the WGSL file at `path`, which its project calls `name`. Messages about them name the program, for their
/// lines are those of the generated text.
pub fn read_cases(path: &str, text: &[u8], name: &str) -> Vec<UnreadCase> {
    let text = String::from_utf8_lossy(text);
    let refused = |name: String, error| UnreadCase::refused(name, Source::new(path, &*text), error);
    let programs = match programs(&text) {
        Ok(programs) => programs,
        Err(error) => return vec![refused(name.to_owned(), CaseError::Broken(vec![error]))],
    };
    let case = |program: Program| {
        let behind = if program.name.is_empty() { "" } else { "#" };
        let [path, name] = [path, name].map(|file| format!("{file}{behind}{}", program.name));
        match program.case {
            Ok(text) => {
                let mut cases = split(&path, text.as_bytes(), Dialect::Interstage);
                for case in &mut cases {
                    case.name.clone_from(&name);
                }
                cases
            }
            Err(word) => {
                vec![refused(name, CaseError::Unsupported { word, span: Span::new(0, 0) })]
            }
        }
    };
    programs.into_iter().flat_map(case).collect()
}
