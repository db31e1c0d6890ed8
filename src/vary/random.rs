//! Random decisions that depend on a seed alone.

use std::fmt::{self, Write as _};

use naga::Module;

/// Maximum number of places that one change alters in a module, so that variants stay small.
const MAX_PLACES: u32 = 24;

/// One in so many possible places is altered.
const RARITY: u32 = 3;

/// Decides which places of a module a change alters.
#[derive(Debug)]
pub(crate) struct Random {
    numbers: fastrand::Rng,
    rarity: u32,
    /// Number of altered places.
    pub(crate) places: u32,
}

impl Random {
    /// Decisions of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { numbers: fastrand::Rng::with_seed(seed), rarity: RARITY, places: 0 }
    }

    /// Decisions of this seed that alter every second place.
    pub(crate) fn often(seed: u64) -> Self {
        Self { rarity: 2, ..Self::new(seed) }
    }

    /// Decisions of this seed that alter every place.
    #[cfg(test)]
    pub(crate) fn everywhere(seed: u64) -> Self {
        Self { rarity: 1, ..Self::new(seed) }
    }

    /// True if a place that can be altered is; it then counts as altered.
    pub(crate) fn alters(&mut self) -> bool {
        let is_altered = self.places < MAX_PLACES && self.below(self.rarity) == 0;
        self.places += u32::from(is_altered);
        is_altered
    }

    /// Counts places that were altered without asking [`Self::alters`].
    pub(crate) fn add_places(&mut self, count: usize) {
        self.places += u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// A number from 0 to below `end`, which is positive.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.numbers.u32(0..end.max(1))
    }

    /// An index into a list of this length, which is positive.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.numbers.usize(0..length.max(1))
    }

    /// True in half of all cases.
    pub(crate) fn coin(&mut self) -> bool {
        self.numbers.bool()
    }

    /// A seed for other decisions.
    pub(crate) fn seed(&mut self) -> u64 {
        self.numbers.u64(..)
    }

    /// Puts a list into another order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        self.numbers.shuffle(list);
    }
}

/// A number that depends on the contents of a module.
pub(crate) fn hash(module: &Module) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let parts: [&dyn fmt::Debug; 4] =
        [&module.types, &module.global_variables, &module.functions, &module.entry_points];
    for part in parts {
        // Writing into a number cannot fail.
        let _ = write!(hash, "{part:?}");
    }
    hash.0
}

/// The hash function FNV-1a.
struct Fnv(u64);

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
