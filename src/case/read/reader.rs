//! Reads sections line by line, and collects errors and warnings.

use std::collections::BTreeMap;

use crate::Dialect;
use crate::limits::{MAX_ERRORS, MAX_LINE_BYTES};
use crate::read::line::{Punctuation, Words};
use crate::read::problem::{CaseError, Parsed, Problem};
use crate::vacuous;
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span};

/// Reader of one case's text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// The text.
    pub(super) source: &'a Source,
    /// Strictness.
    pub(super) dialect: Dialect,
    errors: Vec<Diagnostic>,
    error_count: usize,
    unsupported: Option<(String, Span)>,
    warnings: Vec<Diagnostic>,
    /// Settings given so far, by section, with their positions.
    given: BTreeMap<&'static str, BTreeMap<String, Span>>,
}

impl<'a> Reader<'a> {
    /// A reader without any errors or settings.
    pub(super) fn new(source: &'a Source, dialect: Dialect) -> Self {
        Self {
            source,
            dialect,
            errors: Vec::new(),
            error_count: 0,
            unsupported: None,
            warnings: Vec::new(),
            given: BTreeMap::new(),
        }
    }

    /// True if the strict rules apply.
    pub(super) fn is_strict(&self) -> bool {
        self.dialect != Dialect::Piglit
    }

    /// True if no error was reported inside `span`, and none was dropped beyond the limit.
    pub(super) fn is_intact(&self, span: Span) -> bool {
        let unsupported = self.unsupported.as_ref().map(|(_, span)| *span);
        let is_inside = |at: Span| span.start <= at.start && at.start < span.end;
        !unsupported.is_some_and(is_inside)
            && self.error_count == self.errors.len()
            && !self.errors.iter().any(|error| error.span.is_some_and(is_inside))
    }

    /// Reports a problem. Only the first unsupported feature is kept.
    pub(super) fn report(&mut self, problem: impl Into<Problem>) {
        match problem.into() {
            Problem::Broken(diagnostic) => {
                self.error_count += 1;
                if self.errors.len() < MAX_ERRORS {
                    self.errors.push(diagnostic);
                }
            }
            Problem::Unsupported { word, span } => {
                self.unsupported.get_or_insert((word, span));
            }
        }
    }

    /// Reports an error in interstage's own cases, or a warning in piglit's.
    pub(super) fn report_lenient(&mut self, diagnostic: Diagnostic) {
        match self.dialect {
            Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => {
                self.report(diagnostic);
            }
            Dialect::Piglit if self.warnings.len() < MAX_ERRORS => {
                self.warnings
                    .push(Diagnostic { severity: ir::diagnostic::Severity::Warning, ..diagnostic });
            }
            Dialect::Piglit => {}
        }
    }

    /// Records settings of a section with their positions. In interstage's own cases, a setting given twice is an
    /// error; the message names the first position.
    pub(super) fn give(&mut self, section: &'static str, settings: Vec<(String, Span)>) {
        if !self.is_strict() {
            return;
        }
        for (setting, span) in settings {
            let known = self.given.entry(section).or_default();
            let Some(first) = known.get(&setting).copied() else {
                known.insert(setting, span);
                continue;
            };
            let (line, _) = self.source.line_and_column(first.start);
            let message = format!("`{setting}` is given twice, first in line {line}");
            let help = "one of them has no effect, or contradicts the other; keep one";
            self.report(vacuous::GIVEN_TWICE.error(span, message).with_help(help));
        }
    }

    /// Position of the first setting of the section that begins with the words of `setting`.
    pub(super) fn place_of(&self, section: &str, setting: &str) -> Option<Span> {
        let is_it = |known: &str| {
            known.strip_prefix(setting).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let mut known = self.given.get(section)?.iter();
        known.find(|(known, _)| is_it(known)).map(|(_, span)| *span)
    }

    /// Settings of a section that are recorded and not forgotten, with their positions.
    pub(super) fn unseen(&self, section: &str) -> Vec<(String, Span)> {
        let known = self.given.get(section).into_iter().flatten();
        known.map(|(setting, span)| (setting.clone(), *span)).collect()
    }

    /// Forgets the settings of a section, so that they may be given again.
    pub(super) fn forget(&mut self, section: &'static str) {
        self.given.remove(section);
    }

    /// True if there are more errors than are reported. Reading further lines would only take time: each unknown word is
    /// compared with all known ones.
    pub(super) fn is_full(&self) -> bool {
        self.error_count > MAX_ERRORS
    }

    /// Calls `read` for every line of `body` that is not blank, and reports the problems that it returns. Stops when
    /// there are too many.
    pub(super) fn each_line(
        &mut self,
        body: Span,
        punctuation: Punctuation,
        mut read: impl FnMut(&mut Self, &mut Words<'a>) -> Parsed<()>,
    ) {
        for line in lines(self.source, body) {
            if self.is_full() {
                break;
            }
            if let Err(problem) = self.read_line(line, punctuation, &mut read) {
                self.report(problem);
            }
        }
    }

    fn read_line(
        &mut self,
        line: Span,
        punctuation: Punctuation,
        read: &mut impl FnMut(&mut Self, &mut Words<'a>) -> Parsed<()>,
    ) -> Parsed<()> {
        let length = line.end - line.start;
        if length > MAX_LINE_BYTES {
            let span = Span::new(line.start, line.start);
            let message =
                format!("the line has {length} bytes; at most {MAX_LINE_BYTES} are allowed");
            return Err(Diagnostic::error(span, message).into());
        }
        let text = self.source.slice(line);
        let mut words = Words::cut(text, line.start, punctuation, self.dialect)?;
        let Some(first) = words.peek() else { return Ok(()) };
        if first.text.starts_with('[') && self.is_strict() {
            let error = Diagnostic::error(words.span, "unexpected `[`");
            return Err(error.with_help("section headers start in column one").into());
        }
        read(self, &mut words)?;
        if let Some(rest) = words.rest() {
            let message =
                format!("unexpected `{}` at the end of the line", self.source.slice(rest));
            self.report_lenient(Diagnostic::error(rest, message));
        }
        Ok(())
    }

    /// The warnings, or the reason why the case cannot be read.
    ///
    /// In piglit's files unsupported features take precedence over errors, which may follow from them. In interstage's
    /// own cases errors take precedence.
    pub(super) fn finish(mut self) -> Result<Vec<Diagnostic>, CaseError> {
        let is_error_first = self.is_strict() && !self.errors.is_empty();
        match self.unsupported.take() {
            Some((word, span)) if !is_error_first => Err(CaseError::Unsupported { word, span }),
            _ if !self.errors.is_empty() => {
                self.errors.sort_by_key(|error| error.span.map(|span| span.start));
                if let (Some(last), true) = (self.errors.last(), self.is_full()) {
                    self.errors.push(Diagnostic::error(last.span, "further errors are not shown"));
                }
                Err(CaseError::Broken(self.errors))
            }
            _ => Ok(self.warnings),
        }
    }
}

/// The lines of `body`, without line ends.
pub(super) fn lines(source: &Source, body: Span) -> impl Iterator<Item = Span> + '_ {
    let first = source.line_index(body.start);
    (first..source.line_count())
        .map(|idx| source.line_span(idx))
        .take_while(move |line| line.start < body.end)
}
