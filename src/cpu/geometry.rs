//! Geometry stages, which run before each draw.

mod own;
mod strip;

use std::collections::BTreeMap;

use case::Case;
use case::state::{ProvokingVertex, StateChange};
use link::binding::BindingPoint;
use link::front::Front;
use plan::{ExecuteError, Plan, PlannedGeometry};

pub(crate) use own::{Emitted, OwnGeometry};

use crate::compute::dispatch;
use crate::errors::lacking;
use crate::memory::Bound;
use crate::stage::Stage;
use crate::world::World;

/// The vertex stage and the geometry stage of a program, as they run before its draws.
#[derive(Debug)]
pub(crate) enum GeometryStages {
    /// Those of a linked program are compute stages.
    Linked {
        /// Each with the first binding of its buffers.
        stages: Box<[(Stage, BindingPoint); 2]>,
        /// Invocations of the geometry stage for each primitive.
        invocations: u32,
    },
    /// Stages that are not linked.
    Own(Box<OwnGeometry>),
}

impl GeometryStages {
    /// Those of a linked program.
    pub(crate) fn linked(front: &Front) -> Result<Self, ExecuteError> {
        let Some(geometry) = &front.geometry else {
            return Err(lacking("tessellation stages"));
        };
        let vertex = (Stage::new(&front.vertex.module)?, front.vertex.at);
        let own = (Stage::new(&geometry.module)?, geometry.at);
        Ok(Self::Linked { stages: Box::new([vertex, own]), invocations: geometry.invocations })
    }

    /// Runs them for a draw, which has these base vertex and base instance. Linked stages write entries and records; what
    /// others emit is returned.
    pub(crate) fn run(
        &self,
        world: &mut World,
        (case, plan): (&Case, &Plan),
        points: &BTreeMap<BindingPoint, Bound>,
        (planned, bases): (&PlannedGeometry, [u32; 2]),
    ) -> Result<Option<Emitted>, ExecuteError> {
        match self {
            Self::Linked { stages, invocations } => {
                run_linked(world, (stages, *invocations), points, planned)?;
                Ok(None)
            }
            Self::Own(stages) => {
                let convention = convention(case, planned.step);
                let draw = own::Draw { plan, planned, points, bases, convention };
                stages.run(world, draw).map(Some)
            }
        }
    }
}

fn run_linked(
    world: &mut World,
    (stages, invocations): (&[(Stage, BindingPoint); 2], u32),
    points: &BTreeMap<BindingPoint, Bound>,
    draw: &PlannedGeometry,
) -> Result<(), ExecuteError> {
    let vertex = world.add(draw.vertex_words().to_vec());
    let own = world.add(draw.words().to_vec());
    let buffers = [
        [world.places.rows, world.places.indices, draw.results, vertex],
        [draw.results, world.places.indices, draw.records, own],
    ];
    let sizes = draw.workgroups(invocations);
    for (((stage, at), buffers), [x, y]) in stages.iter().zip(buffers).zip(sizes) {
        let mut points = points.clone();
        for (binding, buffer) in (at.binding..).zip(buffers) {
            points.insert(BindingPoint { binding, ..*at }, Bound::Buffer(buffer));
        }
        dispatch(world, stage, &points, [x, y, 1])?;
    }
    world.forget_added();
    Ok(())
}

/// GL's provoking vertex at a step.
fn convention(case: &Case, step: usize) -> ProvokingVertex {
    let before = case.steps.iter().take(step).rev();
    let mut changes = before.filter_map(|step| match step.value.state() {
        Some(StateChange::ProvokingVertex(vertex)) => Some(*vertex),
        Some(_) | None => None,
    });
    changes.next().unwrap_or(ProvokingVertex::Last)
}
