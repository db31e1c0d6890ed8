//! Weighs the outcome of a case against known failures and flakes.
//!
//! These are listed in files of the command line ([`crate::plan::lists`]) or in the case itself (`[expect]`). The rules are
//! those of deqp-runner, so that its lists have the same meaning here:
//!
//! | observed | known as | counts as |
//! |---|---|---|
//! | Fail, Crash, Timeout | the same | expected |
//! | Fail, Crash | `ExpectedFail` | expected |
//! | Fail | Crash, Timeout | improvement |
//! | Pass, Skip (also unsupported, not decided, not tested) | Fail, Crash, Timeout, Missing | improvement |
//! | Skip | anything, by the case itself | as observed |
//! | anything that went wrong | a flake | known flake |
//! | Pass or Skip after a large part of the time limit, after attempts that all timed out | not at all | slow |
//! | Pass or Skip, after another attempt that went wrong | not at all | flake |
//! | else | | as observed |
//!
//! A case is repeated if it fails in a way that is not listed. The last attempt counts, because no other case ran
//! beside it that could be at fault.

use crate::outcome::CaseResult;
use crate::outcome::status::Status;

/// Origin of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A list for one adapter, which is out of date if the case is skipped there.
    List,
    /// The case itself, for all adapters that match a pattern; some of these may have fewer features and skip it.
    Case,
}

/// A known failure or flake on an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Origin of the entry.
    pub source: Source,
    /// The listed status.
    pub listed: Listed,
    /// Text that the reason must contain.
    pub symptom: Option<String>,
    /// Description for people: place and reason of the entry.
    pub words: String,
}

/// A status that lists and cases can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// The case fails.
    Fail,
    /// The case crashes.
    Crash,
    /// The case takes too long.
    Timeout,
    /// The case was missing in another run.
    Missing,
    /// The case failed or crashed as expected in another run.
    ExpectedFail,
    /// The case fails sometimes.
    Flake,
    /// A word that is compatible with passing: `Pass`, `Skip`, `UnexpectedImprovement(Pass)` and so on.
    Harmless,
}

/// Reliability of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// The result is reliable.
    None,
    /// The result may be due to chance, or to another case that ran at the same time.
    Suspect,
}

/// Sets the status of `result`, and returns whether it needs another attempt.
pub fn weigh(result: &mut CaseResult, known: &[Known]) -> Suspicion {
    let observed = result.outcome.status();
    let reason = result.outcome.reason().unwrap_or_default();
    let has_symptom =
        |known: &Known| known.symptom.as_ref().is_none_or(|text| reason.contains(text));
    let mut status = observed;
    let is_skipped = is_without_result(observed);
    for known in known.iter().filter(|known| !(is_skipped && known.source == Source::Case)) {
        let weighed = weigh_one(observed, known.listed);
        let is_better = matches!(
            weighed,
            Status::ImprovedToPass | Status::ImprovedToSkip | Status::ImprovedToFail
        );
        if weighed != observed && (is_better || has_symptom(known)) {
            status = weighed;
            result.known = Some(known.words.clone());
            break;
        }
    }
    let is_well = status == Status::Pass || is_without_result(status);
    if is_well && !result.attempts.is_empty() {
        status = if result.is_late() { Status::Slow } else { Status::Flake };
    }
    result.status = status;
    if status.is_suspect() { Suspicion::Suspect } else { Suspicion::None }
}

/// True for a case that neither passed nor failed, because it did not run or its run tells nothing.
const fn is_without_result(status: Status) -> bool {
    matches!(status, Status::Skip | Status::Unsupported | Status::Undecided | Status::Untested)
}

fn weigh_one(observed: Status, listed: Listed) -> Status {
    match (observed, listed) {
        (Status::Fail, Listed::Fail | Listed::ExpectedFail)
        | (Status::Crash, Listed::Crash | Listed::ExpectedFail)
        | (Status::Timeout, Listed::Timeout) => Status::ExpectedFail,
        (Status::Fail, Listed::Crash | Listed::Timeout) => Status::ImprovedToFail,
        (Status::Pass, Listed::Fail | Listed::Crash | Listed::Timeout | Listed::Missing) => {
            Status::ImprovedToPass
        }
        (
            Status::Skip | Status::Unsupported | Status::Undecided | Status::Untested,
            Listed::Fail | Listed::Crash | Listed::Timeout | Listed::Missing,
        ) => Status::ImprovedToSkip,
        (Status::Fail | Status::Crash | Status::Timeout, Listed::Flake) => Status::KnownFlake,
        (observed, _) => observed,
    }
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::{Failure, Verdict};

    use super::*;
    use crate::outcome::Outcome;

    fn outcome(word: &str) -> Outcome {
        let failure =
            Failure { line: Some(1), step: "probe".to_owned(), details: vec!["red".to_owned()] };
        match word {
            "Pass" => Outcome::Finished(Verdict::Pass),
            "Skip" => Outcome::Finished(Verdict::Skip("none".to_owned())),
            "Fail" => Outcome::Finished(Verdict::Fail(vec![failure])),
            "Broken" => Outcome::Finished(Verdict::Broken(Vec::new())),
            "Crash" => Outcome::Crashed { status: "signal 11".to_owned() },
            "Timeout" => Outcome::TimedOut { seconds: 1.0 },
            other => panic!("no outcome {other}"),
        }
    }

    #[track_caller]
    fn check(earlier: &[&str], observed: &str, known: &[(Listed, Option<&str>)], expected: &str) {
        let bare = |word| CaseResult::bare("a", outcome(word), 0.0, String::new());
        let mut result = bare(observed);
        result.attempts = earlier.iter().map(|word| bare(word).into_attempt()).collect();
        let known: Vec<_> = known
            .iter()
            .map(|(listed, symptom)| Known {
                source: Source::List,
                listed: *listed,
                symptom: symptom.map(str::to_owned),
                words: "list:1".to_owned(),
            })
            .collect();
        let suspicion = weigh(&mut result, &known);
        assert_eq!(result.status.csv_word(), expected, "{earlier:?} {observed} {known:?}");
        let is_suspect = ["Fail", "Crash", "Timeout"].contains(&expected) && observed != "Broken";
        assert_eq!(suspicion == Suspicion::Suspect, is_suspect);
    }

    #[test]
    fn statuses_are_weighed_as_deqp_runner_does() {
        use Listed::{Crash, ExpectedFail, Fail, Missing, Timeout};
        let columns = [Fail, Crash, Timeout, Missing, ExpectedFail];
        let rows = [
            ("Pass", ["+(Pass)", "+(Pass)", "+(Pass)", "+(Pass)", "Pass"]),
            ("Skip", ["+(Skip)", "+(Skip)", "+(Skip)", "+(Skip)", "Skip"]),
            ("Fail", ["ExpectedFail", "+(Fail)", "+(Fail)", "Fail", "ExpectedFail"]),
            ("Crash", ["Crash", "ExpectedFail", "Crash", "Crash", "ExpectedFail"]),
            ("Timeout", ["Timeout", "Timeout", "ExpectedFail", "Timeout", "Timeout"]),
            ("Broken", ["Fail"; 5]),
        ];
        for (observed, expected) in rows {
            for (listed, expected) in columns.into_iter().zip(expected) {
                let expected = expected.replace('+', "UnexpectedImprovement");
                check(&[], observed, &[(listed, None)], &expected);
            }
            let plain = if observed == "Broken" { "Fail" } else { observed };
            check(&[], observed, &[(Listed::Harmless, None)], plain);
            check(&[], observed, &[], plain);
        }
    }

    #[test]
    fn a_symptom_that_is_not_there_is_another_bug() {
        check(&[], "Fail", &[(Listed::Fail, Some("red"))], "ExpectedFail");
        check(&[], "Fail", &[(Listed::Fail, Some("blue"))], "Fail");
        // The entry is out of date, whatever its symptom.
        check(&[], "Pass", &[(Listed::Fail, Some("blue"))], "UnexpectedImprovement(Pass)");
    }

    #[test]
    fn a_case_that_says_how_it_fails_may_be_skipped() {
        let check = |observed: &str, source, expected: &str| {
            let mut result = CaseResult::bare("a", outcome(observed), 0.0, String::new());
            let words = "known".to_owned();
            weigh(&mut result, &[Known { source, listed: Listed::Fail, symptom: None, words }]);
            assert_eq!(result.status.csv_word(), expected, "{observed} {source:?}");
        };
        check("Skip", Source::Case, "Skip");
        check("Skip", Source::List, "UnexpectedImprovement(Skip)");
        check("Pass", Source::Case, "UnexpectedImprovement(Pass)");
        check("Fail", Source::Case, "ExpectedFail");
    }

    #[test]
    fn a_listed_flake_may_go_wrong_in_any_way_and_pass() {
        for observed in ["Fail", "Crash", "Timeout"] {
            check(&[], observed, &[(Listed::Flake, None)], "KnownFlake");
            check(&[], observed, &[(Listed::Missing, None), (Listed::Flake, None)], "KnownFlake");
        }
        check(&[], "Pass", &[(Listed::Flake, None)], "Pass");
    }

    #[test]
    fn only_what_is_well_in_the_end_is_a_flake() {
        check(&["Crash"], "Pass", &[], "Flake");
        check(&["Timeout", "Fail"], "Skip", &[], "Flake");
        check(&["Crash"], "Fail", &[], "Fail");
        check(&["Fail"], "Crash", &[], "Crash");
    }

    /// The limit is one second. A case that ends at once when it runs alone hung before.
    #[test]
    fn only_time_outs_of_what_takes_long_alone_are_slow() {
        let check = |earlier: &[&str], seconds: f32, expected: (Status, Option<&str>)| {
            let mut result = CaseResult::bare("a", outcome("Pass"), seconds, String::new());
            let bare = |word: &&str| CaseResult::bare("a", outcome(word), 1.0, String::new());
            result.attempts = earlier.iter().map(|word| bare(word).into_attempt()).collect();
            weigh(&mut result, &[]);
            assert_eq!((result.status, result.reason().as_deref()), expected, "{earlier:?}");
        };
        let slow = "timed out at 1 s; 0.8 s when run again alone";
        check(&["Timeout"], 0.8, (Status::Slow, Some(slow)));
        let hung = "hung: no result within 1 s; 0.1 s when run again alone";
        check(&["Timeout"], 0.1, (Status::Flake, Some(hung)));
        check(
            &["Crash", "Timeout"],
            0.8,
            (Status::Flake, Some("hung: no result within 1 s; 0.8 s when run again alone")),
        );
        check(&["Timeout", "Crash"], 0.8, (Status::Flake, None));
    }
}
