//! The output of the wired stages before the rasteriser for a draw.

use link::table::binding::NO_VERTEX;
use plan::{Plan, PlannedDraw};

use crate::numbers::index;

/// The vertices that the stages emitted for the last draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitted {
    /// Words of consecutive vertices.
    pub(super) words: Vec<u32>,
    /// Number of words of a vertex.
    pub(super) stride: usize,
    /// Number of words of a vertex that are drawn.
    pub(super) drawn: usize,
    /// For each entry, stream by stream, the number of its vertex, or [`NO_VERTEX`].
    pub(super) entries: Vec<u32>,
}

impl Emitted {
    /// True if no entry of a draw has a vertex.
    pub(crate) fn is_empty(&self, plan: &Plan, draw: &PlannedDraw) -> bool {
        let list = plan.indices.get(index(draw.indices.start)..index(draw.indices.end));
        let is_none =
            |entry: &u32| self.entries.get(index(*entry)).is_none_or(|number| *number == NO_VERTEX);
        list.unwrap_or(&[]).iter().all(is_none)
    }

    /// The drawn words of all vertices, padded to `stride` words each, and the vertex numbers of those entries that
    /// have a vertex.
    pub(crate) fn drawn(&self, entries: &[u32], stride: usize) -> (Vec<u32>, Vec<u32>) {
        let mut records = Vec::new();
        for words in self.words.chunks_exact(self.stride.max(1)) {
            let given = words.iter().take(self.drawn).copied();
            records.extend(given.chain(std::iter::repeat(0)).take(stride));
        }
        let number = |entry: &u32| self.entries.get(index(*entry)).copied();
        let numbers = entries.iter().filter_map(number).filter(|number| *number != NO_VERTEX);
        (records, numbers.collect())
    }

    /// The captured words of entries; zeros for entries without a vertex.
    pub(crate) fn captured(&self, entries: &[u32]) -> Vec<u32> {
        let zeros = vec![0; self.stride.saturating_sub(self.drawn)];
        let own = |entry: &u32| self.of_entry(*entry).map_or(&zeros[..], |(_, captured)| captured);
        entries.iter().flat_map(own).copied().collect()
    }

    /// The drawn and the captured words of an entry's vertex.
    fn of_entry(&self, entry: u32) -> Option<(&[u32], &[u32])> {
        let number = self.entries.get(index(entry)).filter(|number| **number != NO_VERTEX)?;
        let start = index(*number).checked_mul(self.stride)?;
        let words = self.words.get(start..)?.get(..self.stride)?;
        words.split_at_checked(self.drawn)
    }
}
