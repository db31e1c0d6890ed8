//! Primitives with adjacent vertices, which only geometry stages process (OpenGL 4.6 core, 10.1.11 to 10.1.14).

use case::Topology;

/// Removes the adjacent vertices of a topology with adjacency: the topology without adjacency, and the remaining
/// vertices. `None` for any other topology. A primitive that lacks only adjacent vertices is incomplete.
pub(super) fn without_adjacent(
    topology: Topology,
    vertices: &[u32],
) -> Option<(Topology, Vec<u32>)> {
    match topology {
        Topology::LinesAdjacency => {
            let lines = vertices.chunks_exact(4).flat_map(|line| [line[1], line[2]]);
            Some((Topology::Lines, lines.collect()))
        }
        Topology::LineStripAdjacency => {
            let inner = match vertices {
                [_, inner @ .., _] if inner.len() >= 2 => inner,
                _ => &[],
            };
            Some((Topology::LineStrip, inner.to_vec()))
        }
        Topology::TrianglesAdjacency => {
            let triangles =
                vertices.chunks_exact(6).flat_map(|corners| [corners[0], corners[2], corners[4]]);
            Some((Topology::Triangles, triangles.collect()))
        }
        Topology::TriangleStripAdjacency => {
            let corners = vertices.chunks_exact(2).map(|pair| pair[0]);
            Some((Topology::TriangleStrip, corners.collect()))
        }
        Topology::Points
        | Topology::Lines
        | Topology::LineLoop
        | Topology::LineStrip
        | Topology::Triangles
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::Quads
        | Topology::QuadStrip
        | Topology::Patches
        | Topology::Polygon => None,
    }
}

/// Triangles of a strip with adjacency: corner, vertex at the edge to the next corner, and so on (table 10.1).
pub(super) fn strip(vertices: &[u32]) -> impl Iterator<Item = [u32; 6]> + '_ {
    let count = (vertices.len() / 2).saturating_sub(2);
    // Numbered from 1 as in the table, none of whose rows has a vertex that does not exist.
    let at = |number: usize| vertices.get(number.wrapping_sub(1)).copied().unwrap_or(0);
    (1..=count).map(move |idx| {
        let is_last = idx == count;
        let before = if idx == 1 { 2 } else { 2 * idx - 3 };
        let after = if is_last { 2 * idx + 4 } else { 2 * idx + 5 };
        let numbers = if idx % 2 == 1 {
            [2 * idx - 1, before, 2 * idx + 1, after, 2 * idx + 3, 2 * idx + 2]
        } else {
            [2 * idx + 1, before, 2 * idx - 1, 2 * idx + 2, 2 * idx + 3, after]
        };
        numbers.map(at)
    })
}
