//! Positions of samples in a pixel.

/// Subpixels per pixel in each direction: eight bits, like those of adapters.
pub(crate) const SUBPIXELS: i64 = 256;

/// The centre of a pixel, in subpixels.
pub(crate) const CENTRE: [i64; 2] = [SUBPIXELS / 2; 2];

/// Maximum samples of a pixel.
pub(crate) const MAX_SAMPLES: usize = 16;

const SINGLE: [[i64; 2]; 1] = [CENTRE];

/// The standard positions of Vulkan (1.3, 26.4), Direct3D and WebGPU, which are multiples of 1/16 pixel.
const TWO: [[i64; 2]; 2] = sixteenths([[12, 12], [4, 4]]);
const FOUR: [[i64; 2]; 4] = sixteenths([[6, 2], [14, 6], [2, 10], [10, 14]]);
const EIGHT: [[i64; 2]; 8] =
    sixteenths([[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]]);
#[rustfmt::skip]
const SIXTEEN: [[i64; 2]; MAX_SAMPLES] = sixteenths([
    [9, 9], [7, 5], [5, 10], [12, 7], [3, 6], [10, 13], [13, 11], [11, 3],
    [6, 14], [8, 1], [4, 2], [2, 12], [0, 8], [15, 4], [14, 15], [1, 0],
]);

const fn sixteenths<const N: usize>(mut positions: [[i64; 2]; N]) -> [[i64; 2]; N] {
    let mut idx = 0;
    while idx < N {
        let [x, y] = positions[idx];
        positions[idx] = [x * SUBPIXELS / 16, y * SUBPIXELS / 16];
        idx += 1;
    }
    positions
}

/// Positions of the samples of a pixel, in subpixels from its upper left corner; `None` for unsupported numbers of
/// samples.
pub(crate) const fn positions(samples: u32) -> Option<&'static [[i64; 2]]> {
    match samples {
        1 => Some(&SINGLE),
        2 => Some(&TWO),
        4 => Some(&FOUR),
        8 => Some(&EIGHT),
        16 => Some(&SIXTEEN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a grid with as many columns and rows as samples; with sixteen samples, column 0 and row 0 are the edge of the
    /// pixel.
    #[test]
    fn samples_share_no_row_and_no_column() {
        for count in [2, 4, 8, 16] {
            let positions = positions(count).expect("there is such a number");
            let cell = SUBPIXELS / i64::from(count);
            for axis in [0, 1] {
                let mut cells: Vec<_> = positions.iter().map(|at| at[axis] / cell).collect();
                cells.sort_unstable();
                assert_eq!(cells, (0..i64::from(count)).collect::<Vec<_>>(), "{count} {axis}");
            }
        }
    }

    #[test]
    fn four_samples_have_a_row_and_a_column_each() {
        let sixteenths = positions(4).expect("there is such a number");
        let sixteenths: Vec<_> = sixteenths.iter().map(|at| at.map(|side| side / 16)).collect();
        // Vulkan 1.3, 26.4: (0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875).
        assert_eq!(sixteenths, [[6, 2], [14, 6], [2, 10], [10, 14]]);
        let sum = sixteenths.iter().fold([0; 2], |[a, b], [x, y]| [a + x, b + y]);
        assert_eq!(sum, [32, 32], "their mean is the centre");
        assert_eq!(positions(3), None);
    }
}
