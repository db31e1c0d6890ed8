//! Computes the layout of a list of names (OpenGL 4.6 core, 11.1.2.1).

use std::collections::BTreeSet;

use ir::diagnostic::Diagnostic;
use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::source::{Span, Spanned};

use super::name::{Candidate, XfbError, find};
use super::{Item, MAX_BUFFERS, MAX_COMPONENTS, Varying, XfbLayout, check_streams, place_of};

/// The layout that the section describes.
///
/// # Errors
/// An error for every invalid line.
pub fn layout(
    candidates: &[Candidate],
    section: &CaptureSection,
) -> Result<XfbLayout, Vec<Diagnostic>> {
    let mut list = List { candidates, mode: section.mode, ..List::default() };
    for item in &section.items {
        let result = match (&item.value, section.mode) {
            (CaptureItem::Output(name), _) => list.add(name, item.span),
            (CaptureItem::Skip(words), CaptureMode::Interleaved) => {
                list.word = list.word.saturating_add(*words);
                let strides = &mut list.strides;
                strides.retain(|(buffer, _)| *buffer != list.buffer);
                strides.push((list.buffer, list.word));
                Ok(())
            }
            (CaptureItem::NextBuffer, CaptureMode::Interleaved) => list.next_buffer(),
            (CaptureItem::Skip(_), CaptureMode::Separate) => {
                Err(XfbError("`skip` is for interleaved captures only".to_owned()))
            }
            (CaptureItem::NextBuffer, CaptureMode::Separate) => {
                Err(XfbError("`next buffer` is for interleaved captures only".to_owned()))
            }
        };
        if let Err(XfbError(message)) = result {
            list.errors.push(Diagnostic::error(item.span, message));
        }
    }
    if !list.errors.is_empty() {
        return Err(list.errors);
    }
    let mut items = 0..list.items.len();
    let varying = |item: &Spanned<CaptureItem>| match &item.value {
        CaptureItem::NextBuffer => Some(Varying::NextBuffer),
        CaptureItem::Skip(words) => Some(Varying::Skip(*words)),
        CaptureItem::Output(_) => items.next().map(Varying::Item),
    };
    let varyings = section.items.iter().filter_map(varying).collect();
    check_streams(&list.items)?;
    Ok(XfbLayout::of(list.items, varyings, &list.strides))
}

#[derive(Default)]
struct List<'a> {
    candidates: &'a [Candidate],
    mode: CaptureMode,
    items: Vec<Item>,
    /// The parts that are already captured: the output, and the path to its part.
    seen: BTreeSet<(String, Vec<u32>)>,
    /// Position of the next item.
    buffer: u32,
    word: u32,
    /// The ends, in words, of buffers with gaps.
    strides: Vec<(u32, u32)>,
    errors: Vec<Diagnostic>,
}

impl List<'_> {
    fn add(&mut self, name: &str, span: Span) -> Result<(), XfbError> {
        let (candidate, part) = find(self.candidates, name)?;
        if !self.seen.insert((candidate.name.clone(), part.path.clone())) {
            return Err(XfbError(format!("`{name}` is captured twice")));
        }
        if self.mode == CaptureMode::Separate && !self.items.is_empty() {
            self.next_buffer()?;
        }
        let (buffer, word) = (self.buffer, self.word);
        let place = place_of(candidate, &part.path);
        let item = Item {
            name: name.to_owned(),
            variable: candidate.variable.clone(),
            ty: part.ty,
            place,
            buffer,
            word,
            is_builtin: candidate.is_builtin,
            stream: candidate.stream,
            span,
        };
        let end = word.saturating_add(item.words());
        if end > MAX_COMPONENTS {
            return Err(XfbError(format!(
                "`{}` ends after word {end} of capture buffer {buffer}, which has {MAX_COMPONENTS} per vertex",
                item.name
            )));
        }
        self.word = end;
        self.strides
            .iter_mut()
            .filter(|(known, _)| *known == buffer)
            .for_each(|known| known.1 = end);
        self.items.push(item);
        Ok(())
    }

    fn next_buffer(&mut self) -> Result<(), XfbError> {
        if self.buffer + 1 >= MAX_BUFFERS {
            return Err(XfbError(format!("there are only {MAX_BUFFERS} capture buffers")));
        }
        self.buffer += 1;
        self.word = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::compute::xfb::tests::{candidates_of, show};

    use super::*;

    /// The layout of a list with lines separated by commas, or its errors.
    #[track_caller]
    fn check(mode: CaptureMode, outputs: &str, list: &str, expected: &str) {
        let item = |text: &str| match text.split_once(' ') {
            Some(("skip", words)) => CaptureItem::Skip(words.parse().expect("a number")),
            Some(("next", _)) => CaptureItem::NextBuffer,
            Some(_) | None => CaptureItem::Output(text.to_owned()),
        };
        let items = list.split(", ").map(|text| Spanned::new(item(text), Span::new(0, 0)));
        let section = CaptureSection { header: Span::new(0, 0), mode, items: items.collect() };
        assert_eq!(show(&layout(&candidates_of(outputs), &section)), expected, "{list}");
    }

    const E1: &str = "vec2 a; vec3 c; vec3 d; mat4 m; float f[2]";

    #[test]
    fn interleaved_items_follow_each_other() {
        let check = |list, expected| check(CaptureMode::Interleaved, E1, list, expected);
        check("a, c, d", "a 0+0, c 0+2, d 0+5; 0: 32");
        // X2
        check("a, skip 2, c, next buffer, d", "a 0+0, c 0+4, d 1+0; 0: 28, 1: 12");
        check("a, skip 1, skip 4", "a 0+0; 0: 28");
        check("f[1], f, f[0]", "f[1] 0+0, f 0+1, f[0] 0+3; 0: 16");
    }

    /// The stride of a list is the size of what it captures, also with 64-bit values.
    #[test]
    fn a_double_takes_two_words() {
        let outputs = "struct{float a; dvec2 d;} q; float f";
        check(CaptureMode::Interleaved, outputs, "q.d", "q.d 0+0; 0: 16");
        check(CaptureMode::Interleaved, outputs, "q.d, f", "q.d 0+0, f 0+4; 0: 20");
    }

    #[test]
    fn separate_items_have_a_buffer_each() {
        let check = |list, expected| check(CaptureMode::Separate, E1, list, expected);
        check("c, a, d", "c 0+0, a 1+0, d 2+0; 0: 12, 1: 8, 2: 12");
        check("c, skip 1", "`skip` is for interleaved captures only");
        check("c, next buffer", "`next buffer` is for interleaved captures only");
        check("a, c, d, m, f", "there are only 4 capture buffers");
    }

    /// X9
    #[test]
    fn a_buffer_of_gaps_has_a_stride_but_need_not_be_there() {
        let list = "skip 4, next buffer, a";
        check(CaptureMode::Interleaved, E1, list, "a 1+0; 0: 16 idle, 1: 8");
        check(CaptureMode::Interleaved, E1, "next buffer, a", "a 1+0; 1: 8");
    }

    #[test]
    fn a_subscript_tells_items_of_one_variable_apart() {
        let check = |list, expected| check(CaptureMode::Interleaved, E1, list, expected);
        check("f, f[0], f[1]", "f 0+0, f[0] 0+2, f[1] 0+3; 0: 16");
        check("f, a, f", "`f` is captured twice");
        check("f[1], a, f[1]", "`f[1]` is captured twice");
    }

    /// C101
    #[test]
    fn gaps_before_an_item_count_and_those_behind_do_not() {
        let check = |list: &str, expected: &str| {
            check(CaptureMode::Interleaved, "mat4 m[4]; float f", list, expected);
        };
        check("m", "m 0+0; 0: 256");
        check("m, skip 1", "m 0+0; 0: 260");
        let message = |name, end| {
            format!("`{name}` ends after word {end} of capture buffer 0, which has 64 per vertex")
        };
        check("m, f", &message("f", 65));
        check("skip 1, m", &message("m", 65));
        check("m, next buffer, f", "m 0+0, f 1+0; 0: 256, 1: 4");
        let buffers = "next buffer, next buffer, next buffer";
        check(&format!("{buffers}, f"), "f 3+0; 3: 4");
        check(&format!("{buffers}, next buffer"), "there are only 4 capture buffers");
    }
}
