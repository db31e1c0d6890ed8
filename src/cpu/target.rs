//! Render targets: surfaces, depth buffers, and how fragments are merged into them.

pub(crate) mod depth;
pub(crate) mod merge;
pub(crate) mod surface;
