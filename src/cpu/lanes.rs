//! Runs compiled stages.

use crate::code::{Code, Register};
use crate::memory::Environment;

/// A lane at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It runs, and has effects.
    Live,
    /// It runs for the derivatives of its quad, without effects on memory.
    Helper,
    /// It does not run.
    Absent,
}

/// The reason why a run did not end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It took too many steps.
    #[error("the stage did not end within {0} steps")]
    TooLong(u64),
}

/// The registers of a stage for a number of lanes.
#[derive(Debug)]
pub struct Lanes<'a> {
    code: &'a Code,
    width: usize,
    file: Vec<u32>,
}

impl<'a> Lanes<'a> {
    /// Registers of `width` lanes. The lanes of fragments are quads: lanes 4n to 4n + 3 are the pixels (x, y),
    /// (x + 1, y), (x, y + 1), (x + 1, y + 1), with even x and y, of which y counts rows of memory.
    pub fn new(code: &'a Code, width: usize) -> Self {
        Self { code, width, file: vec![0; code.registers.saturating_mul(width)] }
    }

    /// The words of a register, one per lane.
    pub fn words(&self, register: Register) -> &[u32] {
        &self.file[register * self.width..][..self.width]
    }

    /// The words of a register, one per lane.
    pub fn words_mut(&mut self, register: Register) -> &mut [u32] {
        &mut self.file[register * self.width..][..self.width]
    }

    /// Computes what depends on uniforms alone. Once per draw or dispatch, before [`Self::run`].
    pub fn prepare(&mut self, _environment: &mut Environment<'_>) -> Result<(), Stopped> {
        Ok(())
    }

    /// Runs the stage once for every lane.
    pub fn run(
        &mut self,
        _environment: &mut Environment<'_>,
        _lanes: &[Lane],
    ) -> Result<(), Stopped> {
        let _ = self.code;
        Ok(())
    }

    /// True if the lane was live and discarded its fragment.
    pub fn is_discarded(&self, _lane: usize) -> bool {
        false
    }
}
