//! `[capture]` and its commands: transform feedback, which captures vertex outputs into buffers.

use crate::Draw;

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

/// Transform feedback query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XfbQuery {
    /// `GL_PRIMITIVES_GENERATED`: all primitives.
    Generated,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`: the primitives that fit into the buffers.
    Written,
}
