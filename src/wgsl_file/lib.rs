//! Cases for the entry points of a plain WGSL file, with generated inputs; the oracle says what must come back.
//!
//! [`programs`] finds the programs of a file and writes a case file for each; [`read_cases`] also reads these.

mod capture;
mod file;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other statements and types")]
mod functions;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types")]
mod inputs;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types")]
mod interface;
mod partner;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types and stages")]
mod program;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other address spaces and stages")]
mod resources;
mod settings;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types and address spaces")]
mod sink;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types")]
mod texture;

use case::Dialect;
use case::parse::{CaseError, UnreadCase, split};
use ir::source::{Source, Span};

pub use program::{Mistake, NoCase, Program, programs};
pub use settings::Settings;

/// The file with the settings beside a WGSL file.
#[derive(Clone, Copy, Debug, Default)]
pub struct SettingsFile<'a> {
    /// Path of the file.
    pub path: &'a str,
    /// Content of the file.
    pub text: &'a str,
}

/// The cases of the WGSL file at `path`, which its project calls `name`, with the settings beside it. Messages about cases name the program, for their lines are those of the generated text.
pub fn read_cases(
    path: &str,
    text: &[u8],
    name: &str,
    settings: Option<SettingsFile<'_>>,
) -> Vec<UnreadCase> {
    let text = String::from_utf8_lossy(text);
    let refused = |name: String, error| UnreadCase::refused(name, Source::new(path, &*text), error);
    let mistake = |mistake| {
        let own = settings.unwrap_or_default();
        let (SettingsFile { path, text }, error) = match mistake {
            Mistake::File(error) => (SettingsFile { path, text: &text }, error),
            Mistake::Settings(error) => (own, error),
        };
        let error = CaseError::Broken(vec![error]);
        vec![UnreadCase::refused(name.to_owned(), Source::new(path, text), error)]
    };
    let own = match Settings::read(settings.unwrap_or_default().text) {
        Ok(own) => own,
        Err(error) => return mistake(Mistake::Settings(error)),
    };
    let programs = match programs(&text, &own) {
        Ok(programs) => programs,
        Err(error) => return mistake(error),
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
            Err(NoCase::Unsupported(word)) => {
                vec![refused(name, CaseError::Unsupported { word, span: Span::new(0, 0) })]
            }
            Err(NoCase::Excluded(reason)) => vec![refused(name, CaseError::Excluded { reason })],
        }
    };
    programs.into_iter().flat_map(case).collect()
}
