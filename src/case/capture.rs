//! `[capture]`: transform feedback, what is captured of every vertex and into which buffer.

use crate::{Draw, VertexColumn};

/// What a capture is told in `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureStep {
    /// `xfb buffer object N SIZE [WORD]`: a buffer of SIZE bytes for captures, full of WORD, or else of zeros.
    Buffer {
        /// Its number.
        buffer: u32,
        /// Bytes.
        size: u32,
        /// What every word of it is.
        fill: u32,
    },
    /// `xfb buffer range N OFFSET SIZE [of M]`: what goes to capture buffer N is written to these bytes of buffer M, or
    /// else of its own one, until it gets a new buffer.
    Range {
        /// The number that captures know.
        buffer: u32,
        /// The number of the buffer that has the bytes.
        of: u32,
        /// The first byte; both are multiples of four.
        offset: u32,
        /// How many.
        size: u32,
    },
    /// `xfb draw …`: captures one draw, from the start of the buffers on, and rasterises nothing.
    Draw(Draw),
    /// `capture begin`: draws are captured from here on, one behind the other.
    Begin,
    /// `capture pause`.
    Pause,
    /// `capture resume`.
    Resume,
    /// `capture end`.
    End,
}

/// `from capture N COLUMN… [offset BYTES] [stride BYTES]`: vertices of a draw that were captured before. A row has the
/// columns one after the other, and rows are a stride apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedRows {
    /// The number of the buffer that has them, from its first byte on whatever ranges of it are captured to.
    pub buffer: u32,
    /// Attributes, whose numbers are words.
    pub columns: Vec<VertexColumn>,
    /// The first row's first byte, a multiple of four.
    pub offset: u32,
    /// Bytes from one row to the next, a multiple of four and no less than a row has.
    pub stride: u32,
}

impl CapturedRows {
    /// Bytes of a row without what lies between it and the next.
    pub fn row_bytes(&self) -> u32 {
        let ends = self.columns.iter().map(|it| it.offset + 4 * u32::from(it.components));
        ends.max().unwrap_or(0)
    }

    /// Rows of a buffer of `size` bytes.
    pub fn count_in(&self, size: u32) -> u32 {
        let room = size.checked_sub(self.offset).and_then(|it| it.checked_sub(self.row_bytes()));
        room.map_or(0, |room| room / self.stride.max(1) + 1)
    }
}

/// What is counted while primitives are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureQuery {
    /// `GL_PRIMITIVES_GENERATED`: all of them.
    Generated,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`: those that had room in the buffers.
    Written,
}
