//! Floats of 11 and 10 bits: five bits of exponent, biased by 15 as in a half float, six or five bits of mantissa and
//! no sign. They are half floats without the sign and the lowest four or five bits of the mantissa.

use half::f16;

/// Number of low mantissa bits of a half float that a float of `width` bits lacks.
const fn dropped_bits(width: u32) -> u32 {
    15 - width
}

/// The value of the lowest `width` (10 or 11) bits. Exact.
pub(super) fn decode(width: u32, bits: u32) -> f32 {
    let half = u16::try_from(bits << dropped_bits(width)).unwrap_or(f16::NAN.to_bits());
    f16::from_bits(half).to_f32()
}

/// The nearest float of `width` (10 or 11) bits, ties to even. Negative numbers become zero.
pub(super) fn encode(width: u32, value: f64) -> u32 {
    let dropped = dropped_bits(width);
    let mantissa_bits = 10 - dropped;
    if value.is_nan() {
        return (0x1f << mantissa_bits) | 1;
    }
    if value <= 0.0 {
        return 0;
    }
    // Below the smallest normal exponent, −14, the distance between neighbours is constant.
    let exponent = exponent_of(value).max(-14);
    let steps_per_unit = 2_f64.powi(mantissa_bits.cast_signed() - exponent);
    let steps = (value * steps_per_unit).round_ties_even();
    let infinity = f64::from(0x1f << mantissa_bits);
    // A mantissa that rounds up to the next power of two carries into the exponent.
    let bits = steps + f64::from((exponent + 14) << mantissa_bits);
    to_integer(bits.min(infinity))
}

/// Exponent of a positive number; far outside the range of small floats it is only a bound.
fn exponent_of(value: f64) -> i32 {
    let biased = u32::try_from((value.to_bits() >> 52) & 0x7ff).unwrap_or(0).cast_signed();
    (biased - 1023).min(16)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 0x7c0"
)]
const fn to_integer(bits: f64) -> u32 {
    bits as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_value_is_encoded_as_itself() {
        for width in [10, 11] {
            let infinity = 0x1f << (width - 5);
            for bits in 0..=infinity {
                assert_eq!(encode(width, f64::from(decode(width, bits))), bits, "{width} bits");
            }
        }
    }

    #[test]
    fn ties_go_to_the_even_mantissa() {
        // Six bits of mantissa: neighbours of 1 are 1/64 apart.
        assert_eq!(encode(11, 1.0 + 1.0 / 128.0), 15 << 6);
        assert_eq!(encode(11, 1.0 + 3.0 / 128.0), (15 << 6) + 2);
    }

    #[test]
    fn what_is_too_large_becomes_infinite_and_negative_becomes_zero() {
        assert_eq!(encode(11, 1e9), 0x1f << 6);
        assert_eq!(encode(10, f64::INFINITY), 0x1f << 5);
        assert_eq!(encode(11, -1.0), 0);
        assert!(decode(11, encode(11, f64::NAN)).is_nan());
    }
}
