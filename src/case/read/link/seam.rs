//! `seam vertex geometry` in `[link]`: the lines below it are about the interface between these two stages. All others
//! are about the last interface, to the fragment stage.

use crate::LinkExpectation;
use crate::read::line::{Word, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use ir::diagnostic::Diagnostic;
use ir::source::{Span, Spanned};

/// Keyword of the line.
pub(super) const SEAM: &str = "seam";

/// The words after it.
const FIRST: [&str; 2] = ["vertex", "geometry"];
const LAST: [&str; 2] = ["geometry", "fragment"];

/// The interface before the geometry stage, while the current lines are about it.
pub(super) struct OpenSeam {
    span: Span,
    /// True until the first line below.
    is_idle: bool,
}

impl OpenSeam {
    /// Reads the words after `seam`; `None` for the interface that lines are about anyway.
    pub(super) fn read(words: &mut Words<'_>) -> Parsed<Option<Self>> {
        let first = words.need("`vertex geometry` or `geometry fragment`")?;
        let second = words.need("the second stage")?;
        match [first.text, second.text] {
            FIRST => Ok(Some(Self { span: words.span, is_idle: true })),
            LAST => Ok(None),
            [producer, consumer] => {
                let message = format!("`{producer}` and `{consumer}` are not an interface");
                let help = "write `seam vertex geometry` or `seam geometry fragment`";
                Err(wrong(first, message).with_help(help))
            }
        }
    }

    /// Ends the lines of the interface. One without lines is an error.
    pub(super) fn close(seam: Option<Self>, reader: &mut Reader<'_>) {
        if let Some(Self { span, .. }) = seam.filter(|seam| seam.is_idle) {
            let message = "nothing is expected of the interface";
            reader.report(Diagnostic::error(span, message));
        }
    }

    /// Restricts the expectation of the line that starts with `first` to this interface.
    pub(super) fn narrow(
        &mut self,
        expected: &mut [Spanned<LinkExpectation>],
        first: Word<'_>,
    ) -> Parsed<()> {
        self.is_idle = false;
        let help = "put it above `seam vertex geometry`, or below `seam geometry fragment`";
        let line = expected.first_mut().filter(|line| line.value.is_about_any_seam());
        let Some(line) = line else {
            let message = format!("`{}` is not about this interface", first.text);
            return Err(wrong(first, message).with_help(help));
        };
        line.value = LinkExpectation::OfFront(Box::new(line.value.clone()));
        Ok(())
    }

    /// Name of a setting for this interface.
    pub(super) fn setting(setting: &str) -> String {
        format!("{} {} {setting}", FIRST[0], FIRST[1])
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::read::parse::tests::messages;
    use crate::{Case, Dialect, LinkExpectation};

    const STAGES: &str = "[vertex shader]\n[geometry shader]\n[fragment shader]\n";

    fn read(lines: &str) -> Result<Case, String> {
        let text = format!("[link]\n{lines}\n{STAGES}[test]\nlink success\n");
        messages(&text, Dialect::Interstage)
    }

    #[track_caller]
    fn check(lines: &str, expect: &Expect) {
        expect.assert_eq(&read(lines).expect_err("is wrong"));
    }

    #[test]
    fn lines_below_seam_are_about_that_interface() {
        let lines = "slots 1\nseam vertex geometry\nslots 2\nseam geometry fragment\nunused b";
        let case = read(lines).expect("is a case");
        let found: Vec<_> = case.link.expectations.into_iter().map(|line| line.value).collect();
        let front = LinkExpectation::OfFront(Box::new(LinkExpectation::Slots(2)));
        let expected = [LinkExpectation::Slots(1), front, LinkExpectation::Unused("b".to_owned())];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_seam_has_two_stages_and_lines_about_it() {
        check(
            "seam vertex fragment\nslots 1",
            &expect![
                "2:6: `vertex` and `fragment` are not an interface (help: write `seam vertex geometry` or `seam geometry fragment`)"
            ],
        );
        check("seam vertex\nslots 1", &expect!["2:1: missing the second stage"]);
        check(
            "seam vertex geometry\nseam geometry fragment\nslots 1",
            &expect!["2:1: nothing is expected of the interface"],
        );
        check(
            "seam vertex geometry\noutput 0 vec4",
            &expect![
                "3:1: `output` is not about this interface (help: put it above `seam vertex geometry`, or below `seam geometry fragment`)"
            ],
        );
        check(
            "seam vertex geometry\npack off",
            &expect![
                "3:1: `pack` is not about this interface (help: put it above `seam vertex geometry`, or below `seam geometry fragment`)"
            ],
        );
        check(
            "seam vertex geometry\nslots 1\nslots 1",
            &expect![
                "4:1: `vertex geometry slots` is given twice, first in line 3 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
    }
}
