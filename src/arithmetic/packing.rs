//! Packing of vectors into a word, and unpacking (WGSL, 17.9 and 17.10).

use half::f16;
use naga::MathFunction;

use crate::Kind;

/// A function that packs a vector into a word or unpacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackFunction {
    function: MathFunction,
    parts: usize,
    packs: bool,
}

impl PackFunction {
    /// The packing function that `function` is; `None` if it is another function.
    pub const fn of(function: MathFunction) -> Option<Self> {
        use MathFunction as F;
        let (parts, packs) = match function {
            F::Pack4x8snorm
            | F::Pack4x8unorm
            | F::Pack4xI8
            | F::Pack4xU8
            | F::Pack4xI8Clamp
            | F::Pack4xU8Clamp => (4, true),
            F::Pack2x16snorm | F::Pack2x16unorm | F::Pack2x16float => (2, true),
            F::Unpack4x8snorm | F::Unpack4x8unorm | F::Unpack4xI8 | F::Unpack4xU8 => (4, false),
            F::Unpack2x16snorm | F::Unpack2x16unorm | F::Unpack2x16float => (2, false),
            _ => return None,
        };
        Some(Self { function, parts, packs })
    }

    /// The function as naga's.
    pub const fn function(self) -> MathFunction {
        self.function
    }

    /// True if the function packs a vector into a word.
    pub const fn packs(self) -> bool {
        self.packs
    }

    /// Numbers of words of the argument and of the result.
    pub const fn words(self) -> [usize; 2] {
        if self.packs { [self.parts, 1] } else { [1, self.parts] }
    }

    /// Kind of the result.
    pub const fn result(self) -> Kind {
        use MathFunction as F;
        match self.function {
            _ if self.packs => Kind::U32,
            F::Unpack4xU8 => Kind::U32,
            F::Unpack4xI8 => Kind::I32,
            _ => Kind::F32,
        }
    }

    /// Computes the words of the result from those of the argument.
    pub fn apply(self, source: &[u32], target: &mut [u32]) {
        let bits = 32 / u32::try_from(self.parts).unwrap_or(1);
        let mask = u32::MAX >> (32 - bits);
        let parts = (0..).step_by(bits as usize);
        if self.packs {
            target[0] = parts.zip(source).fold(0, |packed, (shift, word)| {
                packed | (self.encode(*word, bits) & mask) << shift
            });
        } else {
            for (shift, word) in parts.zip(target) {
                *word = self.decode(source[0] >> shift & mask, bits);
            }
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers are in the range of the part"
    )]
    fn encode(self, word: u32, bits: u32) -> u32 {
        use MathFunction as F;
        let (real, signed) = (f32::from_bits(word), word.cast_signed());
        let largest = |bits: u32| f32::from(u16::MAX >> (16 - bits));
        match self.function {
            F::Pack4x8snorm | F::Pack2x16snorm => {
                libm::rintf(clamped(real, -1.0) * largest(bits - 1)) as i32 as u32
            }
            F::Pack4x8unorm | F::Pack2x16unorm => {
                libm::rintf(clamped(real, 0.0) * largest(bits)) as u32
            }
            F::Pack2x16float => u32::from(f16::from_f32(real).to_bits()),
            F::Pack4xI8Clamp => signed.clamp(-128, 127).cast_unsigned(),
            F::Pack4xU8Clamp => word.min(255),
            _ => word,
        }
    }

    fn decode(self, part: u32, bits: u32) -> u32 {
        use MathFunction as F;
        let signed = (part << (32 - bits)).cast_signed() >> (32 - bits);
        #[expect(clippy::cast_precision_loss, reason = "parts have at most 16 bits")]
        let (real, signed_real) = (part as f32, signed as f32);
        match self.function {
            F::Unpack4x8snorm => (signed_real / 127.0).max(-1.0).to_bits(),
            F::Unpack2x16snorm => (signed_real / 32767.0).max(-1.0).to_bits(),
            F::Unpack4x8unorm => (real / 255.0).to_bits(),
            F::Unpack2x16unorm => (real / 65535.0).to_bits(),
            F::Unpack2x16float => {
                f16::from_bits(u16::try_from(part).unwrap_or(0)).to_f32().to_bits()
            }
            F::Unpack4xI8 => signed.cast_unsigned(),
            _ => part,
        }
    }
}

/// Clamps a number to the range from `least` to 1; NaN becomes `least`.
fn clamped(value: f32, least: f32) -> f32 {
    value.max(least).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(function: MathFunction, scalars: &[u32]) -> Vec<u32> {
        let pack = PackFunction::of(function).expect("a packing function");
        let mut result = vec![0; pack.words()[1]];
        pack.apply(scalars, &mut result);
        result
    }

    fn floats(function: MathFunction, packed: u32) -> Vec<f32> {
        let bits = fold(function, &[packed]);
        bits.into_iter().map(f32::from_bits).collect()
    }

    #[test]
    fn halves_keep_infinities_and_denormals() {
        let unpacked = floats(MathFunction::Unpack2x16float, 0xfc00_0001);
        assert_eq!(unpacked, [2.0_f32.powi(-24), f32::NEG_INFINITY]);
        let one_and_half = [1.0_f32.to_bits(), (-1.5_f32).to_bits()];
        assert_eq!(fold(MathFunction::Pack2x16float, &one_and_half), vec![0xbe00_3c00]);
    }

    #[test]
    fn normalised_parts_are_clamped_and_rounded() {
        let values = [2.0_f32, -2.0, 0.5, 0.0].map(f32::to_bits);
        assert_eq!(fold(MathFunction::Pack4x8snorm, &values), vec![0x0040_817f]);
        assert_eq!(fold(MathFunction::Pack4x8unorm, &values), vec![0x0080_00ff]);
        assert_eq!(floats(MathFunction::Unpack2x16snorm, 0x8000_7fff), [1.0, -1.0]);
        assert_eq!(floats(MathFunction::Unpack4x8unorm, 0xff00_0033), [0.2, 0.0, 0.0, 1.0]);
    }
}
