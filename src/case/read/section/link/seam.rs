//! `seam vertex geometry` in `[link]`: the lines below it concern the interface between these two stages. Lines above
//! the first `seam` concern the last interface, to the fragment stage.

use crate::linking::MapExpectation;
use crate::read::line::{Word, Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::{LinkExpectation, Seam};
use ir::diagnostic::Diagnostic;
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;

/// Keyword of the line.
pub(super) const SEAM: &str = "seam";

/// The word after the stages that selects the variables of patches.
const PATCH: &str = "patch";

/// The stages that an interface may connect, except for the fragment stage.
const STAGES: &[ShaderStage] = ShaderStage::ALL.split_at(ShaderStage::Fragment as usize).0;

/// An interface before the last one, while the current lines concern it.
pub(super) struct OpenSeam {
    seam: Seam,
    span: Span,
    /// True until the first line below.
    is_idle: bool,
}

impl OpenSeam {
    /// Reads the words after `seam`; `None` for the interface that lines concern by default.
    pub(super) fn read(words: &mut Words<'_>) -> Parsed<Option<Self>> {
        let first = words.need("two stages, such as `vertex geometry`")?;
        let second = words.need("the second stage")?;
        let stage = |word: Word<'_>| STAGES.iter().position(|stage| stage.word() == word.text);
        let (producer, consumer) = (stage(first), stage(second));
        if producer.is_some_and(|idx| idx > 0) && second.text == ShaderStage::Fragment.word() {
            return Ok(None);
        }
        let (Some(from), Some(to)) = (producer, consumer) else {
            return Err(Self::unknown(first, second));
        };
        let stages = [STAGES[from], STAGES[to]];
        let has_patches = stages[0].outputs().have_patches();
        let follower = stages[0].properties().followed_by;
        if from >= to || follower.is_some_and(|stage| stage != stages[1]) {
            return Err(Self::unknown(first, second));
        }
        let is_patch = match words.peek().filter(|word| word.text == PATCH) {
            Some(word) if !has_patches => {
                return Err(wrong(word, "only `control evaluation` has variables of patches"));
            }
            word => word.is_some(),
        };
        words.skip(usize::from(is_patch));
        Ok(Some(Self { seam: Seam { stages, is_patch }, span: words.span, is_idle: true }))
    }

    fn unknown(first: Word<'_>, second: Word<'_>) -> Problem {
        let message = format!("`{}` and `{}` are not an interface", first.text, second.text);
        let words: Vec<_> = STAGES.iter().map(|stage| format!("`{}`", stage.word())).collect();
        let help = format!(
            "write two of {} and `fragment` that follow each other, the last line of which is \
             `seam geometry fragment` or `seam evaluation fragment`",
            words.join(", ")
        );
        wrong(first, message).with_help(help)
    }

    /// Ends the lines of the interface. An interface without lines is an error.
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
        if let [Spanned { value, .. }, ..] = expected
            && let LinkExpectation::Map(MapExpectation::Slots(line)) = value
        {
            *value = LinkExpectation::OfSeam { seam: self.seam, line: line.clone() };
            return Ok(());
        }
        let help = "put it above all lines `seam`, or below that of the last interface";
        let message = format!("`{}` is not about this interface", first.text);
        Err(wrong(first, message).with_help(help))
    }

    /// Name of a setting for this interface.
    pub(super) fn setting(&self, setting: &str) -> String {
        format!("{} {setting}", self.seam)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::linking::SlotExpectation;
    use crate::read::parse::tests::messages;
    use crate::{Case, Dialect, LinkExpectation, Seam};
    use ir::stage::ShaderStage;

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
        let seam = Seam { stages: [ShaderStage::Vertex, ShaderStage::Geometry], is_patch: false };
        let front = LinkExpectation::OfSeam { seam, line: SlotExpectation::Count(2) };
        let last = SlotExpectation::Unused("b".to_owned()).into();
        let expected = [SlotExpectation::Count(1).into(), front, last];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_seam_has_two_stages_and_lines_about_it() {
        let words = ShaderStage::OF_DRAWS.iter().map(|stage| format!("`{}`", stage.word()));
        let words = words.collect::<Vec<_>>().join(", ").replace(", `fragment`", " and `fragment`");
        let not_an_interface = |first, second| {
            let line = format!("seam {first} {second}\nslots 1");
            let expected = format!(
                "2:6: `{first}` and `{second}` are not an interface (help: write two of {words} that follow each \
                 other, the last line of which is `seam geometry fragment` or `seam evaluation fragment`)"
            );
            assert_eq!(read(&line).expect_err("is wrong"), expected);
        };
        not_an_interface("vertex", "fragment");
        not_an_interface("control", "geometry");
        check(
            "seam vertex control patch\nslots 1",
            &expect!["2:21: only `control evaluation` has variables of patches"],
        );
        check("seam vertex\nslots 1", &expect!["2:1: missing the second stage"]);
        check(
            "seam vertex geometry\nseam geometry fragment\nslots 1",
            &expect!["2:1: nothing is expected of the interface"],
        );
        check(
            "seam vertex geometry\noutput 0 vec4",
            &expect![
                "3:1: `output` is not about this interface (help: put it above all lines `seam`, or below that of the last interface)"
            ],
        );
        check(
            "seam vertex geometry\npack off",
            &expect![
                "3:1: `pack` is not about this interface (help: put it above all lines `seam`, or below that of the last interface)"
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
