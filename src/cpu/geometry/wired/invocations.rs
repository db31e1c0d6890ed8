//! Runs invocations of a wired stage, and sets their inputs.

use std::collections::BTreeMap;

use link::table::binding::BindingPoint;
use naga::Binding;
use plan::ExecuteError;

use super::Records;
use crate::code::Register;
use crate::errors::{lacking, stopped};
use crate::lanes::{Lane, Lanes};
use crate::memory::Bound;
use crate::numbers::{count, index};
use crate::stage::{Stage, registers, unknown};
use crate::world::World;

/// Number of invocations that run together: the workgroup size of the linked stages, so that side effects have the same
/// order.
pub(super) const WIDTH: usize = 64;

/// A stage in which every input has a location: that of its first word. The words of each vertex come first, then those
/// of the patch, and then the [`Number`]s.
#[derive(Debug)]
pub struct WiredStage {
    /// The compiled stage.
    pub stage: Stage,
    /// Sizes of its inputs.
    pub received: Received,
}

/// Sizes of a stage's inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Received {
    /// Number of words of a vertex.
    pub stride: usize,
    /// Number of vertices that the stage has room for.
    pub vertices: usize,
    /// Number of words of the patch.
    pub patch: usize,
}

/// Numbers that identify an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `gl_PrimitiveID`, or `gl_PrimitiveIDIn`.
    Primitive,
    /// `gl_InvocationID`.
    Invocation,
    /// `gl_PatchVerticesIn`.
    PatchVertices,
    /// The first of the three components of `gl_TessCoord`.
    Coordinate,
}

impl Received {
    /// The location of a number.
    pub fn location(&self, number: Number) -> u32 {
        count(self.end()).saturating_add(number as u32)
    }

    fn end(&self) -> usize {
        self.vertices * self.stride + self.patch
    }

    fn input(&self, location: usize) -> Input {
        let vertices = self.vertices * self.stride;
        match location.checked_sub(vertices) {
            None => Input::Vertex { vertex: location / self.stride, word: location % self.stride },
            Some(word) if word < self.patch => Input::Patch(word),
            Some(word) => Input::Number(word - self.patch),
        }
    }
}

/// An input of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// Word of a vertex.
    Vertex { vertex: usize, word: usize },
    /// Word of the patch.
    Patch(usize),
    /// A [`Number`], or a component of the coordinate.
    Number(usize),
}

/// The vertices of primitives.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertices {
    pub(super) records: Records,
    /// For each primitive, the records of its vertices.
    pub(super) numbers: Vec<u32>,
    /// Number of vertices of a primitive.
    pub(super) size: usize,
}

impl Vertices {
    /// A word of a vertex; zero for vertices that a primitive lacks.
    fn word(&self, primitive: usize, vertex: usize, word: usize) -> u32 {
        let number = self.numbers.get(primitive * self.size + vertex);
        let number = number.filter(|_| vertex < self.size);
        number.map_or(0, |number| self.records.word(index(*number), word))
    }
}

/// An invocation of a stage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Invocation {
    /// Index of the primitive among those of all instances.
    pub(super) primitive: usize,
    /// Number of the primitive, as the stage sees it.
    pub(super) id: u32,
    /// Number of the invocation within its primitive.
    pub(super) turn: u32,
    /// Bits of the coordinates in the patch.
    pub(super) coordinate: [u32; 3],
}

/// Runs invocations of a stage.
pub(super) struct Runner<'a> {
    lanes: Lanes<'a>,
    /// The objects bound to the stage's resources.
    objects: Vec<Bound>,
    inputs: Vec<(Input, Register)>,
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        world: &mut World,
        WiredStage { stage, received }: &'a WiredStage,
        points: &BTreeMap<BindingPoint, Bound>,
        width: usize,
    ) -> Result<Self, ExecuteError> {
        let bound = stage.bound(points)?;
        let mut inputs = Vec::new();
        for port in &stage.code.inputs {
            let location = match port.binding {
                Binding::Location { location, .. } => index(location),
                Binding::BuiltIn(builtin) => return Err(unknown(builtin, "geometry")),
            };
            let words = (location..).zip(registers(port)?);
            inputs.extend(words.map(|(word, register)| (received.input(word), register)));
        }
        Ok(Self { lanes: bound.lanes(world, width)?, objects: bound.objects, inputs })
    }

    /// Runs invocations of primitives with these vertices and patches.
    pub(super) fn run(
        &mut self,
        world: &mut World,
        invocations: &[Invocation],
        vertices: &Vertices,
        patches: &Records,
    ) -> Result<&Lanes<'a>, ExecuteError> {
        for (input, register) in &self.inputs {
            let places = self.lanes.words_mut(*register);
            for (place, own) in places.iter_mut().zip(invocations) {
                *place = match *input {
                    Input::Vertex { vertex, word } => vertices.word(own.primitive, vertex, word),
                    Input::Patch(word) => patches.word(own.primitive, word),
                    Input::Number(number) => {
                        let [u, v, w] = own.coordinate;
                        let size = count(vertices.size);
                        let all = [own.id, own.turn, size, u, v, w];
                        let number = all.get(number).copied();
                        number.ok_or_else(|| lacking("such an input"))?
                    }
                };
            }
        }
        let live = vec![Lane::Live; invocations.len()];
        let mut environment = world.environment(&self.objects);
        self.lanes.run(&mut environment, &live).map_err(stopped)?;
        Ok(&self.lanes)
    }
}

/// The first invocations of the groups that run together, in execution order.
pub(super) fn turns(world: &World, invocations: usize, width: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..invocations).step_by(width.max(1)).collect();
    if world.noise.is_some_and(|noise| noise.is_backwards) {
        all.reverse();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_vertices_come_before_those_of_the_patch_and_numbers() {
        let received = Received { stride: 3, vertices: 2, patch: 4 };
        let inputs = [0, 5, 6, 9, 10].map(|location| received.input(location));
        assert_eq!(
            inputs,
            [
                Input::Vertex { vertex: 0, word: 0 },
                Input::Vertex { vertex: 1, word: 2 },
                Input::Patch(0),
                Input::Patch(3),
                Input::Number(0),
            ]
        );
        assert_eq!(received.location(Number::Coordinate), 13);
        let nothing = Received { stride: 0, vertices: 2, patch: 0 };
        assert_eq!(nothing.input(1), Input::Number(1));
    }

    #[test]
    fn a_vertex_that_a_primitive_lacks_is_zero() {
        let records = Records { words: vec![1, 2, 3, 4, 5, 6], stride: 2 };
        let vertices = Vertices { records, numbers: vec![2, 0, 1, 1], size: 2 };
        assert_eq!([0, 1, 2].map(|vertex| vertices.word(0, vertex, 1)), [6, 2, 0]);
        assert_eq!([0, 1, 2].map(|vertex| vertices.word(1, vertex, 0)), [3, 3, 0]);
    }
}
