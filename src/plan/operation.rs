//! What there is to do, one thing after the other.

use std::ops::Range;

use crate::topology::Primitive;
use case::depth_stencil::DepthFunction;
use case::depth_stencil::StencilTest;

use super::opaque::RenderTo;

/// Neighbouring words of a record that stay neighbours in a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCopy {
    /// Index into [`super::Plan::storage_sizes`] of the records.
    pub buffer: usize,
    /// Their first byte there.
    pub from: usize,
    /// Their first byte among [`super::Plan::vertices`].
    pub to: usize,
    /// How many bytes.
    pub size: usize,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Fill all render targets, the depth buffer, or both.
    Clear {
        /// Which ones.
        to: RenderTo,
        /// Index into [`super::Plan::attachments`].
        attachments: usize,
        /// The targets' colour.
        color: Option<[f64; 4]>,
        /// The depth.
        depth: Option<f32>,
        /// The stencil value.
        stencil: Option<u8>,
    },
    /// Fill one render target.
    Fill {
        /// Which ones it is among.
        to: RenderTo,
        /// Its index.
        target: u32,
        /// The colour.
        values: [f64; 4],
        /// The channels that are filled.
        channels: [bool; 4],
    },
    /// Find out which primitives of the draw that follows are left: the entry with this index of [`super::Plan::culls`].
    Cull(usize),
    /// Capture a draw: the entry with this index of [`super::Plan::feedbacks`].
    Feedback(usize),
    /// Copy captured words to the vertices of a draw to come.
    Rows(Vec<RowCopy>),
    /// Draw.
    Draw(PlannedDraw),
    /// Dispatch compute workgroups.
    Dispatch {
        /// Workgroups in x, y, z.
        groups: [u32; 3],
        /// Index into [`super::Plan::bindings`].
        bindings: usize,
    },
    /// Write `bytes` (whole words) at `offset` of storage buffer `buffer`.
    Write {
        /// Index into [`super::Plan::storage_sizes`].
        buffer: usize,
        /// Byte offset.
        offset: u32,
        /// What is written.
        bytes: Vec<u8>,
    },
    /// Make the copy with this index of [`super::Plan::snapshots`].
    Snapshot(usize),
}

impl Operation {
    /// What a draw is set up with; nothing for anything else.
    pub const fn setup(&self) -> Option<&DrawSetup> {
        match self {
            Self::Draw(draw) => Some(&draw.setup),
            Self::Clear { .. }
            | Self::Fill { .. }
            | Self::Cull(_)
            | Self::Feedback(_)
            | Self::Rows(_)
            | Self::Dispatch { .. }
            | Self::Write { .. }
            | Self::Snapshot(_) => None,
        }
    }

    /// Whether it takes a render pass.
    pub(crate) const fn is_rendering(&self) -> bool {
        match self {
            Self::Clear { .. } | Self::Draw(_) => true,
            Self::Fill { .. }
            | Self::Cull(_)
            | Self::Feedback(_)
            | Self::Rows(_)
            | Self::Dispatch { .. }
            | Self::Write { .. }
            | Self::Snapshot(_) => false,
        }
    }
}

/// A draw of an index list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedDraw {
    /// What decides about its pipeline.
    pub setup: DrawSetup,
    /// Bytes of [`super::Plan::vertices`] whose first row has index 0.
    pub vertices: Range<usize>,
    /// Range of [`super::Plan::indices`].
    pub indices: Range<u32>,
    /// Number of instances.
    pub instances: u32,
    /// Number of the first one.
    pub first_instance: u32,
    /// Index into [`super::Plan::bindings`].
    pub bindings: usize,
    /// Bits of the constant that outputs are blended with.
    pub blend_color: [u32; 4],
    /// Where primitives may be culled: the first index of the lists that are drawn instead of `indices`, one for each
    /// instance.
    pub first_kept: Option<u32>,
    /// Index of the case's step.
    pub step: usize,
}

/// What differs between the pipelines of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrawSetup {
    /// Which program draws.
    pub program: usize,
    /// Where it goes.
    pub to: RenderTo,
    /// Index into [`super::Plan::attachments`].
    pub attachments: usize,
    /// Index into [`super::Plan::outputs`].
    pub outputs: usize,
    /// What the indices list.
    pub primitive: Primitive,
    /// The depth test, if there is one.
    pub depth: Option<DepthFunction>,
    /// The stencil test, if there is one.
    pub stencil: Option<StencilTest>,
}
