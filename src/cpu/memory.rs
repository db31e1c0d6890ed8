//! Memory that stages share: buffers, textures, and what is bound at a draw or dispatch.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::errors::Stopped;
use crate::foresight::Foresight;
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
    /// What may still be done.
    pub work: &'a Work,
    /// Errors of arithmetic; `None` for results without.
    pub noise: Option<Noise>,
}

/// The work that a case may still do, in units of about one operation on one scalar of one lane. All that it runs shares
/// it, so that nothing goes on for ever. A clone shares what is left, and what the first run of a pair with noise tells the
/// second one.
#[derive(Clone, Debug)]
pub struct Work {
    limit: usize,
    left: Rc<Cell<usize>>,
    pub(crate) foresight: Rc<RefCell<Foresight>>,
}

impl Default for Work {
    /// Some seconds.
    fn default() -> Self {
        Self::new(1 << 33)
    }
}

impl Work {
    /// So many units.
    pub fn new(limit: usize) -> Self {
        Self { limit, left: Rc::new(Cell::new(limit)), foresight: Rc::default() }
    }

    /// Takes some from what is left.
    ///
    /// # Errors
    /// There is not so much.
    pub fn spend(&self, units: usize) -> Result<(), Stopped> {
        let left = self.left.get().checked_sub(units);
        self.left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Stopped::Exhausted(self.limit))
    }
}
