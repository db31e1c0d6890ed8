//! Tests the tessellator against what OpenGL 4.6 core, 11.2.2 requires of any tessellation.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd];

fn pattern(domain: Domain, spacing: Spacing) -> TessellationPattern {
    TessellationPattern { domain, spacing, is_clockwise: false, is_point_mode: false }
}

fn divide(domain: Domain, spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) -> Tessellated {
    tessellate(pattern(domain, spacing), &TessellationLevels { outer, inner })
}

/// Checks the numbers of points and primitives.
#[track_caller]
fn check_counts(
    (domain, spacing): (Domain, Spacing),
    (outer, inner): ([f32; 4], [f32; 2]),
    expected: (usize, usize),
) {
    let found = divide(domain, spacing, outer, inner);
    let vertices = primitive(pattern(domain, spacing)).vertices();
    let vertices = usize::try_from(vertices).expect("at most three");
    assert_eq!((found.points.len(), found.indices.len() / vertices), expected);
}

/// Counted by the specification's construction: points of the outer edges and of each ring; between two rings, as many
/// triangles as segments.
#[test]
fn numbers_of_points_and_triangles() {
    use Domain::{Quads, Triangles};
    use Spacing::{Equal, FractionalEven, FractionalOdd};
    let all = |level: f32| ([level; 4], [level; 2]);
    for spacing in [Equal, FractionalOdd] {
        check_counts((Triangles, spacing), all(1.0), (3, 1));
        check_counts((Triangles, spacing), all(3.0), (12, 13));
        check_counts((Quads, spacing), all(1.0), (4, 2));
        check_counts((Quads, spacing), all(3.0), (16, 18));
        check_counts((Quads, spacing), all(5.0), (36, 50));
    }
    for spacing in [Equal, FractionalEven] {
        check_counts((Triangles, spacing), all(2.0), (7, 6));
        check_counts((Triangles, spacing), all(4.0), (19, 24));
        check_counts((Quads, spacing), all(2.0), (9, 8));
        check_counts((Quads, spacing), all(64.0), (65 * 65, 2 * 64 * 64));
    }
    check_counts((Quads, Equal), ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0]), (10 + 4 * 5, 60 - 22 + 10));
    check_counts((Triangles, Equal), ([2.0, 3.0, 4.0, 0.0], [5.0, 0.0]), (9 + 9 + 3, 9 + 9 + 13));
}

/// Table 11.1 and the text before it: levels are clamped and rounded up.
#[test]
fn levels_round_up_and_are_clamped() {
    use Spacing::{Equal, FractionalEven, FractionalOdd};
    let cases = [
        (Equal, [(0.1, 1), (1.0, 1), (1.000_000_1, 2), (2.5, 3), (63.1, 64), (1e9, 64)]),
        (FractionalEven, [(0.1, 2), (2.0, 2), (2.000_000_5, 4), (4.0, 4), (62.1, 64), (1e9, 64)]),
        (FractionalOdd, [(0.1, 1), (1.0, 1), (1.000_000_1, 3), (3.0, 3), (61.1, 63), (1e9, 63)]),
    ];
    for (spacing, levels) in cases {
        for (level, segments) in levels {
            assert_eq!(Edge::new(spacing, level).segments(), segments, "{spacing:?} {level}");
        }
        assert_eq!(Edge::new(spacing, f32::NAN), Edge::new(spacing, 0.5));
        assert_eq!(Edge::new(spacing, f32::INFINITY), Edge::new(spacing, 64.0));
    }
}

/// Sorted points of the edge v = 0 of a quad.
fn lower_edge(spacing: Spacing, level: f32) -> Vec<f32> {
    let quad = divide(Domain::Quads, spacing, [1.0, level, 1.0, 1.0], [4.0; 2]);
    let on_edge = quad.points.iter().filter(|point| point[1] == 0.0);
    let mut places: Vec<f32> = on_edge.map(|point| point[0]).collect();
    places.sort_by(f32::total_cmp);
    places
}

#[test]
fn equal_spacing_divides_edges_equally() {
    for segments in 1_u8..=64 {
        let count = f32::from(segments);
        let places = lower_edge(Spacing::Equal, count);
        assert_eq!(places.len(), usize::from(segments) + 1);
        for (idx, place) in (0..=segments).zip(places) {
            let exact = f32::from(idx) / count;
            let bound = if segments.is_power_of_two() { 0.0 } else { 1.0 / 4096.0 };
            assert!((place - exact).abs() <= bound, "{idx} of {segments}: {place}");
        }
    }
}

/// 11.2.2: all segments except two have the same length; those two are shorter and placed symmetrically.
#[test]
fn fractional_spacing_has_two_shorter_segments() {
    for (spacing, level) in [(Spacing::FractionalEven, 6.5), (Spacing::FractionalOdd, 5.25)] {
        let places = lower_edge(spacing, level);
        let mut lengths: Vec<f32> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mirrored: Vec<f32> = lengths.iter().rev().copied().collect();
        assert_eq!(lengths, mirrored);
        lengths.sort_by(f32::total_cmp);
        let (short, long) = lengths.split_at(2);
        assert!(short[1] < long[0] - 0.02, "{lengths:?}");
        assert!(long.iter().all(|length| (length - 1.0 / level).abs() < 0.02), "{lengths:?}");
    }
}

#[test]
fn edges_of_the_same_level_have_the_same_points() {
    for spacing in SPACINGS {
        for level in [1.0, 1.5, 2.0, 3.3, 7.0, 8.0, 21.7, 64.0] {
            let other = 5.0;
            let one = divide(Domain::Quads, spacing, [level, other, other, other], [9.0, 4.0]);
            let two = divide(Domain::Quads, spacing, [2.0, 3.0, level, 1.0], [2.0, 3.0]);
            let tri = divide(Domain::Triangles, spacing, [level, 4.0, 1.0, 1.0], [6.0, 0.0]);
            let along = |all: &Tessellated, at: f32| -> BTreeSet<u32> {
                let on_edge = all.points.iter().filter(|point| point[0].to_bits() == at.to_bits());
                on_edge.map(|point| point[1].to_bits()).collect()
            };
            assert_eq!(along(&one, 0.0), along(&two, 1.0), "{spacing:?} {level}");
            assert_eq!(along(&one, 0.0), along(&tri, 0.0), "{spacing:?} {level}");
        }
    }
}

/// Converts coordinates to integers.
fn grid(point: [f32; 3]) -> [i64; 3] {
    #[expect(clippy::cast_possible_truncation, reason = "it is a whole number up to 65536")]
    point.map(|number| (f64::from(number) * 65536.0) as i64)
}

#[test]
fn an_outer_edge_is_the_mirror_of_itself() {
    for spacing in SPACINGS {
        for level in [1.0, 2.7, 3.0, 7.3, 11.0, 33.3] {
            for domain in [Domain::Triangles, Domain::Quads] {
                let found = divide(domain, spacing, [level; 4], [3.0; 2]);
                let all: BTreeSet<[i64; 3]> = found.points.iter().map(|at| grid(*at)).collect();
                let edge: Vec<[i64; 3]> = all.iter().filter(|at| at[0] == 0).copied().collect();
                assert!(edge.len() > 1);
                for [u, v, w] in edge {
                    let is_triangle = domain == Domain::Triangles;
                    assert_eq!(v + w + u, if is_triangle { 65536 } else { v });
                    let mirrored = [u, 65536 - v, if is_triangle { v } else { 0 }];
                    assert!(all.contains(&mirrored), "{spacing:?} {level} {v}");
                }
            }
        }
    }
}

/// Twice the signed area of each triangle.
fn areas(found: &Tessellated) -> Vec<i64> {
    let at = |idx: u32| grid(found.points[usize::try_from(idx).expect("small")]);
    let area = |triangle: &[u32]| {
        let ([au, av, _], [bu, bv, _], [cu, cv, _]) =
            (at(triangle[0]), at(triangle[1]), at(triangle[2]));
        (bu - au) * (cv - av) - (cu - au) * (bv - av)
    };
    found.indices.chunks_exact(3).map(area).collect()
}

/// Checks that every edge inside the domain has a triangle on each side, and every edge on its border one inside.
fn check_closed(domain: Domain, found: &Tessellated) {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for triangle in found.indices.chunks_exact(3) {
        for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|edge| edge.map(|idx| triangle[idx])) {
            let times = edges.entry([from, to]).or_default();
            *times += 1;
            assert_eq!(*times, 1, "two triangles on the same side of an edge");
        }
    }
    let single = edges.keys().filter(|[from, to]| !edges.contains_key(&[*to, *from]));
    for [from, to] in single {
        let ends = [from, to].map(|idx| grid(found.points[usize::try_from(*idx).expect("small")]));
        let is_on = |axis: usize, at: i64| ends.iter().all(|end| end[axis] == at);
        let is_border = match domain {
            Domain::Triangles => (0..3).any(|axis| is_on(axis, 0)),
            Domain::Quads => (0..2).any(|axis| is_on(axis, 0) || is_on(axis, 65536)),
            Domain::Isolines => false,
        };
        assert!(is_border, "{ends:?}");
    }
}

#[test]
fn triangles_cover_the_domain_once() {
    let levels = [1.0, 1.1, 2.0, 2.4, 3.0, 4.0, 5.0, 6.9, 8.0, 13.0, 16.5, 63.0, 64.0];
    for (domain, whole) in [(Domain::Triangles, 1_i64 << 32), (Domain::Quads, 2 << 32)] {
        for spacing in SPACINGS {
            for (idx, level) in levels.iter().enumerate() {
                for step in 0..levels.len() {
                    let other = |by: usize| levels[(idx + step * by) % levels.len()];
                    let outer = [*level, other(1), other(2), other(3)];
                    let inner = [other(4), other(5)];
                    let found = divide(domain, spacing, outer, inner);
                    let areas = areas(&found);
                    let what = format!("{domain:?} {spacing:?} {outer:?} {inner:?}");
                    assert_eq!(areas.iter().sum::<i64>(), whole, "{what}");
                    // Rounding may flip a triangle that is almost a line.
                    assert!(areas.iter().all(|area| *area > -(1 << 18)), "{what}");
                    check_closed(domain, &found);
                    let used: BTreeSet<u32> = found.indices.iter().copied().collect();
                    assert_eq!(used.len(), found.points.len(), "{what}");
                }
            }
        }
    }
}

#[test]
fn clockwise_triangles_wind_the_other_way() {
    for domain in [Domain::Triangles, Domain::Quads] {
        let levels = TessellationLevels { outer: [5.0; 4], inner: [4.0; 2] };
        let clockwise =
            TessellationPattern { is_clockwise: true, ..pattern(domain, Spacing::Equal) };
        let found = tessellate(clockwise, &levels);
        assert!(areas(&found).iter().all(|area| *area < 0));
        let other = tessellate(pattern(domain, Spacing::Equal), &levels);
        assert!(areas(&other).iter().all(|area| *area > 0));
    }
}

#[test]
fn point_mode_has_every_point_once() {
    for domain in [Domain::Triangles, Domain::Quads, Domain::Isolines] {
        let levels = TessellationLevels { outer: [3.0, 4.0, 5.0, 6.0], inner: [5.0, 2.0] };
        let own = pattern(domain, Spacing::Equal);
        let found = tessellate(TessellationPattern { is_point_mode: true, ..own }, &levels);
        let count = u32::try_from(found.points.len()).expect("small");
        assert_eq!(found.indices, (0..count).collect::<Vec<_>>());
        assert_eq!(found.points, tessellate(own, &levels).points);
        let distinct: BTreeSet<_> = found.points.iter().map(|point| grid(*point)).collect();
        assert_eq!(distinct.len(), found.points.len());
    }
}

#[test]
fn a_patch_with_an_outer_level_of_zero_is_discarded() {
    let inner = [4.0; 2];
    for level in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        for (domain, used) in [(Domain::Triangles, 3), (Domain::Quads, 4), (Domain::Isolines, 2)] {
            for idx in 0..4 {
                let mut outer = [2.0; 4];
                outer[idx] = level;
                let found = divide(domain, Spacing::Equal, outer, inner);
                assert_eq!(found.points.is_empty(), idx < used, "{domain:?} {idx} {level}");
            }
        }
    }
    // Inner levels are only clamped.
    check_counts((Domain::Quads, Spacing::Equal), ([1.0; 4], [f32::NAN, -1.0]), (4, 2));
}

/// 11.2.2.1 and 11.2.2.2: the inside is divided as if the level were 1 + ε.
#[test]
fn an_inner_level_of_one_is_divided_if_another_level_is_more() {
    use Domain::{Quads, Triangles};
    use Spacing::{Equal, FractionalEven, FractionalOdd};
    let outer = [1.0, 1.0, 3.0, 1.0];
    check_counts((Triangles, Equal), (outer, [1.0; 2]), (5 + 1, 5));
    check_counts((Triangles, FractionalOdd), (outer, [1.0; 2]), (5 + 3, 5 + 3 + 1));
    check_counts((Quads, Equal), (outer, [1.0; 2]), (6 + 1, 6));
    check_counts((Quads, FractionalOdd), (outer, [1.0; 2]), (6 + 4, 6 + 4 + 2));
    check_counts((Quads, Equal), ([1.0; 4], [1.0, 3.0]), (4 + 2, 4 + 2));
    check_counts((Quads, FractionalOdd), ([1.0; 4], [3.0, 1.0]), (4 + 4, 4 + 4 + 2));
    check_counts((Quads, FractionalEven), ([1.0; 4], [1.0; 2]), (9, 8));
    // A fourth outer level and a second inner one do not count.
    check_counts((Triangles, Equal), ([1.0, 1.0, 1.0, 9.0], [1.0, 9.0]), (3, 1));
}

/// 11.2.2.3: lines of constant v, none at v = 1, equally spaced whatever the spacing.
#[test]
fn isolines_are_rows() {
    for spacing in SPACINGS {
        let found = divide(Domain::Isolines, spacing, [3.2, 2.0, 0.0, 0.0], [0.0; 2]);
        let segments = if spacing == Spacing::FractionalOdd { 3 } else { 2 };
        let rows: BTreeSet<i64> = found.points.iter().map(|point| grid(*point)[1]).collect();
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [0, 16384, 32768, 49152]);
        assert_eq!(found.points.len(), 4 * (segments + 1));
        assert_eq!(found.indices.len(), 4 * segments * 2);
        for line in found.indices.chunks_exact(2) {
            let [from, to] =
                [line[0], line[1]].map(|idx| found.points[usize::try_from(idx).expect("small")]);
            let row = |point: [f32; 3]| [point[1], point[2]].map(f32::to_bits);
            assert!(from[0] < to[0] && row(from) == row(to));
        }
    }
}
