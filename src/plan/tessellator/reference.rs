//! Reference points and primitives for some levels, from Mesa 22.3.6's llvmpipe, whose tessellator is Direct3D 11's.
//!
//! They were recorded with `shader_runner`: an evaluation stage in point mode, or a geometry stage after one, adds its
//! inputs to words of a storage block. 1,350 sets of levels were compared, 150 for each domain and spacing: equal
//! levels of 1 to 64, fractions, and different levels on each edge. All agreed. The rows here have different levels;
//! the last row of each fractional spacing of triangles and quads has a level between two numbers with 16 fractional
//! bits.

use ir::tessellation::Domain::{self, Isolines, Quads, Triangles};
use ir::tessellation::Spacing::{self, Equal, FractionalEven, FractionalOdd};
use ir::tessellation::{TessellationLevels, TessellationPattern};

use super::{primitive, tessellate};

/// Domain and spacing, outer and inner levels, number of points and their two sums, number of primitives and their sum.
type Row = ((Domain, Spacing), ([f32; 4], [f32; 2]), [u32; 3], [u32; 2]);

#[rustfmt::skip]
#[expect(clippy::unreadable_literal, reason = "they are hashes")]
const ROWS: [Row; 15] = [
    ((Triangles, Equal), ([57.0, 27.0, 4.0, 12.445], [39.0, 17.62]), [1171, 3761505792, 1555522816], [2252, 1949207040]),
    ((Triangles, Equal), ([4.0, 28.796, 7.0, 5.0], [4.0, 15.0]), [47, 479821056, 600191040], [52, 1835940864]),
    ((Triangles, FractionalEven), ([57.0, 2.0, 62.0, 11.0], [23.075, 2.0]), [519, 337984256, 2772925664], [914, 2773458944]),
    ((Triangles, FractionalEven), ([1.0, 60.434, 5.238, 8.0], [7.0, 13.678]), [107, 1522701824, 2058236608], [142, 3153157376]),
    ((Triangles, FractionalOdd), ([63.0, 7.0, 4.0, 22.0], [38.33, 9.301]), [1158, 2285971200, 1869462400], [2239, 1061581312]),
    ((Triangles, FractionalOdd), ([3.0, 41.512, 62.0, 4.0], [26.988, 7.0]), [616, 3921759232, 561442848], [1121, 1225225472]),
    ((Quads, Equal), ([7.0, 32.324, 28.0, 8.0], [40.0, 42.0]), [1675, 406007552, 694852640], [3272, 2248748800]),
    ((Quads, Equal), ([15.0, 5.0, 32.238, 5.0], [55.894, 18.235]), [1048, 671827712, 3906783200], [2036, 1530362624]),
    ((Quads, FractionalEven), ([2.13, 4.0, 19.912, 47.0], [59.578, 9.771]), [607, 3320422912, 2361227584], [1136, 236446720]),
    ((Quads, FractionalEven), ([15.237, 56.0, 7.0, 62.943], [1.0, 54.736]), [199, 3824218368, 914655584], [252, 640269056]),
    ((Quads, FractionalOdd), ([39.538, 8.0, 48.852, 15.0], [9.0, 2.0]), [130, 4179731200, 151444992], [144, 2263336704]),
    ((Quads, FractionalOdd), ([54.533, 49.029, 27.0, 61.193], [32.297, 42.111]), [1540, 1502223104, 331944672], [2882, 3318299136]),
    ((Isolines, Equal), ([34.692, 20.0, 30.0, 4.0], [36.0, 5.0]), [735, 1914417920, 1771676928], [700, 3378288640]),
    ((Isolines, FractionalEven), ([60.335, 24.0, 56.854, 59.267], [6.0, 35.0]), [1525, 3314482688, 319819328], [1464, 2315657216]),
    ((Isolines, FractionalOdd), ([62.0, 4.816, 30.0, 57.0], [7.0, 63.0]), [372, 1308330496, 3226401984], [310, 1673606656]),
];

/// The number of points, and two sums of mixed bits of their coordinates.
fn sums_of_points(points: &[[f32; 3]]) -> [u32; 3] {
    let mut sums = [0_u32; 3];
    for [u, v, w] in points.iter().map(|point| point.map(f32::to_bits)) {
        let first = u.wrapping_mul(2_654_435_761) ^ v.wrapping_mul(40_503) ^ w;
        let second = (u ^ (v >> 3)).wrapping_mul(97) ^ v.wrapping_mul(2_246_822_519);
        sums = [sums[0] + 1, sums[1].wrapping_add(first), sums[2].wrapping_add(second)];
    }
    sums
}

/// The number of primitives, and a sum of mixed bits of the coordinates of each, which depends on their order.
fn sums_of_primitives(points: &[[f32; 3]], indices: &[u32], size: usize) -> [u32; 2] {
    let word = |idx: &u32| {
        let [u, v, _] = points[*idx as usize].map(f32::to_bits);
        u ^ v.wrapping_mul(97)
    };
    let mut sums = [0_u32; 2];
    for corners in indices.chunks(size) {
        let [first, second] = [0, 1].map(|idx| word(&corners[idx]));
        let third = corners.get(2).map_or(0, word);
        let mixed = first.wrapping_mul(2_654_435_761)
            ^ second.wrapping_mul(40_503)
            ^ third.wrapping_mul(2_246_822_519);
        sums = [sums[0] + 1, sums[1].wrapping_add(mixed)];
    }
    sums
}

#[test]
fn points_and_primitives_are_those_of_mesa() {
    for ((domain, spacing), (outer, inner), points, primitives) in ROWS {
        let pattern =
            TessellationPattern { domain, spacing, is_clockwise: false, is_point_mode: false };
        let found = tessellate(pattern, &TessellationLevels { outer, inner });
        let size = primitive(pattern).vertices() as usize;
        let case = format!("{domain:?} {spacing:?} {outer:?} {inner:?}");
        assert_eq!(sums_of_points(&found.points), points, "points of {case}");
        let sums = sums_of_primitives(&found.points, &found.indices, size);
        assert_eq!(sums, primitives, "primitives of {case}");
    }
}
