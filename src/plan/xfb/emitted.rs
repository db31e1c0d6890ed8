//! The primitives that a geometry stage emitted, which are known only after a run.

use ir::readback::Snapshot;
use link::table::binding::NO_VERTEX;

use super::{EmittedEntries, XfbEvent};

impl XfbEvent {
    /// The entries that show which primitives were emitted; `None` if they are known from planning.
    pub(crate) const fn entries(&self) -> Option<EmittedEntries> {
        match self {
            Self::Draw { entries, .. } | Self::Paused { entries, .. } => *entries,
            Self::Buffer { .. }
            | Self::Range { .. }
            | Self::Begin
            | Self::Probe { .. }
            | Self::Count { .. } => None,
        }
    }

    /// Sets the number of primitives of the event, all of which were emitted.
    pub(super) fn with_primitives(self, primitives: u32) -> Self {
        match self {
            Self::Draw { step, program, vertices, stream, records, .. } => {
                let entries = None;
                Self::Draw { step, program, vertices, primitives, stream, records, entries }
            }
            Self::Paused { .. } => Self::Paused { primitives, entries: None },
            Self::Buffer { .. }
            | Self::Range { .. }
            | Self::Begin
            | Self::Probe { .. }
            | Self::Count { .. } => self,
        }
    }
}

/// For each possible primitive, whether it was emitted: whether its first entry has a vertex. `None` if the entries
/// were not read back.
pub(super) fn presence(
    entries: EmittedEntries,
    snapshots: &[Option<Snapshot>],
) -> Option<Vec<bool>> {
    let [first, count, vertices] =
        [entries.first, entries.count, entries.vertices].map(|number| number as usize);
    let words = words(snapshots, entries.snapshot)?;
    let own = words.get(first..)?.get(..count)?;
    Some(own.chunks(vertices.max(1)).map(|primitive| primitive[0] != NO_VERTEX).collect())
}

/// The records of the emitted primitives, with `size` words each.
pub(super) fn present(records: &[u32], size: usize, presence: &[bool]) -> Vec<u32> {
    let own = records.chunks(size.max(1)).zip(presence).filter(|(_, is_there)| **is_there);
    own.flat_map(|(record, _)| record).copied().collect()
}

/// The words of a snapshot of a buffer.
pub(super) fn words(snapshots: &[Option<Snapshot>], idx: usize) -> Option<Vec<u32>> {
    let Some(Snapshot::Buffer(bytes)) = snapshots.get(idx)? else { return None };
    let word = |chunk: &[u8]| chunk.try_into().map_or(0, u32::from_le_bytes);
    Some(bytes.chunks_exact(4).map(word).collect())
}
