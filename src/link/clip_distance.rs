//! Clip distances and user clip planes.
/// Uniform with a bit for every enabled plane; its name is none that a shader can declare.
pub const ENABLES: &str = "enabled clip planes";
/// Uniform with the planes to which `gl_ClipVertex` is compared.
pub const EYE_SPACE_PLANES: &str = "clip planes in eye space";
/// Uniform with the planes to which `gl_Position` is compared.
pub const CLIP_SPACE_PLANES: &str = "clip planes in clip space";
