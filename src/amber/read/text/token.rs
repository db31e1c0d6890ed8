//! Splits a script into words and numbers.

use ir::scalar::Number;
use ir::source::Span;

/// A token of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token<'a> {
    /// Kind of the token.
    pub(crate) kind: TokenKind<'a>,
    /// Position of the token.
    pub(crate) span: Span,
}

/// Kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    /// A word, or a bracket or comma.
    Word(&'a str),
    /// A text between quotation marks.
    Quoted(String),
    /// A number.
    Number(Number),
    /// The end of the line.
    LineEnd,
    /// The end of the text.
    TextEnd,
}

/// Reads tokens from a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    end: usize,
    /// End of the word that was looked at last.
    word_end: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer for the part of `text` within `span`.
    pub(crate) fn new(text: &'a str, span: Span) -> Self {
        Self { text, position: span.start, end: span.end.min(text.len()), word_end: 0 }
    }

    /// The rest of the text.
    fn rest(&self) -> &'a str {
        self.text.get(self.position..self.end).unwrap_or("")
    }

    /// Reads the next token.
    pub(crate) fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let start = self.position;
        let rest = self.rest();
        let (kind, length) = match rest.as_bytes().first() {
            None => (TokenKind::TextEnd, 0),
            Some(b'\n') => (TokenKind::LineEnd, 1),
            Some(b'"') => quoted(rest),
            Some(b',' | b'(' | b')') => (TokenKind::Word(&rest[..1]), 1),
            Some(_) => {
                // A word may have many numbers in it: its end is looked for once.
                if self.word_end <= start {
                    self.word_end = start + word_of(rest).len();
                }
                let word = self.text.get(start..self.word_end).unwrap_or("");
                number(word).unwrap_or((TokenKind::Word(word), word.len()))
            }
        };
        self.position += length;
        Token { kind, span: Span::new(start, self.position) }
    }

    /// Skips blanks, comments, and line ends after a backslash.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(is_blank);
            self.position += rest.len() - trimmed.len();
            if trimmed.starts_with('#') {
                self.position += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(length) = continuation(trimmed) {
                self.position += length;
            } else {
                return;
            }
        }
    }

    /// Skips all lines up to and including the next `END` that starts a line, and returns the span that was skipped.
    /// `None`, without skipping anything, if there is no such line.
    pub(crate) fn skip_to_end(&mut self) -> Option<Span> {
        let start = self.position;
        let mut at = start;
        for line in self.rest().split_inclusive('\n') {
            let trimmed = line.trim_start_matches(is_blank);
            if word_of(trimmed) == "END" {
                let word = at + line.len() - trimmed.len();
                self.position = word + "END".len();
                return Some(Span::new(start, at));
            }
            at += line.len();
        }
        None
    }
}

const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\x0c' | '\0' | '\u{feff}')
}

/// The text up to a blank, bracket or comma.
fn word_of(text: &str) -> &str {
    let is_end = |letter: char| is_blank(letter) || matches!(letter, '\n' | ',' | '(' | ')');
    &text[..text.find(is_end).unwrap_or(text.len())]
}

/// Length of a backslash at the end of a line, including the line end.
fn continuation(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('\\')?;
    let line_end = behind.trim_start_matches(is_blank);
    line_end.starts_with('\n').then(|| text.len() - line_end.len() + 1)
}

/// A text in quotation marks, and its length including these. An unfinished text ends with its line.
fn quoted(text: &str) -> (TokenKind<'_>, usize) {
    let mut value = String::new();
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return (TokenKind::Quoted(value), at),
            '"' if !is_escaped => return (TokenKind::Quoted(value), at + 1),
            '\\' if !is_escaped => is_escaped = true,
            _ => {
                value.push(if is_escaped { unescaped(letter) } else { letter });
                is_escaped = false;
            }
        }
    }
    (TokenKind::Quoted(value), text.len())
}

const fn unescaped(letter: char) -> char {
    match letter {
        'a' => '\x07',
        'b' => '\x08',
        't' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        _ => letter,
    }
}

/// The number at the start of a word, and its length. The rest, such as `%`, is a separate word.
fn number(word: &str) -> Option<(TokenKind<'_>, usize)> {
    let bytes = word.as_bytes();
    if word.eq_ignore_ascii_case("nan") {
        return Some((TokenKind::Number(Number::Real(f64::NAN)), word.len()));
    }
    if let Some(digits) = word.strip_prefix("0x").filter(|digits| !digits.is_empty()) {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return Some((TokenKind::Number(Number::Bits(bits)), word.len()));
    }
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(sign);
    let mut length = sign + whole;
    let mut is_real = false;
    if bytes.get(length) == Some(&b'.') {
        let fraction = digits(length + 1);
        if whole + fraction == 0 {
            return None;
        }
        (length, is_real) = (length + 1 + fraction, true);
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let exponent_sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let from = length + 1 + exponent_sign;
        let exponent = bytes.get(from..).map_or(0, |_| digits(from));
        if exponent > 0 {
            (length, is_real) = (from + exponent, true);
        }
    }
    let text = &word[..length];
    let integer = (!is_real).then(|| text.parse().ok()).flatten().map(Number::Integer);
    let value = integer.or_else(|| text.parse().ok().map(Number::Real))?;
    Some((TokenKind::Number(value), length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let mut lexer = Lexer::new(text, Span::new(0, text.len()));
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::TextEnd => break,
                TokenKind::LineEnd => out.push("line end".to_owned()),
                TokenKind::Word(word) => out.push(word.to_owned()),
                TokenKind::Quoted(text) => out.push(format!("{text:?}")),
                TokenKind::Number(number) => out.push(format!("{number:?}")),
            }
        }
        expected.assert_eq(&out.join(" "));
    }

    #[test]
    fn lines_are_words_and_numbers() {
        check(
            "RUN  p 1 -2\t.5 1e-3 0xff\r\nEND",
            expect!["RUN p Integer(1) Integer(-2) Real(0.5) Real(0.001) Bits(255) line end END"],
        );
    }

    #[test]
    fn comments_end_with_their_line_and_a_backslash_joins_lines() {
        check("a # b\nc \\ \n d", expect!["a line end c d"]);
    }

    #[test]
    fn a_number_ends_where_no_number_can_go_on() {
        check(
            "5% 0/R32_UINT 1.5f -x - . 1e",
            expect!["Integer(5) % Integer(0) /R32_UINT Real(1.5) f -x - . Integer(1) e"],
        );
    }

    #[test]
    fn a_word_of_many_numbers_is_read_number_by_number() {
        check("1.5.5.0x, 2.0", expect!["Real(1.5) Real(0.5) Real(0.0) x , Real(2.0)"]);
        // Each token looked for the end of the word, which took a minute for this one.
        let text = format!("1{}", ".0".repeat(45_000));
        let mut lexer = Lexer::new(&text, Span::new(0, text.len()));
        let numbers = std::iter::from_fn(|| Some(lexer.next().kind));
        let numbers = numbers.take_while(|kind| matches!(kind, TokenKind::Number(_)));
        assert_eq!(numbers.count(), 45_000);
    }

    #[test]
    fn brackets_stand_alone() {
        check("(1,2)", expect!["( Integer(1) , Integer(2) )"]);
    }

    #[test]
    fn quotation_marks_keep_blanks() {
        check("\"a b\\n\\\"\" c \"d", expect![[r#""a b\n\"" c "d""#]]);
    }

    #[test]
    fn a_shader_ends_at_a_line_that_begins_with_end() {
        let text = "BLEND ENDIF\n  END x";
        let mut lexer = Lexer::new(text, Span::new(0, text.len()));
        assert_eq!(lexer.skip_to_end(), Some(Span::new(0, 12)));
        assert_eq!(lexer.next().kind, TokenKind::Word("x"));
        assert_eq!(lexer.skip_to_end(), None);
    }
}
