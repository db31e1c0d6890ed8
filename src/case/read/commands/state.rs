//! `clear`, `clear color`, `compute`, `compile error`, `tolerance`, `link`, `use`.

use crate::limits::MAX_WORKGROUPS;
use crate::read::line::{Words, read_message, wrong};
use crate::read::problem::Parsed;
use crate::vacuous;
use crate::{Action, Dialect, Expectation, ProgramExpectation, Setting, Tolerance};
use ir::diagnostic::Diagnostic;

/// Names of the four channels, for messages.
pub(super) const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// Reads `clear color r g b a`.
pub(super) fn read_clear_color(words: &mut Words<'_>) -> Parsed<Setting> {
    Ok(Setting::ClearColor(words.floats(CHANNELS)?))
}

/// Reads `clear`.
#[expect(clippy::unnecessary_wraps, reason = "has the type of the table's functions")]
pub(super) fn read_clear(_: &mut Words<'_>) -> Parsed<Action> {
    Ok(Action::Clear)
}

/// Reads `compute X Y Z`.
pub(super) fn read_compute(words: &mut Words<'_>) -> Parsed<Action> {
    let mut groups = [0; 3];
    for group in &mut groups {
        *group = words.integer("the number of workgroups", 0..=MAX_WORKGROUPS)?;
    }
    Ok(Action::Compute(groups))
}

/// Reads `tolerance r g b a` or `tolerance ulp N`.
pub(super) fn read_tolerance(words: &mut Words<'_>) -> Parsed<Setting> {
    if let Some(tolerance) = read_ulp(words)? {
        return Ok(Setting::Tolerance(tolerance));
    }
    let (first, span) = (words.peek(), words.span);
    let values = words.floats(CHANNELS)?;
    if values.iter().any(|value| !(0.0..f64::INFINITY).contains(value)) {
        let span = first.map_or(span, |first| first.span.to(span));
        let error = vacuous::ENDLESS_TOLERANCE.error(span, "a tolerance must be zero or more");
        return Err(error.into());
    }
    Ok(Setting::Tolerance(Tolerance::Absolute(values)))
}

/// Reads `ulp N` if it is next.
pub(super) fn read_ulp(words: &mut Words<'_>) -> Parsed<Option<Tolerance>> {
    if !words.take("ulp") {
        return Ok(None);
    }
    words
        .integer("the number of units in the last place", 0..=1 << 23)
        .map(Tolerance::Ulp)
        .map(Some)
}

/// Reads `compile error "text"`; in the shader library `compile error` alone.
pub(super) fn read_compile_error(words: &mut Words<'_>) -> Parsed<Expectation> {
    let text = match words.dialect {
        Dialect::ShaderLibrary => None,
        Dialect::Interstage | Dialect::Piglit | Dialect::Vulkan => {
            Some(read_message(words, "a compile error")?)
        }
    };
    Ok(ProgramExpectation::CompileError(text).into())
}

/// Reads `compile or link error`, which only the shader library has.
pub(super) fn read_compile_or_link_error(words: &mut Words<'_>) -> Parsed<Expectation> {
    if words.dialect == Dialect::ShaderLibrary {
        return Ok(ProgramExpectation::CompileOrLinkError.into());
    }
    let message = "only foreign files expect a compile or link error without saying which";
    Err(Diagnostic::error(words.span, message).into())
}

/// Reads `link success` or `link error "text"`; in foreign files `link error` alone.
pub(super) fn read_link(words: &mut Words<'_>) -> Parsed<Expectation> {
    let word = words.need("`success` or `error`")?;
    match word.text {
        "success" => Ok(ProgramExpectation::LinkSuccess.into()),
        "error" if matches!(words.dialect, Dialect::Piglit | Dialect::ShaderLibrary) => {
            Ok(ProgramExpectation::LinkError(None).into())
        }
        "error" => {
            let text = read_message(words, "a link error")?;
            Ok(ProgramExpectation::LinkError(Some(text)).into())
        }
        other => {
            let error = wrong(word, format!("expected `success` or `error`, found `{other}`"));
            Err(error.nearest(other, ["success", "error"]))
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, step};

    use super::*;

    #[test]
    fn clears_and_dispatches() {
        check("clear color 0.5 0 -1 1e2", Setting::ClearColor([0.5, 0.0, -1.0, 100.0]));
        check("clear color 0x3f800000 0 0 0", Setting::ClearColor([1.0, 0.0, 0.0, 0.0]));
        check("clear", Action::Clear);
        check("compute 1 0 65535", Action::Compute([1, 0, 65535]));
        check_error(
            "compute 1 1",
            &expect![[r"
            missing the number of workgroups (usage: compute X Y Z)
            compute 1 1
            ^^^^^^^^^^^"]],
        );
        check_error(
            "compute 65536 1 1",
            &expect![[r"
            the number of workgroups must be an integer from 0 to 65535, not `65536` (usage: compute X Y Z)
            compute 65536 1 1
                    ^^^^^"]],
        );
        check_error(
            "clear color 0 0 0 x",
            &expect![[r"
            expected alpha, found `x` (usage: clear color r g b a)
            clear color 0 0 0 x
                              ^"]],
        );
    }

    #[test]
    fn tolerances_are_absolute_or_in_ulps() {
        check("tolerance 0.1 0 0 1", Setting::Tolerance(Tolerance::Absolute([0.1, 0.0, 0.0, 1.0])));
        check("tolerance ulp 2", Setting::Tolerance(Tolerance::Ulp(2)));
        check_error(
            "tolerance 0 0 0 nan",
            &expect![[r"
            a tolerance must be zero or more (usage: tolerance r g b a, or tolerance ulp N)
            tolerance 0 0 0 nan
            ^^^^^^^^^^^^^^^^^^^"]],
        );
    }

    #[test]
    fn an_expected_error_says_which_one_is_meant() {
        let text = "`v` is vec2".to_owned();
        let line = |line| step(Dialect::Interstage, line);
        let link = ProgramExpectation::LinkError(Some(text.clone()));
        assert_eq!(line("link error \"`v` is vec2\""), Ok(link.into()));
        let compile = ProgramExpectation::CompileError(Some(text));
        assert_eq!(line("compile error \"`v` is vec2\""), Ok(compile.into()));
        check_error(
            "link error",
            &expect![[r#"
                a link error needs a part of its message (say which error is meant, in quotes: any other error would pass as well)
                link error
                ^^^^^^^^^^"#]],
        );
        check_error(
            "compile error",
            &expect![[r#"
                a compile error needs a part of its message (say which error is meant, in quotes: any other error would pass as well)
                compile error
                ^^^^^^^^^^^^^"#]],
        );
        check_error(
            "link error \"overlap\"",
            &expect![[r#"
                `overlap` is in nearly every message (at least two words with 8 letters or signs in all)
                link error "overlap"
                           ^^^^^^^^^"#]],
        );
        check_error(
            "compile error \"`v` is\"",
            &expect![[r#"
                ``v` is` is in nearly every message (at least two words with 8 letters or signs in all)
                compile error "`v` is"
                              ^^^^^^^^"#]],
        );
    }

    #[test]
    fn links_succeed_or_fail() {
        check("link success", ProgramExpectation::LinkSuccess);
        let piglit = step(Dialect::Piglit, "link error");
        assert_eq!(piglit, Ok(ProgramExpectation::LinkError(None).into()));
        check_error(
            "link sucess",
            &expect![[r"
            expected `success` or `error`, found `sucess` (did you mean `success`?)
            link sucess
                 ^^^^^^"]],
        );
    }
}
