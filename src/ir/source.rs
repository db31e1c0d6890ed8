//! Source text of one case after expansion of `[parameters]`, and byte ranges into it.
//!
//! Every message about a case refers to its [`Source`]. Each line of the text records its line number in the file, so
//! that messages have the file's line numbers even where `@for` repeats lines.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A half-open byte range in the text of a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The range moved `offset` bytes to the right.
    #[must_use]
    pub const fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The smallest range that contains both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}

/// A value with its position in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Position of the value.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs `value` with `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// The text of a case, with its path and the line numbers of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    path: String,
    text: String,
    /// Byte offset of the first character of every line.
    starts: Vec<usize>,
    /// For every line of `text`, its 1-based number in the file.
    file_lines: Vec<usize>,
}

impl Source {
    /// A file's text without expansion.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let count = text.split('\n').count();
        Self::with_file_lines(path, text, (1..=count).collect())
    }

    /// A text whose `i`-th line (split at `\n`) came from line `file_lines[i]` (1-based) of the file.
    ///
    /// # Panics
    /// If `file_lines` does not have one entry per line.
    pub fn with_file_lines(
        path: impl Into<String>,
        text: impl Into<String>,
        file_lines: Vec<usize>,
    ) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(idx, _)| idx + 1),
        );
        assert_eq!(starts.len(), file_lines.len(), "one file line per line of text");
        Self { path: path.into(), text, starts, file_lines }
    }

    /// The path, as the user wrote it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`; empty if the span is out of range.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(Range::from(span)).unwrap_or("")
    }

    /// Number of lines; a final newline starts one more, empty line.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Index (0-based) of the line that contains byte `offset`.
    pub fn line_index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Span of line `line_index` (0-based), without its newline.
    pub fn line_span(&self, line_index: usize) -> Span {
        let start = self.starts[line_index];
        let end = self.starts.get(line_index + 1).map_or(self.text.len(), |next| next - 1);
        Span::new(start, end)
    }

    /// 1-based line number in the file of the line with this 0-based index.
    pub fn file_line(&self, line_index: usize) -> usize {
        self.file_lines[line_index]
    }

    /// 1-based line (in the file) and column (in characters) of byte `offset`.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let line_index = self.line_index(offset);
        let line = self.line_span(line_index);
        let before = self.text.get(line.start..offset.min(line.end)).unwrap_or("");
        (self.file_line(line_index), before.chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_the_files_own() {
        let source = Source::with_file_lines("a", "one\ntwo\ntwo\n", vec![1, 7, 7, 9]);
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(9), (7, 2));
        assert_eq!(source.slice(source.line_span(1)), "two");
        assert_eq!(source.line_and_column(12), (9, 1));
    }
}
