//! What came back from an adapter: bytes with a format. Nothing is compared yet.

use std::sync::Arc;

use crate::format::Format;

/// Everything that came back from running one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readback {
    /// For every step of the case (by index), what its expectation looks at; `None` for other steps.
    pub captures: Vec<Option<Captured>>,
    /// What the adapter or the API complained about while the case ran. Any message fails the case.
    pub messages: Vec<String>,
    /// How many different pipelines the draws used. Where stages meet in pairs, one that was there already counts as
    /// well.
    pub pipelines: usize,
}

/// What one expectation looks at, as it was when the step was reached. Equal content is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Captured {
    /// A render target.
    Image(Arc<Image>),
    /// A buffer's bytes.
    Buffer(Arc<Vec<u8>>),
    /// A number of primitives.
    Count(u32),
}

/// A render target read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Format of the bytes.
    pub format: Format,
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` texels without padding. The first row is the lowest, as in GL.
    pub bytes: Vec<u8>,
}
