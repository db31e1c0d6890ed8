//! Reads a script line by line and word by word.

use ir::diagnostic::Diagnostic;
use ir::scalar::Number;
use ir::source::{Span, Spanned};

use super::at::At;
use super::limits::MAX_NAME_BYTES;
use super::problem::{Parsed, Problem, shown};
use super::token::{Lexer, Token, TokenKind};

/// A position in a script, and the token there.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    /// The whole script.
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// End of the previous token.
    behind: usize,
    /// True if the current token is the first of its line.
    is_line_start: bool,
}

impl<'a> Cursor<'a> {
    /// Makes a cursor at the start of `span` in `text`.
    pub(crate) fn new(text: &'a str, span: Span) -> Self {
        let mut lexer = Lexer::new(text, span);
        let token = lexer.next();
        Self { text, lexer, token, behind: span.start, is_line_start: true }
    }

    /// The current token.
    pub(crate) const fn peek(&self) -> &Token<'a> {
        &self.token
    }

    /// Consumes the current token.
    pub(crate) fn advance(&mut self) {
        self.is_line_start = matches!(self.token.kind, TokenKind::LineEnd);
        if !self.is_line_start {
            self.behind = self.token.span.end;
        }
        self.token = self.lexer.next();
    }

    /// Consumes the rest of the text.
    pub(crate) fn stop(&mut self) {
        let end = Span::new(self.text.len(), self.text.len());
        self.lexer = Lexer::new(self.text, end);
        self.token = self.lexer.next();
    }

    /// True if the current token is the first of its line.
    pub(crate) const fn is_line_start(&self) -> bool {
        self.is_line_start
    }

    /// The span from `start` to the last consumed token.
    pub(crate) const fn since(&self, start: Span) -> Span {
        Span::new(start.start, if self.behind > start.end { self.behind } else { start.end })
    }

    /// The text at `span`.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// The span from `start` to the end of its line.
    pub(crate) fn line_of(&self, start: Span) -> Span {
        let rest = self.text.get(start.start..).unwrap_or("");
        let line = rest.split('\n').next().unwrap_or("").trim_end();
        Span::new(start.start, start.start + line.len())
    }

    /// True at the end of a line.
    pub(crate) const fn is_line_end(&self) -> bool {
        matches!(self.token.kind, TokenKind::LineEnd | TokenKind::TextEnd)
    }

    /// True at the end of the text.
    pub(crate) const fn is_text_end(&self) -> bool {
        matches!(self.token.kind, TokenKind::TextEnd)
    }

    /// Consumes the ends of empty lines.
    pub(crate) fn skip_empty_lines(&mut self) {
        while matches!(self.token.kind, TokenKind::LineEnd) {
            self.advance();
        }
    }

    /// Consumes the rest of the line, but not its end.
    pub(crate) fn skip_line(&mut self) {
        while !self.is_line_end() {
            self.advance();
        }
    }

    /// Checks that the line ends here.
    pub(crate) fn finish_line(&self) -> Parsed<()> {
        if self.is_line_end() { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// Consumes the lines of a text up to and including `END`. The current line must end here.
    pub(crate) fn raw_text(&mut self, header: Span) -> Parsed<Span> {
        self.finish_line()?;
        match self.lexer.skip_to_end() {
            Some(text) => {
                self.advance();
                Ok(text)
            }
            None => Err(missing_end(header)),
        }
    }

    /// The current token, if it is a word.
    pub(crate) const fn peek_word(&self) -> Option<At<&'a str>> {
        match self.token.kind {
            TokenKind::Word(word) => Some(At::new(word, self.token.span)),
            TokenKind::Quoted(_)
            | TokenKind::Number(_)
            | TokenKind::LineEnd
            | TokenKind::TextEnd => None,
        }
    }

    /// Consumes a word.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<At<&'a str>> {
        let word = self.peek_word().ok_or_else(|| self.unexpected(what))?;
        self.advance();
        Ok(word)
    }

    /// Consumes a word that is short enough for a name.
    pub(crate) fn name(&mut self, what: &str) -> Parsed<At<&'a str>> {
        let word = self.word(what)?;
        check_length(word.value, word.span)?;
        Ok(word)
    }

    /// Consumes a word or a quoted text.
    pub(crate) fn text(&mut self, what: &str) -> Parsed<Spanned<String>> {
        let span = self.token.span;
        let text = match &self.token.kind {
            TokenKind::Word(word) => (*word).to_owned(),
            TokenKind::Quoted(text) => text.clone(),
            TokenKind::Number(_) | TokenKind::LineEnd | TokenKind::TextEnd => {
                return Err(self.unexpected(what));
            }
        };
        check_length(&text, span)?;
        self.advance();
        Ok(Spanned::new(text, span))
    }

    /// Consumes `keyword` if it is next.
    pub(crate) fn accept(&mut self, keyword: &str) -> bool {
        let is_here = self.peek_word().is_some_and(|word| word.value == keyword);
        if is_here {
            self.advance();
        }
        is_here
    }

    /// Consumes `keyword`, which must be next.
    pub(crate) fn expect(&mut self, keyword: &str) -> Parsed<()> {
        if self.accept(keyword) { Ok(()) } else { Err(self.unexpected(&format!("`{keyword}`"))) }
    }

    /// Consumes a word of a table, and returns its value.
    pub(crate) fn choice<T: Copy>(&mut self, what: &str, table: &[(&str, T)]) -> Parsed<T> {
        let word = self.word(&format!("a {what}"))?;
        let found = table.iter().find(|(known, _)| *known == word.value);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| Problem::unknown(what, word, table.iter().map(|(known, _)| *known)))
    }

    /// Consumes `on` or `off`.
    pub(crate) fn switch(&mut self) -> Parsed<bool> {
        self.choice("switch", &[("on", true), ("off", false)])
    }

    /// Consumes a number.
    pub(crate) fn number(&mut self, what: &str) -> Parsed<At<Number>> {
        let TokenKind::Number(number) = self.token.kind else {
            return Err(self.unexpected(what));
        };
        let span = self.token.span;
        self.advance();
        Ok(At::new(number, span))
    }

    /// Consumes a number that may have a fraction.
    pub(crate) fn real(&mut self, what: &str) -> Parsed<f64> {
        let number = self.number(what)?;
        Ok(real_of(number.value))
    }

    /// Consumes a whole number from 0 to 2³² - 1.
    pub(crate) fn unsigned(&mut self, what: &str) -> Parsed<At<u32>> {
        let number = self.number(what)?;
        let whole = match number.value {
            Number::Integer(value) => u32::try_from(value).ok(),
            Number::Bits(bits) => u32::try_from(bits).ok(),
            Number::Real(_) => None,
        };
        let message = || format!("{what} must be a whole number from 0 to {}", u32::MAX);
        let whole = whole.ok_or_else(|| Problem::error(number.span, message()))?;
        Ok(At::new(whole, number.span))
    }

    /// Consumes a whole number other than zero.
    pub(crate) fn positive(&mut self, what: &str) -> Parsed<u32> {
        let number = self.unsigned(what)?;
        if number.value == 0 {
            return Err(Problem::error(number.span, format!("{what} must not be 0")));
        }
        Ok(number.value)
    }

    /// Consumes a whole number up to `limit`.
    pub(crate) fn up_to(&mut self, limit: u32, what: &str) -> Parsed<u32> {
        let number = self.unsigned(what)?;
        if number.value > limit {
            return Err(Problem::error(number.span, format!("{what} is at most {limit}")));
        }
        Ok(number.value)
    }

    /// The error for a token other than `expected`.
    pub(crate) fn unexpected(&self, expected: &str) -> Problem {
        let span = self.token.span;
        let (span, found) = match &self.token.kind {
            // The end of a line is reported after its last word.
            TokenKind::LineEnd => {
                (Span::new(self.behind, self.behind), "the end of the line".into())
            }
            TokenKind::TextEnd => {
                (Span::new(self.behind, self.behind), "the end of the file".into())
            }
            TokenKind::Word(_) | TokenKind::Quoted(_) | TokenKind::Number(_) => {
                (span, format!("`{}`", shown(&self.text[span.start..span.end])))
            }
        };
        Problem::error(span, format!("expected {expected}, found {found}"))
    }
}

/// The error for a block without `END`, at its first line.
pub(crate) fn missing_end(header: Span) -> Problem {
    let error = Diagnostic::error(header, "nothing ends this block");
    Problem::Broken(error.with_help("a block ends with a line `END`"))
}

/// Converts a number to a float; `0x…` is a whole number, not a bit pattern.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
pub(crate) const fn real_of(number: Number) -> f64 {
    match number {
        Number::Integer(value) => value as f64,
        Number::Real(value) => value,
        Number::Bits(bits) => bits as f64,
    }
}

fn check_length(name: &str, span: Span) -> Parsed<()> {
    if name.len() > MAX_NAME_BYTES {
        let message = format!("a name has at most {MAX_NAME_BYTES} bytes");
        return Err(Problem::error(span, message));
    }
    Ok(())
}
