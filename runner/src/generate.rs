//! Generators of random self-checking cases.

pub mod attributes;
pub mod blocks;
mod declared;
pub mod geometry;
pub mod invalid;
pub mod programs;
pub mod tessellation;
pub mod varyings;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other types and address spaces")]
pub mod wgsl;
