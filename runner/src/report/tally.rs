//! Counts of results by class. All reports that count derive their numbers from a [`Tally`].
//!
//! A result is that of one case on one adapter. Every result counts once.

use serde::{Deserialize, Serialize};

use crate::outcome::status::{Class, Status};

/// Number of results of each class on one adapter, or on several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Passed at the first attempt.
    pub passed: usize,
    /// Failed in a way that no list names, or improved over a list.
    pub failed: usize,
    /// Did not run.
    pub skipped: usize,
    /// Failed as listed.
    pub known_failures: usize,
    /// Failed at first and passed when run again.
    pub flakes: usize,
    /// Timed out beside others and passed alone.
    pub slow: usize,
    /// Ran, but too many values depend on rounding or are undefined.
    pub not_decided: usize,
    /// Ran, but changed nothing that is compared.
    pub not_tested: usize,
}

impl Tally {
    /// Counts results with these statuses.
    pub fn of(statuses: impl IntoIterator<Item = Status>) -> Self {
        let mut tally = Self::default();
        statuses.into_iter().for_each(|status| tally.add(status));
        tally
    }

    /// Counts one result.
    pub fn add(&mut self, status: Status) {
        *self.field(status.class()) += 1;
    }

    /// The sum of two counts.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for class in Class::ALL {
            *self.field(class) += other.count(class);
        }
        self
    }

    /// Number of results of a class.
    pub fn count(mut self, class: Class) -> usize {
        *self.field(class)
    }

    /// Number of all results.
    pub fn all(self) -> usize {
        Class::ALL.into_iter().map(|class| self.count(class)).sum()
    }

    /// The counts in words: `12 passed, 1 failed, 2 skipped`, and the other classes if they occur.
    pub fn text(self) -> String {
        let named = self.named().map(|(class, count)| {
            let word = class.word();
            let word = if count == 1 { word.strip_suffix('s').unwrap_or(word) } else { word };
            format!("{count} {word}")
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// The classes that totals name, in their order, with their counts.
    pub fn named(self) -> impl Iterator<Item = (Class, usize)> {
        let all = Class::ALL.into_iter().map(move |class| (class, self.count(class)));
        all.filter(|(class, count)| *count > 0 || class.is_always_named())
    }

    const fn field(&mut self, class: Class) -> &mut usize {
        match class {
            Class::Passed => &mut self.passed,
            Class::Failed => &mut self.failed,
            Class::Skipped => &mut self.skipped,
            Class::Known => &mut self.known_failures,
            Class::Flaky => &mut self.flakes,
            Class::Slow => &mut self.slow,
            Class::Undecided => &mut self.not_decided,
            Class::Untested => &mut self.not_tested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_counts_once_and_known_failures_are_no_passes() {
        let statuses = [
            Status::Pass,
            Status::Fail,
            Status::Broken,
            Status::ImprovedToPass,
            Status::NoAdapter,
            Status::ExpectedFail,
            Status::KnownFlake,
            Status::Flake,
            Status::Slow,
            Status::Undecided,
        ];
        let tally = Tally::of(statuses);
        assert_eq!(tally.all(), statuses.len());
        let text =
            "1 passed, 3 failed, 1 skipped, 2 known failures, 1 flake, 1 slow, 1 not decided";
        assert_eq!(tally.text(), text);
        assert_eq!(Tally::default().text(), "0 passed, 0 failed, 0 skipped");
    }
}
