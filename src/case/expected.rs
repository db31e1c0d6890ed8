//! `[expect]`: how the case is known to go wrong, on which adapters, and why.
//!
//! ```text
//! ADAPTER STATUS [with "SYMPTOM"] "REASON" LINK
//! "llvmpipe" and "Mesa 22." fail with "first difference at pixel (0, 0)" "NaN is folded to 0" https://gitlab.freedesktop.org/…
//! any flake "the timer query wraps" https://…
//! ```

use ir::source::Span;

/// One line of `[expect]`: the case is known to go wrong in this way on these adapters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutcome {
    /// Where.
    pub adapter: AdapterPattern,
    /// How.
    pub status: ExpectedStatus,
    /// What the message must contain, so that another bug of the same status is not hidden.
    pub symptom: Option<String>,
    /// Why.
    pub reason: String,
    /// The issue.
    pub link: String,
    /// The line.
    pub span: Span,
}

/// The adapters that a line of `[expect]` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterPattern {
    /// All, and none.
    Any,
    /// Those whose title (backend, name, driver) contains each of these texts; in lower case.
    Contains(Vec<String>),
}

/// How a case is known to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedStatus {
    /// An expectation does not hold.
    Fail,
    /// The process dies, or the device is lost.
    Crash,
    /// It does not end in time.
    Timeout,
    /// Any of these, now and then.
    Flake,
}

impl AdapterPattern {
    /// Whether the adapter of this title, or the lack of one, is meant.
    pub fn fits(&self, adapter_title: Option<&str>) -> bool {
        match self {
            Self::Any => true,
            Self::Contains(texts) => adapter_title.is_some_and(|title| {
                let title = title.to_lowercase();
                texts.iter().all(|text| title.contains(text))
            }),
        }
    }
}
