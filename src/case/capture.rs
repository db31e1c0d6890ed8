//! `[capture]`: transform feedback, what is captured of every vertex and into which buffer.

use crate::line::{Punctuation, Words, wrong};
use crate::reader::{Parsed, Reader};
use crate::section::Section;
use crate::{Case, Draw, VertexColumn};
use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::source::Spanned;

/// What a capture is told in `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureStep {
    /// `xfb buffer object N SIZE [WORD]`: a buffer of SIZE bytes for captures, full of WORD, or else of zeros.
    Buffer {
        /// Its number.
        buffer: u32,
        /// Bytes.
        size: u32,
        /// What every word of it is.
        fill: u32,
    },
    /// `xfb buffer range N OFFSET SIZE [of M]`: what goes to capture buffer N is written to these bytes of buffer M, or
    /// else of its own one, until it gets a new buffer.
    Range {
        /// The number that captures know.
        buffer: u32,
        /// The number of the buffer that has the bytes.
        of: u32,
        /// The first byte; both are multiples of four.
        offset: u32,
        /// How many.
        size: u32,
    },
    /// `xfb draw …`: captures one draw, from the start of the buffers on, and rasterises nothing.
    Draw(Draw),
    /// `capture begin`: draws are captured from here on, one behind the other.
    Begin,
    /// `capture pause`.
    Pause,
    /// `capture resume`.
    Resume,
    /// `capture end`.
    End,
}

/// `from capture N COLUMN… [offset BYTES] [stride BYTES]`: vertices of a draw that were captured before. A row has the
/// columns one after the other, and rows are a stride apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedRows {
    /// The number of the buffer that has them, from its first byte on whatever ranges of it are captured to.
    pub buffer: u32,
    /// Attributes, whose numbers are words.
    pub columns: Vec<VertexColumn>,
    /// The first row's first byte, a multiple of four.
    pub offset: u32,
    /// Bytes from one row to the next, a multiple of four and no less than a row has.
    pub stride: u32,
}

impl CapturedRows {
    /// Bytes of a row without what lies between it and the next.
    pub fn row_bytes(&self) -> u32 {
        let ends = self.columns.iter().map(|it| it.offset + 4 * u32::from(it.components));
        ends.max().unwrap_or(0)
    }

    /// Rows of a buffer of `size` bytes.
    pub fn count_in(&self, size: u32) -> u32 {
        let room = size.checked_sub(self.offset).and_then(|it| it.checked_sub(self.row_bytes()));
        room.map_or(0, |room| room / self.stride.max(1) + 1)
    }
}

/// What is counted while primitives are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureQuery {
    /// `GL_PRIMITIVES_GENERATED`: all of them.
    Generated,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`: those that had room in the buffers.
    Written,
}

const MODES: [(&str, CaptureMode); 2] =
    [("interleaved", CaptureMode::Interleaved), ("separate", CaptureMode::Separate)];

/// The words of the section.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    MODES.iter().map(|(word, _)| *word).chain(["skip", "next buffer"])
}

/// Reads the section into `case`.
pub(super) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let mut capture =
        CaptureSection { header: section.header, mode: CaptureMode::default(), items: Vec::new() };
    let mut has_mode = false;
    reader.each_line(section.body, Punctuation::IsText, |_, words| {
        let first = words.need("a line of `[capture]`")?;
        if let Some((_, mode)) = MODES.iter().find(|(known, _)| *known == first.text) {
            if has_mode || !capture.items.is_empty() {
                return Err(wrong(first, "the mode stands once, in the first line"));
            }
            (capture.mode, has_mode) = (*mode, true);
            return Ok(());
        }
        let span = words.span;
        let item = read_item(first.text, words)?;
        capture.items.push(Spanned::new(item, span));
        Ok(())
    });
    case.capture = Some(capture);
}

fn read_item(first: &str, words: &mut Words<'_>) -> Parsed<CaptureItem> {
    if first == "skip" && words.has_more() {
        return words.integer("the number of words", 1..=4).map(CaptureItem::Skip);
    }
    if first == "next" && words.take("buffer") {
        return Ok(CaptureItem::NextBuffer);
    }
    Ok(CaptureItem::Output(first.to_owned()))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::Dialect;
    use crate::parse::tests::messages;

    use super::*;

    fn read_lines(lines: &str) -> Result<CaptureSection, String> {
        let text = format!("[vertex shader]\n[capture]\n{lines}\n[test]\nlink success\n");
        messages(&text, Dialect::Interstage).map(|case| case.capture.expect("there is a section"))
    }

    #[test]
    fn items_keep_their_order() {
        let capture = read_lines("separate\na\nn[1]\nskip 2 # gap\nnext buffer\nnext\nskip");
        let capture = capture.expect("it is right");
        assert_eq!(capture.mode, CaptureMode::Separate);
        let output = |name: &str| CaptureItem::Output(name.to_owned());
        let items: Vec<_> = capture.items.into_iter().map(|item| item.value).collect();
        let expected = [
            output("a"),
            output("n[1]"),
            CaptureItem::Skip(2),
            CaptureItem::NextBuffer,
            output("next"),
            output("skip"),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn mistakes_are_named() {
        let message = read_lines("a\nskip 5").expect_err("it is wrong");
        expect!["4:6: the number of words must be an integer from 1 to 4, not `5`"]
            .assert_eq(&message);
        let message = read_lines("a\ninterleaved").expect_err("it is wrong");
        expect!["4:1: the mode stands once, in the first line"].assert_eq(&message);
        let message = read_lines("a b").expect_err("it is wrong");
        expect!["3:3: unexpected `b` at the end of the line"].assert_eq(&message);
    }
}
