//! Results read back from an adapter: bytes with a format. Comparison happens elsewhere.

use std::sync::Arc;

use crate::format::Format;

/// Results of running one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readback {
    /// Content that each step's expectation checks, by step index; `None` for other steps.
    pub snapshots: Vec<Option<Snapshot>>,
    /// Errors of the adapter or the API while the case ran. Any message fails the case.
    pub messages: Vec<String>,
    /// Messages of a validation layer or the driver's debug output, if `gpu::validation` is on.
    pub objections: Vec<String>,
    /// Number of different pipelines that the draws used. With separable stage pairs, pipelines from the cache count
    /// as well.
    pub pipelines: usize,
}

/// Content that one expectation checks, read when the step was reached. Equal content is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Snapshot {
    /// A render target.
    Image(Arc<Image>),
    /// A buffer's bytes.
    Buffer(Arc<Vec<u8>>),
    /// Number of primitives.
    Count(u32),
}

/// Part of a render target that is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The smallest rectangle that contains all probed pixels.
    Probed,
    /// The whole target, for display.
    Whole,
}

/// A rectangle of pixels; (0, 0) is the lower left one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Leftmost column.
    pub x: u32,
    /// Lowest row.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Area {
    /// All pixels of a target.
    pub const fn whole(width: u32, height: u32) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    /// The smallest rectangle that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let [right, top] = [self.end(), other.end()]
            .into_iter()
            .reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])])
            .unwrap_or_default();
        Self { x, y, width: right.saturating_sub(x), height: top.saturating_sub(y) }
    }

    /// True if all of `other` is inside.
    pub fn contains(self, other: Self) -> bool {
        let ([right, top], [other_right, other_top]) = (self.end(), other.end());
        self.x <= other.x && self.y <= other.y && other_right <= right && other_top <= top
    }

    /// One past the last column and row.
    const fn end(self) -> [u32; 2] {
        [self.x.saturating_add(self.width), self.y.saturating_add(self.height)]
    }
}

/// Pixels read back from a render target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Format of the bytes.
    pub format: Format,
    /// Width of the target in pixels.
    pub width: u32,
    /// Height of the target in pixels.
    pub height: u32,
    /// The area that was read.
    pub part: Area,
    /// `part.width * part.height` texels without padding. The first row is the lowest, as in GL.
    pub bytes: Vec<u8>,
}

impl Image {
    /// A whole target: `width * height` texels.
    pub const fn whole(format: Format, width: u32, height: u32, bytes: Vec<u8>) -> Self {
        Self { format, width, height, part: Area::whole(width, height), bytes }
    }

    /// True if every pixel was read.
    pub fn is_whole(&self) -> bool {
        self.part == Area::whole(self.width, self.height)
    }

    /// Offset of the texel at pixel (x, y) in [`Self::bytes`]; `None` if it was not read.
    pub fn offset_of(&self, x: u32, y: u32) -> Option<usize> {
        let (x, y) = (x.checked_sub(self.part.x)?, y.checked_sub(self.part.y)?);
        if x >= self.part.width || y >= self.part.height {
            return None;
        }
        let idx = u64::from(y) * u64::from(self.part.width) + u64::from(x);
        usize::try_from(idx).ok()?.checked_mul(self.format.bytes_per_texel())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area([x, y, width, height]: [u32; 4]) -> Area {
        Area { x, y, width, height }
    }

    #[test]
    fn a_union_is_the_smallest_rectangle_around_both() {
        let (low, high) = (area([2, 3, 1, 4]), area([5, 1, 2, 2]));
        assert_eq!(low.union(high), area([2, 1, 5, 6]));
        assert_eq!(high.union(low), area([2, 1, 5, 6]));
        assert_eq!(low.union(area([2, 4, 1, 1])), low);
    }

    #[test]
    fn what_sticks_out_on_any_side_is_not_contained() {
        let outer = area([2, 3, 4, 5]);
        assert!(outer.contains(outer));
        assert!(outer.contains(area([5, 7, 1, 1])));
        for other in [[1, 3, 1, 1], [2, 2, 1, 1], [5, 3, 2, 1], [2, 7, 1, 2]] {
            assert!(!outer.contains(area(other)), "{other:?}");
        }
    }

    #[test]
    fn only_what_was_read_has_a_place() {
        let part = area([2, 3, 4, 5]);
        let (format, bytes) = (Format::RGBA8_UNORM, vec![0; 4 * 4 * 5]);
        let image = Image { format, width: 64, height: 64, part, bytes };
        assert_eq!(image.offset_of(2, 3), Some(0));
        assert_eq!(image.offset_of(5, 7), Some((4 * 4 + 3) * 4));
        for (x, y) in [(1, 3), (2, 2), (6, 3), (2, 8), (0, 0)] {
            assert_eq!(image.offset_of(x, y), None, "({x}, {y})");
        }
        assert!(!image.is_whole());
    }
}
