//! Tessellation levels that only a run determines.

use ir::readback::Snapshot;
use ir::tessellation::TessellationLevels;

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
    pub(crate) fn read(&self, snapshots: &[Option<Snapshot>]) -> Option<Vec<TessellationLevels>> {
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
pub(crate) const MAX_UNKNOWN_DRAWS: usize = 64;

/// The reason why a case with more than `MAX_UNKNOWN_DRAWS` draws of unknown levels does not run.
pub fn too_many_unknown_draws() -> String {
    format!("more than {MAX_UNKNOWN_DRAWS} draws have levels that only a run tells")
}
