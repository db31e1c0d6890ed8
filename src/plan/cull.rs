//! Culling of primitives before the draws of a program with cull distances.

use std::ops::Range;

use crate::topology::Primitive;
use link::write_uniform::Misfit;

use super::geometry::DrawRanges;
use super::{Operation, Planner};

/// Maximum vertices of all culled draws of one case. Their distances fit a buffer of WebGPU's guaranteed size, and
/// WebGPU's guaranteed number of workgroups computes them.
const MAX_CULLED: u32 = 1 << 21;

/// Maximum instances of a culled draw.
const MAX_CULLED_INSTANCES: u32 = 65_535;

/// A draw whose primitives may be culled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCull {
    /// Byte range in `Plan::vertices`, as in the draw.
    pub vertices: Range<usize>,
    /// Range of `Plan::indices`, as in the draw.
    pub indices: Range<u32>,
    /// Primitive type of the indices.
    pub primitive: Primitive,
    /// Number of instances.
    pub instances: u32,
    /// First instance.
    pub first_instance: u32,
    /// Index into `Plan::bindings`.
    pub bindings: usize,
    /// First index of the lists of remaining primitives. The lists of all draws are consecutive.
    pub first_kept: u32,
}

impl PlannedCull {
    /// Number of indices of one instance.
    pub fn count(&self) -> u32 {
        self.indices.end.saturating_sub(self.indices.start)
    }

    /// Number of indices of all instances.
    pub fn total(&self) -> Option<u32> {
        self.count().checked_mul(self.instances)
    }

    /// End of the lists of remaining primitives.
    pub fn end(&self) -> Option<u32> {
        self.first_kept.checked_add(self.total()?)
    }
}

impl Planner<'_> {
    /// Plans culling before a draw, if the program has cull distances. Returns the first index of the lists to draw.
    pub(super) fn cull(
        &mut self,
        shape: &DrawRanges,
        (instances, first_instance): (u32, u32),
        bindings: usize,
    ) -> Result<Option<u32>, Misfit> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cull(first_kept: u32, indices: Range<u32>, instances: u32) -> PlannedCull {
        let (vertices, primitive) = (0..0, Primitive::Triangles);
        PlannedCull {
            vertices,
            indices,
            primitive,
            instances,
            first_instance: 0,
            bindings: 0,
            first_kept,
        }
    }

    #[test]
    fn lists_have_room_for_every_instance() {
        assert_eq!(cull(9, 30..36, 4).end(), Some(9 + 6 * 4));
        assert_eq!(cull(9, 30..36, u32::MAX).end(), None);
        assert_eq!(cull(u32::MAX, 30..36, 1).end(), None);
    }
}
