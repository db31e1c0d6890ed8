//! Tolerances, and the comparison of one channel of a texel with its expected value.

use ir::format::{ChannelValue, Encoding, Format, FormatClass, Texel};
use ir::scalar::{self, NotOfKind, Number};

/// Maximum difference between an observed and an expected float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Per channel r, g, b, a. piglit's default is 0.01 each.
    Absolute([f64; 4]),
    /// Units in the last place of the target's number format.
    Ulp(u32),
}

impl Tolerance {
    /// piglit's default, in force until a `tolerance` step.
    pub const DEFAULT: Self = Self::Absolute([0.01; 4]);
}

/// Form of a probe; piglit compares pixels and regions differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One pixel: compares floats.
    Pixel,
    /// A region: compares bytes if the target has at most 8 bits per channel.
    Area,
    /// Any pixels in a script, whose probes have their own tolerances: compares floats as floats and integers as
    /// integers.
    Script,
}

/// Acceptance rule for one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChannelRule {
    /// A float within a tolerance.
    Near {
        /// The value.
        expected: f32,
        /// The distance.
        tolerance: f32,
    },
    /// A byte within a tolerance.
    Byte {
        /// The value.
        expected: u8,
        /// The distance.
        tolerance: f32,
    },
    /// Any NaN.
    Nan,
    /// Stored bits within a number of units in the last place.
    Ulp {
        /// The target's format.
        format: Format,
        /// Channel index.
        channel: usize,
        /// The bits.
        expected: u32,
        /// Maximum distance in units in the last place.
        limit: u32,
    },
    /// Stored bits.
    Bits(u32),
    /// An integer.
    Integer(i128),
    /// An integer within a tolerance.
    IntegerNear {
        /// The value, which need not be whole.
        expected: f64,
        /// The distance.
        tolerance: f64,
    },
}

/// The case's fault: a number that cannot be compared with any value of the channel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Incomparable(String);

impl From<NotOfKind> for Incomparable {
    fn from(error: NotOfKind) -> Self {
        Self(error.to_string())
    }
}

impl ChannelRule {
    /// The rule for `number` in `channel` of a target of `format`.
    ///
    /// # Errors
    /// The number cannot be compared with any value of the channel.
    pub fn new(
        format: Format,
        channel: usize,
        form: Form,
        number: Number,
        tolerance: Tolerance,
    ) -> Result<Self, Incomparable> {
        match format.class() {
            FormatClass::Float => Self::of_float(format, channel, form, number, tolerance),
            FormatClass::Sint | FormatClass::Uint => match (form, tolerance, number.to_f64()) {
                (Form::Script, Tolerance::Absolute(limits), Some(expected)) => {
                    let tolerance = limits.get(channel).copied().unwrap_or(0.0);
                    Ok(Self::IntegerNear { expected, tolerance })
                }
                _ => Self::of_integer(format, channel, number),
            },
        }
    }

    /// True if the channel of `texel` matches.
    pub fn accepts(self, channel: usize, texel: &Texel) -> bool {
        let bits = texel.bits[channel];
        match (self, texel.values[channel]) {
            (Self::Near { expected, tolerance }, ChannelValue::Float(actual)) => {
                // Equal infinities have no difference.
                is_same(actual, expected) || (actual - expected).abs() <= tolerance
            }
            (Self::Byte { expected, tolerance }, ChannelValue::Float(actual)) => {
                let actual = (actual * 255.0).round();
                (actual - f32::from(expected)).abs() <= tolerance
            }
            (Self::Nan, ChannelValue::Float(actual)) => actual.is_nan(),
            (Self::Ulp { format, channel, expected, limit }, _) => {
                let distance = format.ulp_distance(channel, bits, expected);
                distance.is_some_and(|distance| distance <= limit)
            }
            (Self::Bits(expected), _) => bits == expected,
            (Self::Integer(expected), ChannelValue::Sint(actual)) => i128::from(actual) == expected,
            (Self::Integer(expected), ChannelValue::Uint(actual)) => i128::from(actual) == expected,
            (Self::IntegerNear { expected, tolerance }, ChannelValue::Sint(actual)) => {
                (f64::from(actual) - expected).abs() <= tolerance
            }
            (Self::IntegerNear { expected, tolerance }, ChannelValue::Uint(actual)) => {
                (f64::from(actual) - expected).abs() <= tolerance
            }
            (
                Self::Near { .. } | Self::Byte { .. } | Self::Nan,
                ChannelValue::Sint(_) | ChannelValue::Uint(_),
            )
            | (Self::Integer(_) | Self::IntegerNear { .. }, ChannelValue::Float(_)) => false,
        }
    }

    fn of_integer(format: Format, channel: usize, number: Number) -> Result<Self, Incomparable> {
        let is_stored = format.channel_bits(channel) > 0;
        match number {
            Number::Integer(value) => Ok(Self::Integer(value)),
            Number::Bits(bits) if is_stored => stored_bits(format, channel, bits),
            Number::Bits(bits) => Ok(Self::Integer(i128::from(bits))),
            Number::Real(_) => {
                let (number, name) = (scalar::notation(number), format.name());
                Err(Incomparable(format!(
                    "`{number}` is not an integer, and the target's format is {name}"
                )))
            }
        }
    }

    fn of_float(
        format: Format,
        channel: usize,
        form: Form,
        number: Number,
        tolerance: Tolerance,
    ) -> Result<Self, Incomparable> {
        let is_stored = format.channel_bits(channel) > 0;
        if let Number::Bits(bits) = number
            && is_stored
            && format.encoding() == Encoding::Float
        {
            return stored_bits(format, channel, bits);
        }
        let expected = single(number)?;
        if expected.is_nan() {
            return Ok(Self::Nan);
        }
        Ok(match tolerance {
            Tolerance::Ulp(limit) if is_stored => {
                let expected = nearest_stored(format, channel, number);
                Self::Ulp { format, channel, expected, limit }
            }
            Tolerance::Ulp(_) => Self::Near { expected, tolerance: 0.0 },
            Tolerance::Absolute(tolerance) => {
                let tolerance = tolerance.get(channel).copied().unwrap_or(0.0);
                if form == Form::Area && format.is_at_most_8_bit_unorm() {
                    let tolerance = nearest_single((tolerance * 255.0).ceil());
                    Self::Byte { expected: truncated_byte(expected), tolerance }
                } else {
                    Self::Near { expected, tolerance: nearest_single(tolerance) }
                }
            }
        })
    }
}

/// The stored bits nearest to `number`.
pub fn nearest_stored(format: Format, channel: usize, number: Number) -> u32 {
    match number {
        Number::Integer(value) => format.encode_integer(channel, value),
        Number::Real(value) => format.encode_real(channel, value),
        Number::Bits(_) => {
            let value = single(number).map_or(f64::NAN, f64::from);
            format.encode_real(channel, value)
        }
    }
}

/// The number as a single-precision float; `0x…` is a bit pattern.
///
/// # Errors
/// The pattern has more than 32 bits.
pub fn single(number: Number) -> Result<f32, NotOfKind> {
    let bits = scalar::bits(number, ir::interface::ScalarKind::F32)?;
    Ok(f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX)))
}

fn stored_bits(format: Format, channel: usize, bits: u64) -> Result<ChannelRule, Incomparable> {
    let width = format.channel_bits(channel);
    match u32::try_from(bits) {
        Ok(bits) if bits.checked_shr(width).unwrap_or(0) == 0 => Ok(ChannelRule::Bits(bits)),
        Ok(_) | Err(_) => {
            let name = format.name();
            Err(Incomparable(format!(
                "`0x{bits:x}` has more than the {width} bits of a channel of {name}"
            )))
        }
    }
}

#[expect(clippy::float_cmp, reason = "equal is meant")]
fn is_same(left: f32, right: f32) -> bool {
    left == right
}

#[expect(clippy::cast_possible_truncation, reason = "piglit computes in single precision")]
const fn nearest_single(value: f64) -> f32 {
    value as f32
}

/// Converts an expected value like piglit, which drops the fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates"
)]
fn truncated_byte(value: f32) -> u8 {
    (value * 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Tolerance = Tolerance::Absolute([0.01; 4]);

    /// True if red, stored as `bits`, matches `number`.
    fn passes(name: &str, form: Form, number: Number, tolerance: Tolerance, bits: u32) -> bool {
        let format = Format::from_name(name).expect("the test names a format");
        let rule = ChannelRule::new(format, 0, form, number, tolerance).expect("comparable");
        rule.accepts(0, &format.decode(&format.pack([bits, 0, 0, 0])))
    }

    #[test]
    fn a_pixel_passes_within_2_55_steps_of_a_byte_and_a_region_within_3() {
        let unorm = |form, expected: f64, stored| {
            passes("rgba8unorm", form, Number::Real(expected / 255.0), DEFAULT, stored)
        };
        // Measured with piglit: 102.4 against 100 passes, 103 fails.
        assert!(unorm(Form::Pixel, 102.4, 100));
        assert!(!unorm(Form::Pixel, 103.0, 100));
        // Measured with piglit: 103 against 100 passes, 104 fails. The half step makes the result independent of
        // truncation.
        assert!(unorm(Form::Area, 103.5, 100));
        assert!(!unorm(Form::Area, 104.5, 100));
    }

    #[test]
    fn wider_targets_compare_regions_as_floats() {
        let float = |form, stored: f32| {
            passes("rgba32float", form, Number::Real(0.5), DEFAULT, stored.to_bits())
        };
        assert!(float(Form::Area, 0.509));
        // Differs by three steps of a byte.
        assert!(!float(Form::Area, 0.5 + 3.0 / 255.0));
        assert!(!float(Form::Pixel, f32::NAN));
    }

    #[test]
    fn nan_passes_for_nan_only_and_infinity_for_itself() {
        let float = |number, stored: f32| {
            passes("rgba32float", Form::Area, Number::Real(number), DEFAULT, stored.to_bits())
        };
        assert!(float(f64::NAN, f32::NAN));
        assert!(!float(f64::NAN, 0.0));
        assert!(float(f64::INFINITY, f32::INFINITY));
        assert!(!float(f64::INFINITY, f32::NEG_INFINITY));
        assert!(!float(f64::INFINITY, f32::MAX));
    }

    #[test]
    fn hex_compares_the_bits_of_float_targets() {
        let float =
            |bits, stored| passes("rgba32float", Form::Area, Number::Bits(bits), DEFAULT, stored);
        assert!(float(0x7fc0_0001, 0x7fc0_0001));
        assert!(!float(0x7fc0_0001, 0x7fc0_0000));
        assert!(!float(0, 0x8000_0000));
        assert!(passes("r16float", Form::Area, Number::Bits(0x3c00), DEFAULT, 0x3c00));
        // On unorm targets the pattern is that of a float.
        assert!(passes("rgba8unorm", Form::Pixel, Number::Bits(0x3f80_0000), DEFAULT, 255));
    }

    #[test]
    fn ulps_count_steps_of_the_targets_own_format() {
        let ulps = |name, number, limit, stored| {
            passes(name, Form::Area, Number::Real(number), Tolerance::Ulp(limit), stored)
        };
        assert!(ulps("rgba32float", 1.0, 1, 0x3f80_0001));
        assert!(!ulps("rgba32float", 1.0, 1, 0x3f80_0002));
        assert!(ulps("rgba16float", 1.0, 1, 0x3bff));
        assert!(!ulps("rgba8unorm", 1.0, 0, 254));
        assert!(ulps("rgba8unorm", 1.0, 1, 254));
        assert!(!ulps("rgba32float", 1.0, 1000, f32::NAN.to_bits()));
    }

    #[test]
    fn integers_are_exact() {
        let uint = |number, stored| passes("rgba32uint", Form::Area, number, DEFAULT, stored);
        assert!(uint(Number::Integer(4_294_967_295), u32::MAX));
        assert!(!uint(Number::Integer(-1), u32::MAX));
        assert!(uint(Number::Bits(0xffff_ffff), u32::MAX));
        assert!(passes("rgba8sint", Form::Area, Number::Integer(-1), DEFAULT, 0xff));
        assert!(passes("rgba8sint", Form::Area, Number::Bits(0xff), DEFAULT, 0xff));
    }

    #[test]
    fn a_scripts_integers_have_tolerances() {
        let near = |number, limit, stored| {
            let tolerance = Tolerance::Absolute([limit; 4]);
            passes("rgba16uint", Form::Script, Number::Real(number), tolerance, stored)
        };
        assert!(near(7.5, 0.5, 8));
        assert!(!near(7.5, 0.4, 8));
        assert!(near(8.0, 0.002, 8));
        assert!(!near(7.0, 0.002, 8));
    }

    #[test]
    fn numbers_that_a_format_cannot_hold_are_refused() {
        let refusal = |name, number| {
            let format = Format::from_name(name).expect("the test names a format");
            let rule = ChannelRule::new(format, 0, Form::Area, number, DEFAULT);
            rule.expect_err("not comparable").to_string()
        };
        assert_eq!(
            refusal("rgba32uint", Number::Real(0.5)),
            "`0.5` is not an integer, and the target's format is rgba32uint"
        );
        assert_eq!(
            refusal("rgba8uint", Number::Bits(0x100)),
            "`0x100` has more than the 8 bits of a channel of rgba8uint"
        );
    }

    #[test]
    fn a_channel_that_the_format_lacks_is_compared_too() {
        let format = Format::from_name("rg8uint").expect("there is such a format");
        let texel = format.decode(&[5, 6]);
        let alpha = |number| ChannelRule::new(format, 3, Form::Area, number, DEFAULT);
        assert!(alpha(Number::Bits(1)).expect("comparable").accepts(3, &texel));
        assert!(!alpha(Number::Integer(0)).expect("comparable").accepts(3, &texel));
    }
}
