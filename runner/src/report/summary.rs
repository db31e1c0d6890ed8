//! Totals of a run on one adapter.

pub mod slow;
mod variants;

use interstage::ir::diagnostic::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use interstage::check::verdict::Verdict;

use crate::outcome::status::Status;
use crate::outcome::{CaseResult, Outcome};
use crate::report::oracle::OracleTotals;
use crate::report::tally::Tally;
use slow::SlowCases;
use variants::VariantTotals;

/// Maximum number of reasons of each kind.
const REASONS: usize = 10;

/// Maximum number of failed cases that are named.
const NAMES: usize = 20;

/// Counts of the outcomes on one adapter.
#[derive(Debug, Default)]
pub struct Summary {
    counts: BTreeMap<Status, usize>,
    /// Cases that were not run, by status and reason: their number, and the name of the first.
    reasons: BTreeMap<(Status, String), (usize, String)>,
    /// Names of the failed cases.
    failed: Vec<(String, Status)>,
    with_warnings: Vec<String>,
    oracle: OracleTotals,
    slow: SlowCases,
    variants: VariantTotals,
    /// Number of cases that passed with pairs of words in place of 64-bit values.
    in_words: usize,
}

impl Summary {
    /// Counts one case.
    pub fn add(&mut self, result: &CaseResult) {
        let status = result.status;
        *self.counts.entry(status).or_default() += 1;
        if let Outcome::Finished(
            Verdict::Skip(reason)
            | Verdict::Unsupported(reason)
            | Verdict::Undecided(reason)
            | Verdict::Untested(reason),
        ) = &result.outcome
        {
            self.add_reason(status, reason, &result.name);
        }
        if result.outcome == Outcome::NoAdapter {
            let reason = "no adapter; `--adapter cpu` runs them on interstage's executor";
            self.add_reason(Status::Skip, reason, &result.name);
        }
        self.slow.add(result);
        if let Some(counts) = &result.oracle {
            self.oracle.add(counts);
        }
        if let Some(places) = &result.varied {
            self.variants.add(places);
        }
        self.in_words += usize::from(status == Status::Pass && result.is_in_words);
        if status.is_failure() {
            self.failed.push((result.name.clone(), status));
        }
        if !result.warnings.is_empty() {
            self.with_warnings.push(result.name.clone());
        }
    }

    fn add_reason(&mut self, status: Status, reason: &str, name: &str) {
        let entry = self.reasons.entry((status, reason.to_owned()));
        entry.or_insert_with(|| (0, name.to_owned())).0 += 1;
    }

    /// Number of all cases.
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// Lists the failed cases; empty if there is only one, which was just reported.
    pub fn draw_failed(&self) -> String {
        if self.failed.len() < 2 {
            return String::new();
        }
        let mut text = "failed:\n".to_owned();
        for (name, status) in self.failed.iter().take(NAMES) {
            let is_plain = *status == Status::Fail;
            let heading = status.heading().to_lowercase();
            let kind = if is_plain { String::new() } else { format!("  ({heading})") };
            let _ = writeln!(text, "  {name}{kind}");
        }
        if let Some(more) = self.failed.len().checked_sub(NAMES).filter(|more| *more > 0) {
            let _ = writeln!(text, "  … and {more} more");
        }
        text
    }

    /// Lists the reasons for skipped and unsupported cases, most frequent first.
    pub fn draw_reasons(&self) -> String {
        let mut text = String::new();
        for (status, heading) in [
            (Status::Skip, "skipped"),
            (Status::Unsupported, "unsupported"),
            (Status::Undecided, "not decided"),
            (Status::Untested, "not tested"),
        ] {
            let of_status = self.reasons.iter().filter(|((of, _), _)| *of == status);
            let mut reasons: Vec<_> =
                of_status.map(|((_, reason), (count, name))| (*count, reason, name)).collect();
            reasons.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
            for (count, reason, name) in reasons.iter().take(REASONS) {
                let example = if *count == 1 { "" } else { "such as " };
                let _ = writeln!(text, "{heading}: {count} × {reason}\n  {example}{name}");
            }
            if let Some(more) = reasons.len().checked_sub(REASONS).filter(|more| *more > 0) {
                let _ = writeln!(
                    text,
                    "{heading}: … and {}, which results.csv of `--results` has",
                    counted(more, "more reason")
                );
            }
        }
        if let Some(first) = self.with_warnings.first() {
            let others = match self.with_warnings.len() {
                1 => " has".to_owned(),
                count => format!(" and {} have", counted(count - 1, "more case")),
            };
            let _ = writeln!(text, "{first}{others} warnings; `interstage inspect` shows them");
        }
        text
    }

    /// Formats the totals. The last line is exactly `N passed, N failed, N skipped`, followed by the other classes of a
    /// [`Tally`] that occur.
    pub fn draw_totals(&self) -> String {
        let mut text = self.slow.draw() + &self.variants.draw() + &self.oracle.draw();
        let count = |status| self.counts.get(&status).copied().unwrap_or(0);
        let kinds = [
            (Status::Broken, "broken"),
            (Status::NoDevice, "without a device"),
            (Status::Crash, "crashed"),
            (Status::Timeout, "timed out"),
            (Status::ImprovedToPass, "passed unexpectedly"),
            (Status::ImprovedToSkip, "skipped unexpectedly"),
            (Status::ImprovedToFail, "failed without the listed crash or timeout"),
        ];
        let parts: Vec<_> = kinds
            .into_iter()
            .filter(|(status, _)| count(*status) > 0)
            .map(|(status, word)| format!("{} {word}", count(status)))
            .collect();
        if !parts.is_empty() {
            let _ = writeln!(text, "among the failed: {}", parts.join(", "));
        }
        if count(Status::Unsupported) > 0 {
            let _ = writeln!(
                text,
                "among the skipped: {} unsupported by interstage",
                count(Status::Unsupported)
            );
        }
        if count(Status::NoAdapter) > 0 {
            let _ = writeln!(
                text,
                "among the skipped: {} without an adapter",
                count(Status::NoAdapter)
            );
        }
        let known = count(Status::KnownFlake);
        if known > 0 {
            let _ = writeln!(text, "among the known failures: {known} listed as flakes");
        }
        if self.in_words > 0 {
            let words =
                "had 64-bit values as pairs of words, because the adapter has no 64-bit types";
            let _ = writeln!(text, "among the passed: {} {words}", self.in_words);
        }
        text + &self.tally().text() + "\n"
    }

    fn tally(&self) -> Tally {
        let statuses = self.counts.iter();
        Tally::of(statuses.flat_map(|(status, count)| std::iter::repeat_n(*status, *count)))
    }
}

/// Formats a duration in readable units: `0.4 s`, `12 s`, `3 min 20 s`.
pub fn duration(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f32()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(outcomes: &[(usize, Outcome)], expected: Expect) {
        let mut summary = Summary::default();
        for (count, outcome) in outcomes {
            let result = CaseResult::bare("a", outcome.clone(), 0.0, String::new());
            (0..*count).for_each(|_| summary.add(&result));
        }
        let text = summary.draw_reasons() + &summary.draw_failed() + &summary.draw_totals();
        expected.assert_eq(&text);
    }

    #[test]
    fn every_case_is_counted_once_as_passed_failed_or_skipped() {
        let skip = |reason: &str| Outcome::Finished(Verdict::Skip(reason.to_owned()));
        check(
            &[
                (12, Outcome::Finished(Verdict::Pass)),
                (1, Outcome::Finished(Verdict::Fail(Vec::new()))),
                (2, Outcome::Finished(Verdict::Broken(Vec::new()))),
                (1, Outcome::Crashed { status: String::new() }),
                (1, skip("needs GL 4.6")),
                (2, skip("needs CLIP_DISTANCES")),
                (4, Outcome::Finished(Verdict::Unsupported("texture".to_owned()))),
            ],
            expect![[r#"
                skipped: 2 × needs CLIP_DISTANCES
                  such as a
                skipped: 1 × needs GL 4.6
                  a
                unsupported: 4 × texture
                  such as a
                failed:
                  a
                  a  (broken)
                  a  (broken)
                  a  (crash)
                among the failed: 2 broken, 1 crashed
                among the skipped: 4 unsupported by interstage
                12 passed, 4 failed, 7 skipped
            "#]],
        );
    }

    #[test]
    fn a_good_run_is_one_line() {
        check(
            &[(3, Outcome::Finished(Verdict::Pass))],
            expect![[r"
            3 passed, 0 failed, 0 skipped
        "]],
        );
    }
}
