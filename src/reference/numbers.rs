//! Conversions between the sizes of integers.

/// Converts a 32-bit index to the machine's.
pub(super) fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Converts a count that never needs more than 32 bits.
pub(super) fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
