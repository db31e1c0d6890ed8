//! Counts the programs of a hunt that did not run, by reason.

use std::collections::BTreeMap;

use interstage::check::verdict::Verdict;

use crate::outcome::{CaseResult, Outcome};

/// Maximum number of reasons that are printed.
const REASONS: usize = 5;

/// Results of one hunt, and the reasons of those that are skips.
#[derive(Debug, Default)]
pub(super) struct Lacking {
    all: u64,
    reasons: BTreeMap<String, u64>,
}

impl Lacking {
    /// Counts a result.
    pub(super) fn add(&mut self, result: &CaseResult) {
        self.all += 1;
        if let Outcome::Finished(Verdict::Skip(reason) | Verdict::Unsupported(reason)) =
            &result.outcome
        {
            *self.reasons.entry(reason.clone()).or_default() += 1;
        }
    }

    /// Number of results that are skips.
    pub(super) fn skipped(&self) -> u64 {
        self.reasons.values().sum()
    }

    /// True if there are results, and all are skips.
    pub(super) fn is_everything(&self) -> bool {
        self.all > 0 && self.skipped() == self.all
    }

    /// The most frequent reasons, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let line = |(reason, count): (&String, &u64)| format!("skipped: {count} × {reason}");
        reasons.into_iter().take(REASONS).map(line).collect()
    }
}
