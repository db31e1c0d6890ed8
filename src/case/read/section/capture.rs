//! `[capture]`.

use crate::Case;
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use crate::read::section::Section;
use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::source::Spanned;

const MODES: [(&str, CaptureMode); 2] =
    [("interleaved", CaptureMode::Interleaved), ("separate", CaptureMode::Separate)];

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    MODES.iter().map(|(word, _)| *word).chain(["skip", "next buffer"])
}

/// Reads the section into `case`.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let mut capture =
        CaptureSection { header: section.header, mode: CaptureMode::default(), items: Vec::new() };
    let mut has_mode = false;
    reader.each_line(section.body, Punctuation::IsText, |_, words| {
        let first = words.need("a line of `[capture]`")?;
        if let Some((_, mode)) = MODES.iter().find(|(known, _)| *known == first.text) {
            if has_mode || !capture.items.is_empty() {
                return Err(wrong(first, "the mode must be given once, in the first line"));
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
    use crate::read::parse::tests::messages;

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
        expect!["4:1: the mode must be given once, in the first line"].assert_eq(&message);
        let message = read_lines("a b").expect_err("it is wrong");
        expect!["3:3: unexpected `b` at the end of the line"].assert_eq(&message);
    }
}
