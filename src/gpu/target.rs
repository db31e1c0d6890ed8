//! Textures that passes draw to and read, and passes that fill them.

pub(crate) mod depth_buffer;
pub(crate) mod drawn_upload;
pub(crate) mod fill;
pub(crate) mod flat_texture;
pub(crate) mod full_screen;
pub(crate) mod render_target;
pub(crate) mod textures;
