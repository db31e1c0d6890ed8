//! Edges subdivided by a level: the coordinates, from 0 to 1, of the ends of their segments.

use ir::tessellation::Spacing;

/// The number 1 with 16 fractional bits.
pub(super) const ONE: u32 = 1 << 16;

/// The number 1/2 with 16 fractional bits.
pub(super) const HALF: u32 = ONE / 2;

/// Bits of the fraction.
const FRACTION: u32 = ONE - 1;

/// Converts a number with 16 fractional bits to a float, exactly.
pub(super) fn to_float(number: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "it is at most 2^16")]
    let (number, one) = (number as f32, ONE as f32);
    number / one
}

/// Two thirds of a number, rounded.
pub(super) const fn two_thirds(number: u32) -> u32 {
    (number * (ONE * 2 / 3) + HALF) >> 16
}

/// A subdivided edge. It is symmetric: the coordinates of points k and n - k add up to exactly 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    segments: u32,
    /// Number of points in the first half, without the middle of an even number of segments.
    half: u32,
    /// Weight of the upper whole level in the interpolation between the points of both, with 16 fractional bits.
    fraction: u32,
    /// Point of a half after which the upper level has one more point. [`u32::MAX`] for a whole level.
    split: u32,
    /// 1 / number of segments, of the lower and of the upper whole level.
    lengths: [u32; 2],
}

impl Edge {
    /// The edge for a level, which is clamped and rounded according to the spacing (table 11.1 and the text before it).
    pub(super) fn new(spacing: Spacing, level: f32) -> Self {
        let (level, is_odd) = clamp(spacing, level);
        Self::of(level, is_odd)
    }

    /// The edge for an inner level where not all levels are 1: an inner level of 1 then counts as 1 + ε.
    pub(super) fn inner(spacing: Spacing, level: f32) -> Self {
        match clamp(spacing, level) {
            (ONE, true) if spacing == Spacing::Equal => Self::of(2 * ONE, false),
            (ONE, true) => Self::of(ONE + 1, true),
            (level, is_odd) => Self::of(level, is_odd),
        }
    }

    /// The edge for a level with 16 fractional bits; `is_odd` for an odd number of segments.
    fn of(level: u32, is_odd: bool) -> Self {
        // An odd number of segments adds half a segment to each half.
        let half = level.div_ceil(2) + if is_odd { HALF } else { 0 };
        let (floor, ceil) = (half >> 16, half.div_ceil(ONE));
        let odd = u32::from(is_odd);
        let length = |half: u32| {
            let segments = half * 2 - odd;
            (ONE + segments / 2) / segments
        };
        let split = match (floor == ceil, floor - odd) {
            (true, _) => u32::MAX,
            (false, 0) => 0,
            (false, points) => ((points & !(1 << points.ilog2())) << 1) + 1,
        };
        let lengths = [floor, ceil].map(length);
        Self { segments: ceil * 2 - odd, half: ceil, fraction: half & FRACTION, split, lengths }
    }

    /// Number of segments.
    pub(super) const fn segments(&self) -> u32 {
        self.segments
    }

    /// Coordinate of the start of segment `idx`; for `idx` equal to the number of segments, of the end of the edge.
    pub(super) fn place(&self, idx: u32) -> u32 {
        if idx >= self.half {
            let mirrored = self.segments - idx;
            return if mirrored == self.half { HALF } else { ONE - self.in_half(mirrored) };
        }
        self.in_half(idx)
    }

    fn in_half(&self, idx: u32) -> u32 {
        let [lower, upper] = self.lengths;
        let below = if idx > self.split { idx - 1 } else { idx };
        let sum = below * lower * (ONE - self.fraction) + idx * upper * self.fraction;
        (sum + HALF) >> 16
    }

    /// Coordinates in ascending order without the last, where `depth` segments are cut off at both ends.
    pub(super) fn ascending(&self, depth: u32) -> impl Iterator<Item = u32> + '_ {
        (depth..self.segments - depth).map(|idx| self.place(idx))
    }

    /// Coordinates in descending order without the last, where `depth` segments are cut off at both ends.
    pub(super) fn descending(&self, depth: u32) -> impl Iterator<Item = u32> + '_ {
        (depth + 1..=self.segments - depth).rev().map(|idx| self.place(idx))
    }
}

/// The clamped level with 16 fractional bits, and whether the number of segments is odd. NaN becomes the minimum.
fn clamp(spacing: Spacing, level: f32) -> (u32, bool) {
    let level = if level.is_nan() { 0.0 } else { level };
    match spacing {
        Spacing::Equal => {
            let level = fixed(level.clamp(1.0, 64.0).ceil());
            (level, (level >> 16) % 2 == 1)
        }
        Spacing::FractionalEven => (fixed(level.clamp(2.0, 64.0)), false),
        Spacing::FractionalOdd => (fixed(level.clamp(1.0, 63.0)), true),
    }
}

/// Converts a level to 16 fractional bits. A number above a whole one stays above it, because it has more segments.
fn fixed(level: f32) -> u32 {
    let scaled = f64::from(level) * f64::from(ONE);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "levels are between 1 and 64"
    )]
    let number = scaled.round_ties_even() as u32;
    if number & FRACTION == 0 && f64::from(number) < scaled { number + 1 } else { number }
}
