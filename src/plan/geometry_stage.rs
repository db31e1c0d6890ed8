//! Draws of programs with a geometry stage: what runs before them, by the contract of [`link::geometry`].
//!
//! The vertex stage runs once for each vertex of the draw, also for those that no primitive has; an index list says
//! which, and a second list the primitives, whose vertices are *ordinals*: positions in the first list. What is drawn is
//! a list of *entries*, one for each vertex that the geometry stage may emit, so it is the same for all draws but for its
//! length.

mod sizes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::{self, Primitive, ProvokingVertex};
use crate::vertex::LOCATION_BYTES;
use case::{Draw, RESTART_INDEX};
use ir::options::GEOMETRY_POINT;
use link::binding::GeometryCompute;
use link::front::Front;
use link::geometry::{LAYER, drawn_layer};
use link::shell::WORKGROUP_SIZE;
use link::write_uniform::Misfit;

use super::geometry::{DrawRanges, DrawnRows, PointDraw, point_corners};
use super::{Operation, Planner, SnapshotSource};
use sizes::{MAX_ENTRIES, Sizes};

/// A vertex stage and a geometry stage that run before a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedGeometry {
    /// Index of the step.
    pub step: usize,
    /// Byte range in [`super::Plan::vertices`] whose first row has index 0.
    pub vertices: Range<usize>,
    /// Range of [`super::Plan::indices`]: each vertex of the draw once.
    pub indices: Range<u32>,
    /// First index of the list of primitives, in ordinals.
    pub first_primitive: u32,
    /// Primitives of one instance.
    pub primitives: u32,
    /// Number of instances.
    pub instances: u32,
    /// First instance, as the vertex stage counts.
    pub first_instance: u32,
    /// Entries of one stream.
    pub entries: u32,
    /// Places of the vertices of strips in the entries.
    pub places: u32,
    /// Index into [`super::Plan::bindings`].
    pub bindings: usize,
    /// Index into [`super::Plan::storage_sizes`]: the results of the vertex stage.
    pub results: usize,
    /// Index into [`super::Plan::storage_sizes`]: entries and records.
    pub records: usize,
}

impl PlannedGeometry {
    /// Vertices of one instance.
    pub fn count(&self) -> u32 {
        self.indices.end.saturating_sub(self.indices.start)
    }

    /// Identity of the draw for the vertex stage.
    pub fn vertex_words(&self) -> [u32; 4] {
        let first_row = u32::try_from(self.vertices.start / LOCATION_BYTES).unwrap_or(u32::MAX);
        [first_row, self.indices.start, self.count(), self.first_instance]
    }

    /// Identity of the draw for the geometry stage.
    pub fn words(&self) -> [u32; 8] {
        let Self { first_primitive, primitives, entries, places, .. } = *self;
        [first_primitive, primitives, self.count(), entries, places, 0, 0, 0]
    }

    /// Workgroups of the vertex stage and of a geometry stage with so many invocations for each primitive.
    pub fn workgroups(&self, invocations: u32) -> [[u32; 2]; 2] {
        let all = self.primitives.saturating_mul(invocations);
        [self.count(), all].map(|count| [count.div_ceil(WORKGROUP_SIZE), self.instances])
    }
}

/// Whether a draw through a geometry stage reaches render targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rasterizer {
    /// It does.
    On,
    /// The stages run, and what they emit may be captured.
    Off,
}

/// What all draws through geometry stages share: each writes its part of the buffers before anything reads it.
#[derive(Clone, Debug, Default)]
pub(super) struct Emission {
    /// Index into [`super::Plan::storage_sizes`]: the results of vertex stages.
    results: Option<usize>,
    /// Index into [`super::Plan::storage_sizes`]: entries and records.
    records: Option<usize>,
    /// The longest list of entries so far.
    identity: Range<u32>,
    /// The longest list of corners of points so far.
    corners: Range<u32>,
}

/// What the stages before a draw give.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitted {
    /// Entries of one stream.
    pub(super) entries: u32,
    /// Number of streams.
    pub(super) streams: u32,
    /// Index into [`super::Plan::storage_sizes`].
    pub(super) records: usize,
    /// Primitive type of the list of entries.
    pub(super) primitive: Primitive,
    /// Index into [`super::Plan::bindings`].
    pub(super) bindings: usize,
}

/// The vertices of a draw, and its primitives as lists of ordinals.
#[derive(Debug, Default, PartialEq, Eq)]
struct Inputs {
    /// Numbers of the rows.
    vertices: Vec<u32>,
    primitives: Vec<u32>,
}

impl Planner<'_> {
    /// Plans a draw through a geometry stage.
    pub(super) fn geometry_draw(
        &mut self,
        step: usize,
        draw: &Draw,
        front: &Front,
        rasterizer: Rasterizer,
    ) -> Result<(), Misfit> {
        let Some(stage) = &front.geometry else {
            return Err("tessellation stages are not planned yet".into());
        };
        self.write_draw_parameters(draw)?;
        let source = self.row_source(draw)?;
        let rows = self.geometry.add_rows(draw, source)?;
        self.fill_rows(draw, (&rows.vertices, PointDraw::NoQuads))?;
        let inputs = inputs(stage, &rows, self.geometry.convention)?;
        let Some(emitted) = self.emit((step, draw), front, (rows.vertices, &inputs))? else {
            return Ok(());
        };
        if self.capture.is_active() {
            self.capture_entries(step, emitted)?;
        }
        if self.capture.is_paused() {
            self.count_entries(emitted)?;
        }
        match rasterizer {
            Rasterizer::On => self.draw_entries(step, emitted),
            Rasterizer::Off => Ok(()),
        }
    }

    /// Plans the stages before a draw. `None` if nothing runs.
    fn emit(
        &mut self,
        (step, draw): (usize, &Draw),
        front: &Front,
        (vertices, inputs): (Range<usize>, &Inputs),
    ) -> Result<Option<Emitted>, Misfit> {
        let Some(stage) = &front.geometry else { return Ok(None) };
        let length = |list: &[u32]| u32::try_from(list.len()).unwrap_or(u32::MAX);
        let count = length(&inputs.vertices);
        let primitives = length(&inputs.primitives) / stage.input.vertices();
        if count == 0 || draw.instances == 0 {
            return Ok(None);
        }
        let Some(sizes) =
            Sizes::new((stage, front.vertex.stride), (count, primitives, draw.instances))
        else {
            self.plan.impossible.get_or_insert_with(|| {
                format!("geometry stages may emit {MAX_ENTRIES} vertices in one draw")
            });
            return Ok(None);
        };
        let [results, records] = self.grow(&sizes);
        let indices = self.geometry.push_indices(inputs.vertices.iter().copied())?;
        let first_primitive = self.geometry.push_indices(inputs.primitives.iter().copied())?.start;
        let primitive = Primitive::of_output(stage.output);
        let (from, to) = (self.geometry.convention, self.geometry.provoking);
        let bindings = self.bind_entries(PointDraw::NoQuads)?;
        self.current_snapshots.remove(&SnapshotSource::Buffer(records));
        self.plan.operations.push(Operation::Geometry(self.plan.geometries.len()));
        self.plan.geometries.push(PlannedGeometry {
            step,
            vertices,
            indices,
            first_primitive,
            primitives,
            instances: draw.instances,
            first_instance: self.first_instance(draw),
            entries: sizes.entries,
            places: topology::strip_places(primitive, from, to),
            bindings,
            results,
            records,
        });
        let (entries, streams) = (sizes.entries, stage.streams);
        Ok(Some(Emitted { entries, streams, records, primitive, bindings }))
    }

    /// The shared buffers, large enough for one more draw.
    fn grow(&mut self, sizes: &Sizes) -> [usize; 2] {
        let all = &mut self.plan.storage_sizes;
        let places = [&mut self.emission.results, &mut self.emission.records];
        let mut bytes = [sizes.results, sizes.records].into_iter();
        let grown = places.map(|place| {
            let needed = bytes.next().unwrap_or(0);
            let idx = *place.get_or_insert_with(|| {
                all.push(0);
                all.len() - 1
            });
            all[idx] = needed.max(all[idx]);
            idx
        });
        self.storage.insert(GEOMETRY_POINT, grown[1]);
        grown
    }

    /// Bindings of stages that read entries.
    fn bind_entries(&mut self, points: PointDraw) -> Result<usize, Misfit> {
        let size = self.render_size();
        self.state.write_draw(self.program, &mut self.uniforms, points, size)?;
        self.bind()
    }

    /// The list of so many entries.
    pub(super) fn entry_list(&mut self, entries: u32) -> Result<Range<u32>, Misfit> {
        let known = &mut self.emission.identity;
        if known.end.saturating_sub(known.start) < entries {
            let list: Vec<u32> = (0..entries).collect();
            *known = self.geometry.push_indices(list.into_iter())?;
        }
        Ok(known.start..known.start.saturating_add(entries))
    }

    /// The list of the corners of points: those of entry e are numbers 4 · e to 4 · e + 3.
    fn corner_list(&mut self, entries: u32) -> Result<Range<u32>, Misfit> {
        let known = &mut self.emission.corners;
        let count = entries.saturating_mul(6);
        if known.end.saturating_sub(known.start) < count {
            let corners: Option<Vec<_>> = (0..entries).map(point_corners).collect();
            let corners = corners.ok_or("too many vertices")?.concat();
            *known = self.geometry.push_indices(corners.into_iter())?;
        }
        Ok(known.start..known.start.saturating_add(count))
    }

    /// Plans the draw of all entries.
    fn draw_entries(&mut self, step: usize, emitted: Emitted) -> Result<(), Misfit> {
        let Emitted { entries, primitive, .. } = emitted;
        if entries == 0 {
            return Ok(());
        }
        let is_quad = primitive == Primitive::Points && self.program.points.is_some();
        let (points, primitive, indices) = if is_quad {
            (PointDraw::Quads, Primitive::Triangles, self.corner_list(entries)?)
        } else {
            (PointDraw::NoQuads, primitive, self.entry_list(entries)?)
        };
        let shape = DrawRanges { primitive, points, vertices: 0..0, indices };
        if self.layers.is_empty() || !self.program.has_uniform(LAYER) {
            let bindings = self.bind_entries(points)?;
            return self.push_draw(step, shape, (1, 0), bindings);
        }
        self.draw_layers(step, &shape, emitted.primitive)
    }

    /// Plans the draw of all entries to each layer, where only that layer's primitives are seen.
    fn draw_layers(
        &mut self,
        step: usize,
        shape: &DrawRanges,
        primitive: Primitive,
    ) -> Result<(), Misfit> {
        let first = self.render_to;
        let place = match self.geometry.provoking {
            ProvokingVertex::First => 0,
            ProvokingVertex::Last => primitive.vertices() - 1,
        };
        for (layer, to) in (0..).zip(self.layers.clone()) {
            (self.state.layer, self.render_to) = (Some(drawn_layer(layer, place)), to);
            let bindings = self.bind_entries(shape.points)?;
            self.push_draw(step, shape.clone(), (1, 0), bindings)?;
        }
        (self.state.layer, self.render_to) = (None, first);
        Ok(())
    }
}

/// The inputs of both stages.
///
/// # Errors
/// The topology does not give the primitives that the geometry stage takes.
fn inputs(
    stage: &GeometryCompute,
    rows: &DrawnRows,
    convention: ProvokingVertex,
) -> Result<Inputs, Misfit> {
    let mut known = BTreeMap::new();
    let mut all = Inputs::default();
    let mut ordinal = |row: u32| {
        *known.entry(row).or_insert_with(|| {
            all.vertices.push(row);
            u32::try_from(all.vertices.len() - 1).unwrap_or(u32::MAX)
        })
    };
    for run in rows.rows.split(|row| *row == RESTART_INDEX) {
        let run: Vec<u32> = run.iter().map(|row| ordinal(*row)).collect();
        let list = topology::input_list(stage.input, rows.topology, &run, convention);
        all.primitives.extend(list.ok_or_else(|| {
            let (drawn, taken) = (rows.topology.name(), stage.input.word());
            Misfit(format!("the geometry stage takes {taken}, and {drawn} has none"))
        })?);
    }
    Ok(all)
}
