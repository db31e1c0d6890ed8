//! Render targets of draws: the case's own, or textures.

/// Render targets of draws and probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenderTo {
    /// The case's `[render targets]`.
    #[default]
    Window,
    /// Textures.
    Textures {
        /// Index into `Plan::framebuffers`.
        framebuffer: usize,
        /// True if the case's depth buffer is attached too.
        has_depth: bool,
    },
}

impl RenderTo {
    /// True if draws use the case's depth buffer, if it has one.
    pub const fn has_depth(self) -> bool {
        match self {
            Self::Window => true,
            Self::Textures { has_depth, .. } => has_depth,
        }
    }
}

/// A layer of a texture that is drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLayer {
    /// Index into `Plan::textures`.
    pub texture: usize,
    /// Number of the layer, or of the slice of a 3D texture.
    pub layer: u32,
}
