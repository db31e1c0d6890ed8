//! A word or number with its position, as passed between the readers.

use ir::source::{Span, Spanned};

/// A value with its position. Unlike [`Spanned`], it is `Copy`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At<T> {
    /// The value.
    pub(crate) value: T,
    /// Position of the value.
    pub(crate) span: Span,
}

impl<T> At<T> {
    /// Pairs `value` with `span`.
    pub(crate) const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T> From<At<T>> for Spanned<T> {
    fn from(at: At<T>) -> Self {
        Self::new(at.value, at.span)
    }
}
