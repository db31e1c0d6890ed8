//! What there is to do, one thing after the other.

use std::ops::Range;

use super::opaque::RenderTo;
use crate::case::depth_stencil::StencilTest;
use crate::case::state::DepthFunction;
use crate::gpu::topology::Primitive;

/// Neighbouring words of a record that stay neighbours in a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct RowCopy {
    /// Index into [`super::Plan::storage_sizes`] of the records.
    pub(in crate::gpu) buffer: usize,
    /// Their first byte there.
    pub(in crate::gpu) from: usize,
    /// Their first byte among [`super::Plan::vertices`].
    pub(in crate::gpu) to: usize,
    /// How many bytes.
    pub(in crate::gpu) size: usize,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::gpu) enum Operation {
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
    pub(in crate::gpu) const fn setup(&self) -> Option<&DrawSetup> {
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
    pub(in crate::gpu::plan) const fn is_rendering(&self) -> bool {
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
pub(in crate::gpu) struct PlannedDraw {
    /// What decides about its pipeline.
    pub(in crate::gpu) setup: DrawSetup,
    /// Bytes of [`super::Plan::vertices`] whose first row has index 0.
    pub(in crate::gpu) vertices: Range<usize>,
    /// Range of [`super::Plan::indices`].
    pub(in crate::gpu) indices: Range<u32>,
    /// Number of instances.
    pub(in crate::gpu) instances: u32,
    /// Number of the first one.
    pub(in crate::gpu) first_instance: u32,
    /// Index into [`super::Plan::bindings`].
    pub(in crate::gpu) bindings: usize,
    /// Bits of the constant that outputs are blended with.
    pub(in crate::gpu) blend_color: [u32; 4],
    /// Where primitives may be culled: the first index of the lists that are drawn instead of `indices`, one for each
    /// instance.
    pub(in crate::gpu) first_kept: Option<u32>,
    /// Index of the case's step.
    pub(in crate::gpu) step: usize,
}

/// What differs between the pipelines of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gpu) struct DrawSetup {
    /// Which program draws.
    pub(in crate::gpu) program: usize,
    /// Where it goes.
    pub(in crate::gpu) to: RenderTo,
    /// Index into [`super::Plan::attachments`].
    pub(in crate::gpu) attachments: usize,
    /// Index into [`super::Plan::outputs`].
    pub(in crate::gpu) outputs: usize,
    /// What the indices list.
    pub(in crate::gpu) primitive: Primitive,
    /// The depth test, if there is one.
    pub(in crate::gpu) depth: Option<DepthFunction>,
    /// The stencil test, if there is one.
    pub(in crate::gpu) stencil: Option<StencilTest>,
}
