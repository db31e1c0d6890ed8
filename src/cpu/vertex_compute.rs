//! Runs vertex stages as compute stages, for culling by distances and for transform feedback.

use std::collections::BTreeMap;

use link::binding::{BindingPoint, VertexComputeStage};
use link::shell::WORKGROUP_SIZE;
use link::xfb::Xfb;
use plan::vertex::LOCATION_BYTES;
use plan::{ExecuteError, Plan, PlannedCull, PlannedXfb};

use crate::compute::dispatch;
use crate::errors::lacking;
use crate::geometry::{Emitted, Setting, bases};
use crate::memory::Bound;
use crate::numbers::{count, index};
use crate::stage::Stage;
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;

/// The draw that a stage runs for.
struct Draw<'a> {
    /// The object bound at each binding point of the program.
    points: &'a BTreeMap<BindingPoint, Bound>,
    first_row: usize,
    indices: std::ops::Range<u32>,
    instances: u32,
    first_instance: u32,
}

impl Draw<'_> {
    /// Runs `stage`, whose buffers have bindings from `at` on, and which writes to buffer `results`.
    fn run(
        &self,
        world: &mut World,
        stage: &Stage,
        at: BindingPoint,
        results: usize,
    ) -> Result<(), ExecuteError> {
        let length = self.indices.end.saturating_sub(self.indices.start);
        let identity = vec![count(self.first_row), self.indices.start, length, self.first_instance];
        let identity = world.add(identity);
        let buffers = [world.places.rows, world.places.indices, results, identity];
        let mut points = self.points.clone();
        for (binding, buffer) in (at.binding..).zip(buffers) {
            points.insert(BindingPoint { binding, ..at }, Bound::Buffer(buffer));
        }
        let groups = [length.div_ceil(WORKGROUP_SIZE), self.instances, 1];
        dispatch(world, stage, &points, groups)
    }
}

/// The stages of a program that write what transform feedback captures.
#[derive(Debug)]
pub enum Captures {
    /// The compute stages of a linked program, with the first binding of their buffers.
    Linked([(Stage, BindingPoint); 2]),
    /// A wired vertex stage that writes records.
    Wired(Stage, RecordLayout),
    /// The output of wired tessellation or geometry stages.
    Emitted,
}

impl Captures {
    /// Compiles the stages of a linked program.
    pub(crate) fn linked(xfb: &Xfb) -> Result<Self, ExecuteError> {
        let [function, slots] =
            [&xfb.from_function, &xfb.from_slots].map(|way| Ok((Stage::new(&way.module)?, way.at)));
        Ok(Self::Linked([function?, slots?]))
    }

    /// Writes the records of a draw, for which wired stages may have emitted vertices.
    pub(crate) fn run(
        &self,
        world: &mut World,
        setting: Setting<'_>,
        emitted: Option<&Emitted>,
        xfb: &PlannedXfb,
    ) -> Result<(), ExecuteError> {
        let Setting { case, plan, points } = setting;
        match self {
            Self::Linked(ways) => {
                let draw = Draw {
                    points,
                    first_row: xfb.vertices.start / LOCATION_BYTES,
                    indices: xfb.indices.clone(),
                    instances: xfb.instances,
                    first_instance: xfb.first_instance,
                };
                for ((stage, at), records) in ways.iter().zip(xfb.records) {
                    draw.run(world, stage, *at, records)?;
                }
                world.forget_added();
                Ok(())
            }
            Self::Wired(stage, layout) => {
                let program = plan.bindings.get(xfb.bindings).map(|bindings| bindings.program);
                let rows = program.and_then(|program| plan.layouts.get(program));
                let rows = rows.cloned().unwrap_or_default();
                let bases = bases(case, plan.step_of(xfb));
                let source = Source { vertices: xfb.vertices.clone(), rows, bases };
                let mut stage = VertexStage::new(world, stage.bound(points)?, layout, &source)?;
                let list = list(plan, xfb)?;
                let instances =
                    (0..xfb.instances).map(|own| xfb.first_instance.saturating_add(own));
                let pairs = instances.flat_map(|own| list.iter().map(move |vertex| (*vertex, own)));
                let records = stage.records(world, &pairs.collect::<Vec<_>>())?;
                write_records(world, xfb, &records);
                Ok(())
            }
            Self::Emitted => {
                let emitted = emitted.ok_or_else(|| lacking("what a geometry stage emitted"))?;
                write_records(world, xfb, &emitted.captured(list(plan, xfb)?));
                Ok(())
            }
        }
    }
}

/// The indices of a captured draw.
fn list<'a>(plan: &'a Plan, xfb: &PlannedXfb) -> Result<&'a [u32], ExecuteError> {
    let list = plan.indices.get(index(xfb.indices.start)..index(xfb.indices.end));
    list.ok_or_else(|| lacking("such indices"))
}

fn write_records(world: &mut World, xfb: &PlannedXfb, records: &[u32]) {
    for buffer in xfb.records {
        let words = world.buffers.get_mut(buffer).map(|buffer| &mut buffer.words);
        let places = words.into_iter().flatten();
        places.zip(records).for_each(|(place, word)| *place = *word);
    }
}

/// The index lists of a draw, one for each instance, where culled primitives are degenerate: all their vertices are the
/// first one.
pub(crate) fn kept(
    world: &mut World,
    stage: &Stage,
    way: &VertexComputeStage,
    points: &BTreeMap<BindingPoint, Bound>,
    cull: &PlannedCull,
) -> Result<Vec<u32>, ExecuteError> {
    let total = index(cull.total().unwrap_or(u32::MAX));
    let words = total.checked_mul(index(way.stride)).filter(|words| *words <= MAX_DISTANCES);
    let words = words.ok_or_else(|| lacking("room for so many cull distances"))?;
    let results = world.add(vec![0; words.max(1)]);
    let draw = Draw {
        points,
        first_row: cull.vertices.start / LOCATION_BYTES,
        indices: cull.indices.clone(),
        instances: cull.instances,
        first_instance: cull.first_instance,
    };
    draw.run(world, stage, way.at, results)?;
    let indices = &world.buffers[world.places.indices].words;
    let list = indices.get(index(cull.indices.start)..index(cull.indices.end)).unwrap_or(&[]);
    let lists = list.repeat(index(cull.instances));
    let distances = &world.buffers[results].words;
    let vertices = index(cull.primitive.vertices());
    let lists = without_culled(lists, distances, vertices, index(way.stride));
    world.forget_added();
    Ok(lists)
}

/// Maximum cull distances of a draw: eight for each of the maximum number of vertices that a plan culls.
const MAX_DISTANCES: usize = 8 << 21;

/// Makes primitives of so many vertices degenerate if all their vertices are outside the same plane.
fn without_culled(
    mut lists: Vec<u32>,
    distances: &[u32],
    vertices: usize,
    planes: usize,
) -> Vec<u32> {
    if vertices == 0 || planes == 0 {
        return lists;
    }
    let primitives = lists.chunks_exact_mut(vertices);
    for (primitive, distances) in primitives.zip(distances.chunks_exact(vertices * planes)) {
        let is_behind =
            |plane: usize| distances.chunks_exact(planes).all(|vertex| is_outside(vertex[plane]));
        if (0..planes).any(is_behind) {
            let first = primitive[0];
            primitive.fill(first);
        }
    }
    lists
}

/// True if a distance is outside. NaN counts as outside.
fn is_outside(bits: u32) -> bool {
    let distance = f32::from_bits(bits);
    distance.is_nan() || distance < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_primitive_is_culled_if_all_its_vertices_are_outside_of_one_plane() {
        let (inside, outside, unknown) = (0.0_f32, -1.0_f32, f32::NAN);
        // There are three lines and two planes.
        let distances = [
            [inside, outside],
            [outside, inside],
            [outside, inside],
            [unknown, inside],
            [-0.0, inside],
            [outside, inside],
        ];
        let bits: Vec<_> = distances.as_flattened().iter().map(|value| value.to_bits()).collect();
        let lists = without_culled(vec![1, 2, 3, 4, 5, 6], &bits, 2, 2);
        assert_eq!(lists, [1, 2, 3, 3, 5, 6]);
    }
}
