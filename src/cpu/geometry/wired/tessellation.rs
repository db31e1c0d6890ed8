//! Runs wired tessellation stages.

use ir::tessellation::TessellationPattern;
use link::table::front::LEVEL_WORDS;
use plan::ExecuteError;

use super::invocations::{Invocation, Runner, Vertices, WIDTH, WiredStage, turns};
use super::{Draw, Emitted, Primitives, Records, primitives};
use crate::code::Register;
use crate::errors::lacking;
use crate::numbers::{count, index};
use crate::stage::registers;
use crate::world::World;

/// Words of a domain point in the plan's lists: the number of its patch, and its coordinates.
const POINT_WORDS: u32 = 4;

/// Both tessellation stages.
#[derive(Debug)]
pub struct WiredTessellation {
    /// The control stage, if there is one.
    pub control: Option<WiredControl>,
    /// The evaluation stage.
    pub evaluation: WiredEvaluation,
}

/// A control stage. Its output for a patch consists of the patch's words, which begin with the levels, and the words of
/// each vertex.
#[derive(Debug)]
pub struct WiredControl {
    /// The stage.
    pub stage: WiredStage,
    /// Number of vertices of the output patch.
    pub vertices: u32,
    /// Number of words of the patch.
    pub patch: usize,
    /// Number of words of a vertex.
    pub stride: usize,
}

/// An evaluation stage.
#[derive(Debug)]
pub struct WiredEvaluation {
    pub(super) stage: WiredStage,
    /// Registers of the outputs for a point.
    given: Vec<Register>,
    /// The pattern into which patches are divided.
    pattern: TessellationPattern,
}

/// The patches that an evaluation stage reads.
pub(super) struct Patches {
    vertices: Vertices,
    /// Words of the patches.
    own: Records,
    /// Index of the evaluation stage among the stages that the plan runs.
    evaluation: usize,
}

/// The output of an evaluation stage for each domain point.
pub(super) struct Points {
    records: Records,
    /// Index of the evaluation stage among the stages that the plan runs.
    evaluation: usize,
}

impl WiredTessellation {
    /// The patches of a draw with these vertices. `None` if the plan needs only their levels.
    pub(super) fn patches(
        &self,
        world: &mut World,
        draw: Draw<'_>,
        vertices: Records,
    ) -> Result<Option<Patches>, ExecuteError> {
        let planned = draw.passes.get(1).ok_or_else(|| lacking("such a draw of patches"))?;
        let Some(control) = &self.control else {
            let list = [4, 3].map(|idx| planned.word(idx));
            let given = primitives(draw, vertices, list, planned.word(2))?;
            let levels = (8..8 + index(LEVEL_WORDS)).map(|idx| planned.word(idx));
            let levels: Vec<u32> = levels.collect();
            let own = Records { words: levels.repeat(given.ids.len()), stride: levels.len() };
            return Ok(Some(Patches { vertices: given.vertices, own, evaluation: 1 }));
        };
        let list = [0, 1].map(|idx| planned.word(idx));
        let given = primitives(draw, vertices, list, planned.word(3))?;
        let (own, records) = control.run(world, draw, &given)?;
        // The plan reads these levels from the buffer, as they are known only after the stage has run.
        let places = world.buffers.get_mut(planned.output);
        let places = places.map_or(&mut [][..], |buffer| &mut buffer.words);
        let patches = own.words.chunks(own.stride.max(1));
        for (place, patch) in places.chunks_mut(control.size().max(1)).zip(patches) {
            let levels = patch.iter().take(index(LEVEL_WORDS));
            place.iter_mut().zip(levels).for_each(|(place, level)| *place = *level);
        }
        if draw.passes.len() < 3 {
            return Ok(None);
        }
        let numbers = 0..count(given.ids.len()).saturating_mul(control.vertices);
        let size = index(control.vertices);
        let vertices = Vertices { records, numbers: numbers.collect(), size };
        Ok(Some(Patches { vertices, own, evaluation: 2 }))
    }
}

impl WiredControl {
    /// Number of words of a patch and its vertices.
    pub fn size(&self) -> usize {
        self.patch + index(self.vertices) * self.stride
    }

    /// Runs the stage; returns the words of all patches, and those of their vertices.
    fn run(
        &self,
        world: &mut World,
        draw: Draw<'_>,
        patches: &Primitives,
    ) -> Result<(Records, Records), ExecuteError> {
        let mut stage = Runner::new(world, &self.stage, draw.points, index(self.vertices))?;
        let ports = &self.stage.stage.code.shared;
        let size = self.size();
        let mut all = vec![0; patches.ids.len() * size];
        for primitive in turns(world, patches.ids.len(), 1) {
            let id = patches.ids[primitive];
            let own = |turn| Invocation { primitive, id, turn, ..Invocation::default() };
            let own: Vec<_> = (0..self.vertices).map(own).collect();
            let lanes = stage.run(world, &own, &patches.vertices, &Records::default())?;
            for port in ports {
                let places = all.iter_mut().skip(primitive * size + port.word);
                let words = lanes.shared(port.at, port.words);
                places.zip(words).for_each(|(place, word)| *place = *word);
            }
        }
        let (mut own, mut vertices) = (Vec::new(), Vec::new());
        for patch in all.chunks(size.max(1)) {
            let (first, rest) = patch.split_at(self.patch.min(patch.len()));
            own.extend(first);
            vertices.extend(rest);
        }
        let own = Records { words: own, stride: self.patch };
        Ok((own, Records { words: vertices, stride: self.stride }))
    }
}

impl WiredEvaluation {
    /// An evaluation stage that divides patches by this pattern.
    ///
    /// # Errors
    /// An output has no 32-bit words.
    pub fn new(stage: WiredStage, pattern: TessellationPattern) -> Result<Self, ExecuteError> {
        let mut given = Vec::new();
        for port in stage.stage.code.outputs.iter().chain(&stage.stage.code.captured) {
            given.extend(registers(port)?);
        }
        Ok(Self { stage, given, pattern })
    }

    /// The pattern into which patches are divided.
    pub const fn pattern(&self) -> TessellationPattern {
        self.pattern
    }

    /// Number of words of the outputs for a point.
    pub const fn words(&self) -> usize {
        self.given.len()
    }

    /// Runs the stage for all domain points of the patches.
    pub(super) fn points(
        &self,
        world: &mut World,
        draw: Draw<'_>,
        patches: &Patches,
    ) -> Result<Points, ExecuteError> {
        let [first, points, each] = [0, 1, 3].map(|idx| draw.word(patches.evaluation, idx));
        let list = draw.list(first, points.saturating_mul(POINT_WORDS))?;
        let invocation = |point: &[u32]| {
            let [patch, coordinate @ ..] = point else { return Invocation::default() };
            Invocation {
                primitive: index(*patch),
                id: patch.checked_rem(each).unwrap_or(0),
                coordinate: coordinate.try_into().unwrap_or_default(),
                ..Invocation::default()
            }
        };
        let all: Vec<_> = list.chunks(index(POINT_WORDS)).map(invocation).collect();
        let mut stage = Runner::new(world, &self.stage, draw.points, WIDTH)?;
        let stride = self.given.len();
        let mut words = vec![0; all.len() * stride];
        for first in turns(world, all.len(), WIDTH) {
            let own = all.iter().skip(first).take(WIDTH).copied().collect::<Vec<_>>();
            let lanes = stage.run(world, &own, &patches.vertices, &patches.own)?;
            for (word, register) in self.given.iter().enumerate() {
                let places = words.iter_mut().skip(first * stride + word).step_by(stride.max(1));
                let results = lanes.words(*register).iter().take(own.len());
                places.zip(results).for_each(|(place, result)| *place = *result);
            }
        }
        Ok(Points { records: Records { words, stride }, evaluation: patches.evaluation })
    }
}

impl Points {
    /// The primitives for a following geometry stage.
    pub(super) fn primitives(self, draw: Draw<'_>, size: u32) -> Result<Primitives, ExecuteError> {
        let [first, each, numbers] = [0, 1, 5].map(|idx| draw.word(self.evaluation + 1, idx));
        let corners = draw.list(first, each.saturating_mul(size))?.to_vec();
        let ids = draw.list(numbers, each)?.to_vec();
        let vertices = Vertices { records: self.records, numbers: corners, size: index(size) };
        Ok(Primitives { vertices, ids, each: index(each) })
    }

    /// The vertices to draw and capture: an entry for each corner of a primitive.
    pub(super) fn emitted(self, draw: Draw<'_>, drawn: usize) -> Result<Emitted, ExecuteError> {
        let [first, corners] = [6, 7].map(|idx| draw.word(self.evaluation, idx));
        let entries = draw.list(first, corners)?.to_vec();
        let Records { words, stride } = self.records;
        Ok(Emitted { words, stride, drawn, entries })
    }
}
