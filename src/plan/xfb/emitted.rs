//! The primitives that a geometry stage emitted, which only a run tells.

use ir::readback::Snapshot;
use link::binding::NO_VERTEX;

use super::replay::words;
use super::{EmittedEntries, XfbEvent};

impl XfbEvent {
    /// What tells which primitives there are; `None` if planning knows.
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

    /// The event with this number of primitives, all of which there are.
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

/// For each primitive that there may be, whether there is: whether its first entry has a vertex. `None` if the entries
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

/// The records of primitives that there are, each of which has so many words.
pub(super) fn present(records: &[u32], size: usize, presence: &[bool]) -> Vec<u32> {
    let own = records.chunks(size.max(1)).zip(presence).filter(|(_, is_there)| **is_there);
    own.flat_map(|(record, _)| record).copied().collect()
}
