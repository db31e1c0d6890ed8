//! Textures and buffers of one case, with their initial contents.

use case::{Case, RenderTarget};
use ir::backend::Backend;
use ir::format::{Format, FormatClass};
use plan::{Attachments, Plan, RenderTo};

use super::adapter::Gpu;
use super::target::depth_buffer::DepthBuffer;
use super::target::fill;
use super::target::textures::Textures;
use crate::target::render_target::Target;

/// The objects that operations refer to by index.
pub(super) struct Resources {
    /// The render targets of the case.
    pub(super) targets: Vec<Target>,
    /// Filler targets, one for each attachment, whose contents are never read. wgpu's GL backend skips holes when it
    /// counts colour attachments for clears, masks and blending.
    fillers: Vec<Target>,
    /// True if a single attachment is followed by a hole, which disables llvmpipe's second shader variant.
    has_hole_behind: bool,
    /// Textures of the case.
    pub(super) textures: Textures,
    /// The depth buffer, if the case has one.
    pub(super) depth: Option<DepthBuffer>,
    /// The plan's vertices.
    pub(super) vertices: wgpu::Buffer,
    /// The plan's indices.
    pub(super) indices: wgpu::Buffer,
    /// The plan's uniform contents, one after the other.
    pub(super) uniforms: wgpu::Buffer,
    /// Byte offset of every uniform content in `uniforms`.
    pub(super) uniform_offsets: Vec<u64>,
    /// The plan's storage buffers.
    pub(super) storage: Vec<wgpu::Buffer>,
}

impl Resources {
    pub(super) fn new(gpu: &Gpu, case: &Case, plan: &Plan) -> Self {
        let (uniform_bytes, uniform_offsets) = join_uniforms(gpu, plan);
        let mut read = wgpu::BufferUsages::empty();
        read.set(wgpu::BufferUsages::STORAGE, !plan.passes.is_empty());
        Self {
            targets: case
                .render_targets
                .iter()
                .filter_map(|target| cleared_target(gpu, case, target))
                .collect(),
            fillers: fillers(gpu, case, plan),
            has_hole_behind: gpu.compiles_tiles_alike()
                // Dual-source blending allows one attachment only.
                && !plan.ever_blends_second_source(),
            textures: Textures::new(gpu, plan),
            depth: DepthBuffer::new(gpu, case, plan),
            vertices: filled_buffer(
                gpu,
                &plan.vertices,
                wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST | read,
            ),
            indices: filled_buffer(
                gpu,
                bytemuck::cast_slice(&plan.indices),
                wgpu::BufferUsages::INDEX | read,
            ),
            uniforms: filled_buffer(
                gpu,
                &uniform_bytes,
                wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            ),
            uniform_offsets,
            storage: storage_buffers(gpu, plan),
        }
    }
}

impl Resources {
    /// The render targets of draws to `to`.
    pub(super) fn targets_of(&self, to: RenderTo) -> &[Target] {
        match to {
            RenderTo::Window => &self.targets,
            RenderTo::Textures { framebuffer: idx, .. } => {
                self.textures.framebuffers.get(idx).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// The colour attachments of a pass to `to`, from entry `attachments` of the plan's maps. Holes at the end are
    /// dropped, or one is kept if `has_hole_behind` says so.
    pub(super) fn attached(
        &self,
        plan: &Plan,
        to: RenderTo,
        attachments: usize,
    ) -> Vec<Option<&Target>> {
        let targets = self.targets_of(to);
        let map = plan.attachments.get(attachments).copied().unwrap_or_default().targets;
        let find = |index: Option<u32>| targets.iter().find(|target| Some(target.index) == index);
        let all = map.map(find);
        let count = all.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let filler = |slot: usize| self.fillers.get(slot).filter(|_| to == RenderTo::Window);
        let slots = all.into_iter().take(count).enumerate();
        let mut attached: Vec<_> =
            slots.map(|(slot, target)| target.or_else(|| filler(slot))).collect();
        // See `Gpu::compiles_tiles_alike`.
        if attached.len() == 1 && self.has_hole_behind {
            attached.push(None);
        }
        attached
    }

    /// Samples per pixel of the render targets.
    pub(super) fn samples_of(&self, to: RenderTo) -> u32 {
        self.targets_of(to).first().map_or(1, Target::samples)
    }

    /// Width and height of the render targets.
    pub(super) fn size_of(&self, to: RenderTo) -> [u32; 2] {
        let first = self.targets_of(to).first().map(|target| &target.texture);
        let texture = first.or(self.depth_of(to).map(|depth| &depth.texture));
        texture.map_or([1; 2], |texture| [texture.width(), texture.height()])
    }

    /// The depth buffer of the render targets, if there is one.
    pub(super) fn depth_of(&self, to: RenderTo) -> Option<&DepthBuffer> {
        self.depth.as_ref().filter(|_| to.has_depth())
    }
}

/// Makes the filler targets for holes; empty if no pass needs them.
fn fillers(gpu: &Gpu, case: &Case, plan: &Plan) -> Vec<Target> {
    let has_hole = |map: &Attachments| {
        let last = map.targets.iter().rposition(Option::is_some).unwrap_or(0);
        map.targets[..last].iter().any(Option::is_none)
    };
    let is_gl = gpu.info().backend == Backend::Gl;
    if !is_gl || !plan.attachments.iter().any(has_hole) {
        return Vec::new();
    }
    let target = |class: &FormatClass| {
        let format = Format::from_name(match class {
            FormatClass::Float => "rgba8unorm",
            FormatClass::Sint => "rgba8sint",
            FormatClass::Uint => "rgba8uint",
        })?;
        Target::new(gpu, case, &RenderTarget { index: u32::MAX, format, clear: None, span: None })
    };
    plan.written_classes.iter().filter_map(target).collect()
}

/// Makes a render target with its initial values. Samples cannot be uploaded, so they are not filled here.
fn cleared_target(gpu: &Gpu, case: &Case, target: &RenderTarget) -> Option<Target> {
    let made = Target::new(gpu, case, target)?;
    if let (Some(values), Some(_)) = (&target.clear, &made.multisampled) {
        fill::fill_samples(gpu, &made, values);
    }
    Some(made)
}

pub(super) fn filled_buffer(gpu: &Gpu, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::try_from(bytes.len()).unwrap_or(u64::MAX).max(4),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    if !bytes.is_empty() {
        gpu.queue.write_buffer(&buffer, 0, bytes);
    }
    buffer
}

/// Makes the plan's storage buffers, which wgpu fills with zeros. Sizes are rounded up to whole words, because copies
/// require this.
fn storage_buffers(gpu: &Gpu, plan: &Plan) -> Vec<wgpu::Buffer> {
    let buffer = |(idx, size): (usize, &u32)| {
        let mut usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        usage.set(wgpu::BufferUsages::INDEX, plan.kept == Some(idx));
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ssbo"),
            size: u64::from(*size).next_multiple_of(4).max(4),
            usage,
            mapped_at_creation: false,
        })
    };
    plan.storage_sizes.iter().enumerate().map(buffer).collect()
}

/// Joins all contents of uniform buffers, each at an offset where a binding may start. Returns the bytes and the
/// offsets.
fn join_uniforms(gpu: &Gpu, plan: &Plan) -> (Vec<u8>, Vec<u64>) {
    let alignment = gpu.offer().abilities().limits.min_uniform_buffer_offset_alignment;
    let alignment = usize::try_from(alignment).unwrap_or(256).max(16);
    let mut bytes = Vec::new();
    let mut offsets = Vec::new();
    for content in &plan.uniform_contents {
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        offsets.push(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        bytes.extend(content);
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    (bytes, offsets)
}
