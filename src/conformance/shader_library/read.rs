//! Reads the text of a `.test` file: groups, cases and imports.
//!
//! A mistake inside a case is a mistake of that case alone: reading goes on behind its `end`.

mod case;
mod requirement;
mod value;

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Source, Span, Spanned};

use super::syntax::Case;
use super::token::{Kind, Token, Tokens};

/// A part of a file.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A case.
    Case {
        /// Its name, with the names of its groups before it, joined by dots.
        name: String,
        /// Position from `case` to its `end`.
        span: Span,
        /// The case, or the mistake in it.
        case: Box<Result<Case, Diagnostic>>,
    },
    /// `import "FILE"`.
    Import {
        /// Names of the groups around it, joined by dots.
        group: String,
        /// The path, from the folder of the file.
        path: Spanned<String>,
    },
}

/// The parts of a file in their order, and the mistakes outside cases.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// The parts.
    pub(super) parts: Vec<Part>,
    /// The mistakes.
    pub(super) mistakes: Vec<Diagnostic>,
}

/// Words that may stand in a group.
const GROUP_WORDS: [&str; 4] = ["group", "case", "import", "end"];

/// Reads a whole file.
pub(super) fn read(source: &Source) -> Parts {
    let mut reader = Reader::new(source);
    let mut found = Parts::default();
    let mut groups: Vec<Spanned<String>> = Vec::new();
    loop {
        let token = reader.token;
        let outcome = match (token.kind, reader.text(token)) {
            (Kind::End, _) => break,
            (_, "group") => reader.group().map(|group| groups.push(group)),
            (_, "case") => {
                found.parts.push(reader.case(&path_of(&groups)));
                Ok(())
            }
            (_, "import") => reader.import().map(|path| {
                found.parts.push(Part::Import { group: path_of(&groups), path });
            }),
            (_, "end") if groups.pop().is_some() => {
                reader.advance();
                Ok(())
            }
            (_, "end") => {
                reader.advance();
                Err(Diagnostic::error(token.span, "there is no group that this `end` closes"))
            }
            _ => Err(reader.unknown("`group`, `case`, `import` or `end`", &GROUP_WORDS)),
        };
        if let Err(mistake) = outcome {
            found.mistakes.push(mistake);
            reader.skip_to_part();
        }
    }
    found.mistakes.append(&mut reader.mistakes);
    for group in groups {
        let message = format!("the `end` of group `{}` is missing", group.value);
        found.mistakes.push(Diagnostic::error(group.span, message));
    }
    found
}

fn path_of(groups: &[Spanned<String>]) -> String {
    groups.iter().flat_map(|group| [group.value.as_str(), "."]).collect()
}

/// Reads tokens one after another.
struct Reader<'a> {
    source: &'a Source,
    tokens: Tokens<'a>,
    /// The next token.
    token: Token,
    /// Mistakes beside which reading goes on: a quotation that ends the tokens, and groups without description.
    mistakes: Vec<Diagnostic>,
    /// End of the token before the next one.
    last_end: usize,
    /// True within `pipeline_program`.
    is_in_pipeline: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Self {
        let token = Token { kind: Kind::End, span: Span::new(0, 0) };
        let tokens = Tokens::new(source.text());
        let mut reader = Self {
            source,
            tokens,
            token,
            mistakes: Vec::new(),
            last_end: 0,
            is_in_pipeline: false,
        };
        reader.advance();
        reader
    }

    /// Text of a token.
    fn text(&self, token: Token) -> &'a str {
        self.source.text().get(token.span.start..token.span.end).unwrap_or("")
    }

    /// Goes on to the next token, and returns the one before it.
    fn advance(&mut self) -> Token {
        let before = self.token;
        self.last_end = before.span.end;
        self.token = self.tokens.next().unwrap_or_else(|mistake| {
            let span = mistake.span.unwrap_or(before.span);
            self.mistakes.push(mistake);
            Token { kind: Kind::End, span }
        });
        before
    }

    /// True, and goes on, if the next token is this word or symbol.
    fn take(&mut self, text: &str) -> bool {
        let is_it =
            matches!(self.token.kind, Kind::Word | Kind::Symbol) && self.text(self.token) == text;
        if is_it {
            self.advance();
        }
        is_it
    }

    /// Goes on behind this word or symbol.
    fn need(&mut self, text: &str) -> Result<Span, Diagnostic> {
        let span = self.token.span;
        if self.take(text) { Ok(span) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// Goes on behind a token of this kind, which `what` describes.
    fn need_kind(&mut self, kind: Kind, what: &str) -> Result<Token, Diagnostic> {
        if self.token.kind == kind { Ok(self.advance()) } else { Err(self.unexpected(what)) }
    }

    /// The mistake that the next token is not what was expected.
    fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Shader => "the source of a shader".to_owned(),
            Kind::Text => "a text".to_owned(),
            Kind::Word | Kind::Integer | Kind::Real | Kind::Symbol => {
                format!("`{}`", self.text(self.token))
            }
        };
        Diagnostic::error(self.token.span, format!("expected {expected}, found {found}"))
    }

    /// Like [`Self::unexpected`], with the nearest of the words that are known here.
    fn unknown(&self, expected: &str, known: &[&str]) -> Diagnostic {
        let mistake = self.unexpected(expected);
        match nearest_word(self.text(self.token), known.iter().copied()) {
            Some(word) => mistake.with_help(format!("did you mean `{word}`?")),
            None => mistake,
        }
    }

    /// A text without its quotation marks and backslashes.
    fn quoted(&mut self, what: &str) -> Result<Spanned<String>, Diagnostic> {
        let token = self.need_kind(Kind::Text, what)?;
        let text = self.text(token);
        let inside = text.get(1..text.len() - 1).unwrap_or("");
        Ok(Spanned::new(unescaped(inside), token.span))
    }

    /// `group NAME "description"`.
    fn group(&mut self) -> Result<Spanned<String>, Diagnostic> {
        self.advance();
        let name = self.name("the name of the group")?;
        if self.token.kind == Kind::Text {
            self.advance();
        } else {
            // The cases of the group run nevertheless.
            self.mistakes.push(self.unexpected("a description of the group"));
        }
        Ok(name)
    }

    /// The name of a group or case: any word, keywords and numbers included.
    fn name(&mut self, what: &str) -> Result<Spanned<String>, Diagnostic> {
        let is_name = matches!(self.token.kind, Kind::Word | Kind::Integer | Kind::Real);
        if !is_name {
            return Err(self.unexpected(what));
        }
        let token = self.advance();
        Ok(Spanned::new(self.text(token).to_owned(), token.span))
    }

    /// `import "FILE"`.
    fn import(&mut self) -> Result<Spanned<String>, Diagnostic> {
        self.advance();
        self.quoted("the path of a file")
    }

    /// `case NAME … end`, in the groups whose names and dots are `group`.
    fn case(&mut self, group: &str) -> Part {
        let start = self.token.span;
        self.is_in_pipeline = false;
        self.advance();
        let name = self.name("the name of the case");
        let shown = name.as_ref().map_or_else(|_| "case", |name| &name.value);
        let shown = format!("{group}{shown}");
        let case = name.and_then(|_| self.case_body(start));
        if case.is_err() {
            self.skip_to_end();
        }
        let span = Span::new(start.start, self.last_end.max(start.end));
        Part::Case { name: shown, span, case: Box::new(case) }
    }

    /// Goes on behind the `end` of a case with a mistake, or up to the next case or group if there is none.
    fn skip_to_end(&mut self) {
        let mut is_inside = std::mem::take(&mut self.is_in_pipeline);
        loop {
            match (self.token.kind, self.text(self.token)) {
                (Kind::End, _) | (Kind::Word, "case" | "group") => return,
                (Kind::Word, "pipeline_program") => is_inside = true,
                (Kind::Word, "end") if is_inside => is_inside = false,
                (Kind::Word, "end") => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Goes on to the next word that may stand in a group.
    fn skip_to_part(&mut self) {
        while self.token.kind != Kind::End {
            if self.token.kind == Kind::Word && GROUP_WORDS.contains(&self.text(self.token)) {
                return;
            }
            self.advance();
        }
    }
}

/// A text without its backslashes: `\n` is a line end, `\t` a tabulator, and any other character stands for itself.
fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        let letter = if letter == '\\' { letters.next().map(escape) } else { Some(letter) };
        plain.extend(letter);
    }
    plain
}

/// The character that this one means behind a backslash.
pub(super) const fn escape(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        other => other,
    }
}
