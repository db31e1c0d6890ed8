//! Errors of linking.

use ir::diagnostic::{Diagnostic, Unsupported};
use ir::source::Span;

/// Why stages cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The shaders': they do not fit together. All reasons, in the consumer's declaration order.
    #[error("the stages do not link")]
    Refused(Vec<Diagnostic>),
    /// The profile's: its hardware cannot link stages that fit together elsewhere. All reasons.
    #[error("the profile does not link the stages")]
    Forbidden(Vec<Diagnostic>),
    /// The adapter's: the program is right, but its varyings need more room than there is. Never satisfies an expected
    /// link error.
    #[error("{}", .0.message)]
    NoRoom(Box<Diagnostic>),
    /// The adapter's: the program is right, but does with 64-bit values what the adapter, which has none, cannot do with
    /// their words. Never satisfies an expected link error.
    #[error("{operation}")]
    NoWideTypes {
        /// The operation.
        operation: String,
        /// Where it stands.
        span: Option<Span>,
    },
    /// Ours: the program is right, but cannot be run yet.
    #[error("unsupported: {word}")]
    Unsupported {
        /// The construct.
        word: String,
        /// Where it stands; `None` if no one place is to blame.
        span: Option<Span>,
    },
    /// Ours, or naga's: a final module is wrong. Never satisfies an expected link error.
    #[error("{message}")]
    Invalid {
        /// What is wrong with it.
        message: String,
        /// The code that naga points at.
        span: Option<Span>,
    },
}

impl From<Unsupported> for LinkError {
    fn from(Unsupported(word): Unsupported) -> Self {
        Self::Unsupported { word, span: None }
    }
}
