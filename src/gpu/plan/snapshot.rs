//! What expectations look at, and when it must be copied.

use super::{INITIAL_DEPTH, Operation, Plan, Planner, RenderTo};
use crate::case::depth_stencil::DepthAspect;
use crate::case::{Expectation, Probe};

/// Most bytes that the expectations of one case may look at together.
const MAX_SNAPSHOT_BYTES: u64 = 2 << 30;

/// What a snapshot copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gpu) enum SnapshotSource {
    /// Index into the case's render targets.
    Target(usize),
    /// One sample of each pixel.
    Sample {
        /// Index into the case's render targets.
        target: usize,
        /// The sample.
        sample: u32,
    },
    /// The depth buffer.
    Depth,
    /// Its stencil values.
    Stencil,
    /// Index into [`Plan::textures`]: its first level.
    Texture(usize),
    /// Index into [`Plan::storage_sizes`].
    Buffer(usize),
}

impl Planner<'_> {
    /// What an expectation looks at. `None` also when that does not exist: then the comparison fails.
    pub(super) fn source_of(&self, expectation: &Expectation) -> Option<SnapshotSource> {
        let target = match expectation {
            Expectation::LinkSuccess
            | Expectation::LinkError
            | Expectation::CapturedVaryings(_)
            | Expectation::Query(_)
            | Expectation::CaptureCount { .. } => return None,
            Expectation::Depth(probe) => {
                let source = match probe.aspect {
                    DepthAspect::Depth => SnapshotSource::Depth,
                    DepthAspect::Stencil => SnapshotSource::Stencil,
                };
                return self.case.depth_buffer().map(|_| source);
            }
            Expectation::Probe(Probe { target, sample: Some(sample), .. }) => {
                return self.sample_source(*target, *sample);
            }
            Expectation::Probe(probe) => probe.target,
            Expectation::Golden(golden) => golden.target,
            Expectation::Buffer(probe) => {
                return self.storage.get(&probe.binding).copied().map(SnapshotSource::Buffer);
            }
        };
        self.target_source(target)
    }

    /// What render target `target` is at this step.
    pub(super) fn target_source(&self, target: u32) -> Option<SnapshotSource> {
        match self.render_to {
            RenderTo::Window => {
                let targets = &self.case.render_targets;
                targets.iter().position(|it| it.index == target).map(SnapshotSource::Target)
            }
            RenderTo::Textures(idx) => {
                let textures = self.plan.framebuffers.get(idx)?;
                textures.get(target as usize).copied().map(SnapshotSource::Texture)
            }
        }
    }

    /// The snapshot of `source` as it is at this step.
    pub(super) fn snapshot(&mut self, source: SnapshotSource) -> Result<usize, String> {
        if let Some(known) = self.current_snapshots.get(&source) {
            return Ok(*known);
        }
        self.snapshot_bytes = self.snapshot_bytes.saturating_add(self.byte_size(source));
        if self.snapshot_bytes > MAX_SNAPSHOT_BYTES {
            let gib = MAX_SNAPSHOT_BYTES >> 30;
            return Err(format!("the expectations of a case may look at {gib} GiB together"));
        }
        let Plan { snapshots, operations, .. } = &mut self.plan;
        let is_depth = matches!(source, SnapshotSource::Depth | SnapshotSource::Stencil);
        if is_depth && !operations.iter().any(Operation::is_rendering) {
            // The first pass gives the depth buffer its content.
            let (to, depth) = (RenderTo::Window, Some(INITIAL_DEPTH));
            let (attachments, color, stencil) = (0, None, None);
            operations.push(Operation::Clear { to, attachments, color, depth, stencil });
        }
        snapshots.push(source);
        let idx = snapshots.len() - 1;
        operations.push(Operation::Snapshot(idx));
        self.current_snapshots.insert(source, idx);
        Ok(idx)
    }
}
