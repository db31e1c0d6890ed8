//! Compares two outcomes of a case, one of them of a shorter text.

use std::collections::BTreeSet;
use std::fmt;

use interstage::check::verdict::{Failure, Verdict};

use crate::command::census;
use crate::outcome::Outcome;
use crate::outcome::status::Status;

/// Strictness of the comparison of two failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum Precision {
    /// The failing expectation and all its details.
    Exact,
    /// The status, and the reason without names and numbers.
    Loose,
}

/// The way in which a case goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::command) enum Symptom {
    /// An expectation fails.
    Failure {
        /// The first failure that is not a consequence of another.
        finding: Finding,
        /// All failing expectations; a shorter text may not add others.
        all: BTreeSet<(Option<usize>, String)>,
    },
    /// The file is invalid: the messages, the most important one first.
    Broken(Vec<String>),
    /// The worker reached no verdict, for this reason.
    Lost(Status, String),
    /// The status, and the reason without names and numbers.
    Like(Status, Option<String>),
}

/// A failed expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::command) struct Finding {
    /// Line of the original text.
    line: Option<usize>,
    step: String,
    details: Vec<String>,
}

impl Symptom {
    /// Returns the symptom of an outcome; `None` if the case passed. `origins` maps every line to the line of the
    /// original text. The folder `root` is removed from messages.
    pub(in crate::command) fn of(
        outcome: &Outcome,
        origins: &[usize],
        root: &str,
        precision: Precision,
    ) -> Option<Self> {
        let status = outcome.status();
        let is_unsupported = status == Status::Unsupported;
        if !status.is_failure() && !is_unsupported {
            return None;
        }
        // The message names parts of the text, which a shorter text may lack.
        if precision == Precision::Loose || is_unsupported {
            return Some(Self::Like(status, census::reason(outcome)));
        }
        Some(match outcome {
            Outcome::Finished(Verdict::Fail(failures)) => {
                let findings = failures.iter().map(|failure| Finding::of(failure, origins, root));
                let findings: Vec<_> = findings.collect();
                let all = findings.iter().map(Finding::place).collect();
                let has_reason = |finding: &&Finding| !finding.is_consequence();
                let first = findings.iter().find(has_reason).or(findings.first());
                Self::Failure { finding: first?.clone(), all }
            }
            Outcome::Finished(Verdict::Broken(diagnostics)) => {
                let messages = diagnostics.iter().map(|diagnostic| diagnostic.message.clone());
                Self::Broken(messages.collect())
            }
            // interstage chooses the limits, so they are not part of the symptom.
            Outcome::TimedOut { .. } => Self::Lost(status, "a time-out".to_owned()),
            Outcome::OutOfMemory { .. } => Self::Lost(status, "too much memory".to_owned()),
            Outcome::Finished(
                Verdict::Pass
                | Verdict::Skip(_)
                | Verdict::Unsupported(_)
                | Verdict::Undecided(_)
                | Verdict::Untested(_),
            )
            | Outcome::NoAdapter
            | Outcome::NoDevice(_)
            | Outcome::DeviceLost(_)
            | Outcome::Panicked(_)
            | Outcome::Crashed { .. } => Self::Lost(status, outcome.reason().unwrap_or_default()),
        })
    }

    /// True if an outcome of a shorter text shows the same bug. `origins` and `root` are those of [`Self::of`].
    pub(in crate::command) fn is_shown_by(
        &self,
        outcome: &Outcome,
        origins: &[usize],
        root: &str,
    ) -> bool {
        let precision = match self {
            Self::Like(..) => Precision::Loose,
            Self::Failure { .. } | Self::Broken(_) | Self::Lost(..) => Precision::Exact,
        };
        Self::of(outcome, origins, root, precision).is_some_and(|found| self.is_kept_by(&found))
    }

    /// True if `other`, of a shorter text, is the same bug and nothing new fails.
    fn is_kept_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Failure { finding, all }, Self::Failure { finding: other, all: theirs }) => {
                finding == other && theirs.is_subset(all)
            }
            (Self::Broken(messages), Self::Broken(others)) => {
                let is_known = |message: &String| messages.contains(message);
                messages.first() == others.first() && others.iter().all(is_known)
            }
            (Self::Lost(..), Self::Lost(..)) | (Self::Like(..), Self::Like(..)) => self == other,
            (Self::Failure { .. } | Self::Broken(_) | Self::Lost(..) | Self::Like(..), _) => false,
        }
    }

    /// Line of the failed expectation in the original text.
    pub(in crate::command) const fn line(&self) -> Option<usize> {
        match self {
            Self::Failure { finding, .. } => finding.line,
            Self::Broken(_) | Self::Lost(..) | Self::Like(..) => None,
        }
    }

    /// True if the case only lacks an error that it expects, as every shorter case does.
    pub(in crate::command) fn is_missing_error(&self) -> bool {
        let Self::Failure { finding, .. } = self else { return false };
        finding.details == ["the stages compile"] || finding.details == ["linking succeeded"]
    }

    /// True if the case ends only at its time limit.
    pub(in crate::command) const fn is_slow(&self) -> bool {
        matches!(self, Self::Lost(Status::Timeout, _) | Self::Like(Status::Timeout, _))
    }

    /// True if the case was parsed and compiled, so that it has a shape.
    pub(in crate::command) const fn has_shape(&self) -> bool {
        matches!(self, Self::Failure { .. } | Self::Lost(..))
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure { finding, .. } => {
                if let Some(line) = finding.line {
                    write!(f, "line {line}: ")?;
                }
                write!(f, "{}: {}", finding.step, finding.details.join("; "))
            }
            Self::Broken(messages) => f.write_str(messages.first().map_or("", String::as_str)),
            Self::Lost(_, reason) => f.write_str(reason),
            Self::Like(status, reason) => {
                let heading = status.heading().to_lowercase();
                write!(f, "{heading}: {}", reason.as_deref().unwrap_or_default())
            }
        }
    }
}

impl Finding {
    fn of(failure: &Failure, origins: &[usize], root: &str) -> Self {
        let origin = |line: usize| origins.get(line.checked_sub(1)?).copied();
        let details = failure.details.iter().flat_map(|detail| detail.lines());
        // A hint is about the case as a whole, and changes with it. So do the values that the oracle found: a shorter
        // shader computes others. That they still differ, and whose fault it is, is what must remain.
        let details = details.filter(|detail| {
            let is_of_values = ["oracle ", "values "].iter().any(|word| detail.starts_with(word));
            !is_drawing(detail) && !detail.starts_with("hint ") && !is_of_values
        });
        Self {
            line: failure.line.and_then(origin),
            step: failure.step.clone(),
            details: details.map(|detail| detail.trim().replace(root, "")).collect(),
        }
    }

    fn place(&self) -> (Option<usize>, String) {
        (self.line, self.step.clone())
    }

    /// True if the expectation fails only because another one does.
    fn is_consequence(&self) -> bool {
        self.details.iter().all(|detail| detail == "linking failed")
    }
}

/// True for a line that shows a place in the source, as diagnostics do; its numbers change when text is removed.
fn is_drawing(line: &str) -> bool {
    let line =
        line.trim_start().trim_start_matches(|char: char| char.is_ascii_digit()).trim_start();
    line.is_empty() || line.starts_with(['│', '┌', '·', '╭', '╰'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(line: usize, step: &str, details: &[&str]) -> Failure {
        let details = details.iter().map(|&detail| detail.to_owned()).collect();
        Failure { line: Some(line), step: step.to_owned(), details }
    }

    fn symptom(failures: &[Failure], origins: &[usize]) -> Symptom {
        let outcome = Outcome::Finished(Verdict::Fail(failures.to_vec()));
        Symptom::of(&outcome, origins, "/tmp/0/", Precision::Exact).expect("it fails")
    }

    #[track_caller]
    fn check(shorter: &[Failure], is_kept: bool) {
        let original = [
            failure(2, "probe", &["expected 1", "actual 0"]),
            failure(4, "probe", &["expected 1", "actual 0.5"]),
        ];
        let original = symptom(&original, &[1, 2, 3, 4]);
        // The second and third line of the original are missing in the shorter text.
        assert_eq!(original.is_kept_by(&symptom(shorter, &[1, 2, 4, 3])), is_kept);
    }

    #[test]
    fn the_same_expectation_must_fail_with_the_same_values_and_no_other() {
        let wrong = ["expected 1", "actual 0"];
        check(&[failure(2, "probe", &wrong)], true);
        check(&[failure(2, "probe", &wrong), failure(3, "probe", &["whatever"])], true);
        check(&[failure(2, "probe", &["expected 1", "actual 0.25"])], false);
        check(&[failure(3, "probe", &wrong)], false);
        check(&[failure(2, "probe", &wrong), failure(4, "probe", &wrong)], false);
    }

    #[test]
    fn values_that_the_oracle_found_may_change() {
        let found = |value: &str, blame: &str| {
            let values = [
                &format!("oracle    red of pixel (0, 0): {value}"),
                "values    1 of 4 differ",
                blame,
            ];
            symptom(&[failure(1, "compare oracle", &values)], &[1])
        };
        let driver = "blame     naga or the driver";
        let original = found("the adapter gives 1, the executor 2", driver);
        assert!(original.is_kept_by(&found("the adapter gives 3, the executor 4", driver)));
        assert!(!original.is_kept_by(&found("the adapter gives 1", "blame     not decided")));
    }

    #[test]
    fn the_place_of_a_message_may_change() {
        let drawn = |line: usize| {
            let line = line.to_string();
            let place = format!("   ┌─ /tmp/0/a:{line}:7");
            failure(1, "compile", &["error: `w`", &place, "   │", &format!("{line} │ w"), "  │ ^"])
        };
        assert_eq!(symptom(&[drawn(12)], &[5]), symptom(&[drawn(1)], &[5]));
    }

    #[test]
    fn a_consequence_is_not_the_bug() {
        let slots = failure(1, "slots 1", &["linking failed"]);
        let link = failure(2, "link", &["error: `v`"]);
        let both = symptom(&[slots, link.clone()], &[1, 2]);
        assert!(both.is_kept_by(&symptom(&[link], &[1, 2])));
    }
}
