//! Limits on scripts, so that no number in a script determines how much memory is allocated.

use ir::source::Span;

use super::problem::{Parsed, Problem};

/// Bytes of all buffers and images of a script together.
pub const MAX_DATA_BYTES: u64 = 256 << 20;

/// Pipelines of a script.
pub const MAX_PIPELINES: usize = 2_000;

/// Maximum number of objects of one kind in a pipeline: bindings, vertex buffers, attachments or constants.
pub(crate) const MAX_ATTACHED: usize = 256;

/// Bytes of a name or a path.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// Structures of a script.
pub(crate) const MAX_STRUCTURES: usize = 256;

/// Numbers of an element.
pub(crate) const MAX_COMPONENTS: usize = 4_096;

/// Bytes of an element.
pub(crate) const MAX_ELEMENT_BYTES: u32 = 1 << 20;

/// Nesting depth of structures.
pub(crate) const MAX_STRUCTURE_DEPTH: usize = 16;

/// Counts the bytes of a script's data.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    bytes: u64,
}

impl Budget {
    /// Reserves the bytes of `count` elements of `stride` bytes, and returns their number.
    pub(crate) fn reserve(&mut self, count: u64, stride: u32, span: Span) -> Parsed<usize> {
        let bytes = count.saturating_mul(u64::from(stride));
        self.bytes = self.bytes.saturating_add(bytes);
        match usize::try_from(bytes) {
            Ok(bytes) if self.bytes <= MAX_DATA_BYTES => Ok(bytes),
            Ok(_) | Err(_) => {
                let limit = MAX_DATA_BYTES >> 20;
                let message = format!("the buffers of a script have at most {limit} MiB together");
                Err(Problem::error(span, message))
            }
        }
    }
}
