//! Shared data types of interstage, which every other crate depends on.
//!
//! Source text with positions ([`source`], [`diagnostic`]), pixel formats and block layouts ([`mod@format`],
//! [`layout`]), the model of interfaces ([`interface`], [`semantic`], [`profile`]), compiled stages ([`stage_module`]),
//! treatment of words ([`treatment`]), link options ([`options`]), backends ([`backend`]), and results of a run
//! ([`readback`]).

pub mod backend;
pub mod builder;
pub mod diagnostic;
pub mod emit;
pub mod format;
pub mod interface;
pub mod layout;
pub mod linkage_table;
pub mod operands;
pub mod options;
pub mod profile;
pub mod readback;
pub mod semantic;
pub mod source;
pub mod stage;
pub mod treatment;
pub mod vulkan;

pub use interface::{declared_block, declared_uniform, precision, scalar, type_name};
pub use stage::{geometry, stage_module, tessellation, uniform};

// The fixtures are compiled into these tests from their file, which uses this crate under this name.
#[cfg(test)]
extern crate self as ir;
#[cfg(test)]
#[path = "../fixture/notation.rs"]
pub mod notation;
