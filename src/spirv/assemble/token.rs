//! Tokens of the assembly: separated by white space, strings in quotes, comments from `;`.

use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// A token of the assembly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'s> {
    /// The text of the token; for a string, the text between the quotes, including escapes.
    pub(super) text: &'s str,
    pub(super) is_string: bool,
    pub(super) span: Span,
}

impl Token<'_> {
    /// True for the name of an instruction: `Op` and a capital letter, because `OpenCL` is not an instruction.
    pub(super) fn is_opcode(&self) -> bool {
        let rest = self.text.strip_prefix("Op").filter(|_| !self.is_string);
        rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
    }

    /// The place of its last letter; of a string, of the closing quote.
    pub(super) fn last_letter(&self) -> Span {
        let last = self.text.chars().next_back().filter(|_| !self.is_string);
        let length = last.map_or(1, char::len_utf8);
        Span::new(self.span.end.saturating_sub(length), self.span.end)
    }
}

/// Splits `text`, which begins at byte `base` of the case.
pub(super) fn cut(text: &str, base: usize) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = match rest.as_bytes()[0] {
            b';' => rest.find('\n').unwrap_or(rest.len()),
            b'"' => {
                let Some(length) = string_end(&rest[1..]) else {
                    let span = Span::new(base + at, base + at + 1);
                    return Err(Diagnostic::error(span, "the string has no closing quote"));
                };
                let span = Span::new(base + at, base + at + length + 2);
                tokens.push(Token { text: &rest[1..=length], is_string: true, span });
                length + 2
            }
            b'=' => {
                let span = Span::new(base + at, base + at + 1);
                tokens.push(Token { text: &rest[..1], is_string: false, span });
                1
            }
            first if first.is_ascii_whitespace() => 1,
            _ => {
                let is_end = |letter: char| {
                    letter.is_ascii_whitespace() || matches!(letter, ';' | '=' | '"')
                };
                let length = rest.find(is_end).unwrap_or(rest.len());
                let span = Span::new(base + at, base + at + length);
                tokens.push(Token { text: &rest[..length], is_string: false, span });
                length
            }
        };
        at += end;
    }
    Ok(tokens)
}

/// Number of bytes before the closing quote.
fn string_end(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (idx, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some(idx),
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    None
}

/// Appends the bytes of a string, four to a word, with a terminating zero.
pub(super) fn string_words(token: &Token<'_>, words: &mut Vec<u32>) -> Result<(), Diagnostic> {
    if !token.is_string {
        let message = format!("`{}` must be a string in quotes", token.text);
        return Err(Diagnostic::error(token.span, message));
    }
    let mut bytes = Vec::new();
    let mut is_escaped = false;
    for byte in token.text.bytes() {
        is_escaped = byte == b'\\' && !is_escaped;
        if !is_escaped {
            bytes.push(byte);
        }
    }
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let quads = bytes.chunks_exact(4);
    words.extend(quads.map(|quad| u32::from_le_bytes([quad[0], quad[1], quad[2], quad[3]])));
    Ok(())
}
