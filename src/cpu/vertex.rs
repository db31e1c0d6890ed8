//! The vertex stage of a draw.

use std::collections::BTreeMap;

use naga::{Binding, BuiltIn, ScalarKind};
use plan::vertex::{LOCATION_BYTES, VertexLayout};
use plan::{ExecuteError, PlannedDraw};

use crate::code::Register;
use crate::errors::{lacking, stopped};
use crate::lanes::{Lane, Lanes};
use crate::memory::{Bound, Environment};
use crate::numbers::index;
use crate::stage::{Stage, registers, unknown};
use crate::world::World;

/// Lanes of a batch.
const WIDTH: usize = 64;

/// Words of the vector at one location of a row.
const LOCATION_WORDS: usize = LOCATION_BYTES / 4;

/// A varying in the record of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Varying {
    /// First word.
    pub(crate) word: usize,
    /// Number of components.
    pub(crate) components: usize,
    /// Their kind.
    pub(crate) kind: ScalarKind,
}

/// Layout of the records: the words that a vertex stage gives for a vertex.
#[derive(Debug, Default)]
pub(crate) struct RecordLayout {
    /// First word of the position.
    pub(crate) position: usize,
    /// First word of the clip distances, and their number.
    pub(crate) distances: (usize, usize),
    /// Varyings by location.
    pub(crate) varyings: BTreeMap<u32, Varying>,
    /// Words of a record.
    pub(crate) stride: usize,
    /// The register of each word.
    registers: Vec<Register>,
}

impl RecordLayout {
    /// The layout of what `stage` gives.
    pub(crate) fn new(stage: &Stage) -> Result<Self, ExecuteError> {
        let mut layout = Self::default();
        let mut has_position = false;
        for port in &stage.code.outputs {
            let word = layout.registers.len();
            let (components, kind) = (port.components, port.scalar.kind);
            match port.binding {
                Binding::BuiltIn(BuiltIn::Position { .. }) if components == 4 => {
                    (layout.position, has_position) = (word, true);
                }
                Binding::BuiltIn(BuiltIn::ClipDistances) => layout.distances = (word, components),
                // Points are one pixel in WebGPU.
                Binding::BuiltIn(BuiltIn::PointSize) => {}
                Binding::BuiltIn(builtin) => return Err(unknown(builtin, "vertex")),
                Binding::Location { location, .. } => {
                    layout.varyings.insert(location, Varying { word, components, kind });
                }
            }
            layout.registers.extend(registers(port)?);
        }
        layout.stride = layout.registers.len();
        if has_position { Ok(layout) } else { Err(lacking("vertex stage without a position")) }
    }
}

/// An input of the stage.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// Word of the row.
    Row(usize),
    Vertex,
    Instance,
}

/// Runs the vertex stage of a draw.
pub(crate) struct VertexStage<'a> {
    lanes: Lanes<'a>,
    bound: Vec<Bound>,
    inputs: Vec<(Input, Register)>,
    layout: &'a RecordLayout,
    /// First word of the rows, their end, and words of a row.
    rows: [usize; 3],
}

impl<'a> VertexStage<'a> {
    /// The stage for `draw`, whose rows have this layout.
    pub(crate) fn new(
        world: &mut World,
        (stage, layout): (&'a Stage, &'a RecordLayout),
        bound: Vec<Bound>,
        draw: &PlannedDraw,
        rows: &VertexLayout,
    ) -> Result<Self, ExecuteError> {
        let inputs = inputs(stage, rows)?;
        let mut lanes = Lanes::new(&stage.code, WIDTH);
        let (buffers, textures) = (&mut world.buffers[..], &mut world.textures);
        let mut environment = Environment { buffers, textures, bound: &bound, noise: world.noise };
        lanes.prepare(&mut environment).map_err(stopped)?;
        let rows = [draw.vertices.start / 4, draw.vertices.end / 4, rows.stride() / 4];
        Ok(Self { lanes, bound, inputs, layout, rows })
    }

    /// The records of vertices: pairs of a vertex and an instance.
    pub(crate) fn records(
        &mut self,
        world: &mut World,
        vertices: &[(u32, u32)],
    ) -> Result<Vec<u32>, ExecuteError> {
        let mut records = vec![0; vertices.len().saturating_mul(self.layout.stride)];
        let places = records.chunks_mut(self.layout.stride.saturating_mul(WIDTH).max(1));
        for (vertices, records) in vertices.chunks(WIDTH).zip(places) {
            self.write_inputs(world, vertices)?;
            let mut lanes = [Lane::Absent; WIDTH];
            lanes[..vertices.len()].fill(Lane::Live);
            let (buffers, textures) = (&mut world.buffers[..], &mut world.textures);
            let mut environment =
                Environment { buffers, textures, bound: &self.bound, noise: world.noise };
            self.lanes.run(&mut environment, &lanes).map_err(stopped)?;
            for (word, register) in self.layout.registers.iter().enumerate() {
                let results = self.lanes.words(*register);
                let places = records.iter_mut().skip(word).step_by(self.layout.stride.max(1));
                places.zip(results).for_each(|(place, result)| *place = *result);
            }
        }
        Ok(records)
    }

    fn write_inputs(&mut self, world: &World, vertices: &[(u32, u32)]) -> Result<(), ExecuteError> {
        let [start, end, stride] = self.rows;
        let all = &world.buffers[world.places.rows].words;
        let rows = all.get(start..end).unwrap_or(&[]);
        for (input, register) in &self.inputs {
            let words = self.lanes.words_mut(*register);
            for ((vertex, instance), word) in vertices.iter().zip(words) {
                *word = match input {
                    Input::Vertex => *vertex,
                    Input::Instance => *instance,
                    Input::Row(at) => {
                        let place = index(*vertex).checked_mul(stride);
                        let place = place.and_then(|place| place.checked_add(*at));
                        let found = place.and_then(|place| rows.get(place));
                        *found.ok_or_else(|| lacking(format!("data of vertex {vertex}")))?
                    }
                };
            }
        }
        Ok(())
    }
}

fn inputs(stage: &Stage, rows: &VertexLayout) -> Result<Vec<(Input, Register)>, ExecuteError> {
    let mut inputs = Vec::new();
    for port in &stage.code.inputs {
        let mut registers = registers(port)?;
        match port.binding {
            Binding::BuiltIn(BuiltIn::VertexIndex) => {
                inputs.extend(registers.map(|register| (Input::Vertex, register)));
            }
            Binding::BuiltIn(BuiltIn::InstanceIndex) => {
                inputs.extend(registers.map(|register| (Input::Instance, register)));
            }
            Binding::BuiltIn(builtin) => return Err(unknown(builtin, "vertex")),
            Binding::Location { location, .. } => {
                let mut places = rows.locations.iter();
                let place = places.position(|place| place.location == location);
                let place = place.ok_or_else(|| lacking(format!("attribute {location}")))?;
                if port.components > LOCATION_WORDS {
                    registers.end = registers.start;
                }
                let words = place * LOCATION_WORDS..;
                inputs.extend(words.map(Input::Row).zip(registers));
            }
        }
    }
    Ok(inputs)
}
