//! `golden target N NAME [exact | tolerance n | flip t]` and `compare oracle …`.

use super::{buffer, xfb};
use crate::limits::{MAX_TARGET_INDEX, MAX_UNIT};
use crate::read::line::{Words, wrong};
use crate::read::problem::Parsed;
use crate::read::section::is_name;
use crate::state::depth_stencil::DepthAspect;
use crate::{Expectation, Golden, GoldenRule, OracleSource, ReadExpectation};
use ir::options::XFB_POINT;

/// Reads the rest of the line.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<Expectation> {
    let keyword = words.need("`target`")?;
    if keyword.text != "target" {
        return Err(wrong(keyword, format!("expected `target`, found `{}`", keyword.text)));
    }
    let target = words.integer("the render target", 0..=MAX_TARGET_INDEX)?;
    let name = words.need("the golden's name")?;
    // The name becomes a file name.
    if !is_name(name.text) {
        let message = format!("a golden's name has letters, digits and `_`, not `{}`", name.text);
        return Err(wrong(name, message));
    }
    let rule = read_rule(words)?;
    Ok(ReadExpectation::Golden(Golden { target, name: name.text.to_owned(), rule }).into())
}

/// Reads the rest of `compare oracle …`. Without a source it compares render target 0.
pub(super) fn read_oracle(words: &mut Words<'_>) -> Parsed<Expectation> {
    const PLACES: [&str; 6] = ["target", "depth", "stencil", "ssbo", "texture", "capture"];
    let Some(word) = words.take_word() else {
        return Ok(ReadExpectation::Oracle(OracleSource::Target(0)).into());
    };
    let source = match word.text {
        "target" => OracleSource::Target(words.integer("the render target", 0..=MAX_TARGET_INDEX)?),
        "depth" => OracleSource::Depth(DepthAspect::Depth),
        "stencil" => OracleSource::Depth(DepthAspect::Stencil),
        "ssbo" => OracleSource::Buffer(buffer::read_binding(words)?),
        "texture" => OracleSource::Texture(crate::read::point::read_point(
            words,
            "the texture unit",
            MAX_UNIT,
        )?),
        "capture" => OracleSource::Buffer(XFB_POINT + xfb::read_number(words)?),
        other => {
            let message = format!("expected one of {}, found `{other}`", PLACES.join(", "));
            return Err(wrong(word, message).nearest(other, PLACES));
        }
    };
    Ok(ReadExpectation::Oracle(source).into())
}

fn read_rule(words: &mut Words<'_>) -> Parsed<GoldenRule> {
    let Some(word) = words.take_word() else { return Ok(GoldenRule::Exact) };
    match word.text {
        "exact" => Ok(GoldenRule::Exact),
        "tolerance" => {
            words.integer("the tolerance", 0..=u32::from(u16::MAX)).map(GoldenRule::Tolerance)
        }
        "flip" => {
            let limit = words.peek();
            let [error] = words.floats32(["the greatest mean error"])?;
            match limit {
                Some(limit) if !(0.0..1.0).contains(&error) => {
                    Err(wrong(limit, "a mean FLIP error is at least 0 and less than 1"))
                }
                Some(_) | None => Ok(GoldenRule::Flip(error)),
            }
        }
        other => {
            let message = format!("expected `exact`, `tolerance` or `flip`, found `{other}`");
            Err(wrong(word, message).nearest(other, ["exact", "tolerance", "flip"]))
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error};

    use super::*;

    fn golden(target: u32, rule: GoldenRule) -> ReadExpectation {
        ReadExpectation::Golden(Golden { target, name: "a_1".into(), rule })
    }

    #[test]
    fn goldens_are_exact_unless_they_say_otherwise() {
        check("golden target 0 a_1", golden(0, GoldenRule::Exact));
        check("golden target 7 a_1 exact", golden(7, GoldenRule::Exact));
        check("golden target 0 a_1 tolerance 2", golden(0, GoldenRule::Tolerance(2)));
        check("golden target 0 a_1 flip 0.5", golden(0, GoldenRule::Flip(0.5)));
    }

    #[test]
    fn the_oracle_knows_targets_and_buffers() {
        let oracle = |source| ReadExpectation::Oracle(source);
        check("compare oracle", oracle(OracleSource::Target(0)));
        check("compare oracle target 2", oracle(OracleSource::Target(2)));
        check("compare oracle stencil", oracle(OracleSource::Depth(DepthAspect::Stencil)));
        check("compare oracle ssbo 3", oracle(OracleSource::Buffer(3)));
        check("compare oracle texture 1:3", oracle(OracleSource::Texture(1 << 16 | 3)));
        check("compare oracle capture 1", oracle(OracleSource::Buffer(XFB_POINT + 1)));
        check_error(
            "compare oracle depht",
            &expect![[r#"
                expected one of target, depth, stencil, ssbo, texture, capture, found `depht` (did you mean `depth`?)
                compare oracle depht
                               ^^^^^"#]],
        );
        check_error(
            "compare oracle target",
            &expect![[r#"
            missing the render target (usage: compare oracle [target N | depth | stencil | ssbo N | capture N])
            compare oracle target
            ^^^^^^^^^^^^^^^^^^^^^"#]],
        );
    }

    #[test]
    fn names_cannot_leave_their_folder() {
        check_error(
            "golden target 0 ../a",
            &expect![[r"
            a golden's name has letters, digits and `_`, not `../a` (usage: golden target N NAME [exact | tolerance n | flip t])
            golden target 0 ../a
                            ^^^^"]],
        );
        check_error(
            "golden target 0 a flip 1",
            &expect![[r"
            a mean FLIP error is at least 0 and less than 1 (usage: golden target N NAME [exact | tolerance n | flip t])
            golden target 0 a flip 1
                                   ^"]],
        );
    }
}
