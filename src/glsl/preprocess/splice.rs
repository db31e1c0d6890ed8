//! Line continuation: joins lines that end in a backslash and records the original position of every byte.

use std::borrow::Cow;

use ir::source::Span;

/// A shader's text with its continued lines joined.
#[derive(Debug)]
pub(crate) struct Spliced<'a> {
    /// The joined text.
    pub(super) text: Cow<'a, str>,
    /// The original text.
    original: &'a str,
    /// Position of the shader's text in the case's source.
    base: usize,
    /// For every removed line break: its offset in the joined text, and the number of bytes removed up to there.
    removed: Vec<(usize, usize)>,
}

impl<'a> Spliced<'a> {
    /// Joins the continued lines of `text`, which begins at byte `base` of the case's source.
    pub(crate) fn new(text: &'a str, base: usize) -> Self {
        let mut removed = Vec::new();
        let mut joined = String::new();
        let mut rest = text;
        let mut total = 0;
        while let Some((before, after, length)) = split_at_continuation(rest) {
            joined.push_str(before);
            total += length;
            removed.push((joined.len(), total));
            rest = after;
        }
        joined.push_str(rest);
        let joined = if removed.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(joined) };
        Self { text: joined, original: text, base, removed }
    }

    /// Position in the case's source of bytes `start..end` of the joined text.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        // The end is the end of the last byte, not the start of the byte after it: bytes may have been removed between
        // them.
        let last =
            if end > start { self.original_offset(end - 1) + 1 } else { self.original_offset(end) };
        Span::new(self.base + self.original_offset(start), self.base + last)
    }

    /// The text at a position in the case's source.
    pub(super) fn source(&self, span: Span) -> &'a str {
        let range = span.start.saturating_sub(self.base)..span.end.saturating_sub(self.base);
        self.original.get(range).unwrap_or("")
    }

    /// Offsets in the case's source at which the lines of the shader start.
    pub(super) fn line_starts(&self) -> Vec<usize> {
        let newlines = self.original.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        std::iter::once(self.base).chain(newlines.map(|(idx, _)| self.base + idx + 1)).collect()
    }

    fn original_offset(&self, offset: usize) -> usize {
        let count = self.removed.partition_point(|(at, _)| *at <= offset);
        offset + count.checked_sub(1).and_then(|idx| self.removed.get(idx)).map_or(0, |(_, n)| *n)
    }
}

/// The text before and after the first backslash-newline, and its length.
fn split_at_continuation(text: &str) -> Option<(&str, &str, usize)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find('\\')?;
        let after = text.get(at + 1..)?;
        let length = if after.starts_with("\r\n") {
            3
        } else if after.starts_with(['\n', '\r']) {
            2
        } else {
            from = at + 1;
            continue;
        };
        return Some((text.get(..at)?, text.get(at + length..)?, length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_keeps_its_place() {
        let spliced = Spliced::new("ab\\\ncd\\\r\ne\\f", 10);
        assert_eq!(spliced.text, "abcde\\f");
        assert_eq!(spliced.span(0, 2), Span::new(10, 12));
        assert_eq!(spliced.span(0, 4), Span::new(10, 16));
        assert_eq!(spliced.span(2, 4), Span::new(14, 16));
        assert_eq!(spliced.span(4, 7), Span::new(19, 22));
    }
}
