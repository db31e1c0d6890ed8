//! The parser's place in the tokens, its errors, and how it goes on after one.

use std::borrow::Cow;

use crate::ast::{ExprKind, Ident};
use crate::literal;
use crate::token::{Token, TokenKind};
use crate::word::{Vocabulary, Word};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::rules::Rules;
use super::scope::Scopes;
use super::{MAX_ERRORS, MAX_NESTING};

/// How many tokens of types may be copied because one declaration names several members.
const MAX_COPIED: usize = 1_000_000;

/// A token that knows what it means.
#[derive(Debug)]
pub(super) struct Lexeme<'a> {
    pub(super) class: Class,
    pub(super) text: Cow<'a, str>,
    pub(super) span: Span,
}

/// What a token means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Class {
    Name,
    Reserved,
    /// A built-in type.
    Type,
    /// A keyword, operator or separator: known by its text.
    Fixed,
    /// A number with its value.
    Literal(ExprKind),
    /// After the last token.
    End,
}

/// Gives every token its meaning. The last lexeme is always [`Class::End`], at byte `end`.
pub(super) fn classify<'a>(
    tokens: Vec<Token<'a>>,
    vocabulary: &Vocabulary<'_>,
    end: usize,
) -> Result<Vec<Lexeme<'a>>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut lexemes = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let class = match token.kind {
            TokenKind::Punctuator => Ok(Class::Fixed),
            TokenKind::Word => Ok(match vocabulary.classify(&token.text) {
                Word::Name => Class::Name,
                Word::Keyword => Class::Fixed,
                Word::Type => Class::Type,
                Word::Reserved => Class::Reserved,
            }),
            TokenKind::Number => literal::parse(&token.text).map(Class::Literal),
            TokenKind::Stray => {
                Err(format!("unexpected character `{}`", token.text.escape_debug()))
            }
        };
        match class {
            Ok(class) => lexemes.push(Lexeme { class, text: token.text, span: token.span }),
            Err(message) => errors.push(Diagnostic::error(token.span, message)),
        }
    }
    lexemes.push(Lexeme { class: Class::End, text: Cow::Borrowed(""), span: Span::new(end, end) });
    if errors.is_empty() { Ok(lexemes) } else { Err(errors) }
}

/// The text is wrong here; the error is already noted.
#[derive(Debug)]
pub(super) struct Malformed;

/// What a production gives.
pub(super) type Parsed<T> = Result<T, Malformed>;

/// The state of the descent.
#[derive(Debug)]
pub(super) struct Parser<'t, 'a> {
    lexemes: &'t [Lexeme<'a>],
    at: usize,
    /// The token before `at`.
    pub(super) last: Span,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) scopes: Scopes,
    pub(super) rules: Rules,
    nesting: usize,
    copied: usize,
    /// Nothing more is read and reported.
    is_given_up: bool,
}

const END: Lexeme<'static> =
    Lexeme { class: Class::End, text: Cow::Borrowed(""), span: Span::new(0, 0) };

impl<'t, 'a> Parser<'t, 'a> {
    /// A parser before the first of `lexemes`, which end in [`Class::End`].
    pub(super) fn new(lexemes: &'t [Lexeme<'a>], rules: Rules) -> Self {
        Self {
            lexemes,
            at: 0,
            last: Span::default(),
            errors: Vec::new(),
            scopes: Scopes::default(),
            rules,
            nesting: 0,
            copied: 0,
            is_given_up: false,
        }
    }

    /// The token `distance` after the next one.
    pub(super) fn peek(&self, distance: usize) -> &'t Lexeme<'a> {
        let at = (self.at + distance).min(self.lexemes.len().saturating_sub(1));
        self.lexemes.get(at).unwrap_or(&END)
    }

    /// The next token's place.
    pub(super) fn here(&self) -> Span {
        self.peek(0).span
    }

    /// How many tokens were taken.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.peek(0).class == Class::End
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> &'t Lexeme<'a> {
        let lexeme = self.peek(0);
        self.last = lexeme.span;
        self.at = (self.at + 1).min(self.lexemes.len());
        lexeme
    }

    /// Whether the next token is the keyword, operator or separator `text`.
    pub(super) fn is_at(&self, text: &str) -> bool {
        self.peek(0).is(text)
    }

    /// Takes the next token if it is `text`.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is_at(text);
        if found {
            self.take();
        }
        found
    }

    /// Takes the next token, which must be `text`.
    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes the next token, which must be a name.
    pub(super) fn name(&mut self) -> Parsed<Ident> {
        let lexeme = self.peek(0);
        match lexeme.class {
            Class::Name => {}
            Class::Reserved => self.note(lexeme.span, is_reserved(&lexeme.text)),
            Class::Type | Class::Fixed | Class::Literal(_) | Class::End => {
                return Err(self.expected("a name"));
            }
        }
        self.take();
        Ok(Ident { name: lexeme.text.to_string(), span: lexeme.span })
    }

    /// Notes that the next token should have been `what`.
    pub(super) fn expected(&mut self, what: &str) -> Malformed {
        let lexeme = self.peek(0);
        let message = match &lexeme.class {
            Class::End => format!("expected {what}, found the end of the shader"),
            Class::Reserved => is_reserved(&lexeme.text),
            Class::Name | Class::Type | Class::Fixed | Class::Literal(_) => {
                format!("expected {what}, found `{}`", lexeme.text)
            }
        };
        self.fail(lexeme.span, message)
    }

    /// Notes an error that the production cannot survive.
    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) -> Malformed {
        self.note(span, message);
        Malformed
    }

    /// Notes an error.
    pub(super) fn note(&mut self, span: Span, message: impl Into<String>) {
        if self.is_given_up {
            return;
        }
        self.errors.push(Diagnostic::error(span, message));
        if self.errors.len() >= MAX_ERRORS {
            self.give_up();
        }
    }

    /// Runs `production` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        production: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!("this is nested more than {MAX_NESTING} levels deep");
            let error = self.fail(self.here(), message);
            self.give_up();
            return Err(error);
        }
        self.nesting += 1;
        let result = production(self);
        self.nesting -= 1;
        result
    }

    /// Notes an error at `span` after which nothing more is read.
    pub(super) fn fail_for_good(&mut self, span: Span, message: impl Into<String>) -> Malformed {
        let error = self.fail(span, message);
        self.give_up();
        error
    }

    /// Counts the copy of something that took `count` tokens.
    pub(super) fn charge_copy(&mut self, count: usize) -> Parsed<()> {
        self.copied = self.copied.saturating_add(count);
        if self.copied > MAX_COPIED {
            return Err(self.fail_for_good(self.last, "too many members with too long a type"));
        }
        Ok(())
    }

    /// After an error: goes on behind the next `;` or closed braces, but not out of the braces around.
    pub(super) fn recover(&mut self) {
        let mut depth = 0_usize;
        while !self.is_at_end() {
            if self.is_at("}") && depth == 0 {
                return;
            }
            let lexeme = self.take();
            if lexeme.is("{") {
                depth += 1;
            } else if lexeme.is("}") {
                depth -= 1;
            }
            if depth == 0 && (lexeme.is(";") || lexeme.is("}")) {
                return;
            }
        }
    }

    fn give_up(&mut self) {
        self.is_given_up = true;
        self.at = self.lexemes.len();
    }
}

impl Lexeme<'_> {
    /// Whether this is the keyword, operator or separator `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.class == Class::Fixed && self.text == text
    }
}

fn is_reserved(word: &str) -> String {
    format!("`{word}` is a reserved word")
}
