//! Executes draws: vertices, primitives, fragments.

pub(crate) mod fragment;
pub(crate) mod sprite;
pub(crate) mod varying;

use std::collections::BTreeMap;

use link::compute::geometry::{NO_LAYER, drawn_layer};
use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use plan::topology::Primitive;
use plan::{DrawSetup, ExecuteError, Plan, PlannedDraw, RenderTo};

use crate::draw::fragment::{FragmentStage, Setup};
use crate::draw::sprite::{Sprites, TRIANGLES};
use crate::errors::lacking;
use crate::geometry::Emitted;
use crate::memory::Bound;
use crate::numbers::{count, index};
use crate::raster::clip::Vertex;
use crate::raster::{Framebuffer, samples};
use crate::stage::Stage;
use crate::target::surface::Surface;
use crate::vertex::{RecordLayout, Source, VertexStage};
use crate::world::World;

/// Minimum number of vertices that are shaded before their primitives are drawn.
const VERTICES: usize = 1024;

/// Cost of clipping a primitive.
const PRIMITIVE_WORK: usize = 256;

/// The stages of a program that draws.
#[derive(Debug)]
pub struct RenderStages {
    /// The vertex stage; `None` if a tessellation or geometry stage provides the vertices.
    pub vertex: Option<Stage>,
    /// Layout of the records of vertices.
    pub records: RecordLayout,
    /// The fragment stage, if there is one.
    pub fragment: Option<Stage>,
    /// How points that are not single pixels are drawn.
    pub sprites: Option<Sprites>,
    /// How the layers of primitives are selected.
    pub layer: Option<Layer>,
}

/// Selection of primitives by layer.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Word of a vertex's layer in its record.
    pub word: usize,
    /// Buffer and word that hold the layer of the draw.
    pub drawn: (BindingPoint, usize),
}

/// A draw, with the program that it uses.
pub(crate) struct Draw<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) program: &'a LinkedProgram,
    pub(crate) stages: &'a RenderStages,
    pub(crate) planned: &'a PlannedDraw,
    /// Base vertex and base instance.
    pub(crate) bases: [u32; 2],
    /// Bound resources.
    pub(crate) points: BTreeMap<BindingPoint, Bound>,
    /// Index lists of all instances, if primitives may be culled.
    pub(crate) kept: Option<Vec<u32>>,
    /// The output of wired tessellation and geometry stages.
    pub(crate) emitted: Option<&'a Emitted>,
}

impl Draw<'_> {
    /// Executes the draw.
    pub(crate) fn run(&self, world: &mut World) -> Result<(), ExecuteError> {
        let Self { plan, program, stages, planned: draw, points, .. } = self;
        let surfaces = world.surfaces(plan, draw.setup.to);
        if draw.viewport.is_some() {
            return Err(lacking("viewports"));
        }
        if !draw.setup.raster.bias.is_zero() {
            return Err(lacking("depth bias"));
        }
        let framebuffer = framebuffer(world, &draw.setup, &surfaces)?;
        let fragment = stages.fragment.as_ref().filter(|_| !draw.setup.is_discarded);
        let fragment = fragment.map(|stage| stage.bound(points)).transpose()?;
        let setup = Setup { plan, program, draw, surfaces: &surfaces, framebuffer };
        let mut fragments = FragmentStage::new(world, &setup, fragment, &stages.records)?;
        let list = plan.indices.get(index(draw.indices.start)..index(draw.indices.end));
        let list = list.ok_or_else(|| lacking("such indices"))?;
        match &stages.vertex {
            Some(vertex) => self.vertices(world, vertex, list, &mut fragments)?,
            None => self.emitted(world, list, &mut fragments)?,
        }
        fragments.flush(world)
    }

    /// Draws a list of entries that a tessellation or geometry stage wrote.
    fn emitted(
        &self,
        world: &mut World,
        list: &[u32],
        fragments: &mut FragmentStage<'_>,
    ) -> Result<(), ExecuteError> {
        let layout = &self.stages.records;
        let emitted = self.emitted.ok_or_else(|| lacking("what a geometry stage emitted"))?;
        let (records, list) = emitted.drawn(list, layout.stride);
        let list = self.of_layer(world, list, &records)?;
        let vertices = records.len().checked_div(layout.stride).unwrap_or(0);
        let distinct: Vec<u32> = (0..count(vertices)).collect();
        let known = Known { distinct: &distinct, records: &records, layout };
        self.primitives(world, &list, &known, fragments)
    }

    /// The primitives of a list that belong to the layer of the draw. The layer of a primitive is that of its provoking
    /// vertex, which is its first one.
    fn of_layer(
        &self,
        world: &World,
        list: Vec<u32>,
        records: &[u32],
    ) -> Result<Vec<u32>, ExecuteError> {
        let Some(Layer { word, drawn: (at, place) }) = self.stages.layer else { return Ok(list) };
        let buffer = match self.points.get(&at) {
            Some(Bound::Buffer(buffer)) => world.buffers.get(*buffer),
            Some(Bound::View(_) | Bound::Sampler(_)) | None => None,
        };
        let drawn = buffer.and_then(|buffer| buffer.words.get(place)).copied();
        let drawn = drawn.ok_or_else(|| lacking("number of the layer that is drawn to"))?;
        if drawn == NO_LAYER {
            return Ok(list);
        }
        let layer = drawn / drawn_layer(1, 0);
        let own = |vertex: u32| records.get(index(vertex) * self.stages.records.stride + word);
        let primitives = list.chunks_exact(index(self.planned.setup.primitive.vertices()));
        let is_own = |primitive: &&[u32]| own(primitive[0]) == Some(&layer);
        Ok(primitives.filter(is_own).flatten().copied().collect())
    }

    /// Runs the vertex stage for a list of vertices, and draws their primitives.
    fn vertices(
        &self,
        world: &mut World,
        stage: &Stage,
        list: &[u32],
        fragments: &mut FragmentStage<'_>,
    ) -> Result<(), ExecuteError> {
        let Self { plan, stages, planned: draw, points, .. } = self;
        let rows = plan.layouts.get(draw.setup.program).cloned().unwrap_or_default();
        let source = Source { vertices: draw.vertices.clone(), rows, bases: self.bases };
        let stage = stage.bound(points)?;
        let mut vertices = VertexStage::new(world, stage, &stages.records, &source)?;
        let mut distinct = list.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let group = (VERTICES / distinct.len().max(1)).max(1);
        for first in (0..draw.instances).step_by(group) {
            let instances = first..first.saturating_add(count(group)).min(draw.instances);
            let numbers = instances.clone().map(|own| draw.first_instance.saturating_add(own));
            let pairs = numbers.flat_map(|own| distinct.iter().map(move |vertex| (*vertex, own)));
            let records = vertices.records(world, &pairs.collect::<Vec<_>>())?;
            let each = distinct.len().saturating_mul(stages.records.stride).max(1);
            for (instance, records) in instances.zip(records.chunks(each)) {
                let start = index(instance).saturating_mul(list.len());
                let kept = self
                    .kept
                    .as_ref()
                    .map_or(Some(list), |kept| kept.get(start..)?.get(..list.len()));
                let known = Known { distinct: &distinct, records, layout: &stages.records };
                let list = kept.unwrap_or(&[]);
                self.primitives(world, list, &known, fragments)?;
            }
        }
        Ok(())
    }

    fn primitives(
        &self,
        world: &mut World,
        list: &[u32],
        known: &Known<'_>,
        fragments: &mut FragmentStage<'_>,
    ) -> Result<(), ExecuteError> {
        let primitive = self.planned.setup.primitive;
        let vertices = index(primitive.vertices());
        for (number, corners) in list.chunks_exact(vertices).enumerate() {
            let record = |idx: usize| {
                let vertex = corners.get(idx).or(corners.last());
                vertex.map_or(&[][..], |vertex| known.record(*vertex))
            };
            let records = [0, 1, 2].map(record);
            world.spend(PRIMITIVE_WORK)?;
            if known.layout.is_culled(records.get(..vertices).unwrap_or(&records)) {
                continue;
            }
            let number = count(number);
            let framebuffer = fragments.framebuffer;
            let mut draw = |primitive: Primitive, records: [&[u32]; 3]| {
                let vertices = known.layout.vertices(primitive, records);
                fragments.draw(world, &framebuffer.parts(primitive, vertices), records, number)
            };
            let (Some(sprites), Primitive::Points) = (&self.stages.sprites, primitive) else {
                draw(primitive, records)?;
                continue;
            };
            let (step, size) = (self.planned.step, framebuffer.size);
            let corners = sprites.corners(known.layout, records[0], step, size);
            let Some(corners) = corners else { continue };
            for triangle in TRIANGLES {
                draw(Primitive::Triangles, triangle.map(|idx| &corners[idx][..]))?;
            }
        }
        Ok(())
    }
}

/// The framebuffer of a draw to these surfaces.
fn framebuffer(
    world: &World,
    setup: &DrawSetup,
    surfaces: &[(u32, Surface)],
) -> Result<Framebuffer, ExecuteError> {
    let first = surfaces.first().map(|(_, surface)| (surface.size, surface.samples));
    let window = Some((world.size, world.samples)).filter(|_| setup.to == RenderTo::Window);
    let (size, count) = window.or(first).ok_or_else(|| lacking("draw without targets"))?;
    if surfaces.iter().any(|(_, surface)| (surface.size, surface.samples) != (size, count)) {
        return Err(lacking("draw to targets of different sizes"));
    }
    let samples = samples::positions(count);
    let samples = samples.ok_or_else(|| lacking(format!("targets of {count} samples")))?;
    Ok(Framebuffer { size, samples, faces: setup.raster, noise: world.noise })
}

/// The records of the vertices of an instance.
struct Known<'a> {
    /// Indices of the vertices, sorted.
    distinct: &'a [u32],
    records: &'a [u32],
    layout: &'a RecordLayout,
}

impl Known<'_> {
    fn record(&self, vertex: u32) -> &[u32] {
        let place = self.distinct.binary_search(&vertex).unwrap_or(0);
        let start = place.saturating_mul(self.layout.stride);
        let record = self.records.get(start..).and_then(|rest| rest.get(..self.layout.stride));
        record.unwrap_or(&[])
    }
}

impl RecordLayout {
    /// True if some cull distance is negative at all vertices of a primitive (GLSL 4.60, 7.1.1). NaN counts as
    /// negative.
    fn is_culled(&self, records: &[&[u32]]) -> bool {
        let (first, number) = self.culls;
        (first..first + number).any(|word| {
            let is_inside =
                |record: &&[u32]| record.get(word).is_some_and(|bits| f32::from_bits(*bits) >= 0.0);
            !records.iter().any(is_inside)
        })
    }

    /// The vertices of a primitive with these records.
    fn vertices(&self, primitive: Primitive, records: [&[u32]; 3]) -> Vec<Vertex> {
        let own = records.iter().enumerate().take(index(primitive.vertices()));
        own.map(|(idx, record)| self.vertex(idx, record)).collect()
    }

    /// Vertex `idx` of a primitive.
    fn vertex(&self, idx: usize, record: &[u32]) -> Vertex {
        let real = |word: usize| {
            f64::from(record.get(word).map_or(f32::NAN, |bits| f32::from_bits(*bits)))
        };
        let (first, number) = self.distances;
        let distances = (first..).take(number).map(real).collect();
        Vertex::new(idx, [0, 1, 2, 3].map(|side| real(self.position + side)), distances)
    }
}
