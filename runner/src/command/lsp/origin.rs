//! Positions in a file for positions in the text of one of its cases, in which parameters are filled in.

use interstage::ir::source::{Source, Span};

/// The lines of a file, as the reader of cases counts them.
#[derive(Debug)]
pub(super) struct Origin<'a> {
    file: &'a str,
    starts: Vec<usize>,
}

/// Which end of a span a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// A part of a line of the file: text that every case has, or a `${…}`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: usize,
    end: usize,
    is_hole: bool,
}

impl<'a> Origin<'a> {
    /// Finds the lines of a file.
    pub(super) fn new(file: &'a str) -> Self {
        let ends = file.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(idx, _)| idx + 1)).collect();
        Self { file, starts }
    }

    /// The line with this number, counted from 1, without its end.
    fn line(&self, number: usize) -> Span {
        let start = self.starts.get(number.saturating_sub(1)).copied().unwrap_or(self.file.len());
        let next = self.starts.get(number).map_or(self.file.len(), |next| next - 1);
        Span::new(start, next.max(start))
    }

    /// The text of the line with this number, counted from 1, without white space around it.
    pub(super) fn words_of_line(&self, number: usize) -> Span {
        let line = self.line(number);
        let text = self.file.get(line.start..line.end).unwrap_or("");
        let start = line.start + text.len() - text.trim_start().len();
        Span::new(start, line.start + text.trim_end().len().max(start - line.start))
    }

    /// The part of the file for a span of a case's text. An end inside a filled-in value is that of the `${…}`.
    pub(super) fn span(&self, source: &Source, span: Span) -> Span {
        let start = self.offset(source, span.start, Side::Start);
        let end = self.offset(source, span.end.max(span.start), Side::End);
        if end >= start {
            return Span::new(start, end);
        }
        // A loop repeats lines, so that the end may be above the start.
        let number = self.starts.partition_point(|known| *known <= start);
        Span::new(start, self.line(number).end.max(start))
    }

    fn offset(&self, source: &Source, offset: usize, side: Side) -> usize {
        let idx = source.line_index(offset);
        let (expanded, file) = (source.line_span(idx), self.line(source.file_line(idx)));
        let column = offset.min(expanded.end) - expanded.start;
        let written = self.file.get(file.start..file.end).unwrap_or("");
        file.start + column_in(written, source.slice(expanded), column, side)
    }
}

/// The column in the line `written` for a column in that line with its parameters filled in.
fn column_in(written: &str, expanded: &str, column: usize, side: Side) -> usize {
    if written == expanded {
        return column;
    }
    let pieces = pieces(written);
    let mut at = 0;
    for (idx, piece) in pieces.iter().enumerate() {
        let end = if piece.is_hole {
            end_of_hole(&pieces[idx + 1..], written, expanded, at)
        } else {
            at + piece.end - piece.start
        };
        let is_inside = match side {
            Side::Start => column < end,
            Side::End => column <= end,
        };
        if is_inside {
            return match (piece.is_hole, side) {
                (true, Side::Start) => piece.start,
                (true, Side::End) => piece.end,
                (false, _) => (piece.start + column.saturating_sub(at)).min(piece.end),
            };
        }
        at = end;
    }
    written.len()
}

/// Splits a line; neighbouring holes are one.
fn pieces(written: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < written.len() {
        let open = written[at..].find("${").map_or(written.len(), |open| at + open);
        if open > at {
            pieces.push(Piece { start: at, end: open, is_hole: false });
        }
        let close = written[open..].find('}').map_or(written.len(), |close| open + close + 1);
        match pieces.last_mut().filter(|last| last.is_hole) {
            Some(last) => last.end = close,
            None if close > open => pieces.push(Piece { start: open, end: close, is_hole: true }),
            None => {}
        }
        at = close;
    }
    pieces
}

/// Where the value of a hole that starts at `at` ends: before the next text that every case has.
fn end_of_hole(after: &[Piece], written: &str, expanded: &str, at: usize) -> usize {
    match after {
        [] => expanded.len(),
        // The last text is the end of the line.
        [last] => expanded.len().saturating_sub(last.end - last.start).max(at),
        [next, ..] => {
            let text = &written[next.start..next.end];
            expanded.get(at..).and_then(|rest| rest.find(text)).map_or(expanded.len(), |it| at + it)
        }
    }
}

#[cfg(test)]
mod tests {
    use interstage::case::Dialect;
    use interstage::case::parse::split;

    use super::*;

    /// The part of `file` for the word `wanted` of each of its cases.
    #[track_caller]
    fn check(file: &str, wanted: &str, expect: &[&str]) {
        let origin = Origin::new(file);
        let cases = split("a", file.as_bytes(), Dialect::Interstage);
        let found: Vec<_> = cases
            .iter()
            .filter_map(|case| {
                let source = case.read().source;
                let start = source.text().find(wanted)?;
                let span = origin.span(&source, Span::new(start, start + wanted.len()));
                Some(&file[span.start..span.end])
            })
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn text_beside_parameters_has_its_own_place() {
        let file = "[parameters]\nn = 1 20\n[test]\nfirst ${n} middle ${n}${n} last\n";
        for word in ["first", "middle", "last", "le", "st\n"] {
            check(file, word, &[word, word]);
        }
    }

    #[test]
    fn a_value_has_the_place_of_its_expression() {
        let file = "[parameters]\nn = 1 20\n[test]\nfirst a${n + 1}b ${n}${n}\n";
        check(file, "a21b", &["a${n + 1}b"]);
        check(file, "21", &["${n + 1}"]);
        check(file, "11", &["${n}${n}"]);
        check(file, "a2", &["a${n + 1}", "a${n + 1}"]);
    }

    #[test]
    fn lines_of_a_loop_are_those_of_the_file() {
        let file = "[parameters]\nn = 2\n[test]\n@for i in 0..n\nfirst ${i} x\n@end\nlast\n";
        check(file, "first 1", &["first ${i}"]);
        check(file, "last", &["last"]);
        check(file, "first 1 x\nlast", &["first ${i} x\n@end\nlast"]);
        let origin = Origin::new(" a b \r\nc");
        assert_eq!(
            [1, 2, 3].map(|line| origin.words_of_line(line)).map(|it| (it.start, it.end)),
            [(1, 4), (7, 8), (8, 8)]
        );
    }
}
