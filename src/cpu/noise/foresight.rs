//! Passes what the first run of a pair with noise finds about data races to the second run.

use std::collections::BTreeMap;

use crate::noise::Noise;

/// A place in a watched memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Number of the memory.
    pub(crate) memory: usize,
    /// Index of a half word, or of a channel of a texel.
    pub(crate) at: usize,
}

/// A store that raced with loads before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    pub(crate) lane: u32,
    pub(crate) value: u32,
}

/// The races of a stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Stores that raced with earlier loads.
    pub(crate) later: BTreeMap<Place, Store>,
    /// The final values of words that received unordered stores.
    pub(crate) last: BTreeMap<Place, u32>,
}

/// The findings of the first run of a pair, for the second one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foresight {
    /// Number of stages that started in the current run.
    stages: usize,
    /// Findings by stage, in the order in which the stages started.
    seen: BTreeMap<usize, Seen>,
}

impl Foresight {
    /// Begins a run.
    pub(crate) fn begin(&mut self, noise: Option<Noise>) {
        self.stages = 0;
        if !noise.is_some_and(Noise::is_opposite) {
            self.seen.clear();
        }
    }

    /// Begins a stage; returns its number and, in the second run of a pair, the findings of the first run.
    pub(crate) fn next_stage(&mut self, noise: Noise) -> (usize, Seen) {
        let stage = self.stages;
        self.stages += 1;
        let seen = self.seen.get(&stage).filter(|_| noise.is_opposite());
        (stage, seen.cloned().unwrap_or_default())
    }

    /// Adds the findings of a stage.
    pub(crate) fn add(&mut self, stage: usize, found: &mut Seen) {
        if found.later.is_empty() && found.last.is_empty() {
            return;
        }
        let seen = self.seen.entry(stage).or_default();
        seen.later.append(&mut found.later);
        seen.last.append(&mut found.last);
    }
}
