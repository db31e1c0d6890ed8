//! Random cases that check themselves.

pub mod varyings;
