//! Transform feedback: which outputs of the vertex stage are captured, and where each word goes.
//!
//! Words used here: an *item* is what one line of `[capture]` or one `xfb_offset` names, cut down to scalars, vectors,
//! matrices and arrays of these; a *record* is everything that is captured of one vertex, item after item without gaps.
//! What is captured is decided by one of two descriptions, and [`declared`] gives the same [`Layout`] for both:
//!
//! * the case's `[capture]` section, which is GL's list of names ([`listed`]);
//! * `xfb_buffer`, `xfb_offset` and `xfb_stride` in the shader, which override the list ([`qualified`]).
//!
//! WebGPU has no transform feedback, so the vertex stage runs as a compute stage ([`crate::capture`]) that writes
//! records, and whoever runs it copies their words into buffers as GL would. There are two such stages, which must agree:
//! one takes the values *from the function* before anything is packed, the other *from the slots* that the epilog packs
//! ([`chunk`]). What a slot holds times w agrees within one unit in the last place of the product, everything else bit by
//! bit.

pub(crate) mod chunk;
#[cfg(test)]
mod example_tests;
pub mod listed;
pub mod name;
pub mod qualified;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use naga::valid::ModuleInfo;

use crate::binding::{Attribute, VertexCapture};
use crate::map::LinkMap;
use crate::shell::Shell;
use crate::uniform::Uniforms;
use crate::{LinkError, LinkOptions, capture};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind, Type};
use ir::options::CaptureSection;
use ir::source::Span;
use ir::stage_module::{LanguageRules, StageModule};

use chunk::Routed;
use name::{Candidate, candidates};

/// Buffers that a program can write (`GL_MAX_TRANSFORM_FEEDBACK_BUFFERS`), which is GL's least number and llvmpipe's.
pub const MAX_BUFFERS: u32 = 4;

/// Words of one vertex in one buffer (`GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS`, and also `…_SEPARATE_…`):
/// GL's least number is 64 and 4, and llvmpipe's is 64 for both.
pub const MAX_COMPONENTS: u32 = 64;

/// What is captured of every vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// By buffer and place in it; in the order of the list where there is one.
    pub items: Vec<Item>,
    /// Those that hold something or have a stride, by number.
    pub buffers: Vec<Buffer>,
    /// Lines of the list, or items that the shader qualifies: what GL counts as captured varyings.
    pub varyings: Vec<Varying>,
}

/// A captured varying as GL lists it: an item, or a line of the list that captures nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Varying {
    /// `gl_NextBuffer`.
    NextBuffer,
    /// `gl_SkipComponents…`, with the number of words.
    Skip(u32),
    /// Index of an item.
    Item(usize),
}

/// Something that is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// As it is listed, or would be.
    pub name: String,
    /// The output that it is, or is a part of.
    pub variable: String,
    /// Its type: neither a structure nor an array that holds one.
    pub ty: Type,
    /// Where it is; `None` for an output that nothing writes, whose words stay as they are.
    pub place: Option<Place>,
    /// Number of the buffer.
    pub buffer: u32,
    /// Its first word there, counted from the vertex's first.
    pub word: u32,
    /// Whether it is a built-in variable, which takes no part in packing.
    pub is_builtin: bool,
    /// Where it is named.
    pub span: Span,
}

/// A capture buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its number.
    pub number: u32,
    /// Words from one vertex to the next.
    pub stride: u32,
    /// Whether it must be there: something goes to it.
    pub is_active: bool,
}

/// Everything that is needed to capture, beside the program itself.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// Buffers of the program.
    pub buffers: Vec<Buffer>,
    /// Where the words of a record go, in the order of the record.
    pub runs: Vec<Run>,
    /// What slots hold times w.
    pub times_w: TimesW,
    /// The stage that writes records from the values that the user's code leaves.
    pub from_function: VertexCapture,
    /// The stage that writes records from packed slots.
    pub from_slots: VertexCapture,
}

/// Words that a slot holds multiplied by the position's w, so that perspective interpolation is linear. The two ways to
/// capture do not give the same there: from the slots comes the product, and from the function what is multiplied. So the
/// record of both has w as well, behind all that is captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimesW {
    /// The words.
    pub words: BTreeSet<u32>,
    /// The word that w is; of no meaning where there is no other.
    pub w: u32,
}

/// Neighbouring words of a record that stay neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What they are, for messages.
    pub name: String,
    /// Their first word in the record.
    pub record_word: u32,
    /// Buffer that they go to.
    pub buffer: u32,
    /// Their first word there, counted from the vertex's first.
    pub word: u32,
    /// How many.
    pub count: u32,
}

impl Item {
    /// Words it takes.
    pub fn words(&self) -> u32 {
        self.ty.component_count()
    }

    /// Its scalars and vectors, each with its place and its first word in the buffer. None where nothing is written.
    fn leaves(&self) -> Vec<CapturedLeaf> {
        let Some(place) = &self.place else { return Vec::new() };
        let mut word = self.word;
        let leaf = |leaf: ir::interface::Leaf| {
            let mut path = place.path.clone();
            path.extend(&leaf.path);
            let first = word;
            word = word.saturating_add(u32::from(chunk::words_of(leaf.size, leaf.scalar)));
            let place = Place { global: place.global, path };
            CapturedLeaf { place, scalar: leaf.scalar, size: leaf.size, word: first }
        };
        self.ty.leaves().into_iter().map(leaf).collect()
    }
}

/// A scalar or vector that is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CapturedLeaf {
    place: Place,
    scalar: ScalarKind,
    size: u8,
    word: u32,
}

impl CapturedLeaf {
    /// Words it takes, 1 to 8.
    fn words(&self) -> u8 {
        chunk::words_of(self.size, self.scalar)
    }
}

impl Layout {
    /// The buffers that items go to, and those of `strides`, which are in words. Without a stride a buffer ends with its
    /// last item.
    fn of(items: Vec<Item>, varyings: Vec<Varying>, strides: &[(u32, u32)]) -> Self {
        let buffer = |number: u32| {
            let own = || items.iter().filter(|item| item.buffer == number);
            let given = strides.iter().find(|(buffer, _)| *buffer == number);
            let end = own().map(|item| item.word.saturating_add(item.words())).max();
            let stride = given.map(|(_, stride)| *stride).or(end)?;
            Some(Buffer { number, stride, is_active: end.is_some() })
        };
        let buffers = (0..MAX_BUFFERS).filter_map(buffer).collect();
        Self { items, buffers, varyings }
    }
}

/// Whether a type has scalars of two words, which want to stand at multiples of two.
fn has_64_bit(ty: &Type) -> bool {
    ty.leaves().iter().any(|leaf| leaf.scalar.components() == 2)
}

/// What the vertex stage's own words, or else `section`, say about captures; `None` when nothing is captured.
///
/// # Errors
/// All reasons why it cannot be captured, in the order in which items are named.
pub fn declared(
    vertex: &StageModule,
    section: Option<&CaptureSection>,
) -> Result<Option<Layout>, Vec<Diagnostic>> {
    let candidates = candidates(vertex);
    if vertex.feedback.is_declared() {
        return qualified::layout(&candidates, &vertex.feedback).map(Some);
    }
    let Some(section) = section else { return Ok(None) };
    if vertex.rules == LanguageRules::FixedFunction {
        return Err(vec![no_vertex_stage(section)]);
    }
    listed::layout(&candidates, section).map(Some)
}

/// The error about a program without a vertex stage.
pub fn no_vertex_stage(section: &CaptureSection) -> Diagnostic {
    Diagnostic::error(section.header, "outputs are captured, but there is no vertex stage")
}

/// Where the scalars of a part of `candidate` are.
fn place_of(candidate: &Candidate, path: &[u32]) -> Option<Place> {
    let whole = candidate.place.as_ref()?;
    Some(Place { global: whole.global, path: [&whole.path, path].concat() })
}

/// What the capturing stages are made from.
#[derive(Debug)]
pub struct Capturing<'a> {
    /// What is captured, if anything is.
    pub layout: Option<&'a Layout>,
    /// The vertex stage's shell.
    pub shell: &'a Shell,
    /// What it reads.
    pub attributes: &'a [Attribute],
    /// How the varyings travel.
    pub routed: Routed<'a>,
    /// How the program is linked.
    pub options: &'a LinkOptions,
}

impl Capturing<'_> {
    /// Both stages, and what the link map says about them. `stages` are all of the program, the vertex stage first, and
    /// `infos` those of their final modules.
    pub fn link(
        self,
        stages: &[&StageModule],
        infos: &[ModuleInfo],
        uniforms: &Uniforms,
        map: &mut LinkMap,
    ) -> Result<Option<Feedback>, LinkError> {
        let ([vertex, ..], [info, ..], Some(layout)) = (stages, infos, self.layout) else {
            return Ok(None);
        };
        capture::check_writes(vertex, info, "whose outputs are captured")?;
        if let Some(wide) = layout.items.iter().find(|item| has_64_bit(&item.ty)) {
            let (word, span) = (format!("{} that is captured", wide.ty), wide.span);
            return Err(LinkError::Unsupported { word, span });
        }
        let ways = chunk::ways(layout, vertex, self.shell, self.routed, self.options.packing)
            .map_err(LinkError::Refused)?;
        let (shell, from_slots) = ways.from_slots;
        let link = |shell: &Shell, captured| {
            capture::link(shell, self.attributes, captured, stages, (uniforms, self.options))
        };
        let from_function = link(self.shell, ways.from_function)?;
        let from_slots = link(&shell, from_slots)?;
        let buffers = layout.buffers.clone();
        map.capture_buffers = buffers.iter().map(|it| (it.number, it.stride * 4)).collect();
        map.captured = ways.rows;
        map.captured_varyings = u32::try_from(layout.varyings.len()).unwrap_or(u32::MAX);
        map.unread.retain(|name| !layout.items.iter().any(|item| item.variable == *name));
        let (runs, times_w) = (ways.runs, ways.times_w);
        Ok(Some(Feedback { buffers, runs, times_w, from_function, from_slots }))
    }
}
