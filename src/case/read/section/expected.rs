//! `[expect]`.

use std::cmp::Ordering;

use ir::diagnostic::Diagnostic;

use crate::expectation::expected::{
    AdapterPart, AdapterPattern, ExpectedOutcome, ExpectedStatus, VersionBound, version_of,
};
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::once::Once;
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::vacuous;
use crate::{Case, Dialect};

const ANY: &str = "any";

const AND: &str = "and";

const WITH: &str = "with";

/// Bounds on a version, with the orders that they allow.
const BOUNDS: [(&str, &[Ordering]); 5] = [
    ("<", &[Ordering::Less]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    ("==", &[Ordering::Equal]),
    (">", &[Ordering::Greater]),
    (">=", &[Ordering::Greater, Ordering::Equal]),
];

const STATUSES: [(&str, ExpectedStatus); 4] = [
    ("fail", ExpectedStatus::Fail),
    ("crash", ExpectedStatus::Crash),
    ("timeout", ExpectedStatus::Timeout),
    ("flake", ExpectedStatus::Flake),
];

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    STATUSES.iter().map(|(word, _)| *word).chain([ANY, AND, WITH])
}

/// Words that begin a line.
pub(in crate::read) fn first_words() -> impl Iterator<Item = &'static str> {
    [ANY].into_iter()
}

/// Reads the section into `case`.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        let expected = read_line(words)?;
        reader.give("[expect]", Once::Whole.settings(words.all()));
        case.expected.push(expected);
        Ok(())
    });
}

fn read_line(words: &mut Words<'_>) -> Parsed<ExpectedOutcome> {
    let adapter = read_adapter(words)?;
    let status = read_status(words)?;
    let symptom = words.take(WITH).then(|| words.need_quoted("text that the message contains"));
    let symptom = symptom.transpose()?;
    if let Some(word) = symptom.filter(|word| word.text.trim().is_empty()) {
        let error = vacuous::EMPTY_SYMPTOM.error(word.span, "every message contains this");
        return Err(error.with_help("leave out `with`, or quote a part of the message").into());
    }
    let symptom = symptom.map(|word| word.text.to_owned());
    let reason = words.need_quoted("the reason")?;
    if reason.text.trim().is_empty() {
        return Err(wrong(reason, "the reason is empty"));
    }
    let link = words.need("the link of an issue")?;
    if !link.text.contains("://") {
        return Err(wrong(link, format!("expected the link of an issue, found `{}`", link.text)));
    }
    let (reason, link, span) = (reason.text.to_owned(), link.text.to_owned(), words.span);
    Ok(ExpectedOutcome { adapter, status, symptom, reason, link, span })
}

/// Reads a separate text as a pattern for adapters: `any`, or parts in quotes joined by `and`, each with or without a
/// bound on its version: `"mesa" < 23.1`.
///
/// # Errors
/// The text is not a pattern.
pub fn parse_adapter_pattern(text: &str) -> Result<AdapterPattern, Diagnostic> {
    let read = || {
        let mut words = Words::cut(text, 0, Punctuation::IsText, Dialect::Interstage)?;
        let pattern = read_adapter(&mut words)?;
        match words.peek() {
            Some(word) => Err(wrong(word, format!("unexpected `{}` at the end", word.text))),
            None => Ok(pattern),
        }
    };
    read().map_err(|problem| match problem {
        Problem::Broken(diagnostic) => diagnostic,
        Problem::Unsupported { word, span } => {
            Diagnostic::error(span, format!("`{word}` is not supported"))
        }
    })
}

fn read_adapter(words: &mut Words<'_>) -> Parsed<AdapterPattern> {
    if words.take(ANY) {
        return Ok(AdapterPattern::Any);
    }
    let mut parts = Vec::new();
    loop {
        let word = words.need("an adapter")?;
        if !word.is_quoted || word.text.is_empty() {
            let any = if parts.is_empty() { "`any` or " } else { "" };
            let message = format!(
                "expected {any}a part of the adapter's name in quotes, found `{}`",
                word.text
            );
            return Err(wrong(word, message));
        }
        let text = word.text.to_lowercase();
        parts.push(AdapterPart { text, version: read_bound(words)? });
        if !words.take(AND) {
            return Ok(AdapterPattern::Has(parts));
        }
    }
}

fn read_bound(words: &mut Words<'_>) -> Parsed<Option<VersionBound>> {
    let found = BOUNDS.iter().find(|(symbol, _)| words.take(symbol));
    let Some((_, orders)) = found else { return Ok(None) };
    let word = words.need("a version")?;
    let version = version_of(word.text).ok_or_else(|| {
        wrong(word, format!("expected a version such as `23.1`, found `{}`", word.text))
    })?;
    Ok(Some(VersionBound { orders, version }))
}

fn read_status(words: &mut Words<'_>) -> Parsed<ExpectedStatus> {
    let word = words.need("`fail`, `crash`, `timeout` or `flake`")?;
    STATUSES.iter().find(|(known, _)| *known == word.text).map(|(_, status)| *status).ok_or_else(
        || {
            let message =
                format!("expected `fail`, `crash`, `timeout` or `flake`, found `{}`", word.text);
            wrong(word, message).nearest(word.text, STATUSES.map(|(known, _)| known))
        },
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    use super::*;

    fn read_lines(lines: &str) -> Result<Case, String> {
        let text =
            format!("[expect]\n{lines}\n[vertex shader passthrough]\n[test]\nlink success\n");
        messages(&text, Dialect::Interstage)
    }

    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        expect.assert_eq(&read_lines(lines).expect_err("is wrong"));
    }

    #[test]
    fn a_line_has_adapter_status_reason_and_link() {
        let case = read_lines(
            "\"LLVMpipe\" fail with \"red\" \"a bug\" https://a/#1 # why\n\"radv\" flake \"b\" x://y",
        )
        .expect("is a case");
        let [first, second] = &case.expected[..] else { panic!("two lines") };
        let any = read_lines("any flake \"b\" x://y").expect("is a case").expected;
        let part = AdapterPart { text: "llvmpipe".to_owned(), version: None };
        assert_eq!(first.adapter, AdapterPattern::Has(vec![part]));
        assert!(first.adapter.fits(Some("vulkan · llvmpipe (LLVM 15)")));
        assert!(!first.adapter.fits(Some("vulkan · SwiftShader")) && !first.adapter.fits(None));
        assert_eq!((first.status, first.symptom.as_deref()), (ExpectedStatus::Fail, Some("red")));
        assert_eq!((first.reason.as_str(), first.link.as_str()), ("a bug", "https://a/#1"));
        assert_eq!((second.status, &second.symptom), (ExpectedStatus::Flake, &None));
        assert_eq!(any[0].adapter, AdapterPattern::Any);
        assert!(any[0].adapter.fits(None));
    }

    #[test]
    fn an_adapter_contains_every_text_of_a_line() {
        let case = read_lines("\"llvmpipe\" and \"Mesa 22.\" fail \"b\" x://y").expect("is a case");
        let pattern = &case.expected[0].adapter;
        assert!(pattern.fits(Some("gl · llvmpipe (LLVM 15.0.6) · 4.5 Mesa 22.3.6")));
        assert!(!pattern.fits(Some("gl · llvmpipe (LLVM 19.1.7) · 4.5 Mesa 25.0.7")));
        assert!(!pattern.fits(Some("vulkan · AMD RADV · radv Mesa 22.3.6")));
    }

    #[test]
    fn a_version_may_be_bounded() {
        let mesa =
            |version: &str| format!("gl · llvmpipe (LLVM 15.0.6) · 4.5 Mesa {version} (LLVM 15)");
        let check = |bound: &str, version: &str, expected: bool| {
            let pattern =
                parse_adapter_pattern(&format!("\"mesa\" {bound}")).expect("is a pattern");
            assert_eq!(pattern.fits(Some(&mesa(version))), expected, "{bound} {version}");
        };
        check("< 23", "22.3.6", true);
        check("< 22.3.6", "22.3.6", false);
        check("<= 22.3.6", "22.3.6", true);
        check("<= 22.3", "22.3.0", true);
        check("== 22.3", "22.3.6", false);
        check("> 22.3", "22.3.6", true);
        check(">= 22.10", "22.3.6", false);
        check(">= 22 and \"llvm\" < 16", "22.3.6", true);
        let other = parse_adapter_pattern("\"radv\" < 99").expect("is a pattern");
        assert!(!other.fits(Some(&mesa("22.3.6"))) && !other.fits(Some("radv")));
        let error = parse_adapter_pattern("\"mesa\" < new").expect_err("is wrong");
        assert_eq!(error.message, "expected a version such as `23.1`, found `new`");
    }

    #[test]
    fn compilers_are_no_part_of_the_adapter() {
        let check = |words: &str, expected: bool| {
            let title = "vulkan · llvmpipe · x86-64-v4 · through spirv-cross+glslang (Glslang 11:12.0) · validated";
            let pattern = parse_adapter_pattern(words).expect("is a pattern");
            assert_eq!(pattern.fits(Some(title)), expected, "{words}");
        };
        check("\"gl\"", false);
        check("\"glslang\"", false);
        check("\"through glslang\"", true);
        check("\"through spirv-cross\" and \"x86-64-v\" == 4", true);
        check("\"through glslang (glslang 11:\" < 12", false);
        check("\"through llvmpipe\"", false);
        check("\"validated\" and \"vulkan\"", true);
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "llvmpipe fail \"b\" https://a",
            &expect![
                "2:1: expected `any` or a part of the adapter's name in quotes, found `llvmpipe`"
            ],
        );
        check_error(
            "any fial \"b\" https://a",
            &expect![
                "2:5: expected `fail`, `crash`, `timeout` or `flake`, found `fial` (help: did you mean `fail`?)"
            ],
        );
        check_error(
            "any fail because",
            &expect!["2:10: expected the reason in quotes, found `because`"],
        );
        check_error(
            "\"llvmpipe\" and fail \"b\" https://a",
            &expect!["2:16: expected a part of the adapter's name in quotes, found `fail`"],
        );
        check_error("\"llvmpipe\" and", &expect!["2:1: missing an adapter"]);
        check_error("any fail \" \" https://a", &expect!["2:10: the reason is empty"]);
        check_error(
            "any fail with \" \" \"b\" https://a",
            &expect![
                "2:15: every message contains this (help: leave out `with`, or quote a part of the message)"
            ],
        );
        check_error(
            "any fail \"b\" x://y\n\"a\" crash \"c\" x://y",
            &expect![
                "3:1: line 2 is about the same adapters (help: a case goes wrong in one way on an adapter: keep one line, or name what differs)"
            ],
        );
        check_error("any fail \"b\"", &expect!["2:1: missing the link of an issue"]);
        check_error(
            "any fail \"b\" 17",
            &expect!["2:14: expected the link of an issue, found `17`"],
        );
        check_error(
            "any fail \"b\" https://a 17",
            &expect!["2:24: unexpected `17` at the end of the line"],
        );
    }

    #[test]
    fn piglit_has_no_such_section() {
        let text = "[expect]\nany fail \"b\" https://a\n[vertex shader passthrough]\n";
        assert_eq!(
            messages(text, Dialect::Piglit).err().as_deref(),
            Some(
                "1:1: unknown section `[expect]` (help: piglit's files do not have it; put the file below a folder named `cases`, or write an `interstage.toml`)"
            )
        );
    }
}
