//! Errors of functions that pack and unpack vectors.

use arithmetic::PackFunction;
use half::f16;
use naga::MathFunction as F;

use super::Noise;
use super::allowance::SINGLE;

impl Noise {
    /// Perturbs a component to be packed by a tenth of a step of the packed number, which is rounded afterwards; halves
    /// may be rounded either way.
    pub(crate) fn part_to_pack(self, function: PackFunction, word: u32, salt: u32) -> u32 {
        if !function.packs() {
            return word;
        }
        let value = f64::from(f32::from_bits(word));
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are exact")]
        let allowance = match function.function() {
            F::Pack4x8snorm | F::Pack4x8unorm => 0.1 / 255.0,
            F::Pack2x16snorm | F::Pack2x16unorm => 0.1 / 65_535.0,
            F::Pack2x16float => (f16::from_f64(value).to_f64() - value).abs(),
            _ => return word,
        };
        self.moved_single(f32::from_bits(word), allowance, salt).to_bits()
    }

    /// Perturbs a word of the result: an unpacked component has the error of a division.
    pub(crate) fn unpacked(self, function: PackFunction, word: u32, salt: u32) -> u32 {
        let value = f32::from_bits(word);
        let is_divided = matches!(
            function.function(),
            F::Unpack4x8snorm | F::Unpack4x8unorm | F::Unpack2x16snorm | F::Unpack2x16unorm
        );
        if !is_divided {
            return word;
        }
        self.moved_single(value, 2.5 * SINGLE * f64::from(value.abs()), salt).to_bits()
    }
}
