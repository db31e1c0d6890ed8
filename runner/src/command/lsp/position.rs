//! The text of a document, and positions in it.
//!
//! A position of the protocol is a line and a character, which counts bytes or units of UTF-16. Everything else here
//! counts bytes from the start of the text.

use gen_lsp_types::{Position, PositionEncodingKind, Range};
use interstage::ir::source::Span;

/// Unit of the characters in positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    Utf16,
}

impl Encoding {
    /// The protocol's name.
    pub(super) const fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
        }
    }
}

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    content: String,
    /// Start of every line. Lines end as in the protocol: with `\n`, `\r\n` or `\r`.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    /// Finds the lines of `text`.
    pub(super) fn new(text: String, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = |idx: &usize| match bytes[*idx] {
            b'\n' => true,
            b'\r' => bytes.get(idx + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = (0..bytes.len()).filter(ends).map(|idx| idx + 1);
        let starts = std::iter::once(0).chain(starts).collect();
        Self { content: text, starts, encoding }
    }

    /// The text.
    pub(super) fn as_str(&self) -> &str {
        &self.content
    }

    /// The text in `span`; empty if the span is out of range.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.content.get(span.start..span.end).unwrap_or("")
    }

    /// The line that contains byte `offset`, without its end.
    pub(super) fn line_at(&self, offset: usize) -> Span {
        let idx = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        self.line(idx)
    }

    fn line(&self, idx: usize) -> Span {
        let start = self.starts[idx];
        let next = self.starts.get(idx + 1).copied().unwrap_or(self.content.len());
        let length = self.content[start..next].trim_end_matches(['\n', '\r']).len();
        Span::new(start, start + length)
    }

    /// The position of byte `offset`.
    pub(super) fn position(&self, offset: usize) -> Position {
        let idx = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let before =
            self.content.get(self.starts[idx]..offset.min(self.content.len())).unwrap_or("");
        let character: usize = before.chars().map(|letter| self.encoding.width(letter)).sum();
        Position { line: narrow(idx), character: narrow(character) }
    }

    /// The byte at a position. A position behind the end of its line or of the text is that end.
    pub(super) fn offset(&self, position: Position) -> usize {
        let idx = usize::try_from(position.line).unwrap_or(usize::MAX);
        if idx >= self.starts.len() {
            return self.content.len();
        }
        let line = self.line(idx);
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut character = 0;
        for (at, letter) in self.content[line.start..line.end].char_indices() {
            character += self.encoding.width(letter);
            if character > wanted {
                return line.start + at;
            }
        }
        line.end
    }

    /// The range of a span.
    pub(super) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end.max(span.start)) }
    }

    /// The range of the whole text.
    pub(super) fn whole(&self) -> Range {
        self.range(Span::new(0, self.content.len()))
    }

    /// Replaces the text in `range`.
    #[must_use]
    pub(super) fn replaced(&self, range: Range, new: &str) -> Self {
        let [one, other] = [range.start, range.end].map(|position| self.offset(position));
        let (start, end) = (one.min(other), one.max(other));
        let text = [&self.content[..start], new, &self.content[end..]].concat();
        Self::new(text, self.encoding)
    }

    /// The text with other content.
    #[must_use]
    pub(super) fn with(&self, text: String) -> Self {
        Self::new(text, self.encoding)
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aä𝄞b\r\nc\rd\n";

    #[track_caller]
    fn check(encoding: Encoding, offset: usize, line: u32, character: u32) {
        let text = Text::new(TEXT.to_owned(), encoding);
        let position = Position { line, character };
        assert_eq!(text.position(offset), position);
        assert_eq!(text.offset(position), offset);
    }

    #[test]
    fn characters_are_units_of_the_encoding() {
        check(Encoding::Utf16, 7, 0, 4);
        check(Encoding::Utf8, 7, 0, 7);
        check(Encoding::Utf16, 10, 1, 0);
        check(Encoding::Utf16, 12, 2, 0);
        check(Encoding::Utf8, TEXT.len(), 3, 0);
    }

    #[test]
    fn positions_behind_an_end_are_that_end() {
        let text = Text::new(TEXT.to_owned(), Encoding::Utf16);
        let at = |line, character| text.offset(Position { line, character });
        assert_eq!(at(0, 99), 8);
        assert_eq!(at(99, 0), TEXT.len());
        assert_eq!(at(u32::MAX, u32::MAX), TEXT.len());
        // Inside a pair of units, a position is the start of the letter.
        assert_eq!(at(0, 3), 3);
    }

    #[test]
    fn a_range_is_replaced() {
        let text = Text::new(TEXT.to_owned(), Encoding::Utf16);
        let range = text.range(Span::new(1, 7));
        assert_eq!(text.replaced(range, "x").as_str(), "axb\r\nc\rd\n");
        let reversed = Range { start: range.end, end: range.start };
        assert_eq!(text.replaced(reversed, "x").as_str(), "axb\r\nc\rd\n");
    }
}
