//! The parser's position in the tokens, its errors, and error recovery.

use std::borrow::Cow;

use crate::ast::{ExprKind, Ident, Item};
use crate::literal;
use crate::token::{Token, TokenKind};
use crate::word::{Vocabulary, Word};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::MAX_NESTING;
use super::rules::ParserRules;
use super::scope::Scopes;
use crate::preprocess::MAX_ERRORS;

/// Maximum number of type tokens that are copied because one declaration names several members.
const MAX_COPIED: usize = 1_000_000;

/// A classified token.
#[derive(Debug)]
pub(super) struct Lexeme<'a> {
    pub(super) class: Class,
    pub(super) text: Cow<'a, str>,
    pub(super) span: Span,
}

/// Class of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Class {
    Name,
    Reserved,
    /// A built-in type.
    Type,
    /// A keyword, operator or separator, identified by its text.
    Fixed,
    /// A number with its value.
    Literal(ExprKind),
    /// The end, after the last token.
    End,
}

/// Classifies every token. The last lexeme is always [`Class::End`], at byte `end`.
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
            TokenKind::Number => {
                literal::parse(&token.text).map(Class::Literal).map_err(String::from)
            }
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

/// A syntax error, which is already recorded.
#[derive(Debug)]
pub(super) struct Malformed;

/// Result of a production.
pub(super) type Parsed<T> = Result<T, Malformed>;

/// A construct that exceeds a limit of interstage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unsupported {
    /// Description of the construct.
    pub(super) word: String,
    /// Position of the construct.
    pub(super) span: Span,
}

/// State of the recursive descent.
#[derive(Debug)]
pub(super) struct Parser<'t, 'a> {
    lexemes: &'t [Lexeme<'a>],
    at: usize,
    /// Position of the token before `at`.
    pub(super) last: Span,
    pub(super) errors: Vec<Diagnostic>,
    /// Prototypes in the function that is being parsed.
    pub(super) local_prototypes: Vec<Item>,
    pub(super) scopes: Scopes,
    pub(super) rules: ParserRules,
    nesting: usize,
    copied: usize,
    /// The first construct that exceeds a limit of interstage, which ends parsing.
    pub(super) unsupported: Option<Unsupported>,
    /// True after parsing and error reporting have stopped.
    is_given_up: bool,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// A parser at the first of `lexemes`, which must end in [`Class::End`].
    pub(super) fn new(lexemes: &'t [Lexeme<'a>], rules: ParserRules) -> Self {
        Self {
            lexemes,
            at: 0,
            last: lexemes[0].span,
            errors: Vec::new(),
            local_prototypes: Vec::new(),
            scopes: Scopes::default(),
            rules,
            nesting: 0,
            copied: 0,
            unsupported: None,
            is_given_up: false,
        }
    }

    /// The token `distance` after the next one.
    pub(super) fn peek(&self, distance: usize) -> &'t Lexeme<'a> {
        let at = (self.at + distance).min(self.lexemes.len().saturating_sub(1));
        &self.lexemes[at]
    }

    /// Position of the next token.
    pub(super) fn here(&self) -> Span {
        self.peek(0).span
    }

    /// Number of tokens that were taken.
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

    /// True if the next token is the keyword, operator or separator `text`.
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

    /// Records that the next token should have been `what`.
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

    /// Records an error that ends the production.
    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) -> Malformed {
        self.note(span, message);
        Malformed
    }

    /// Records an error.
    pub(super) fn note(&mut self, span: Span, message: impl Into<String>) {
        if self.is_given_up {
            return;
        }
        self.errors.push(Diagnostic::error(span, message));
        if self.errors.len() >= MAX_ERRORS {
            self.give_up();
        }
    }

    /// Runs `production` one nesting level deeper.
    pub(super) fn nested<T>(
        &mut self,
        production: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let word = format!("more than {MAX_NESTING} levels of nesting");
            return Err(self.exceed(self.here(), word));
        }
        self.nesting += 1;
        let result = production(self);
        self.nesting -= 1;
        result
    }

    /// Records that the construct `word` exceeds a limit of interstage, and stops parsing.
    pub(super) fn exceed(&mut self, span: Span, word: impl Into<String>) -> Malformed {
        self.unsupported.get_or_insert(Unsupported { word: word.into(), span });
        self.give_up();
        Malformed
    }

    /// Counts the copy of a type with `count` tokens.
    pub(super) fn charge_copy(&mut self, count: usize) -> Parsed<()> {
        self.copied = self.copied.saturating_add(count);
        if self.copied > MAX_COPIED {
            return Err(self.exceed(self.last, "members whose types are this long"));
        }
        Ok(())
    }

    /// After an error, continues after the next `;` or closed braces, but not beyond the enclosing braces.
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
    /// True if the token is the keyword, operator or separator `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.class == Class::Fixed && self.text == text
    }
}

fn is_reserved(word: &str) -> String {
    format!("`{word}` is a reserved word")
}
