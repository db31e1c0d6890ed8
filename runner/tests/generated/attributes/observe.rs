//! Observes the treatment of a word: compares the compiled stages with and without it.

use std::collections::HashMap;

use interstage::case::Dialect;
use interstage::case::gl::limit::Limits;
use interstage::case::parse::{CaseError, parse};
use interstage::compile::compile;
use interstage::ir::diagnostic::{CompileError, Diagnostic};

use generate::attributes::{Attribute, Expected};

/// The observed treatment of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Observed {
    /// The stages differ from those without it.
    Visible,
    /// The stages are the same.
    Invisible,
    /// The program is invalid.
    Refused {
        /// The messages, each with the text that it underlines.
        messages: String,
        /// True if the program without the word is accepted, so that the word is at fault.
        is_by_word: bool,
    },
    /// The program is not supported: the name of what is missing.
    Unsupported(String),
    /// The case cannot be read.
    Unread(String),
}

/// The stages of programs without a word, which many programs share.
#[derive(Debug, Default)]
pub(super) struct Bare(HashMap<String, Result<String, Observed>>);

impl Observed {
    /// Observes the treatment of the word of `attribute`.
    pub(super) fn of(attribute: &Attribute, bare: &mut Bare) -> Self {
        let known = bare.0.entry(attribute.bare.clone());
        let without = known.or_insert_with(|| stages(&attribute.bare));
        match (stages(&attribute.text), without) {
            (Ok(with), Ok(without)) if with == *without => Self::Invisible,
            (Ok(_), Ok(_) | Err(_)) => Self::Visible,
            (Err(Self::Refused { messages, .. }), bare) => {
                Self::Refused { messages, is_by_word: bare.is_ok() }
            }
            (Err(refusal), _) => refusal,
        }
    }

    /// True if this is what the tables specify. A rejection must name the word, or disappear without it.
    pub(super) fn is(&self, attribute: &Attribute) -> bool {
        let names = |message: &String| {
            let word = attribute.word.to_ascii_lowercase();
            message.to_ascii_lowercase().contains(&word)
        };
        match (self, attribute.expected) {
            (Self::Visible, Expected::Carried) | (Self::Invisible, Expected::NoEffect(_)) => true,
            (Self::Refused { messages, is_by_word }, Expected::Refused) => {
                *is_by_word || names(messages)
            }
            (Self::Unsupported(message), Expected::Unsupported) => names(message),
            (
                Self::Visible
                | Self::Invisible
                | Self::Refused { .. }
                | Self::Unsupported(_)
                | Self::Unread(_),
                Expected::Carried
                | Expected::NoEffect(_)
                | Expected::Unsupported
                | Expected::Refused,
            ) => false,
        }
    }
}

/// The compiled stages as text, without positions; or the reason why there are none.
fn stages(text: &str) -> Result<String, Observed> {
    let parsed = parse("generated", text.as_bytes(), Dialect::Piglit).remove(0);
    let case = parsed.result.map_err(|error| match error {
        CaseError::Unsupported { word, .. } => Observed::Unread(format!("the case: {word}")),
        CaseError::Excluded { reason } => Observed::Unread(format!("the case: {reason}")),
        CaseError::Broken(errors) => Observed::Unread(format!("the case: {errors:?}")),
    })?;
    match compile(&case, &Limits::guaranteed(&case.link.limits)) {
        Ok(stages) => Ok(without_positions(&format!("{stages:?}"))),
        Err(CompileError::Unsupported { word, .. }) => Err(Observed::Unsupported(word)),
        Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
            let lines: Vec<String> = errors.iter().map(|error| shown(error, text)).collect();
            Err(Observed::Refused { messages: lines.join("; "), is_by_word: false })
        }
    }
}

fn shown(error: &Diagnostic, text: &str) -> String {
    let place = error.span.and_then(|span| text.get(std::ops::Range::from(span)));
    format!("{} [{}]", error.message, place.unwrap_or_default())
}

/// Removes `Span { start: 1, end: 2 }` from the notation of a value.
fn without_positions(text: &str) -> String {
    let mut parts = text.split("Span { start: ");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_do_not_count() {
        let text = "A { at: Some(Span { start: 1, end: 2 }), n: 3 }";
        assert_eq!(without_positions(text), "A { at: Some(), n: 3 }");
        assert_eq!(without_positions("B"), "B");
    }
}
