//! Copies of render targets and buffers as they are at one step, and their way back to the processor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::plan::{Plan, SnapshotSource, TexelFormat};
use super::resources::{Multisampled, Resources, Target};
use super::stencil_copy::StencilCopy;
use super::texel_copy::{TexelCopy, TexelSource};
use super::texture_format::texture_format;
use super::{ExecuteError, Gpu};
use crate::case::Case;
use crate::format::Format;
use crate::readback::{Captured, Image};

/// A buffer that a copy goes into.
pub(super) struct Snapshot {
    buffer: wgpu::Buffer,
    content: Content,
}

/// What was copied.
enum Content {
    Image {
        /// What is copied, and what its bytes mean.
        texture: wgpu::Texture,
        /// What writes the texture before it is copied, if it is not drawn into itself.
        from: Option<Box<Copying>>,
        format: Format,
        /// Bytes of a row of pixels, and from one row to the next.
        row_bytes: usize,
        padded_row_bytes: usize,
    },
    Buffer {
        /// Index into the plan's storage buffers.
        buffer: usize,
        /// Bytes that the case asked for.
        size: usize,
    },
}

/// A pass that copies what bytes cannot be copied from.
enum Copying {
    Texels(TexelCopy),
    Stencil(StencilCopy),
}

impl Copying {
    /// `None` for a format that wgpu does not have, which the format table rules out.
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

/// A texture and what its bytes mean.
struct ImageSource<'a> {
    texture: &'a wgpu::Texture,
    format: Format,
    /// The sample to copy, of texels whose bytes cannot be copied.
    sample: Option<(TexelSource, u32)>,
}

/// Textures of depths, which no probe can name, count as colours.
fn image_of<'a>(plan: &Plan, resources: &'a Resources, source: SnapshotSource) -> ImageSource<'a> {
    match source {
        SnapshotSource::Texture(idx) => {
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

/// What `plan` reads of single samples and the adapter cannot, in words.
pub(super) fn lacks_samples(gpu: &Gpu, case: &Case, plan: &Plan) -> Option<String> {
    let is_single = |source: &SnapshotSource| match source {
        SnapshotSource::Sample { .. } => true,
        SnapshotSource::Depth => case.samples > 1,
        SnapshotSource::Target(idx) => {
            let target = case.render_targets.get(*idx);
            let is_resolved = target.is_some_and(|it| gpu.format_support(it.format).is_resolvable);
            case.samples > 1 && !is_resolved
        }
        SnapshotSource::Stencil | SnapshotSource::Texture(_) | SnapshotSource::Buffer(_) => false,
    };
    if case.samples > 1 && plan.snapshots.contains(&SnapshotSource::Stencil) {
        return Some("stencil values of several samples".to_owned());
    }
    let is_lacking = !gpu.reads_samples() && plan.snapshots.iter().any(is_single);
    is_lacking.then(|| "the adapter cannot read single samples".to_owned())
}

/// Integers, which have no average, count as their first sample.
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

/// Makes the buffers that snapshots are copied into.
pub(super) fn allocate(gpu: &Gpu, plan: &Plan, resources: &Resources) -> Vec<Snapshot> {
    plan.snapshots.iter().map(|source| Snapshot::new(gpu, plan, resources, *source)).collect()
}

impl Snapshot {
    fn new(gpu: &Gpu, plan: &Plan, resources: &Resources, source: SnapshotSource) -> Self {
        let (size, content) = match source {
            SnapshotSource::Target(_)
            | SnapshotSource::Sample { .. }
            | SnapshotSource::Depth
            | SnapshotSource::Stencil
            | SnapshotSource::Texture(_) => {
                let it = image_of(plan, resources, source);
                let width = usize::try_from(it.texture.width()).unwrap_or(0);
                let row_bytes = width * it.format.bytes_per_texel();
                let alignment = usize::try_from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT).unwrap_or(256);
                let padded_row_bytes = row_bytes.next_multiple_of(alignment);
                let height = usize::try_from(it.texture.height()).unwrap_or(0);
                let format = it.format;
                let from = it.sample.and_then(|(source, sample)| {
                    let copying = Copying::new(gpu, it.texture, source, sample, format);
                    copying.map(Box::new)
                });
                let texture = from.as_ref().map_or(it.texture, |copy| copy.texture()).clone();
                let content = Content::Image { texture, from, format, row_bytes, padded_row_bytes };
                (padded_row_bytes * height, content)
            }
            SnapshotSource::Buffer(buffer) => {
                let size = usize::try_from(plan.storage_sizes[buffer]).unwrap_or(usize::MAX);
                (size.next_multiple_of(4).max(4), Content::Buffer { buffer, size })
            }
        };
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("snapshot"),
            size: u64::try_from(size).unwrap_or(u64::MAX),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, content }
    }

    /// Records the copy.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, resources: &Resources) {
        match &self.content {
            Content::Image { texture, from, padded_row_bytes, .. } => {
                if let Some(from) = from {
                    from.encode(encoder);
                }
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: u32::try_from(*padded_row_bytes).ok(),
                    rows_per_image: None,
                };
                encoder.copy_texture_to_buffer(
                    texture.as_image_copy(),
                    wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout },
                    wgpu::Extent3d { depth_or_array_layers: 1, ..texture.size() },
                );
            }
            Content::Buffer { buffer, .. } => {
                let source = &resources.storage[*buffer];
                encoder.copy_buffer_to_buffer(source, 0, &self.buffer, 0, source.size());
            }
        }
    }

    /// The content, once the buffer is mapped.
    fn read(&self) -> Result<Captured, String> {
        let bytes = self.buffer.get_mapped_range(..).map_err(|error| error.to_string())?;
        Ok(match &self.content {
            Content::Image { texture, format, row_bytes, padded_row_bytes, .. } => {
                let rows = bytes.chunks_exact(*padded_row_bytes).map(|row| &row[..*row_bytes]);
                Captured::Image(Arc::new(Image {
                    format: *format,
                    width: texture.width(),
                    height: texture.height(),
                    bytes: rows.collect::<Vec<_>>().concat(),
                }))
            }
            Content::Buffer { size, .. } => Captured::Buffer(Arc::new(bytes[..*size].to_vec())),
        })
    }
}

/// Waits for `submission` and reads every snapshot. One that cannot be read is `None`, and a message says why.
///
/// # Errors
/// When the device is lost or does not answer in time.
pub(super) fn read_all(
    gpu: &Gpu,
    snapshots: &[Snapshot],
    submission: wgpu::SubmissionIndex,
) -> Result<Vec<Option<Captured>>, ExecuteError> {
    for snapshot in snapshots {
        // A failure shows again when the bytes are asked for.
        snapshot.buffer.map_async(wgpu::MapMode::Read, .., drop);
    }
    wait(gpu, submission)?;
    let read =
        |snapshot: &Snapshot| snapshot.read().map_err(|message| gpu.messages.add(message)).ok();
    Ok(snapshots.iter().map(read).collect())
}

/// The loss of a device shows as errors of everything that is made with it; why it was lost, only after this.
pub(super) fn let_callbacks_run(gpu: &Gpu) {
    // wgpu panics when the device is lost while it looks; the callback has run by then.
    drop(catch_unwind(AssertUnwindSafe(|| gpu.device.poll(wgpu::PollType::Poll))));
}

fn wait(gpu: &Gpu, submission: wgpu::SubmissionIndex) -> Result<(), ExecuteError> {
    let timeout = gpu.answer_timeout;
    let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(timeout) };
    // wgpu panics when the device is lost while it waits.
    let answer = catch_unwind(AssertUnwindSafe(|| gpu.device.poll(poll)));
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
