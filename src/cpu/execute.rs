//! Runs a planned case on the CPU.

pub(crate) mod snapshot;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use case::Case;
use case::state::ProvokingVertex;
use ir::readback::{Extent, Readback, Snapshot};
use link::program::{LinkedProgram, LinkedStages};
use link::table::binding::BindingPoint;
use plan::xfb::XfbEvent;
use plan::xfb::replay::replay;
use plan::{
    CopiedTo, ExecuteError, Operation, Plan, PlanOptions, PlannedDraw, Programs, RowCopy, WordCopy,
    plan_by_runs,
};

use crate::draw::{Draw, RenderStages};
use crate::errors::lacking;
use crate::execute::snapshot::snapshot;
use crate::geometry::{Emitted, bases};
use crate::memory::{Bound, Work};
use crate::noise::Noise;
use crate::numbers::index;
use crate::pass::compute::dispatch;
use crate::pass::{Passes, Setting};
use crate::stage::{Stage, points};
use crate::vertex::RecordLayout;
use crate::world::World;

/// Options with which the executor plans.
pub(crate) const OPTIONS: PlanOptions =
    PlanOptions { provoking: ProvokingVertex::First, joins_targets: false };

/// Plans a case for the executor.
///
/// # Errors
/// A step does not fit the program.
pub fn planned<'a>(case: &Case, programs: impl Into<Programs<'a>>) -> Result<Plan, ExecuteError> {
    let programs = programs.into();
    let run = |plan| Executable::new(case, programs, plan)?.snapshots_so_far();
    plan_by_runs(case, programs, OPTIONS, run)
}

/// How to run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The part of render targets that is read back.
    pub extent: Extent,
    /// Rounding errors to simulate; `None` for exact results.
    pub noise: Option<Noise>,
    /// True to leave out draws and dispatches, so that only what the case initialises is there.
    pub is_idle: bool,
}

impl From<Extent> for Way {
    fn from(extent: Extent) -> Self {
        Self { extent, noise: None, is_idle: false }
    }
}

/// A case that can be run any number of times: its programs are compiled and its steps planned.
#[derive(Debug)]
pub struct Executable<'a> {
    pub(crate) case: &'a Case,
    pub(crate) programs: Cow<'a, [LinkedProgram]>,
    pub(crate) plan: Plan,
    /// The compiled stages, by program.
    pub(crate) stages: Vec<ProgramStages>,
}

impl<'a> Executable<'a> {
    /// Compiles the programs of `case` for `plan`, which [`planned`] made.
    ///
    /// # Errors
    /// The executor lacks something that the programs need.
    pub fn new(
        case: &'a Case,
        programs: impl Into<Programs<'a>>,
        plan: Plan,
    ) -> Result<Self, ExecuteError> {
        let all = programs.into().all;
        let own = |(idx, program)| ProgramStages::new(idx, program, &plan);
        let stages = all.iter().enumerate().map(own).collect::<Result<_, _>>()?;
        Ok(Self { case, programs: Cow::Borrowed(all), plan, stages })
    }

    /// Runs the steps of the case, and returns what its expectations read.
    ///
    /// # Errors
    /// A step does not fit the program, the executor lacks something that a step needs, or a stage does not end.
    pub fn run(&self, way: impl Into<Way>) -> Result<Readback, ExecuteError> {
        self.run_within(Work::default(), way)
    }

    /// Like [`Self::run`], with at most `work`, which several runs may share.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub fn run_within(&self, work: Work, way: impl Into<Way>) -> Result<Readback, ExecuteError> {
        let way = way.into();
        let plan = &self.plan;
        if let Some(impossible) = &plan.impossible {
            return Err(ExecuteError::Lacking(impossible.clone()));
        }
        let snapshots = self.snapshots(work, way)?;
        let of_step = |idx: &Option<usize>| snapshots.get((*idx)?).cloned().flatten();
        let mut of_steps: Vec<_> = plan.snapshot_of_step.iter().map(of_step).collect();
        let xfbs: Vec<_> = self.programs.iter().map(|program| program.captured.as_ref()).collect();
        let is_left_out = |event: &XfbEvent| way.is_idle && matches!(event, XfbEvent::Draw { .. });
        let events = plan.xfb_events.iter().copied().filter(|event| !is_left_out(event));
        replay(&xfbs, &events.collect::<Vec<_>>(), &snapshots, &mut of_steps)?;
        let setups: BTreeSet<_> = plan.operations.iter().filter_map(Operation::setup).collect();
        Ok(Readback { snapshots: of_steps, pipelines: setups.len(), ..Readback::default() })
    }

    /// Runs a plan that ends where it needs levels, and returns its snapshots.
    pub(crate) fn snapshots_so_far(&self) -> Result<Vec<Option<Snapshot>>, ExecuteError> {
        self.snapshots(Work::default(), Extent::Whole.into())
    }

    /// Runs the plan and returns its snapshots.
    fn snapshots(&self, work: Work, way: Way) -> Result<Vec<Option<Snapshot>>, ExecuteError> {
        let plan = &self.plan;
        let world = World::new(self.case, plan, work, way.noise)?;
        let snapshots = vec![None; plan.snapshots.len()];
        let (emitted, extent) = (None, way.extent);
        let mut run = Run { executable: self, world, snapshots, emitted, extent };
        for operation in plan.operations.iter().filter(|own| !way.is_idle || !own.runs_stages()) {
            run.operation(operation)?;
        }
        Ok(run.snapshots)
    }
}

/// Runs the steps of `case` with its programs, and returns what its expectations read.
///
/// # Errors
/// As for [`planned`], [`Executable::new`] and [`Executable::run`].
pub fn execute<'a>(
    case: &'a Case,
    programs: impl Into<Programs<'a>>,
    way: impl Into<Way>,
) -> Result<Readback, ExecuteError> {
    let programs = programs.into();
    Executable::new(case, programs, planned(case, programs)?)?.run(way)
}

/// The compiled stages of a program that the plan uses.
#[derive(Debug, Default)]
pub struct ProgramStages {
    /// Stages for draws.
    pub render: Option<RenderStages>,
    /// True if draws have no effect: there is neither a position nor a fragment stage.
    pub draws_nothing: bool,
    /// The stage for dispatches.
    pub compute: Option<Stage>,
    /// Stages that run before or beside draws.
    pub passes: Passes,
}

impl ProgramStages {
    fn new(idx: usize, program: &LinkedProgram, plan: &Plan) -> Result<Self, ExecuteError> {
        let passes = Passes::linked(idx, program, plan)?;
        let mut stages = Self { passes, ..Self::default() };
        match &program.stages {
            LinkedStages::Compute(module) => stages.compute = Some(Stage::new(module)?),
            LinkedStages::Render { vertex, fragment } => {
                let mut setups = plan.operations.iter().filter_map(Operation::setup);
                if setups.any(|setup| setup.program == idx) {
                    let vertex = Stage::new(vertex)?;
                    let fragment = fragment.as_ref().map(Stage::new).transpose()?;
                    let records = RecordLayout::new(&vertex)?;
                    let (vertex, sprites, layer) = (Some(vertex), None, None);
                    stages.render =
                        Some(RenderStages { vertex, records, fragment, sprites, layer });
                }
            }
        }
        Ok(stages)
    }
}

struct Run<'a> {
    executable: &'a Executable<'a>,
    world: World,
    snapshots: Vec<Option<Snapshot>>,
    /// The vertices that wired stages emitted for the last draw.
    emitted: Option<Emitted>,
    extent: Extent,
}

/// A program with its stages, and the bound resources.
type Bindings<'a> = (&'a LinkedProgram, &'a ProgramStages, BTreeMap<BindingPoint, Bound>);

impl Executable<'_> {
    /// The program of an entry of the plan's bindings, and its bound resources.
    fn bindings(&self, world: &World, idx: usize) -> Result<Bindings<'_>, ExecuteError> {
        let bindings = self.plan.bindings.get(idx);
        let found = bindings.and_then(|bindings| {
            let program = self.programs.get(bindings.program)?;
            let points = points(program, bindings, world.places);
            Some((program, self.stages.get(bindings.program)?, points))
        });
        found.ok_or_else(|| lacking("such bindings"))
    }
}

impl Run<'_> {
    fn operation(&mut self, operation: &Operation) -> Result<(), ExecuteError> {
        let Self { executable, world, .. } = self;
        let Executable { case, plan, .. } = executable;
        let bound = |world: &World, idx| executable.bindings(world, idx);
        match operation {
            Operation::Clear { .. } | Operation::Fill { .. } => self.clear(operation)?,
            Operation::Passes(range) => {
                let passes = plan.passes.get(range.clone()).unwrap_or(&[]);
                let Some(first) = passes.first() else { return Ok(()) };
                let (program, stages, points) = bound(world, first.bindings)?;
                let setting = Setting { case, program, plan, points: &points };
                stages.passes.run(world, setting, passes, &mut self.emitted)?;
            }
            Operation::Rows(copies) => copy_rows(world, copies),
            Operation::Draw(draw) => self.draw(draw)?,
            Operation::Dispatch { groups, bindings } => {
                let (_, stages, points) = bound(world, *bindings)?;
                let stage = stages.compute.as_ref();
                let stage = stage.ok_or_else(|| lacking("stage of this dispatch"))?;
                dispatch(world, stage, &points, *groups)?;
            }
            Operation::Write { buffer, offset, bytes } => write(world, *buffer, *offset, bytes),
            Operation::CopyWords(copy) => copy_words(world, *copy),
            Operation::ReadDepth(texture) => world.read_depth(*texture)?,
            Operation::Snapshot(idx) => {
                let planned = plan.snapshots.get(*idx).ok_or_else(|| lacking("such a snapshot"))?;
                let taken = snapshot(world, case, plan, *planned, self.extent)?;
                if let Some(place) = self.snapshots.get_mut(*idx) {
                    *place = Some(taken);
                }
            }
        }
        Ok(())
    }

    fn draw(&mut self, draw: &PlannedDraw) -> Result<(), ExecuteError> {
        let Executable { case, plan, .. } = self.executable;
        let (program, stages, points) = self.executable.bindings(&self.world, draw.bindings)?;
        let emitted = self.emitted.as_ref().filter(|_| stages.passes.emits());
        let Some(stages) = &stages.render else {
            let is_empty = emitted.is_some_and(|emitted| emitted.is_empty(plan, draw));
            let draws_nothing = stages.draws_nothing || is_empty;
            return draws_nothing.then_some(()).ok_or_else(|| lacking("a position"));
        };
        let kept = draw.first_kept.map(|first| self.kept(draw, first)).transpose()?;
        let bases = bases(case, Some(draw.step));
        Draw { plan, program, stages, planned: draw, bases, points, kept, emitted }
            .run(&mut self.world)
    }

    /// The index lists of all instances of a culled draw, which begin at index `first`.
    fn kept(&self, draw: &PlannedDraw, first: u32) -> Result<Vec<u32>, ExecuteError> {
        let count = draw.indices.end.saturating_sub(draw.indices.start);
        let buffer = self.executable.plan.kept.and_then(|kept| self.world.buffers.get(kept));
        let lists = buffer.and_then(|buffer| buffer.words.get(index(first)..));
        let lists = lists.and_then(|lists| lists.get(..index(count) * index(draw.instances)));
        lists.map(<[u32]>::to_vec).ok_or_else(|| lacking("such indices"))
    }

    fn clear(&mut self, operation: &Operation) -> Result<(), ExecuteError> {
        let Self { executable, world, .. } = self;
        let plan = &executable.plan;
        match operation {
            Operation::Clear { to, attachments, color, depth, stencil } => {
                let map = plan.attachments.get(*attachments).copied().unwrap_or_default();
                for (number, surface) in world.surfaces(plan, *to) {
                    if let (Some(color), true) = (color, map.targets.contains(&Some(number))) {
                        world.spend(world.bytes(surface.place).len())?;
                        let noise = world.noise;
                        surface.fill(world.bytes_mut(surface.place), *color, [true; 4], noise);
                    }
                }
                if let Some(buffer) = world.depth_of(*to) {
                    buffer.clear(*depth, *stencil);
                }
            }
            Operation::Fill { to, target, values, channels } => {
                let surfaces = world.surfaces(plan, *to);
                if let Some((_, surface)) = surfaces.iter().find(|(number, _)| number == target) {
                    world.spend(world.bytes(surface.place).len().saturating_mul(4))?;
                    let noise = world.noise;
                    surface.fill(world.bytes_mut(surface.place), *values, *channels, noise);
                }
            }
            Operation::Passes(_)
            | Operation::Rows(_)
            | Operation::Draw(_)
            | Operation::Dispatch { .. }
            | Operation::Write { .. }
            | Operation::CopyWords(_)
            | Operation::ReadDepth(_)
            | Operation::Snapshot(_) => {}
        }
        Ok(())
    }
}

/// Writes bytes to a buffer, from a byte offset on.
fn write(world: &mut World, buffer: usize, offset: u32, bytes: &[u8]) {
    let words = bytes.chunks_exact(4);
    let words = words.map(|chunk| chunk.try_into().map_or(0, u32::from_le_bytes));
    let buffer = world.buffers.get_mut(buffer);
    let places = buffer.and_then(|buffer| buffer.words.get_mut(index(offset) / 4..));
    let places = places.unwrap_or(&mut []);
    places.iter_mut().zip(words).for_each(|(place, word)| *place = word);
}

/// Copies words from one buffer to another.
fn copy_words(world: &mut World, copy: WordCopy) {
    let to = match copy.to {
        CopiedTo::Storage(buffer) => buffer,
        CopiedTo::Uniform(content) => world.places.uniforms.saturating_add(content),
    };
    let [from, offset, size] =
        [copy.from_offset, copy.to_offset, copy.size].map(|bytes| index(bytes) / 4);
    let source = world.buffers.get(copy.from).and_then(|source| source.words.get(from..));
    let words: Vec<u32> = source.unwrap_or(&[]).iter().copied().take(size).collect();
    let places = world.buffers.get_mut(to).and_then(|buffer| buffer.words.get_mut(offset..));
    places.unwrap_or(&mut []).iter_mut().zip(words).for_each(|(place, word)| *place = word);
}

/// Copies whole words of records to vertex rows.
fn copy_rows(world: &mut World, copies: &[RowCopy]) {
    for copy in copies {
        let from = world.buffers.get(copy.buffer).and_then(|buffer| {
            buffer.words.get(copy.from / 4..)?.get(..copy.size / 4).map(<[u32]>::to_vec)
        });
        let rows = &mut world.buffers[world.places.rows].words;
        let places = rows.get_mut(copy.to / 4..).unwrap_or(&mut []);
        for (place, word) in places.iter_mut().zip(from.unwrap_or_default()) {
            *place = word;
        }
    }
}

#[cfg(test)]
mod tests;
