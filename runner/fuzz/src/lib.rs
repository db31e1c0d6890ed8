//! Fuzzing of all code that reads input: cases, scripts, shaders.
//!
//! A [`target::Target`] has a body, a function of bytes that does no I/O. Any input must end in a result or in a
//! message. A panic, a stack overflow, unbounded memory and an input that takes too long are *findings*.
//!
//! Two programs share the bodies. cargo-fuzz's targets in `fuzz/` need a nightly compiler and are guided by coverage.
//! `cargo xtask fuzz` needs no tools, mutates the files of a corpus and runs on every platform.

pub mod command;
mod corpus;
mod findings;
mod minimise;
mod mutate;
mod section;
pub mod target;
mod worker;

pub use target::{TARGETS, Target};
