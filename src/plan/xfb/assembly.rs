//! Assembles transform feedback buffers from records, by the rules of OpenGL 4.6 core, 13.3: primitives are written one
//! after another, a primitive that does not fit in every buffer is written to none, and other bytes keep their value.
//!
//! The position of a word does not depend on its value. So an [`Assembly`] is generic over words: bits that were read
//! back or, when planning a draw from a transform feedback buffer, the places where they will be.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::XfbEvent;
use case::xfb::XfbQuery;
use link::compute::xfb::{Run, Xfb};

/// All transform feedback buffers at one step.
#[derive(Clone, Debug)]
pub struct Assembly<W> {
    buffers: BTreeMap<u32, Content<W>>,
    /// For each transform feedback buffer, the buffer with its bytes and the range in it.
    places: BTreeMap<u32, (u32, Range<usize>)>,
    /// Counts of the streams, by number.
    streams: BTreeMap<u32, Counts>,
}

/// Counts of one stream since transform feedback began.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Number of vertices written.
    vertices: usize,
    /// Number of primitives.
    generated: u32,
    /// Number of primitives written.
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
        Self { buffers, places, streams: BTreeMap::new() }
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
            XfbEvent::Begin => self.streams.clear(),
            XfbEvent::Draw { program, vertices, primitives, stream, .. } => {
                if let Some(xfb) = xfbs.get(*program).copied().flatten() {
                    self.draw(xfb, *stream, *vertices, *primitives, word);
                }
            }
            XfbEvent::Paused { primitives, .. } => {
                let counts = self.streams.entry(0).or_default();
                counts.generated = counts.generated.saturating_add(*primitives);
            }
            XfbEvent::Probe { .. } | XfbEvent::Count { .. } => {}
        }
    }

    /// Content of a buffer, if it exists.
    pub fn buffer(&self, number: u32) -> Option<&Content<W>> {
        self.buffers.get(&number)
    }

    /// Vertices of the first stream written since transform feedback began.
    pub(crate) fn vertices(&self) -> usize {
        self.counts(0).vertices
    }

    /// Number of primitives of the first stream since transform feedback began.
    pub fn count(&self, query: XfbQuery) -> u32 {
        match query {
            XfbQuery::Generated => self.counts(0).generated,
            XfbQuery::Written => self.counts(0).written,
        }
    }

    fn counts(&self, stream: u32) -> Counts {
        self.streams.get(&stream).copied().unwrap_or_default()
    }

    fn draw(
        &mut self,
        xfb: &Xfb,
        stream: u32,
        vertices: u32,
        primitives: u32,
        word: impl Fn(usize) -> Option<W>,
    ) {
        let stride = usize::try_from(xfb.stride).unwrap_or(1).max(1);
        let vertices = usize::try_from(vertices).unwrap_or(1).max(1);
        let mut counts = self.counts(stream);
        counts.generated = counts.generated.saturating_add(primitives);
        // Without a buffer nothing is written.
        let captured = if xfb.captures(stream) { primitives } else { 0 };
        for primitive in 0..usize::try_from(captured).unwrap_or(0) {
            // After a primitive that does not fit, no later one fits.
            if !self.has_room(xfb, stream, counts.vertices.saturating_add(vertices)) {
                break;
            }
            for vertex in 0..vertices {
                let record = primitive.saturating_mul(vertices).saturating_add(vertex);
                let own = |at: usize| word(record.saturating_mul(stride).saturating_add(at));
                self.write(xfb, stream, counts.vertices, own);
                counts.vertices = counts.vertices.saturating_add(1);
            }
            counts.written = counts.written.saturating_add(1);
        }
        self.streams.insert(stream, counts);
    }

    /// True if that many vertices of a stream, at least one, fit into their buffers.
    fn has_room(&self, xfb: &Xfb, stream: u32, vertices: usize) -> bool {
        let last = vertices.saturating_sub(1);
        xfb.runs_of(stream).all(|run| {
            let size = self.places.get(&run.buffer).map_or(0, |(number, range)| {
                // A buffer that was created again may be shorter than the range.
                let end = self.buffers.get(number).map_or(0, |buffer| buffer.size).min(range.end);
                end.saturating_sub(range.start)
            });
            let end = first_byte(xfb, run, last).saturating_add(4 * run.count as usize);
            end <= size
        })
    }

    /// Writes vertex `vertex` of a stream; `word` returns the words of its record.
    fn write(&mut self, xfb: &Xfb, stream: u32, vertex: usize, word: impl Fn(usize) -> Option<W>) {
        for run in xfb.runs_of(stream) {
            let Some((number, range)) = self.places.get(&run.buffer) else { continue };
            let start = range.start.saturating_add(first_byte(xfb, run, vertex)) / 4;
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
