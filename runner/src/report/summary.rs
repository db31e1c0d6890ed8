//! Totals of a run on one adapter.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use interstage::check::verdict::Verdict;

use crate::outcome::{CaseResult, Outcome};
use crate::status::Status;

/// Maximum number of reasons of each kind.
const REASONS: usize = 10;

/// Counts of the outcomes on one adapter.
#[derive(Debug, Default)]
pub struct Summary {
    counts: BTreeMap<Status, usize>,
    /// Number of cases that were not run, by status and reason.
    reasons: BTreeMap<(Status, String), usize>,
    with_warnings: usize,
}

impl Summary {
    /// Counts one case.
    pub fn add(&mut self, result: &CaseResult) {
        let status = result.status;
        *self.counts.entry(status).or_default() += 1;
        if let Outcome::Finished(Verdict::Skip(reason) | Verdict::Unsupported(reason)) =
            &result.outcome
        {
            *self.reasons.entry((status, reason.clone())).or_default() += 1;
        }
        if result.outcome == Outcome::NoAdapter {
            let reason = "no adapter found; on Debian, install one with `apt-get install mesa-vulkan-drivers`";
            *self.reasons.entry((Status::Skip, reason.to_owned())).or_default() += 1;
        }
        self.with_warnings += usize::from(!result.warnings.is_empty());
    }

    /// Number of cases that went wrong.
    pub fn failed(&self) -> usize {
        self.total(Status::is_failure)
    }

    /// Reasons for skipped and unsupported cases, most frequent first.
    pub fn draw_reasons(&self) -> String {
        let mut text = String::new();
        for (status, heading) in [(Status::Skip, "skipped"), (Status::Unsupported, "unsupported")] {
            let of_status = self.reasons.iter().filter(|((of, _), _)| *of == status);
            let mut reasons: Vec<_> =
                of_status.map(|((_, reason), count)| (*count, reason)).collect();
            reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            for (count, reason) in reasons.iter().take(REASONS) {
                let _ = writeln!(text, "{heading}: {count} × {reason}");
            }
            if let Some(more) = reasons.len().checked_sub(REASONS).filter(|more| *more > 0) {
                let _ = writeln!(text, "{heading}: … and {more} more reasons");
            }
        }
        if self.with_warnings > 0 {
            let count = self.with_warnings;
            let _ =
                writeln!(text, "{count} cases have warnings; `interstage inspect CASE` shows them");
        }
        text
    }

    /// The totals. The last line is `N passed, N failed, N skipped` and nothing else.
    pub fn draw_totals(&self) -> String {
        let mut text = String::new();
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
        let known = [
            (Status::ExpectedFail, "failed as listed"),
            (Status::KnownFlake, "failed as listed flakes"),
            (Status::Flake, "failed at first and passed when run again"),
        ];
        for (status, words) in known.into_iter().filter(|(status, _)| count(*status) > 0) {
            let _ = writeln!(text, "among the passed: {} {words}", count(status));
        }
        let passed =
            count(Status::Pass) + known.into_iter().map(|(status, _)| count(status)).sum::<usize>();
        let skipped = count(Status::Skip) + count(Status::Unsupported) + count(Status::NoAdapter);
        let _ = writeln!(text, "{passed} passed, {} failed, {skipped} skipped", self.failed());
        text
    }

    fn total(&self, is_counted: impl Fn(Status) -> bool) -> usize {
        self.counts.iter().filter(|(status, _)| is_counted(**status)).map(|(_, count)| count).sum()
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
        expected.assert_eq(&(summary.draw_reasons() + &summary.draw_totals()));
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
            expect![[r"
                skipped: 2 × needs CLIP_DISTANCES
                skipped: 1 × needs GL 4.6
                unsupported: 4 × texture
                among the failed: 2 broken, 1 crashed
                among the skipped: 4 unsupported by interstage
                12 passed, 4 failed, 7 skipped
            "]],
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
