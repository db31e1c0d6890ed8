//! Runs a planned case: everything in one command buffer, one submission and one wait.

use super::cull::Culling;
use super::pipeline::Pipelines;
use super::plan::{INITIAL_DEPTH, Operation, Plan, PlannedDraw, Programs, RenderTo, plan};
use super::requirement::{lacks_plan, lacks_program};
use super::resources::{Resources, Target};
use super::snapshot::{self, Snapshot};
use super::{ExecuteError, Gpu};
use crate::case::Case;
use crate::readback::{Captured, Readback};

/// Runs the steps of `case` with `program`, and reads back what its expectations look at.
///
/// What the adapter or wgpu objects to is in [`Readback::messages`]; when that happens before the commands are
/// submitted, nothing runs and nothing is captured.
///
/// # Errors
/// When a step does not fit the program, the adapter lacks something the program needs, or the device is lost.
pub fn execute<'a>(
    gpu: &Gpu,
    case: &'a Case,
    programs: impl Into<Programs<'a>>,
) -> Result<Readback, ExecuteError> {
    let programs = programs.into();
    let _running = gpu.lock();
    if let Some(reason) = gpu.messages.lost() {
        return Err(ExecuteError::DeviceLost(reason));
    }
    if let Some(lacking) = programs.all.iter().find_map(|it| lacks_program(gpu, it)) {
        return Err(ExecuteError::Lacking(lacking));
    }
    if programs.all.len() > 1 && programs.all.iter().any(|it| it.cull.is_some()) {
        let lacking = "cull distances in one of several programs".to_owned();
        return Err(ExecuteError::Lacking(lacking));
    }
    let plan = plan(case, programs, gpu.provoking_vertex())?;
    if let Some(lacking) = lacks_plan(gpu, &plan) {
        return Err(ExecuteError::Lacking(lacking));
    }
    // Messages of another case's end are not this one's.
    gpu.messages.take();
    let snapshots = run(gpu, case, programs, &plan)?;
    let messages = gpu.messages.take();
    if !messages.is_empty() {
        snapshot::let_callbacks_run(gpu);
    }
    if let Some(reason) = gpu.messages.lost() {
        return Err(ExecuteError::DeviceLost(reason));
    }
    let capture = |idx: &Option<usize>| snapshots.get((*idx)?).cloned().flatten();
    Ok(Readback { captures: plan.captures.iter().map(capture).collect(), messages })
}

/// The plan's snapshots; none when something is wrong before the commands are submitted.
fn run(
    gpu: &Gpu,
    case: &Case,
    programs: Programs<'_>,
    plan: &Plan,
) -> Result<Vec<Option<Captured>>, ExecuteError> {
    let resources = Resources::new(gpu, case, plan);
    let pipelines = Pipelines::new(gpu, programs, plan, &resources);
    let culling = programs.all.first().and_then(|it| Culling::new(gpu, it, plan, &resources));
    let snapshots = snapshot::allocate(gpu, plan, &resources);
    if gpu.messages.is_any() {
        return Ok(Vec::new());
    }
    let culling = culling.as_ref();
    let job = Job { gpu, plan, resources: &resources, pipelines: &pipelines, culling };
    let commands = job.encode(&snapshots);
    if gpu.messages.is_any() {
        return Ok(Vec::new());
    }
    let submission = gpu.queue.submit([commands]);
    snapshot::read_all(gpu, &snapshots, submission)
}

/// What a run of operations becomes.
#[derive(Debug, PartialEq)]
enum Segment<'a> {
    Render {
        to: RenderTo,
        load: Load,
        draws: Vec<&'a PlannedDraw>,
    },
    /// Anything that cannot be inside a render pass.
    Other(&'a Operation),
}

/// What render targets hold when a pass begins.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    color: ColorLoad,
    /// The depth buffer is filled with this value, or else kept.
    depth: Option<f32>,
}

impl Load {
    /// Before the first pass.
    const INITIAL: Self = Self { color: ColorLoad::Initial, depth: Some(INITIAL_DEPTH) };
    const KEEP: Self = Self { color: ColorLoad::Keep, depth: None };
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ColorLoad {
    /// Their `clear` value, else zeros: the first pass.
    Initial,
    Clear([f64; 4]),
    Keep,
}

/// Puts neighbouring draws into one pass, and a clear at the beginning of one.
fn segments(operations: &[Operation]) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut window = Load::INITIAL;
    for operation in operations {
        match operation {
            Operation::Clear { to, color, depth } => {
                let load = begin(&mut window, *to);
                let color = color.map_or(load.color, ColorLoad::Clear);
                let load_now = Load { color, depth: depth.or(load.depth) };
                segments.push(Segment::Render { to: *to, load: load_now, draws: Vec::new() });
            }
            Operation::Draw(draw) => {
                let to = draw.setup.to;
                let load = begin(&mut window, to);
                match segments.last_mut() {
                    Some(Segment::Render { to: same, draws, .. }) if *same == to => {
                        draws.push(draw);
                    }
                    Some(Segment::Render { .. } | Segment::Other(_)) | None => {
                        segments.push(Segment::Render { to, load, draws: vec![draw] });
                    }
                }
            }
            Operation::Cull(_)
            | Operation::Dispatch { .. }
            | Operation::Write { .. }
            | Operation::Snapshot(_) => {
                segments.push(Segment::Other(operation));
            }
        }
    }
    segments
}

/// What a pass over `to` begins with; textures were filled when they were made.
fn begin(window: &mut Load, to: RenderTo) -> Load {
    match to {
        RenderTo::Window => std::mem::replace(window, Load::KEEP),
        RenderTo::Textures(_) => Load::KEEP,
    }
}

struct Job<'a> {
    gpu: &'a Gpu,
    plan: &'a Plan,
    resources: &'a Resources,
    pipelines: &'a Pipelines,
    culling: Option<&'a Culling>,
}

impl Job<'_> {
    fn encode(&self, snapshots: &[Snapshot]) -> wgpu::CommandBuffer {
        let descriptor = wgpu::CommandEncoderDescriptor { label: None };
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        for segment in segments(&self.plan.operations) {
            match segment {
                Segment::Render { to, load, draws } => {
                    self.render(&mut encoder, to, load, &draws);
                }
                Segment::Other(operation) => self.other(&mut encoder, operation, snapshots),
            }
        }
        encoder.finish()
    }

    fn render(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        to: RenderTo,
        load: Load,
        draws: &[&PlannedDraw],
    ) {
        let attachments = attachments(self.resources.targets_of(to), load.color);
        let depth = self.resources.depth_of(to).map(|view| depth_attachment(view, load.depth));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            depth_stencil_attachment: depth,
            ..wgpu::RenderPassDescriptor::default()
        });
        let indices = self.culling.map_or(&self.resources.indices, |culling| &culling.kept);
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        for draw in draws {
            self.draw(&mut pass, draw);
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, draw: &PlannedDraw) {
        let Some(pipeline) = self.pipelines.render.get(&draw.setup) else { return };
        pass.set_pipeline(pipeline);
        for (group, bind_group) in (0..).zip(&self.pipelines.bind_groups[draw.bindings]) {
            pass.set_bind_group(group, bind_group, &[]);
        }
        let bytes = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
        if !draw.vertices.is_empty() {
            let range = bytes(draw.vertices.start)..bytes(draw.vertices.end);
            pass.set_vertex_buffer(0, self.resources.vertices.slice(range));
        }
        let Some(first) = draw.first_kept else {
            pass.draw_indexed(draw.indices.clone(), 0, 0..draw.instances);
            return;
        };
        let count = draw.indices.end.saturating_sub(draw.indices.start);
        for instance in 0..draw.instances {
            // The plan made sure that no list goes beyond a few millions.
            let start = first.saturating_add(instance.saturating_mul(count));
            pass.draw_indexed(start..start.saturating_add(count), 0, instance..instance + 1);
        }
    }

    fn other(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: &Operation,
        snapshots: &[Snapshot],
    ) {
        match operation {
            Operation::Cull(idx) => {
                if let Some(culling) = self.culling {
                    culling.encode(encoder, *idx);
                }
            }
            Operation::Dispatch { groups, bindings } => self.dispatch(encoder, *groups, *bindings),
            Operation::Write { buffer, offset, bytes } => {
                self.write(encoder, *buffer, *offset, bytes);
            }
            Operation::Snapshot(idx) => snapshots[*idx].encode(encoder, self.resources),
            Operation::Clear { .. } | Operation::Draw(_) => {}
        }
    }

    fn dispatch(&self, encoder: &mut wgpu::CommandEncoder, groups: [u32; 3], bindings: usize) {
        let Some(pipeline) = &self.pipelines.compute else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        for (group, bind_group) in (0..).zip(&self.pipelines.bind_groups[bindings]) {
            pass.set_bind_group(group, bind_group, &[]);
        }
        let [x, y, z] = groups;
        pass.dispatch_workgroups(x, y, z);
    }

    /// A copy and not a queue write, which would come before the whole submission.
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

/// One attachment for every target, at its index; holes stay holes.
fn attachments(
    targets: &[Target],
    load: ColorLoad,
) -> Vec<Option<wgpu::RenderPassColorAttachment<'_>>> {
    let mut attachments = Vec::new();
    for target in targets {
        if attachments.len() <= target.index {
            attachments.resize(target.index + 1, None);
        }
        attachments[target.index] = Some(wgpu::RenderPassColorAttachment {
            view: &target.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: load_op(target, load), store: wgpu::StoreOp::Store },
        });
    }
    attachments
}

fn load_op(target: &Target, load: ColorLoad) -> wgpu::LoadOp<wgpu::Color> {
    match load {
        ColorLoad::Initial if target.is_filled => wgpu::LoadOp::Load,
        ColorLoad::Initial => wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
        ColorLoad::Clear([r, g, b, a]) => wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
        ColorLoad::Keep => wgpu::LoadOp::Load,
    }
}

fn depth_attachment(
    view: &wgpu::TextureView,
    fill: Option<f32>,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let load = fill.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::plan::DrawSetup;
    use crate::gpu::topology::Primitive;

    fn draw() -> PlannedDraw {
        let (vertices, indices) = (0..64, 0..6);
        PlannedDraw {
            setup: DrawSetup {
                program: 0,
                to: RenderTo::Window,
                primitive: Primitive::Triangles,
                depth: None,
            },
            vertices,
            indices,
            instances: 1,
            bindings: 0,
            first_kept: None,
        }
    }

    #[test]
    fn neighbouring_draws_share_a_pass_and_a_clear_begins_one() {
        let (first, second) = (draw(), draw());
        let color = [0.0, 1.0, 0.0, 1.0];
        let operations = [
            Operation::Draw(first.clone()),
            Operation::Draw(second.clone()),
            Operation::Clear { to: RenderTo::Window, color: Some(color), depth: None },
            Operation::Draw(first.clone()),
            Operation::Snapshot(0),
            Operation::Draw(second.clone()),
        ];
        let expected = [
            Segment::Render {
                to: RenderTo::Window,
                load: Load::INITIAL,
                draws: vec![&first, &second],
            },
            Segment::Render {
                to: RenderTo::Window,
                load: Load { color: ColorLoad::Clear(color), depth: None },
                draws: vec![&first],
            },
            Segment::Other(&operations[4]),
            Segment::Render { to: RenderTo::Window, load: Load::KEEP, draws: vec![&second] },
        ];
        assert_eq!(segments(&operations), expected);
    }

    #[test]
    fn what_is_not_cleared_keeps_its_content() {
        let depth_only = Operation::Clear { to: RenderTo::Window, color: None, depth: Some(0.5) };
        let color = [0.0; 4];
        let color_only = Operation::Clear { to: RenderTo::Window, color: Some(color), depth: None };
        let render = |color, depth| Segment::Render {
            to: RenderTo::Window,
            load: Load { color, depth },
            draws: vec![],
        };
        let operations = [depth_only.clone(), color_only.clone()];
        let expected =
            [render(ColorLoad::Initial, Some(0.5)), render(ColorLoad::Clear(color), None)];
        assert_eq!(segments(&operations), expected);
        let operations = [color_only, depth_only];
        let expected =
            [render(ColorLoad::Clear(color), Some(1.0)), render(ColorLoad::Keep, Some(0.5))];
        assert_eq!(segments(&operations), expected);
    }

    #[test]
    fn the_first_pass_begins_with_the_initial_content() {
        let operations = [Operation::Snapshot(0), Operation::Draw(draw())];
        let segments = segments(&operations);
        assert!(matches!(segments[1], Segment::Render { load: Load::INITIAL, .. }));
    }
}
