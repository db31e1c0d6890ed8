//! Runs programs of naga's IR on the CPU, in safe Rust.
//!
//! A stage is compiled to [`code::Code`], a tree of operations on registers. A register holds one word per lane, and
//! every operation works on all lanes at once. Lanes are the vertices of a draw, the fragments of quads, or the
//! invocations of a workgroup.
//!
//! Stages are linked, or [`wired`] by the caller.

mod draw;
mod errors;
mod execute;
mod geometry;
mod noise;
mod numbers;
mod pass;
mod raster;
mod stage;
mod target;
mod vertex;
mod world;

pub mod code;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever is not named is not implemented, which is an error"
)]
pub mod compile;
pub mod lanes;
pub mod memory;
pub mod texture;
pub mod wired;

pub use errors::Stopped;
pub use execute::{Executable, Way, execute, planned};
pub use noise::Noise;
