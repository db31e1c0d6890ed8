//! Copies of render targets and buffers at one step, and their readback.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use ir::format::Format;
use ir::readback::{Area, Extent, Image, Snapshot};
use offer::format::texture_format;
use offer::snapshot::{ALIGNMENT, BUFFER_BYTES};
use plan::{ExecuteError, Plan, PlannedSnapshot, SnapshotSource, TexelFormat};

use super::stencil_copy::StencilCopy;
use super::texel_copy::{TexelCopy, TexelSource};
use crate::adapter::Gpu;
use crate::resources::Resources;
use crate::target::render_target::{Multisampled, Target};

/// All snapshots of a case, in as few buffers as possible.
pub(crate) struct Snapshots {
    all: Vec<SnapshotPart>,
    buffers: Vec<wgpu::Buffer>,
}

/// The part of a buffer that holds one snapshot.
struct SnapshotPart {
    /// Index into [`Snapshots::buffers`].
    buffer: usize,
    offset: u64,
    size: u64,
    content: Content,
}

/// Content of a snapshot.
enum Content {
    Image {
        /// Texture to copy.
        texture: wgpu::Texture,
        /// Pass that writes the texture before it is copied; `None` if the texture is itself a render target.
        from: Option<Box<Copying>>,
        format: Format,
        /// Area of pixels to copy.
        part: Area,
        /// Number of layers or slices to copy, which the image has one above the other.
        layers: u32,
        /// Size of a row of pixels in bytes, without padding.
        row_bytes: usize,
        padded_row_bytes: usize,
    },
    Buffer {
        /// Index into the plan's storage buffers.
        buffer: usize,
        /// Number of bytes that the case reads.
        size: usize,
    },
}

/// A pass that copies texels whose bytes cannot be copied.
enum Copying {
    Texels(TexelCopy),
    Stencil(StencilCopy),
}

impl Copying {
    /// Makes the pass that copies the texels. Returns `None` for a format that wgpu does not have, which the format
    /// table rules out.
    fn new(
        gpu: &Gpu,
        from: &wgpu::Texture,
        source: TexelSource,
        sample: u32,
        format: Format,
    ) -> Option<Self> {
        Some(match source {
            TexelSource::Color(_) | TexelSource::Depth => {
                let format = texture_format(format)?;
                Self::Texels(TexelCopy::new(gpu, from, source, sample, format))
            }
            TexelSource::Stencil => Self::Stencil(StencilCopy::new(gpu, from)),
        })
    }

    const fn texture(&self) -> &wgpu::Texture {
        match self {
            Self::Texels(copy) => &copy.texture,
            Self::Stencil(copy) => &copy.texture,
        }
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        match self {
            Self::Texels(copy) => copy.encode(encoder),
            Self::Stencil(copy) => copy.encode(encoder),
        }
    }
}

/// A texture and the format of its bytes.
struct ImageSource<'a> {
    texture: &'a wgpu::Texture,
    format: Format,
    /// The sample to copy, for texels whose bytes cannot be copied.
    sample: Option<(TexelSource, u32)>,
}

/// The image to copy for a snapshot source. Depth textures get a colour format, because no probe can name them.
fn image_of<'a>(plan: &Plan, resources: &'a Resources, source: SnapshotSource) -> ImageSource<'a> {
    match source {
        SnapshotSource::Texture(idx) | SnapshotSource::Layers(idx) => {
            let format = match plan.textures[idx].format {
                TexelFormat::Color(format) => format,
                TexelFormat::Depth => Format::RGBA8_UNORM,
            };
            ImageSource { texture: &resources.textures.all[idx], format, sample: None }
        }
        SnapshotSource::Depth => {
            let depth = resources.depth.as_ref().expect("planned only where there is one");
            let sample = Some((TexelSource::Depth, 0));
            ImageSource { texture: &depth.texture, format: Format::R32_FLOAT, sample }
        }
        SnapshotSource::Stencil => {
            let depth = resources.depth.as_ref().expect("planned only where there is one");
            let sample = Some((TexelSource::Stencil, 0));
            ImageSource { texture: &depth.texture, format: Format::R8_UINT, sample }
        }
        SnapshotSource::Sample { target, sample } => {
            image_of_target(&resources.targets[target], Some(sample))
        }
        SnapshotSource::Target(idx) | SnapshotSource::Buffer(idx) => {
            image_of_target(&resources.targets[idx], None)
        }
    }
}

/// The source image of a target. Integers, which have no average, count as their first sample.
fn image_of_target(target: &Target, sample: Option<u32>) -> ImageSource<'_> {
    let format = target.format;
    let sample_of = |many: &Multisampled| sample.or((!many.is_resolved).then_some(0));
    let many = target.multisampled.as_ref();
    match many.and_then(|many| Some((many, sample_of(many)?))) {
        Some((many, sample)) => {
            let sample = Some((TexelSource::Color(format.class()), sample));
            ImageSource { texture: &many.texture, format, sample }
        }
        None => ImageSource { texture: &target.texture, format, sample: None },
    }
}

impl Snapshots {
    /// Makes the buffers that the plan's snapshots are copied into.
    pub(crate) fn new(gpu: &Gpu, plan: &Plan, resources: &Resources, extent: Extent) -> Self {
        let mut all = Vec::with_capacity(plan.snapshots.len());
        let mut sizes: Vec<u64> = Vec::new();
        for planned in &plan.snapshots {
            let (size, content) = content_of(gpu, plan, resources, *planned, extent);
            let last = sizes.last().map_or(0, |last| last.next_multiple_of(ALIGNMENT));
            let is_full = sizes.is_empty() || last.saturating_add(size) > BUFFER_BYTES;
            let offset = if is_full { 0 } else { last };
            if is_full {
                sizes.push(0);
            }
            let buffer = sizes.len() - 1;
            sizes[buffer] = offset + size;
            all.push(SnapshotPart { buffer, offset, size, content });
        }
        let buffer = |size| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("snapshots"),
                size,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        };
        Self { all, buffers: sizes.into_iter().map(buffer).collect() }
    }

    /// Records the copy of snapshot `idx`.
    pub(crate) fn encode(
        &self,
        idx: usize,
        encoder: &mut wgpu::CommandEncoder,
        resources: &Resources,
    ) {
        let snapshot = &self.all[idx];
        let (to, offset) = (&self.buffers[snapshot.buffer], snapshot.offset);
        match &snapshot.content {
            Content::Image { texture, from, part, layers, padded_row_bytes, .. } => {
                if let Some(from) = from {
                    from.encode(encoder);
                }
                let bytes_per_row = u32::try_from(*padded_row_bytes).ok();
                let Area { x, y, width, height } = *part;
                let rows_per_image = (*layers > 1).then_some(height);
                let layout = wgpu::TexelCopyBufferLayout { offset, bytes_per_row, rows_per_image };
                let origin = wgpu::Origin3d { x, y, z: 0 };
                encoder.copy_texture_to_buffer(
                    wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() },
                    wgpu::TexelCopyBufferInfo { buffer: to, layout },
                    wgpu::Extent3d { width, height, depth_or_array_layers: *layers },
                );
            }
            Content::Buffer { buffer, .. } => {
                let source = &resources.storage[*buffer];
                encoder.copy_buffer_to_buffer(source, 0, to, offset, source.size());
            }
        }
    }

    /// Waits for `submission` and reads every snapshot. One that cannot be read is `None`, and a message gives the
    /// reason.
    ///
    /// # Errors
    /// The device is lost or does not answer in time.
    pub(crate) fn read(
        &self,
        gpu: &Gpu,
        submission: wgpu::SubmissionIndex,
    ) -> Result<Vec<Option<Snapshot>>, ExecuteError> {
        for buffer in &self.buffers {
            // A failure is reported again when the bytes are read.
            buffer.map_async(wgpu::MapMode::Read, .., drop);
        }
        wait(gpu, submission)?;
        let views: Vec<_> = self.buffers.iter().map(|buffer| buffer.get_mapped_range(..)).collect();
        let read = |snapshot: &SnapshotPart| match &views[snapshot.buffer] {
            Ok(bytes) => snapshot.read(bytes),
            Err(error) => {
                gpu.messages.add(error.to_string());
                None
            }
        };
        Ok(self.all.iter().map(read).collect())
    }
}

/// The content of a snapshot, and its bytes in a buffer.
fn content_of(
    gpu: &Gpu,
    plan: &Plan,
    resources: &Resources,
    planned: PlannedSnapshot,
    extent: Extent,
) -> (u64, Content) {
    let bytes = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    if let SnapshotSource::Buffer(buffer) = planned.source {
        let size = usize::try_from(plan.storage_sizes[buffer]).unwrap_or(usize::MAX);
        return (bytes(size.next_multiple_of(4).max(4)), Content::Buffer { buffer, size });
    }
    let image = image_of(plan, resources, planned.source);
    let format = image.format;
    let from = image.sample.and_then(|(source, sample)| {
        let copying = Copying::new(gpu, image.texture, source, sample, format);
        copying.map(Box::new)
    });
    let texture = from.as_ref().map_or(image.texture, |copy| copy.texture()).clone();
    let whole = Area::whole(texture.width(), texture.height());
    let part = match extent {
        Extent::Probed => planned.area.filter(|area| whole.contains(*area)).unwrap_or(whole),
        Extent::Whole => whole,
    };
    let [width, height] = [part.width, part.height].map(|side| usize::try_from(side).unwrap_or(0));
    let row_bytes = width * format.bytes_per_texel();
    let alignment = usize::try_from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT).unwrap_or(256);
    let padded_row_bytes = row_bytes.next_multiple_of(alignment);
    let layers = match planned.source {
        SnapshotSource::Layers(idx) => plan.textures[idx].size[2],
        SnapshotSource::Target(_)
        | SnapshotSource::Sample { .. }
        | SnapshotSource::Depth
        | SnapshotSource::Stencil
        | SnapshotSource::Texture(_)
        | SnapshotSource::Buffer(_) => 1,
    };
    let size = bytes(padded_row_bytes * height).saturating_mul(u64::from(layers));
    (size, Content::Image { texture, from, format, part, layers, row_bytes, padded_row_bytes })
}

impl SnapshotPart {
    /// Reads the content from the bytes of its buffer.
    fn read(&self, buffer: &[u8]) -> Option<Snapshot> {
        let start = usize::try_from(self.offset).ok()?;
        let bytes = buffer.get(start..)?.get(..usize::try_from(self.size).ok()?)?;
        Some(match &self.content {
            Content::Image {
                texture, format, part, layers, row_bytes, padded_row_bytes, ..
            } => {
                let mut texels = Vec::with_capacity(bytes.len());
                for row in bytes.chunks_exact(*padded_row_bytes) {
                    texels.extend_from_slice(&row[..*row_bytes]);
                }
                Snapshot::Image(Arc::new(Image {
                    format: *format,
                    width: texture.width(),
                    height: texture.height().saturating_mul(*layers),
                    part: Area { height: part.height.saturating_mul(*layers), ..*part },
                    bytes: texels,
                }))
            }
            Content::Buffer { size, .. } => Snapshot::Buffer(Arc::new(bytes[..*size].to_vec())),
        })
    }
}

/// Polls the device, so that callbacks run. A lost device shows as errors of everything that is made with it; the
/// reason is known only after this.
pub(crate) fn let_callbacks_run(gpu: &Gpu) {
    // wgpu panics if the device is lost during the poll; the callback has run by then.
    drop(catch_unwind(AssertUnwindSafe(|| gpu.device.poll(wgpu::PollType::Poll))));
}

fn wait(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<(), ExecuteError> {
    let timeout = gpu.answer_timeout;
    let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(timeout) };
    let begin = Instant::now();
    // wgpu panics if the device is lost during the wait.
    let answer = catch_unwind(AssertUnwindSafe(|| {
        loop {
            let answer = gpu.device.poll(poll.clone());
            // wgpu's GL backend gives up after 2^32 ns, 4.3 s, whatever the timeout.
            if !matches!(answer, Err(wgpu::PollError::Timeout)) || begin.elapsed() >= timeout {
                return answer;
            }
        }
    }));
    if let Some(reason) = gpu.messages.lost() {
        return Err(ExecuteError::DeviceLost(reason));
    }
    match answer {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => {
            let seconds = timeout.as_secs();
            Err(ExecuteError::DeviceLost(format!("no answer within {seconds} s: {error}")))
        }
        Err(_) => Err(ExecuteError::DeviceLost("waiting for it failed".to_owned())),
    }
}
