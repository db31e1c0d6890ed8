//! Positions of samples in a pixel.

/// Subpixels in a pixel, in each direction: eight bits, as adapters have.
pub(crate) const SUBPIXELS: i64 = 256;

/// The centre of a pixel, in subpixels.
pub(crate) const CENTRE: [i64; 2] = [SUBPIXELS / 2; 2];

/// Maximum samples of a pixel.
pub(crate) const MAX_SAMPLES: usize = 4;

const SINGLE: [[i64; 2]; 1] = [CENTRE];

/// The standard positions of Vulkan, Direct3D and WebGPU, which are multiples of 1/16 pixel.
const FOUR: [[i64; 2]; MAX_SAMPLES] = [[96, 32], [224, 96], [32, 160], [160, 224]];

/// The positions of the samples of a pixel, in subpixels from its upper left corner; `None` for numbers of samples that
/// WebGPU does not have.
pub(crate) const fn positions(samples: u32) -> Option<&'static [[i64; 2]]> {
    match samples {
        1 => Some(&SINGLE),
        4 => Some(&FOUR),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
