//! Runs naga's validator on the module as the user wrote it, before later passes change it.
//!
//! The validator gets every capability of naga: a capability that an adapter lacks skips the case later and is not an
//! error of the shader. Entry points of interstage's dialect, whose arguments and members may lack `@location`, are
//! validated through a stand-in: see [`crate::dialect`].

use std::error::Error;

use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Module, WithSpan};

use ir::diagnostic::{CompileError, Diagnostic};
use ir::source::Span;

use crate::token::{Token, tokens};

/// The WGSL of a stage inside its case, which maps naga's spans to positions for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'a> {
    /// The text of the whole case.
    pub source: &'a str,
    /// Position of the WGSL in the text of the case.
    pub text: Span,
}

impl Places<'_> {
    /// The position of naga's `span`; the whole text if naga does not know it or if it is outside the user's text.
    pub(super) fn of(&self, span: naga::Span) -> Span {
        self.inside(span).unwrap_or(self.text)
    }

    fn inside(&self, span: naga::Span) -> Option<Span> {
        let range = span.to_range()?;
        let is_inside = range.start >= self.text.start && range.end <= self.text.end;
        is_inside.then(|| Span::new(range.start, range.end))
    }

    /// The position of the name of function `name` in its declaration, or the whole text.
    pub(super) fn of_function(&self, name: &str) -> Span {
        let shader = self.source.get(std::ops::Range::from(self.text)).unwrap_or("");
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let found = shader.match_indices(name).map(|(at, _)| at).find(|at| {
            let before = shader[..*at].trim_end();
            let word = before.strip_suffix("fn").filter(|rest| !rest.ends_with(is_part));
            let is_apart = before.len() < *at;
            word.is_some() && is_apart && !shader[at + name.len()..].starts_with(is_part)
        });
        let start = found.map(|at| self.text.start + at);
        start.map_or(self.text, |start| Span::new(start, start + name.len()))
    }

    /// The position of the first declaration of a parameter or member `name` at or after `start`.
    pub(super) fn of_declared(&self, start: usize, name: &str) -> Option<Span> {
        let shader = self.source.get(start..self.text.end)?;
        let tokens = tokens(shader);
        let mut pairs = tokens.windows(2);
        let is_it = |pair: &&[Token<'_>]| pair[0].text == name && pair[1].text == ":";
        let at = start + pairs.find(is_it)?[0].start;
        Some(Span::new(at, at + name.len()))
    }

    /// The compile error for an error of naga's validator.
    pub(super) fn invalid(&self, error: &WithSpan<ValidationError>) -> CompileError {
        let known = error.spans().find_map(|(span, _)| self.inside(*span));
        let place = known.unwrap_or_else(|| match error.as_inner() {
            ValidationError::EntryPoint { name, .. } | ValidationError::Function { name, .. } => {
                self.of_function(name)
            }
            ValidationError::InvalidHandle(_)
            | ValidationError::Layouter(_)
            | ValidationError::Type { .. }
            | ValidationError::ConstExpression { .. }
            | ValidationError::ArraySizeError { .. }
            | ValidationError::Constant { .. }
            | ValidationError::Override { .. }
            | ValidationError::GlobalVariable { .. }
            | ValidationError::Corrupted => self.text,
        });
        error_at(place, whole_message(error.as_inner()))
    }
}

/// A compile error with a message at `span`.
pub(super) fn error_at(span: Span, message: impl Into<String>) -> CompileError {
    CompileError::Diagnostics(vec![Diagnostic::error(span, message)])
}

/// Validates the module by all of naga's rules.
pub(super) fn validate(module: &Module, places: Places<'_>) -> Result<ModuleInfo, CompileError> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| places.invalid(&error))
}

/// The message of an error, followed by those of its causes.
pub(super) fn whole_message(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| Error::source(*cause));
    let messages = [error.to_string()].into_iter().chain(causes.map(ToString::to_string));
    let mut messages: Vec<_> = messages.collect();
    messages.dedup();
    messages.join(": ")
}
