//! Runs programs of naga's IR on the processor, in safe Rust.
//!
//! A stage is compiled to [`code::Code`], a tree of operations on registers. A register holds one word per lane, and
//! every operation works on all lanes at once. Lanes are the vertices of a draw, the fragments of quads, or the
//! invocations of a workgroup.

pub mod code;
pub mod compile;
mod execute;
pub mod lanes;
pub mod memory;
pub mod texture;

pub use execute::execute;
