//! Transform feedback: captured draws, the events between them, and replaying these.

pub mod agreement;
pub mod assembly;
mod emitted;
pub mod replay;

use case::xfb::XfbQuery;

/// A transform feedback event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XfbEvent {
    /// Creation of a buffer.
    Buffer {
        /// Number of the buffer.
        number: u32,
        /// Size in bytes.
        size: u32,
        /// Initial value of every word.
        fill: u32,
    },
    /// Redirection to a range of a buffer.
    Range {
        /// Transform feedback buffer that is redirected.
        number: u32,
        /// Buffer with the bytes.
        of: u32,
        /// Offset of the first byte.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// Start of transform feedback, at the start of all buffers.
    Begin,
    /// A captured draw.
    Draw {
        /// Index of the step.
        step: usize,
        /// Index of the program.
        program: usize,
        /// Vertices per primitive.
        vertices: u32,
        /// Primitives of all instances.
        primitives: u32,
        /// Stream of the geometry stage that emitted the primitives.
        stream: u32,
        /// Indices into [`crate::Plan::snapshots`]: the records from the function, and from the slots. `None` without
        /// primitives.
        records: Option<[usize; 2]>,
        /// With a geometry stage, the entries that show which of the primitives were emitted.
        entries: Option<EmittedEntries>,
    },
    /// A draw while transform feedback is paused: its primitives count as generated.
    Paused {
        /// Primitives of all instances.
        primitives: u32,
        /// With a geometry stage, the entries that show which of the primitives were emitted.
        entries: Option<EmittedEntries>,
    },
    /// A probe of a buffer.
    Probe {
        /// Index of the step.
        step: usize,
        /// Number of the buffer.
        number: u32,
    },
    /// A check of a number of primitives.
    Count {
        /// Index of the step.
        step: usize,
        /// The query.
        query: XfbQuery,
    },
}

/// Entries of a geometry stage: the entries of primitives that it did not emit have no vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmittedEntries {
    /// Index into [`crate::Plan::snapshots`].
    pub snapshot: usize,
    /// Index of the first entry among the words of the snapshot.
    pub first: u32,
    /// Number of entries.
    pub count: u32,
    /// Number of entries of each primitive.
    pub vertices: u32,
}
