//! Culling of primitives before the draws of a program with cull distances.

use link::table::shell::WORKGROUP_SIZE;

use super::Planner;
use super::geometry::DrawRanges;
use crate::error::Misfit;
use crate::pass::{PassInput, PassVertices, PlannedPass};

/// Maximum vertices of all culled draws of one case. Their distances fit a buffer of WebGPU's guaranteed size, and
/// WebGPU's guaranteed number of workgroups computes them.
const MAX_CULLED: u32 = 1 << 21;

/// Maximum instances of a culled draw.
const MAX_CULLED_INSTANCES: u32 = 65_535;

/// Buffers that all culled draws share.
#[derive(Clone, Debug, Default)]
pub(super) struct CullState {
    /// Index into [`crate::Plan::storage_sizes`] of the buffer of distances.
    distances: Option<usize>,
    /// End of the index lists of the draws so far.
    end: u32,
}

impl Planner<'_> {
    /// Plans culling before a draw of step `step`, if the program has cull distances. Returns the first index of the
    /// lists to draw.
    pub(super) fn cull(
        &mut self,
        step: usize,
        shape: &DrawRanges,
        vertices: &PassVertices,
        bindings: usize,
    ) -> Result<Option<u32>, Misfit> {
        let program = self.program;
        let passes = (program.distances_pass(), program.culling_pass());
        let (Some(distances), Some(culling)) = passes else { return Ok(None) };
        let (first_kept, total) = (self.culled.end, vertices.total());
        let end = total.and_then(|total| first_kept.checked_add(total));
        let fits = vertices.instances <= MAX_CULLED_INSTANCES;
        let end = end.filter(|end| *end <= MAX_CULLED && fits).ok_or_else(|| {
            Misfit(format!(
                "draws with cull distances may have {MAX_CULLED} vertices together, in {MAX_CULLED_INSTANCES} instances"
            ))
        })?;
        self.culled.end = end;
        let words = (end - first_kept) * distances.stride;
        let between = self.plan.grow(self.culled.distances, words * 4);
        let kept = self.plan.grow(self.plan.kept, end * 4);
        (self.culled.distances, self.plan.kept) = (Some(between), Some(kept));
        let (count, corners) = (vertices.count(), shape.primitive.vertices());
        let list = vertices.indices.start;
        let words = vec![list, count, corners, distances.stride, first_kept, 0, 0, 0];
        let groups = [(count / corners).div_ceil(WORKGROUP_SIZE), vertices.instances];
        let input = PassInput::Buffer(between);
        let copy = PlannedPass::new(culling.number, input, kept, words, groups);
        self.push_passes(step, bindings, vec![vertices.pass(distances.number, between), copy]);
        Ok(Some(first_kept))
    }
}
