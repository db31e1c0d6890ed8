//! The buffers, textures and samplers of a case.

pub mod bind;
pub mod texture;
