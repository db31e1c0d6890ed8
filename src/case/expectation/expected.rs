//! `[expect]`: known failures of the case, with adapters and reasons.
//! ```text
//! ADAPTER STATUS [with "SYMPTOM"] "REASON" LINK
//! "llvmpipe" and "Mesa 22." fail with "first difference at pixel (0, 0)" "NaN is folded to 0" https://gitlab.freedesktop.org/…
//! any flake "the timer query wraps" https://…
//! ```

use std::cmp::Ordering;

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

/// Pattern for adapters in a line of `[expect]`, or in a list of known failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterPattern {
    /// Any adapter, and runs without one.
    Any,
    /// Adapters that have each of these parts.
    Has(Vec<AdapterPart>),
}

/// A part of an adapter's title (backend, name, driver).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterPart {
    /// Text that the title contains; in lower case.
    pub text: String,
    /// Bound on the version, which is the first number after the text.
    pub version: Option<VersionBound>,
}

/// Bound on a driver's version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionBound {
    /// Allowed orders of the driver's version relative to this one.
    pub orders: &'static [Ordering],
    /// The numbers of the version, the most significant first; missing ones are zero.
    pub version: Vec<u32>,
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
            Self::Has(parts) => adapter_title.is_some_and(|title| {
                let title = Title::of(&title.to_lowercase());
                parts.iter().all(|part| part.fits(&title))
            }),
        }
    }
}

/// Begins the compilers in a title, and the part of an `[expect]` line that names one.
const THROUGH: &str = "through ";

/// An adapter's title and the compilers in it, which are no part of the adapter: `"gl"` does not mean glslang.
struct Title {
    adapter: String,
    compilers: String,
}

impl Title {
    fn of(title: &str) -> Self {
        let (front, rest) = title.split_once(&format!(" · {THROUGH}")).unwrap_or((title, ""));
        let (compilers, behind) = rest.split_once(" · ").unwrap_or((rest, ""));
        Self { adapter: format!("{front} · {behind}"), compilers: compilers.to_owned() }
    }
}

impl AdapterPart {
    fn fits(&self, title: &Title) -> bool {
        let (text, title) = match self.text.strip_prefix(THROUGH) {
            Some(compiler) => (compiler, &title.compilers),
            None => (&*self.text, &title.adapter),
        };
        let Some(at) = title.find(text) else { return false };
        let Some(bound) = &self.version else { return true };
        let version = version_in(&title[at + text.len()..]);
        version.is_some_and(|version| {
            let length = version.len().max(bound.version.len());
            let padded = |numbers: &[u32]| {
                numbers.iter().copied().chain(std::iter::repeat(0)).take(length).collect::<Vec<_>>()
            };
            bound.orders.contains(&padded(&version).cmp(&padded(&bound.version)))
        })
    }
}

/// The first number in the text and those that follow it: 22, 3 and 6 of ` 22.3.6 (LLVM 15)`.
fn version_in(text: &str) -> Option<Vec<u32>> {
    let start = text.find(|char: char| char.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest.find(|char: char| char != '.' && !char.is_ascii_digit()).unwrap_or(rest.len());
    version_of(rest[..end].trim_end_matches('.'))
}

/// The numbers of `22.3.6`; `None` if the text is not a version.
pub(crate) fn version_of(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|number| number.parse().ok()).collect()
}
