//! Totals of the oracle's comparisons.

use interstage::ir::diagnostic::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::outcome::OracleCounts;

/// Maximum number of reasons that are listed.
const REASONS: usize = 10;

/// The oracle's comparisons in all cases.
#[derive(Debug, Default)]
pub struct OracleTotals {
    cases: usize,
    unlinked: usize,
    decided: usize,
    undecided: usize,
    invocations: usize,
    /// Changed and all words of buffers.
    words: [usize; 2],
    /// Changed and all pixels.
    pixels: [usize; 2],
    lacking: BTreeMap<String, usize>,
    linked_only: BTreeMap<String, usize>,
}

impl OracleTotals {
    /// Adds the counts of a case.
    pub fn add(&mut self, counts: &OracleCounts) {
        if let Some(reason) = &counts.lacking {
            *self.lacking.entry(reason.clone()).or_default() += 1;
            return;
        }
        self.cases += 1;
        self.decided += counts.decided;
        self.undecided += counts.undecided;
        self.invocations += counts.invocations;
        let all = [counts.changed_words, counts.words, counts.changed_pixels, counts.pixels];
        let [words, pixels] = [&mut self.words, &mut self.pixels];
        let totals = words.iter_mut().chain(pixels);
        totals.zip(all).for_each(|(total, own)| *total += own);
        match &counts.linked_only {
            Some(reason) => *self.linked_only.entry(reason.clone()).or_default() += 1,
            None => self.unlinked += 1,
        }
    }

    /// Formats the totals; `None` if the oracle was never asked.
    pub fn draw(&self) -> String {
        let mut text = String::new();
        let all = self.decided + self.undecided;
        if self.cases > 0 {
            let Self { cases, unlinked, .. } = self;
            let _ = writeln!(
                text,
                "oracle: {} compared, {unlinked} of them unlinked as well",
                counted(*cases, "case")
            );
            let share = percent(self.undecided, all);
            let _ =
                writeln!(text, "oracle: {}, {share} % of them undecided", counted(all, "value"));
            let Self {
                invocations, words: [words, all_words], pixels: [pixels, all_pixels], ..
            } = self;
            let _ = writeln!(
                text,
                "oracle: {} changed {words} of {} and {pixels} of {}",
                counted(*invocations, "invocation"),
                counted(*all_words, "word"),
                counted(*all_pixels, "pixel")
            );
        }
        for (what, reasons) in [("no oracle", &self.lacking), ("only linked", &self.linked_only)] {
            let mut reasons: Vec<_> = reasons.iter().collect();
            reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (reason, count) in reasons.into_iter().take(REASONS) {
                let _ = writeln!(text, "{what}: {count} × {reason}");
            }
        }
        text
    }
}

/// Formats a share in per cent, with two decimal places.
fn percent(part: usize, all: usize) -> String {
    let hundredths = (part * 10_000).div_ceil(all.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn cases_are_counted_by_what_they_were_compared_with() {
        let mut totals = OracleTotals::default();
        assert_eq!(totals.draw(), "");
        let covered = OracleCounts {
            invocations: 6,
            words: 8,
            changed_words: 3,
            pixels: 256,
            changed_pixels: 9,
            ..OracleCounts::default()
        };
        totals.add(&OracleCounts { decided: 999, undecided: 1, ..covered.clone() });
        let linked_only = Some("several programs".to_owned());
        totals.add(&OracleCounts { decided: 1000, linked_only, ..covered });
        let lacking = Some("no subgroups".to_owned());
        totals.add(&OracleCounts { lacking, ..OracleCounts::default() });
        expect![[r"
            oracle: 2 cases compared, 1 of them unlinked as well
            oracle: 2000 values, 0.05 % of them undecided
            oracle: 12 invocations changed 6 of 16 words and 18 of 512 pixels
            no oracle: 1 × no subgroups
            only linked: 1 × several programs
        "]]
        .assert_eq(&totals.draw());
    }
}
