//! Measures the project's source code: the cycles of its modules, the size and the arguments of its functions, and the
//! number of modules in a folder.
//!
//! `runner/tests/house` limits these figures, and `cargo xtask measure` writes them to `docs/measurements.md`.

pub mod functions;
pub mod modules;
pub mod package;
pub mod siblings;
pub mod source;
