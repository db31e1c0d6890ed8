//! Converts numbers as written to the bits of a scalar.

use std::fmt;

use crate::interface::ScalarKind;

/// Bytes of one scalar in a buffer.
pub const fn byte_size(kind: ScalarKind) -> usize {
    match kind {
        ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => 4,
        ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => 8,
    }
}

/// The case's fault: a number that a kind of scalar cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub struct NotOfKind {
    /// The number as written.
    pub number: Number,
    /// The kind of scalar that is needed.
    pub kind: ScalarKind,
}

impl fmt::Display for NotOfKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, kind } = *self;
        let article = if matches!(kind, ScalarKind::I32 | ScalarKind::I64) { "an" } else { "a" };
        write!(f, "`{}` is not {article} {kind}", notation(number))
    }
}

/// The bits of `number` as a scalar of `kind`, in the low 32 bits for a four-byte kind.
///
/// A decimal is rounded to the nearest float. An integer kind accepts whole numbers in its range. `0x…` is the bit
/// pattern for every kind except bool, for which any number other than zero is true.
///
/// # Errors
/// If the number does not fit the kind.
pub fn bits(number: Number, kind: ScalarKind) -> Result<u64, NotOfKind> {
    let bits = match kind {
        ScalarKind::F32 => single_bits(number),
        ScalarKind::F64 => Some(double_bits(number)),
        ScalarKind::I32 => integer_bits(number, i128::from(i32::MIN)..=i128::from(i32::MAX), 32),
        ScalarKind::U32 => integer_bits(number, 0..=i128::from(u32::MAX), 32),
        ScalarKind::I64 => integer_bits(number, i128::from(i64::MIN)..=i128::from(i64::MAX), 64),
        ScalarKind::U64 => integer_bits(number, 0..=i128::from(u64::MAX), 64),
        ScalarKind::Bool => Some(u64::from(is_true(number))),
    };
    bits.ok_or(NotOfKind { number, kind })
}

/// The bytes of `number` as a scalar of `kind` in a buffer.
///
/// # Errors
/// As for [`bits`].
pub fn bytes(number: Number, kind: ScalarKind) -> Result<Vec<u8>, NotOfKind> {
    bits(number, kind).map(|bits| bits.to_le_bytes()[..byte_size(kind)].to_vec())
}

/// The number in the case's notation.
pub fn notation(number: Number) -> String {
    match number {
        Number::Integer(value) => value.to_string(),
        Number::Real(value) => format!("{value:?}"),
        Number::Bits(bits) => format!("0x{bits:x}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a number written for a float is the nearest one"
)]
fn single_bits(number: Number) -> Option<u64> {
    match number {
        Number::Integer(value) => Some(u64::from((value as f32).to_bits())),
        Number::Real(value) => Some(u64::from((value as f32).to_bits())),
        Number::Bits(bits) => u32::try_from(bits).ok().map(u64::from),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number written for a float is the nearest one")]
const fn double_bits(number: Number) -> u64 {
    match number {
        Number::Integer(value) => (value as f64).to_bits(),
        Number::Real(value) => value.to_bits(),
        Number::Bits(bits) => bits,
    }
}

fn integer_bits(number: Number, range: std::ops::RangeInclusive<i128>, width: u32) -> Option<u64> {
    let mask = u64::MAX >> (64 - width);
    match number {
        Number::Integer(value) => low_bits(value, &range, mask),
        Number::Real(value) => low_bits(whole(value)?, &range, mask),
        Number::Bits(bits) => (bits <= mask).then_some(bits),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "two's complement is meant"
)]
fn low_bits(value: i128, range: &std::ops::RangeInclusive<i128>, mask: u64) -> Option<u64> {
    range.contains(&value).then_some(value as u64 & mask)
}

/// An integer written as a real: piglit's cases contain numbers like `1.0`.
#[expect(clippy::cast_possible_truncation, reason = "whole, and a cast from float saturates")]
#[expect(clippy::float_cmp, reason = "whole numbers are equal to their truncation")]
fn whole(value: f64) -> Option<i128> {
    (value.trunc() == value).then_some(value as i128)
}

fn is_true(number: Number) -> bool {
    match number {
        Number::Integer(value) => value != 0,
        Number::Real(value) => value != 0.0,
        Number::Bits(bits) => bits != 0,
    }
}

/// A number as written. Its type depends on the command, and is determined later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A decimal integer.
    Integer(i128),
    /// A decimal number with point or exponent, or `inf` or `nan`.
    Real(f64),
    /// `0x…`: a bit pattern.
    Bits(u64),
}

impl Number {
    /// The number as a float. A bit pattern is that of a 32-bit float, and `None` if it is wider.
    pub fn to_f64(self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(rounded(value)),
            Self::Real(value) => Some(value),
            Self::Bits(bits) => u32::try_from(bits).ok().map(|bits| f32::from_bits(bits).into()),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
fn rounded(value: i128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: Number, kind: ScalarKind, expected: Result<u64, &str>) {
        let message = bits(number, kind).map_err(|error| error.to_string());
        assert_eq!(message, expected.map_err(str::to_owned));
    }

    #[test]
    fn floats_take_every_notation() {
        check(Number::Integer(1), ScalarKind::F32, Ok(0x3f80_0000));
        check(Number::Real(-0.0), ScalarKind::F32, Ok(0x8000_0000));
        check(Number::Bits(0x7fc0_1234), ScalarKind::F32, Ok(0x7fc0_1234));
        check(Number::Bits(0x1_0000_0000), ScalarKind::F32, Err("`0x100000000` is not a float"));
        check(Number::Integer(1), ScalarKind::F64, Ok(0x3ff0_0000_0000_0000));
    }

    #[test]
    fn integers_are_whole_and_in_range() {
        check(Number::Integer(-1), ScalarKind::I32, Ok(0xffff_ffff));
        check(Number::Integer(-1), ScalarKind::U32, Err("`-1` is not a uint"));
        check(Number::Integer(1 << 31), ScalarKind::I32, Err("`2147483648` is not an int"));
        check(Number::Real(2.0), ScalarKind::I32, Ok(2));
        check(Number::Real(2.5), ScalarKind::I32, Err("`2.5` is not an int"));
        check(Number::Bits(0xffff_ffff), ScalarKind::I32, Ok(0xffff_ffff));
        check(Number::Real(f64::NAN), ScalarKind::U32, Err("`NaN` is not a uint"));
    }

    #[test]
    fn every_number_but_zero_is_true() {
        check(Number::Integer(7), ScalarKind::Bool, Ok(1));
        check(Number::Real(0.0), ScalarKind::Bool, Ok(0));
    }
}
