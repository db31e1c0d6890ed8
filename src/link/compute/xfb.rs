//! Transform feedback: determines the captured outputs of the vertex stage, and the place of each word.
//!
//! Terms: an *item* is an output that one line of `[capture]` or one `xfb_offset` names, split into scalars, vectors,
//! matrices and arrays of these. A *record* contains everything that is captured of one vertex, item by item without
//! gaps. One of two descriptions selects the items, and [`declared`] returns the same [`XfbLayout`] for both:
//!
//! * the case's `[capture]` section, which is GL's list of names ([`listed`]);
//! * `xfb_buffer`, `xfb_offset` and `xfb_stride` in the shader, which override the list ([`qualified`]).
//!
//! WebGPU has no transform feedback, so the vertex stage runs as a compute stage (`vertex_compute`) that
//! writes records, and the executor copies their words into buffers as GL would. There are two of these compute stages,
//! which must agree: one captures the values *from the function* before packing, the other *from the slots* that the
//! epilog packs (`chunk`). Values that slots hold times w agree within one unit in the last place of the product, all
//! other values bit by bit.

pub(crate) mod chunk;
#[cfg(test)]
mod example_tests;
pub mod listed;
pub mod name;
pub mod qualified;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::LinkError;
use crate::compute::vertex_compute::VertexProgram;
use crate::place::map::{LinkMap, XfbRow};
use crate::table::pass::{Pass, Role};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind, Type};
use ir::options::CaptureSection;
use ir::source::Span;
use ir::stage_module::{LanguageRules, StageModule};

use chunk::Routed;
use name::{Candidate, candidates};

/// Maximum number of transform feedback buffers of a program (`GL_MAX_TRANSFORM_FEEDBACK_BUFFERS`): GL's minimum, and
/// llvmpipe's limit.
pub(crate) const MAX_BUFFERS: u32 = 4;

/// Maximum number of words of one vertex in one buffer (`GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS`, and also
/// `…_SEPARATE_…`): GL's minima are 64 and 4, and llvmpipe's limit is 64 for both.
pub const MAX_COMPONENTS: u32 = 64;

/// The captured outputs of a vertex stage and their places in buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XfbLayout {
    /// The items, ordered by buffer and place in it, or in the order of the list if there is one.
    pub items: Vec<Item>,
    /// The buffers that contain items or have a stride, in order of their numbers.
    pub buffers: Vec<Buffer>,
    /// The captured varyings as GL counts them: lines of the list, or items that the shader qualifies.
    pub varyings: Vec<Varying>,
}

/// A captured varying as GL lists it: an item, or a line of the list that captures nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Varying {
    /// The line `gl_NextBuffer`.
    NextBuffer,
    /// A line `gl_SkipComponents…`, with the number of words.
    Skip(u32),
    /// An item, by its index.
    Item(usize),
}

/// A captured output, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the item, as it is or would be listed.
    pub name: String,
    /// Name of the output that the item belongs to.
    pub variable: String,
    /// Type of the item, which is neither a structure nor an array that contains one.
    pub ty: Type,
    /// Place of the item in the module; `None` for an unwritten output, whose words in the buffer are left unchanged.
    pub place: Option<Place>,
    /// Number of the transform feedback buffer.
    pub buffer: u32,
    /// Index of the item's first word in the buffer, relative to the vertex's first word.
    pub word: u32,
    /// True for a built-in variable, which is not packed.
    pub is_builtin: bool,
    /// The stream of a geometry stage that the item belongs to.
    pub stream: u32,
    /// Position of the item's name in the source.
    pub span: Span,
}

/// A transform feedback buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Number of the buffer.
    pub number: u32,
    /// Number of words from one vertex to the next.
    pub stride: u32,
    /// True if items are written to the buffer, so that it must be bound.
    pub is_active: bool,
    /// The stream of a geometry stage whose vertices the buffer captures.
    pub stream: u32,
}

/// What transform feedback does with the records that its passes write.
#[derive(Clone, Debug)]
pub struct Xfb {
    /// Buffers of the program.
    pub buffers: Vec<Buffer>,
    /// Destinations of the words of a record, in the order of the record.
    pub runs: Vec<Run>,
    /// The words that slots hold times w.
    pub times_w: TimesW,
    /// Number of words of a record.
    pub stride: u32,
}

/// The words that slots hold multiplied by the position's w, so that perspective interpolation is linear. The two
/// capture methods differ in these words: the slots contain the product, the function the factor. So both records also
/// contain w, after all captured words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimesW {
    /// Indices of the words in a record.
    pub words: BTreeSet<u32>,
    /// Index of the w word; unused if `words` is empty.
    pub w: u32,
}

/// Consecutive words of a record that are also consecutive in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Name of the item, for messages.
    pub name: String,
    /// Index of the first word in the record.
    pub record_word: u32,
    /// Number of the buffer to which the words are copied.
    pub buffer: u32,
    /// Index of the first word in the buffer, relative to the vertex's first word.
    pub word: u32,
    /// Number of words.
    pub count: u32,
}

impl Xfb {
    /// The stream of a buffer.
    pub fn stream_of(&self, buffer: u32) -> u32 {
        let known = self.buffers.iter().find(|known| known.number == buffer);
        known.map_or(0, |known| known.stream)
    }

    /// True if some buffer captures vertices of this stream.
    pub fn captures(&self, stream: u32) -> bool {
        self.buffers.iter().any(|buffer| buffer.is_active && buffer.stream == stream)
    }

    /// The runs of vertices of this stream.
    pub fn runs_of(&self, stream: u32) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| self.stream_of(run.buffer) == stream)
    }
}

impl Run {
    /// True if the run contains this word of a record.
    pub fn holds(&self, word: u32) -> bool {
        (self.record_word..self.record_word.saturating_add(self.count)).contains(&word)
    }
}

impl Item {
    /// Size of the item in words.
    pub fn words(&self) -> u32 {
        self.ty.component_count()
    }

    /// The scalars and vectors of the item, each with its place and its first word in the buffer. Empty if the item is
    /// not written.
    fn leaves(&self) -> Vec<XfbLeaf> {
        let Some(place) = &self.place else { return Vec::new() };
        let mut word = self.word;
        let leaf = |leaf: ir::interface::Leaf| {
            let mut path = place.path.clone();
            path.extend(&leaf.path);
            let first = word;
            word = word.saturating_add(u32::from(chunk::words_of(leaf.size, leaf.scalar)));
            let place = Place { global: place.global, path };
            XfbLeaf { place, scalar: leaf.scalar, size: leaf.size, word: first }
        };
        self.ty.leaves().into_iter().map(leaf).collect()
    }
}

/// A captured scalar or vector.
#[derive(Clone, Debug, PartialEq, Eq)]
struct XfbLeaf {
    place: Place,
    scalar: ScalarKind,
    size: u8,
    word: u32,
}

impl XfbLeaf {
    /// Size of the leaf in words, 1 to 8.
    fn words(&self) -> u8 {
        chunk::words_of(self.size, self.scalar)
    }
}

impl XfbLayout {
    /// The layout of `items`. Its buffers are those of the items and those in `strides`, which are in words. Without a
    /// stride, a buffer's vertex ends with its last item.
    fn of(items: Vec<Item>, varyings: Vec<Varying>, strides: &[(u32, u32)]) -> Self {
        let buffer = |number: u32| {
            let own = || items.iter().filter(|item| item.buffer == number);
            let given = strides.iter().find(|(buffer, _)| *buffer == number);
            let end = own().map(|item| item.word.saturating_add(item.words())).max();
            let stride = given.map(|(_, stride)| *stride).or(end)?;
            let stream = own().next().map_or(0, |item| item.stream);
            Some(Buffer { number, stride, is_active: end.is_some(), stream })
        };
        let buffers = (0..MAX_BUFFERS).filter_map(buffer).collect();
        Self { items, buffers, varyings }
    }

    /// Adds the captured outputs, whose rows are `rows`, to the link map.
    pub(crate) fn add_rows(&self, rows: Vec<XfbRow>, map: &mut LinkMap) {
        let size = |buffer: &Buffer| (buffer.number, buffer.stride * 4);
        map.xfb_buffers = self.buffers.iter().map(size).collect();
        map.xfb_rows = rows;
        map.xfb_varyings = u32::try_from(self.varyings.len()).unwrap_or(u32::MAX);
        map.unread.retain(|name| !self.items.iter().any(|item| item.variable == *name));
    }
}

/// The layout that the vertex stage declares, or else that of `section`; `None` without transform feedback.
///
/// # Errors
/// All reasons why the outputs cannot be captured, in the order in which items are named.
pub fn declared(
    vertex: &StageModule,
    section: Option<&CaptureSection>,
) -> Result<Option<XfbLayout>, Vec<Diagnostic>> {
    let candidates = candidates(vertex);
    if vertex.xfb.is_declared() {
        return qualified::layout(&candidates, &vertex.xfb).map(Some);
    }
    let Some(section) = section else { return Ok(None) };
    if vertex.rules == LanguageRules::FixedFunction {
        return Err(vec![no_vertex_stage(section)]);
    }
    listed::layout(&candidates, section).map(Some)
}

/// Checks that each buffer captures outputs of only one stream (C98).
fn check_streams(items: &[Item]) -> Result<(), Vec<Diagnostic>> {
    let mixed = items.iter().enumerate().filter_map(|(idx, item)| {
        let mut before = items[..idx].iter().filter(|known| known.buffer == item.buffer);
        let first = before.next().filter(|first| first.stream != item.stream)?;
        let message = format!(
            "`{}` of stream {} and `{}` of stream {} go to capture buffer {}",
            first.name, first.stream, item.name, item.stream, item.buffer
        );
        Some(Diagnostic::error(item.span, message))
    });
    let errors: Vec<_> = mixed.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The error for capturing a program without a vertex stage.
pub(crate) fn no_vertex_stage(section: &CaptureSection) -> Diagnostic {
    Diagnostic::error(section.header, "outputs are captured, but there is no vertex stage")
}

/// The place of the part of `candidate` at `path`.
fn place_of(candidate: &Candidate, path: &[u32]) -> Option<Place> {
    let whole = candidate.place.as_ref()?;
    Some(Place { global: whole.global, path: [&whole.path, path].concat() })
}

/// Makes the passes of transform feedback, and the rows of the link map for `layout`. `routed` are the routes of the
/// varyings.
pub(crate) fn link(
    layout: &XfbLayout,
    program: VertexProgram<'_>,
    routed: Routed<'_>,
) -> Result<(Xfb, [Pass; 2], Vec<XfbRow>), LinkError> {
    program.check_writes("whose outputs are captured")?;
    let packing = program.options.packing;
    let ways = chunk::ways(layout, program.vertex(), program.shell, routed, packing)
        .map_err(LinkError::Refused)?;
    let (shell, from_slots) = ways.from_slots;
    let from_function = program.link(ways.from_function, Role::FunctionCapture)?;
    let from_slots =
        VertexProgram { shell: &shell, ..program }.link(from_slots, Role::SlotCapture)?;
    let (buffers, runs, times_w) = (layout.buffers.clone(), ways.runs, ways.times_w);
    let captured = Xfb { buffers, runs, times_w, stride: from_function.stride };
    Ok((captured, [from_function, from_slots], ways.rows))
}
