//! Result of running a case, regardless of known failures.

use std::fmt;

use serde::{Deserialize, Serialize};

use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span};

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// All expectations held.
    Pass,
    /// At least one expectation did not hold, or the adapter reported an error.
    Fail(Vec<Failure>),
    /// The adapter lacks something that the case requires; the reason.
    Skip(String),
    /// The file is valid, but interstage cannot run it yet; the unsupported word or construct.
    Unsupported(String),
    /// The case ran, but too many values depend on rounding or are undefined; how many.
    Undecided(String),
    /// The case ran, but changed nothing that is compared, so any result would be the same; what it left unchanged.
    Untested(String),
    /// The file is invalid, and nothing was run.
    Broken(Vec<Diagnostic>),
}

/// One failed expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// 1-based line in the file of the failed step; result files have 0 for `None`, a failure of the whole case.
    #[serde(with = "zero_for_none")]
    pub line: Option<usize>,
    /// The line as written, or a description of the step.
    pub step: String,
    /// Expected and actual result, one line each.
    pub details: Vec<String>,
}

impl Failure {
    /// A failure of the step, line or declaration at `span`; without a span, a failure of the whole case.
    pub fn at(
        source: &Source,
        span: impl Into<Option<Span>>,
        step: impl Into<String>,
        details: Vec<String>,
    ) -> Self {
        let line = span.into().map(|span| source.line_and_column(span.start).0);
        Self { line, step: step.into(), details }
    }

    /// A failure of the step or line at `span`, which is shown as written, with the comment behind it.
    pub fn of_text(source: &Source, span: Span, details: Vec<String>) -> Self {
        let text = source.slice(span).trim();
        // A step's span ends with its last word, before the closing parenthesis.
        let count = |char: char| text.matches(char).count();
        let closing = ")".repeat(count('(').saturating_sub(count(')')));
        let rest = source.slice(Span::new(span.end, source.text().len()));
        let rest = rest.lines().next().unwrap_or_default().trim_start_matches([' ', '\t', ')']);
        let comment =
            if rest.starts_with('#') { format!(" {}", rest.trim_end()) } else { String::new() };
        Self::at(source, span, format!("{text}{closing}{comment}"), details)
    }

    /// A failure of the whole case.
    pub fn of_case(step: impl Into<String>, details: Vec<String>) -> Self {
        Self { line: None, step: step.into(), details }
    }
}

impl fmt::Display for Failure {
    /// `line 31: probe …`, or only the step.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.step)
    }
}

mod zero_for_none {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
    pub(super) fn serialize<S: Serializer>(line: &Option<usize>, to: S) -> Result<S::Ok, S::Error> {
        line.unwrap_or(0).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(of: D) -> Result<Option<usize>, D::Error> {
        Ok(Some(usize::deserialize(of)?).filter(|line| *line > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let source = Source::new("a", format!("{line}\n# next\n"));
        let end = line.find([')', '#']).map_or(line, |end| &line[..end]).trim_end().len();
        let failure = Failure::of_text(&source, Span::new(0, end), Vec::new());
        assert_eq!(failure.step, expected);
    }

    #[test]
    fn a_step_is_shown_with_the_comment_behind_it() {
        check("probe all rgb 1 1 1", "probe all rgb 1 1 1");
        check("probe all rgb 1 1 1  # the seam ", "probe all rgb 1 1 1 # the seam");
        check("probe rgb (0, 0) # a (b)", "probe rgb (0, 0) # a (b)");
    }
}
