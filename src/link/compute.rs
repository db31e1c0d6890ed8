//! Stages that run as compute passes beside the draws of a program.

pub mod cull_distance;
pub(crate) mod emulated;
pub mod geometry;
pub(crate) mod vertex_compute;
pub mod xfb;
