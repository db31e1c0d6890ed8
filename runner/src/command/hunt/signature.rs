//! Tells by the outcome of a program which fault it may be.

use std::fmt;

use interstage::check::verdict::{Failure, Verdict};
use serde::{Deserialize, Serialize};

use crate::command::census;
use crate::outcome::status::Status;
use crate::outcome::{CaseResult, Outcome};

/// What failed programs must have in common to have the same fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Signature {
    /// The adapter and the compilers, with their versions.
    pub(super) target: String,
    /// The kind of the failure, without names and numbers.
    pub(super) kind: String,
    /// True if a value is wrong: many faults have this signature, and only what the reduced program uses tells them
    /// apart.
    pub(super) is_value: bool,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.kind, self.target)
    }
}

impl Signature {
    /// The signature of a result; `None` if it is no failure, if only too few values are decided, or if the original of a
    /// variant fails as well.
    pub(super) fn of(target: &str, result: &CaseResult) -> Option<Self> {
        let status = result.outcome.status();
        let is_failure = status.is_failure() || status == Status::Unsupported;
        if !is_failure || result.outcome.is_undecided() {
            return None;
        }
        let signature =
            |kind: String, is_value| Some(Self { target: target.to_owned(), kind, is_value });
        if let Outcome::Finished(Verdict::Fail(failures)) = &result.outcome {
            if failures.iter().any(is_of_original) {
                return None;
            }
            if let Some(kind) = failures.iter().find_map(of_value) {
                return signature(kind, true);
            }
        }
        let heading = status.heading().to_lowercase();
        let reason = census::reason(&result.outcome).unwrap_or_default();
        signature(format!("{heading}: {reason}"), false)
    }
}

/// True if the original of a variant fails as well.
fn is_of_original(failure: &Failure) -> bool {
    let mut lines = failure.details.iter().flat_map(|detail| detail.lines());
    lines.any(|line| line.trim_start().starts_with("variant   not at fault"))
}

/// The kind of a failure if it is a wrong value: whose fault it is, and the change of variants with which it begins.
fn of_value(failure: &Failure) -> Option<String> {
    let lines = || failure.details.iter().flat_map(|detail| detail.lines()).map(str::trim);
    let is_value =
        lines().any(|line| ["oracle ", "actual "].iter().any(|word| line.starts_with(word)));
    if !is_value {
        return None;
    }
    let rest = |word| lines().find_map(move |line| line.strip_prefix(word)).map(str::trim);
    let blame = rest("blame ").map_or_else(String::new, |whose| format!(", {whose}"));
    let change = rest("variant ").map_or_else(String::new, |change| format!(", {change}"));
    Some(format!("wrong value{blame}{change}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(outcome: Outcome) -> CaseResult {
        CaseResult::bare("cases/a", outcome, 1.0, String::new())
    }

    fn failed(details: &[&str]) -> CaseResult {
        let details = details.iter().map(|&detail| detail.to_owned()).collect();
        let failure =
            Failure { line: Some(3), step: "compare oracle target 0".to_owned(), details };
        result(Outcome::Finished(Verdict::Fail(vec![failure])))
    }

    #[test]
    fn wrong_values_are_told_apart_by_the_blame_and_the_change() {
        let kind = |details: &[&str]| Signature::of("vulkan", &failed(details)).expect("it fails");
        let oracle = "oracle    red of pixel (0, 0): the adapter gives 0, the executor 1";
        let one = kind(&[oracle, "blame     naga or the driver"]);
        assert_eq!(one.kind, "wrong value, naga or the driver");
        assert!(one.is_value);
        let other = "oracle    green of pixel (4, 1): the adapter gives 7, the executor 2";
        assert_eq!(one, kind(&[other, "blame     naga or the driver"]));
        assert_ne!(one, kind(&[other, "blame     tint: without it, all is well"]));
        let variant = "variant   the failure begins with peel";
        assert_eq!(
            kind(&["actual    1", variant]).kind,
            "wrong value, the failure begins with peel"
        );
    }

    #[test]
    fn what_the_original_does_is_no_fault_of_a_variant() {
        let both = failed(&["actual    1", "variant   not at fault: the original fails as well"]);
        assert_eq!(Signature::of("gl", &both), None);
    }

    #[test]
    fn values_that_nobody_decides_are_no_failure() {
        let undecided = failed(&["values    0 of 4 differ, 3 are not decided"]);
        assert_eq!(Signature::of("gl", &undecided), None);
    }

    #[test]
    fn other_failures_are_told_apart_by_their_message() {
        let refused = |name: &str| {
            let message = format!("error: `{name}` is not declared");
            Signature::of("gl", &failed(&[&message])).expect("it fails")
        };
        assert_eq!(refused("a"), refused("b"));
        assert!(!refused("a").is_value);
        let crashed = Outcome::Crashed { status: "signal 11".to_owned() };
        let crashed = Signature::of("gl", &result(crashed)).expect("it fails");
        assert_eq!(crashed.to_string(), "crash: the worker process ended: signal … on gl");
        let undecided = Outcome::Finished(Verdict::Undecided("too many".to_owned()));
        assert_eq!(Signature::of("gl", &result(undecided)), None);
    }
}
