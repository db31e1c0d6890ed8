//! Tokens of GLSL text, before and after preprocessing.

use std::borrow::Cow;

use ir::source::Span;

/// A preprocessing token. `'a` is the lifetime of the text it was cut from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// What it looks like.
    pub(super) kind: TokenKind,
    /// Its characters: a piece of the text, or glued together by `##`.
    pub(super) text: Cow<'a, str>,
    /// Its place in the case's source; for a token of a macro's body, the macro's use.
    pub(super) span: Span,
    /// Whether it is the first of its line.
    pub(super) starts_line: bool,
    /// Whether white space or a comment stands before it.
    pub(super) is_spaced: bool,
    /// A macro's name met inside its own expansion: never expanded again.
    pub(super) is_painted: bool,
}

/// What a token looks like before words have a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, keyword or reserved word.
    Word,
    /// Starts with a digit, or with a dot and a digit.
    Number,
    /// An operator or separator.
    Punctuator,
    /// A character that GLSL does not use.
    Stray,
}

impl Token<'_> {
    /// Whether this is the punctuator `text`.
    pub(super) fn is_punctuator(&self, text: &str) -> bool {
        self.kind == TokenKind::Punctuator && self.text == text
    }

    /// Whether this is the word `text`.
    pub(super) fn is_word(&self, text: &str) -> bool {
        self.kind == TokenKind::Word && self.text == text
    }
}
