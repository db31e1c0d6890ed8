//! Runs a planned case: everything in one submission and one wait.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use case::{Case, Step};
use ir::readback::{Extent, Readback, Snapshot};
use ir::source::Spanned;
use offer::{lacks_plan, lacks_programs};
use plan::xfb::replay::replay;
use plan::{
    CopiedTo, ExecuteError, INITIAL_DEPTH, Operation, Plan, PlannedDraw, Programs, RenderTo,
    RowCopy, WordCopy, plan_by_runs,
};
use through::Fault;

use super::adapter::Gpu;
use super::copy::snapshot::{self, Snapshots};
use super::copy::texel_copy::{TexelCopy, TexelSource};
use super::pass::passes::Passes;
use super::pass::pipeline::Pipelines;
use super::pass::{back_end, bindings};
use super::resources::Resources;
use super::target::{depth_buffer, fill};
use super::validation;

/// Maximum number of segments per encoder. wgpu reuses encoders in later cases together with all their command buffers
/// (two for a pass), and the driver resets all of these each time.
const MAX_SEGMENTS: usize = 16;

/// Runs the steps of `case` with `program`, and reads back the data that its expectations check, limited by `extent`.
///
/// Objections of the adapter or wgpu are in [`Readback::messages`]. If they occur before the commands are submitted,
/// nothing runs and nothing is read back.
///
/// # Errors
/// A step does not fit the program, the adapter lacks something the program needs, or the device is lost.
pub fn execute<'a>(
    gpu: &Gpu,
    case: &'a Case,
    programs: impl Into<Programs<'a>>,
    extent: Extent,
) -> Result<Readback, ExecuteError> {
    let programs = programs.into();
    let _running = gpu.lock();
    check_lost(gpu)?;
    if let Some(lacking) = lacks_programs(gpu.offer(), case, programs.all) {
        return Err(ExecuteError::Lacking(lacking));
    }
    gpu.messages.take();
    // A case that panicked may have left one.
    gpu.take_compiler_failure();
    let plan = match planned(gpu, case, programs) {
        // The messages say why.
        Err(ExecuteError::LevelsNotRead) if gpu.messages.is_any() => {
            check_lost(gpu)?;
            let (snapshots, messages) = (vec![None; case.steps.len()], gpu.messages.take());
            forget_pipelines(gpu);
            return Ok(Readback { snapshots, messages, ..Readback::default() });
        }
        planned => planned?,
    };
    if let Some(lacking) = lacks_plan(gpu.offer(), case, programs, &plan) {
        return Err(ExecuteError::Lacking(lacking));
    }
    // Drops messages about resources of an earlier case that were destroyed.
    gpu.messages.take();
    validation::take(gpu.info().backend);
    let (snapshots, pipelines) = run(gpu, case, programs, &plan, extent)?;
    let messages = gpu.messages.take();
    let objections = objections(gpu, &plan);
    if !messages.is_empty() || !objections.is_empty() {
        forget_pipelines(gpu);
    }
    check_lost(gpu)?;
    let of_step = |idx: &Option<usize>| snapshots.get((*idx)?).cloned().flatten();
    let mut of_steps: Vec<_> = plan.snapshot_of_step.iter().map(of_step).collect();
    if messages.is_empty() {
        let xfbs: Vec<_> = programs.all.iter().map(|program| program.captured.as_ref()).collect();
        replay(&xfbs, &plan.xfb_events, &snapshots, &mut of_steps)?;
    }
    Ok(Readback { snapshots: of_steps, messages, objections, pipelines })
}

fn check_lost(gpu: &Gpu) -> Result<(), ExecuteError> {
    gpu.messages.lost().map_or(Ok(()), |reason| Err(ExecuteError::DeviceLost(reason)))
}

/// Plans a case. Tessellation levels that only a control stage computes are read back, draw by draw.
fn planned(gpu: &Gpu, case: &Case, programs: Programs<'_>) -> Result<Plan, ExecuteError> {
    plan_by_runs(case, programs, gpu.offer().plan_options(), |plan| {
        if let Some(lacking) = lacks_plan(gpu.offer(), case, programs, &plan) {
            return Err(ExecuteError::Lacking(lacking));
        }
        Ok(run(gpu, case, programs, &plan, Extent::Whole)?.0)
    })
}

/// Drops pipelines and modules that later cases could use.
fn forget_pipelines(gpu: &Gpu) {
    gpu.pipeline_cache.clear();
    snapshot::let_callbacks_run(gpu);
}

/// The objections to this case. Objections about destroyed resources occur when wgpu polls its device, so this polls it
/// first.
fn objections(gpu: &Gpu, plan: &Plan) -> Vec<String> {
    if !validation::is_on() {
        return Vec::new();
    }
    snapshot::let_callbacks_run(gpu);
    let mut setups = plan.operations.iter().filter_map(Operation::setup);
    let stencil_ignores_reference =
        setups.any(|setup| setup.stencil.is_some_and(depth_buffer::ignores_reference));
    let case = validation::Circumstances { stencil_ignores_reference };
    let mut all = validation::take(gpu.info().backend);
    all.retain(|objection| !validation::is_known(objection, case));
    let mut told = HashSet::new();
    all.iter().map(ToString::to_string).filter(|text| told.insert(text.clone())).collect()
}

/// Runs the plan. Returns its snapshots and the number of pipelines that drew; the snapshots are empty if an error
/// occurs before the commands are submitted.
fn run(
    gpu: &Gpu,
    case: &Case,
    programs: Programs<'_>,
    plan: &Plan,
    extent: Extent,
) -> Result<(Vec<Option<Snapshot>>, usize), ExecuteError> {
    let resources = Resources::new(gpu, case, plan);
    let built = built(gpu, programs, plan, &resources);
    if let Some(failure) = gpu.take_compiler_failure() {
        forget_pipelines(gpu);
        let text = failure.to_string();
        // No compiler has read a stage that naga does not write.
        let is_unwritten = matches!(failure.fault, Fault::NotWritten { .. });
        let error = if is_unwritten { ExecuteError::Lacking } else { ExecuteError::Compiler };
        return Err(error(text));
    }
    let Some(built) = built else { return Ok((Vec::new(), 0)) };
    let Built { pipelines, passes } = built;
    let snapshots = Snapshots::new(gpu, plan, &resources, extent);
    if gpu.messages.is_any() {
        return Ok((Vec::new(), pipelines.count));
    }
    let labels = if validation::is_on() { labels(case) } else { Vec::new() };
    let (resources, pipelines, passes) = (&resources, &pipelines, &passes);
    let job = Job { gpu, plan, labels, resources, pipelines, passes };
    let commands = job.encode(&snapshots);
    if gpu.messages.is_any() {
        return Ok((Vec::new(), pipelines.count));
    }
    let submission = gpu.queue.submit(commands);
    Ok((snapshots.read(gpu, submission)?, pipelines.count))
}

/// The parts of a case that have pipelines.
struct Built {
    pipelines: Pipelines,
    passes: Passes,
}

/// Makes the pipelines. Returns `None` if naga panics while it writes a stage, which is recorded as a message of the
/// adapter.
fn built(gpu: &Gpu, programs: Programs<'_>, plan: &Plan, resources: &Resources) -> Option<Built> {
    let attempt = catch_unwind(AssertUnwindSafe(|| Built {
        pipelines: Pipelines::new(gpu, programs, plan, resources),
        passes: Passes::new(gpu, programs.all, plan, resources),
    }));
    attempt.map_or_else(
        |panic| {
            let modules: Vec<_> = programs.all.iter().flat_map(offer::modules).collect();
            match back_end::panic_message(gpu, &*panic, &modules) {
                Some(message) => gpu.messages.add(message),
                None => resume_unwind(panic),
            }
            None
        },
        Some,
    )
}

/// A group of consecutive operations.
#[derive(Debug, PartialEq)]
enum Segment<'a> {
    Render {
        to: RenderTo,
        attachments: usize,
        load: Load,
        draws: Vec<&'a PlannedDraw>,
    },
    /// An operation that cannot be inside a render pass.
    Other(&'a Operation),
}

/// Contents of render targets when a pass begins. A target without a value keeps its contents; new textures contain
/// zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    /// Clear value of the colour targets.
    color: Option<[f64; 4]>,
    /// Clear value of the depth buffer.
    depth: Option<f32>,
    /// Clear value of the stencil buffer.
    stencil: Option<u8>,
}

impl Load {
    /// Load state of the first pass.
    const INITIAL: Self = Self { color: None, depth: Some(INITIAL_DEPTH), stencil: Some(0) };
    const KEEP: Self = Self { color: None, depth: None, stencil: None };
}

/// Groups consecutive draws into one pass, and puts a clear at the start of a pass.
fn segments(operations: &[Operation]) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut window = Load::INITIAL;
    for operation in operations {
        match operation {
            Operation::Clear { to, attachments, color, depth, stencil } => {
                let load = begin(&mut window, *to);
                let (depth, stencil) = (depth.or(load.depth), stencil.or(load.stencil));
                let load = Load { color: *color, depth, stencil };
                let (to, attachments, draws) = (*to, *attachments, Vec::new());
                segments.push(Segment::Render { to, attachments, load, draws });
            }
            Operation::Draw(draw) => {
                let (to, attachments) = (draw.setup.to, draw.setup.attachments);
                let load = begin(&mut window, to);
                match segments.last_mut() {
                    Some(Segment::Render { to: same, attachments: map, draws, .. })
                        if (*same, *map) == (to, attachments) =>
                    {
                        draws.push(draw);
                    }
                    Some(Segment::Render { .. } | Segment::Other(_)) | None => {
                        let draws = vec![draw];
                        segments.push(Segment::Render { to, attachments, load, draws });
                    }
                }
            }
            Operation::Fill { .. }
            | Operation::Passes(_)
            | Operation::Rows(_)
            | Operation::Dispatch { .. }
            | Operation::Write { .. }
            | Operation::CopyWords(_)
            | Operation::ReadDepth(_)
            | Operation::Snapshot(_) => {
                segments.push(Segment::Other(operation));
            }
        }
    }
    segments
}

/// The load state of a pass over `to`. Textures are not cleared here, because they were filled when they were made.
fn begin(window: &mut Load, to: RenderTo) -> Load {
    if to.has_depth() { std::mem::replace(window, Load::KEEP) } else { Load::KEEP }
}

struct Job<'a> {
    gpu: &'a Gpu,
    plan: &'a Plan,
    /// Labels of the debug groups, one per step; empty without validation.
    labels: Vec<String>,
    resources: &'a Resources,
    pipelines: &'a Pipelines,
    passes: &'a Passes,
}

impl Job<'_> {
    fn encode(&self, snapshots: &Snapshots) -> Vec<wgpu::CommandBuffer> {
        let segments = segments(&self.plan.operations);
        let encoded = segments.chunks(MAX_SEGMENTS).map(|segments| {
            let descriptor = wgpu::CommandEncoderDescriptor { label: None };
            let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
            for segment in segments {
                match segment {
                    Segment::Render { to, attachments, load, draws } => {
                        self.render(&mut encoder, (*to, *attachments), *load, draws);
                    }
                    Segment::Other(operation) => self.other(&mut encoder, operation, snapshots),
                }
            }
            encoder.finish()
        });
        encoded.collect()
    }

    fn render(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (to, attachments): (RenderTo, usize),
        load: Load,
        draws: &[&PlannedDraw],
    ) {
        let targets = self.resources.attached(self.plan, to, attachments);
        let attachments: Vec<_> = targets
            .iter()
            .map(|target| target.map(|target| target.attachment(load_op(load.color))))
            .collect();
        let depth = self.resources.depth_of(to);
        let depth = depth.map(|depth| depth.attachment(load.depth, load.stencil));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            depth_stencil_attachment: depth,
            ..wgpu::RenderPassDescriptor::default()
        });
        let has_viewport = draws.iter().any(|draw| draw.viewport.is_some());
        for draw in draws {
            let label = self.labels.get(draw.step);
            if let Some(label) = label {
                pass.push_debug_group(label);
            }
            if has_viewport {
                let whole = self.resources.size_of(draw.setup.to);
                let [x, y, width, height, least, greatest] = draw.viewport_or(whole);
                pass.set_viewport(x, y, width, height, least, greatest);
            }
            self.draw(&mut pass, draw);
            if label.is_some() {
                pass.pop_debug_group();
            }
        }
        drop(pass);
        if draws.iter().any(|draw| self.plan.blends_second_source(&draw.setup)) {
            fill::forget_second_source(self.gpu, encoder);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, draw: &PlannedDraw) {
        let Some(pipeline) = self.pipelines.render.get(&draw.setup) else { return };
        pass.set_pipeline(pipeline);
        let [r, g, b, a] = draw.blend_color.map(|bits| f64::from(f32::from_bits(bits)));
        pass.set_blend_constant(wgpu::Color { r, g, b, a });
        if let Some(test) = draw.setup.stencil {
            pass.set_stencil_reference(test.reference.into());
        }
        self.pipelines.bind_groups[draw.bindings].set(pass);
        let kept = draw.first_kept.zip(self.plan.kept);
        let lists = kept.map_or(&self.resources.indices, |(_, kept)| &self.resources.storage[kept]);
        pass.set_index_buffer(lists.slice(..), wgpu::IndexFormat::Uint32);
        let bytes = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
        if !draw.vertices.is_empty() {
            let range = bytes(draw.vertices.start)..bytes(draw.vertices.end);
            pass.set_vertex_buffer(0, self.resources.vertices.slice(range));
        }
        let Some((first, _)) = kept else {
            let first = draw.first_instance;
            let instances = first..first.saturating_add(draw.instances);
            pass.draw_indexed(draw.indices.clone(), 0, instances);
            return;
        };
        let count = draw.indices.end.saturating_sub(draw.indices.start);
        for instance in 0..draw.instances {
            // The plan limits every list to a few million entries.
            let start = first.saturating_add(instance.saturating_mul(count));
            let number = draw.first_instance.saturating_add(instance);
            pass.draw_indexed(start..start.saturating_add(count), 0, number..number + 1);
        }
    }

    fn other(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: &Operation,
        snapshots: &Snapshots,
    ) {
        match operation {
            Operation::Passes(range) => self.passes.encode(encoder, range.clone()),
            Operation::Rows(copies) => self.copy_rows(encoder, copies),
            Operation::Dispatch { groups, bindings } => self.dispatch(encoder, *groups, *bindings),
            Operation::Write { buffer, offset, bytes } => {
                self.write(encoder, *buffer, *offset, bytes);
            }
            Operation::CopyWords(copy) => self.copy_words(encoder, *copy),
            Operation::ReadDepth(texture) => self.read_depth(encoder, *texture),
            Operation::Snapshot(idx) => snapshots.encode(*idx, encoder, self.resources),
            Operation::Fill { to, target, values, channels } => {
                let mut targets = self.resources.targets_of(*to).iter();
                if let Some(target) = targets.find(|candidate| candidate.index == *target) {
                    fill::encode(self.gpu, encoder, target, *values, *channels);
                }
            }
            Operation::Clear { .. } | Operation::Draw(_) => {}
        }
    }

    fn dispatch(&self, encoder: &mut wgpu::CommandEncoder, groups: [u32; 3], bindings: usize) {
        let program = self.plan.bindings[bindings].program;
        let Some(pipeline) = self.pipelines.compute.get(&program) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        bindings::dispatch(&mut pass, pipeline, &self.pipelines.bind_groups[bindings], groups);
    }

    fn copy_rows(&self, encoder: &mut wgpu::CommandEncoder, copies: &[RowCopy]) {
        let bytes = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
        for copy in copies {
            let (source, vertices) =
                (&self.resources.storage[copy.buffer], &self.resources.vertices);
            let (from, to, size) = (bytes(copy.from), bytes(copy.to), bytes(copy.size));
            encoder.copy_buffer_to_buffer(source, from, vertices, to, size);
        }
    }

    fn copy_words(&self, encoder: &mut wgpu::CommandEncoder, copy: WordCopy) {
        let resources = self.resources;
        let (to, first) = match copy.to {
            CopiedTo::Storage(buffer) => (&resources.storage[buffer], 0),
            CopiedTo::Uniform(content) => (&resources.uniforms, resources.uniform_offsets[content]),
        };
        let [from, offset, size] = [copy.from_offset, copy.to_offset, copy.size].map(u64::from);
        let source = &resources.storage[copy.from];
        encoder.copy_buffer_to_buffer(source, from, to, first + offset, size);
    }

    /// Records a copy of the depth buffer's depths into a texture.
    fn read_depth(&self, encoder: &mut wgpu::CommandEncoder, texture: usize) {
        let Some(depth) = &self.resources.depth else { return };
        let to = self.resources.textures.all[texture].clone();
        TexelCopy::into_texture(self.gpu, &depth.texture, TexelSource::Depth, 0, to)
            .encode(encoder);
    }

    /// Records a write of `bytes` into a storage buffer. It is a copy, because a queue write would happen before the
    /// whole submission.
    fn write(&self, encoder: &mut wgpu::CommandEncoder, buffer: usize, offset: u32, bytes: &[u8]) {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let source = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("subdata"),
            size,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.gpu.queue.write_buffer(&source, 0, bytes);
        let destination = &self.resources.storage[buffer];
        encoder.copy_buffer_to_buffer(&source, 0, destination, u64::from(offset), size);
    }
}

/// The debug label of each step: its line, as written.
fn labels(case: &Case) -> Vec<String> {
    let label = |step: &Spanned<Step>| {
        let (line, _) = case.source.line_and_column(step.span.start);
        format!("line {line}: {}", case.source.slice(step.span).trim())
    };
    case.steps.iter().map(label).collect()
}

fn load_op(fill: Option<[f64; 4]>) -> wgpu::LoadOp<wgpu::Color> {
    match fill {
        Some([r, g, b, a]) => wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
        None => wgpu::LoadOp::Load,
    }
}

#[cfg(test)]
mod tests {
    use case::state::Raster;
    use plan::DrawSetup;
    use plan::topology::Primitive;

    use super::*;

    fn draw() -> PlannedDraw {
        let (vertices, indices) = (0..64, 0..6);
        PlannedDraw {
            setup: DrawSetup {
                program: 0,
                to: RenderTo::Window,
                attachments: 0,
                outputs: 0,
                primitive: Primitive::Triangles,
                depth: None,
                stencil: None,
                raster: Raster::default(),
                is_discarded: false,
            },
            vertices,
            indices,
            instances: 1,
            first_instance: 0,
            bindings: 0,
            viewport: None,
            blend_color: [0; 4],
            first_kept: None,
            step: 0,
        }
    }

    #[test]
    fn neighbouring_draws_share_a_pass_and_a_clear_begins_one() {
        let (first, second) = (draw(), draw());
        let color = [0.0, 1.0, 0.0, 1.0];
        let operations = [
            Operation::Draw(first.clone()),
            Operation::Draw(second.clone()),
            Operation::Clear {
                to: RenderTo::Window,
                attachments: 0,
                color: Some(color),
                depth: None,
                stencil: None,
            },
            Operation::Draw(first.clone()),
            Operation::Snapshot(0),
            Operation::Draw(second.clone()),
        ];
        let expected = [
            Segment::Render {
                to: RenderTo::Window,
                attachments: 0,
                load: Load::INITIAL,
                draws: vec![&first, &second],
            },
            Segment::Render {
                to: RenderTo::Window,
                attachments: 0,
                load: Load { color: Some(color), depth: None, stencil: None },
                draws: vec![&first],
            },
            Segment::Other(&operations[4]),
            Segment::Render {
                to: RenderTo::Window,
                attachments: 0,
                load: Load::KEEP,
                draws: vec![&second],
            },
        ];
        assert_eq!(segments(&operations), expected);
    }

    #[test]
    fn what_is_not_cleared_keeps_its_content() {
        let depth_only = Operation::Clear {
            to: RenderTo::Window,
            attachments: 0,
            color: None,
            depth: Some(0.5),
            stencil: None,
        };
        let color = [0.0; 4];
        let color_only = Operation::Clear {
            to: RenderTo::Window,
            attachments: 0,
            color: Some(color),
            depth: None,
            stencil: None,
        };
        let render = |color, depth, stencil| Segment::Render {
            to: RenderTo::Window,
            attachments: 0,
            load: Load { color, depth, stencil },
            draws: vec![],
        };
        let operations = [depth_only.clone(), color_only.clone()];
        let expected = [render(None, Some(0.5), Some(0)), render(Some(color), None, None)];
        assert_eq!(segments(&operations), expected);
        let operations = [color_only, depth_only];
        let expected = [render(Some(color), Some(1.0), Some(0)), render(None, Some(0.5), None)];
        assert_eq!(segments(&operations), expected);
    }

    #[test]
    fn the_first_pass_begins_with_the_initial_content() {
        let operations = [Operation::Snapshot(0), Operation::Draw(draw())];
        let segments = segments(&operations);
        assert!(matches!(segments[1], Segment::Render { load: Load::INITIAL, .. }));
    }
}
