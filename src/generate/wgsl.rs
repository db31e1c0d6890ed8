//! Programs in WGSL, and what the generators of programs with several languages write in it.

pub mod blocks;
pub(crate) mod declared;
mod layout;
pub mod varyings;
