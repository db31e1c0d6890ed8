//! Destinations of fragment outputs, and clears.

use super::Planner;
use super::index::index_in;
use crate::attachments::Attachments;
use crate::attachments::TargetMap;
use crate::attachments::uses_second;
use crate::error::Misfit;
use crate::operation::Operation;
use crate::snapshot::SnapshotSource;
use case::limits::MAX_TARGET_INDEX;
use case::output::BufferState;
use ir::format::FormatClass;
use ir::interface::ScalarKind;
use ir::options::DRAW_BUFFERS;
use link::program::LinkedProgram;

impl Planner<'_> {
    /// Indices into `Plan::attachments` and `Plan::outputs` for a draw at this step.
    pub(super) fn output_setup(&mut self) -> Result<(usize, usize), Misfit> {
        let targets = self.draw_attachments();
        self.check_dual_source(&targets)?;
        let attachments = if self.options.joins_targets {
            Attachments::written(targets, &self.program.draw.written_targets)
        } else {
            Attachments::in_order(targets)
        };
        let states = attachments.ordered(&self.outputs.buffers);
        Ok((
            index_in(&mut self.plan.attachments, attachments),
            index_in(&mut self.plan.outputs, states),
        ))
    }

    /// Current render targets of the draw buffers.
    fn mapped_targets(&self) -> TargetMap {
        self.outputs
            .targets()
            .map(|target| target.filter(|index| self.target_source(*index).is_some()))
    }

    /// Colour attachments of a draw. WebGPU requires an attachment in every pass: if no draw buffer has a target, one
    /// that the program does not write gets one.
    fn draw_attachments(&self) -> TargetMap {
        let mut map = self.mapped_targets();
        if map.iter().any(Option::is_some) || self.has_depth() {
            return map;
        }
        let written = &self.program.draw.written_targets;
        let spare = (0..).zip(&mut map).find(|(slot, _)| !written.contains(slot));
        if let Some((_, slot)) = spare {
            *slot = (0..=MAX_TARGET_INDEX).find(|index| self.target_source(*index).is_some());
        }
        map
    }

    /// Checks the limit of GL and WebGPU that a second source allows only one draw buffer.
    fn check_dual_source(&self, attachments: &TargetMap) -> Result<(), Misfit> {
        let mut mapped = attachments.iter().zip(&self.outputs.buffers);
        let is_used = mapped.any(|(target, state)| target.is_some() && uses_second(state));
        if !is_used && !self.program.draw.is_dual_source {
            return Ok(());
        }
        if attachments.iter().filter(|target| target.is_some()).count() > 1 {
            return Err("blending with two sources allows one draw buffer".into());
        }
        if is_used && !self.program.draw.is_dual_source {
            let message = "blending takes a second source, and no output has `index = 1`";
            return Err(Misfit(message.to_owned()));
        }
        Ok(())
    }

    /// Plans `clear`.
    pub(super) fn clear(&mut self) {
        let depth = self.state.clear_depth.filter(|_| self.has_depth());
        let stencil = self.state.clear_stencil.filter(|_| self.has_depth());
        let color = self.clear_color;
        let targets = self.mapped_targets();
        let is_whole = self.mapped_with_states().all(|(_, state)| state.channels == [true; 4]);
        let is_plain = is_whole
            && (0..).zip(targets).all(|(buffer, target)| {
                target == Some(buffer).filter(|index| self.target_source(*index).is_some())
            });
        let whole = color.filter(|_| is_plain);
        if whole.is_some() || depth.is_some() || stencil.is_some() {
            let all = self.all_targets();
            let attachments = index_in(&mut self.plan.attachments, all);
            for to in self.all_layers() {
                let clear = Operation::Clear { to, attachments, color: whole, depth, stencil };
                self.plan.operations.push(clear);
            }
            self.forget_depth();
        }
        let Some(color) = color else { return };
        let filled: Vec<_> = self.mapped_with_states().collect();
        for (target, state) in filled {
            if !is_plain {
                self.fill(target, color, state.channels);
            }
            self.forget_target(target);
        }
    }

    /// Plans `clearbuffer N r g b a`.
    pub(super) fn clear_buffer(&mut self, buffer: u32, values: [f64; 4]) {
        let states = self.outputs.buffers;
        let Some(target) = self.outputs.target_of(buffer) else { return };
        let state = usize::try_from(buffer).ok().and_then(|buffer| states.get(buffer));
        if let (Some(_), Some(state)) = (self.target_source(target), state) {
            self.fill(target, values, state.channels);
            self.forget_target(target);
        }
    }

    fn fill(&mut self, target: u32, values: [f64; 4], channels: [bool; 4]) {
        if channels != [false; 4] {
            for to in self.all_layers() {
                self.plan.operations.push(Operation::Fill { to, target, values, channels });
            }
        }
    }

    /// All render targets, each at its own index.
    pub(super) fn all_targets(&self) -> Attachments {
        let mut map = [None; DRAW_BUFFERS];
        for (idx, slot) in (0..).zip(&mut map) {
            *slot = Some(idx).filter(|index| self.target_source(*index).is_some());
        }
        Attachments::in_order(map)
    }

    fn mapped_with_states(&self) -> impl Iterator<Item = (u32, BufferState)> {
        let states = self.outputs.buffers;
        let mapped = self.mapped_targets().into_iter().zip(states);
        mapped.filter_map(|(target, state)| Some((target?, state)))
    }

    /// The source of sample `sample` of render target `target`; `None` if the target does not exist.
    pub(super) fn sample_source(&self, target: u32, sample: u32) -> Option<SnapshotSource> {
        let source = self.target_source(target)?;
        match source {
            SnapshotSource::Target(target) if sample < self.case.samples => {
                let is_one = self.case.samples == 1;
                Some(if is_one { source } else { SnapshotSource::Sample { target, sample } })
            }
            SnapshotSource::Target(_)
            | SnapshotSource::Sample { .. }
            | SnapshotSource::Depth
            | SnapshotSource::Stencil
            | SnapshotSource::Texture(_)
            | SnapshotSource::Layers(_)
            | SnapshotSource::Buffer(_) => None,
        }
    }

    /// Size of a snapshot of `source` in bytes.
    pub(super) fn byte_size(&self, source: SnapshotSource) -> u64 {
        match source {
            SnapshotSource::Target(idx) | SnapshotSource::Sample { target: idx, .. } => {
                let [width, height] = self.case.size.map(u64::from);
                let texel = self.case.render_targets[idx].format.bytes_per_texel();
                let texel = u64::try_from(texel).unwrap_or(u64::MAX);
                width.saturating_mul(height).saturating_mul(texel)
            }
            SnapshotSource::Depth | SnapshotSource::Stencil => {
                let [width, height] = self.case.size.map(u64::from);
                width.saturating_mul(height).saturating_mul(4)
            }
            SnapshotSource::Texture(idx) | SnapshotSource::Layers(idx) => {
                let first = self.plan.textures.get(idx).and_then(|texture| texture.levels.first());
                first.and_then(|bytes| u64::try_from(bytes.len()).ok()).unwrap_or(0)
            }
            SnapshotSource::Buffer(idx) => u64::from(self.plan.storage_sizes[idx]),
        }
    }

    /// True if draws and clears currently have a depth buffer.
    pub(super) fn has_depth(&self) -> bool {
        self.case.depth_buffer().is_some() && self.render_to.has_depth()
    }

    /// Drops the snapshots of the depth buffer.
    pub(super) fn forget_depth(&mut self) {
        self.current_snapshots.remove(&SnapshotSource::Depth);
        self.current_snapshots.remove(&SnapshotSource::Stencil);
    }

    /// Drops the snapshots of a texture.
    pub(super) fn forget_texture(&mut self, texture: usize) {
        self.current_snapshots.remove(&SnapshotSource::Texture(texture));
        self.current_snapshots.remove(&SnapshotSource::Layers(texture));
    }

    /// Drops the snapshots of render target `target`.
    pub(super) fn forget_target(&mut self, target: u32) {
        let Some(source) = self.target_source(target) else { return };
        self.current_snapshots.retain(|known, _| {
            let part_of = match known {
                SnapshotSource::Sample { target, .. } => Some(SnapshotSource::Target(*target)),
                SnapshotSource::Layers(texture) => Some(SnapshotSource::Texture(*texture)),
                SnapshotSource::Target(_)
                | SnapshotSource::Depth
                | SnapshotSource::Stencil
                | SnapshotSource::Texture(_)
                | SnapshotSource::Buffer(_) => None,
            };
            *known != source && part_of != Some(source)
        });
    }
}

/// Base type of the fragment output for each draw buffer.
pub(super) fn written_classes(program: &LinkedProgram) -> [FormatClass; DRAW_BUFFERS] {
    let mut classes = [FormatClass::Float; DRAW_BUFFERS];
    for row in &program.map.outputs {
        let class = match row.scalar {
            ScalarKind::I32 | ScalarKind::I64 => FormatClass::Sint,
            ScalarKind::U32 | ScalarKind::U64 | ScalarKind::Bool => FormatClass::Uint,
            ScalarKind::F32 | ScalarKind::F64 => FormatClass::Float,
        };
        let place = usize::try_from(row.buffer).ok().and_then(|buffer| classes.get_mut(buffer));
        if let Some(place) = place {
            *place = class;
        }
    }
    classes
}
