//! Draws of programs with tessellation or geometry stages: the stages that run before them.

use crate::vertex::LOCATION_BYTES;
use ir::readback::Snapshot;
use ir::tessellation::TessellationLevels;
use std::ops::Range;

/// The stages of a [`Front`](link::front::Front) that run before a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedGeometry {
    /// Index of the step.
    pub step: usize,
    /// Byte range in [`crate::Plan::vertices`] whose first row has index 0.
    pub vertices: Range<usize>,
    /// Range of [`crate::Plan::indices`]: each vertex of the draw once.
    pub indices: Range<u32>,
    /// First index of the list of primitives, in ordinals.
    pub first_primitive: u32,
    /// Primitives of one instance.
    pub primitives: u32,
    /// Number of instances.
    pub instances: u32,
    /// First instance, as the vertex stage counts.
    pub first_instance: u32,
    /// Number of entries of one stream.
    pub entries: u32,
    /// Places of a strip's vertices in the entries, as `topology::strip_places` encodes them.
    pub places: u32,
    /// Index into [`crate::Plan::bindings`].
    pub bindings: usize,
    /// The stages that run, in the order of the [`Front`](link::front::Front).
    pub stages: Vec<PlannedStage>,
}

/// Levels that a control stage writes, and that are unknown during planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedLevels {
    /// Index into [`crate::Plan::storage_sizes`] of the buffer that the control stage writes. The last snapshot of the
    /// plan reads it.
    pub buffer: usize,
    /// Number of patches.
    pub patches: u32,
    /// Number of words of each patch.
    pub stride: u32,
}

impl WantedLevels {
    /// Reads the levels of each patch from the snapshots of a run of the plan. `None` if they were not read back.
    pub fn read(&self, snapshots: &[Option<Snapshot>]) -> Option<Vec<TessellationLevels>> {
        let Some(Some(Snapshot::Buffer(bytes))) = snapshots.last() else { return None };
        let level = |word: usize| {
            let bytes = bytes.get(word * 4..word * 4 + 4)?;
            Some(f32::from_le_bytes(bytes.try_into().ok()?))
        };
        let levels = |patch: u32| {
            let first = patch as usize * self.stride as usize;
            let mut all = [0.0; 6];
            for (idx, value) in all.iter_mut().enumerate() {
                *value = level(first + idx)?;
            }
            let [a, b, c, d, inner @ ..] = all;
            Some(TessellationLevels { outer: [a, b, c, d], inner })
        };
        (0..self.patches).map(levels).collect()
    }
}

/// Maximum number of draws in a case whose levels are known only after a run: each one repeats all draws before it.
pub const MAX_UNKNOWN_DRAWS: usize = 64;

/// The reason why a case with more than [`MAX_UNKNOWN_DRAWS`] draws of unknown levels does not run.
pub fn too_many_unknown_draws() -> String {
    format!("more than {MAX_UNKNOWN_DRAWS} draws have levels that only a run tells")
}

/// A stage that runs before a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStage {
    /// Index into [`crate::Plan::storage_sizes`] of the buffer that the stage before it wrote; `None` for the rows of
    /// vertices.
    pub input: Option<usize>,
    /// Index into [`crate::Plan::storage_sizes`] of the buffer that the stage writes.
    pub output: usize,
    /// Words of the stage's uniform.
    pub words: Vec<u32>,
    /// Number of workgroups in x and y.
    pub groups: [u32; 2],
}

impl PlannedGeometry {
    /// Number of vertices of one instance.
    pub fn count(&self) -> u32 {
        self.indices.end.saturating_sub(self.indices.start)
    }

    /// The words by which the vertex stage identifies the draw.
    pub(crate) fn vertex_words(&self) -> [u32; 4] {
        let first_row = u32::try_from(self.vertices.start / LOCATION_BYTES).unwrap_or(u32::MAX);
        [first_row, self.indices.start, self.count(), self.first_instance]
    }
}
