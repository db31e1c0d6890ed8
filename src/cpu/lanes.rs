//! Runs compiled stages.

pub(crate) mod races;

mod control;
mod disturb;
mod emission;
mod image;
mod operation;
mod shared;
pub(crate) mod subgroup;

pub(crate) use emission::Emission;

use crate::code::{Code, Op, Register};
use crate::errors::Stopped;
use crate::lanes::races::Races;
use crate::memory::Environment;
use crate::noise::mixed;

/// State of a lane at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The lane runs, and has effects.
    Live,
    /// The lane runs for the derivatives of its quad, without effects on memory.
    Helper,
    /// The lane does not run.
    Absent,
}

/// Maximum operations of one run.
const MAX_STEPS: u64 = 1 << 24;

/// Maximum words of the registers of all lanes.
const MAX_WORDS: usize = 1 << 28;

/// A word per lane: all bits for true, none for false.
type Mask = Vec<u32>;

/// The registers of a stage for a number of lanes.
#[derive(Debug)]
pub struct Lanes<'a> {
    code: &'a Code,
    width: usize,
    file: Vec<u32>,
    /// Memory of the workgroup.
    shared: Vec<u32>,
    /// Lanes that execute the current operation.
    active: Mask,
    /// Lanes with effects on memory.
    live: Mask,
    /// Lanes that have left the innermost loop or `switch`.
    broken: Mask,
    /// Lanes that continue with the next iteration of the innermost loop.
    continued: Mask,
    /// Lanes that have left the function.
    returned: Mask,
    discarded: Mask,
    /// The vertices and ends of strips that each lane of a geometry stage emitted.
    emitted: Vec<Vec<Emission>>,
    steps: u64,
    /// Number of the run, hashed; noise differs between runs.
    batch: u32,
    /// The detector of data races, in runs with noise.
    races: Option<Box<Races>>,
}

impl<'a> Lanes<'a> {
    /// Allocates registers of `width` lanes. The lanes of fragments are quads: lanes 4n to 4n + 3 are the pixels (x,
    /// y), (x + 1, y), (x, y + 1), (x + 1, y + 1), with even x and y, where y counts rows in memory.
    ///
    /// # Errors
    /// The registers need too many words.
    pub fn new(code: &'a Code, width: usize) -> Result<Self, Stopped> {
        let mask = || vec![0; width];
        let words = code.registers.checked_mul(width).filter(|words| *words <= MAX_WORDS);
        let words = words.ok_or(Stopped::TooLarge(MAX_WORDS))?;
        let mut lanes = Self {
            code,
            width,
            file: vec![0; words],
            shared: vec![0; code.shared_words],
            active: mask(),
            live: mask(),
            broken: mask(),
            continued: mask(),
            returned: mask(),
            discarded: mask(),
            emitted: vec![Vec::new(); width],
            steps: 0,
            batch: 0,
            races: None,
        };
        for (register, word) in &code.constants {
            lanes.words_mut(*register).fill(*word);
        }
        Ok(lanes)
    }

    /// The words of a register, one per lane.
    pub fn words(&self, register: Register) -> &[u32] {
        &self.file[register * self.width..][..self.width]
    }

    /// The words of a register, one per lane, as a mutable slice.
    pub fn words_mut(&mut self, register: Register) -> &mut [u32] {
        &mut self.file[register * self.width..][..self.width]
    }

    /// Computes the values that depend only on uniforms. Called once per draw or dispatch, before [`Self::run`].
    ///
    /// # Errors
    /// The bound resources do not match the code.
    pub fn prepare(&mut self, environment: &mut Environment<'_>) -> Result<(), Stopped> {
        self.races = Races::new(self.code, environment).map(Box::new);
        self.code.once.iter().try_for_each(|op| self.disturbed(op, environment))
    }

    /// Words of the workgroup's memory after a run, starting at word `at`.
    pub(crate) fn shared(&self, at: usize, words: usize) -> &[u32] {
        self.shared.get(at..).and_then(|rest| rest.get(..words)).unwrap_or(&[])
    }

    /// Runs the stage once for every lane, with [`crate::code::Code::inputs`] in their registers. Inputs that were not
    /// set again keep the values of the last run.
    ///
    /// # Errors
    /// The run takes too many steps, or the bound resources do not match the code.
    pub fn run(
        &mut self,
        environment: &mut Environment<'_>,
        lanes: &[Lane],
    ) -> Result<(), Stopped> {
        self.shared.fill(0);
        for mask in [&mut self.broken, &mut self.continued, &mut self.returned, &mut self.discarded]
        {
            mask.fill(0);
        }
        self.emitted.iter_mut().for_each(Vec::clear);
        let all = self.active.iter_mut().zip(&mut self.live);
        let starts = lanes.iter().chain(std::iter::repeat(&Lane::Absent));
        for ((active, live), lane) in all.zip(starts) {
            *active = word(*lane != Lane::Absent);
            *live = word(*lane == Lane::Live);
        }
        self.steps = 0;
        self.batch = mixed(1, self.batch.wrapping_add(1));
        environment.work.spend(self.width.saturating_mul(4).saturating_add(self.shared.len()))?;
        environment.work.count(lanes.iter().filter(|lane| **lane == Lane::Live).count());
        if let Some(races) = &mut self.races {
            races.begin_turn();
        }
        let code = self.code;
        self.nodes(&code.body, environment)?;
        if let Some(races) = &mut self.races {
            races.end_turn(&mut environment.work.foresight.borrow_mut());
        }
        Ok(())
    }

    /// True if the lane discarded its fragment.
    pub fn is_discarded(&self, lane: usize) -> bool {
        self.discarded.get(lane).is_some_and(|word| *word != 0)
    }

    fn step(&mut self, op: &Op, environment: &mut Environment<'_>) -> Result<(), Stopped> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Stopped::TooLong(MAX_STEPS));
        }
        environment.work.spend(self.width.saturating_mul(op.scalars()))?;
        self.disturbed(op, environment)
    }

    /// Executes an operation, with noise if the run has any.
    fn disturbed(&mut self, op: &Op, environment: &mut Environment<'_>) -> Result<(), Stopped> {
        self.operation(op, environment)?;
        if let Some(noise) = environment.noise {
            self.disturb(op, noise);
        }
        Ok(())
    }
}

/// The mask word of a boolean.
const fn word(is_set: bool) -> u32 {
    if is_set { u32::MAX } else { 0 }
}
