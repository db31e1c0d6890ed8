//! Stages that the caller wires, for programs that were not linked.
//!
//! A linked stage has an entry point, and its inputs and outputs are that function's arguments and results. A wired stage
//! is a `main` that communicates by private globals: a [`Wiring`] says from where each part of them gets its value and
//! where it goes, and [`Stage::wired`] compiles both. A [`WiredProgram`] adds what a plan must know of the program, and
//! [`Executable::wired`] plans and runs a case with such programs.

use std::borrow::Cow;

use case::Case;
use link::program::LinkedProgram;
use link::session::LinkedPrograms;
use plan::{ExecuteError, Programs, plan_by_runs};

use crate::execute::{Executable, OPTIONS};

pub use crate::compile::fixed::Planes;
pub use crate::compile::wiring::{
    ClipWire, ColorWire, EmissionWiring, Part, SharedWire, UniformWire, UniformWord, Wire, Wiring,
};
pub use crate::draw::sprite::{Coordinate, Sprites};
pub use crate::draw::{Layer, RenderStages};
pub use crate::errors::lacking;
pub use crate::execute::ProgramStages;
pub use crate::geometry::wired::*;
pub use crate::pass::{Passes, WiredCapture};
pub use crate::stage::Stage;
pub use crate::vertex::{RecordLayout, Varying};

/// A program of wired stages.
#[derive(Debug)]
pub struct WiredProgram {
    /// Description for the plan: everything of a linked program except its modules.
    pub described: LinkedProgram,
    /// The stages.
    pub stages: ProgramStages,
}

impl<'a> Executable<'a> {
    /// Plans `case` for wired programs. `linked` are the same programs linked, of which only the order and the objects
    /// are read.
    ///
    /// # Errors
    /// A step does not fit the program, or the executor lacks something that the programs need.
    pub fn wired(
        case: &'a Case,
        programs: Vec<WiredProgram>,
        linked: &LinkedPrograms,
    ) -> Result<Self, ExecuteError> {
        let pairs = programs.into_iter().map(|program| (program.described, program.stages));
        let (programs, mut stages): (Vec<_>, Vec<_>) = pairs.unzip();
        let all = Programs { all: &programs, uses: &linked.uses, objects: &linked.objects };
        let plan = plan_by_runs(case, all, OPTIONS, |plan| {
            let (programs, own) = (Cow::Borrowed(&programs[..]), std::mem::take(&mut stages));
            let known = Executable { case, programs, plan, stages: own };
            let snapshots = known.snapshots_so_far();
            stages = known.stages;
            snapshots
        })?;
        Ok(Self { case, programs: Cow::Owned(programs), plan, stages })
    }
}
