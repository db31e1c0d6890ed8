//! Packing of vectors into a word, and unpacking (WGSL, 17.9 and 17.10).

use half::f16;
use naga::MathFunction;

use crate::noise::Noise;
use crate::noise::allowance::SINGLE;

/// A function between a word and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackFunction {
    function: MathFunction,
    parts: usize,
    packs: bool,
}

impl PackFunction {
    /// `None` for other functions.
    pub(crate) const fn of(function: MathFunction) -> Option<Self> {
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

    /// Words that it takes, and words that it gives.
    pub(crate) const fn words(self) -> [usize; 2] {
        if self.packs { [self.parts, 1] } else { [1, self.parts] }
    }

    /// A part to be packed, with an error: a tenth of a step of the packed number, which is rounded afterwards; halves
    /// may be rounded either way.
    pub(crate) fn disturbed_part(self, word: u32, noise: Noise, salt: u32) -> u32 {
        use MathFunction as F;
        if !self.packs {
            return word;
        }
        let value = f64::from(f32::from_bits(word));
        let allowance = match self.function {
            F::Pack4x8snorm | F::Pack4x8unorm => 0.1 / 255.0,
            F::Pack2x16snorm | F::Pack2x16unorm => 0.1 / 65_535.0,
            F::Pack2x16float => (f16::from_f64(value).to_f64() - value).abs(),
            _ => return word,
        };
        noise.moved_single(f32::from_bits(word), allowance, salt).to_bits()
    }

    /// An unpacked part, with the error of a division.
    pub(crate) fn disturbed(self, word: u32, noise: Noise, salt: u32) -> u32 {
        use MathFunction as F;
        let value = f32::from_bits(word);
        let is_divided = matches!(
            self.function,
            F::Unpack4x8snorm | F::Unpack4x8unorm | F::Unpack2x16snorm | F::Unpack2x16unorm
        );
        if !is_divided {
            return word;
        }
        noise.moved_single(value, 2.5 * SINGLE * f64::from(value.abs()), salt).to_bits()
    }

    /// Computes the words of the result from those of the argument.
    pub(crate) fn apply(self, source: &[u32], target: &mut [u32]) {
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

/// The number from `least` to 1; what is not a number is `least`.
fn clamped(value: f32, least: f32) -> f32 {
    value.max(least).min(1.0)
}
