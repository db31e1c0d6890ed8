//! Errors of the readers.

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::Span;

use super::at::At;
use crate::ScriptError;
use crate::syntax::Script;

/// Maximum number of errors reported for one script.
pub const MAX_ERRORS: usize = 100;

/// Error for one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    /// The line is invalid.
    Broken(Diagnostic),
    /// The line is valid, but interstage does not support it.
    Unsupported {
        /// The unsupported feature.
        word: String,
        /// Position of the word that requests the feature.
        span: Span,
    },
}

/// Result of a read function.
pub(crate) type Parsed<T> = Result<T, Problem>;

/// Number of letters of a word that a message repeats.
const SHOWN_LETTERS: usize = 40;

/// Maximum number of words that are compared for a suggestion.
const COMPARED_WORDS: usize = 2_000;

impl Problem {
    /// An error at `span`.
    pub(crate) fn error(span: Span, message: impl Into<String>) -> Self {
        Self::Broken(Diagnostic::error(span, message))
    }

    /// A problem for a valid feature that interstage does not support.
    pub(crate) fn unsupported(word: impl Into<String>, span: Span) -> Self {
        Self::Unsupported { word: word.into(), span }
    }

    /// An error about a word that is not one of `known`, with the nearest of these as a suggestion.
    pub(crate) fn unknown<'a>(
        what: &str,
        word: At<&str>,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let message = format!("unknown {what} `{}`", shown(word.value));
        let error = Diagnostic::error(word.span, message);
        let is_short = |text: &&str| text.len() <= SHOWN_LETTERS;
        let known = known.into_iter().take(COMPARED_WORDS).filter(is_short);
        let nearest = Some(word.value).filter(is_short).and_then(|word| nearest_word(word, known));
        Self::Broken(match nearest {
            Some(nearest) => error.with_help(format!("did you mean `{nearest}`?")),
            None => error,
        })
    }
}

/// The errors of a script.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Diagnostic>,
}

impl Errors {
    /// Records an error, and returns true if more may follow. An unsupported feature is returned as an error.
    pub(crate) fn note(&mut self, problem: Problem) -> Parsed<bool> {
        match problem {
            Problem::Broken(_) if self.list.len() >= MAX_ERRORS => {}
            Problem::Broken(error) => self.list.push(error),
            Problem::Unsupported { .. } => return Err(problem),
        }
        Ok(self.list.len() < MAX_ERRORS)
    }

    /// The result for a script that was read with `result` after these errors.
    pub(crate) fn outcome(mut self, result: Parsed<Script>) -> Result<Script, ScriptError> {
        match result {
            Ok(script) if self.list.is_empty() => return Ok(script),
            Err(Problem::Unsupported { word, span }) if self.list.is_empty() => {
                return Err(ScriptError::Unsupported { word, span });
            }
            // Unsupported features are reported once the errors are fixed.
            Ok(_) | Err(Problem::Unsupported { .. }) => {}
            Err(Problem::Broken(error)) => self.list.push(error),
        }
        Err(ScriptError::Broken(self.list))
    }
}

/// The start of a word, for a message.
pub(crate) fn shown(word: &str) -> String {
    let mut letters = word.chars();
    let start: String = letters.by_ref().take(SHOWN_LETTERS).collect();
    if letters.next().is_some() { format!("{start}…") } else { start }
}
