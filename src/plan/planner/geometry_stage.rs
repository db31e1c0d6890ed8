//! Plans draws of programs with a geometry stage and the stages before them, by the contract of [`link::compute::geometry`].
//!
//! The vertex stage runs once for each vertex of the draw, including vertices that no primitive contains. One index
//! list names these vertices, and a second one the primitives, whose vertices are *ordinals*: positions in the first
//! list. The draw itself is of a list of *entries*, one for each vertex that the geometry stage may emit, so only its
//! length differs between draws.

#[cfg(test)]
mod patch_tests;
mod patches;
mod sizes;
#[cfg(test)]
mod tests;

use super::Planner;
use super::geometry::{DrawRanges, DrawnRows, Instances, PointDraw, point_corners};
use super::program_uniforms::ProgramUniforms;
use crate::error::Misfit;
use crate::levels::WantedLevels;
use crate::pass::{PassInput, PassVertices, PlannedPass};
use crate::snapshot::SnapshotSource;
use crate::topology::{self, Primitive, ProvokingVertex};
use case::{Draw, RESTART_INDEX};
use ir::options::GEOMETRY_POINT;
use ir::stage::ShaderStage;
use ir::tessellation::TessellationLevels;
use link::compute::geometry::{LAYER, drawn_layer};
use link::table::front::ELEMENT_WORDS;
use link::table::front::{KnownLevel, KnownLevels};
use link::table::pass::{ControlPass, GeometryPass, Known};
use link::table::shell::WORKGROUP_SIZE;
use patches::Patches;
use sizes::{MAX_ENTRIES, Sizes};
use std::collections::BTreeMap;
use std::ops::Range;

/// Whether a draw through a geometry stage reaches render targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rasterizer {
    /// The primitives reach them.
    On,
    /// The primitives do not reach them: the stages run, and the emitted primitives may be captured.
    Off,
}

/// Buffers and lists that all draws through geometry stages share: each writes its part of the buffers before it is
/// read.
#[derive(Clone, Debug, Default)]
pub(super) struct Emission {
    /// Indices into [`crate::Plan::storage_sizes`], by [`Written`].
    buffers: [Option<usize>; 4],
    /// The longest list of entries so far.
    identity: Range<u32>,
    /// The longest list of corners of points so far.
    corners: Range<u32>,
}

/// A buffer that a stage before a draw writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// The results of the vertex stage.
    Vertices,
    /// The patches that the control stage writes.
    Patches,
    /// The results of the evaluation stage, for a geometry stage.
    Points,
    /// Entries and records.
    Records,
}

/// The output of the stages before a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitted {
    /// Number of entries of one stream.
    pub(super) entries: u32,
    /// Number of streams.
    pub(super) streams: u32,
    /// Index into [`crate::Plan::storage_sizes`] of the buffer of entries and records.
    pub(super) records: usize,
    /// Primitive type of the list of entries.
    pub(super) primitive: Primitive,
    /// Index into [`crate::Plan::bindings`].
    pub(super) bindings: usize,
}

/// The passes before a draw, as far as they are planned.
struct Chain {
    vertices: PassVertices,
    /// First index of the list of primitives, in ordinals.
    list: u32,
    /// Number of primitives of one instance.
    primitives: u32,
    passes: Vec<PlannedPass>,
    /// Number of entries of one stream.
    entries: u32,
}

impl Chain {
    /// Adds a pass that reads what the last one writes.
    fn push(&mut self, number: usize, output: usize, words: Vec<u32>, groups: [u32; 2]) {
        let input =
            self.passes.last().map_or(PassInput::Rows(0..0), |last| PassInput::Buffer(last.output));
        self.passes.push(PlannedPass::new(number, input, output, words, groups));
    }
}

/// The vertices of a draw, and its primitives as lists of ordinals.
#[derive(Debug, Default, PartialEq, Eq)]
struct Inputs {
    /// Numbers of the rows.
    vertices: Vec<u32>,
    primitives: Vec<u32>,
}

/// Rows in the order of their first appearance.
#[derive(Debug, Default)]
struct OrdinalsOf {
    known: BTreeMap<u32, u32>,
    vertices: Vec<u32>,
}

impl OrdinalsOf {
    /// The ordinal of a row.
    fn of(&mut self, row: u32) -> u32 {
        *self.known.entry(row).or_insert_with(|| {
            self.vertices.push(row);
            length(&self.vertices).saturating_sub(1)
        })
    }
}

fn length(list: &[u32]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

impl Planner<'_> {
    /// Plans a draw through tessellation or geometry stages.
    pub(super) fn geometry_draw(
        &mut self,
        step: usize,
        draw: &Draw,
        rasterizer: Rasterizer,
    ) -> Result<(), Misfit> {
        let program = self.program;
        let (evaluation, geometry) = (program.evaluation_pass(), program.geometry_pass());
        if let (Some(evaluation), Some(geometry)) = (evaluation, geometry) {
            patches::check_primitives(evaluation.own, geometry.own)?;
        }
        self.write_draw_parameters(draw)?;
        let source = self.row_source(draw)?;
        let rows = self.geometry.add_rows(draw, source)?;
        self.fill_rows(draw, &rows.vertices, PointDraw::NoQuads)?;
        let inputs = match (evaluation, geometry) {
            (None, Some(stage)) => inputs(stage.own, &rows, self.geometry.convention())?,
            (_, _) => patches::inputs(&rows, draw.is_patch, self.patches.vertices)?,
        };
        let Some(emitted) = self.emit(step, draw, rows.vertices, &inputs)? else {
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

    /// Plans the passes before a draw. `None` if nothing is drawn.
    fn emit(
        &mut self,
        step: usize,
        draw: &Draw,
        rows: Range<usize>,
        inputs: &Inputs,
    ) -> Result<Option<Emitted>, Misfit> {
        let program = self.program;
        let each = match (program.evaluation_pass(), program.geometry_pass()) {
            (None, Some(stage)) => stage.own.input.vertices(),
            (_, _) => self.patches.vertices,
        };
        if inputs.vertices.is_empty() || draw.instances == 0 {
            return Ok(None);
        }
        let indices = self.geometry.push_indices(inputs.vertices.iter().copied())?;
        let list = self.geometry.push_indices(inputs.primitives.iter().copied())?.start;
        let (instances, first_instance) = (draw.instances, self.first_instance(draw));
        let mut chain = Chain {
            vertices: PassVertices { rows, indices, instances, first_instance },
            list,
            primitives: length(&inputs.primitives) / each.max(1),
            passes: Vec::new(),
            entries: 0,
        };
        let Some((records, primitive)) = self.plan_stages(&mut chain)? else {
            self.plan.impossible.get_or_insert_with(|| {
                let which =
                    if program.geometry_pass().is_some() { "geometry" } else { "tessellation" };
                format!("{which} stages may emit {MAX_ENTRIES} vertices in one draw")
            });
            return Ok(None);
        };
        self.storage.insert(GEOMETRY_POINT, records);
        let bindings = self.bind_entries(PointDraw::NoQuads)?;
        self.current_snapshots.remove(&SnapshotSource::Buffer(records));
        let (entries, streams) = (chain.entries, program.streams());
        self.push_passes(step, bindings, chain.passes);
        if let Some(wanted) = self.plan.wanted_levels {
            self.current_snapshots.remove(&SnapshotSource::Buffer(wanted.buffer));
            self.snapshot(SnapshotSource::Buffer(wanted.buffer), None)?;
            return Ok(None);
        }
        Ok(Some(Emitted { entries, streams, records, primitive, bindings }))
    }

    /// Plans all passes of the chain, and returns the buffer of entries and the type of their primitives. `None` if
    /// they write too much.
    fn plan_stages(&mut self, chain: &mut Chain) -> Result<Option<(usize, Primitive)>, Misfit> {
        let program = self.program;
        let Some(vertex) = program.vertex_pass() else { return Ok(None) };
        let (from, to) = (self.geometry.convention(), self.geometry.provoking);
        let (count, instances) = (chain.vertices.count(), chain.vertices.instances);
        let Some(bytes) = sizes::bytes_of(count, instances, vertex.stride) else {
            return Ok(None);
        };
        let written = self.grow(Written::Vertices, bytes);
        chain.passes.push(chain.vertices.pass(vertex.number, written));
        let geometry = program.geometry_pass();
        let Some(evaluation) = program.evaluation_pass() else {
            let Some(geometry) = geometry else { return Ok(None) };
            return self.plan_geometry(chain, geometry, vertex.stride, None);
        };
        let control = program.control_pass();
        let Some(known) = self.levels_of(control) else {
            return Ok(control.and_then(|control| self.plan_wanted(chain, control)));
        };
        let conventions = [from, if geometry.is_some() { from } else { to }];
        let shape = [chain.primitives, instances];
        let patches = Patches::new(evaluation.own, &self.patches, &known, shape, conventions);
        let Some(patches) = patches else { return Ok(None) };
        let Some(records) = self.plan_tessellation(chain, &patches)? else { return Ok(None) };
        if let Some(geometry) = geometry {
            return self.plan_geometry(chain, geometry, evaluation.stride, Some(&patches));
        }
        chain.entries = length(&patches.corners);
        Ok(Some((records, patches.primitive)))
    }

    /// Plans the geometry stage after the vertex stage, or after an evaluation stage for these patches, which writes
    /// `stride` words for each vertex. Returns the buffer of entries and the type of their primitives. `None` if the
    /// stage writes too much.
    fn plan_geometry(
        &mut self,
        chain: &mut Chain,
        stage: Known<&GeometryPass>,
        stride: u32,
        patches: Option<&Patches>,
    ) -> Result<Option<(usize, Primitive)>, Misfit> {
        let (from, to) = (self.geometry.convention(), self.geometry.provoking);
        let primitive = Primitive::of_output(stage.own.output);
        let places = topology::strip_places(primitive, from, to);
        let (inputs, [list, numbers]) = if let Some(patches) = patches {
            let lists = [&patches.corners, &patches.numbers];
            let [list, numbers] =
                lists.map(|list| self.geometry.push_indices(list.iter().copied()));
            let inputs = [patches.point_count, length(&patches.numbers), 1];
            (inputs, [list?.start, numbers?.start])
        } else {
            let inputs = [chain.vertices.count(), chain.primitives, chain.vertices.instances];
            (inputs, [chain.list, 0])
        };
        let Some(sizes) = Sizes::new(stage, stride, inputs) else { return Ok(None) };
        chain.entries = sizes.entries;
        let [vertices, primitives, instances] = inputs;
        let output = self.grow(Written::Records, sizes.records);
        let words = vec![list, primitives, vertices, sizes.entries, places, numbers, 0, 0];
        let invocations = primitives.saturating_mul(stage.own.invocations);
        chain.push(stage.number, output, words, [invocations.div_ceil(WORKGROUP_SIZE), instances]);
        Ok(Some((output, primitive)))
    }

    /// The levels of each patch of the next draw, or one element for all patches. `None` if they are known only after a
    /// run.
    fn levels_of(
        &mut self,
        control: Option<Known<&ControlPass>>,
    ) -> Option<Vec<TessellationLevels>> {
        let Some(control) = control else { return Some(vec![self.patches.levels]) };
        let known = control.own.levels.as_ref().and_then(|known| self.known_levels(known));
        known.map(|levels| vec![levels]).or_else(|| self.levels.next().cloned())
    }

    /// The levels of the next draw from constants and uniforms. `None` if the program lacks one of the uniforms.
    fn known_levels(&self, known: &KnownLevels) -> Option<TessellationLevels> {
        let value = |level: &KnownLevel| match level {
            KnownLevel::Constant(level) => Some(*level),
            KnownLevel::Uniform { name, scalar } => {
                let bits = ProgramUniforms::of(self.program).read_scalar(
                    &self.uniforms,
                    ShaderStage::TessellationControl,
                    name,
                    *scalar,
                )?;
                Some(f32::from_bits(bits))
            }
        };
        let [a, b, c, d] = known.outer.each_ref().map(value);
        let [first, second] = known.inner.each_ref().map(value);
        Some(TessellationLevels { outer: [a?, b?, c?, d?], inner: [first?, second?] })
    }

    /// Plans to run the control stage, so that a run determines its levels.
    fn plan_wanted(
        &mut self,
        chain: &mut Chain,
        control: Known<&ControlPass>,
    ) -> Option<(usize, Primitive)> {
        let buffer = self.plan_control(chain, control, self.patches.vertices)?;
        let patches = chain.primitives.saturating_mul(chain.vertices.instances);
        self.plan.wanted_levels = Some(WantedLevels { buffer, patches, stride: control.stride });
        Some((self.grow(Written::Records, 4), Primitive::Points))
    }

    /// Plans the control stage, and returns the buffer that it writes. `None` if it writes too much.
    fn plan_control(
        &mut self,
        chain: &mut Chain,
        control: Known<&ControlPass>,
        size: u32,
    ) -> Option<usize> {
        let (primitives, instances) = (chain.primitives, chain.vertices.instances);
        let bytes = sizes::bytes_of(primitives, instances, control.stride)?;
        let output = self.grow(Written::Patches, bytes);
        let words = vec![chain.list, primitives, chain.vertices.count(), size, 0, 0, 0, 0];
        chain.push(control.number, output, words, [primitives, instances]);
        Some(output)
    }

    /// Plans the tessellation stages, and returns the buffer that the last of them writes. `None` if they write too
    /// much.
    fn plan_tessellation(
        &mut self,
        chain: &mut Chain,
        patches: &Patches,
    ) -> Result<Option<usize>, Misfit> {
        let program = self.program;
        let Some(evaluation) = program.evaluation_pass() else { return Ok(None) };
        let mut size = patches.vertices;
        if let Some(control) = program.control_pass() {
            if self.plan_control(chain, control, size).is_none() {
                return Ok(None);
            }
            size = control.own.vertices;
        }
        let points = self.geometry.push_indices(patches.points.iter().copied())?.start;
        let [outer, inner] = [&patches.levels.outer[..], &patches.levels.inner[..]];
        let levels = outer.iter().chain(inner).map(|level| level.to_bits());
        let is_last = program.geometry_pass().is_none();
        let no_corners: &[u32] = &[];
        let corners = if is_last { patches.corners.as_slice() } else { no_corners };
        let first_corner = self.geometry.push_indices(corners.iter().copied())?.start;
        let mut words = vec![points, patches.point_count, size, patches.count];
        words.extend([chain.list, chain.vertices.count(), first_corner, length(corners)]);
        words.extend(levels.chain([0, 0]));
        let records = sizes::bytes_of(patches.point_count, 1, evaluation.stride);
        // The records follow the entries.
        let entries = length(corners).next_multiple_of(ELEMENT_WORDS);
        let bytes = records.and_then(|bytes| bytes.checked_add(entries.checked_mul(4)?));
        let Some(bytes) = bytes else { return Ok(None) };
        let written = if is_last { Written::Records } else { Written::Points };
        let output = self.grow(written, bytes);
        let invocations = patches.point_count.max(length(corners));
        chain.push(evaluation.number, output, words, [invocations.div_ceil(WORKGROUP_SIZE), 1]);
        Ok(Some(output))
    }

    /// Index of a shared buffer, enlarged for one more draw.
    fn grow(&mut self, written: Written, bytes: u32) -> usize {
        let known = &mut self.emission.buffers[written as usize];
        *known.insert(self.plan.grow(*known, bytes))
    }

    /// Bindings of the stages that read entries.
    fn bind_entries(&mut self, points: PointDraw) -> Result<usize, Misfit> {
        let size = self.render_size();
        self.state.write_draw(self.program, &mut self.uniforms, points, size)?;
        self.bind()
    }

    /// Range of the index list of `entries` entries.
    pub(super) fn entry_list(&mut self, entries: u32) -> Result<Range<u32>, Misfit> {
        let known = &mut self.emission.identity;
        if known.end.saturating_sub(known.start) < entries {
            let list: Vec<u32> = (0..entries).collect();
            *known = self.geometry.push_indices(list.into_iter())?;
        }
        Ok(known.start..known.start.saturating_add(entries))
    }

    /// Range of the index list of the corners of points: the corners of entry e are numbers 4 · e to 4 · e + 3.
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
        let is_quad = primitive == Primitive::Points && self.program.draw.points.is_some();
        let (points, primitive, indices) = if is_quad {
            (PointDraw::Quads, Primitive::Triangles, self.corner_list(entries)?)
        } else {
            (PointDraw::NoQuads, primitive, self.entry_list(entries)?)
        };
        let shape = DrawRanges { primitive, points, vertices: 0..0, indices };
        if self.layers.is_empty() || !ProgramUniforms::of(self.program).has(LAYER) {
            let bindings = self.bind_entries(points)?;
            return self.push_draw(step, shape, Instances { count: 1, first: 0 }, bindings);
        }
        self.draw_layers(step, &shape, emitted.primitive)
    }

    /// Plans the draw of all entries to each layer; each draw shows only that layer's primitives.
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
            self.push_draw(step, shape.clone(), Instances { count: 1, first: 0 }, bindings)?;
        }
        (self.state.layer, self.render_to) = (None, first);
        Ok(())
    }
}

/// The vertices and primitives that the vertex and the geometry stage read.
///
/// # Errors
/// The topology has no primitives of the type that the geometry stage takes.
fn inputs(
    stage: &GeometryPass,
    rows: &DrawnRows,
    convention: ProvokingVertex,
) -> Result<Inputs, Misfit> {
    let mut all = OrdinalsOf::default();
    let mut primitives = Vec::new();
    for run in rows.rows.split(|row| *row == RESTART_INDEX) {
        let run: Vec<u32> = run.iter().map(|row| all.of(*row)).collect();
        let list = topology::input_list(stage.input, rows.topology, &run, convention);
        primitives.extend(list.ok_or_else(|| {
            let (drawn, taken) = (rows.topology.name(), stage.input.word());
            Misfit(format!("the geometry stage takes {taken}, and {drawn} has none"))
        })?);
    }
    Ok(Inputs { vertices: all.vertices, primitives })
}
