//! Why a line, or a whole file, cannot be read.

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::Span;

/// Why a file is not a case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseError {
    /// The file is wrong; all its errors, in file order.
    Broken(Vec<Diagnostic>),
    /// A file that uses something interstage does not know or cannot do.
    Unsupported {
        /// The command, key, section or stage.
        word: String,
        /// Where it stands.
        span: Span,
    },
}

/// What stops a line from being read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// The line is wrong.
    Broken(Diagnostic),
    /// The line is right, but interstage cannot do it.
    Unsupported {
        /// The command, key, section or stage.
        word: String,
        /// Where it stands.
        span: Span,
    },
}

/// What reading gives.
pub(super) type Parsed<T> = Result<T, Problem>;

impl Problem {
    /// Something that piglit or a later version knows.
    pub(super) fn unsupported(word: impl Into<String>, span: Span) -> Self {
        Self::Unsupported { word: word.into(), span }
    }

    /// The same problem with advice, unless it has some.
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Broken(diagnostic) if diagnostic.help.is_none() => {
                Self::Broken(diagnostic.with_help(help))
            }
            Self::Broken(_) | Self::Unsupported { .. } => self,
        }
    }

    /// The same problem, asking whether the nearest of `known` was meant.
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
