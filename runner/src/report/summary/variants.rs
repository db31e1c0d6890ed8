//! Totals of what variants changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use interstage::ir::diagnostic::counted;
use interstage::vary::Places;

/// The changes in all cases.
#[derive(Debug, Default)]
pub(super) struct VariantTotals {
    cases: usize,
    varied: usize,
    /// For each change, the number of cases that it altered, and of places.
    changes: BTreeMap<String, (usize, usize)>,
}

impl VariantTotals {
    /// Adds the places of a case.
    pub(super) fn add(&mut self, places: &Places) {
        self.cases += 1;
        self.varied += usize::from(!places.is_empty());
        for (name, count) in places {
            let (cases, all) = self.changes.entry(name.clone()).or_default();
            *cases += 1;
            *all += usize::try_from(*count).unwrap_or(usize::MAX);
        }
    }

    /// Formats the totals; empty if no variant ran.
    pub(super) fn draw(&self) -> String {
        let mut text = String::new();
        if self.cases > 0 {
            let Self { cases, varied, .. } = self;
            let _ = writeln!(text, "varied: {varied} of {}", counted(*cases, "case"));
        }
        for (name, (cases, places)) in &self.changes {
            let (places, cases) = (counted(*places, "place"), counted(*cases, "case"));
            let _ = writeln!(text, "varied: {name} in {places} of {cases}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn changes_are_counted_by_cases_and_places() {
        let mut totals = VariantTotals::default();
        assert_eq!(totals.draw(), "");
        let places = |list: &[(&str, u32)]| {
            list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Places>()
        };
        totals.add(&places(&[("flip", 3), ("once", 1)]));
        totals.add(&places(&[("flip", 1)]));
        totals.add(&places(&[]));
        expect![[r"
            varied: 2 of 3 cases
            varied: flip in 4 places of 2 cases
            varied: once in 1 place of 1 case
        "]]
        .assert_eq(&totals.draw());
    }
}
