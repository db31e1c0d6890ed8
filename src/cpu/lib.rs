//! Runs programs of naga's IR on the processor, in safe Rust.
//!
//! A stage is compiled to [`code::Code`], a tree of operations on registers. A register holds one word per lane, and
//! every operation works on all lanes at once. Lanes are the vertices of a draw, the fragments of quads, or the
//! invocations of a workgroup.

mod compute;
mod depth;
mod draw;
mod execute;
mod fragment;
mod merge;
mod numbers;
mod raster;
mod snapshot;
mod stage;
mod surface;
mod unlinked;
mod varying;
mod vertex;
mod vertex_compute;
mod world;

pub mod code;
pub mod compile;
mod kernel;
pub mod lanes;
pub mod memory;
pub mod texture;

pub use execute::execute;
pub use unlinked::execute_unlinked;
