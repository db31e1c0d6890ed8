//! Runs the fragment stage of a draw, and the tests and output merging around it.

use ir::format::FormatClass;
use link::program::{LinkedProgram, MaskRule};
use naga::{Binding, BuiltIn, ConservativeDepth, ScalarKind};
use plan::{ExecuteError, Plan, PlannedDraw, RenderTo};

use crate::code::{Port, Register};
use crate::draw::varying::{Fragments, Input, are_per_sample, inputs};
use crate::errors::{lacking, stopped};
use crate::lanes::{Lane, Lanes};
use crate::memory::Bound;
use crate::noise::allowance::DEPTH_ERROR;
use crate::numbers::{index, narrow, unsigned_bits};
use crate::raster::samples::MAX_SAMPLES;
use crate::raster::triangle::{Quad, point};
use crate::raster::{Framebuffer, Part};
use crate::stage::{BoundStage, Stage, registers, unknown};
use crate::target::depth::Tests;
use crate::target::merge::{Attachment, Sources};
use crate::target::surface::Surface;
use crate::vertex::RecordLayout;
use crate::world::World;

/// Quads of a batch.
const QUADS: usize = 16;

/// Lanes of a batch.
const WIDTH: usize = QUADS * 4;

/// Cost of a quad apart from the stage.
const QUAD_WORK: usize = 128;

/// A quad whose fragments wait for the stage.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    quad: Quad,
    /// Depth of each sample of each pixel.
    depths: [[f32; MAX_SAMPLES]; 4],
}

/// Part of a primitive, and the inputs that its fragments get from the vertices.
#[derive(Clone, Copy, Debug)]
struct Seen<'a> {
    /// The rasterised part.
    part: &'a Part,
    /// The records of the primitive's vertices, the provoking one first.
    records: [&'a [u32]; 3],
    /// Number of the primitive in its instance.
    number: u32,
}

/// The fragments of a draw.
pub(crate) struct FragmentStage<'a> {
    /// The framebuffer of the draw.
    pub(crate) framebuffer: Framebuffer,
    to: RenderTo,
    shader: Option<Shader<'a>>,
    /// The tests, and whether they run before the stage.
    tests: Option<(Tests, bool)>,
    attachments: Vec<(Attachment, [Output; 2])>,
    waiting: Vec<Waiting>,
}

struct Shader<'a> {
    lanes: Lanes<'a>,
    /// The objects bound to the stage's resources.
    objects: Vec<Bound>,
    inputs: Vec<Input>,
    is_per_sample: bool,
    sees_masks: bool,
    depth: Option<Register>,
    /// Condition on the written depth relative to the interpolated one. Ignored in runs with noise, which changes both.
    promise: Option<ConservativeDepth>,
    mask: Option<Register>,
}

/// Source of an attachment's channels.
#[derive(Clone, Debug, Default)]
struct Output {
    registers: std::ops::Range<Register>,
    /// Bits of the number 1.
    one: u32,
}

/// Inputs for setting up a draw to these surfaces.
pub(crate) struct Setup<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) program: &'a LinkedProgram,
    pub(crate) draw: &'a PlannedDraw,
    pub(crate) surfaces: &'a [(u32, Surface)],
    pub(crate) framebuffer: Framebuffer,
}

impl<'a> FragmentStage<'a> {
    /// Sets up the fragments of a draw; `stage` is the fragment stage, if the program has one.
    pub(crate) fn new(
        world: &mut World,
        setup: &Setup<'_>,
        stage: Option<BoundStage<'a>>,
        records: &RecordLayout,
    ) -> Result<Self, ExecuteError> {
        let draw = setup.draw;
        let has_depth = world.depth_of(draw.setup.to).is_some();
        let code = stage.as_ref().map(|bound| bound.stage);
        let is_early = code.is_some_and(Stage::is_tested_early);
        let tests = world.depth_of(draw.setup.to).map(|depth| depth.tests(&draw.setup));
        let tests = tests.filter(|tests| !tests.are_idle()).map(|tests| (tests, is_early));
        let attachments = match code {
            Some(stage) => attachments(setup, stage)?,
            None => Vec::new(),
        };
        let shader = stage.map(|stage| Shader::new(world, setup, stage, records));
        let mut shader = shader.transpose()?;
        if let Some(shader) = &mut shader {
            shader.promise = shader.promise.filter(|_| tests.is_some());
            // GL ignores depths without a depth buffer.
            shader.depth = shader.depth.filter(|_| has_depth);
        }
        Ok(Self {
            framebuffer: setup.framebuffer,
            to: draw.setup.to,
            shader,
            tests,
            attachments,
            waiting: Vec::with_capacity(QUADS),
        })
    }

    /// Draws the parts of primitive `number` of its instance, whose vertices have these records, the provoking one
    /// first.
    pub(crate) fn draw(
        &mut self,
        world: &mut World,
        parts: &[Part],
        records: [&[u32]; 3],
        number: u32,
    ) -> Result<(), ExecuteError> {
        let framebuffer = self.framebuffer;
        for part in parts {
            world.spend(framebuffer.quads(part).saturating_mul(framebuffer.samples.len()))?;
            let seen = Seen { part, records, number };
            framebuffer.cover(part, |quad| self.add(world, seen, quad))?;
        }
        Ok(())
    }

    /// Adds the fragments of a quad.
    fn add(&mut self, world: &mut World, seen: Seen<'_>, quad: Quad) -> Result<(), ExecuteError> {
        world.spend(QUAD_WORK)?;
        let is_per_sample = self.shader.as_ref().is_some_and(|shader| shader.is_per_sample);
        if !is_per_sample {
            return self.add_run(world, seen, quad, None);
        }
        for sample in 0..u32::try_from(self.framebuffer.samples.len()).unwrap_or(0) {
            let coverage = quad.coverage.map(|coverage| coverage & 1 << sample);
            if coverage != [0; 4] {
                self.add_run(world, seen, Quad { coverage, ..quad }, Some(sample))?;
            }
        }
        Ok(())
    }

    fn add_run(
        &mut self,
        world: &mut World,
        seen: Seen<'_>,
        quad: Quad,
        sample: Option<u32>,
    ) -> Result<(), ExecuteError> {
        if let Some(shader) = &mut self.shader {
            let fragments = Fragments {
                part: seen.part,
                records: seen.records,
                number: seen.number,
                quad,
                sample,
                samples: self.framebuffer.samples,
                noise: self.framebuffer.noise,
                sees_masks: shader.sees_masks,
            };
            fragments.write(&mut shader.lanes, self.waiting.len() * 4, &shader.inputs);
        }
        let depths =
            if self.tests.is_some() { self.depths(seen.part, quad) } else { Default::default() };
        let mut waiting = Waiting { quad, depths };
        if let Some((tests, true)) = self.tests {
            let width = self.framebuffer.size[0];
            waiting.test(world, self.to, tests, width);
        }
        self.waiting.push(waiting);
        if self.waiting.len() == QUADS { self.flush(world) } else { Ok(()) }
    }

    fn depths(&self, part: &Part, quad: Quad) -> [[f32; MAX_SAMPLES]; 4] {
        let mut depths = [[0.0; MAX_SAMPLES]; 4];
        for (idx, (depths, coverage)) in depths.iter_mut().zip(quad.coverage).enumerate() {
            let pixel = pixel(quad, idx);
            let samples = self.framebuffer.samples.iter().enumerate();
            for (depth, (sample, offset)) in depths.iter_mut().zip(samples) {
                if coverage >> sample & 1 == 1 {
                    let value = part.triangle.depth(point(pixel, *offset));
                    let value = self.framebuffer.noise.map_or(value, |noise| {
                        let error = if part.triangle.is_level() { 0.0 } else { DEPTH_ERROR };
                        noise.moved(value, error, unsigned_bits(pixel[1] << 16 ^ pixel[0]))
                    });
                    *depth = narrow(value.clamp(0.0, 1.0));
                }
            }
        }
        depths
    }

    /// Runs the stage for the waiting fragments, and writes its outputs.
    pub(crate) fn flush(&mut self, world: &mut World) -> Result<(), ExecuteError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        if let Some(shader) = &mut self.shader {
            shader.run(world, &self.waiting)?;
            shader.apply(&mut self.waiting)?;
        }
        if let Some((tests, false)) = self.tests {
            let width = self.framebuffer.size[0];
            for waiting in &mut self.waiting {
                waiting.test(world, self.to, tests, width);
            }
        }
        for (attachment, outputs) in &mut self.attachments {
            let Some(shader) = &self.shader else { continue };
            let sources = shader.sources(outputs);
            let bytes = world.bytes_mut(attachment.surface.place);
            for (first_lane, waiting) in (0..).step_by(4).zip(&self.waiting) {
                for (idx, coverage) in waiting.quad.coverage.into_iter().enumerate() {
                    if coverage == 0 {
                        continue;
                    }
                    let place = place_of(pixel(waiting.quad, idx), attachment.surface.size[0]);
                    attachment.write(bytes, place, coverage, sources[first_lane + idx]);
                }
            }
        }
        self.waiting.clear();
        Ok(())
    }
}

impl Waiting {
    /// Removes the samples that a test rejects from the coverage, in a framebuffer of this width.
    fn test(&mut self, world: &mut World, to: RenderTo, tests: Tests, width: u32) {
        let Some(depth) = world.depth_of(to) else { return };
        let samples = depth.samples;
        for idx in 0..4 {
            let place = place_of(pixel(self.quad, idx), width).saturating_mul(index(samples));
            let coverage = &mut self.quad.coverage[idx];
            for sample in 0..samples {
                if *coverage >> sample & 1 == 0 {
                    continue;
                }
                let sample_depth = self.depths[idx].get(index(sample)).copied().unwrap_or(0.0);
                if !depth.test(tests, place.saturating_add(index(sample)), sample_depth) {
                    *coverage &= !(1 << sample);
                }
            }
        }
    }
}

/// A pixel of a quad.
fn pixel(quad: Quad, idx: usize) -> [i64; 2] {
    [quad.x + i64::from(idx & 1 != 0), quad.y + i64::from(idx >> 1 != 0)]
}

/// Index of a pixel, which is inside the framebuffer.
fn place_of([x, y]: [i64; 2], width: u32) -> usize {
    usize::try_from(y * i64::from(width) + x).unwrap_or(usize::MAX)
}

impl<'a> Shader<'a> {
    fn new(
        world: &mut World,
        setup: &Setup<'_>,
        bound: BoundStage<'a>,
        records: &RecordLayout,
    ) -> Result<Self, ExecuteError> {
        let stage = bound.stage;
        let inputs = inputs(stage, records)?;
        let sees_masks =
            setup.framebuffer.samples.len() > 1 || setup.program.draw.masks == MaskRule::Always;
        let (mut depth, mut mask) = (None, None);
        for port in &stage.code.outputs {
            match port.binding {
                Binding::BuiltIn(BuiltIn::FragDepth) => depth = Some(registers(port)?.start),
                Binding::BuiltIn(BuiltIn::SampleMask) => mask = Some(registers(port)?.start),
                Binding::BuiltIn(builtin) => return Err(unknown(builtin, "fragment")),
                Binding::Location { .. } => {}
            }
        }
        Ok(Self {
            lanes: bound.lanes(world, WIDTH)?,
            objects: bound.objects,
            is_per_sample: are_per_sample(&inputs),
            inputs,
            sees_masks,
            depth: depth.filter(|_| !stage.is_tested_early()),
            promise: stage.promise().filter(|_| setup.framebuffer.noise.is_none()),
            // GL ignores masks if pixels have one sample.
            mask: mask.filter(|_| sees_masks),
        })
    }

    fn run(&mut self, world: &mut World, waiting: &[Waiting]) -> Result<(), ExecuteError> {
        let mut lanes = [Lane::Absent; WIDTH];
        for (lanes, waiting) in lanes.chunks_exact_mut(4).zip(waiting) {
            for (lane, coverage) in lanes.iter_mut().zip(waiting.quad.coverage) {
                *lane = if coverage == 0 { Lane::Helper } else { Lane::Live };
            }
        }
        self.lanes.run(&mut world.environment(&self.objects), &lanes).map_err(stopped)
    }

    /// Applies discards, masks and depths.
    fn apply(&self, waiting: &mut [Waiting]) -> Result<(), ExecuteError> {
        let quads = waiting.iter_mut().zip((0..).step_by(4));
        for (waiting, first_lane) in quads {
            for (idx, coverage) in waiting.quad.coverage.iter_mut().enumerate() {
                let lane = first_lane + idx;
                if *coverage != 0 && self.lanes.is_discarded(lane) {
                    *coverage = 0;
                }
                if let Some(mask) = self.mask {
                    *coverage &= self.lanes.words(mask)[lane];
                }
                if let Some(depth) = self.depth {
                    let depth = f32::from_bits(self.lanes.words(depth)[lane]).clamp(0.0, 1.0);
                    if *coverage != 0 {
                        self.check_promise(depth, *coverage, waiting.depths[idx])?;
                    }
                    waiting.depths[idx] = [depth; MAX_SAMPLES];
                }
            }
        }
        Ok(())
    }

    /// Checks the depth promise: the depth test of a fragment that breaks it is undefined (GLSL 4.60, 4.4.2.3).
    fn check_promise(
        &self,
        written: f32,
        coverage: u32,
        own: [f32; MAX_SAMPLES],
    ) -> Result<(), ExecuteError> {
        let Some(promise) = self.promise else { return Ok(()) };
        let (is_kept, word): (fn(f32, f32) -> bool, _) = match promise {
            ConservativeDepth::GreaterEqual => (|written, own| written >= own, "at least"),
            ConservativeDepth::LessEqual => (|written, own| written <= own, "at most"),
            ConservativeDepth::Unchanged => {
                (|written, own| written.to_bits() == own.to_bits(), "equal to")
            }
        };
        let samples = own.into_iter().enumerate().filter(|(sample, _)| coverage >> sample & 1 == 1);
        if samples.map(|(_, own)| own).all(|own| is_kept(written, own)) {
            return Ok(());
        }
        let what = "the interpolated one, as the stage promises";
        Err(lacking(format!("result for a depth that is not {word} {what}")))
    }

    /// The output words of all lanes.
    fn sources(&self, outputs: &[Output; 2]) -> [Sources; WIDTH] {
        let [first, second] = outputs.each_ref().map(|output| [0, 0, 0, output.one]);
        let mut all = [[first, second]; WIDTH];
        for (source, output) in outputs.iter().enumerate() {
            for (channel, register) in output.registers.clone().enumerate().take(4) {
                for (lane, word) in all.iter_mut().zip(self.lanes.words(register)) {
                    lane[source][channel] = *word;
                }
            }
        }
        all
    }
}

/// The surfaces that a draw writes, with the sources of their texels. Targets that the stage does not write are left
/// unchanged.
fn attachments(
    setup: &Setup<'_>,
    stage: &Stage,
) -> Result<Vec<(Attachment, [Output; 2])>, ExecuteError> {
    let Setup { plan, program, draw, surfaces, .. } = setup;
    let map = plan.attachments.get(draw.setup.attachments).copied().unwrap_or_default();
    let states = plan.outputs.get(draw.setup.outputs).copied().unwrap_or_default();
    let mut all = Vec::new();
    for ((target, buffer), state) in map.targets.into_iter().zip(map.buffers).zip(states) {
        let surface = surfaces.iter().find(|(number, _)| Some(*number) == target);
        let Some((_, surface)) = surface else { continue };
        if !program.draw.written_targets.contains(&buffer) {
            continue;
        }
        let [Some(first), second] = [0, 1].map(|source| output(stage, buffer, source)) else {
            continue;
        };
        check_class(first, *surface)?;
        let outputs = [place(Some(first))?, place(second)?];
        all.push((
            Attachment::new(*surface, state, draw.blend_color, setup.framebuffer.noise),
            outputs,
        ));
    }
    Ok(all)
}

fn output(stage: &Stage, buffer: u32, source: u32) -> Option<&Port> {
    stage.code.outputs.iter().find(|port| match port.binding {
        Binding::Location { location, blend_src, .. } => {
            location == buffer && blend_src.unwrap_or(0) == source
        }
        Binding::BuiltIn(_) => false,
    })
}

fn place(port: Option<&Port>) -> Result<Output, ExecuteError> {
    let Some(port) = port else { return Ok(Output::default()) };
    let one = if port.scalar.kind == ScalarKind::Float { 1_f32.to_bits() } else { 1 };
    Ok(Output { registers: registers(port)?, one })
}

/// Checks the kind of an output: WebGPU rejects one that differs from its target's.
fn check_class(port: &Port, surface: Surface) -> Result<(), ExecuteError> {
    let class = match port.scalar.kind {
        ScalarKind::Sint => FormatClass::Sint,
        ScalarKind::Uint => FormatClass::Uint,
        ScalarKind::Float
        | ScalarKind::Bool
        | ScalarKind::AbstractInt
        | ScalarKind::AbstractFloat => FormatClass::Float,
    };
    if class == surface.format.class() {
        return Ok(());
    }
    let name = surface.format.name();
    Err(lacking(format!("conversion of {:?} outputs to {name}", port.scalar.kind)))
}
