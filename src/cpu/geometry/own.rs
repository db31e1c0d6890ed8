//! Stages before the rasteriser that are not linked: whole values go from the outputs of each stage to the inputs of the
//! next one, and from the last one's outputs to lists.

mod emission;
mod emitted;
mod invocations;
mod tessellation;

use std::collections::BTreeMap;

use case::state::ProvokingVertex;
use link::binding::{BindingPoint, NO_VERTEX};
use plan::{ExecuteError, Plan, PlannedGeometry, PlannedStage};

pub(crate) use emission::OwnGeometry;
pub(crate) use emitted::Emitted;
pub(crate) use invocations::{Number, OwnStage, Received};
pub(crate) use tessellation::{OwnControl, OwnEvaluation, OwnTessellation};

use crate::code::Register;
use crate::errors::lacking;
use crate::memory::Bound;
use crate::numbers::index;
use crate::stage::{Stage, registers};
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;
use invocations::Vertices;

/// The stages before the rasteriser: tessellation stages, a geometry stage or both behind a vertex stage.
#[derive(Debug)]
pub(crate) struct OwnStages {
    /// The vertex stage, and what it gives.
    pub(crate) vertex: (Stage, RecordLayout),
    /// The tessellation stages.
    pub(crate) tessellation: Option<OwnTessellation>,
    /// The geometry stage.
    pub(crate) geometry: Option<OwnGeometry>,
    /// Words of a vertex of the last stage that are drawn; those that are captured follow.
    pub(crate) drawn: usize,
    /// The provoking vertex, unless the case chooses one.
    pub(crate) provoking: ProvokingVertex,
}

/// The draw that the stages run for.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub(super) plan: &'a Plan,
    pub(super) planned: &'a PlannedGeometry,
    pub(super) points: &'a BTreeMap<BindingPoint, Bound>,
    pub(super) bases: [u32; 2],
    pub(super) convention: ProvokingVertex,
}

/// What a stage runs for, instance after instance.
struct Primitives {
    /// Their vertices.
    vertices: Vertices,
    /// The number of each, as stages see it.
    ids: Vec<u32>,
    /// Primitives of an instance.
    each: usize,
}

impl OwnStages {
    /// The last stage, if the vertex stage is not.
    pub(crate) fn last(&self) -> Option<&Stage> {
        let evaluation = self.tessellation.as_ref().map(|stages| &stages.evaluation.stage);
        let geometry = self.geometry.as_ref().map(|geometry| &geometry.stage);
        geometry.or(evaluation).map(|own| &own.stage)
    }

    /// Runs the stages, and writes which entries have a vertex to the buffer that the plan looks at. A plan that ends
    /// behind the control stage gets the levels of the patches.
    pub(super) fn run(&self, world: &mut World, draw: Draw<'_>) -> Result<Emitted, ExecuteError> {
        let Draw { planned, .. } = draw;
        let vertices = self.vertices(world, draw)?;
        let emitted = match (&self.tessellation, &self.geometry) {
            (None, Some(geometry)) => {
                let primitives = primitives(draw, vertices, geometry.own.input.vertices())?;
                geometry.emit(world, draw, &primitives, self.drawn)?
            }
            (Some(stages), geometry) => {
                let patches = stages.patches(world, draw, vertices)?;
                let Some(patches) = patches else { return Ok(Emitted::default()) };
                let points = stages.evaluation.points(world, draw, &patches)?;
                match geometry {
                    Some(geometry) => {
                        let primitives = points.primitives(draw, geometry.own.input.vertices())?;
                        geometry.emit(world, draw, &primitives, self.drawn)?
                    }
                    None => points.emitted(draw, self.drawn)?,
                }
            }
            (None, None) => return Err(lacking("a stage that emits")),
        };
        let places = planned.stages.last().and_then(|stage| world.buffers.get_mut(stage.output));
        let places = places.map_or(&mut [][..], |buffer| &mut buffer.words);
        places.iter_mut().zip(&emitted.entries).for_each(|(place, entry)| *place = *entry);
        Ok(emitted)
    }

    /// The records of all vertices, instance after instance.
    fn vertices(&self, world: &mut World, draw: Draw<'_>) -> Result<Records, ExecuteError> {
        let Draw { plan, planned, points, bases, .. } = draw;
        let (stage, layout) = &self.vertex;
        let program = plan.bindings.get(planned.bindings).map(|bindings| bindings.program);
        let rows = program.and_then(|program| plan.layouts.get(program));
        let rows = rows.cloned().unwrap_or_default();
        let source = Source { vertices: planned.vertices.clone(), bases };
        let bound = stage.bound(points)?;
        let mut stage = VertexStage::new(world, (stage, layout), bound, &source, &rows)?;
        let list = draw.list(planned.indices.start, planned.count())?;
        let mut words = Vec::new();
        for instance in 0..planned.instances {
            let number = planned.first_instance.saturating_add(instance);
            let vertices: Vec<_> = list.iter().map(|vertex| (*vertex, number)).collect();
            words.extend(stage.records(world, &vertices)?);
        }
        Ok(Records { words, stride: layout.stride })
    }
}

/// Words of vertices or patches, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    words: Vec<u32>,
    stride: usize,
}

impl Records {
    /// A word of a record. There are zeros behind the last one.
    fn word(&self, record: usize, word: usize) -> u32 {
        let place = record.checked_mul(self.stride).and_then(|first| first.checked_add(word));
        place.and_then(|place| self.words.get(place)).copied().unwrap_or(0)
    }
}

impl<'a> Draw<'a> {
    /// A list among the plan's indices.
    fn list(&self, first: u32, length: u32) -> Result<&'a [u32], ExecuteError> {
        let list = self.plan.indices.get(index(first)..);
        let list = list.and_then(|rest| rest.get(..index(length)));
        list.ok_or_else(|| lacking("such indices"))
    }

    /// What the plan says about stage `idx` of those that run. `None` if it does not run.
    fn stage(&self, idx: usize) -> Option<&'a PlannedStage> {
        self.planned.stages.get(idx)
    }
}

/// A word that the plan has for a stage.
fn word(planned: &PlannedStage, idx: usize) -> u32 {
    planned.words.get(idx).copied().unwrap_or(0)
}

/// The primitives of a draw with these vertices, of which each has `size`.
fn primitives(draw: Draw<'_>, records: Records, size: u32) -> Result<Primitives, ExecuteError> {
    let planned = draw.planned;
    let length = planned.primitives.saturating_mul(size);
    let list = draw.list(planned.first_primitive, length)?;
    let ordinal = |instance: u32| {
        let first = instance.saturating_mul(planned.count());
        list.iter().map(move |ordinal| first.saturating_add(*ordinal))
    };
    let numbers = (0..planned.instances).flat_map(ordinal).collect();
    let ids = (0..planned.instances).flat_map(|_| 0..planned.primitives).collect();
    let vertices = Vertices { records, numbers, size: index(size) };
    Ok(Primitives { vertices, ids, each: index(planned.primitives) })
}

/// Entries without a vertex.
fn no_entries(count: u32) -> Vec<u32> {
    vec![NO_VERTEX; index(count)]
}

/// The registers of what a stage gives for a vertex.
pub(crate) fn given(stage: &Stage) -> Result<Vec<Register>, ExecuteError> {
    let mut all = Vec::new();
    for port in stage.code.outputs.iter().chain(&stage.code.captured) {
        all.extend(registers(port)?);
    }
    Ok(all)
}
