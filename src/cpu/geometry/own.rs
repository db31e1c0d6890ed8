//! Geometry stages that are not linked: whole values go from the vertex stage to the inputs, and from the outputs to lists.

use std::collections::BTreeMap;
use std::ops::Range;

use case::state::ProvokingVertex;
use ir::geometry::GeometryStage;
use link::binding::{BindingPoint, NO_VERTEX};
use naga::{Binding, BuiltIn};
use plan::{ExecuteError, Plan, PlannedGeometry};

use super::strip::Strips;
use crate::code::Register;
use crate::errors::{lacking, stopped};
use crate::lanes::{Emission, Lane, Lanes};
use crate::memory::Bound;
use crate::numbers::{count, index};
use crate::stage::{Stage, registers, unknown};
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;

/// Invocations that run together: as many as a workgroup of the linked stages has, so that side effects have the same
/// order.
const WIDTH: usize = 64;

/// The stages before the rasteriser.
#[derive(Debug)]
pub(crate) struct OwnGeometry {
    /// The vertex stage, and what it gives.
    pub(crate) vertex: (Stage, RecordLayout),
    /// The geometry stage. Location n of its inputs is word n mod `stride` of vertex n / `stride`, for the stride of the
    /// vertex stage's records.
    pub(crate) stage: Stage,
    /// Its properties.
    pub(crate) own: GeometryStage,
    /// Words of an emitted vertex that are drawn; those that are captured follow.
    pub(crate) drawn: usize,
    /// Vertex streams that have entries.
    pub(crate) streams: u32,
}

/// What the last draw emitted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitted {
    /// The vertices, one after the other.
    words: Vec<u32>,
    /// Words of a vertex.
    stride: usize,
    /// Words of a vertex that are drawn.
    drawn: usize,
    /// By entry, stream after stream: the number of its vertex, or [`NO_VERTEX`].
    entries: Vec<u32>,
}

impl Emitted {
    /// The drawn words of all vertices, one after the other, which have so many each; and the numbers of the vertices of
    /// those entries that have one.
    pub(crate) fn drawn(&self, entries: &[u32], stride: usize) -> (Vec<u32>, Vec<u32>) {
        let mut records = Vec::new();
        for words in self.words.chunks_exact(self.stride.max(1)) {
            let given = words.iter().take(self.drawn).copied();
            records.extend(given.chain(std::iter::repeat(0)).take(stride));
        }
        let number = |entry: &u32| self.entries.get(index(*entry)).copied();
        let numbers = entries.iter().filter_map(number).filter(|number| *number != NO_VERTEX);
        (records, numbers.collect())
    }

    /// The captured words of entries. Those without a vertex have zeros.
    pub(crate) fn captured(&self, entries: &[u32]) -> Vec<u32> {
        let zeros = vec![0; self.stride.saturating_sub(self.drawn)];
        let own = |entry: &u32| self.of_entry(*entry).map_or(&zeros[..], |(_, captured)| captured);
        entries.iter().flat_map(own).copied().collect()
    }

    /// The drawn and the captured words of an entry's vertex.
    fn of_entry(&self, entry: u32) -> Option<(&[u32], &[u32])> {
        let number = self.entries.get(index(entry)).filter(|number| **number != NO_VERTEX)?;
        let start = index(*number).checked_mul(self.stride)?;
        let words = self.words.get(start..)?.get(..self.stride)?;
        words.split_at_checked(self.drawn)
    }
}

/// An input of the geometry stage.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// Word of a vertex's record.
    Word {
        vertex: u32,
        word: usize,
    },
    Primitive,
    Invocation,
}

/// Records of the vertices of all instances.
struct Vertices<'a> {
    records: &'a [u32],
    stride: usize,
    /// The vertices of one instance's primitives, counted in the order of the records.
    primitives: &'a [u32],
    size: u32,
}

impl Vertices<'_> {
    fn word(&self, first: usize, primitive: u32, (vertex, word): (u32, usize)) -> u32 {
        let place = index(primitive) * index(self.size) + index(vertex);
        let ordinal = self.primitives.get(place).map_or(0, |ordinal| index(*ordinal));
        self.records.get((first + ordinal) * self.stride + word).copied().unwrap_or(0)
    }
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

impl OwnGeometry {
    /// Runs both stages, and writes which entries have a vertex to the buffer that the plan looks at.
    pub(super) fn run(&self, world: &mut World, draw: Draw<'_>) -> Result<Emitted, ExecuteError> {
        let Draw { plan, planned, .. } = draw;
        let records = self.vertices(world, draw)?;
        let primitives = list(plan, planned.first_primitive..)?;
        let (stride, size) = (self.vertex.1.stride, self.own.input.vertices());
        let vertices = Vertices { records: &records, stride, primitives, size };
        let mut emitted = Emitted { drawn: self.drawn, ..Emitted::default() };
        emitted.entries = vec![NO_VERTEX; index(planned.entries.saturating_mul(self.streams))];
        self.emit(world, draw, &vertices, &mut emitted)?;
        let places = planned.stages.last().and_then(|stage| world.buffers.get_mut(stage.output));
        let places = places.map_or(&mut [][..], |buffer| &mut buffer.words);
        places.iter_mut().zip(&emitted.entries).for_each(|(place, entry)| *place = *entry);
        Ok(emitted)
    }

    /// The records of all vertices, instance after instance.
    fn vertices(&self, world: &mut World, draw: Draw<'_>) -> Result<Vec<u32>, ExecuteError> {
        let Draw { plan, planned, points, bases, .. } = draw;
        let (stage, layout) = &self.vertex;
        let program = plan.bindings.get(planned.bindings).map(|bindings| bindings.program);
        let rows = program.and_then(|program| plan.layouts.get(program));
        let rows = rows.cloned().unwrap_or_default();
        let source = Source { vertices: planned.vertices.clone(), bases };
        let bound = stage.bound(points)?;
        let mut stage = VertexStage::new(world, (stage, layout), bound, &source, &rows)?;
        let list = list(plan, planned.indices.start..)?;
        let list = list.get(..index(planned.count())).ok_or_else(|| lacking("such indices"))?;
        let mut all = Vec::new();
        for instance in 0..planned.instances {
            let number = planned.first_instance.saturating_add(instance);
            let vertices: Vec<_> = list.iter().map(|vertex| (*vertex, number)).collect();
            all.extend(stage.records(world, &vertices)?);
        }
        Ok(all)
    }

    fn emit(
        &self,
        world: &mut World,
        draw: Draw<'_>,
        vertices: &Vertices<'_>,
        emitted: &mut Emitted,
    ) -> Result<(), ExecuteError> {
        let Draw { planned, points, .. } = draw;
        let bound = self.stage.bound(points)?;
        let inputs = self.inputs()?;
        let mut lanes = Lanes::new(&self.stage.code, WIDTH).map_err(stopped)?;
        lanes.prepare(&mut world.environment(&bound)).map_err(stopped)?;
        let invocations = planned.primitives.saturating_mul(self.own.invocations);
        for instance in 0..planned.instances {
            for first in (0..invocations).step_by(WIDTH) {
                let own = first..first.saturating_add(count(WIDTH)).min(invocations);
                let first_vertex = index(instance) * index(planned.count());
                self.write_inputs(&mut lanes, &inputs, vertices, (first_vertex, own.clone()));
                let mut live = [Lane::Absent; WIDTH];
                live[..own.len()].fill(Lane::Live);
                lanes.run(&mut world.environment(&bound), &live).map_err(stopped)?;
                for (lane, ordinal) in own.enumerate() {
                    let serial = index(instance) * index(invocations) + index(ordinal);
                    self.collect(lanes.emitted(lane), draw, serial, emitted);
                }
            }
        }
        Ok(())
    }

    fn inputs(&self) -> Result<Vec<(Input, Register)>, ExecuteError> {
        let stride = self.vertex.1.stride.max(1);
        let mut inputs = Vec::new();
        for port in &self.stage.code.inputs {
            for (component, register) in registers(port)?.enumerate() {
                let input = match port.binding {
                    Binding::Location { location, .. } => {
                        let (vertex, word) = (index(location) / stride, index(location) % stride);
                        Input::Word { vertex: count(vertex), word: word + component }
                    }
                    Binding::BuiltIn(BuiltIn::PrimitiveIndex) => Input::Primitive,
                    Binding::BuiltIn(BuiltIn::LocalInvocationIndex) => Input::Invocation,
                    Binding::BuiltIn(builtin) => return Err(unknown(builtin, "geometry")),
                };
                inputs.push((input, register));
            }
        }
        Ok(inputs)
    }

    fn write_inputs(
        &self,
        lanes: &mut Lanes<'_>,
        inputs: &[(Input, Register)],
        vertices: &Vertices<'_>,
        (first_vertex, ordinals): (usize, Range<u32>),
    ) {
        let times = self.own.invocations.max(1);
        for (input, register) in inputs {
            for (place, ordinal) in lanes.words_mut(*register).iter_mut().zip(ordinals.clone()) {
                let primitive = ordinal / times;
                *place = match *input {
                    Input::Word { vertex, word } => {
                        vertices.word(first_vertex, primitive, (vertex, word))
                    }
                    Input::Primitive => primitive,
                    Input::Invocation => ordinal % times,
                };
            }
        }
    }

    /// Adds what the invocation with this serial number emitted. Each stream has strips and entries of its own.
    fn collect(&self, events: &[Emission], draw: Draw<'_>, serial: usize, emitted: &mut Emitted) {
        let strips = || Strips::new(self.own.output, draw.convention);
        let mut streams: Vec<_> = (0..self.streams).map(|_| strips()).collect();
        for event in events {
            let (Emission::Vertex { stream, .. } | Emission::End { stream }) = event;
            let Some(strips) = streams.get_mut(index(*stream)) else { continue };
            match event {
                Emission::Vertex { words, .. } => {
                    emitted.stride = words.len();
                    let number = emitted.words.len().checked_div(emitted.stride);
                    emitted.words.extend(words);
                    strips.push(count(number.unwrap_or(0)));
                }
                Emission::End { .. } => strips.end(),
            }
        }
        let size = self.own.output.vertices();
        let room = (self.own.max_vertices + 1).saturating_sub(size).saturating_mul(size);
        for (stream, strips) in streams.into_iter().enumerate() {
            let first = stream.saturating_mul(index(draw.planned.entries));
            let first = first.saturating_add(serial.saturating_mul(index(room)));
            let places = emitted.entries.iter_mut().skip(first);
            places.zip(strips.complete).for_each(|(place, vertex)| *place = vertex);
        }
    }
}

/// The plan's indices from one on.
fn list(plan: &Plan, range: std::ops::RangeFrom<u32>) -> Result<&[u32], ExecuteError> {
    plan.indices.get(index(range.start)..).ok_or_else(|| lacking("such indices"))
}
