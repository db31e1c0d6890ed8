//! Copies of render targets and buffers as they are at one step, and their way back to the processor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::plan::{Plan, SnapshotSource, TexelFormat};
use super::resources::Resources;
use super::{ExecuteError, Gpu};
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

/// A texture and what its bytes mean.
struct ImageSource<'a> {
    texture: &'a wgpu::Texture,
    format: Format,
}

/// Textures of depths, which no probe can name, count as colours.
fn image_of<'a>(plan: &Plan, resources: &'a Resources, source: SnapshotSource) -> ImageSource<'a> {
    match source {
        SnapshotSource::Texture(idx) => {
            let format = match plan.textures[idx].format {
                TexelFormat::Color(format) => format,
                TexelFormat::Depth => Format::RGBA8_UNORM,
            };
            ImageSource { texture: &resources.textures.all[idx], format }
        }
        SnapshotSource::Depth => {
            let depth = resources.depth.as_ref().expect("planned only where there is one");
            ImageSource { texture: &depth.texture, format: Format::R32_FLOAT }
        }
        SnapshotSource::Target(idx) | SnapshotSource::Buffer(idx) => {
            let target = &resources.targets[idx];
            ImageSource { texture: &target.texture, format: target.format }
        }
    }
}

/// Makes the buffers that snapshots are copied into.
pub(super) fn allocate(gpu: &Gpu, plan: &Plan, resources: &Resources) -> Vec<Snapshot> {
    plan.snapshots.iter().map(|source| Snapshot::new(gpu, plan, resources, *source)).collect()
}

impl Snapshot {
    fn new(gpu: &Gpu, plan: &Plan, resources: &Resources, source: SnapshotSource) -> Self {
        let (size, content) = match source {
            SnapshotSource::Target(_) | SnapshotSource::Depth | SnapshotSource::Texture(_) => {
                let it = image_of(plan, resources, source);
                let width = usize::try_from(it.texture.width()).unwrap_or(0);
                let row_bytes = width * it.format.bytes_per_texel();
                let alignment = usize::try_from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT).unwrap_or(256);
                let padded_row_bytes = row_bytes.next_multiple_of(alignment);
                let height = usize::try_from(it.texture.height()).unwrap_or(0);
                let (texture, format) = (it.texture.clone(), it.format);
                let content = Content::Image { texture, format, row_bytes, padded_row_bytes };
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
            Content::Image { texture, padded_row_bytes, .. } => {
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
            Content::Image { texture, format, row_bytes, padded_row_bytes } => {
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
