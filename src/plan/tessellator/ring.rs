//! Rings of points, and the triangles between two of them.

/// A closed ring of points: the last point of each side is the first of the next. A ring with an even number of
/// segments across may be flat: opposite sides then have the same points.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub(super) sides: Vec<Vec<u32>>,
}

impl Ring {
    /// A ring whose points are numbered from `first` on and whose sides have `lengths` segments.
    pub(super) fn closed(first: u32, lengths: &[usize]) -> Self {
        let mut next = first;
        let side = |length: &usize| {
            let from = next;
            next += u32::try_from(*length).expect("a level is at most 64");
            (from..=next).collect()
        };
        let mut sides: Vec<Vec<u32>> = lengths.iter().map(side).collect();
        if let Some(last) = sides.last_mut().and_then(|side| side.last_mut()) {
            *last = first;
        }
        Self { sides }
    }

    /// A ring that is a single point.
    pub(super) fn point(point: u32, sides: usize) -> Self {
        Self { sides: vec![vec![point]; sides] }
    }

    /// A flat ring, from left to right.
    pub(super) fn row(points: Vec<u32>) -> Self {
        let mut column = Self::column(points);
        column.sides.rotate_right(1);
        column
    }

    /// A flat ring, from top to bottom.
    pub(super) fn column(points: Vec<u32>) -> Self {
        let ends = [points.first(), points.last()].map(|end| end.copied().into_iter().collect());
        let [first, last]: [Vec<u32>; 2] = ends;
        let back = points.iter().rev().copied().collect();
        Self { sides: vec![points, last, back, first] }
    }
}

/// The diagonals that divide the squares of a row. Rows are seen with the outside below, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagonals {
    /// All diagonals go from the left of the inside to the right of the outside.
    FromInside,
    /// All diagonals except that of the middle square go from the left of the inside to the right of the outside.
    FromInsideButMiddle,
}

/// Counter-clockwise triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Triangles {
    pub(super) all: Vec<[u32; 3]>,
}

impl Triangles {
    /// Adds the triangles between a ring and the next, which is `depth` rings away from the edge of the patch.
    pub(super) fn between(&mut self, outside: &Ring, inside: &Ring, depth: u32) {
        for (outside, inside) in outside.sides.iter().zip(&inside.sides) {
            if depth == 1 {
                self.transition(outside, inside);
            } else {
                self.trapezoid(outside, inside);
            }
        }
    }

    /// Adds the triangles between sides with any numbers of segments: one per segment, in the order of the segments'
    /// places in an edge that is halved repeatedly.
    fn transition(&mut self, outside: &[u32], inside: &[u32]) {
        let segments = |side: &[u32]| side.len() - 1;
        let [outer, inner] = [segments(outside), segments(inside)];
        let mut walk = Walk { triangles: self, outside, inside };
        // A half has the segment with `rank` if it has more segments than that. The inside lacks the outside's first
        // segment.
        let [has_outer, has_inner] = [outer / 2, inner / 2 + 1];
        if has_outer > 0 {
            walk.step_outside();
        }
        for rank in (1..=32).map(rank) {
            if rank < has_inner {
                walk.step_inside();
            }
            if rank < has_outer {
                walk.step_outside();
            }
        }
        match (outer % 2 == 1, inner % 2 == 1) {
            (true, true) => {
                walk.step_inside();
                walk.step_middle();
            }
            (true, false) => walk.step_inward(),
            (false, true) => walk.step_inside(),
            (false, false) => {}
        }
        for rank in (1..=32).rev().map(rank) {
            if rank < has_outer {
                walk.step_outside();
            }
            if rank < has_inner {
                walk.step_inside();
            }
        }
        if has_outer > 0 {
            walk.step_outside();
        }
    }

    /// Adds the triangles between a side and one with two segments fewer: squares with mirrored diagonals between two
    /// triangles.
    fn trapezoid(&mut self, outside: &[u32], inside: &[u32]) {
        let [(first, outer), (last, _)] =
            [outside.split_first(), outside.split_last()].map(|split| split.expect("has points"));
        let count = inside.len();
        self.all.push([*first, outer[0], inside[0]]);
        for (idx, (outer, inner)) in outer.windows(2).zip(inside.windows(2)).enumerate() {
            let ([a, b], [c, d]) = ([outer[0], outer[1]], [inner[0], inner[1]]);
            if idx < count / 2 {
                self.all.extend([[a, d, c], [a, b, d]]);
            } else {
                self.all.extend([[c, a, b], [c, b, d]]);
            }
        }
        self.all.push([outside[count], *last, inside[count - 1]]);
    }

    /// Adds the squares between opposite sides of the innermost ring.
    pub(super) fn across(&mut self, outside: &[u32], opposite: &[u32], diagonals: Diagonals) {
        let inside: Vec<u32> = opposite.iter().rev().copied().collect();
        let middle = (inside.len() / 2).saturating_sub(1);
        for (idx, (outer, inner)) in outside.windows(2).zip(inside.windows(2)).enumerate() {
            let ([a, b], [c, d]) = ([outer[0], outer[1]], [inner[0], inner[1]]);
            match diagonals {
                Diagonals::FromInside => self.all.extend([[c, a, b], [c, b, d]]),
                Diagonals::FromInsideButMiddle if idx == middle => {
                    self.all.extend([[a, d, c], [a, b, d]]);
                }
                Diagonals::FromInsideButMiddle => self.all.extend([[a, b, c], [c, b, d]]),
            }
        }
    }
}

/// Two sides that are traversed from left to right.
struct Walk<'a> {
    triangles: &'a mut Triangles,
    outside: &'a [u32],
    inside: &'a [u32],
}

impl Walk<'_> {
    fn step_outside(&mut self) {
        let [from, to] = [self.outside[0], self.outside[1]];
        self.triangles.all.push([from, to, self.inside[0]]);
        self.outside = &self.outside[1..];
    }

    /// Adds the triangle of an outer segment, with its inner point first.
    fn step_inward(&mut self) {
        let [from, to] = [self.outside[0], self.outside[1]];
        self.triangles.all.push([self.inside[0], from, to]);
        self.outside = &self.outside[1..];
    }

    fn step_inside(&mut self) {
        let [from, to] = [self.inside[0], self.inside[1]];
        self.triangles.all.push([from, self.outside[0], to]);
        self.inside = &self.inside[1..];
    }

    /// Adds the second triangle of the middle square.
    fn step_middle(&mut self) {
        self.step_inward();
    }
}

/// The rank in which repeated halving creates place `idx` of 1 to 32 in a half edge of 32 segments: place 17 comes
/// first, then 9 and 25, then 5, 13, 21 and 29. Place 1 is the last.
const fn rank(idx: usize) -> usize {
    if idx == 1 {
        return 32;
    }
    let place = idx - 1;
    let zeros = place.trailing_zeros();
    (1 << (4 - zeros)) + (place >> zeros >> 1)
}
