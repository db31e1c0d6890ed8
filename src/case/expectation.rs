//! What a step expects to have come back.

use super::{Number, Tolerance, capture, query};
use crate::link::interface::Type;

/// What a step asserts.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// `link success`.
    LinkSuccess,
    /// `link error`.
    LinkError,
    /// `verify program_query GL_TRANSFORM_FEEDBACK_VARYINGS N`: how many outputs are captured.
    CapturedVaryings(u32),
    /// `verify query_object …`: how many primitives there were since captures began.
    CaptureCount {
        /// Which ones.
        query: capture::CaptureQuery,
        /// How many.
        expected: u32,
    },
    /// A probe of pixels.
    Probe(Probe),
    /// `probe ssbo …`, `probe buffer …` or `probe capture …`.
    Buffer(BufferProbe),
    /// `probe depth x y z`.
    Depth(DepthProbe),
    /// `golden target N NAME …`.
    Golden(Golden),
    /// `active uniform …` or `verify …`.
    Query(query::Query),
}

/// A probe of a pixel or region of a render target. (0, 0) is the lower left pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Render target, 0 when not given.
    pub target: u32,
    /// Sample of each pixel; `None` for the target resolved to one.
    pub sample: Option<u32>,
    /// Which pixels.
    pub region: Region,
    /// Which channels count: 3 for `rgb`, 4 for `rgba`.
    pub channels: u8,
    /// Expected value, one number per channel that counts.
    pub expected: Vec<Number>,
    /// What else a channel may be, where a specification leaves a choice (`65504|inf`): the channel, 0 is red, and the
    /// number.
    pub alternatives: Vec<(usize, Number)>,
    /// `ulp N` at the end of the line, else the tolerance in force.
    pub tolerance: Option<Tolerance>,
    /// Whether the values came as `int` (piglit's `rgba int`): exact.
    pub is_exact_integer: bool,
}

/// Which pixels a probe looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// One pixel; compared as floats.
    Pixel([u32; 2]),
    /// One pixel at fractions of the target: truncated, and clamped to the last pixel.
    RelativePixel([f64; 2]),
    /// x, y, width, height; compared as bytes on targets of at most 8 bits.
    Rect([u32; 4]),
    /// Fractions of the target; truncated.
    RelativeRect([f64; 4]),
    /// Every pixel; compared as [`Region::Rect`].
    All,
}

/// A probe of one pixel of the depth buffer; compared as a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthProbe {
    /// The pixel; (0, 0) is the lower left one.
    pub at: [u32; 2],
    /// The depth, from 0 to 1.
    pub expected: Number,
}

/// A probe of a storage buffer, or of a capture buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferProbe {
    /// Binding point.
    pub binding: u32,
    /// Byte offset.
    pub offset: u32,
    /// Type of each value.
    pub ty: Type,
    /// observed `comparison` expected.
    pub comparison: Comparison,
    /// Expected values, one per scalar.
    pub expected: Vec<Number>,
}

/// How an observed number is compared with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`: equal; floats within 2.2e-16, NaN never (`0x…` compares bits).
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `~=`: within the tolerance in force.
    Near,
}

/// `golden target N NAME [exact | tolerance n | flip t]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// Render target.
    pub target: u32,
    /// File name without extension, below the case's folder in `golden/`.
    pub name: String,
    /// How it is compared.
    pub rule: GoldenRule,
}

/// How an image is compared with its golden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GoldenRule {
    /// Byte for byte.
    Exact,
    /// Every channel within n of the format's smallest steps.
    Tolerance(u32),
    /// Mean FLIP error at most this (8-bit colour targets only).
    Flip(f32),
}
