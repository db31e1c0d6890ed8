//! Lowerings of single stages, before matching: features that WebGPU does not have.

pub mod clip_distance;
pub(crate) mod clip_emulation;
pub(crate) mod distance_map;
pub mod draw_parameters;
pub(crate) mod legacy;
pub mod point;
pub(crate) mod state_uniform;
pub(crate) mod words;
