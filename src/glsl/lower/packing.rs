//! Constant folding of packing functions (GLSL 4.60, section 8.4), which some drivers fold wrongly themselves.

use half::f16;
use naga::MathFunction;

use super::types::Kind;

/// The scalars of a packing function's result; none for other functions.
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has dozens of other functions")]
pub(super) fn fold(function: MathFunction, scalars: &[u32]) -> Option<(Kind, Vec<u32>)> {
    let (width, scale, is_signed) = match function {
        MathFunction::Pack2x16float => {
            let halves = scalars
                .iter()
                .map(|bits| u32::from(f16::from_f32(f32::from_bits(*bits)).to_bits()));
            return Some((Kind::Uint, vec![join(halves, 16)]));
        }
        MathFunction::Unpack2x16float => {
            let packed = *scalars.first()?;
            let halves = [packed & 0xffff, packed >> 16];
            let single =
                |half: u32| Some(f16::from_bits(u16::try_from(half).ok()?).to_f32().to_bits());
            return Some((Kind::Float, halves.into_iter().map(single).collect::<Option<_>>()?));
        }
        MathFunction::Pack2x16snorm | MathFunction::Unpack2x16snorm => (16, 32767.0, true),
        MathFunction::Pack2x16unorm | MathFunction::Unpack2x16unorm => (16, 65535.0, false),
        MathFunction::Pack4x8snorm | MathFunction::Unpack4x8snorm => (8, 127.0, true),
        MathFunction::Pack4x8unorm | MathFunction::Unpack4x8unorm => (8, 255.0, false),
        _ => return None,
    };
    let is_packing = matches!(
        function,
        MathFunction::Pack2x16snorm
            | MathFunction::Pack2x16unorm
            | MathFunction::Pack4x8snorm
            | MathFunction::Pack4x8unorm
    );
    if is_packing {
        let steps =
            scalars.iter().map(|bits| steps_of(f32::from_bits(*bits), scale, is_signed, width));
        return Some((Kind::Uint, vec![join(steps, width)]));
    }
    let packed = *scalars.first()?;
    let parts = (0..32 / width).map(|idx| packed >> (idx * width) & (u32::MAX >> (32 - width)));
    let number = |part: u32| (number_of(part, width, is_signed) / scale).max(-1.0).to_bits();
    Some((Kind::Float, parts.map(number).collect()))
}

/// Packs parts, the first in the lowest bits.
fn join(parts: impl Iterator<Item = u32>, width: u32) -> u32 {
    (0..).step_by(width as usize).zip(parts).fold(0, |packed, (shift, part)| packed | part << shift)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of the part, and NaN becomes 0"
)]
fn steps_of(value: f32, scale: f32, is_signed: bool, width: u32) -> u32 {
    let least = if is_signed { -1.0 } else { 0.0 };
    let steps = (value.clamp(least, 1.0) * scale).round() as i32;
    steps as u32 & (u32::MAX >> (32 - width))
}

#[expect(clippy::cast_precision_loss, reason = "at most 16 bits")]
fn number_of(part: u32, width: u32, is_signed: bool) -> f32 {
    if is_signed {
        let shift = 32 - width;
        ((part << shift).cast_signed() >> shift) as f32
    } else {
        part as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(function: MathFunction, packed: u32) -> Vec<f32> {
        let (_, bits) = fold(function, &[packed]).expect("a packing function");
        bits.into_iter().map(f32::from_bits).collect()
    }

    #[test]
    fn halves_keep_infinities_and_denormals() {
        let unpacked = floats(MathFunction::Unpack2x16float, 0xfc00_0001);
        assert_eq!(unpacked, [2.0_f32.powi(-24), f32::NEG_INFINITY]);
        let one_and_half = [1.0_f32.to_bits(), (-1.5_f32).to_bits()];
        assert_eq!(
            fold(MathFunction::Pack2x16float, &one_and_half),
            Some((Kind::Uint, vec![0xbe00_3c00]))
        );
    }

    #[test]
    fn normalised_parts_are_clamped_and_rounded() {
        let values = [2.0_f32, -2.0, 0.5, 0.0].map(f32::to_bits);
        assert_eq!(
            fold(MathFunction::Pack4x8snorm, &values),
            Some((Kind::Uint, vec![0x0040_817f]))
        );
        assert_eq!(
            fold(MathFunction::Pack4x8unorm, &values),
            Some((Kind::Uint, vec![0x0080_00ff]))
        );
        assert_eq!(floats(MathFunction::Unpack2x16snorm, 0x8000_7fff), [1.0, -1.0]);
        assert_eq!(floats(MathFunction::Unpack4x8unorm, 0xff00_0033), [0.2, 0.0, 0.0, 1.0]);
    }
}
