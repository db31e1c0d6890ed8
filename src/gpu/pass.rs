//! Pipelines and bind groups of draws and dispatches, and of the compute stages that run before draws.

pub(crate) mod back_end;
pub(crate) mod bindings;
pub(crate) mod cull;
pub(crate) mod geometry;
pub(crate) mod pipeline;
pub(crate) mod pointer_argument;
pub(crate) mod xfb;
