//! Memory that stages share: buffers, textures, and what is bound at a draw or dispatch.

use crate::noise::Noise;
use crate::texture::Textures;

/// A uniform or storage buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Its content.
    pub words: Vec<u32>,
    /// Its length in bytes, at most that of `words`.
    pub bytes: usize,
}

/// What is bound to a resource of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Index into [`Environment::buffers`].
    Buffer(usize),
    /// Index of a view of [`Textures`]: a sampled texture or a storage image.
    View(usize),
    /// Index of a sampler of [`Textures`].
    Sampler(usize),
}

/// Everything outside of the registers that a run may read and write.
#[derive(Debug)]
pub struct Environment<'a> {
    /// All buffers.
    pub buffers: &'a mut [Buffer],
    /// All textures.
    pub textures: &'a mut Textures,
    /// For every resource of the stage, what is bound.
    pub bound: &'a [Bound],
    /// Errors of arithmetic; `None` for results without.
    pub noise: Option<Noise>,
}
