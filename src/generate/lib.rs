//! Generators of cases: random programs in GLSL and WGSL that check themselves or that the oracle checks, programs that
//! each break one rule of GLSL, and a program for every attribute.
//!
//! They return the text of case files. The tables of attributes are those of the front ends `glsl` and `spirv`; nothing
//! else here depends on how interstage reads or links a program.

pub mod attributes;
pub mod blocks;
mod declared;
pub mod geometry;
pub mod invalid;
pub mod programs;
pub mod tessellation;
pub mod varyings;
pub mod wgsl;
