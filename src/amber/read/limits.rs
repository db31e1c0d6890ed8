//! Limits of what a script may ask for, so that no number in it decides how much memory is taken.

/// Bytes of all buffers and images of a script together.
pub const MAX_DATA_BYTES: u64 = 256 << 20;

/// Errors that are told of one script.
pub const MAX_ERRORS: usize = 100;

/// Pipelines of a script.
pub const MAX_PIPELINES: usize = 2_000;

/// Things of one kind that a pipeline has: bindings, vertex buffers, attachments or constants.
pub(crate) const MAX_ATTACHED: usize = 256;

/// Bytes of a name or a path.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// Structures of a script.
pub(crate) const MAX_STRUCTURES: usize = 256;

/// Numbers that an element has.
pub(crate) const MAX_COMPONENTS: usize = 4_096;

/// Bytes of an element.
pub(crate) const MAX_ELEMENT_BYTES: u32 = 1 << 20;

/// Structures that lie in one another.
pub(crate) const MAX_STRUCTURE_DEPTH: usize = 16;
