//! Memory that stages share: buffers, textures, and the resources bound for a draw or dispatch.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::errors::Stopped;
use crate::noise::Noise;
use crate::noise::foresight::Foresight;
use crate::texture::Textures;

/// A uniform or storage buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Content of the buffer.
    pub words: Vec<u32>,
    /// Length of the buffer in bytes, at most that of `words`.
    pub bytes: usize,
}

/// The object bound to a resource of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Index into [`Environment::buffers`].
    Buffer(usize),
    /// Index of a view of [`Textures`]: a sampled texture or a storage image.
    View(usize),
    /// Index of a sampler of [`Textures`].
    Sampler(usize),
}

/// Everything outside the registers that a run may read and write.
#[derive(Debug)]
pub struct Environment<'a> {
    /// All buffers.
    pub buffers: &'a mut [Buffer],
    /// All textures.
    pub textures: &'a mut Textures,
    /// The bound object of every resource of the stage.
    pub bound: &'a [Bound],
    /// The work that remains.
    pub work: &'a Work,
    /// Rounding errors to simulate; `None` for exact results.
    pub noise: Option<Noise>,
}

/// The work that a case may still do, in units of about one operation on one scalar of one lane. All runs of the case
/// share it, so none is endless. A clone shares the remaining work, and the findings that the first run of a pair with
/// noise passes to the second.
#[derive(Clone, Debug)]
pub struct Work {
    limit: usize,
    left: Rc<Cell<usize>>,
    invocations: Rc<Cell<usize>>,
    pub(crate) foresight: Rc<RefCell<Foresight>>,
}

impl Default for Work {
    /// Work for some seconds.
    fn default() -> Self {
        Self::new(1 << 33)
    }
}

impl Work {
    /// Work of `limit` units.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            left: Rc::new(Cell::new(limit)),
            invocations: Rc::default(),
            foresight: Rc::default(),
        }
    }

    /// Number of shader invocations in all runs so far, without those that only help with derivatives.
    pub fn invocations(&self) -> usize {
        self.invocations.get()
    }

    /// Counts shader invocations.
    pub(crate) fn count(&self, invocations: usize) {
        self.invocations.set(self.invocations.get().saturating_add(invocations));
    }

    /// Subtracts `units` from the remaining work.
    ///
    /// # Errors
    /// Less work remains.
    pub fn spend(&self, units: usize) -> Result<(), Stopped> {
        let left = self.left.get().checked_sub(units);
        self.left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Stopped::Exhausted(self.limit))
    }
}
