//! Splits a `.test` file into tokens.

use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or name, which may contain digits, `_`, `-` and `.` behind its first letter.
    Word,
    /// Digits alone.
    Integer,
    /// Digits with a decimal point.
    Real,
    /// A text between single or double quotation marks.
    Text,
    /// The source of a shader between two double quotation marks on each side.
    Shader,
    /// Any other character.
    Symbol,
    /// The end of the file.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Kind of the token.
    pub(super) kind: Kind,
    /// Position, quotation marks included.
    pub(super) span: Span,
}

/// Reads tokens from a text.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens of a text from its start.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads the next token. Behind the last one and behind an error every token is [`Kind::End`].
    ///
    /// # Errors
    /// A quotation is not closed.
    pub(super) fn next(&mut self) -> Result<Token, Diagnostic> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(Token { kind: Kind::End, span: Span::new(start, start) });
        };
        let (kind, length) = match first {
            'a'..='z' | 'A'..='Z' => (Kind::Word, length_while(rest, is_of_word)),
            '0'..='9' => number(rest),
            '"' if rest.starts_with("\"\"") => (Kind::Shader, self.quotation(rest, "\"\"")?),
            '"' => (Kind::Text, self.quotation(rest, "\"")?),
            '\'' => (Kind::Text, self.quotation(rest, "'")?),
            other => (Kind::Symbol, other.len_utf8()),
        };
        self.at = start + length;
        Ok(Token { kind, span: Span::new(start, self.at) })
    }

    /// Skips white space, and comments from `#` to the end of the line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find(['\n', '\r']).unwrap_or(trimmed.len());
        }
    }

    /// Length of a quotation with its marks. A character behind a backslash does not end it.
    fn quotation(&mut self, rest: &str, mark: &str) -> Result<usize, Diagnostic> {
        let mut at = mark.len();
        while let Some(letter) = rest[at..].chars().next() {
            if rest[at..].starts_with(mark) {
                return Ok(at + mark.len());
            }
            at += letter.len_utf8();
            if letter == '\\' {
                at += rest[at..].chars().next().map_or(0, char::len_utf8);
            }
        }
        let span = Span::new(self.at, self.at + mark.len());
        self.at = self.text.len();
        Err(Diagnostic::error(span, format!("the closing `{mark}` is missing")))
    }
}

const fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

fn length_while(text: &str, is_part: fn(char) -> bool) -> usize {
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

/// Kind and length of a number. An exponent belongs to it only behind a decimal point.
fn number(text: &str) -> (Kind, usize) {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let whole = length_while(text, is_digit);
    let Some(fraction) = text[whole..].strip_prefix('.') else { return (Kind::Integer, whole) };
    let length = whole + 1 + length_while(fraction, is_digit);
    let Some(exponent) = text[length..].strip_prefix(['e', 'E']) else {
        return (Kind::Real, length);
    };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let sign = exponent.len() - digits.len();
    match length_while(digits, is_digit) {
        0 => (Kind::Real, length),
        count => (Kind::Real, length + 1 + sign + count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(Kind, &str)]) {
        let mut tokens = Tokens::new(text);
        let mut found = Vec::new();
        loop {
            let token = tokens.next().expect("quotations are closed");
            if token.kind == Kind::End {
                break;
            }
            found.push((token.kind, &text[token.span.start..token.span.end]));
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn words_numbers_quotations_and_symbols() {
        let shader = "\"\"\nvoid main() { \"x\" }\n\"\"";
        check(
            &format!("case a-b.c_3 # no \"text\n[ -1.5e-3 | 2. ] 7 'it' \"a\\\"b\" {shader}"),
            &[
                (Kind::Word, "case"),
                (Kind::Word, "a-b.c_3"),
                (Kind::Symbol, "["),
                (Kind::Symbol, "-"),
                (Kind::Real, "1.5e-3"),
                (Kind::Symbol, "|"),
                (Kind::Real, "2."),
                (Kind::Symbol, "]"),
                (Kind::Integer, "7"),
                (Kind::Text, "'it'"),
                (Kind::Text, "\"a\\\"b\""),
                (Kind::Shader, shader),
            ],
        );
        check("\u{e9}", &[(Kind::Symbol, "\u{e9}")]);
    }

    #[test]
    fn a_quotation_without_an_end_is_the_last_token() {
        for text in ["a \"b", "a 'b", "a \"\"b\"", "a \"\"b\\"] {
            let mut tokens = Tokens::new(text);
            assert!(tokens.next().is_ok());
            let error = tokens.next().expect_err("it is not closed");
            assert_eq!(error.span.map(|span| span.start), Some(2));
            assert_eq!(tokens.next().map(|token| token.kind), Ok(Kind::End));
        }
    }
}
