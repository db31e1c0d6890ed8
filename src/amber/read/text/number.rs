//! Converts numbers to the bytes of a buffer.

use ir::scalar::Number;

use super::at::At;
use super::cursor::real_of;
use super::problem::{Parsed, Problem};
use crate::syntax::data::Scalar;

/// Appends the bytes of a number as type `scalar`.
pub(crate) fn add_bytes(number: At<Number>, scalar: Scalar, into: &mut Vec<u8>) -> Parsed<()> {
    let bits = bits(number, scalar)?;
    let size = scalar.size() as usize;
    into.extend_from_slice(&bits.to_le_bytes()[..size]);
    Ok(())
}

/// The bits of a number as type `scalar`, in the lowest bits. `0x…` is a bit pattern for an integer, and a whole number
/// for a float.
pub(crate) fn bits(number: At<Number>, scalar: Scalar) -> Parsed<u64> {
    let bits = match scalar {
        Scalar::Float16 => Some(u64::from(half::f16::from_f64(real_of(number.value)).to_bits())),
        Scalar::Float => Some(u64::from(single(real_of(number.value)).to_bits())),
        Scalar::Double => Some(real_of(number.value).to_bits()),
        Scalar::Int8
        | Scalar::Int16
        | Scalar::Int32
        | Scalar::Int64
        | Scalar::Uint8
        | Scalar::Uint16
        | Scalar::Uint32
        | Scalar::Uint64 => integer_bits(number.value, scalar),
    };
    bits.ok_or_else(|| {
        let written = ir::scalar::notation(number.value);
        let message = format!("`{written}` is no `{}`", name(scalar));
        Problem::error(number.span, message)
    })
}

/// The bits of a whole number, if the type can hold it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "two's complement is meant"
)]
fn integer_bits(number: Number, scalar: Scalar) -> Option<u64> {
    let width = scalar.size() * 8;
    let mask = u64::MAX >> (64 - width);
    let value = match number {
        Number::Integer(value) => value,
        Number::Bits(bits) => return (bits <= mask).then_some(bits),
        Number::Real(value) => whole(value)?,
    };
    // Amber accepts a negative number for an unsigned type, and for a signed type a number that only the unsigned type
    // of that size can hold.
    let (least, greatest) = (-(1_i128 << (width - 1)), (1_i128 << width) - 1);
    (least..=greatest).contains(&value).then_some(value as u64 & mask)
}

/// An integer written as a real, such as `0.0`.
#[expect(clippy::cast_possible_truncation, reason = "whole, and a cast from float saturates")]
#[expect(clippy::float_cmp, reason = "whole numbers are equal to their truncation")]
fn whole(value: f64) -> Option<i128> {
    (value.trunc() == value).then_some(value as i128)
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
const fn single(value: f64) -> f32 {
    value as f32
}

/// The name of a type in a script.
pub(crate) const fn name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int8 => "int8",
        Scalar::Int16 => "int16",
        Scalar::Int32 => "int32",
        Scalar::Int64 => "int64",
        Scalar::Uint8 => "uint8",
        Scalar::Uint16 => "uint16",
        Scalar::Uint32 => "uint32",
        Scalar::Uint64 => "uint64",
        Scalar::Float16 => "float16",
        Scalar::Float => "float",
        Scalar::Double => "double",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::source::Span;

    #[track_caller]
    fn check(number: Number, scalar: Scalar, expected: Option<u64>) {
        assert_eq!(bits(At::new(number, Span::new(0, 1)), scalar).ok(), expected);
    }

    #[test]
    fn integers_are_those_of_the_signed_or_the_unsigned_type() {
        check(Number::Integer(-1), Scalar::Uint8, Some(0xff));
        check(Number::Integer(255), Scalar::Int8, Some(0xff));
        check(Number::Integer(256), Scalar::Int8, None);
        check(Number::Integer(-129), Scalar::Uint8, None);
        check(Number::Integer(i128::from(u64::MAX)), Scalar::Uint64, Some(u64::MAX));
        check(Number::Real(1.0), Scalar::Int32, Some(1));
        check(Number::Real(1.5), Scalar::Int32, None);
    }

    #[test]
    fn hexadecimal_numbers_are_bits_of_integers_and_values_of_floats() {
        check(Number::Bits(0xff), Scalar::Int8, Some(0xff));
        check(Number::Bits(0x100), Scalar::Int8, None);
        check(Number::Bits(1), Scalar::Float, Some(0x3f80_0000));
    }

    #[test]
    fn floats_take_every_number() {
        check(Number::Integer(1), Scalar::Float16, Some(0x3c00));
        check(Number::Real(0.5), Scalar::Double, Some(0x3fe0_0000_0000_0000));
    }
}
