//! Draws whose primitives may be culled before them.

use crate::topology::Primitive;
use std::ops::Range;

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
