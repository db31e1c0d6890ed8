//! Tokens of GLSL text, before and after preprocessing.

use std::borrow::Cow;

use ir::source::Span;

/// A preprocessing token. `'a` is the lifetime of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Lexical kind of the token.
    pub(super) kind: TokenKind,
    /// Text of the token: a part of the source, or pasted by `##`.
    pub(super) text: Cow<'a, str>,
    /// Position in the case's source; for a token of a macro's body, the position of the macro's use.
    pub(super) span: Span,
    /// True for the first token of a line.
    pub(super) starts_line: bool,
    /// True if white space or a comment precedes the token.
    pub(super) is_spaced: bool,
    /// True for a macro's name inside its own expansion, which is never expanded again.
    pub(super) is_painted: bool,
}

/// Lexical kind of a token, before keywords are classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, keyword or reserved word.
    Word,
    /// A number: starts with a digit, or with a dot and a digit.
    Number,
    /// An operator or separator.
    Punctuator,
    /// A character that GLSL does not use.
    Stray,
}

impl Token<'_> {
    /// True if the token is the punctuator `text`.
    pub(super) fn is_punctuator(&self, text: &str) -> bool {
        self.kind == TokenKind::Punctuator && self.text == text
    }

    /// True if the token is the word `text`.
    pub(super) fn is_word(&self, text: &str) -> bool {
        self.kind == TokenKind::Word && self.text == text
    }
}
