//! Textures and buffers of one case, filled with what they hold at first.

use case::{Case, RenderTarget};
use ir::format::{ChannelValue, Format, FormatClass};
use ir::scalar::Number;
use ir::source::Span;
use plan::{Attachments, Plan, RenderTo};

use super::depth_buffer::DepthBuffer;
use super::texture_format::texture_format;
use super::textures::Textures;
use super::{Gpu, fill};

/// Everything that operations refer to by index.
pub(super) struct Resources {
    /// One for every render target of the case.
    pub(super) targets: Vec<Target>,
    /// On wgpu's GL backend, which counts colour attachments without holes where it clears, masks and blends: targets that
    /// nobody looks at, one for each attachment.
    fillers: Vec<Target>,
    /// Whether a lone attachment has a hole behind it.
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
    /// Byte offset of every content in `uniforms`.
    pub(super) uniform_offsets: Vec<u64>,
    /// The plan's storage buffers.
    pub(super) storage: Vec<wgpu::Buffer>,
}

/// The samples of a render target.
pub(super) struct Multisampled {
    pub(super) texture: wgpu::Texture,
    view: wgpu::TextureView,
    /// Whether every pass leaves the average of the samples in the target's other texture.
    pub(super) is_resolved: bool,
}

/// A render target.
pub(super) struct Target {
    pub(super) texture: wgpu::Texture,
    pub(super) view: wgpu::TextureView,
    /// Its index among the render targets.
    pub(super) index: u32,
    pub(super) format: Format,
    /// The texture that is drawn into where there are several samples for each pixel; it is resolved into `texture`
    /// where its format can be.
    pub(super) multisampled: Option<Multisampled>,
}

impl Resources {
    pub(super) fn new(gpu: &Gpu, case: &Case, plan: &Plan) -> Self {
        let (uniform_bytes, uniform_offsets) = join_uniforms(gpu, plan);
        let mut read = wgpu::BufferUsages::empty();
        let is_read = !plan.culls.is_empty() || !plan.feedbacks.is_empty();
        read.set(wgpu::BufferUsages::STORAGE, is_read);
        Self {
            targets: case
                .render_targets
                .iter()
                .filter_map(|target| Target::new(gpu, case, target))
                .collect(),
            fillers: fillers(gpu, case, plan),
            has_hole_behind: gpu.compiles_tiles_alike()
                // That is for one attachment only.
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
            uniforms: filled_buffer(gpu, &uniform_bytes, wgpu::BufferUsages::UNIFORM),
            uniform_offsets,
            storage: plan.storage_sizes.iter().map(|size| storage_buffer(gpu, *size)).collect(),
        }
    }
}

impl Resources {
    /// The render targets of draws that go to `to`.
    pub(super) fn targets_of(&self, to: RenderTo) -> &[Target] {
        match to {
            RenderTo::Window => &self.targets,
            RenderTo::Textures(idx) => {
                self.textures.framebuffers.get(idx).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// The colour attachments of a pass to `to`: entry `attachments` of the plan's maps, without what lies behind the
    /// last, or with one hole.
    pub(super) fn attached(
        &self,
        plan: &Plan,
        to: RenderTo,
        attachments: usize,
    ) -> Vec<Option<&Target>> {
        let targets = self.targets_of(to);
        let map = plan.attachments.get(attachments).copied().unwrap_or_default().targets;
        let find = |index: Option<u32>| targets.iter().find(|it| Some(it.index) == index);
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

    /// Samples for each pixel of them.
    pub(super) fn samples_of(&self, to: RenderTo) -> u32 {
        self.targets_of(to).first().map_or(1, Target::samples)
    }

    /// Their depth buffer, if there is one.
    pub(super) fn depth_of(&self, to: RenderTo) -> Option<&DepthBuffer> {
        self.depth.as_ref().filter(|_| to == RenderTo::Window)
    }
}

/// Targets for holes; none where nothing needs them.
fn fillers(gpu: &Gpu, case: &Case, plan: &Plan) -> Vec<Target> {
    let has_hole = |map: &Attachments| {
        let last = map.targets.iter().rposition(Option::is_some).unwrap_or(0);
        map.targets[..last].iter().any(Option::is_none)
    };
    let is_gl = gpu.adapter.get_info().backend == wgpu::Backend::Gl;
    if !is_gl || !plan.attachments.iter().any(has_hole) {
        return Vec::new();
    }
    let target = |class: &FormatClass| {
        let format = Format::from_name(match class {
            FormatClass::Float => "rgba8unorm",
            FormatClass::Sint => "rgba8sint",
            FormatClass::Uint => "rgba8uint",
        })?;
        let (index, span) = (u32::MAX, Span::default());
        Target::new(gpu, case, &RenderTarget { index, format, clear: None, span })
    };
    plan.written_classes.iter().filter_map(target).collect()
}

impl Target {
    /// `None` for a format that wgpu does not have, which the format table rules out.
    fn new(gpu: &Gpu, case: &Case, target: &RenderTarget) -> Option<Self> {
        let [width, height] = case.size;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("render target"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: texture_format(target.format)?,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        if let Some(values) = &target.clear {
            upload(gpu, &texture, target.format, values);
        }
        let made = Self {
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            texture,
            index: target.index,
            format: target.format,
            multisampled: (case.samples > 1)
                .then(|| Multisampled::new(gpu, case, target))
                .flatten(),
        };
        if let (Some(values), Some(_)) = (&target.clear, &made.multisampled) {
            made.fill_samples(gpu, values);
        }
        Some(made)
    }

    /// Clears all samples, which cannot be uploaded.
    fn fill_samples(&self, gpu: &Gpu, values: &[Number]) {
        let texel = self.format.pack(stored_channels(self.format, values));
        let values = self.format.decode(&texel).values.map(|value| match value {
            ChannelValue::Float(value) => f64::from(value),
            ChannelValue::Sint(value) => f64::from(value),
            ChannelValue::Uint(value) => f64::from(value),
        });
        let descriptor = wgpu::CommandEncoderDescriptor { label: None };
        let mut encoder = gpu.device.create_command_encoder(&descriptor);
        fill::encode(gpu, &mut encoder, self, values, [true; 4]);
        gpu.queue.submit([encoder.finish()]);
    }
}

impl Target {
    /// Its attachment, which begins with `load`.
    pub(super) fn attachment(
        &self,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPassColorAttachment<'_> {
        let many = self.multisampled.as_ref();
        wgpu::RenderPassColorAttachment {
            view: many.map_or(&self.view, |it| &it.view),
            depth_slice: None,
            resolve_target: many.filter(|it| it.is_resolved).map(|_| &self.view),
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        }
    }

    /// Samples for each pixel.
    pub(super) fn samples(&self) -> u32 {
        self.multisampled.as_ref().map_or(1, |it| it.texture.sample_count())
    }
}

impl Multisampled {
    fn new(gpu: &Gpu, case: &Case, target: &RenderTarget) -> Option<Self> {
        let [width, height] = case.size;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("samples"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: case.samples,
            dimension: wgpu::TextureDimension::D2,
            format: texture_format(target.format)?,
            usage: sample_usage(gpu),
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let is_resolved = gpu.format_support(target.format).is_resolvable;
        Some(Self { texture, view, is_resolved })
    }
}

/// What samples are used for: drawn into, and read one by one where that is possible.
fn sample_usage(gpu: &Gpu) -> wgpu::TextureUsages {
    let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    usage.set(wgpu::TextureUsages::TEXTURE_BINDING, gpu.reads_samples());
    usage
}

/// Uploads instead of clearing, because a clear value cannot hold every bit pattern.
fn upload(gpu: &Gpu, texture: &wgpu::Texture, format: Format, values: &[Number]) {
    let texel = format.pack(stored_channels(format, values));
    let size = texture.size();
    let row_bytes = u32::try_from(texel.len()).ok().and_then(|bytes| bytes.checked_mul(size.width));
    let texel_count = usize::try_from(u64::from(size.width) * u64::from(size.height)).unwrap_or(0);
    gpu.queue.write_texture(
        texture.as_image_copy(),
        &texel.repeat(texel_count),
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: row_bytes, rows_per_image: None },
        size,
    );
}

/// The stored bits of a texel whose channels were written as `values`; channels without a value are zero.
fn stored_channels(format: Format, values: &[Number]) -> [u32; 4] {
    let mut bits = [0; 4];
    for (channel, (place, value)) in bits.iter_mut().zip(values).enumerate() {
        *place = match value {
            Number::Integer(value) => format.encode_integer(channel, *value),
            Number::Real(value) => format.encode_real(channel, *value),
            Number::Bits(bits) => u32::try_from(*bits).unwrap_or(u32::MAX),
        };
    }
    bits
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

/// Zero-filled by wgpu. Whole words, because copies are.
fn storage_buffer(gpu: &Gpu, size: u32) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("ssbo"),
        size: u64::from(size).next_multiple_of(4).max(4),
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// All contents of uniform buffers in one buffer, each where a binding may start.
fn join_uniforms(gpu: &Gpu, plan: &Plan) -> (Vec<u8>, Vec<u64>) {
    let alignment = gpu.abilities.limits.min_uniform_buffer_offset_alignment;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_values_are_stored_in_the_targets_own_way() {
        let check = |name, values: &[Number], expected| {
            let format = Format::from_name(name).expect("the test names a format");
            assert_eq!(stored_channels(format, values), expected, "{name}");
        };
        check("rgba8unorm", &[Number::Integer(1), Number::Real(0.5)], [255, 128, 0, 0]);
        check(
            "rg32float",
            &[Number::Bits(0x7f80_0001), Number::Integer(1)],
            [0x7f80_0001, 0x3f80_0000, 0, 0],
        );
        check("rgba8sint", &[Number::Integer(-1)], [255, 0, 0, 0]);
    }
}
