//! Block layouts: where every scalar of a block stands in its buffer.

/// Offsets and strides of one type inside a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockLayout {}
