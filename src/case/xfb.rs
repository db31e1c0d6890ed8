//! `[capture]` and its commands: transform feedback, which captures vertex outputs into buffers.

use crate::{Draw, VertexColumn};

/// A transform feedback command of `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub enum XfbStep {
    /// `xfb buffer object N SIZE [WORD]`: a transform feedback buffer of SIZE bytes, filled with WORD, or with zeros.
    Buffer {
        /// Number of the buffer.
        buffer: u32,
        /// Size in bytes.
        size: u32,
        /// Initial value of every word.
        fill: u32,
    },
    /// `xfb buffer range N OFFSET SIZE [of M]`: redirects transform feedback buffer N to a range of buffer M, by
    /// default of its own storage. In force until buffer N is created again.
    Range {
        /// Transform feedback buffer that is redirected.
        buffer: u32,
        /// Buffer with the bytes.
        of: u32,
        /// Offset of the first byte. Offset and size are multiples of four.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// `xfb draw …`: captures one draw, from the start of the buffers, without rasterisation.
    Draw(Draw),
    /// `capture begin`: starts transform feedback; draws append to the buffers.
    Begin,
    /// `capture pause`.
    Pause,
    /// `capture resume`.
    Resume,
    /// `capture end`.
    End,
}

/// `from capture N COLUMN… [offset BYTES] [stride BYTES]`: vertices of a draw from a transform feedback buffer. A row
/// has the columns in order without gaps; rows are one stride apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbRows {
    /// Number of the buffer, which is read from its first byte even if captures go to a range of it.
    pub buffer: u32,
    /// Attributes, stored as 32-bit words.
    pub columns: Vec<VertexColumn>,
    /// Offset of the first row, a multiple of four.
    pub offset: u32,
    /// Bytes from one row to the next: a multiple of four, and at least the size of a row.
    pub stride: u32,
}

impl XfbRows {
    /// Size of a row in bytes, without padding up to the stride.
    pub fn row_bytes(&self) -> u32 {
        let ends =
            self.columns.iter().map(|column| column.offset + 4 * u32::from(column.components));
        ends.max().unwrap_or(0)
    }

    /// Number of rows in a buffer of `size` bytes.
    pub fn count_in(&self, size: u32) -> u32 {
        let room =
            size.checked_sub(self.offset).and_then(|rest| rest.checked_sub(self.row_bytes()));
        room.map_or(0, |room| room / self.stride.max(1) + 1)
    }
}

/// Transform feedback query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XfbQuery {
    /// `GL_PRIMITIVES_GENERATED`: all primitives.
    Generated,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`: the primitives that fit into the buffers.
    Written,
}
