//! The domain points of all patches of a draw, as the evaluation stage takes them ([`link::front`]).

use case::Topology;
use ir::tessellation::{TessellationLevels, TessellationPattern};

use super::{Tessellated, primitive, tessellate};
use crate::topology::{self, Primitive, ProvokingVertex};

/// The domain points of a draw, and its primitives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainPoints {
    /// Four words for each point: the number of its patch, and the bits of u, v and w.
    pub points: Vec<u32>,
    /// Numbers of the points of each primitive, patch after patch, as GL orders them.
    pub primitives: Vec<u32>,
}

impl DomainPoints {
    /// Divides patches with these levels, counted through all instances. `None` if there are more than `max` points, or
    /// more than `max` numbers of points.
    pub fn new(
        pattern: TessellationPattern,
        levels: impl IntoIterator<Item = TessellationLevels>,
        max: usize,
    ) -> Option<Self> {
        let mut all = Self::default();
        let mut known: Option<(TessellationLevels, Tessellated)> = None;
        for (patch, levels) in (0_u32..).zip(levels) {
            // Most patches of a draw have the same levels.
            let (_, own) = match known.take() {
                Some(same) if same.0 == levels => known.insert(same),
                Some(_) | None => known.insert((levels, tessellate(pattern, &levels))),
            };
            let first = u32::try_from(all.points.len() / 4).ok()?;
            for point in &own.points {
                all.points.push(patch);
                all.points.extend(point.map(f32::to_bits));
            }
            all.primitives.extend(own.indices.iter().map(|idx| first + idx));
            if all.points.len() / 4 > max || all.primitives.len() > max {
                return None;
            }
        }
        Some(all)
    }

    /// The index list of the draw: the provoking vertex by GL's convention is where the backend looks for it.
    pub fn drawn(
        &self,
        pattern: TessellationPattern,
        convention: ProvokingVertex,
        backend: ProvokingVertex,
    ) -> Vec<u32> {
        let topology = match primitive(pattern) {
            Primitive::Points => Topology::Points,
            Primitive::Lines => Topology::Lines,
            Primitive::Triangles => Topology::Triangles,
        };
        let list = topology::list(topology, &self.primitives, convention, backend);
        list.expect("only quads have no first vertex")
    }
}

#[cfg(test)]
mod tests {
    use ir::tessellation::{Domain, Spacing};

    use super::*;

    const QUADS: TessellationPattern = TessellationPattern {
        domain: Domain::Quads,
        spacing: Spacing::Equal,
        is_clockwise: false,
        is_point_mode: false,
    };

    fn levels(level: f32) -> TessellationLevels {
        TessellationLevels { outer: [level; 4], inner: [level; 2] }
    }

    #[test]
    fn points_know_the_patch_that_they_are_of() {
        // The second patch is discarded.
        let all = DomainPoints::new(QUADS, [1.0, 0.0, 1.0, 2.0].map(levels), 100);
        let all = all.expect("it is small");
        let patches: Vec<u32> = all.points.chunks_exact(4).map(|point| point[0]).collect();
        assert_eq!(patches, [[0; 4].as_slice(), &[2; 4], &[3; 9]].concat());
        let one = 1_f32.to_bits();
        assert_eq!(all.points[4..8], [0, one, 0, 0]);
        assert_eq!(all.primitives[..12], [0, 1, 3, 1, 2, 3, 4, 5, 7, 5, 6, 7]);
        assert!(all.primitives[12..].iter().all(|idx| (8..17).contains(idx)));
    }

    #[test]
    fn the_provoking_vertex_is_where_the_backend_looks() {
        use ProvokingVertex::{First, Last};
        let all = DomainPoints::new(QUADS, [levels(1.0)], 100).expect("it is small");
        assert_eq!(all.drawn(QUADS, Last, Last), [0, 1, 3, 1, 2, 3]);
        assert_eq!(all.drawn(QUADS, Last, First), [3, 0, 1, 3, 1, 2]);
        assert_eq!(all.drawn(QUADS, First, First), [0, 1, 3, 1, 2, 3]);
    }

    #[test]
    fn too_many_points_are_none() {
        let count = |max| DomainPoints::new(QUADS, [levels(1.0); 2], max).is_some();
        assert!(count(12));
        assert!(!count(11));
    }
}
