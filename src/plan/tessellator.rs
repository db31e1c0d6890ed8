//! The tessellator, which converts the levels of a patch to domain points and primitives (OpenGL 4.6 core, 11.2.2).
//!
//! Where the specification leaves freedom, the points and their order are those of Direct3D 11's reference tessellator.
//! Coordinates have 16 fractional bits. A fractional level moves the points of each half of an edge between those of
//! the two nearest whole levels. Rings of points are stitched from the outside inwards. A coordinate is therefore at
//! most 2^-12 away from k / n, and exact if n is a power of two.

mod edge;
#[cfg(test)]
mod reference;
mod ring;
#[cfg(test)]
mod tests;

use ir::tessellation::{Domain, Spacing, TessellationLevels, TessellationPattern};

use crate::topology::Primitive;
use edge::{Edge, HALF, ONE};
use ring::{Diagonals, Ring, Triangles};

/// The points and primitives of a tessellated patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tessellated {
    /// `gl_TessCoord` of each domain point; the third coordinate is 0 unless the domain is a triangle.
    pub points: Vec<[f32; 3]>,
    /// Indices of the points of each primitive.
    pub indices: Vec<u32>,
}

/// Type of the primitives of a pattern.
pub const fn primitive(pattern: TessellationPattern) -> Primitive {
    match (pattern.is_point_mode, pattern.domain) {
        (true, _) => Primitive::Points,
        (false, Domain::Isolines) => Primitive::Lines,
        (false, Domain::Triangles | Domain::Quads) => Primitive::Triangles,
    }
}

/// Tessellates a patch. The result is empty if the patch is discarded: an outer level that counts is not above 0.
pub fn tessellate(pattern: TessellationPattern, levels: &TessellationLevels) -> Tessellated {
    let used = match pattern.domain {
        Domain::Triangles => 3,
        Domain::Quads => 4,
        Domain::Isolines => 2,
    };
    let is_discarded = levels.outer.iter().take(used).any(|level| level.is_nan() || *level <= 0.0);
    if is_discarded {
        return Tessellated::default();
    }
    let spacing = pattern.spacing;
    let mesh = match pattern.domain {
        Domain::Triangles => triangles(spacing, levels),
        Domain::Quads => quads(spacing, levels),
        Domain::Isolines => isolines(spacing, levels),
    };
    mesh.finish(pattern)
}

/// Points, and the indices of those of each line or counter-clockwise triangle.
#[derive(Debug, Default)]
struct Mesh {
    /// u and v, where [`ONE`] represents 1.
    points: Vec<[u32; 2]>,
    triangles: Triangles,
    lines: Vec<[u32; 2]>,
}

impl Mesh {
    fn count(&self) -> u32 {
        u32::try_from(self.points.len()).expect("a level is at most 64")
    }

    /// Adds a closed ring. `sides` has the points of each side, without the last.
    fn add_ring<const SIDES: usize>(&mut self, sides: [Vec<[u32; 2]>; SIDES]) -> Ring {
        let ring = Ring::closed(self.count(), &sides.each_ref().map(Vec::len));
        self.points.extend(sides.into_iter().flatten());
        ring
    }

    fn finish(self, pattern: TessellationPattern) -> Tessellated {
        let indices = match primitive(pattern) {
            Primitive::Points => (0..self.count()).collect(),
            Primitive::Lines => self.lines.into_iter().flatten().collect(),
            Primitive::Triangles if pattern.is_clockwise => {
                self.triangles.all.into_iter().flat_map(|[a, b, c]| [a, c, b]).collect()
            }
            Primitive::Triangles => self.triangles.all.into_iter().flatten().collect(),
        };
        let point = |[u, v]: [u32; 2]| {
            let w = if pattern.domain == Domain::Triangles { ONE - u - v } else { 0 };
            [u, v, w].map(edge::to_float)
        };
        Tessellated { points: self.points.into_iter().map(point).collect(), indices }
    }
}

/// The subdivided edges of a triangle or quad: the outer edges, then the inner ones. `None` if all levels are 1, so
/// that nothing is divided.
fn edges<const OUTER: usize, const INNER: usize>(
    spacing: Spacing,
    levels: &TessellationLevels,
) -> Option<([Edge; OUTER], [Edge; INNER])> {
    let outer: [Edge; OUTER] = std::array::from_fn(|idx| Edge::new(spacing, levels.outer[idx]));
    let inner: [Edge; INNER] = std::array::from_fn(|idx| Edge::new(spacing, levels.inner[idx]));
    let is_whole = outer.iter().chain(&inner).all(|edge| edge.segments() == 1);
    (!is_whole).then(|| {
        // 11.2.2.1 and 11.2.2.2: an inner level of 1 counts as slightly more.
        (outer, std::array::from_fn(|idx| Edge::inner(spacing, levels.inner[idx])))
    })
}

/// Tessellates a triangle (OpenGL 4.6 core, 11.2.2.1). Sides: u = 0, v = 0, w = 0.
fn triangles(spacing: Spacing, levels: &TessellationLevels) -> Mesh {
    let mut mesh = Mesh::default();
    let Some((outer, [inner])) = edges::<3, 1>(spacing, levels) else {
        mesh.add_ring([vec![[0, ONE]], vec![[0, 0]], vec![[ONE, 0]]]);
        mesh.triangles.all.push([0, 1, 2]);
        return mesh;
    };
    let [by_u, by_v, by_w] = &outer;
    let mut last = mesh.add_ring([
        by_u.descending(0).map(|v| [0, v]).collect(),
        by_v.ascending(0).map(|u| [u, 0]).collect(),
        by_w.descending(0).map(|u| [u, ONE - u]).collect(),
    ]);
    for depth in 1..=inner.segments() / 2 {
        let ring = if depth * 2 == inner.segments() {
            mesh.points.push([ONE / 3; 2]);
            Ring::point(mesh.count() - 1, 3)
        } else {
            let across = edge::two_thirds(inner.place(depth));
            let along = |place: u32| place - across.div_ceil(2);
            mesh.add_ring([
                inner.descending(depth).map(|v| [across, along(v)]).collect(),
                inner.ascending(depth).map(|u| [along(u), across]).collect(),
                inner.descending(depth).map(|u| [along(u), ONE - along(u) - across]).collect(),
            ])
        };
        mesh.triangles.between(&last, &ring, depth);
        last = ring;
    }
    if inner.segments() % 2 == 1 {
        let [a, b, c] = [0, 1, 2].map(|side| last.sides[side][0]);
        mesh.triangles.all.push([a, b, c]);
    }
    mesh
}

/// Tessellates a quad (OpenGL 4.6 core, 11.2.2.2). Sides: u = 0, v = 0, u = 1, v = 1.
fn quads(spacing: Spacing, levels: &TessellationLevels) -> Mesh {
    let mut mesh = Mesh::default();
    let Some((outer, inner)) = edges::<4, 2>(spacing, levels) else {
        mesh.add_ring([vec![[0, 0]], vec![[ONE, 0]], vec![[ONE, ONE]], vec![[0, ONE]]]);
        mesh.triangles.all.extend([[0, 1, 3], [1, 2, 3]]);
        return mesh;
    };
    let [left, bottom, right, top] = &outer;
    let mut last = mesh.add_ring([
        left.descending(0).map(|v| [0, v]).collect(),
        bottom.ascending(0).map(|u| [u, 0]).collect(),
        right.ascending(0).map(|v| [ONE, v]).collect(),
        top.descending(0).map(|u| [u, ONE]).collect(),
    ]);
    let [width, height] = inner.each_ref().map(Edge::segments);
    for depth in 1..=width.min(height) / 2 {
        let ring = quad_ring(&mut mesh, &inner, depth);
        mesh.triangles.between(&last, &ring, depth);
        last = ring;
    }
    if width > height && height % 2 == 1 {
        let diagonals = Diagonals::FromInside;
        mesh.triangles.across(&last.sides[1], &last.sides[3], diagonals);
    } else if height >= width && width % 2 == 1 {
        let is_even = height % 2 == 0;
        let diagonals =
            if is_even { Diagonals::FromInside } else { Diagonals::FromInsideButMiddle };
        mesh.triangles.across(&last.sides[0], &last.sides[2], diagonals);
    }
    mesh
}

/// The inner ring at this depth, which may be a row, a column or a point.
fn quad_ring(mesh: &mut Mesh, [inner_u, inner_v]: &[Edge; 2], depth: u32) -> Ring {
    let [width, height] = [inner_u, inner_v].map(Edge::segments);
    let from = mesh.count();
    if width > height && depth * 2 == height {
        mesh.points.extend((depth..=width - depth).map(|idx| [inner_u.place(idx), HALF]));
        return Ring::row((from..mesh.count()).collect());
    }
    if height >= width && depth * 2 == width {
        mesh.points.extend((depth..=height - depth).rev().map(|idx| [HALF, inner_v.place(idx)]));
        return Ring::column((from..mesh.count()).collect());
    }
    let [left, right] = [depth, width - depth].map(|idx| inner_u.place(idx));
    let [bottom, top] = [depth, height - depth].map(|idx| inner_v.place(idx));
    mesh.add_ring([
        inner_v.descending(depth).map(|v| [left, v]).collect(),
        inner_u.ascending(depth).map(|u| [u, bottom]).collect(),
        inner_v.ascending(depth).map(|v| [right, v]).collect(),
        inner_u.descending(depth).map(|u| [u, top]).collect(),
    ])
}

/// Makes isolines (OpenGL 4.6 core, 11.2.2.3): the first outer level is the number of lines, the second divides each.
fn isolines(spacing: Spacing, levels: &TessellationLevels) -> Mesh {
    let [lines, line, ..] = levels.outer;
    let (lines, line) = (Edge::new(Spacing::Equal, lines), Edge::new(spacing, line));
    let mut mesh = Mesh::default();
    for v in lines.ascending(0) {
        let from = mesh.count();
        mesh.points.extend((0..=line.segments()).map(|idx| [line.place(idx), v]));
        mesh.lines.extend((from..mesh.count() - 1).map(|idx| [idx, idx + 1]));
    }
    mesh
}
