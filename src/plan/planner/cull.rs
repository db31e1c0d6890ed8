//! Culling of primitives before the draws of a program with cull distances.

use super::Planner;
use super::geometry::{DrawRanges, Instances};
use crate::cull::PlannedCull;
use crate::error::Misfit;
use crate::operation::Operation;

/// Maximum vertices of all culled draws of one case. Their distances fit a buffer of WebGPU's guaranteed size, and
/// WebGPU's guaranteed number of workgroups computes them.
const MAX_CULLED: u32 = 1 << 21;

/// Maximum instances of a culled draw.
const MAX_CULLED_INSTANCES: u32 = 65_535;

impl Planner<'_> {
    /// Plans culling before a draw, if the program has cull distances. Returns the first index of the lists to draw.
    pub(super) fn cull(
        &mut self,
        shape: &DrawRanges,
        instances: Instances,
        bindings: usize,
    ) -> Result<Option<u32>, Misfit> {
        let Instances { count: instances, first: first_instance } = instances;
        if self.program.cull.is_none() {
            return Ok(None);
        }
        let first_kept = self.plan.culls.last().map_or(Some(0), PlannedCull::end);
        let first_kept = first_kept.unwrap_or(u32::MAX);
        let cull = PlannedCull {
            vertices: shape.vertices.clone(),
            indices: shape.indices.clone(),
            primitive: shape.primitive,
            instances,
            first_instance,
            bindings,
            first_kept,
        };
        if cull.end().is_none_or(|end| end > MAX_CULLED) || instances > MAX_CULLED_INSTANCES {
            return Err(Misfit(format!(
                "draws with cull distances may have {MAX_CULLED} vertices together, in {MAX_CULLED_INSTANCES} instances"
            )));
        }
        self.plan.operations.push(Operation::Cull(self.plan.culls.len()));
        self.plan.culls.push(cull);
        Ok(Some(first_kept))
    }
}
