//! Assembles transform feedback buffers from records, by the rules of OpenGL 4.6 core, 13.3: primitives are written
//! one after the other, a primitive that does not fit every buffer is written to none, and other bytes keep their
//! value.
//!
//! The position of a word does not depend on its value. So an [`Assembly`] is generic over words: bits that were read
//! back, or, when planning a draw from a transform feedback buffer, the places where they will be.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::XfbEvent;
use case::xfb::XfbQuery;
use link::xfb::{Run, Xfb};

/// All transform feedback buffers at one step.
#[derive(Clone, Debug)]
pub struct Assembly<W> {
    buffers: BTreeMap<u32, Content<W>>,
    /// For each transform feedback buffer, the buffer with its bytes and the range in it.
    places: BTreeMap<u32, (u32, Range<usize>)>,
    /// Vertices written since transform feedback began.
    vertices: usize,
    generated: u32,
    written: u32,
}

/// Content of a buffer.
#[derive(Clone, Debug)]
pub struct Content<W> {
    /// Size in bytes.
    pub size: usize,
    /// All whole words.
    pub words: Vec<W>,
    /// Initial value of every word, and of the bytes after the last whole word.
    pub fill: W,
}

impl<W> Default for Assembly<W> {
    fn default() -> Self {
        let (buffers, places) = (BTreeMap::new(), BTreeMap::new());
        Self { buffers, places, vertices: 0, generated: 0, written: 0 }
    }
}

impl<W: Copy> Assembly<W> {
    /// Applies an event. `fill` converts the initial bits of a new buffer to a word; `word` returns word n of the
    /// records of the event's draw.
    pub fn apply(
        &mut self,
        xfbs: &[Option<&Xfb>],
        event: &XfbEvent,
        fill: impl Fn(u32) -> W,
        word: impl Fn(usize) -> Option<W>,
    ) {
        match event {
            XfbEvent::Buffer { number, size, fill: bits } => {
                let (size, fill) = (usize::try_from(*size).unwrap_or(usize::MAX), fill(*bits));
                let content = Content { size, words: vec![fill; size / 4], fill };
                self.buffers.insert(*number, content);
                self.places.insert(*number, (*number, 0..size));
            }
            XfbEvent::Range { number, of, offset, size } => {
                let [offset, size] =
                    [*offset, *size].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
                self.places.insert(*number, (*of, offset..offset.saturating_add(size)));
            }
            XfbEvent::Begin => (self.vertices, self.generated, self.written) = (0, 0, 0),
            XfbEvent::Draw { program, vertices, primitives, .. } => {
                if let Some(xfb) = xfbs.get(*program).copied().flatten() {
                    self.draw(xfb, *vertices, *primitives, word);
                }
            }
            XfbEvent::Paused { primitives, .. } => {
                self.generated = self.generated.saturating_add(*primitives);
            }
            XfbEvent::Probe { .. } | XfbEvent::Count { .. } => {}
        }
    }

    /// Content of a buffer, if it exists.
    pub fn buffer(&self, number: u32) -> Option<&Content<W>> {
        self.buffers.get(&number)
    }

    /// Vertices written since transform feedback began.
    pub(crate) const fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of primitives since transform feedback began.
    pub const fn count(&self, query: XfbQuery) -> u32 {
        match query {
            XfbQuery::Generated => self.generated,
            XfbQuery::Written => self.written,
        }
    }

    fn draw(
        &mut self,
        xfb: &Xfb,
        vertices: u32,
        primitives: u32,
        word: impl Fn(usize) -> Option<W>,
    ) {
        let stride = usize::try_from(xfb.from_function.stride).unwrap_or(1).max(1);
        let vertices = usize::try_from(vertices).unwrap_or(1).max(1);
        self.generated = self.generated.saturating_add(primitives);
        for primitive in 0..usize::try_from(primitives).unwrap_or(0) {
            // After a primitive that does not fit, no later one fits.
            if !self.has_room(xfb, vertices) {
                return;
            }
            for vertex in 0..vertices {
                let record = primitive.saturating_mul(vertices).saturating_add(vertex);
                self.write(xfb, |at| word(record.saturating_mul(stride).saturating_add(at)));
                self.vertices = self.vertices.saturating_add(1);
            }
            self.written = self.written.saturating_add(1);
        }
    }

    /// True if that many vertices fit into their buffers.
    fn has_room(&self, xfb: &Xfb, vertices: usize) -> bool {
        let last = self.vertices.saturating_add(vertices) - 1;
        xfb.runs.iter().all(|run| {
            let size = self.places.get(&run.buffer).map_or(0, |(number, range)| {
                // A buffer that was created again may be shorter than the range.
                let end = self.buffers.get(number).map_or(0, |buffer| buffer.size).min(range.end);
                end.saturating_sub(range.start)
            });
            let end = first_byte(xfb, run, last).saturating_add(4 * run.count as usize);
            end <= size
        })
    }

    /// Writes the next vertex; `word` returns the words of its record.
    fn write(&mut self, xfb: &Xfb, word: impl Fn(usize) -> Option<W>) {
        for run in &xfb.runs {
            let Some((number, range)) = self.places.get(&run.buffer) else { continue };
            let start = range.start.saturating_add(first_byte(xfb, run, self.vertices)) / 4;
            let Some(buffer) = self.buffers.get_mut(number) else { continue };
            let places = buffer.words.iter_mut().skip(start).take(run.count as usize);
            for (place, at) in places.zip(run.record_word as usize..) {
                *place = word(at).unwrap_or(*place);
            }
        }
    }
}

/// Offset of a run of one vertex in its buffer's range.
fn first_byte(xfb: &Xfb, run: &Run, vertex: usize) -> usize {
    let buffer = xfb.buffers.iter().find(|buffer| buffer.number == run.buffer);
    let stride = buffer.map_or(0, |buffer| buffer.stride as usize);
    vertex.saturating_mul(stride).saturating_add(run.word as usize).saturating_mul(4)
}
