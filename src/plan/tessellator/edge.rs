//! Edges, divided by a level: the numbers from 0 to 1 at the ends of its segments.

use ir::tessellation::Spacing;

/// 1 with 16 fractional bits.
pub(super) const ONE: u32 = 1 << 16;

/// 1/2 with 16 fractional bits.
pub(super) const HALF: u32 = ONE / 2;

/// Bits of the fraction.
const FRACTION: u32 = ONE - 1;

/// The number as a float, exactly.
pub(super) fn to_float(number: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "it is at most 2^16")]
    let (number, one) = (number as f32, ONE as f32);
    number / one
}

/// Two thirds of a number, rounded.
pub(super) const fn two_thirds(number: u32) -> u32 {
    (number * (ONE * 2 / 3) + HALF) >> 16
}

/// A divided edge. It is symmetric: the places of segments k and n - k add up to 1 exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    segments: u32,
    /// Points of the first half, without the middle of an even number of segments.
    half: u32,
    /// How far the points are from those of the lower whole level to those of the upper, with 16 fractional bits.
    fraction: u32,
    /// Point of a half after which the upper level has one more. [`u32::MAX`] for a whole level.
    split: u32,
    /// 1 / number of segments of the lower and of the upper whole level.
    lengths: [u32; 2],
}

impl Edge {
    /// The edge for a level, which is clamped and rounded as the spacing says (table 11.1 and the text before it).
    pub(super) fn new(spacing: Spacing, level: f32) -> Self {
        let (level, is_odd) = clamp(spacing, level);
        Self::of(level, is_odd)
    }

    /// The edge for an inner level that is not alone in being 1: that counts as 1 + ε.
    pub(super) fn inner(spacing: Spacing, level: f32) -> Self {
        match clamp(spacing, level) {
            (ONE, true) if spacing == Spacing::Equal => Self::of(2 * ONE, false),
            (ONE, true) => Self::of(ONE + 1, true),
            (level, is_odd) => Self::of(level, is_odd),
        }
    }

    /// The edge for a level with 16 fractional bits and an odd or an even number of segments.
    fn of(level: u32, is_odd: bool) -> Self {
        // An odd number has half a segment more in each half.
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

    /// Place of the start of segment `idx`; with the number of segments, that of the end.
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

    /// Places from the start on without the last, where `depth` segments are cut off at both ends.
    pub(super) fn ascending(&self, depth: u32) -> impl Iterator<Item = u32> + '_ {
        (depth..self.segments - depth).map(|idx| self.place(idx))
    }

    /// Places from the end on without the last, where `depth` segments are cut off at both ends.
    pub(super) fn descending(&self, depth: u32) -> impl Iterator<Item = u32> + '_ {
        (depth + 1..=self.segments - depth).rev().map(|idx| self.place(idx))
    }
}

/// The clamped level with 16 fractional bits, and whether there is an odd number of segments. NaN is the lowest.
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

/// The number with 16 fractional bits. What is above a whole number stays so, because it has more segments.
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
