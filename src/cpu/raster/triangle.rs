//! Computes the coverage of triangles and interpolates their values.
//!
//! Corners lie on a grid of subpixels, so edge functions are exact integers: coverage does not depend on rounding, and
//! neighbouring triangles neither share a sample nor leave one out.

use super::samples::{MAX_SAMPLES, SUBPIXELS};
use crate::numbers::{real, whole};

/// A corner of a triangle in the framebuffer. Its shares are weights of the values at the vertices of the primitive:
/// clipping makes corners between vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// Position in subpixels on the grid, y downwards, for coverage.
    pub(crate) at: [i64; 2],
    /// Exact position in subpixels, for interpolation.
    pub(crate) place: [f64; 2],
    /// Depth.
    pub(crate) depth: f64,
    /// Reciprocal of the w in clip space.
    pub(crate) over_w: f64,
    /// Shares that vary linearly in clip space.
    pub(crate) perspective: [f64; 3],
    /// Shares that vary linearly in the framebuffer.
    pub(crate) linear: [f64; 3],
}

/// A triangle with an area, or a rectangle of which it is a half. Its edge functions are positive inside.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    corners: [Corner; 3],
    planes: Planes,
    /// The sides of the covered area: those of the triangle and one that excludes nothing, or those of the rectangle.
    sides: [Edge; 4],
    /// True if the corners are in clockwise order on the screen.
    pub(crate) is_clockwise: bool,
}

/// Maximum coordinate of a corner, in subpixels: 64 times the side of the largest target.
const FARTHEST: i64 = 1 << 28;

/// The edge opposite a corner: `dx · (y − from.y) − dy · (x − from.x)`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: [i64; 2],
    dx: i64,
    dy: i64,
    /// Subtracted from the edge function: 1 if points on the edge are outside, otherwise 0.
    bias: i64,
}

impl Edge {
    /// In a framebuffer with y downwards, the inside of a top edge is below it, and that of a left edge is to its
    /// right.
    const fn new(from: [i64; 2], to: [i64; 2]) -> Self {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let is_top_or_left = dy < 0 || dy == 0 && dx > 0;
        Self { from, dx, dy, bias: if is_top_or_left { 0 } else { 1 } }
    }

    const fn is_nothing(&self) -> bool {
        self.dx == 0 && self.dy == 0
    }

    const fn without_bias(self) -> Self {
        Self { bias: 0, ..self }
    }

    const fn at(&self, [x, y]: [i64; 2]) -> i64 {
        self.dx * (y - self.from[1]) - self.dy * (x - self.from[0])
    }

    /// The increment of the edge function between two points at this distance.
    const fn step(&self, [x, y]: [i64; 2]) -> i64 {
        self.dx * y - self.dy * x
    }
}

/// Four pixels with covered samples: (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1), with even x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quad {
    /// Leftmost column.
    pub(crate) x: i64,
    /// Upper row.
    pub(crate) y: i64,
    /// A bit for each covered sample of each pixel.
    pub(crate) coverage: [u32; 4],
}

/// Values of a triangle at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// Shares of the vertices in values that vary linearly in clip space.
    pub(crate) perspective: [f64; 3],
    /// Shares of the vertices in values that vary linearly in the framebuffer.
    pub(crate) linear: [f64; 3],
    /// Reciprocal of w.
    pub(crate) over_w: f64,
}

impl Triangle {
    /// Makes a triangle; `None` without an area.
    pub(crate) fn new(corners: &[Corner; 3]) -> Option<Self> {
        let corners = *corners;
        let [a, b, c] = corners.map(|corner| corner.at);
        let area = Edge::new(a, b).at(c);
        let is_clockwise = area > 0;
        let corners = if is_clockwise { corners } else { [corners[0], corners[2], corners[1]] };
        let [a, b, c] = corners.map(|corner| corner.at);
        let nothing = Edge::new([0, 0], [0, 0]).without_bias();
        let sides = [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b), nothing];
        let planes = Planes::of(&corners);
        (area != 0).then_some(Self { corners, planes, sides, is_clockwise })
    }

    /// Makes a rectangle whose values are those of the triangle of its first three corners; `None` without an area.
    pub(crate) fn rectangle(corners: &[Corner; 4]) -> Option<Self> {
        let triangle = Self::new(&[corners[0], corners[1], corners[2]])?;
        let [a, b, c, d] = corners.each_ref().map(|corner| corner.at);
        let mut sides = [[a, b], [b, c], [c, d], [d, a]];
        if !triangle.is_clockwise {
            sides = sides.map(|[from, to]| [to, from]);
        }
        Some(Self { sides: sides.map(|[from, to]| Edge::new(from, to)), ..triangle })
    }

    /// The range of quads of a framebuffer that may be covered, along both axes.
    pub(crate) fn bounds(&self, size: [u32; 2]) -> [[i64; 2]; 2] {
        let range = |axis: usize, side: u32| {
            let rest = self.corners.map(|corner| corner.at[axis]);
            let places = self.sides.map(|side| side.from[axis]);
            // The fourth side of a triangle excludes nothing.
            let places = if self.sides[3].is_nothing() {
                [rest[0], rest[0], rest[1], rest[2]]
            } else {
                places
            };
            let least = places.into_iter().fold(i64::MAX, i64::min);
            let most = places.into_iter().fold(i64::MIN, i64::max);
            let first = least.div_euclid(SUBPIXELS).max(0) & !1;
            [first, most.div_euclid(SUBPIXELS).saturating_add(1).min(i64::from(side))]
        };
        [range(0, size[0]), range(1, size[1])]
    }

    /// Calls `emit` for every quad of a framebuffer of `size` pixels with a covered sample. `samples` are the positions
    /// of the samples of a pixel.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub(crate) fn cover<E>(
        &self,
        [width, height]: [u32; 2],
        samples: &[[i64; 2]],
        mut emit: impl FnMut(Quad) -> Result<(), E>,
    ) -> Result<(), E> {
        let [[left, right], [top, bottom]] = self.bounds([width, height]);
        let size = [i64::from(width), i64::from(height)];
        let offsets = self.sample_offsets(samples);
        let offsets = &offsets[..samples.len().min(MAX_SAMPLES)];
        let (right_step, down_step) = ([SUBPIXELS, 0], [0, SUBPIXELS]);
        let steps = [[0, 0], right_step, down_step, [SUBPIXELS; 2]];
        let steps = steps.map(|step| self.sides.map(|edge| edge.step(step)));
        let next = self.sides.map(|edge| edge.step([2 * SUBPIXELS, 0]));
        let mut y = top;
        while y < bottom {
            let corner = [left * SUBPIXELS, y * SUBPIXELS];
            let mut values = self.sides.map(|edge| edge.at(corner) - edge.bias);
            let mut x = left;
            while x < right {
                let mut coverage = steps.map(|step| covered(values, step, offsets));
                if x + 1 >= size[0] {
                    (coverage[1], coverage[3]) = (0, 0);
                }
                if y + 1 >= size[1] {
                    (coverage[2], coverage[3]) = (0, 0);
                }
                if coverage != [0; 4] {
                    emit(Quad { x, y, coverage })?;
                }
                for (value, next) in values.iter_mut().zip(next) {
                    *value += next;
                }
                x += 2;
            }
            y += 2;
        }
        Ok(())
    }

    fn sample_offsets(&self, samples: &[[i64; 2]]) -> [[i64; 4]; MAX_SAMPLES] {
        let mut offsets = [[0; 4]; MAX_SAMPLES];
        for (offset, at) in offsets.iter_mut().zip(samples) {
            *offset = self.sides.map(|edge| edge.step(*at));
        }
        offsets
    }

    /// The values at a point, in subpixels.
    pub(crate) fn shares(&self, at: [i64; 2]) -> Shares {
        let parts = self.parts(at);
        let mut shares = Shares::default();
        for (part, corner) in parts.into_iter().zip(&self.corners) {
            let part_over_w = part * corner.over_w;
            shares.over_w += part_over_w;
            for vertex in 0..3 {
                shares.perspective[vertex] += part_over_w * corner.perspective[vertex];
                shares.linear[vertex] += part * corner.linear[vertex];
            }
        }
        let [first, second, third] = shares.perspective;
        let over_sum = 1.0 / (first + second + third);
        shares.perspective = [first * over_sum, second * over_sum, third * over_sum];
        shares
    }

    /// The depth at a point, in subpixels.
    pub(crate) fn depth(&self, at: [i64; 2]) -> f64 {
        let parts = self.parts(at).into_iter().zip(&self.corners);
        parts.map(|(part, corner)| part * corner.depth).sum()
    }

    /// True if the depth is the same everywhere.
    pub(crate) fn is_level(&self) -> bool {
        let [first, others @ ..] = self.corners.map(|corner| corner.depth.to_bits());
        others == [first; 2]
    }

    /// The largest 1 / w, if 1 / w varies.
    pub(crate) fn steepness(&self) -> Option<f64> {
        let all = self.corners.map(|corner| corner.over_w);
        let most = all.into_iter().fold(0.0, f64::max);
        all.iter().any(|over_w| over_w.to_bits() != most.to_bits()).then_some(most)
    }

    /// True if w is 1 everywhere, so that perspective has no effect.
    pub(crate) fn has_unit_w(&self) -> bool {
        self.corners.iter().all(|corner| corner.over_w.to_bits() == 1.0_f64.to_bits())
    }

    /// True if a corner is not a vertex of the primitive but a point on a clipping plane.
    pub(crate) fn is_clipped(&self) -> bool {
        !self.corners.iter().all(|corner| corner.perspective.contains(&1.0))
    }

    /// Shares of the corners.
    fn parts(&self, at: [i64; 2]) -> [f64; 3] {
        self.planes.parts(at.map(real))
    }
}

/// The shares of the corners of a triangle, as functions of the position.
#[derive(Clone, Copy, Debug)]
struct Planes {
    corners: [[f64; 2]; 3],
    /// Twice the area, in square subpixels.
    area: f64,
    /// Reciprocal of `area`.
    over_area: f64,
}

impl Planes {
    /// Interpolates between the exact positions of the corners. Triangles narrower than a pixel are interpolated
    /// between the positions on the grid, because covered points may be far outside the exact triangle, relative to its
    /// size.
    fn of(corners: &[Corner; 3]) -> Self {
        let exact = Self::between(corners.each_ref().map(|corner| corner.place));
        let [a, b, c] = exact.corners;
        let sides = [[a, b], [b, c], [c, a]];
        let lengths = sides.map(|[from, to]| (to[0] - from[0]).hypot(to[1] - from[1]));
        let longest = lengths.into_iter().fold(0.0, f64::max);
        if exact.area > longest * real(SUBPIXELS) {
            return exact;
        }
        Self::between(corners.each_ref().map(|corner| corner.at.map(real)))
    }

    fn between(corners: [[f64; 2]; 3]) -> Self {
        let area = product(corners[0], corners[1], corners[2]);
        Self { corners, area, over_area: 1.0 / area }
    }

    fn parts(&self, at: [f64; 2]) -> [f64; 3] {
        let [a, b, c] = self.corners;
        [product(b, c, at), product(c, a, at), product(a, b, at)]
            .map(|value| value * self.over_area)
    }
}

/// The edge function, like [`Edge::at`]: positive on the inner side.
fn product(from: [f64; 2], to: [f64; 2], at: [f64; 2]) -> f64 {
    (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
}

/// The covered samples of a pixel.
fn covered(values: [i64; 4], step: [i64; 4], samples: &[[i64; 4]]) -> u32 {
    let mut bits = 0;
    for (bit, sample) in samples.iter().enumerate() {
        let mut all = 0;
        for side in 0..4 {
            all |= values[side] + step[side] + sample[side];
        }
        // The sign bit is set if any value is negative.
        if all >= 0 {
            bits |= 1 << bit;
        }
    }
    bits
}

impl Corner {
    /// A corner at a position in pixels. A position far outside every target, as from a w of almost 0, is clamped to
    /// [`FARTHEST`], so that no product of distances overflows.
    pub(crate) fn at(pixels: [f64; 2]) -> Self {
        let place = pixels.map(|side| side * real(SUBPIXELS));
        let at = place.map(|side| whole(side.round()).clamp(-FARTHEST, FARTHEST));
        Self { at, place, ..Self::default() }
    }

    /// Moves the corner by this distance in subpixels.
    pub(crate) fn moved(self, by: [i64; 2]) -> Self {
        let at = [self.at[0] + by[0], self.at[1] + by[1]];
        let place = [self.place[0] + real(by[0]), self.place[1] + real(by[1])];
        Self { at, place, ..self }
    }
}

/// The point of pixel (x, y) at `offset` subpixels.
pub(crate) const fn point([x, y]: [i64; 2], offset: [i64; 2]) -> [i64; 2] {
    [x * SUBPIXELS + offset[0], y * SUBPIXELS + offset[1]]
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::samples::positions;
    use super::*;

    fn is_near(shares: [f64; 3], expected: [f64; 3]) -> bool {
        shares.into_iter().zip(expected).all(|(share, other)| (share - other).abs() < 1e-15)
    }

    fn corner(x: f64, y: f64) -> Corner {
        Corner { over_w: 1.0, ..Corner::at([x, y]) }
    }

    /// Increments the count of every covered sample.
    fn count(counts: &mut [u32], side: u32, samples: u32, corners: [[f64; 2]; 3]) {
        let corners = corners.map(|[x, y]| corner(x, y));
        let Some(triangle) = Triangle::new(&corners) else { return };
        let places = positions(samples).expect("there is such a number");
        let emitted = triangle.cover([side; 2], places, |quad| {
            for (pixel, coverage) in quad.coverage.into_iter().enumerate() {
                for sample in (0..samples).filter(|sample| coverage >> sample & 1 == 1) {
                    let x = quad.x + i64::try_from(pixel % 2).expect("small");
                    let y = quad.y + i64::try_from(pixel / 2).expect("small");
                    let place = (y * i64::from(side) + x) * i64::from(samples) + i64::from(sample);
                    counts[usize::try_from(place).expect("inside")] += 1;
                }
            }
            Ok::<(), Infallible>(())
        });
        emitted.expect("it cannot fail");
    }

    /// Checks a polygon around the whole framebuffer, as a fan around `centre`: each sample is covered by one triangle.
    #[track_caller]
    fn check_fan(side: u32, samples: u32, centre: [f64; 2]) {
        let most = f64::from(side);
        let rim = [[0.0, 0.0], [1.7, 0.0], [most, 0.0], [most, 3.25], [most, most], [0.0, most]];
        let mut counts = vec![0; (side * side * samples) as usize];
        for (idx, from) in rim.iter().enumerate() {
            let to = rim[(idx + 1) % rim.len()];
            // Every second triangle is reversed.
            let corners = if idx % 2 == 0 { [centre, *from, to] } else { [centre, to, *from] };
            count(&mut counts, side, samples, corners);
        }
        assert!(counts.iter().all(|count| *count == 1), "{centre:?}: {counts:?}");
    }

    #[test]
    fn corners_anywhere_are_no_overflow() {
        let far = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300];
        for [first, second] in [[0, 1], [1, 0], [2, 3], [3, 1]] {
            let corners = [[far[first], far[second]], [far[second], far[first]], [0.0, 1.0]];
            let triangle = Triangle::new(&corners.map(Corner::at));
            assert!(triangle.is_none_or(|triangle| {
                triangle
                    .corners
                    .iter()
                    .all(|corner| corner.at.iter().all(|side| side.abs() <= FARTHEST))
            }));
        }
    }

    #[test]
    fn triangles_that_meet_cover_each_sample_once() {
        for samples in [1, 4] {
            // The centre is on a sample, on a grid line, on the centre of a pixel, or anywhere.
            for centre in [[3.5, 3.5], [4.0, 4.0], [2.375, 5.125], [3.137, 4.71], [0.5, 0.5]] {
                check_fan(7, samples, centre);
                check_fan(8, samples, centre);
            }
        }
    }

    #[test]
    fn a_centre_on_an_edge_belongs_to_the_triangle_below_or_to_its_right() {
        let mut counts = [0; 16];
        // The sides pass through the centres of columns 0 and 2 and of rows 0 and 2.
        count(&mut counts, 4, 1, [[0.5, 0.5], [2.5, 0.5], [2.5, 2.5]]);
        count(&mut counts, 4, 1, [[0.5, 0.5], [2.5, 2.5], [0.5, 2.5]]);
        assert_eq!(counts, [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn without_area_there_is_no_triangle() {
        let line = [corner(0.0, 0.0), corner(1.0, 1.0), corner(2.0, 2.0)];
        assert!(Triangle::new(&line).is_none());
        let turn =
            |corners: [Corner; 3]| Triangle::new(&corners).map(|triangle| triangle.is_clockwise);
        let [a, b, c] = [corner(0.0, 0.0), corner(4.0, 0.0), corner(0.0, 4.0)];
        assert_eq!(turn([a, b, c]), Some(true));
        assert_eq!(turn([a, c, b]), Some(false));
    }

    #[test]
    fn shares_are_those_of_the_vertices_and_perspective_favours_the_near_one() {
        let share = |idx: usize| {
            let mut share = [0.0; 3];
            share[idx] = 1.0;
            share
        };
        let corner = |at: [f64; 2], idx: usize, w: f64| Corner {
            depth: real(i64::try_from(idx).expect("small")),
            over_w: 1.0 / w,
            perspective: share(idx),
            linear: share(idx),
            ..Corner::at(at)
        };
        // The triangle is counter-clockwise, so two corners are exchanged inside.
        let corners =
            [corner([0.0, 0.0], 0, 1.0), corner([0.0, 8.0], 1, 1.0), corner([8.0, 0.0], 2, 3.0)];
        let triangle = Triangle::new(&corners).expect("it has an area");
        // Half way between vertices 0 and 2.
        let shares = triangle.shares([4 * SUBPIXELS, 0]);
        assert!(is_near(shares.linear, [0.5, 0.0, 0.5]), "{shares:?}");
        // (1/2 · 1/1) : (1/2 · 1/3) = 3 : 1.
        assert!(is_near(shares.perspective, [0.75, 0.0, 0.25]), "{shares:?}");
        assert!((shares.over_w - 2.0 / 3.0).abs() < 1e-15);
        assert!((triangle.depth([4 * SUBPIXELS, 0]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn w_is_one_only_if_it_is_at_all_corners() {
        let triangle = |w: [f64; 3]| {
            let places = [[0.0, 0.0], [0.0, 8.0], [8.0, 0.0]];
            let corners = std::array::from_fn(|idx| Corner {
                over_w: 1.0 / w[idx],
                ..Corner::at(places[idx])
            });
            Triangle::new(&corners).expect("it has an area")
        };
        assert!(triangle([1.0; 3]).has_unit_w());
        assert!(!triangle([2.0; 3]).has_unit_w());
        assert!(!triangle([1.0, 1.0, 2.0]).has_unit_w());
    }

    #[test]
    fn interpolation_is_between_exact_places_unless_the_triangle_is_narrow() {
        let triangle = |height: f64| {
            // The right corner lies between two points of the grid.
            let places = [[0.0, 0.0], [10.0 + 0.75 / 256.0, 0.0], [0.0, height]];
            let corners = places.map(Corner::at);
            Triangle::new(&corners).expect("it has an area").parts([5 * SUBPIXELS, 0])[1]
        };
        assert!((triangle(10.0) - 1280.0 / 2560.75).abs() < 1e-12);
        assert!((triangle(0.5) - 1280.0 / 2561.0).abs() < 1e-12);
    }
}
