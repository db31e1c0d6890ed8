//! Converts GL's primitive topologies to lists of points, lines or triangles.
//!
//! WebGPU has no fans, loops and quads, and its backends disagree about the *provoking vertex*, from which flat
//! varyings get their value: the first of a primitive on Vulkan, Metal and Direct3D, the last on OpenGL. GL uses the
//! last one, or the first if a command selects it (OpenGL 4.6 core, table 13.2). The lists made here have the provoking
//! vertex at the backend's position, and keep the winding.

mod adjacency;

use case::Topology;
use ir::geometry::{InputPrimitive, OutputPrimitive};

pub use case::state::ProvokingVertex;

/// Primitive type of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// Points: one index each.
    Points,
    /// Lines: two indices each.
    Lines,
    /// Triangles: three indices each.
    Triangles,
}

impl Primitive {
    /// Indices per primitive.
    pub const fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }

    /// Primitive type of the list made from a geometry stage's strips.
    pub const fn of_output(output: OutputPrimitive) -> Self {
        match output {
            OutputPrimitive::Points => Self::Points,
            OutputPrimitive::LineStrip => Self::Lines,
            OutputPrimitive::TriangleStrip => Self::Triangles,
        }
    }

    /// The topology of the list.
    const fn list_topology(self) -> Topology {
        match self {
            Self::Points => Topology::Points,
            Self::Lines => Topology::Lines,
            Self::Triangles => Topology::Triangles,
        }
    }

    /// The topology of a geometry stage's strips.
    const fn strip_topology(self) -> Topology {
        match self {
            Self::Points => Topology::Points,
            Self::Lines => Topology::LineStrip,
            Self::Triangles => Topology::TriangleStrip,
        }
    }
}

/// Primitive type of the list for `topology`.
pub(super) const fn primitive_of(topology: Topology) -> Primitive {
    match topology {
        Topology::Points => Primitive::Points,
        Topology::Lines
        | Topology::LineLoop
        | Topology::LineStrip
        | Topology::LinesAdjacency
        | Topology::LineStripAdjacency => Primitive::Lines,
        Topology::Triangles
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::Quads
        | Topology::QuadStrip
        | Topology::Polygon
        | Topology::TrianglesAdjacency
        | Topology::TriangleStripAdjacency
        | Topology::Patches => Primitive::Triangles,
    }
}

/// Input primitive of the geometry stages that may be drawn with `topology` (OpenGL 4.6 core, 11.3.1); `None` if none
/// may.
const fn input_of(topology: Topology) -> Option<InputPrimitive> {
    match topology {
        Topology::Points => Some(InputPrimitive::Points),
        Topology::Lines | Topology::LineLoop | Topology::LineStrip => Some(InputPrimitive::Lines),
        Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan => {
            Some(InputPrimitive::Triangles)
        }
        Topology::LinesAdjacency | Topology::LineStripAdjacency => {
            Some(InputPrimitive::LinesAdjacency)
        }
        Topology::TrianglesAdjacency | Topology::TriangleStripAdjacency => {
            Some(InputPrimitive::TrianglesAdjacency)
        }
        Topology::Quads | Topology::QuadStrip | Topology::Polygon | Topology::Patches => None,
    }
}

/// The primitives of `vertices` as inputs of a geometry stage: the vertices of each, with the adjacent ones, by GL's
/// provoking vertex. `None` if a stage that takes `input` cannot be drawn with `topology`.
pub(super) fn input_list(
    input: InputPrimitive,
    topology: Topology,
    vertices: &[u32],
    convention: ProvokingVertex,
) -> Option<Vec<u32>> {
    if input_of(topology) != Some(input) {
        return None;
    }
    match topology {
        Topology::LinesAdjacency | Topology::TrianglesAdjacency => {
            let each = input.vertices() as usize;
            Some(vertices.chunks_exact(each).flatten().copied().collect())
        }
        Topology::LineStripAdjacency => Some(flatten(windows::<4>(vertices))),
        Topology::TriangleStripAdjacency => Some(flatten(adjacency::strip(vertices))),
        Topology::Points
        | Topology::Lines
        | Topology::LineLoop
        | Topology::LineStrip
        | Topology::Triangles
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::Quads
        | Topology::QuadStrip
        | Topology::Polygon
        | Topology::Patches => list(topology, vertices, convention, convention),
    }
}

/// Reorders the vertices of a list of primitives from GL's order to a list for `to`.
pub(super) fn in_list(
    primitive: Primitive,
    vertices: &[u32],
    from: ProvokingVertex,
    to: ProvokingVertex,
) -> Vec<u32> {
    list(primitive.list_topology(), vertices, from, to).unwrap_or_default()
}

/// Places in the list of the vertices of a strip's primitive: of the first, second and third vertex of an even
/// primitive, then of an odd one, two bits each.
pub(super) fn strip_places(
    primitive: Primitive,
    from: ProvokingVertex,
    to: ProvokingVertex,
) -> u32 {
    // Two consecutive primitives, whose vertices are counted from the first of each.
    let vertices: Vec<u32> = (0..=primitive.vertices()).collect();
    let each = primitive.vertices() as usize;
    let list = list(primitive.strip_topology(), &vertices, from, to).unwrap_or_default();
    let mut word = 0;
    for (number, entries) in (0..).zip(list.chunks_exact(each)) {
        for (place, vertex) in (0..).zip(entries) {
            word |= place << (2 * (3 * number + vertex - number));
        }
    }
    word
}

/// Order in which the vertices of a primitive are captured: for each vertex, its place in a list for `to`.
pub(super) fn capture_order(
    primitive: Primitive,
    from: ProvokingVertex,
    to: ProvokingVertex,
) -> Vec<u32> {
    let vertices: Vec<u32> = (0..primitive.vertices()).collect();
    let drawn = list(primitive.list_topology(), &vertices, from, to).unwrap_or_default();
    let place = |vertex: &u32| drawn.iter().position(|drawn| drawn == vertex);
    vertices.iter().filter_map(place).filter_map(|place| u32::try_from(place).ok()).collect()
}

/// The list of `vertices` drawn as `topology`. `from` is GL's provoking vertex, `to` the backend's. Incomplete
/// primitives are dropped, as in GL. `None` for quads with the first vertex as `from`, as GL does not define which
/// vertex of a quad that is.
pub(super) fn list(
    topology: Topology,
    vertices: &[u32],
    from: ProvokingVertex,
    to: ProvokingVertex,
) -> Option<Vec<u32>> {
    if let Some((topology, vertices)) = adjacency::without_adjacent(topology, vertices) {
        return list(topology, &vertices, from, to);
    }
    match from {
        ProvokingVertex::First => list_by_first(topology, vertices, to),
        ProvokingVertex::Last => Some(list_by_last(topology, vertices, to)),
    }
}

fn list_by_first(topology: Topology, vertices: &[u32], to: ProvokingVertex) -> Option<Vec<u32>> {
    // Rotated so that the provoking vertex is the last, as `rotate` expects.
    let last = |[first, second, third]: [u32; 3]| rotate([second, third, first], to);
    match topology {
        Topology::Points => Some(vertices.to_vec()),
        Topology::Lines | Topology::LineLoop | Topology::LineStrip => {
            Some(flatten(lines(topology, vertices).map(|[a, b]| rotate_line([b, a], to))))
        }
        Topology::Triangles => Some(flatten(exact_chunks(vertices).map(last))),
        Topology::TriangleStrip => {
            let triangles = strip(vertices)
                .enumerate()
                .map(|(idx, [a, b, c])| if idx % 2 == 0 { [a, b, c] } else { [b, c, a] });
            Some(flatten(triangles.map(last)))
        }
        Topology::TriangleFan => Some(flatten(
            fan(vertices).map(|[centre, second, third]| last([second, third, centre])),
        )),
        Topology::Polygon => Some(flatten(fan(vertices).map(last))),
        Topology::Quads | Topology::QuadStrip => None,
        Topology::LinesAdjacency
        | Topology::LineStripAdjacency
        | Topology::TrianglesAdjacency
        | Topology::TriangleStripAdjacency
        | Topology::Patches => Some(Vec::new()),
    }
}

fn list_by_last(topology: Topology, vertices: &[u32], provoking: ProvokingVertex) -> Vec<u32> {
    match topology {
        Topology::Points => vertices.to_vec(),
        Topology::Lines | Topology::LineLoop | Topology::LineStrip => {
            flatten(lines(topology, vertices).map(|line| rotate_line(line, provoking)))
        }
        Topology::Triangles => {
            flatten(exact_chunks(vertices).map(|triangle| rotate(triangle, provoking)))
        }
        Topology::TriangleStrip => {
            flatten(strip(vertices).map(|triangle| rotate(triangle, provoking)))
        }
        Topology::TriangleFan => flatten(fan(vertices).map(|triangle| rotate(triangle, provoking))),
        // The first vertex is the provoking one by either convention.
        Topology::Polygon => flatten(
            fan(vertices).map(|[first, second, third]| rotate([second, third, first], provoking)),
        ),
        Topology::Quads => {
            let quads = exact_chunks::<4>(vertices);
            flatten(quads.flat_map(halves).map(|triangle| rotate(triangle, provoking)))
        }
        Topology::QuadStrip => flatten(
            quad_strip(vertices).flat_map(halves).map(|triangle| rotate(triangle, provoking)),
        ),
        Topology::LinesAdjacency
        | Topology::LineStripAdjacency
        | Topology::TrianglesAdjacency
        | Topology::TriangleStripAdjacency
        | Topology::Patches => Vec::new(),
    }
}

/// Lines, with the provoking vertex last.
fn lines(topology: Topology, vertices: &[u32]) -> Box<dyn Iterator<Item = [u32; 2]> + '_> {
    if topology == Topology::Lines {
        return Box::new(exact_chunks(vertices));
    }
    let segments = windows(vertices);
    match vertices {
        [first, _, .., last] if topology == Topology::LineLoop => {
            Box::new(segments.chain([[*last, *first]]))
        }
        // GL also closes a loop of two vertices: with the same line in reverse.
        [first, last] if topology == Topology::LineLoop => {
            Box::new(segments.chain([[*last, *first]]))
        }
        _ => Box::new(segments),
    }
}

/// Triangles of a strip. Every second one has its first two vertices swapped, to keep the winding.
fn strip(vertices: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    windows(vertices).enumerate().map(|(idx, [first, second, third])| {
        if idx % 2 == 0 { [first, second, third] } else { [second, first, third] }
    })
}

fn fan(vertices: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let (centre, rim) = vertices.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    windows(rim).map(move |[second, third]| [centre, second, third])
}

/// Quads of a strip in winding order, with the provoking vertex last: vertex 2i + 4 of quad i, counted from 1.
fn quad_strip(vertices: &[u32]) -> impl Iterator<Item = [u32; 4]> + '_ {
    windows(vertices)
        .step_by(2)
        .map(|[first, second, third, fourth]| [third, first, second, fourth])
}

/// Splits a quad into two triangles. Both end with the quad's last vertex, which provides flat varyings.
const fn halves([first, second, third, last]: [u32; 4]) -> [[u32; 3]; 2] {
    [[first, second, last], [second, third, last]]
}

const fn rotate([first, second, last]: [u32; 3], provoking: ProvokingVertex) -> [u32; 3] {
    match provoking {
        ProvokingVertex::First => [last, first, second],
        ProvokingVertex::Last => [first, second, last],
    }
}

const fn rotate_line([first, last]: [u32; 2], provoking: ProvokingVertex) -> [u32; 2] {
    match provoking {
        ProvokingVertex::First => [last, first],
        ProvokingVertex::Last => [first, last],
    }
}

fn flatten<const N: usize>(primitives: impl Iterator<Item = [u32; N]>) -> Vec<u32> {
    primitives.flatten().collect()
}

fn exact_chunks<const N: usize>(vertices: &[u32]) -> impl Iterator<Item = [u32; N]> + '_ {
    vertices.chunks_exact(N).filter_map(|chunk| chunk.try_into().ok())
}

fn windows<const N: usize>(vertices: &[u32]) -> impl Iterator<Item = [u32; N]> + '_ {
    vertices.windows(N).filter_map(|window| window.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(topology: Topology, count: u32, expected: &[u32]) {
        let vertices: Vec<u32> = (0..count).collect();
        let by_last = list(topology, &vertices, ProvokingVertex::Last, ProvokingVertex::Last);
        assert_eq!(by_last.expect("these have a last vertex"), expected);
    }

    #[test]
    fn lists_drop_what_does_not_complete_a_primitive() {
        check(Topology::Points, 2, &[0, 1]);
        check(Topology::Lines, 5, &[0, 1, 2, 3]);
        check(Topology::Triangles, 5, &[0, 1, 2]);
        check(Topology::Quads, 7, &[0, 1, 3, 1, 2, 3]);
        check(Topology::TriangleFan, 2, &[]);
        check(Topology::TriangleFan, 0, &[]);
        check(Topology::LineLoop, 1, &[]);
    }

    #[test]
    fn lines_end_in_the_vertex_that_completes_them() {
        check(Topology::LineStrip, 3, &[0, 1, 1, 2]);
        check(Topology::LineLoop, 3, &[0, 1, 1, 2, 2, 0]);
    }

    #[test]
    fn strips_and_fans_end_in_the_newest_vertex() {
        check(Topology::TriangleStrip, 5, &[0, 1, 2, 2, 1, 3, 2, 3, 4]);
        check(Topology::TriangleFan, 4, &[0, 1, 2, 0, 2, 3]);
    }

    /// OpenGL 4.6 compatibility, table 13.2.
    #[test]
    fn a_polygon_has_its_first_vertex_last_or_first() {
        check(Topology::Polygon, 5, &[1, 2, 0, 2, 3, 0, 3, 4, 0]);
        check_first(Topology::Polygon, 5, &[0, 1, 2, 0, 2, 3, 0, 3, 4]);
        check(Topology::Polygon, 2, &[]);
    }

    #[test]
    fn both_halves_of_a_quad_end_in_its_provoking_vertex() {
        check(Topology::Quads, 4, &[0, 1, 3, 1, 2, 3]);
        // The outline of the strip's first quad is 0 1 3 2, and vertex 3 is the provoking one.
        check(Topology::QuadStrip, 5, &[2, 0, 3, 0, 1, 3]);
        check(Topology::QuadStrip, 6, &[2, 0, 3, 0, 1, 3, 4, 2, 5, 2, 3, 5]);
    }

    /// Twice the signed area of triangles whose vertex `i` is at `places[i]`.
    fn areas(list: &[u32], places: &[[i32; 2]]) -> Vec<i32> {
        let at = |idx: u32| places[usize::try_from(idx).expect("small")];
        list.chunks_exact(3)
            .map(|triangle| {
                let ([ax, ay], [bx, by], [cx, cy]) =
                    (at(triangle[0]), at(triangle[1]), at(triangle[2]));
                (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
            })
            .collect()
    }

    #[test]
    fn all_triangles_of_a_topology_wind_the_same_way() {
        let zigzag = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]];
        let ring = [[0, 0], [1, 0], [1, 1], [0, 1]];
        for provoking in [ProvokingVertex::First, ProvokingVertex::Last] {
            let strip = list_by_last(Topology::TriangleStrip, &[0, 1, 2, 3, 4, 5], provoking);
            assert_eq!(areas(&strip, &zigzag), [1; 4]);
            let quads = list_by_last(Topology::QuadStrip, &[0, 1, 2, 3, 4, 5], provoking);
            assert_eq!(areas(&quads, &zigzag), [1; 4]);
            assert_eq!(
                areas(&list_by_last(Topology::Quads, &[0, 1, 2, 3], provoking), &ring),
                [1; 2]
            );
            assert_eq!(
                areas(&list_by_last(Topology::TriangleFan, &[0, 1, 2, 3], provoking), &ring),
                [1; 2]
            );
        }
    }

    #[track_caller]
    fn check_first(topology: Topology, count: u32, expected: &[u32]) {
        let vertices: Vec<u32> = (0..count).collect();
        let by_first = list(topology, &vertices, ProvokingVertex::First, ProvokingVertex::First);
        assert_eq!(by_first.expect("these have a first vertex"), expected);
    }

    /// OpenGL 4.6 core, table 13.2: by the first convention, the oldest vertex is the provoking one.
    #[test]
    fn by_the_first_convention_the_oldest_vertex_comes_first() {
        check_first(Topology::LineLoop, 3, &[0, 1, 1, 2, 2, 0]);
        check_first(Topology::Triangles, 3, &[0, 1, 2]);
        check_first(Topology::TriangleStrip, 5, &[0, 1, 2, 1, 3, 2, 2, 3, 4]);
        check_first(Topology::TriangleFan, 4, &[1, 2, 0, 2, 3, 0]);
        assert_eq!(
            list(Topology::Quads, &[0; 4], ProvokingVertex::First, ProvokingVertex::Last),
            None
        );
    }

    #[test]
    fn the_provoking_vertex_comes_first_where_the_backend_looks_first() {
        let first = |topology| list_by_last(topology, &[0, 1, 2], ProvokingVertex::First);
        assert_eq!(first(Topology::Triangles), [2, 0, 1]);
        assert_eq!(first(Topology::LineStrip), [1, 0, 2, 1]);
    }

    #[track_caller]
    fn check_input(
        (input, topology): (InputPrimitive, Topology),
        count: u32,
        expected: Option<&[u32]>,
    ) {
        // Numbered from 1, as in OpenGL's tables.
        let vertices: Vec<u32> = (1..=count).collect();
        let found = input_list(input, topology, &vertices, ProvokingVertex::Last);
        assert_eq!(found.as_deref(), expected);
    }

    /// OpenGL 4.6 core, 10.1.11 to 10.1.13: primitives with adjacency keep their order.
    #[test]
    fn primitives_with_adjacency_keep_their_order() {
        let lines = (InputPrimitive::LinesAdjacency, Topology::LinesAdjacency);
        check_input(lines, 9, Some(&[1, 2, 3, 4, 5, 6, 7, 8]));
        let strip = (InputPrimitive::LinesAdjacency, Topology::LineStripAdjacency);
        check_input(strip, 6, Some(&[1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6]));
        check_input(strip, 3, Some(&[]));
        let triangles = (InputPrimitive::TrianglesAdjacency, Topology::TrianglesAdjacency);
        check_input(triangles, 7, Some(&[1, 2, 3, 4, 5, 6]));
        check_input((InputPrimitive::Triangles, Topology::TrianglesAdjacency), 6, None);
        check_input((InputPrimitive::Triangles, Topology::Polygon), 6, None);
    }

    /// OpenGL 4.6 core, table 10.1: adjacent vertices of the triangles of a strip.
    #[test]
    fn triangles_of_a_strip_have_the_vertices_of_their_neighbours() {
        let strip = (InputPrimitive::TrianglesAdjacency, Topology::TriangleStripAdjacency);
        check_input(strip, 5, Some(&[]));
        check_input(strip, 6, Some(&[1, 2, 3, 6, 5, 4]));
        let two = [1, 2, 3, 7, 5, 4, 5, 1, 3, 6, 7, 8];
        check_input(strip, 9, Some(&two));
        let three = [[1, 2, 3, 7, 5, 4], [5, 1, 3, 6, 7, 9], [5, 3, 7, 10, 9, 8]];
        check_input(strip, 10, Some(three.as_flattened()));
        let four =
            [[1, 2, 3, 7, 5, 4], [5, 1, 3, 6, 7, 9], [5, 3, 7, 11, 9, 8], [9, 5, 7, 10, 11, 12]];
        check_input(strip, 12, Some(four.as_flattened()));
    }

    #[test]
    fn adjacent_vertices_are_not_drawn() {
        check(Topology::LinesAdjacency, 9, &[1, 2, 5, 6]);
        check(Topology::LineStripAdjacency, 5, &[1, 2, 2, 3]);
        check(Topology::LineStripAdjacency, 3, &[]);
        check(Topology::TrianglesAdjacency, 11, &[0, 2, 4]);
        check(Topology::TriangleStripAdjacency, 9, &[0, 2, 4, 4, 2, 6]);
        check(Topology::TriangleStripAdjacency, 5, &[]);
        check_first(Topology::TriangleStripAdjacency, 8, &[0, 2, 4, 2, 6, 4]);
    }

    /// Checks the places of the vertices of an even primitive, then of an odd one.
    #[track_caller]
    fn check_places(
        primitive: Primitive,
        (from, to): (ProvokingVertex, ProvokingVertex),
        expected: [u32; 6],
    ) {
        let word = strip_places(primitive, from, to);
        let found = [0, 1, 2, 3, 4, 5].map(|number| word >> (2 * number) & 3);
        assert_eq!((found, word >> 12), (expected, 0));
    }

    #[test]
    fn strips_have_the_provoking_vertex_where_the_backend_looks() {
        use Primitive::{Lines, Points, Triangles};
        use ProvokingVertex::{First, Last};
        check_places(Points, (Last, First), [0; 6]);
        check_places(Lines, (Last, Last), [0, 1, 0, 0, 1, 0]);
        check_places(Lines, (Last, First), [1, 0, 0, 1, 0, 0]);
        // (a, b, c) and (b, a, c) are provoked by c.
        check_places(Triangles, (Last, Last), [0, 1, 2, 1, 0, 2]);
        check_places(Triangles, (Last, First), [1, 2, 0, 2, 1, 0]);
        // (a, b, c) and (a, c, b) are provoked by a.
        check_places(Triangles, (First, First), [0, 1, 2, 0, 2, 1]);
        check_places(Triangles, (First, Last), [2, 0, 1, 2, 1, 0]);
    }

    #[test]
    fn what_is_captured_is_in_gls_order() {
        use ProvokingVertex::{First, Last};
        assert_eq!(capture_order(Primitive::Triangles, Last, Last), [0, 1, 2]);
        assert_eq!(capture_order(Primitive::Triangles, Last, First), [1, 2, 0]);
        assert_eq!(capture_order(Primitive::Triangles, First, Last), [2, 0, 1]);
        assert_eq!(capture_order(Primitive::Lines, First, Last), [1, 0]);
        assert_eq!(capture_order(Primitive::Points, First, Last), [0]);
    }
}
