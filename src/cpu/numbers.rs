//! Conversions between numbers whose correctness the compiler cannot see.

/// The nearest single-precision number.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
pub(crate) const fn narrow(value: f64) -> f32 {
    value as f32
}

/// The nearest double-precision number.
#[expect(clippy::cast_precision_loss, reason = "rounding to double precision is the point")]
pub(crate) const fn real(value: i64) -> f64 {
    value as f64
}

/// The integer part; the nearest integer for a number out of range, and 0 for NaN.
#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
pub(crate) const fn whole(value: f64) -> i64 {
    value as i64
}

/// Like [`whole`], for 32-bit signed integers.
#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
pub(crate) const fn signed(value: f64) -> i32 {
    value as i32
}

/// Like [`whole`], for 32-bit unsigned integers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates"
)]
pub(crate) const fn unsigned(value: f64) -> u32 {
    value as u32
}

/// The low 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bits are wanted")]
pub(crate) const fn unsigned_bits(value: i64) -> u32 {
    value as u32
}

/// Converts a 32-bit index to the machine's.
pub(crate) fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Converts a count that never needs more than 32 bits.
pub(crate) fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
