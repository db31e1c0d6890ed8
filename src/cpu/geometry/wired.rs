//! Wired stages before the rasteriser: whole values are passed from the outputs of each stage to the inputs of the
//! next, and from the outputs of the last stage to lists.

mod emission;
mod emitted;
mod invocations;
mod tessellation;

use std::collections::BTreeMap;

use case::state::ProvokingVertex;
use link::binding::{BindingPoint, NO_VERTEX};
use plan::{ExecuteError, Plan, PlannedGeometry, PlannedStage};

pub use emission::WiredGeometry;
pub(crate) use emitted::Emitted;
pub use invocations::{Number, Received, WiredStage};
pub use tessellation::{WiredControl, WiredEvaluation, WiredTessellation};

use crate::errors::lacking;
use crate::memory::Bound;
use crate::numbers::index;
use crate::stage::Stage;
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;
use invocations::Vertices;

/// The wired stages before the rasteriser: a vertex stage and tessellation stages, a geometry stage or both.
#[derive(Debug)]
pub struct WiredStages {
    /// The vertex stage, and the layout of its outputs.
    pub vertex: (Stage, RecordLayout),
    /// The tessellation stages.
    pub tessellation: Option<WiredTessellation>,
    /// The geometry stage.
    pub geometry: Option<WiredGeometry>,
    /// Number of words of the last stage's vertices that are drawn; captured words follow.
    pub drawn: usize,
    /// The provoking vertex, unless the case chooses one.
    pub provoking: ProvokingVertex,
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

/// The primitives for which a stage runs, instance by instance.
struct Primitives {
    /// Vertices of the primitives.
    vertices: Vertices,
    /// Number of each primitive, as stages see it.
    ids: Vec<u32>,
    /// Number of primitives of an instance.
    each: usize,
}

impl WiredStages {
    /// The last stage; `None` if that is the vertex stage.
    pub fn last(&self) -> Option<&Stage> {
        let evaluation = self.tessellation.as_ref().map(|stages| &stages.evaluation.stage);
        let geometry = self.geometry.as_ref().map(|geometry| &geometry.stage);
        geometry.or(evaluation).map(|own| &own.stage)
    }

    /// Runs the stages, and writes which entries have a vertex to the buffer that the plan reads. A plan that ends
    /// after the control stage gets the levels of the patches.
    pub(super) fn run(&self, world: &mut World, draw: Draw<'_>) -> Result<Emitted, ExecuteError> {
        let Draw { planned, .. } = draw;
        let vertices = self.vertices(world, draw)?;
        let emitted = match (&self.tessellation, &self.geometry) {
            (None, Some(geometry)) => {
                let primitives = primitives(draw, vertices, geometry.properties.input.vertices())?;
                geometry.emit(world, draw, &primitives, self.drawn)?
            }
            (Some(stages), geometry) => {
                let patches = stages.patches(world, draw, vertices)?;
                let Some(patches) = patches else { return Ok(Emitted::default()) };
                let points = stages.evaluation.points(world, draw, &patches)?;
                match geometry {
                    Some(geometry) => {
                        let primitives =
                            points.primitives(draw, geometry.properties.input.vertices())?;
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

    /// Runs the vertex stage, and returns the records of all vertices, instance by instance.
    fn vertices(&self, world: &mut World, draw: Draw<'_>) -> Result<Records, ExecuteError> {
        let Draw { plan, planned, points, bases, .. } = draw;
        let (stage, layout) = &self.vertex;
        let program = plan.bindings.get(planned.bindings).map(|bindings| bindings.program);
        let rows = program.and_then(|program| plan.layouts.get(program));
        let rows = rows.cloned().unwrap_or_default();
        let source = Source { vertices: planned.vertices.clone(), rows, bases };
        let mut stage = VertexStage::new(world, stage.bound(points)?, layout, &source)?;
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

/// Words of consecutive vertices or patches.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    words: Vec<u32>,
    stride: usize,
}

impl Records {
    /// A word of a record; zero after the last record.
    fn word(&self, record: usize, word: usize) -> u32 {
        let place = record.checked_mul(self.stride).and_then(|first| first.checked_add(word));
        place.and_then(|place| self.words.get(place)).copied().unwrap_or(0)
    }
}

impl<'a> Draw<'a> {
    /// A list from the plan's indices.
    fn list(&self, first: u32, length: u32) -> Result<&'a [u32], ExecuteError> {
        let list = self.plan.indices.get(index(first)..);
        let list = list.and_then(|rest| rest.get(..index(length)));
        list.ok_or_else(|| lacking("such indices"))
    }

    /// The plan of stage `idx` among those that run. `None` if it does not run.
    fn stage(&self, idx: usize) -> Option<&'a PlannedStage> {
        self.planned.stages.get(idx)
    }
}

/// A word that the plan provides for a stage.
fn word(planned: &PlannedStage, idx: usize) -> u32 {
    planned.words.get(idx).copied().unwrap_or(0)
}

/// The primitives of a draw with these vertices, where each primitive has `size` vertices.
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

/// A list of entries without a vertex.
fn no_entries(count: u32) -> Vec<u32> {
    vec![NO_VERTEX; index(count)]
}
