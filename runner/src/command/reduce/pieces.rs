//! The text of a case as removable pieces: lines, and in shaders also statements.
//!
//! Every piece records its original line, so that an expectation is found again in a shorter text.

use std::collections::BTreeSet;

/// A line or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Number of the piece, in the order of the text.
    pub(super) id: usize,
    /// 1-based line of the original text.
    line: usize,
    /// Text without the line end.
    text: String,
    /// True if the piece is the first of its line.
    starts_line: bool,
    /// Kind of the section that contains the piece.
    section: Section,
}

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// A header in brackets.
    Header,
    /// The code of a stage in GLSL or WGSL.
    Code,
    /// The steps of a case.
    Test,
    /// Any other section.
    Other,
}

/// A text put together from pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::command) struct Composed {
    pub(in crate::command) text: String,
    /// For every line of the text, the line of the original text.
    pub(super) origins: Vec<usize>,
}

impl Piece {
    /// 1-based line of the original text.
    pub(super) const fn line(&self) -> usize {
        self.line
    }

    pub(super) const fn section(&self) -> Section {
        self.section
    }

    /// Text of the piece without surrounding spaces.
    pub(super) fn trimmed(&self) -> &str {
        self.text.trim()
    }
}

/// Divides a text into pieces: whole lines, except in shaders, which are also cut after `;`, `{` and `}`. Preprocessor
/// lines stay whole.
pub(super) fn cut(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut within = Section::Other;
    for (idx, line) in text.lines().enumerate() {
        let is_header = line.starts_with('[');
        if is_header {
            within = section_after(line);
        }
        let is_whole = is_header || line.is_empty() || line.trim_start().starts_with('#');
        let is_cut = within == Section::Code && !is_whole;
        let parts: Vec<_> =
            if is_cut { line.split_inclusive([';', '{', '}']).collect() } else { vec![line] };
        for (number, part) in parts.iter().enumerate() {
            let section = if is_header { Section::Header } else { within };
            let (id, line, starts_line) = (pieces.len(), idx + 1, number == 0);
            pieces.push(Piece { id, line, text: (*part).to_owned(), starts_line, section });
        }
    }
    pieces
}

fn section_after(header: &str) -> Section {
    let name = header.trim_start_matches('[').split(']').next().unwrap_or_default();
    let words: Vec<_> = name.split_whitespace().collect();
    match words[..] {
        ["test"] => Section::Test,
        [_, "shader", ..] if !words.contains(&"spirv") => Section::Code,
        _ => Section::Other,
    }
}

/// Joins pieces to a text, with an empty line before every header.
pub(super) fn compose(pieces: &[Piece]) -> Composed {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for piece in pieces {
        let is_same_line = lines.last().is_some_and(|(_, line)| *line == piece.line);
        if is_same_line {
            lines.last_mut().expect("it was just looked at").0.push_str(&piece.text);
            continue;
        }
        let is_after_text = lines.last().is_some_and(|(text, _)| !text.is_empty());
        if piece.section == Section::Header && is_after_text {
            lines.push((String::new(), 0));
        }
        let text = if piece.starts_line { &piece.text } else { piece.text.trim_start() };
        lines.push((text.to_owned(), piece.line));
    }
    let (texts, origins): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
    let text = texts.iter().flat_map(|line| [line.trim_end(), "\n"]).collect();
    Composed { text, origins }
}

/// Returns the pieces except those with these numbers.
pub(super) fn without(pieces: &[Piece], left_out: &BTreeSet<usize>) -> Vec<Piece> {
    pieces.iter().filter(|piece| !left_out.contains(&piece.id)).cloned().collect()
}

/// Numbers of empty lines and comments.
pub(super) fn notes(pieces: &[Piece]) -> Vec<BTreeSet<usize>> {
    let is_note = |piece: &&Piece| {
        let text = piece.trimmed();
        let has_comments = piece.section == Section::Code;
        let is_comment = if has_comments { text.starts_with("//") } else { text.starts_with('#') };
        piece.section != Section::Header && (text.is_empty() || is_comment)
    };
    let notes: BTreeSet<_> = pieces.iter().filter(is_note).map(|piece| piece.line).collect();
    let of_line = |line: usize| pieces.iter().filter(move |piece| piece.line == line);
    notes.into_iter().map(|line| of_line(line).map(|piece| piece.id).collect()).collect()
}

/// Numbers of the pieces of each section.
pub(super) fn sections(pieces: &[Piece]) -> Vec<BTreeSet<usize>> {
    let mut sections: Vec<BTreeSet<usize>> = Vec::new();
    for piece in pieces {
        if piece.section == Section::Header {
            sections.push(BTreeSet::new());
        }
        if let Some(section) = sections.last_mut() {
            section.insert(piece.id);
        }
    }
    sections
}

/// Numbers of the pieces of each line that is not a header.
pub(super) fn lines(pieces: &[Piece]) -> Vec<BTreeSet<usize>> {
    let mut lines: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.section != Section::Header) {
        match lines.last_mut().filter(|(line, _)| *line == piece.line) {
            Some((_, line)) => drop(line.insert(piece.id)),
            None => lines.push((piece.line, BTreeSet::from([piece.id]))),
        }
    }
    lines.into_iter().map(|(_, ids)| ids).collect()
}

/// Numbers of the pieces that are not headers, one by one.
pub(super) fn singles(pieces: &[Piece]) -> Vec<BTreeSet<usize>> {
    let pieces = pieces.iter().filter(|piece| piece.section != Section::Header);
    pieces.map(|piece| BTreeSet::from([piece.id])).collect()
}

/// Blocks in braces nested inside `depth` others, with the text before the brace.
pub(super) fn blocks(pieces: &[Piece], depth: usize) -> Vec<BTreeSet<usize>> {
    let mut blocks: Vec<BTreeSet<usize>> = Vec::new();
    let mut open = 0_usize;
    for piece in pieces {
        if piece.section != Section::Code {
            open = 0;
            continue;
        }
        if piece.text.ends_with('{') {
            if open == depth {
                blocks.push(BTreeSet::new());
            }
            open += 1;
        }
        if open > depth
            && let Some(block) = blocks.last_mut()
        {
            block.insert(piece.id);
        }
        if piece.text.ends_with('}') {
            open = open.saturating_sub(1);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# note\n[vertex shader]\n#define A {;}\nvoid main() { a = 1; b = 2; }\n\n[test]\nlast; {";

    fn left_out(units: &[BTreeSet<usize>]) -> String {
        let all = units.iter().flatten().copied().collect();
        compose(&without(&cut(TEXT), &all)).text
    }

    #[test]
    fn pieces_put_together_are_the_text() {
        let composed = compose(&cut(TEXT));
        let with_a_line_before_headers = TEXT.replacen('\n', "\n\n", 1) + "\n";
        assert_eq!(composed.text, with_a_line_before_headers);
        assert_eq!(composed.origins, [1, 0, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn units_are_notes_sections_lines_pieces_and_blocks() {
        let pieces = cut(TEXT);
        assert_eq!(
            left_out(&notes(&pieces)),
            "[vertex shader]\n#define A {;}\nvoid main() { a = 1; b = 2; }\n\n[test]\nlast; {\n"
        );
        assert_eq!(left_out(&sections(&pieces)), "# note\n");
        assert_eq!(left_out(&lines(&pieces)), "[vertex shader]\n\n[test]\n");
        assert_eq!(left_out(&singles(&pieces)), "[vertex shader]\n\n[test]\n");
        let rest = left_out(&blocks(&pieces, 0));
        assert!(rest.contains("#define") && !rest.contains("main"), "{rest}");
    }

    #[test]
    fn lines_do_not_run_together_when_their_ends_are_cut() {
        let pieces = cut("[fragment shader]\nvoid f() { x;\n}\n[test]\n");
        let composed = compose(&without(&pieces, &BTreeSet::from([1, 3])));
        assert_eq!(composed.text, "[fragment shader]\nx;\n\n[test]\n");
        assert_eq!(composed.origins, [1, 2, 0, 4]);
    }
}
