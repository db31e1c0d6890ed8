//! Generators of random self-checking cases.

pub mod blocks;
pub mod invalid;
pub mod varyings;
