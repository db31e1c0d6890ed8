//! Errors and warnings about a case, and their rendering with the source line underlined.

use std::fmt;

use codespan_reporting::files::{self, Files};
use codespan_reporting::{diagnostic as drawn, term};
use serde::{Deserialize, Serialize};

use crate::source::{Source, Span};

/// Severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// The case is unusable.
    Error,
    /// The case is usable, but something in it has no effect.
    Warning,
}

/// A message about a case. Always an error in the file, not in interstage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// The message, in the case's own notation, lower case, without a full stop.
    pub message: String,
    /// Span of the offending text; `None` if the message is about the whole case, or about something that no text
    /// declares.
    pub span: Option<Span>,
    /// Advice.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`, or without a position.
    pub fn error(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span: span.into(), help: None }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Adds advice to the message.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The longest line that is shown, in bytes. No terminal or page shows a longer line legibly, and the
/// time of underlining grows with the square of its length.
const MAX_SHOWN_BYTES: usize = 1000;

/// Renders the messages one below the other: path, line, column, the line itself, the span underlined. A message
/// without a position gets only the path. A line that is too
/// long is not shown.
pub fn render(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    let config = term::Config { tab_width: 4, ..term::Config::default() };
    for diagnostic in diagnostics {
        let drawing = drawing_of(source, diagnostic);
        if is_too_long(source, diagnostic)
            || term::emit_to_string(&mut out, &config, source, &drawing).is_err()
        {
            let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
            let lines = std::iter::once(one_line(source, diagnostic)).chain(help);
            out.extend(lines.chain([String::new()]).map(|line| line + "\n"));
        }
    }
    out
}

/// True if the first or the last line of the span is too long to be shown. Lines between them are never shown.
fn is_too_long(source: &Source, diagnostic: &Diagnostic) -> bool {
    let Some(Span { start, end }) = diagnostic.span else { return false };
    [start, end].into_iter().any(|offset| {
        let line = source.line_span(source.line_index(offset));
        line.end - line.start > MAX_SHOWN_BYTES
    })
}

/// Formats as `path:line:column: error: message`, for logs and the results table; without line and column if the
/// message has no position.
pub fn one_line(source: &Source, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span.map_or(String::new(), |span| {
        let (line, column) = source.line_and_column(span.start);
        format!(":{line}:{column}")
    });
    format!("{}{place}: {}: {}", source.path(), diagnostic.severity, diagnostic.message)
}

/// A number with its noun, given in the singular: `1 case`, `2 cases`, `3 vertices`.
pub fn counted<T: fmt::Display + PartialEq + From<u8>>(count: T, noun: &str) -> String {
    if count == T::from(1) {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix("ex") {
        Some(stem) => format!("{count} {stem}ices"),
        None => format!("{count} {noun}s"),
    }
}

/// The word among `known` that is nearest to `word`, if `word` looks like a typo of it.
pub fn nearest_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let most = |candidate: &str| 1 + candidate.len() / 4;
    known
        .into_iter()
        // As many letters as the lengths differ by are another distance at least, and told much sooner.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= most(candidate))
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= most(candidate) && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn drawing_of(source: &Source, diagnostic: &Diagnostic) -> drawn::Diagnostic<()> {
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
    };
    let label = |span: Span| {
        let end = span.end.min(source.text().len());
        drawn::Label::primary((), span.start.min(end)..end)
    };
    let message = match diagnostic.span {
        Some(_) => diagnostic.message.clone(),
        None => format!("{}: {}", source.path(), diagnostic.message),
    };
    drawn::Diagnostic::new(severity)
        .with_message(message)
        .with_labels(diagnostic.span.map(label).into_iter().collect())
        .with_notes(diagnostic.help.iter().map(|help| format!("help: {help}")).collect())
}

impl<'a> Files<'a> for Source {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(self.path())
    }

    fn source(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(self.text())
    }

    fn line_index(&'a self, (): (), offset: usize) -> Result<usize, files::Error> {
        Ok(Self::line_index(self, offset))
    }

    fn line_number(&'a self, (): (), line_index: usize) -> Result<usize, files::Error> {
        Ok(self.file_line(line_index))
    }

    fn line_range(
        &'a self,
        (): (),
        line_index: usize,
    ) -> Result<std::ops::Range<usize>, files::Error> {
        let max = self.line_count() - 1;
        if line_index > max {
            return Err(files::Error::LineTooLarge { given: line_index, max });
        }
        let span = self.line_span(line_index);
        Ok(span.start..(span.end + 1).min(self.text().len()))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// A valid construct, in the case's notation, that interstage cannot run yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

impl From<&str> for Unsupported {
    fn from(word: &str) -> Self {
        Self(word.to_owned())
    }
}

impl From<Unsupported> for String {
    fn from(construct: Unsupported) -> Self {
        construct.0
    }
}

/// Error of compiling a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// Compile errors: the shader is invalid. All errors that were found.
    Diagnostics(Vec<Diagnostic>),
    /// Link errors: shader objects of one stage do not match, as in GL.
    Link(Vec<Diagnostic>),
    /// The shader is valid, but uses a feature that cannot be compiled yet.
    Unsupported {
        /// The construct (`sampler2D`, `double`).
        word: String,
        /// Position of the construct; `None` if the construct is missing.
        span: Option<Span>,
    },
}

impl CompileError {
    /// The shader is valid, but the construct `word` at `span` cannot be compiled yet.
    pub fn unsupported(word: impl Into<String>, span: impl Into<Option<Span>>) -> Self {
        Self::Unsupported { word: word.into(), span: span.into() }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_offending_text_is_underlined_at_its_line_in_the_file() {
        let source =
            Source::with_file_lines("cases/a.shader_test", "[test]\nprobee all", vec![1, 40]);
        let error = Diagnostic::error(Span::new(7, 13), "unknown command `probee`")
            .with_help("did you mean `probe`?");
        expect![[r#"
            error: unknown command `probee`
               ┌─ cases/a.shader_test:40:1
               │
            40 │ probee all
               │ ^^^^^^
               │
               = help: did you mean `probe`?

        "#]]
        .assert_eq(&render(&source, &[error]));
    }

    #[test]
    fn a_message_without_a_place_names_the_file() {
        let source = Source::new("cases/a.shader_test", "[test]");
        let error = Diagnostic::error(None, "it cannot be read");
        assert_eq!(one_line(&source, &error), "cases/a.shader_test: error: it cannot be read");
        assert_eq!(render(&source, &[error]), "error: cases/a.shader_test: it cannot be read\n\n");
    }

    /// A hundred messages about one line of ten thousand letters took seconds to draw.
    #[test]
    fn a_line_that_is_too_long_is_not_shown() {
        let source = Source::new("a", format!("x\n{} y", "x".repeat(MAX_SHOWN_BYTES)));
        let error = Diagnostic::error(Span::new(1003, 1004), "unknown word `y`").with_help("no");
        assert_eq!(render(&source, &[error]), "a:2:1002: error: unknown word `y`\nhelp: no\n\n");
        let long = Diagnostic::error(Span::new(0, 1004), "all of it");
        assert_eq!(render(&source, &[long]), "a:1:1: error: all of it\n\n");
    }

    #[test]
    fn only_likely_typos_are_suggested() {
        assert_eq!(nearest_word("probee", ["draw", "probe"]), Some("probe"));
        assert_eq!(nearest_word("xyzzy", ["draw", "probe"]), None);
    }
}
