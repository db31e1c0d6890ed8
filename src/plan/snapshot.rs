//! Snapshots: copies of targets and buffers for expectations.

use ir::readback::Area;

/// Source of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotSource {
    /// Render target: index into the case's list.
    Target(usize),
    /// One sample of a render target.
    Sample {
        /// Index into the case's render targets.
        target: usize,
        /// The sample.
        sample: u32,
    },
    /// Depth aspect of the depth buffer.
    Depth,
    /// Stencil aspect of the depth buffer.
    Stencil,
    /// First level of a texture, without further layers: index into [`Plan::textures`](crate::Plan::textures).
    Texture(usize),
    /// First level of a texture with all layers or slices, one above the other: index into
    /// [`Plan::textures`](crate::Plan::textures).
    Layers(usize),
    /// Storage buffer: index into [`Plan::storage_sizes`](crate::Plan::storage_sizes).
    Buffer(usize),
}

/// A planned copy for expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedSnapshot {
    /// Source.
    pub source: SnapshotSource,
    /// The pixels that are read; `None` for all, and for buffers.
    pub area: Option<Area>,
}
