//! Operations of a plan.

use std::ops::Range;

use crate::topology::Primitive;
use case::depth_stencil::{DepthTest, StencilTest};
use case::state::Raster;

use crate::render_to::RenderTo;

/// Consecutive words of a record that are also consecutive in a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCopy {
    /// Index of the records' buffer in [`crate::Plan::storage_sizes`].
    pub buffer: usize,
    /// Offset of the first byte in that buffer.
    pub from: usize,
    /// Offset of the first byte in [`crate::Plan::vertices`].
    pub to: usize,
    /// Size in bytes.
    pub size: usize,
}

/// A copy of consecutive words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordCopy {
    /// Index of the buffer in [`crate::Plan::storage_sizes`].
    pub from: usize,
    /// Offset of the first byte in that buffer.
    pub from_offset: u32,
    /// Destination of the copy.
    pub to: CopiedTo,
    /// Offset of the first byte in the destination.
    pub to_offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Destination of copied words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedTo {
    /// Index into [`crate::Plan::storage_sizes`].
    Storage(usize),
    /// Index into [`crate::Plan::uniform_contents`], of content with no other user.
    Uniform(usize),
}

/// An operation of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Clears all render targets, the depth buffer, or both.
    Clear {
        /// Render targets to clear.
        to: RenderTo,
        /// Index into [`crate::Plan::attachments`].
        attachments: usize,
        /// Clear colour.
        color: Option<[f64; 4]>,
        /// Clear depth.
        depth: Option<f32>,
        /// Clear stencil value.
        stencil: Option<u8>,
    },
    /// Clears one render target.
    Fill {
        /// Render targets that contain it.
        to: RenderTo,
        /// Index of the target.
        target: u32,
        /// Clear colour.
        values: [f64; 4],
        /// Channels that are cleared.
        channels: [bool; 4],
    },
    /// Runs passes for a draw, one after the other: range of [`crate::Plan::passes`]. All have the same bindings.
    Passes(Range<usize>),
    /// Copies captured words to the vertices of a later draw.
    Rows(Vec<RowCopy>),
    /// Draws.
    Draw(PlannedDraw),
    /// Dispatches compute workgroups.
    Dispatch {
        /// Workgroups in x, y, z.
        groups: [u32; 3],
        /// Index into [`crate::Plan::bindings`].
        bindings: usize,
    },
    /// Writes `bytes` (whole words) at `offset` of storage buffer `buffer`.
    Write {
        /// Index into [`crate::Plan::storage_sizes`].
        buffer: usize,
        /// Byte offset.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Copies words from one buffer to another.
    CopyWords(WordCopy),
    /// Copies the depths of the depth buffer into a texture of 32-bit floats: index into [`crate::Plan::textures`].
    ReadDepth(usize),
    /// Makes a snapshot: index into [`crate::Plan::snapshots`].
    Snapshot(usize),
}

impl Operation {
    /// Pipeline state of a draw; `None` for other operations.
    pub const fn setup(&self) -> Option<&DrawSetup> {
        let Self::Draw(draw) = self else { return None };
        Some(&draw.setup)
    }

    /// True if the operation runs stages of a program, or uses what they gave.
    pub const fn runs_stages(&self) -> bool {
        match self {
            Self::Passes(_) | Self::Rows(_) | Self::Draw(_) | Self::Dispatch { .. } => true,
            Self::Clear { .. }
            | Self::Fill { .. }
            | Self::Write { .. }
            | Self::CopyWords(_)
            | Self::ReadDepth(_)
            | Self::Snapshot(_) => false,
        }
    }

    /// Targets and index of the attachments, if the operation needs a render pass.
    pub const fn pass(&self) -> Option<(RenderTo, usize)> {
        match self {
            Self::Clear { to, attachments, .. } => Some((*to, *attachments)),
            Self::Draw(draw) => Some((draw.setup.to, draw.setup.attachments)),
            Self::Fill { .. }
            | Self::Passes(_)
            | Self::Rows(_)
            | Self::Dispatch { .. }
            | Self::Write { .. }
            | Self::CopyWords(_)
            | Self::ReadDepth(_)
            | Self::Snapshot(_) => None,
        }
    }
}

/// An indexed draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedDraw {
    /// State that determines the pipeline.
    pub setup: DrawSetup,
    /// Byte range in [`crate::Plan::vertices`] whose first row has index 0.
    pub vertices: Range<usize>,
    /// Range of [`crate::Plan::indices`].
    pub indices: Range<u32>,
    /// Number of instances.
    pub instances: u32,
    /// First instance.
    pub first_instance: u32,
    /// Index into [`crate::Plan::bindings`].
    pub bindings: usize,
    /// Bits of the viewport's left, top, width, height, and minimum and maximum depth; `None` for the whole of the
    /// render targets.
    pub viewport: Option<[u32; 6]>,
    /// Bits of the blend constant.
    pub blend_color: [u32; 4],
    /// First index, in [`crate::Plan::kept`], of the lists that are drawn instead of `indices` if primitives may be
    /// culled; there is one list per instance.
    pub first_kept: Option<u32>,
    /// Index of the case's step.
    pub step: usize,
}

impl PlannedDraw {
    /// Left, top, width, height, and minimum and maximum depth of the viewport; `whole` is the size of the render
    /// targets.
    pub fn viewport_or(&self, whole: [u32; 2]) -> [f32; 6] {
        #[expect(clippy::cast_precision_loss, reason = "targets have fewer pixels in a row")]
        let [width, height] = whole.map(|side| side as f32);
        let whole = [0.0, 0.0, width, height, 0.0, 1.0];
        self.viewport.map_or(whole, |bits| bits.map(f32::from_bits))
    }
}

/// Pipeline state of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrawSetup {
    /// Index of the program.
    pub program: usize,
    /// Render targets.
    pub to: RenderTo,
    /// Index into [`crate::Plan::attachments`].
    pub attachments: usize,
    /// Index into [`crate::Plan::outputs`].
    pub outputs: usize,
    /// Primitive type.
    pub primitive: Primitive,
    /// Depth test, if enabled.
    pub depth: Option<DepthTest>,
    /// Stencil test, if enabled.
    pub stencil: Option<StencilTest>,
    /// How primitives are rasterised.
    pub raster: Raster,
    /// True if primitives are discarded before rasterisation, so that only the stages before it have effects.
    pub is_discarded: bool,
}
