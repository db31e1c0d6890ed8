//! Parts of storage buffers that scripts bind. A part is a separate buffer, copied before and after the draws and
//! dispatches that use it; uniform blocks get their content in the same way.

use std::collections::BTreeMap;

use crate::error::Misfit;
use case::bind::BufferPart;
use link::table::binding::UniformBuffer;

use super::Planner;
use crate::operation::Operation;
use crate::operation::{CopiedTo, WordCopy};
use crate::plan::Plan;
use crate::snapshot::SnapshotSource;

/// A part of the buffer with index `buffer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// Index into [`Plan::storage_sizes`].
    buffer: usize,
    offset: u32,
    size: u32,
}

/// The parts that are bound at one step.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The part at each binding point of storage buffers.
    storage: BTreeMap<u32, Part>,
    /// The part at each binding point of uniform blocks.
    uniform: BTreeMap<u32, Part>,
    /// The separate buffer of each part.
    known: BTreeMap<Part, usize>,
    /// True if the parts of the current draw or dispatch are copied already.
    is_copied: bool,
    /// Copies to make after the next draw or dispatch.
    back: Vec<WordCopy>,
}

impl Parts {
    /// The part bound at a point of uniform blocks.
    pub(super) fn uniform_at(&self, point: Option<u32>) -> Option<Part> {
        self.uniform.get(&point?).copied()
    }

    /// Unbinds the part at a point of uniform blocks.
    pub(super) fn forget_uniform(&mut self, point: u32) {
        self.uniform.remove(&point);
    }

    /// Unbinds the part at a point of storage buffers.
    pub(super) fn forget_storage(&mut self, point: u32) {
        self.storage.remove(&point);
    }
}

impl Plan {
    /// Notes that the plan is impossible if a storage buffer, which shaders may write, gives the immediates their values.
    pub(super) fn refuse_written(&mut self, buffer: &UniformBuffer) {
        if buffer.is_immediate() {
            let word = "immediates whose values shaders write";
            self.impossible.get_or_insert_with(|| word.to_owned());
        }
    }

    /// Adds uniform content of this size that begins with a part of a storage buffer, and returns its index.
    pub(super) fn copied_content(&mut self, part: Part, bytes: usize) -> usize {
        let content = self.uniform_contents.len();
        self.uniform_contents.push(vec![0; bytes]);
        let size = part.size.min(u32::try_from(bytes).unwrap_or(u32::MAX));
        let (from, from_offset, to) = (part.buffer, part.offset, CopiedTo::Uniform(content));
        self.push_copy(WordCopy { from, from_offset, to, to_offset: 0, size });
        content
    }

    fn push_copy(&mut self, copy: WordCopy) {
        if copy.size > 0 {
            self.operations.push(Operation::CopyWords(copy));
        }
    }
}

impl Planner<'_> {
    fn part_of(&self, part: BufferPart) -> Result<Part, Misfit> {
        let BufferPart { buffer, offset, size } = part;
        let buffer = *self.storage.get(&buffer).ok_or("there is no such buffer")?;
        Ok(Part { buffer, offset, size })
    }

    pub(super) fn bind_stored_uniform(
        &mut self,
        point: u32,
        part: BufferPart,
    ) -> Result<(), Misfit> {
        let part = self.part_of(part)?;
        self.parts.uniform.insert(point, part);
        Ok(())
    }

    pub(super) fn bind_storage_part(&mut self, point: u32, part: BufferPart) -> Result<(), Misfit> {
        let part = self.part_of(part)?;
        let sizes = &mut self.plan.storage_sizes;
        let buffer = *self.parts.known.entry(part).or_insert_with(|| {
            sizes.push(part.size);
            sizes.len() - 1
        });
        self.storage.insert(point, buffer);
        self.parts.storage.insert(point, part);
        self.pad(point, buffer);
        Ok(())
    }

    /// Plans copies of the parts that the program uses to their buffers, and notes which are copied back.
    pub(super) fn copy_in(&mut self) {
        if std::mem::replace(&mut self.parts.is_copied, true) {
            return;
        }
        for block in &self.program.storage_buffers {
            let point = block.case_binding;
            let part = self.parts.storage.get(&point);
            let (Some(part), Some(own)) = (part.copied(), self.storage.get(&point).copied()) else {
                continue;
            };
            let (from, from_offset) = (part.buffer, part.offset);
            let (to, size) = (CopiedTo::Storage(own), part.size);
            self.plan.push_copy(WordCopy { from, from_offset, to, to_offset: 0, size });
            if block.is_writable {
                let (to, to_offset) = (CopiedTo::Storage(part.buffer), part.offset);
                let back = WordCopy { from: own, from_offset: 0, to, to_offset, size };
                if !self.parts.back.contains(&back) {
                    self.parts.back.push(back);
                }
            }
        }
    }

    /// Plans copies of the parts that a draw or dispatch may have written back to the storage buffers.
    pub(super) fn copy_back(&mut self) {
        self.parts.is_copied = false;
        for copy in std::mem::take(&mut self.parts.back) {
            self.plan.push_copy(copy);
            if let CopiedTo::Storage(buffer) = copy.to {
                self.current_snapshots.remove(&SnapshotSource::Buffer(buffer));
            }
        }
    }
}
