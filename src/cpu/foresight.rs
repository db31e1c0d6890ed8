//! What the first of two runs with noise tells the second one about data races.

use std::collections::BTreeMap;

use crate::noise::Noise;

/// A place in what is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Number of the memory.
    pub(crate) memory: usize,
    /// Which half of a word, or channel of a texel.
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
    /// Stores that raced with loads before them.
    pub(crate) later: BTreeMap<Place, Store>,
    /// What was there in the end of words that were stored to without an order.
    pub(crate) last: BTreeMap<Place, u32>,
}

/// What the first run of a pair tells the second one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foresight {
    /// Stages that started in the current run.
    stages: usize,
    /// By stage in the order of their starts.
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

    /// Begins a stage: its number, and what the first run of the pair saw in it if this is the second.
    pub(crate) fn next_stage(&mut self, noise: Noise) -> (usize, Seen) {
        let stage = self.stages;
        self.stages += 1;
        let seen = self.seen.get(&stage).filter(|_| noise.is_opposite());
        (stage, seen.cloned().unwrap_or_default())
    }

    /// Takes what was found in a stage.
    pub(crate) fn add(&mut self, stage: usize, found: &mut Seen) {
        if found.later.is_empty() && found.last.is_empty() {
            return;
        }
        let seen = self.seen.entry(stage).or_default();
        seen.later.append(&mut found.later);
        seen.last.append(&mut found.last);
    }
}
