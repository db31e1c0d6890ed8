//! What expectations look at, and when it must be copied.

use case::depth_stencil::DepthAspect;
use case::{Expectation, Probe, Region};
use ir::readback::Area;

use super::{INITIAL_DEPTH, Operation, Plan, Planner, RenderTo};

/// Most bytes that the expectations of one case may look at together.
const MAX_SNAPSHOT_BYTES: u64 = 2 << 30;

/// What a snapshot copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotSource {
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

/// A copy to make for expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedSnapshot {
    /// Of what.
    pub source: SnapshotSource,
    /// The pixels that are looked at. `None`: of a buffer everything, of an image too.
    pub area: Option<Area>,
}

impl Plan {
    /// Whether some expectation looks at `source`.
    pub fn reads(&self, source: SnapshotSource) -> bool {
        self.snapshots.iter().any(|it| it.source == source)
    }
}

impl Planner<'_> {
    /// What an expectation looks at, as it is at this step.
    pub(super) fn snapshot_for(
        &mut self,
        expectation: &Expectation,
    ) -> Result<Option<usize>, String> {
        let Some(source) = self.source_of(expectation) else { return Ok(None) };
        let area = self.area_of(expectation, source);
        self.snapshot(source, area).map(Some)
    }

    /// The pixels of `source` that an expectation looks at. What lies outside fails whatever comes back.
    fn area_of(&self, expectation: &Expectation, source: SnapshotSource) -> Option<Area> {
        let size = match source {
            SnapshotSource::Target(_)
            | SnapshotSource::Sample { .. }
            | SnapshotSource::Depth
            | SnapshotSource::Stencil => self.case.size,
            SnapshotSource::Texture(idx) => {
                let [width, height, _] = self.plan.textures.get(idx)?.size;
                [width, height]
            }
            SnapshotSource::Buffer(_) => return None,
        };
        let region = match expectation {
            Expectation::Probe(probe) => probe.region,
            Expectation::Depth(probe) => Region::Pixel(probe.at),
            Expectation::LinkSuccess
            | Expectation::LinkError(_)
            | Expectation::CompileError(_)
            | Expectation::CapturedVaryings(_)
            | Expectation::Query(_)
            | Expectation::CaptureCount { .. }
            | Expectation::Golden(_)
            | Expectation::Buffer(_) => return None,
        };
        Some(region.area(size).unwrap_or(Area::whole(1, 1)))
    }

    /// What an expectation looks at. `None` also when that does not exist: then the comparison fails.
    pub(super) fn source_of(&self, expectation: &Expectation) -> Option<SnapshotSource> {
        let target = match expectation {
            Expectation::LinkSuccess
            | Expectation::LinkError(_)
            | Expectation::CompileError(_)
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

    /// The snapshot of `source` as it is at this step, which has `area`.
    pub(super) fn snapshot(
        &mut self,
        source: SnapshotSource,
        area: Option<Area>,
    ) -> Result<usize, String> {
        if let Some(known) = self.current_snapshots.get(&source) {
            let planned = &mut self.plan.snapshots[*known];
            planned.area = planned.area.zip(area).map(|(known, area)| known.union(area));
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
        snapshots.push(PlannedSnapshot { source, area });
        let idx = snapshots.len() - 1;
        operations.push(Operation::Snapshot(idx));
        self.current_snapshots.insert(source, idx);
        Ok(idx)
    }
}
