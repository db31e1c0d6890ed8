//! The messages about a document, each once per place, from those about its cases.

use std::sync::LazyLock;

use gen_lsp_types::{
    Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Uri,
};
use interstage::check::verdict::Failure;
use interstage::diagnosis::Finding;
use interstage::ir::diagnostic::{Diagnostic, Severity};
use interstage::ir::source::{Source, Span};
use regex::Regex;

use super::names::Names;
use super::origin::Origin;
use super::position::Text;

/// Name of the program in messages.
pub(super) const SOURCE: &str = "interstage";

/// Number of cases that a message names.
const TOLD: usize = 3;

/// A message about a document.
#[derive(Clone, Debug)]
struct Told {
    span: Span,
    severity: DiagnosticSeverity,
    message: String,
    /// Other places that the message is about, with what is there.
    related: Vec<(Span, String)>,
    /// Numbers of the cases that have a message here.
    cases: Vec<usize>,
}

/// The messages so far.
#[derive(Clone, Debug)]
pub(super) struct Findings<'a> {
    text: &'a Text,
    origin: &'a Origin<'a>,
    all: Vec<Told>,
    /// Number of the current case.
    case: usize,
    /// The reason that the current case gives for the failures that are added now.
    expected: Option<String>,
}

impl<'a> Findings<'a> {
    /// No messages about a document.
    pub(super) fn new(text: &'a Text, origin: &'a Origin<'a>) -> Self {
        Self { text, origin, all: Vec::new(), case: 0, expected: None }
    }

    /// Begins with the case of this number.
    pub(super) fn begin(&mut self, case: usize) {
        self.case = case;
    }

    /// Adds a message about the document as a whole.
    pub(super) fn add_whole(&mut self, severity: DiagnosticSeverity, message: String) {
        self.add(self.origin.words_of_line(1), severity, message, Vec::new());
    }

    /// Adds a message of the reader, the compiler or the linker. `source` is the text of the case. Declarations that the
    /// message names are other places that it is about.
    pub(super) fn add_diagnostic(
        &mut self,
        source: &Source,
        diagnostic: &Diagnostic,
        names: &Names,
    ) {
        let span = diagnostic.span.map(|span| self.origin.span(source, span));
        let span = span.unwrap_or_else(|| self.origin.words_of_line(1));
        let severity = match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        };
        let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
        let message = std::iter::once(diagnostic.message.clone()).chain(help).collect();
        let related = self.related(&diagnostic.message, span, names);
        self.add(span, severity, message, related);
    }

    /// Adds a finding that the case expects for this reason: it is information.
    pub(super) fn add_expected(&mut self, source: &Source, finding: &Finding, reason: &str) {
        self.expected = Some(reason.to_owned());
        self.add_finding(source, finding, &Names::default());
        self.expected = None;
    }

    /// Adds a finding about the case whose text is `source`.
    pub(super) fn add_finding(&mut self, source: &Source, finding: &Finding, names: &Names) {
        match finding {
            Finding::Error(error) => self.add_diagnostic(source, error, names),
            Finding::Failure(failure) => self.add_failure(failure),
            Finding::Unjudged { reason, span } => {
                let span = span.map(|span| self.origin.span(source, span));
                let span = span.unwrap_or_else(|| self.origin.words_of_line(1));
                self.add(span, DiagnosticSeverity::Information, reason.clone(), Vec::new());
            }
        }
    }

    fn add_failure(&mut self, failure: &Failure) {
        let span = self.origin.words_of_line(failure.line.unwrap_or(1));
        let message = failure_message(failure);
        self.add(span, DiagnosticSeverity::Error, message, Vec::new());
    }

    fn add(
        &mut self,
        span: Span,
        severity: DiagnosticSeverity,
        message: String,
        related: Vec<(Span, String)>,
    ) {
        let case = self.case;
        let (severity, message) = match &self.expected {
            Some(reason) if severity == DiagnosticSeverity::Error => {
                (DiagnosticSeverity::Information, format!("{message}\nexpected: {reason}"))
            }
            Some(_) | None => (severity, message),
        };
        let is_same = |known: &&mut Told| {
            let is_of_other = !known.cases.is_empty() && known.cases[0] != case;
            known.span == span
                && known.severity == severity
                && (is_of_other || known.message == message)
        };
        match self.all.iter_mut().find(is_same) {
            Some(known) if known.cases.contains(&case) => {}
            Some(known) => known.cases.push(case),
            None => {
                self.all.push(Told { span, severity, message, related, cases: vec![case] });
            }
        }
    }

    /// Declarations that a message names in backticks, and lines that it names by number, unless they are at `span`.
    fn related(&self, message: &str, span: Span, names: &Names) -> Vec<(Span, String)> {
        static LINE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\bline (\d+)").expect("it is a constant"));
        let is_elsewhere = |other: Span| other.end <= span.start || span.end <= other.start;
        let named = message.split('`').skip(1).step_by(2).flat_map(|name| names.declared(name));
        let named = named
            .map(|known| (known.span, format!("{} stage: `{}`", known.stage.word(), known.text)));
        let lines = LINE.captures_iter(message).filter_map(|found| found[1].parse().ok());
        let lines = lines.map(|line| (self.origin.words_of_line(line), format!("line {line}")));
        let mut related: Vec<_> =
            named.chain(lines).filter(|(other, _)| is_elsewhere(*other)).collect();
        related.dedup();
        related
    }

    /// The messages in the protocol's form. `suffixes` are the parameters of the cases, by number.
    pub(super) fn finish(self, uri: &Uri, suffixes: &[String]) -> Vec<LspDiagnostic> {
        let Self { text, all, .. } = self;
        let location = |span| Location { uri: uri.clone(), range: text.range(span) };
        let finished = all.into_iter().map(|told| {
            let related = told.related.into_iter().map(|(span, message)| {
                DiagnosticRelatedInformation { location: location(span), message }
            });
            let related: Vec<_> = related.collect();
            LspDiagnostic {
                range: text.range(told.span),
                severity: Some(told.severity),
                source: Some(SOURCE.to_owned()),
                message: (told.message + &among(&told.cases, suffixes)).into(),
                related_information: (!related.is_empty()).then_some(related),
                ..LspDiagnostic::default()
            }
        });
        finished.collect()
    }
}

/// The message of a failure at its line, which shows the step.
pub(super) fn failure_message(failure: &Failure) -> String {
    let step = failure.line.is_none().then(|| failure.step.clone());
    step.into_iter().chain(failure.details.iter().cloned()).collect::<Vec<_>>().join("\n")
}

/// The cases that a message is about, if there are others.
fn among(cases: &[usize], suffixes: &[String]) -> String {
    if cases.len() >= suffixes.len() {
        return String::new();
    }
    let named = cases.iter().filter_map(|case| suffixes.get(*case)).take(TOLD);
    let named = named.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match cases.len().saturating_sub(TOLD) {
        0 => format!("\nin {named}"),
        more => format!("\nin {named} and {more} more of {} cases", suffixes.len()),
    }
}
