//! Copies of textures and buffers, for readback and for later draws.

pub(crate) mod snapshot;
pub(crate) mod stencil_copy;
pub(crate) mod texel_copy;
