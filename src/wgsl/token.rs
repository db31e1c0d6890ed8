//! Splits the text of a shader into tokens.

/// A token: a word, or one character of anything else.
#[derive(Clone, Copy, Debug)]
pub struct Token<'s> {
    /// The text.
    pub text: &'s str,
    /// Offset in the shader in bytes.
    pub start: usize,
}

/// The tokens of a shader without its comments.
pub fn tokens(shader: &str) -> Vec<Token<'_>> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut found, mut start) = (Vec::new(), 0);
    while let Some(rest) = shader.get(start..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        if !rest.starts_with("//") && !rest.starts_with("/*") && !first.is_whitespace() {
            found.push(Token { text: &rest[..length], start });
        }
        start += length;
    }
    found
}

/// Length of a comment, which may contain nested comments.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}
