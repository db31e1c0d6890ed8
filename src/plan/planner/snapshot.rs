//! Plans snapshots for expectations.

use super::Planner;
use crate::error::Misfit;
use crate::operation::Operation;
use crate::plan::INITIAL_DEPTH;
use crate::plan::Plan;
use crate::render_to::RenderTo;
use crate::snapshot::PlannedSnapshot;
use crate::snapshot::SnapshotSource;
use crate::texture::{TexelFormat, TextureShape};
use case::depth_stencil::DepthAspect;
use case::{ReadExpectation, ReadSource};
use ir::readback::Area;

/// Maximum bytes of all snapshots of one case.
const MAX_SNAPSHOT_BYTES: u64 = 2 << 30;

impl Planner<'_> {
    /// The snapshot for an expectation at this step.
    pub(super) fn snapshot_for(
        &mut self,
        expectation: &ReadExpectation,
    ) -> Result<Option<usize>, Misfit> {
        let Some(source) = self.source_of(expectation) else { return Ok(None) };
        let area = self.area_of(expectation, source);
        self.snapshot(source, area).map(Some)
    }

    /// Pixels of `source` that an expectation reads. A region outside the target fails in any case.
    fn area_of(&self, expectation: &ReadExpectation, source: SnapshotSource) -> Option<Area> {
        let size = match source {
            SnapshotSource::Target(_)
            | SnapshotSource::Sample { .. }
            | SnapshotSource::Depth
            | SnapshotSource::Stencil => self.case.size,
            SnapshotSource::Texture(idx) => {
                let [width, height, _] = self.plan.textures.get(idx)?.size;
                [width, height]
            }
            SnapshotSource::Layers(_) | SnapshotSource::Buffer(_) => return None,
        };
        Some(expectation.region()?.area(size).unwrap_or(Area::whole(1, 1)))
    }

    /// Source of an expectation. `None` also if it does not exist: the comparison then fails.
    pub(super) fn source_of(&self, expectation: &ReadExpectation) -> Option<SnapshotSource> {
        match expectation.source() {
            ReadSource::Count(_) => None,
            ReadSource::Depth(aspect) => self.depth_source(aspect),
            ReadSource::Target { target, sample: Some(sample) } => {
                self.sample_source(target, sample)
            }
            ReadSource::Target { target, sample: None } => self.target_source(target),
            ReadSource::Buffer(binding) => {
                self.storage.get(&binding).copied().map(SnapshotSource::Buffer)
            }
            ReadSource::Texture(unit) => self.layers_source(unit),
        }
    }

    fn depth_source(&self, aspect: DepthAspect) -> Option<SnapshotSource> {
        let source = match aspect {
            DepthAspect::Depth => SnapshotSource::Depth,
            DepthAspect::Stencil => SnapshotSource::Stencil,
        };
        self.case.depth_buffer().map(|_| source)
    }

    /// All layers of the texture on a unit, unless the bytes of its format cannot be read.
    fn layers_source(&self, unit: u32) -> Option<SnapshotSource> {
        let image = self.units.images.get(&unit).map(|image| image.texture);
        let texture = image.or_else(|| self.last_texture(unit).ok())?;
        let planned = self.plan.textures.get(texture)?;
        let has_bytes =
            planned.format != TexelFormat::Depth && planned.shape != TextureShape::Multisampled;
        has_bytes.then_some(SnapshotSource::Layers(texture))
    }

    /// Current source of render target `target`.
    pub(super) fn target_source(&self, target: u32) -> Option<SnapshotSource> {
        match self.render_to {
            RenderTo::Window => {
                let targets = &self.case.render_targets;
                targets
                    .iter()
                    .position(|candidate| candidate.index == target)
                    .map(SnapshotSource::Target)
            }
            RenderTo::Textures { framebuffer: idx, .. } => {
                let targets = self.plan.framebuffers.get(idx)?;
                let target = targets.get(target as usize)?;
                Some(SnapshotSource::Texture(target.texture))
            }
        }
    }

    /// The current snapshot of `source`, extended to `area`, or a new one.
    pub(super) fn snapshot(
        &mut self,
        source: SnapshotSource,
        area: Option<Area>,
    ) -> Result<usize, Misfit> {
        if let Some(known) = self.current_snapshots.get(&source) {
            let planned = &mut self.plan.snapshots[*known];
            planned.area = planned.area.zip(area).map(|(known, area)| known.union(area));
            return Ok(*known);
        }
        self.snapshot_bytes = self.snapshot_bytes.saturating_add(self.byte_size(source));
        if self.snapshot_bytes > MAX_SNAPSHOT_BYTES {
            let gib = MAX_SNAPSHOT_BYTES >> 30;
            return Err(Misfit(format!(
                "the expectations of a case may look at {gib} GiB together"
            )));
        }
        if matches!(source, SnapshotSource::Depth | SnapshotSource::Stencil) {
            self.begin_depth();
        }
        let Plan { snapshots, operations, .. } = &mut self.plan;
        snapshots.push(PlannedSnapshot { source, area });
        let idx = snapshots.len() - 1;
        operations.push(Operation::Snapshot(idx));
        self.current_snapshots.insert(source, idx);
        Ok(idx)
    }

    /// Plans a pass, if there was none, before the depth buffer is read: the first pass initialises it.
    pub(super) fn begin_depth(&mut self) {
        let operations = &mut self.plan.operations;
        let mut passes = operations.iter().filter_map(Operation::pass);
        if !passes.any(|(to, _)| to.has_depth()) {
            let (to, depth) = (RenderTo::Window, Some(INITIAL_DEPTH));
            let (attachments, color, stencil) = (0, None, None);
            operations.push(Operation::Clear { to, attachments, color, depth, stencil });
        }
    }
}
