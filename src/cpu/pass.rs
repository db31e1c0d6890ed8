//! Runs the passes of programs for a draw: tessellation and geometry stages, culling by distances, and the captures of
//! transform feedback. Programs that are not linked have wired stages in place of passes.

pub(crate) mod compute;

use std::collections::BTreeMap;

use case::Case;
use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use link::table::pass::Role;
use plan::{ExecuteError, PassInput, PassVertices, Plan, PlannedPass};

use crate::errors::lacking;
use crate::geometry::{self, Emitted, WiredStages, bases};
use crate::memory::Bound;
use crate::numbers::index;
use crate::pass::compute::dispatch;
use crate::stage::Stage;
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;

/// The passes of a program that a plan runs.
#[derive(Debug)]
pub enum Passes {
    /// The passes of a linked program, by their numbers, each with the first binding of its buffers.
    Linked(BTreeMap<usize, (Stage, BindingPoint)>),
    /// Wired stages in place of passes.
    Wired {
        /// The stages before the rasteriser, if there are others besides a vertex stage.
        chain: Option<Box<WiredStages>>,
        /// Without such stages, the vertex stage for captures.
        capture: Option<Box<WiredCapture>>,
    },
}

/// A wired vertex stage that writes records of what is captured.
#[derive(Debug)]
pub struct WiredCapture {
    /// The vertex stage.
    pub stage: Stage,
    /// Layout of the records.
    pub records: RecordLayout,
}

/// Everything that passes read except the draw that they run for.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// The case, whose steps select base vertices, base instances and provoking vertices.
    pub(crate) case: &'a Case,
    /// The program.
    pub(crate) program: &'a LinkedProgram,
    /// The plan of the case.
    pub(crate) plan: &'a Plan,
    /// The object bound at each binding point of the program.
    pub(crate) points: &'a BTreeMap<BindingPoint, Bound>,
}

impl Default for Passes {
    fn default() -> Self {
        Self::Linked(BTreeMap::new())
    }
}

impl Passes {
    /// Compiles the passes of program `idx` that the plan runs.
    pub(crate) fn linked(
        idx: usize,
        program: &LinkedProgram,
        plan: &Plan,
    ) -> Result<Self, ExecuteError> {
        let mut all = BTreeMap::new();
        for planned in &plan.passes {
            let is_own = plan.bindings.get(planned.bindings).is_some_and(|own| own.program == idx);
            let pass = program.passes.get(planned.number).filter(|_| is_own);
            if let (Some(pass), false) = (pass, all.contains_key(&planned.number)) {
                all.insert(planned.number, (Stage::new(&pass.module)?, pass.at));
            }
        }
        Ok(Self::Linked(all))
    }

    /// True if draws take the vertices that wired stages emitted.
    pub(crate) const fn emits(&self) -> bool {
        matches!(self, Self::Wired { chain: Some(_), .. })
    }

    /// Runs passes one after the other. Wired stages before the rasteriser replace what was `emitted` for the last
    /// draw.
    pub(crate) fn run(
        &self,
        world: &mut World,
        setting: Setting<'_>,
        passes: &[PlannedPass],
        emitted: &mut Option<Emitted>,
    ) -> Result<(), ExecuteError> {
        match self {
            Self::Linked(stages) => {
                for planned in passes {
                    let (stage, at) =
                        stages.get(&planned.number).ok_or_else(|| lacking("such a pass"))?;
                    run_linked(world, stage, *at, setting.points, planned)?;
                }
                world.forget_added();
                Ok(())
            }
            Self::Wired { chain, capture } => {
                let Some(first) = passes.first() else { return Ok(()) };
                let role = setting.program.passes.get(first.number).map(|pass| &pass.role);
                if let (Some(chain), Some(true)) = (chain, role.map(Role::is_in_chain)) {
                    *emitted = Some(setting.emit(world, chain, passes, first.step)?);
                    return Ok(());
                }
                let records = match capture {
                    Some(capture) => setting.records(world, capture, first)?,
                    None => setting.emitted_records(emitted.as_ref(), first)?,
                };
                write_records(world, passes, &records);
                Ok(())
            }
        }
    }
}

/// Runs a pass of a linked program, whose buffers have bindings from `at` on.
fn run_linked(
    world: &mut World,
    stage: &Stage,
    at: BindingPoint,
    points: &BTreeMap<BindingPoint, Bound>,
    planned: &PlannedPass,
) -> Result<(), ExecuteError> {
    let words = world.add(planned.words.clone());
    let input = match planned.input {
        PassInput::Rows(_) => world.places.rows,
        PassInput::Buffer(buffer) => buffer,
    };
    let buffers = [input, world.places.indices, planned.output, words];
    let mut points = points.clone();
    for (binding, buffer) in (at.binding..).zip(buffers) {
        points.insert(BindingPoint { binding, ..at }, Bound::Buffer(buffer));
    }
    let [x, y] = planned.groups;
    dispatch(world, stage, &points, [x, y, 1])
}

impl Setting<'_> {
    /// Runs wired stages before the rasteriser in place of passes.
    fn emit(
        &self,
        world: &mut World,
        chain: &WiredStages,
        passes: &[PlannedPass],
        step: usize,
    ) -> Result<Emitted, ExecuteError> {
        let Self { case, plan, points, .. } = *self;
        let convention = geometry::chosen(case, step).unwrap_or(chain.provoking);
        let bases = bases(case, Some(step));
        chain.run(world, geometry::Draw { plan, passes, points, bases, convention })
    }

    /// The records of the vertices of a capture.
    fn records(
        &self,
        world: &mut World,
        WiredCapture { stage, records: layout }: &WiredCapture,
        pass: &PlannedPass,
    ) -> Result<Vec<u32>, ExecuteError> {
        let Self { case, plan, points, .. } = *self;
        let (vertices, list) = self.captured(pass)?;
        let PassVertices { instances, first_instance, .. } = vertices;
        let rows = geometry::rows(plan, pass);
        let source = Source { vertices: vertices.rows, rows, bases: bases(case, Some(pass.step)) };
        let mut stage = VertexStage::new(world, stage.bound(points)?, layout, &source)?;
        let instances = (0..instances).map(|own| first_instance.saturating_add(own));
        let pairs = instances.flat_map(|own| list.iter().map(move |vertex| (*vertex, own)));
        stage.records(world, &pairs.collect::<Vec<_>>())
    }

    /// The records of the vertices of a capture that wired stages emitted.
    fn emitted_records(
        &self,
        emitted: Option<&Emitted>,
        pass: &PlannedPass,
    ) -> Result<Vec<u32>, ExecuteError> {
        let emitted = emitted.ok_or_else(|| lacking("what a geometry stage emitted"))?;
        Ok(emitted.captured(self.captured(pass)?.1))
    }

    /// The vertices of a capture, and their numbers.
    fn captured(&self, pass: &PlannedPass) -> Result<(PassVertices, &[u32]), ExecuteError> {
        let vertices = pass.vertices().ok_or_else(|| lacking("such a capture"))?;
        let list = index(vertices.indices.start)..index(vertices.indices.end);
        let list = self.plan.indices.get(list).ok_or_else(|| lacking("such indices"))?;
        Ok((vertices, list))
    }
}

/// Writes what wired stages capture to the buffers of both passes.
fn write_records(world: &mut World, passes: &[PlannedPass], records: &[u32]) {
    for pass in passes {
        let words = world.buffers.get_mut(pass.output).map(|buffer| &mut buffer.words);
        let places = words.into_iter().flatten();
        places.zip(records).for_each(|(place, word)| *place = *word);
    }
}
