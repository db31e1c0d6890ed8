//! Passes of a program that run for a draw, as compute dispatches.

use std::ops::Range;

use link::table::shell::WORKGROUP_SIZE;

use crate::vertex::LOCATION_BYTES;

/// A pass of a program that runs for a draw. What the words of its uniform mean follows from the pass:
/// [`link::table::front`], [`link::compute::geometry`], [`link::compute::cull_distance::culling`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPass {
    /// Index of the step.
    pub step: usize,
    /// Index into [`crate::Plan::bindings`], which has the program.
    pub bindings: usize,
    /// Index into the passes of the program.
    pub number: usize,
    /// What the first buffer of the pass holds.
    pub input: PassInput,
    /// Index into [`crate::Plan::storage_sizes`] of the buffer that the pass writes.
    pub output: usize,
    /// Words of the pass's uniform.
    pub words: Vec<u32>,
    /// Number of workgroups in x and y.
    pub groups: [u32; 2],
}

/// What a pass reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassInput {
    /// The rows of vertices. The draw's are in this byte range of [`crate::Plan::vertices`].
    Rows(Range<usize>),
    /// What an earlier pass wrote: index into [`crate::Plan::storage_sizes`].
    Buffer(usize),
}

/// The vertices for which a vertex stage runs as a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassVertices {
    /// Byte range in [`crate::Plan::vertices`] whose first row has index 0.
    pub rows: Range<usize>,
    /// Range of [`crate::Plan::indices`].
    pub indices: Range<u32>,
    /// Number of instances.
    pub instances: u32,
    /// First instance, as the vertex stage counts.
    pub first_instance: u32,
}

impl PassVertices {
    /// Number of vertices of one instance.
    pub fn count(&self) -> u32 {
        self.indices.end.saturating_sub(self.indices.start)
    }

    /// Number of vertices of all instances.
    pub(crate) fn total(&self) -> Option<u32> {
        self.count().checked_mul(self.instances)
    }

    /// The pass for these vertices that writes buffer `output`.
    pub(crate) fn pass(&self, number: usize, output: usize) -> PlannedPass {
        let first_row = u32::try_from(self.rows.start / LOCATION_BYTES).unwrap_or(u32::MAX);
        let count = self.count();
        let words = vec![first_row, self.indices.start, count, self.first_instance];
        let groups = [count.div_ceil(WORKGROUP_SIZE), self.instances];
        PlannedPass::new(number, PassInput::Rows(self.rows.clone()), output, words, groups)
    }
}

impl PlannedPass {
    /// A pass whose step and bindings the planner sets when it adds the pass to the plan.
    pub(crate) const fn new(
        number: usize,
        input: PassInput,
        output: usize,
        words: Vec<u32>,
        groups: [u32; 2],
    ) -> Self {
        Self { step: 0, bindings: 0, number, input, output, words, groups }
    }

    /// A word of the uniform; 0 for one that it does not have.
    pub fn word(&self, idx: usize) -> u32 {
        self.words.get(idx).copied().unwrap_or(0)
    }

    /// The vertices for which a vertex stage runs; `None` for a pass that does not read rows.
    pub fn vertices(&self) -> Option<PassVertices> {
        let PassInput::Rows(rows) = &self.input else { return None };
        let [first, count, first_instance] = [1, 2, 3].map(|idx| self.word(idx));
        let indices = first..first.saturating_add(count);
        Some(PassVertices {
            rows: rows.clone(),
            indices,
            instances: self.groups[1],
            first_instance,
        })
    }
}
