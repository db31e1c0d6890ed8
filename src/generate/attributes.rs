//! A program for each qualifier, layout word, execution mode, decoration and attribute at each place, allowed or not.
//!
//! Each program exists twice, with the word and without it. The readers' tables say how the word must be treated. If
//! its meaning is *carried*, the compiled stages differ; if it has *no effect*, they are the same; if it is
//! *unsupported* or *refused*, a message names it. A word was lost if it is accepted and changes nothing
//! although its row says that it is carried.

#[expect(
    clippy::wildcard_enum_match_arm,
    clippy::match_same_arms,
    clippy::format_push_string,
    reason = "each arm is a row of a table about a few sites; a program is put together line by line"
)]
pub mod glsl;
mod glsl_place;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V's enums have hundreds of variants of which a few matter here"
)]
pub mod spirv;
mod spirv_base;
#[expect(clippy::match_same_arms, reason = "each arm is a row of a table")]
pub mod wgsl;

use std::fmt;

use ir::treatment::Treatment;

/// A program about one word at one place.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The language.
    pub language: Language,
    /// The word.
    pub word: String,
    /// The place.
    pub place: String,
    /// Version of the language, as in `#version`.
    pub version: String,
    /// The treatment of the word that the specification requires.
    pub expected: Expected,
    /// The case.
    pub text: String,
    /// The same case without the word.
    pub bare: String,
}

/// Language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// GLSL and GLSL ES.
    Glsl,
    /// SPIR-V.
    Spirv,
    /// WGSL.
    Wgsl,
}

/// The expected treatment of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The stages differ from those without it.
    Carried,
    /// The stages are those without it, for this reason.
    NoEffect(&'static str),
    /// The program is valid, and refused with the word's name.
    Unsupported,
    /// The program is invalid, and refused with the word's name.
    Refused,
}

impl From<Treatment> for Expected {
    fn from(treatment: Treatment) -> Self {
        match treatment {
            Treatment::Carried(_) => Self::Carried,
            Treatment::NoEffect(reason) => Self::NoEffect(reason),
            Treatment::Unsupported => Self::Unsupported,
        }
    }
}

/// All programs.
pub fn all() -> Vec<Attribute> {
    let mut all = glsl::all();
    all.extend(spirv::all());
    all.extend(wgsl::all());
    all
}

impl Attribute {
    /// Name of the program's file, without its ending.
    pub fn name(&self) -> String {
        let whole = format!("{}_{}_{}_{}", self.language, self.version, self.word, self.place);
        let letters = whole.chars().map(|letter| {
            if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }
        });
        letters.collect()
    }

    /// The case, with a comment that says what is right.
    pub fn case(&self) -> String {
        let verdict = match self.expected {
            Expected::Carried | Expected::NoEffect(_) | Expected::Unsupported => "valid",
            Expected::Refused => "compile error",
        };
        format!(
            "# rule: {} {}\n# place: {}\n# version: {}\n# verdict: {verdict}\n# treatment: {}\n\n{}",
            self.language, self.word, self.place, self.version, self.expected, self.text
        )
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Glsl => "glsl",
            Self::Spirv => "spirv",
            Self::Wgsl => "wgsl",
        })
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried => formatter.write_str("carried"),
            Self::NoEffect(reason) => write!(formatter, "no effect: {reason}"),
            Self::Unsupported => formatter.write_str("unsupported"),
            Self::Refused => formatter.write_str("refused"),
        }
    }
}
