//! Wired stages before the rasteriser: whole values are passed from the outputs of each stage to the inputs of the
//! next, and from the outputs of the last stage to lists.

mod emission;
mod emitted;
mod invocations;
mod tessellation;

use std::collections::BTreeMap;

use case::state::ProvokingVertex;
use link::table::binding::{BindingPoint, NO_VERTEX};
use plan::vertex::VertexLayout;
use plan::{ExecuteError, PassVertices, Plan, PlannedPass};

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
pub(crate) struct Draw<'a> {
    pub(crate) plan: &'a Plan,
    /// The passes in whose place the stages run.
    pub(crate) passes: &'a [PlannedPass],
    pub(crate) points: &'a BTreeMap<BindingPoint, Bound>,
    /// Base vertex and base instance.
    pub(crate) bases: [u32; 2],
    pub(crate) convention: ProvokingVertex,
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
    pub(crate) fn run(&self, world: &mut World, draw: Draw<'_>) -> Result<Emitted, ExecuteError> {
        let vertices = self.vertices(world, draw)?;
        let emitted = match (&self.tessellation, &self.geometry) {
            (None, Some(geometry)) => {
                let size = geometry.properties.input.vertices();
                let primitives =
                    primitives(draw, vertices, [0, 1].map(|idx| draw.word(1, idx)), size)?;
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
        let places = draw.passes.last().and_then(|pass| world.buffers.get_mut(pass.output));
        let places = places.map_or(&mut [][..], |buffer| &mut buffer.words);
        places.iter_mut().zip(&emitted.entries).for_each(|(place, entry)| *place = *entry);
        Ok(emitted)
    }

    /// Runs the vertex stage, and returns the records of all vertices, instance by instance.
    fn vertices(&self, world: &mut World, draw: Draw<'_>) -> Result<Records, ExecuteError> {
        let Draw { plan, points, bases, .. } = draw;
        let (stage, layout) = &self.vertex;
        let own = draw.vertices()?;
        let rows = draw.passes.first().map(|pass| rows(plan, pass)).unwrap_or_default();
        let source = Source { vertices: own.rows.clone(), rows, bases };
        let mut stage = VertexStage::new(world, stage.bound(points)?, layout, &source)?;
        let list = draw.list(own.indices.start, own.count())?;
        let mut words = Vec::new();
        for instance in 0..own.instances {
            let number = own.first_instance.saturating_add(instance);
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

    /// The vertices for which the vertex stage runs.
    fn vertices(&self) -> Result<PassVertices, ExecuteError> {
        let vertices = self.passes.first().and_then(PlannedPass::vertices);
        vertices.ok_or_else(|| lacking("such a draw"))
    }

    /// A word that the plan provides for pass `number` of the draw.
    fn word(&self, number: usize, idx: usize) -> u32 {
        self.passes.get(number).map_or(0, |pass| pass.word(idx))
    }
}

/// Layout of the rows that a pass reads.
pub(crate) fn rows(plan: &Plan, pass: &PlannedPass) -> VertexLayout {
    let program = plan.bindings.get(pass.bindings).map(|bindings| bindings.program);
    program.and_then(|program| plan.layouts.get(program)).cloned().unwrap_or_default()
}

/// The primitives of a draw with these vertices, where each primitive has `size` vertices. Their list begins at index
/// `first`, and has `each` primitives for one instance.
fn primitives(
    draw: Draw<'_>,
    records: Records,
    [first, each]: [u32; 2],
    size: u32,
) -> Result<Primitives, ExecuteError> {
    let own = draw.vertices()?;
    let list = draw.list(first, each.saturating_mul(size))?;
    let ordinal = |instance: u32| {
        let first = instance.saturating_mul(own.count());
        list.iter().map(move |ordinal| first.saturating_add(*ordinal))
    };
    let numbers = (0..own.instances).flat_map(ordinal).collect();
    let ids = (0..own.instances).flat_map(|_| 0..each).collect();
    let vertices = Vertices { records, numbers, size: index(size) };
    Ok(Primitives { vertices, ids, each: index(each) })
}

/// A list of entries without a vertex.
fn no_entries(count: u32) -> Vec<u32> {
    vec![NO_VERTEX; index(count)]
}
