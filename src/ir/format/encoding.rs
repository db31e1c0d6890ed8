//! Conversion between the stored bits of one channel and its value.

use half::f16;

use super::{ChannelValue, Encoding, small_float};

/// The value of a channel of `width` bits.
pub(super) fn decode(encoding: Encoding, width: u32, bits: u32) -> ChannelValue {
    match encoding {
        Encoding::Unorm => ChannelValue::Float(unorm_to_real(width, bits)),
        Encoding::UnormSrgb => ChannelValue::Float(srgb_to_linear(unorm_to_real(width, bits))),
        Encoding::Snorm => {
            let largest = max_signed(width);
            ChannelValue::Float(ratio(sign_extend(width, bits).max(-largest), largest))
        }
        Encoding::Sint => ChannelValue::Sint(sign_extend(width, bits)),
        Encoding::Uint => ChannelValue::Uint(bits),
        Encoding::Float => ChannelValue::Float(float_to_real(width, bits)),
    }
}

/// The stored bits nearest to `value`; see [`super::Format::encode_real`].
pub(super) fn encode_real(encoding: Encoding, width: u32, value: f64) -> u32 {
    match encoding {
        Encoding::Unorm => to_unsigned(width, unorm_steps(width, value)),
        Encoding::UnormSrgb => to_unsigned(width, unorm_steps(width, linear_to_srgb(value))),
        Encoding::Snorm => {
            let steps = (value.clamp(-1.0, 1.0) * f64::from(max_signed(width))).round();
            to_signed(width, steps)
        }
        Encoding::Sint => to_signed(width, value),
        Encoding::Uint => to_unsigned(width, value),
        Encoding::Float => real_to_float(width, value),
    }
}

/// The stored bits of an integer; see [`super::Format::encode_integer`].
pub(super) fn encode_integer(encoding: Encoding, width: u32, value: i128) -> u32 {
    match encoding {
        Encoding::Unorm | Encoding::UnormSrgb | Encoding::Snorm | Encoding::Float => {
            encode_real(encoding, width, integer_to_real(value))
        }
        Encoding::Sint => {
            let largest = i128::from(max_signed(width));
            low_bits(width, value.clamp(-largest - 1, largest))
        }
        Encoding::Uint => low_bits(width, value.clamp(0, i128::from(max_unsigned(width)))),
    }
}

/// Position of stored bits in the order of all numbers of the encoding, so that neighbours differ by one; `None` for
/// NaN.
pub(super) fn ordinal(encoding: Encoding, width: u32, bits: u32) -> Option<i64> {
    match encoding {
        Encoding::Snorm => Some(i64::from(sign_extend(width, bits).max(-max_signed(width)))),
        Encoding::Sint => Some(i64::from(sign_extend(width, bits))),
        Encoding::Float if float_to_real(width, bits).is_nan() => None,
        Encoding::Float if width == 16 || width == 32 => {
            let magnitude = i64::from(bits & max_unsigned(width - 1));
            Some(if bits >> (width - 1) == 0 { magnitude } else { -magnitude })
        }
        // Small floats have no sign.
        Encoding::Unorm | Encoding::UnormSrgb | Encoding::Uint | Encoding::Float => {
            Some(i64::from(bits))
        }
    }
}

fn float_to_real(width: u32, bits: u32) -> f32 {
    match width {
        32 => f32::from_bits(bits),
        16 => u16::try_from(bits).map_or(f32::NAN, |bits| f16::from_bits(bits).to_f32()),
        _ => small_float::decode(width, bits),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn real_to_float(width: u32, value: f64) -> u32 {
    match width {
        32 => (value as f32).to_bits(),
        16 => u32::from(f16::from_f64(value).to_bits()),
        _ => small_float::encode(width, value),
    }
}

fn unorm_to_real(width: u32, bits: u32) -> f32 {
    nearest_single(f64::from(bits) / f64::from(max_unsigned(width)))
}

fn ratio(value: i32, largest: i32) -> f32 {
    nearest_single(f64::from(value) / f64::from(largest))
}

fn unorm_steps(width: u32, value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * f64::from(max_unsigned(width))).round()
}

/// The transfer function of IEC 61966-2-1.
fn srgb_to_linear(value: f32) -> f32 {
    let value = f64::from(value);
    nearest_single(if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    })
}

fn linear_to_srgb(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

const fn max_unsigned(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

const fn max_signed(width: u32) -> i32 {
    i32::MAX >> (32 - width)
}

const fn sign_extend(width: u32, bits: u32) -> i32 {
    (bits << (32 - width)).cast_signed() >> (32 - width)
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
const fn nearest_single(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "an integer written for a float is the nearest one")]
const fn integer_to_real(value: i128) -> f64 {
    value as f64
}

/// Truncates and clamps; NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates"
)]
fn to_unsigned(width: u32, value: f64) -> u32 {
    (value as u32).min(max_unsigned(width))
}

/// Truncates and clamps; NaN becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
fn to_signed(width: u32, value: f64) -> u32 {
    let largest = max_signed(width);
    low_bits(width, i128::from((value as i32).clamp(-largest - 1, largest)))
}

/// Two's complement in `width` bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "two's complement is meant"
)]
const fn low_bits(width: u32, value: i128) -> u32 {
    value as u32 & max_unsigned(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(encoding: Encoding, width: u32, real: f64, bits: u32) {
        assert_eq!(encode_real(encoding, width, real), bits, "{encoding:?} {width} of {real}");
    }

    #[test]
    fn normalised_numbers_round_to_the_nearest_step_and_clamp() {
        check(Encoding::Unorm, 8, 0.5, 128);
        check(Encoding::Unorm, 8, 2.0, 255);
        check(Encoding::Unorm, 16, 1.0, 65535);
        check(Encoding::Snorm, 8, -1.0, 0x81);
        check(Encoding::Snorm, 8, 1.0, 0x7f);
        assert_eq!(decode(Encoding::Snorm, 8, 0x80), ChannelValue::Float(-1.0));
    }

    #[test]
    fn integers_are_exact_and_clamp() {
        assert_eq!(encode_integer(Encoding::Uint, 32, i128::from(u32::MAX)), u32::MAX);
        assert_eq!(encode_integer(Encoding::Uint, 8, 300), 255);
        assert_eq!(encode_integer(Encoding::Sint, 16, -1), 0xffff);
        assert_eq!(encode_integer(Encoding::Sint, 8, -200), 0x80);
        assert_eq!(decode(Encoding::Sint, 8, 0x80), ChannelValue::Sint(-128));
    }

    #[test]
    fn neighbouring_floats_are_one_apart_also_across_zero() {
        let ordinal_of = |value: f32| ordinal(Encoding::Float, 32, value.to_bits());
        assert_eq!(ordinal_of(0.0), Some(0));
        assert_eq!(ordinal_of(-0.0), Some(0));
        assert_eq!(ordinal_of(-f32::from_bits(1)), Some(-1));
        assert_eq!(ordinal_of(f32::NAN), None);
        // 1.0 is 0x3c00 as a half float.
        assert_eq!(ordinal(Encoding::Float, 16, 0xbc00), Some(-0x3c00));
    }

    #[test]
    fn half_floats_round_to_even() {
        check(Encoding::Float, 16, 1.0 + 1.0 / 2048.0, 0x3c00);
        check(Encoding::Float, 16, 1.0 + 3.0 / 2048.0, 0x3c02);
    }
}
