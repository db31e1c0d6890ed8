//! Draws points that are larger than a pixel, or whose fragments read the point coordinate (OpenGL 4.6 core, 14.4).
//!
//! A point is a square around its centre, drawn as two triangles. Corners are computed in 32 bits, as in an adapter's
//! vertex stage: centre ± size · w · (1 / pixels), in this order.

use crate::vertex::RecordLayout;

/// Maximum point size.
const MAX_SIZE: f32 = 255.0;

/// The corners of both triangles, as indices of lower left, lower right, upper left and upper right. The first corner
/// of each is arbitrary: all corners have the same varyings.
pub(crate) const TRIANGLES: [[usize; 3]; 2] = [[2, 0, 1], [3, 2, 1]];

/// A word of a record that is a component of the point coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    /// Index of the word.
    pub word: usize,
    /// Index of the component in (s, t, 0, 1).
    pub component: usize,
    /// True if t increases upwards, false if downwards.
    pub is_upward: bool,
}

/// How the points of a program are drawn.
#[derive(Clone, Debug, Default)]
pub struct Sprites {
    /// For each step of the case, true if draws there use the vertex stage's size.
    pub are_sized: Vec<bool>,
    /// Words that are components of the point coordinate.
    pub coordinates: Vec<Coordinate>,
}

impl Sprites {
    /// The records of the four corners of a point drawn at a step to targets of this width and height. `None` for a
    /// point whose centre is outside, which is not drawn at all.
    pub(crate) fn corners(
        &self,
        layout: &RecordLayout,
        record: &[u32],
        step: usize,
        size: [u32; 2],
    ) -> Option<[Vec<u32>; 4]> {
        let float = |word: usize| f32::from_bits(record.get(word).copied().unwrap_or(0));
        let [x, y, z, w] = [0, 1, 2, 3].map(|axis| float(layout.position + axis));
        // False for NaN.
        let is_inside = w > 0.0 && -w <= x && x <= w && -w <= y && y <= w && 0.0 <= z && z <= w;
        if !is_inside {
            return None;
        }
        let is_sized = self.are_sized.get(step).copied().unwrap_or(false);
        let most = if is_sized { MAX_SIZE } else { 1.0 };
        let diameter = layout.size.map_or(1.0, |word| float(word).max(1.0).min(most));
        let reach = size.map(|pixels| diameter * w * inverse(pixels));
        Some([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(|[right, up]| {
            let mut corner = record.to_vec();
            let mut set = |word: usize, value: f32| {
                if let Some(place) = corner.get_mut(word) {
                    *place = value.to_bits();
                }
            };
            // The first row in memory is the lowest, so y points down here.
            set(layout.position, x + reach[0] * right);
            set(layout.position + 1, y - reach[1] * up);
            for coordinate in &self.coordinates {
                let is_far = if coordinate.is_upward { up > 0.0 } else { up < 0.0 };
                let all = [f32::from(right > 0.0), f32::from(is_far), 0.0, 1.0];
                set(coordinate.word, all.get(coordinate.component).copied().unwrap_or(0.0));
            }
            corner
        }))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it is rounded once")]
fn inverse(pixels: u32) -> f32 {
    (1.0 / f64::from(pixels.max(1))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners for a record of a position, a size and two words for the point coordinate, in a target of 8 by 4
    /// pixels.
    fn corners(position: [f32; 4], size: f32, is_sized: bool) -> Option<Vec<[f32; 4]>> {
        let mut layout = RecordLayout::default();
        layout.size = Some(layout.add_words(5) + 4);
        let word = layout.add_words(2);
        let coordinate =
            |component| Coordinate { word: word + component, component, is_upward: false };
        let coordinates = vec![coordinate(0), coordinate(1)];
        let sprites = Sprites { are_sized: vec![is_sized], coordinates };
        let [x, y, z, w] = position;
        let record = [x, y, z, w, size, 0.0, 0.0].map(f32::to_bits);
        let all = sprites.corners(&layout, &record, 0, [8, 4])?;
        let shown = |record: Vec<u32>| [0, 1, 5, 6].map(|word| f32::from_bits(record[word]));
        Some(all.into_iter().map(shown).collect())
    }

    #[test]
    fn a_point_is_a_square_around_its_centre() {
        // y points down: the lower corners have the larger y, and their t is 1.
        let expected = [
            [-0.25, 1.0, 0.0, 1.0],
            [0.75, 1.0, 1.0, 1.0],
            [-0.25, -1.0, 0.0, 0.0],
            [0.75, -1.0, 1.0, 0.0],
        ];
        let found = corners([0.25, 0.0, 0.5, 1.0], 4.0, true).expect("it is inside");
        assert_eq!(found, expected);
        let small = corners([0.0, 0.0, 0.5, 2.0], 4.0, false).expect("it is inside");
        assert_eq!((small[0][0], small[0][1]), (-0.25, 0.5));
    }

    #[test]
    fn a_point_is_drawn_if_its_centre_is_inside() {
        assert!(corners([1.0, -1.0, 1.0, 1.0], 1.0, true).is_some());
        assert!(corners([1.01, 0.0, 0.5, 1.0], 9.0, true).is_none());
        assert!(corners([0.0, 0.0, -0.01, 1.0], 9.0, true).is_none());
        assert!(corners([0.0, f32::NAN, 0.5, 1.0], 9.0, true).is_none());
    }
}
