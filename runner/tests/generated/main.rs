//! Generated programs: they check themselves on every adapter, linking changes none of their results, and broken ones are
//! rejected.
//!
//! One test program, because linking another takes longer than many of these tests.

mod attributes;
mod blocks;
mod geometry;
mod invalid;
mod programs;
mod run;
#[path = "../common/soak.rs"]
mod soak;
mod tessellation;
mod valid_spirv;
mod varyings;
mod wgsl;
