//! Lexer: splits text into preprocessing tokens; drops white space and comments.

use std::borrow::Cow;

use crate::token::{Token, TokenKind};
use ir::diagnostic::Diagnostic;

use super::splice::Spliced;

/// Punctuators of two and three characters, longest first; all others are a single character.
const LONG_PUNCTUATORS: [&str; 22] = [
    "<<=", ">>=", "##", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=",
];

/// Characters that are punctuators by themselves.
const SHORT_PUNCTUATORS: &str = "#(){}[];,.:?=<>+-*/%!~&|^";

/// Splits all of `spliced` into tokens.
pub(super) fn tokenize<'a>(spliced: &'a Spliced<'_>) -> Result<Vec<Token<'a>>, Diagnostic> {
    let text: &'a str = &spliced.text;
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    let mut starts_line = true;
    loop {
        let gap = skip_blanks(text.get(at..).unwrap_or("")).map_err(|comment| {
            let start = at + comment;
            Diagnostic::error(spliced.span(start, start + 2), "this comment has no closing `*/`")
        })?;
        at += gap.length;
        starts_line |= gap.has_newline;
        let rest = text.get(at..).unwrap_or("");
        let Some((kind, length)) = first_token(rest) else { return Ok(tokens) };
        tokens.push(Token {
            kind,
            text: Cow::Borrowed(rest.get(..length).unwrap_or("")),
            span: spliced.span(at, at + length),
            starts_line,
            is_spaced: gap.length > 0,
            is_painted: false,
        });
        starts_line = false;
        at += length;
    }
}

/// The kind of `text` if all of it is one token.
pub(super) fn kind_of_whole(text: &str) -> Option<TokenKind> {
    first_token(text).filter(|(_, length)| *length == text.len()).map(|(kind, _)| kind)
}

struct Gap {
    length: usize,
    has_newline: bool,
}

/// Measures white space and comments at the start of `text`; the error is the position of an unterminated comment.
fn skip_blanks(text: &str) -> Result<Gap, usize> {
    let mut gap = Gap { length: 0, has_newline: false };
    loop {
        let rest = text.get(gap.length..).unwrap_or("");
        if let Some(comment) = rest.strip_prefix("/*") {
            gap.length += comment.find("*/").ok_or(gap.length)? + 4;
        } else if rest.starts_with("//") {
            gap.length += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if rest.starts_with(['\n', '\r']) {
            gap.has_newline = true;
            gap.length += 1;
        } else if rest.starts_with([' ', '\t', '\u{b}', '\u{c}']) {
            gap.length += 1;
        } else {
            return Ok(gap);
        }
    }
}

fn first_token(text: &str) -> Option<(TokenKind, usize)> {
    let first = text.chars().next()?;
    let second = text.as_bytes().get(1).copied().unwrap_or(0);
    if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
        return Some((TokenKind::Number, number_length(text)));
    }
    if is_word_start(first) {
        let length = text.find(|c| !is_word_part(c)).unwrap_or(text.len());
        return Some((TokenKind::Word, length));
    }
    if let Some(long) = LONG_PUNCTUATORS.iter().find(|long| text.starts_with(**long)) {
        return Some((TokenKind::Punctuator, long.len()));
    }
    if SHORT_PUNCTUATORS.contains(first) {
        return Some((TokenKind::Punctuator, 1));
    }
    Some((TokenKind::Stray, first.len_utf8()))
}

/// Length of a number: digits, at most one dot, an exponent with its sign, and any letters that follow.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let mut has_dot = false;
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let is_exponent_sign = matches!(byte, b'+' | b'-')
            && !is_hex
            && matches!(bytes.get(length.wrapping_sub(1)), Some(b'e' | b'E'));
        let is_dot = byte == b'.' && !has_dot && !is_hex;
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || is_dot || is_exponent_sign) {
            break;
        }
        has_dot |= is_dot;
        length += 1;
    }
    length
}

const fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

const fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let spliced = Spliced::new(text, 0);
        let tokens = tokenize(&spliced).expect("the text has no endless comment");
        let found: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_longest_punctuator_wins() {
        check("a<<=b^^c-->d", &["a", "<<=", "b", "^^", "c", "--", ">", "d"]);
    }

    #[test]
    fn numbers_end_where_glsl_says() {
        check(
            "1.0.xx .5e-3+1 0xe+1 1e+2u",
            &["1.0", ".", "xx", ".5e-3", "+", "1", "0xe", "+", "1", "1e+2u"],
        );
    }

    #[test]
    fn comments_are_blanks() {
        check("a/**/b//c\n/*\n*/d", &["a", "b", "d"]);
    }

    #[test]
    fn an_endless_comment_is_an_error_where_it_starts() {
        let spliced = Spliced::new("a /* b", 7);
        let error = tokenize(&spliced).expect_err("the comment never ends");
        assert_eq!(error.span, Some(ir::source::Span::new(9, 11)));
    }
}
