//! Sums over all batches of the folder of a hunt.

use std::collections::BTreeMap;

use super::log::{Batch, Conditions, Fault, Line, Tally};

/// Sums over all batches of a folder.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) faults: Vec<Fault>,
    pub(super) conditions: Vec<Conditions>,
    pub(super) tallies: BTreeMap<(String, String), Tally>,
    pub(super) again: BTreeMap<String, u64>,
    /// For each source, the number behind its last program.
    pub(super) ends: BTreeMap<String, u64>,
}

impl Totals {
    /// The sums of a log.
    pub(super) fn of(lines: Vec<Line>) -> Self {
        let mut totals = Self::default();
        for line in lines {
            match line {
                Line::Began(conditions) => totals.conditions.push(conditions),
                Line::Ran(batch) => totals.add(&batch),
                Line::Found(fault) => totals.faults.push(fault),
            }
        }
        totals
    }

    pub(super) fn add(&mut self, batch: &Batch) {
        let Batch { source, first, count, tallies, again } = batch;
        let end = self.ends.entry(source.clone()).or_default();
        *end = (*end).max(first + count);
        for (target, tally) in tallies {
            self.tallies.entry((source.clone(), target.clone())).or_default().add(tally);
        }
        for (name, count) in again {
            *self.again.entry(name.clone()).or_default() += count;
        }
    }
}
