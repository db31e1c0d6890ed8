//! Coverage and interpolation of lines that are one pixel wide.
//!
//! A pixel is drawn if the line leaves its diamond, the points nearer than half a pixel to its centre in x and y
//! together (Vulkan 1.3, 27.12.1, as Bresenham lines).

use super::samples::SUBPIXELS;
use super::triangle::{Corner, Quad, Shares, centre};
use crate::numbers::real;

/// A line with a length.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    ends: [Corner; 2],
}

impl Line {
    /// `None` without a length.
    pub(crate) fn new(ends: [Corner; 2]) -> Option<Self> {
        (ends[0].at != ends[1].at).then_some(Self { ends })
    }

    /// Gives every pixel that is drawn in a framebuffer of `size` pixels.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub(crate) fn cover<E>(
        &self,
        size: [u32; 2],
        mut emit: impl FnMut(Quad) -> Result<(), E>,
    ) -> Result<(), E> {
        let [from, to] = self.ends.map(|end| end.at);
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        // The axis along which every step has one pixel, and the other one.
        let (along, across) = if dx.abs() >= dy.abs() { (0, 1) } else { (1, 0) };
        let size = size.map(i64::from);
        let reach = [from[along].min(to[along]), from[along].max(to[along])];
        let [first, last] = reach.map(|end| end.div_euclid(SUBPIXELS));
        for step in first.max(0)..=last.min(size[along] - 1) {
            let Some(place) = pixel_of(from, to, (along, across), step) else { continue };
            if !(0..size[across]).contains(&place[across]) {
                continue;
            }
            let [x, y] = place;
            let mut coverage = [0; 4];
            let pixel = usize::try_from((y & 1) * 2 + (x & 1)).unwrap_or(0);
            coverage[pixel] = 1;
            emit(Quad { x: x & !1, y: y & !1, coverage })?;
        }
        Ok(())
    }

    /// The values at the point of the line that is nearest to `at`, in subpixels.
    pub(crate) fn shares(&self, at: [i64; 2]) -> Shares {
        let parts = self.parts(at);
        let mut shares = Shares::default();
        for (part, end) in parts.into_iter().zip(&self.ends) {
            shares.over_w += part * end.over_w;
            for vertex in 0..3 {
                shares.perspective[vertex] += part * end.over_w * end.perspective[vertex];
                shares.linear[vertex] += part * end.linear[vertex];
            }
        }
        let sum: f64 = shares.perspective.iter().sum();
        shares.perspective = shares.perspective.map(|share| share / sum);
        shares
    }

    /// The depth there.
    pub(crate) fn depth(&self, at: [i64; 2]) -> f64 {
        let parts = self.parts(at).into_iter().zip(&self.ends);
        parts.map(|(part, end)| part * end.depth).sum()
    }

    fn parts(&self, at: [i64; 2]) -> [f64; 2] {
        let [from, to] = self.ends.map(|end| end.place);
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let at = at.map(real);
        let way = ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / (dx * dx + dy * dy);
        [1.0 - way, way]
    }
}

/// The pixel that is drawn at a step along the line, if any.
fn pixel_of(
    from: [i64; 2],
    to: [i64; 2],
    (along, across): (usize, usize),
    step: i64,
) -> Option<[i64; 2]> {
    let middle = step * SUBPIXELS + SUBPIXELS / 2;
    let way = to[along] - from[along];
    // Where the line, without its ends, goes through the middle: a fraction with denominator `way`.
    let through = from[across] * way + (to[across] - from[across]) * (middle - from[along]);
    let row = (through * way.signum()).div_euclid(way.abs() * SUBPIXELS);
    let mut place = [0; 2];
    (place[along], place[across]) = (step, row);
    let begins = (middle - from[along]) * way.signum() >= 0 || is_in_diamond(from, place);
    let ends = (to[along] - middle) * way.signum() > 0 && !is_in_diamond(to, place);
    (begins && ends).then_some(place)
}

fn is_in_diamond(at: [i64; 2], pixel: [i64; 2]) -> bool {
    let middle = centre(pixel);
    (at[0] - middle[0]).abs() + (at[1] - middle[1]).abs() < SUBPIXELS / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(from: [f64; 2], to: [f64; 2]) -> Vec<[i64; 2]> {
        let end = |at: [f64; 2]| Corner { over_w: 1.0, ..Corner::at(at) };
        let mut pixels = Vec::new();
        if let Some(line) = Line::new([end(from), end(to)]) {
            let emitted = line.cover([8, 8], |quad| {
                for (pixel, coverage) in (0_i64..).zip(quad.coverage) {
                    if coverage != 0 {
                        pixels.push([quad.x + pixel % 2, quad.y + pixel / 2]);
                    }
                }
                Ok::<(), std::convert::Infallible>(())
            });
            emitted.expect("it cannot fail");
        }
        pixels.sort_unstable();
        pixels
    }

    #[test]
    fn the_last_pixel_is_not_drawn_so_that_strips_meet() {
        let row = |columns: std::ops::Range<i64>| columns.map(|x| [x, 2]).collect::<Vec<_>>();
        assert_eq!(pixels([1.5, 2.5], [4.5, 2.5]), row(1..4));
        assert_eq!(pixels([4.5, 2.5], [1.5, 2.5]), row(2..5));
        assert_eq!(pixels([4.5, 2.5], [7.5, 2.5]), row(4..7));
        // It ends beyond the diamond.
        assert_eq!(pixels([1.5, 2.5], [5.0, 2.5]), row(1..5));
    }

    #[test]
    fn steep_lines_have_one_pixel_in_every_row() {
        assert_eq!(pixels([2.5, 0.5], [3.5, 3.5]), [[2, 0], [2, 1], [3, 2]]);
        assert_eq!(pixels([1.5, 1.5], [3.5, 3.5]), [[1, 1], [2, 2]]);
    }

    #[test]
    fn points_and_pixels_outside_are_not_drawn() {
        assert_eq!(pixels([3.5, 3.5], [3.5, 3.5]), Vec::<[i64; 2]>::new());
        assert_eq!(pixels([6.5, 0.5], [20.5, 0.5]), [[6, 0], [7, 0]]);
        assert_eq!(pixels([0.5, -3.5], [5.5, -3.5]), Vec::<[i64; 2]>::new());
    }
}
