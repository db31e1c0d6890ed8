//! The vertex stage of a draw.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use naga::{Binding, BuiltIn, ScalarKind};
use plan::ExecuteError;
use plan::vertex::{LOCATION_BYTES, VertexLayout};

use crate::code::Register;
use crate::errors::{lacking, stopped};
use crate::lanes::{Lane, Lanes};
use crate::memory::Bound;
use crate::numbers::index;
use crate::stage::{BoundStage, Stage, registers, unknown};
use crate::world::World;

/// Lanes of a batch.
const WIDTH: usize = 64;

/// Words of the vector at one location of a row.
const LOCATION_WORDS: usize = LOCATION_BYTES / 4;

/// A varying in the record of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varying {
    /// First word of the varying.
    pub word: usize,
    /// Number of components.
    pub components: usize,
    /// Kind of the components.
    pub kind: ScalarKind,
}

/// Layout of records: the words that a vertex stage outputs for a vertex.
#[derive(Debug, Default)]
pub struct RecordLayout {
    /// First word of the position.
    pub(crate) position: usize,
    /// First word of the clip distances, and their number.
    pub(crate) distances: (usize, usize),
    /// First word of the cull distances, and their number.
    pub(crate) culls: (usize, usize),
    /// Word of the point size, if there is one.
    pub(crate) size: Option<usize>,
    /// Varyings by location.
    pub varyings: BTreeMap<u32, Varying>,
    /// Varyings that replace others in back faces, by location.
    pub backs: BTreeMap<u32, u32>,
    /// Locations of flat varyings that may have the value of any vertex.
    pub eithers: BTreeSet<u32>,
    /// Number of words of a record.
    pub stride: usize,
    /// Register of each word.
    registers: Vec<Register>,
}

impl RecordLayout {
    /// The layout of the outputs of `stage`.
    ///
    /// # Errors
    /// The executor lacks an output, or there is no position.
    pub fn new(stage: &Stage) -> Result<Self, ExecuteError> {
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
                Binding::BuiltIn(BuiltIn::CullDistance) => layout.culls = (word, components),
                // WebGPU ignores it.
                Binding::BuiltIn(BuiltIn::PointSize) => layout.size = Some(word),
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

    /// The layout of records of all outputs of a stage, in their order.
    ///
    /// # Errors
    /// An output has no 32-bit words.
    pub fn of_all(stage: &Stage) -> Result<Self, ExecuteError> {
        let mut layout = Self::default();
        for port in &stage.code.outputs {
            layout.registers.extend(registers(port)?);
        }
        layout.stride = layout.registers.len();
        Ok(layout)
    }

    /// Adds words that the stage does not output, initially zero. Returns the index of the first one.
    pub const fn add_words(&mut self, count: usize) -> usize {
        let first = self.stride;
        self.stride += count;
        first
    }
}

/// The source of a draw's vertices.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Byte range of the rows.
    pub(crate) vertices: Range<usize>,
    /// Layout of the rows.
    pub(crate) rows: VertexLayout,
    /// Base vertex and base instance, for stages that have them as built-in variables.
    pub(crate) bases: [u32; 2],
}

/// An input of the stage.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// Word of the row.
    Row(usize),
    Vertex,
    Instance,
    Fixed(u32),
}

/// Runs the vertex stage of a draw.
pub(crate) struct VertexStage<'a> {
    lanes: Lanes<'a>,
    /// The objects bound to the stage's resources.
    objects: Vec<Bound>,
    inputs: Vec<(Input, Register)>,
    layout: &'a RecordLayout,
    /// First word of the rows, end of the rows, and number of words of a row.
    rows: [usize; 3],
}

impl<'a> VertexStage<'a> {
    /// Sets up the stage for a draw of vertices from `source`. `layout` is that of the stage's records.
    pub(crate) fn new(
        world: &mut World,
        stage: BoundStage<'a>,
        layout: &'a RecordLayout,
        source: &Source,
    ) -> Result<Self, ExecuteError> {
        let Source { vertices, rows, bases } = source;
        let inputs = inputs(stage.stage, rows, *bases)?;
        let lanes = stage.lanes(world, WIDTH)?;
        let rows = [vertices.start / 4, vertices.end / 4, rows.stride() / 4];
        Ok(Self { lanes, objects: stage.objects, inputs, layout, rows })
    }

    /// Runs the stage for vertices, given as pairs of a vertex and an instance, and returns their records.
    pub(crate) fn records(
        &mut self,
        world: &mut World,
        vertices: &[(u32, u32)],
    ) -> Result<Vec<u32>, ExecuteError> {
        let stride = self.layout.stride;
        let mut records = vec![0; vertices.len().saturating_mul(stride)];
        let mut rest = &mut records[..];
        for vertices in vertices.chunks(WIDTH) {
            let places;
            (places, rest) = rest.split_at_mut(vertices.len().saturating_mul(stride));
            self.write_inputs(world, vertices)?;
            let mut lanes = [Lane::Absent; WIDTH];
            lanes[..vertices.len()].fill(Lane::Live);
            self.lanes.run(&mut world.environment(&self.objects), &lanes).map_err(stopped)?;
            for (word, register) in self.layout.registers.iter().enumerate() {
                let results = self.lanes.words(*register);
                let places = places.iter_mut().skip(word).step_by(stride.max(1));
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
                    Input::Fixed(word) => *word,
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

fn inputs(
    stage: &Stage,
    rows: &VertexLayout,
    [base_vertex, base_instance]: [u32; 2],
) -> Result<Vec<(Input, Register)>, ExecuteError> {
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
            Binding::BuiltIn(BuiltIn::BaseVertex) => {
                inputs.extend(registers.map(|register| (Input::Fixed(base_vertex), register)));
            }
            Binding::BuiltIn(BuiltIn::BaseInstance) => {
                inputs.extend(registers.map(|register| (Input::Fixed(base_instance), register)));
            }
            // Every command has a single draw.
            Binding::BuiltIn(BuiltIn::DrawIndex) => {
                inputs.extend(registers.map(|register| (Input::Fixed(0), register)));
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
