//! `[expect]`: known failures of the case, with adapters and reasons.
//! ```text
//! ADAPTER STATUS [with "SYMPTOM"] "REASON" LINK
//! "llvmpipe" and "Mesa 22." fail with "first difference at pixel (0, 0)" "NaN is folded to 0" https://gitlab.freedesktop.org/…
//! any flake "the timer query wraps" https://…
//! ```

use ir::source::Span;

/// One line of `[expect]`: a known failure on some adapters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutcome {
    /// Affected adapters.
    pub adapter: AdapterPattern,
    /// Kind of failure.
    pub status: ExpectedStatus,
    /// Text that the message must contain, so that another bug of the same status is not hidden.
    pub symptom: Option<String>,
    /// The reason.
    pub reason: String,
    /// Link to the issue.
    pub link: String,
    /// Span of the line.
    pub span: Span,
}

/// Pattern for adapters in a line of `[expect]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterPattern {
    /// Any adapter, and runs without one.
    Any,
    /// Adapters whose title (backend, name, driver) contains each of these texts; in lower case.
    Contains(Vec<String>),
}

/// Kind of a known failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedStatus {
    /// An expectation does not hold.
    Fail,
    /// The process dies or the device is lost.
    Crash,
    /// The case exceeds its time limit.
    Timeout,
    /// Any of these, intermittently.
    Flake,
}

impl AdapterPattern {
    /// True if the pattern matches the adapter of this title, or `None` for no adapter.
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
