//! Tokenizer of lines: words separated by white space, with their positions, without the `#` comment.
//!
//! A word that starts with `"` ends at the next `"`. In `[test]`, parentheses and commas separate words too, so that
//! `probe rgba (1, 2) (0, 1, 0, 1)` and `probe rgba 1 2 0 1 0 1` are the same.

use std::ops::RangeInclusive;

use crate::Dialect;
use crate::read::number::{NumberError, parse_number};
use crate::read::problem::{Parsed, Problem};
use crate::vacuous;
use ir::diagnostic::Diagnostic;
use ir::scalar::Number;
use ir::source::Span;

/// Meaning of parentheses and commas in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Punctuation {
    /// Parentheses and commas separate words, like a blank.
    Separates,
    /// Parentheses and commas are part of words.
    IsText,
}

/// One word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    /// The text, without quotes.
    pub(super) text: &'a str,
    /// Position, quotes included.
    pub(super) span: Span,
    /// True if the word was in quotes.
    pub(super) is_quoted: bool,
}

/// The words of a line, consumed from the left.
#[derive(Debug)]
pub(super) struct Words<'a> {
    all: Vec<Word<'a>>,
    next: usize,
    /// Span from the first word to the last.
    pub(super) span: Span,
    /// Strictness.
    pub(super) dialect: Dialect,
}

impl<'a> Words<'a> {
    /// Splits `text`, which starts at byte `start` of the source.
    pub(super) fn cut(
        text: &'a str,
        start: usize,
        punctuation: Punctuation,
        dialect: Dialect,
    ) -> Parsed<Self> {
        let mut words = Vec::new();
        let mut rest = text;
        let mut depth = 0_i64;
        let mut closed_at = start;
        let is_letter = |byte: &u8| byte.is_ascii_graphic() && !b"(),".contains(byte);
        while let Some(first) = rest.chars().next() {
            let at = start + text.len() - rest.len();
            let is_mark = is_punctuation(first, punctuation);
            if first.is_whitespace() || is_mark {
                depth += i64::from(is_mark && first == '(');
                if is_mark && first == ')' {
                    depth -= 1;
                    closed_at = at + 1;
                }
                rest = &rest[first.len_utf8()..];
            } else if first == '#' {
                break;
            } else if first == '"' {
                let Some(length) = rest[1..].find('"') else {
                    let span = Span::new(at, at + rest.trim_end().len());
                    return Err(Diagnostic::error(span, "a quote is not closed").into());
                };
                let span = Span::new(at, at + length + 2);
                words.push(Word { text: &rest[1..=length], span, is_quoted: true });
                rest = &rest[length + 2..];
            } else {
                let is_end = |c: char| c.is_whitespace() || is_punctuation(c, punctuation);
                // Fast path: most words are plain letters up to a blank.
                let plain = rest.bytes().take_while(is_letter).count();
                let length = rest[plain..].find(is_end).map_or(rest.len(), |more| plain + more);
                let span = Span::new(at, at + length);
                words.push(Word { text: &rest[..length], span, is_quoted: false });
                rest = &rest[length..];
            }
        }
        let span = match (words.first(), words.last()) {
            (Some(first), Some(last)) => Span::new(first.span.start, last.span.end.max(closed_at)),
            (_, _) => Span::new(start, start),
        };
        if depth != 0 && dialect != Dialect::Piglit {
            return Err(Diagnostic::error(span, "parentheses are unbalanced").into());
        }
        Ok(Self { all: words, next: 0, span, dialect })
    }

    /// All words, consumed or not.
    pub(super) fn all(&self) -> &[Word<'a>] {
        &self.all
    }

    /// True if words are left.
    pub(super) fn has_more(&self) -> bool {
        self.next < self.all.len()
    }

    /// The next word, without consuming it.
    pub(super) fn peek(&self) -> Option<Word<'a>> {
        self.all.get(self.next).copied()
    }

    /// The word `ahead` places after the next one, without consuming it.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<Word<'a>> {
        self.all.get(self.next + ahead).copied()
    }

    /// Consumes the next word.
    pub(super) fn take_word(&mut self) -> Option<Word<'a>> {
        let word = self.peek()?;
        self.next += 1;
        Some(word)
    }

    /// Consumes the next word if it is `text`.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek().is_some_and(|word| word.text == text && !word.is_quoted);
        self.next += usize::from(is_next);
        is_next
    }

    /// Consumes `count` words that were peeked at.
    pub(super) fn skip(&mut self, count: usize) {
        self.next = (self.next + count).min(self.all.len());
    }

    /// Consumes the next word. `what` describes it in the error message if it is missing.
    pub(super) fn need(&mut self, what: &str) -> Parsed<Word<'a>> {
        self.take_word()
            .ok_or_else(|| Diagnostic::error(self.span, format!("missing {what}")).into())
    }

    /// Consumes a word in quotes.
    pub(super) fn need_quoted(&mut self, what: &str) -> Parsed<Word<'a>> {
        let word = self.need(what)?;
        if word.is_quoted {
            return Ok(word);
        }
        Err(wrong(word, format!("expected {what} in quotes, found `{}`", word.text)))
    }

    /// Consumes a number.
    pub(super) fn number(&mut self, what: &str) -> Parsed<Number> {
        let word = self.need(what)?;
        self.number_in(word, word.text, what)
    }

    /// Consumes a number, or alternatives separated by `|`.
    pub(super) fn numbers(&mut self, what: &str) -> Parsed<Vec<Number>> {
        let word = self.need(what)?;
        word.text.split('|').map(|text| self.number_in(word, text, what)).collect()
    }

    fn number_in(&self, word: Word<'_>, text: &str, what: &str) -> Parsed<Number> {
        let parsed = match (parse_number(text), self.dialect) {
            // piglit ignores text after a number.
            (Err(NumberError::Malformed), Dialect::Piglit) => {
                parse_number(text.trim_end_matches([';', 'u', 'f']))
            }
            (parsed, _) => parsed,
        };
        parsed.map_err(|error| {
            wrong(
                word,
                match error {
                    NumberError::Malformed => format!("expected {what}, found `{text}`"),
                    NumberError::OutOfRange => format!("`{text}` is too large a number"),
                },
            )
        })
    }

    /// Consumes `N` numbers as floats; bit patterns are those of 32-bit floats.
    pub(super) fn floats<const N: usize>(&mut self, what: [&str; N]) -> Parsed<[f64; N]> {
        let mut values = [0.0; N];
        for (value, what) in values.iter_mut().zip(what) {
            *value = self.float(what)?;
        }
        Ok(values)
    }

    /// Consumes `N` numbers as 32-bit floats.
    pub(super) fn floats32<const N: usize>(&mut self, what: [&str; N]) -> Parsed<[f32; N]> {
        let start = self.next;
        let values = self.floats(what)?;
        for (idx, value) in values.iter().enumerate() {
            let word = self.all.get(start + idx).copied();
            if let (false, Some(word)) = (narrow(*value).is_finite(), word) {
                return Err(wrong(word, format!("`{}` is not a finite 32-bit float", word.text)));
            }
        }
        Ok(values.map(narrow))
    }

    fn float(&mut self, what: &str) -> Parsed<f64> {
        let word = self.peek();
        let number = self.number(what)?;
        number.to_f64().ok_or_else(|| too_wide(word, self.span))
    }

    /// Consumes an integer in `range`. In piglit's files it may have a fraction, which is truncated.
    pub(super) fn integer(&mut self, what: &str, range: RangeInclusive<u32>) -> Parsed<u32> {
        let word = self.peek();
        let value = match self.number(what)? {
            Number::Integer(value) => Some(value),
            Number::Bits(bits) => Some(i128::from(bits)),
            Number::Real(0.0) => Some(0),
            Number::Real(value) if self.dialect == Dialect::Piglit => Some(truncated(value)),
            Number::Real(_) => None,
        };
        let value = value.and_then(|value| u32::try_from(value).ok());
        value.filter(|value| range.contains(value)).ok_or_else(|| {
            let (span, text) = word.map_or((self.span, ""), |word| (word.span, word.text));
            let (low, high) = (range.start(), range.end());
            let message = format!("{what} must be an integer from {low} to {high}, not `{text}`");
            Diagnostic::error(span, message).into()
        })
    }

    /// Number of words that are left.
    pub(super) fn left(&self) -> usize {
        self.all.len() - self.next
    }

    /// Span of the words that are left.
    pub(super) fn rest(&self) -> Option<Span> {
        let first = self.peek()?;
        Some(first.span.to(self.all.last()?.span))
    }
}

/// Minimum number of characters in an expected message, blanks not counted.
const MESSAGE_LENGTH: usize = 8;

/// Consumes the expected part of an error message, in quotes. It must be specific: at least two words. `what` names
/// the error.
pub(super) fn read_message(words: &mut Words<'_>, what: &str) -> Parsed<String> {
    if !words.has_more() {
        let message = format!("{what} needs a part of its message");
        let error = vacuous::COMMON_MESSAGE.error(words.span, message);
        return Err(error
            .with_help("say which error is meant, in quotes: any other error would pass as well")
            .into());
    }
    let word = words.need_quoted("a part of the message")?;
    let parts: Vec<&str> = word.text.split_whitespace().collect();
    if parts.len() < 2 || parts.concat().chars().count() < MESSAGE_LENGTH {
        let message = format!("`{}` is in nearly every message", word.text);
        let help = format!("at least two words with {MESSAGE_LENGTH} letters or signs in all");
        return Err(vacuous::COMMON_MESSAGE.error(word.span, message).with_help(help).into());
    }
    Ok(word.text.to_owned())
}

/// An error about one word.
pub(super) fn wrong(word: Word<'_>, message: impl Into<String>) -> Problem {
    Diagnostic::error(word.span, message).into()
}

fn too_wide(word: Option<Word<'_>>, line: Span) -> Problem {
    let span = word.map_or(line, |word| word.span);
    Diagnostic::error(span, "a bit pattern of a float has at most 8 digits").into()
}

fn is_punctuation(c: char, punctuation: Punctuation) -> bool {
    match punctuation {
        Punctuation::Separates => matches!(c, '(' | ')' | ','),
        Punctuation::IsText => false,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a 32-bit float is what the case asks for")]
pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, reason = "piglit cuts fractions off; `as` saturates")]
fn truncated(value: f64) -> i128 {
    value as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, punctuation: Punctuation, expect: &[&str]) {
        let words = Words::cut(text, 10, punctuation, Dialect::Interstage).expect("can be cut");
        let found: Vec<_> = words.all.iter().map(|word| word.text).collect();
        assert_eq!(found, expect);
        for word in &words.all {
            let quotes = usize::from(word.is_quoted);
            let range = word.span.start - 10 + quotes..word.span.end - 10 - quotes;
            assert_eq!(&text[range], word.text);
        }
    }

    #[test]
    fn a_line_ends_with_its_last_parenthesis() {
        let text = "probe rgba (1, 2) ( 3 ) # nothing";
        let words = Words::cut(text, 10, Punctuation::Separates, Dialect::Interstage);
        let span = words.expect("can be cut").span;
        assert_eq!(&text[span.start - 10..span.end - 10], "probe rgba (1, 2) ( 3 )");
    }

    #[test]
    fn parentheses_and_commas_only_separate_where_they_may() {
        check("probe (1,2)\t(3", Punctuation::IsText, &["probe", "(1,2)", "(3"]);
        check("probe (1,2)\t( 3 )", Punctuation::Separates, &["probe", "1", "2", "3"]);
    }

    #[test]
    fn a_comment_starts_at_a_word_and_not_inside_quotes() {
        check("a#b \"# c\" # d", Punctuation::IsText, &["a#b", "# c"]);
        check("# d", Punctuation::IsText, &[]);
        check("", Punctuation::IsText, &[]);
    }

    #[test]
    fn quotes_and_parentheses_must_be_closed() {
        for text in ["a \"b", "probe (1 2"] {
            assert!(
                Words::cut(text, 0, Punctuation::Separates, Dialect::Interstage).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn only_piglit_may_write_an_integer_with_a_fraction() {
        let read = |text, dialect| {
            Words::cut(text, 0, Punctuation::Separates, dialect)
                .and_then(|mut words| words.integer("x", 0..=99))
                .ok()
        };
        assert_eq!(read("12.7", Dialect::Piglit), Some(12));
        assert_eq!(read("12.7", Dialect::Interstage), None);
        assert_eq!(read("100", Dialect::Piglit), None);
        assert_eq!(read("-1", Dialect::Piglit), None);
        assert_eq!(read("0x10", Dialect::Interstage), Some(16));
    }
}
