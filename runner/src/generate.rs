//! Random cases that check themselves.

pub mod blocks;
pub mod invalid;
pub mod varyings;
