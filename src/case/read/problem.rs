//! Errors of the parser.

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::Span;

/// Error for a whole file or case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseError {
    /// The file is invalid: all its errors, in file order.
    Broken(Vec<Diagnostic>),
    /// The file uses something that interstage lacks.
    Unsupported {
        /// The command, key, section or stage.
        word: String,
        /// Position of the word.
        span: Span,
    },
    /// Settings beside the file exclude the case.
    Excluded {
        /// The reason that they give.
        reason: String,
    },
}

/// Error for one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// The line is invalid.
    Broken(Diagnostic),
    /// The line is valid, but interstage does not support it.
    Unsupported {
        /// The command, key, section or stage.
        word: String,
        /// Position of the word.
        span: Span,
    },
}

/// Result of a read function.
pub(super) type Parsed<T> = Result<T, Problem>;

impl Problem {
    /// An error for something that piglit or a later version of the format knows.
    pub(super) fn unsupported(word: impl Into<String>, span: Span) -> Self {
        Self::Unsupported { word: word.into(), span }
    }

    /// Adds a help text, unless the problem has one.
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Broken(diagnostic) if diagnostic.help.is_none() => {
                Self::Broken(diagnostic.with_help(help))
            }
            Self::Broken(_) | Self::Unsupported { .. } => self,
        }
    }

    /// Suggests the nearest of the `known` words in the help text.
    pub(super) fn nearest<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest_word(word, known) {
            Some(known) => self.with_help(format!("did you mean `{known}`?")),
            None => self,
        }
    }
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Broken(diagnostic)
    }
}
