//! Runs tessellation and geometry stages before each draw.

mod strip;
mod wired;

use std::collections::BTreeMap;

use case::Case;
use case::state::{ProvokingVertex, StateChange};
use link::binding::BindingPoint;
use link::front::Front;
use plan::{ExecuteError, Plan, PlannedGeometry};

pub(crate) use wired::Emitted;
pub use wired::{
    Number, Received, WiredControl, WiredEvaluation, WiredGeometry, WiredStage, WiredStages,
    WiredTessellation,
};

use crate::compute::dispatch;
use crate::memory::Bound;
use crate::stage::Stage;
use crate::world::World;

/// The stages of a program that run before its draws: the vertex stage and those after it.
#[derive(Debug)]
pub enum GeometryStages {
    /// The stages of a linked program, which are compute stages.
    Linked {
        /// The stages, each with the first binding of its buffers.
        stages: Vec<(Stage, BindingPoint)>,
    },
    /// Wired stages.
    Wired(Box<WiredStages>),
}

/// What the stages before the rasteriser read, apart from the draw that they run for.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// The case, whose steps select base vertices, base instances and provoking vertices.
    pub(crate) case: &'a Case,
    /// The plan of the case.
    pub(crate) plan: &'a Plan,
    /// The object bound at each binding point of the program.
    pub(crate) points: &'a BTreeMap<BindingPoint, Bound>,
}

impl GeometryStages {
    /// Compiles the stages of a linked program.
    pub(crate) fn linked(front: &Front) -> Result<Self, ExecuteError> {
        let stage = |(module, at): (&naga::Module, BindingPoint)| Ok((Stage::new(module)?, at));
        let stages = front.stages().into_iter().map(stage);
        Ok(Self::Linked { stages: stages.collect::<Result<_, ExecuteError>>()? })
    }

    /// Runs the stages for a draw. Linked stages write entries and records; the vertices that wired stages emit are
    /// returned.
    pub(crate) fn run(
        &self,
        world: &mut World,
        setting: Setting<'_>,
        planned: &PlannedGeometry,
    ) -> Result<Option<Emitted>, ExecuteError> {
        let Setting { case, plan, points } = setting;
        match self {
            Self::Linked { stages } => {
                run_linked(world, stages, points, planned)?;
                Ok(None)
            }
            Self::Wired(stages) => {
                let convention = chosen(case, planned.step).unwrap_or(stages.provoking);
                let bases = bases(case, Some(planned.step));
                let draw = wired::Draw { plan, planned, points, bases, convention };
                stages.run(world, draw).map(Some)
            }
        }
    }
}

fn run_linked(
    world: &mut World,
    stages: &[(Stage, BindingPoint)],
    points: &BTreeMap<BindingPoint, Bound>,
    draw: &PlannedGeometry,
) -> Result<(), ExecuteError> {
    for ((stage, at), planned) in stages.iter().zip(&draw.stages) {
        let words = world.add(planned.words.clone());
        let input = planned.input.unwrap_or(world.places.rows);
        let buffers = [input, world.places.indices, planned.output, words];
        let mut points = points.clone();
        for (binding, buffer) in (at.binding..).zip(buffers) {
            points.insert(BindingPoint { binding, ..*at }, Bound::Buffer(buffer));
        }
        let [x, y] = planned.groups;
        dispatch(world, stage, &points, [x, y, 1])?;
    }
    world.forget_added();
    Ok(())
}

/// Base vertex and base instance of the draw of a step.
pub(crate) fn bases(case: &Case, step: Option<usize>) -> [u32; 2] {
    let step = step.and_then(|step| case.steps.get(step));
    let draw = step.and_then(|step| step.value.draw());
    draw.map_or([0; 2], |draw| [draw.base_vertex.cast_unsigned(), draw.first_instance])
}

/// The provoking vertex that a case chose before a step.
fn chosen(case: &Case, step: usize) -> Option<ProvokingVertex> {
    let before = case.steps.iter().take(step).rev();
    let mut changes = before.filter_map(|step| match step.value.state() {
        Some(StateChange::ProvokingVertex(vertex)) => Some(*vertex),
        Some(_) | None => None,
    });
    changes.next()
}
