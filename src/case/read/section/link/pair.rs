//! `pair VERTEX …` in `[link]`, with the names of stage objects: the lines below it concern the program of these.

use crate::read::line::{Word, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use crate::read::stage_names;
use crate::{LinkExpectation, UsedStages};
use ir::diagnostic::Diagnostic;
use ir::source::{Span, Spanned};

/// Keyword of the line.
pub(super) const PAIR: &str = "pair";

/// The pair that the current lines concern.
pub(super) struct OpenPair {
    pair: UsedStages,
    span: Span,
    /// True until the first line below.
    is_idle: bool,
}

impl OpenPair {
    /// Reads the words after `pair`.
    pub(super) fn read(words: &mut Words<'_>) -> Parsed<Self> {
        Ok(Self { pair: stage_names::read(words)?, span: words.span, is_idle: true })
    }

    /// Ends the lines of `pair`. A pair without lines is an error.
    pub(super) fn close(pair: Option<Self>, reader: &mut Reader<'_>) {
        if let Some(Self { pair, span, .. }) = pair.filter(|pair| pair.is_idle) {
            let message = format!("nothing is expected of the pair `{pair}`");
            reader.report(Diagnostic::error(span, message));
        }
    }

    /// Restricts the expectation of the line that starts with `first` to this pair. A setting is an error here.
    pub(super) fn narrow(
        &mut self,
        expected: &mut [Spanned<LinkExpectation>],
        first: Word<'_>,
    ) -> Parsed<()> {
        self.is_idle = false;
        let help = "put it above the first `pair`";
        let Some(line) = expected.first_mut() else {
            return Err(wrong(first, format!("`{}` is for all pairs", first.text)).with_help(help));
        };
        let LinkExpectation::Map(inner) = &line.value else {
            return Err(
                wrong(first, format!("`{}` is about all pairs", first.text)).with_help(help)
            );
        };
        line.value = LinkExpectation::OfPair { pair: self.pair.clone(), line: inner.clone() };
        Ok(())
    }

    /// Name of a setting for this pair: each pair may have its own setting.
    pub(super) fn setting(&self, setting: &str) -> String {
        format!("{} {setting}", self.pair)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    /// Checks the messages about lines of `[link]` in a case that uses the pairs `a b` and `a c`.
    #[track_caller]
    fn check_pairs(lines: &str, uses: &str, expect: &Expect) {
        let text = format!(
            "[link]\n{lines}\n[vertex shader a]\n[fragment shader b]\n[fragment shader c]\n[test]\n{uses}\nlink success\n"
        );
        let found = messages(&text, Dialect::Interstage).map(|_| String::new());
        expect.assert_eq(&found.unwrap_or_else(|messages| messages));
    }

    #[test]
    fn lines_below_pair_are_about_that_pair() {
        let both = "use a b\nuse a c";
        check_pairs("slots 1\npair a c\nslots 2\nalone same", both, &expect![""]);
        check_pairs(
            "alone same",
            both,
            &expect!["2:1: `alone` is about one pair (help: put it below `pair VERTEX FRAGMENT`)"],
        );
        check_pairs(
            "pair a c\nprofile nv30",
            both,
            &expect!["3:1: `profile` is for all pairs (help: put it above the first `pair`)"],
        );
        check_pairs(
            "pair a c\nlinks 2",
            both,
            &expect!["3:1: `links` is about all pairs (help: put it above the first `pair`)"],
        );
        check_pairs(
            "pair a d\nslots 1",
            both,
            &expect![
                "3:1: no step uses the pair `a d` (help: a line `use` of `[test]` with the same names links the pair)"
            ],
        );
        check_pairs(
            "pair a b\nalone same",
            "use a b",
            &expect![[r#"
                3:1: the pair is alone: there is nothing to compare with (help: `use` another pair, too)
                6:1: `[fragment shader c]` is never used (help: no `use` names it)"#]],
        );
        check_pairs(
            "pair a b\nslots 1\nslots 2",
            both,
            &expect![
                "4:1: `a b slots` is given twice, first in line 3 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
        check_pairs(
            "pair a b\nslots 1\nalone equal",
            both,
            &expect!["4:7: expected `same` or `different`, found `equal`"],
        );
        check_pairs(
            "slots 1\npair a b\npair a c\nslots 1",
            both,
            &expect!["3:1: nothing is expected of the pair `a b`"],
        );
        check_pairs(
            "slots 1\npair a b",
            both,
            &expect!["3:1: nothing is expected of the pair `a b`"],
        );
        check_pairs("pair", both, &expect!["2:1: missing the name of a vertex stage"]);
    }
}
