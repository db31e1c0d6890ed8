//! Sizes of the buffers that the stages before a draw write.

use link::table::front::ELEMENT_WORDS;
use link::table::pass::{GeometryPass, Known};

/// Maximum number of entries of a draw, in all streams together, and of vertices for which the vertex stage runs.
pub(super) const MAX_ENTRIES: u32 = 1 << 24;

/// Maximum bytes of a buffer: bounds allocations until an adapter's limits are known.
const MAX_BYTES: u32 = 1 << 30;

/// Sizes for one draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Number of entries of one stream.
    pub(super) entries: u32,
    /// Bytes of the results of the vertex stage.
    pub(super) results: u32,
    /// Bytes of entries and records.
    pub(super) records: u32,
}

/// Bytes of `words` words for each of `count` vertices, patches or points per instance. `None` if there are too many.
pub(super) fn bytes_of(count: u32, instances: u32, words: u32) -> Option<u32> {
    let all = count.checked_mul(instances).filter(|all| *all <= MAX_ENTRIES)?;
    all.checked_mul(words)?.checked_mul(4).filter(|bytes| *bytes <= MAX_BYTES)
}

impl Sizes {
    /// The sizes for these numbers of vertices and primitives per instance. `None` if they are too large.
    pub(super) fn new(
        Known { own: stage, stride, .. }: Known<&GeometryPass>,
        vertex_stride: u32,
        [vertices, primitives, instances]: [u32; 3],
    ) -> Option<Self> {
        let runs = vertices.checked_mul(instances).filter(|runs| *runs <= MAX_ENTRIES)?;
        let invocations = primitives.checked_mul(stage.invocations)?.checked_mul(instances)?;
        let entries = invocations.checked_mul(stage.room())?;
        let all_entries = entries.checked_mul(stage.streams.max(1))?;
        if all_entries > MAX_ENTRIES {
            return None;
        }
        let records = invocations.checked_mul(stage.records)?.checked_mul(stride)?;
        let bytes = |words: u32| words.checked_mul(4).filter(|bytes| *bytes <= MAX_BYTES);
        Some(Self {
            entries,
            results: bytes(runs.checked_mul(vertex_stride)?)?,
            records: bytes(all_entries.next_multiple_of(ELEMENT_WORDS).checked_add(records)?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the sizes for a stage that emits single points to `streams` streams with records of `stride` words, after
    /// a vertex stage that writes one word.
    #[track_caller]
    fn check(
        (stride, streams): (u32, u32),
        numbers: (u32, u32, u32),
        expected: Option<(u32, u32, u32)>,
    ) {
        let stage = fixture::geometry::stage();
        let output = ir::geometry::OutputPrimitive::Points;
        let own = &GeometryPass { output, max_vertices: 1, streams, records: 1, ..stage };
        let found = Sizes::new(Known { number: 0, stride, own }, 1, numbers.into());
        let found = found.map(|sizes| (sizes.entries, sizes.results, sizes.records));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let most = 1 << 24;
        check((1, 1), (1, most, 1), Some((most, 4, 8 * most)));
        check((1, 1), (1, most + 1, 1), None);
        check((1, 1), (1, 1 << 12, 1 << 12), Some((most, 4 << 12, 8 * most)));
        // The entries of all streams count.
        check((1, 2), (1, most / 2, 1), Some((most / 2, 4, 6 * most)));
        check((1, 2), (1, most / 2 + 1, 1), None);
        // The vertex stage also runs for vertices that no primitive contains.
        // The record begins with the vector after that of the entry.
        check((1, 1), (most, 1, 1), Some((1, 4 * most, 20)));
        check((1, 1), (most + 1, 1, 1), None);
        // 1 GiB is 2^28 words: entries, and records of 15 words.
        check((15, 1), (1, most, 1), Some((most, 4, 1 << 30)));
        check((16, 1), (1, most, 1), None);
    }
}
