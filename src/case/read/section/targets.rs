//! `[render targets]`: `INDEX FORMAT [clear v…]` with wgpu's format names, `samples N` and `depth FORMAT`.

use crate::limits::{MAX_SAMPLES, MAX_TARGET_INDEX};
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::once::Once;
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::read::value::read_scalar;
use crate::state::depth_stencil::DepthFormat;
use crate::{Case, RenderTarget};
use ir::format::{Format, FormatClass};
use ir::interface::ScalarKind;
use ir::scalar::Number;

/// Keyword for the number of samples.
const SAMPLES: &str = "samples";
/// Keyword for the format of the depth buffer.
const DEPTH: &str = "depth";

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    [SAMPLES, DEPTH].into_iter()
}

/// Reads the section into `case`; its targets replace the implied one.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let mut targets: Vec<RenderTarget> = Vec::new();
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        if words.peek().is_some_and(|word| [SAMPLES, DEPTH].contains(&word.text)) {
            reader.give("[render targets]", Once::First(1).settings(words.all()));
        }
        if words.take(SAMPLES) {
            case.samples = read_samples(words)?;
            return Ok(());
        }
        if words.take(DEPTH) {
            return read_depth_format(words, case);
        }
        let target = read_target(words)?;
        let setting = format!("render target {}", target.index);
        reader.give("[render targets]", vec![(setting, words.span)]);
        targets.push(target);
        Ok(())
    });
    if !targets.is_empty() {
        case.render_targets = targets;
    }
}

/// Reads `samples N`.
fn read_samples(words: &mut Words<'_>) -> Parsed<u32> {
    let word = words.peek();
    let samples = words.integer("the number of samples", 1..=MAX_SAMPLES)?;
    match word.filter(|_| !samples.is_power_of_two()) {
        Some(word) => Err(wrong(word, "the number of samples is 1, 2, 4, 8 or 16")),
        None => Ok(samples),
    }
}

/// Reads `depth FORMAT`.
fn read_depth_format(words: &mut Words<'_>, case: &mut Case) -> Parsed<()> {
    let name = words.need("a format such as `depth24plus`")?;
    let Some(format) = DepthFormat::from_name(name.text) else {
        let error = wrong(name, format!("unknown depth buffer format `{}`", name.text));
        return Err(error.nearest(name.text, DepthFormat::all().map(DepthFormat::name)));
    };
    case.depth_format = Some(format);
    Ok(())
}

fn read_target(words: &mut Words<'_>) -> Parsed<RenderTarget> {
    let index = words.integer("the index of the render target", 0..=MAX_TARGET_INDEX)?;
    let name = words.need("a format such as `rgba8unorm`")?;
    let Some(format) = Format::from_name(name.text) else {
        let error = wrong(name, format!("unknown render target format `{}`", name.text));
        return Err(error.with_help("formats have wgpu's names, such as `rgba8unorm`"));
    };
    let clear = if words.has_more() { Some(read_clear(words, format)?) } else { None };
    Ok(RenderTarget { index, format, clear, span: Some(words.span) })
}

fn read_clear(words: &mut Words<'_>, format: Format) -> Parsed<Vec<Number>> {
    let keyword = words.need("`clear`")?;
    if keyword.text != "clear" {
        return Err(wrong(keyword, format!("expected `clear`, found `{}`", keyword.text)));
    }
    let kind = scalar_of(format.class());
    let mut values = vec![read_scalar(words, kind, "the first channel's value")?];
    while words.has_more() && values.len() < 4 {
        values.push(read_scalar(words, kind, "a channel's value")?);
    }
    Ok(values)
}

/// Scalar kind of a fragment output for this format class.
pub(in crate::read) fn scalar_of(class: FormatClass) -> ScalarKind {
    match class {
        FormatClass::Float => ScalarKind::F32,
        FormatClass::Sint => ScalarKind::I32,
        FormatClass::Uint => ScalarKind::U32,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    use super::*;

    fn read_lines(lines: &str) -> Result<Case, String> {
        let text = format!(
            "[render targets]\n{lines}\n[test]\nlink success\n[vertex shader passthrough]\n"
        );
        messages(&text, Dialect::Interstage)
    }

    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        expect.assert_eq(&read_lines(lines).expect_err("is wrong"));
    }

    #[test]
    fn indices_may_have_holes_and_content_before_the_first_step() {
        let case = read_lines("5 rgba8unorm clear 0 0.5\n0 rgba8unorm # x").expect("is a case");
        let [five, zero] = &case.render_targets[..] else { panic!("two targets") };
        assert_eq!((five.index, zero.index), (5, 0));
        assert_eq!(five.clear, Some(vec![Number::Integer(0), Number::Real(0.5)]));
        assert_eq!(zero.clear, None);
    }

    #[test]
    fn without_the_section_there_is_one_target() {
        let case =
            messages("[test]\nlink success\n[vertex shader passthrough]\n", Dialect::Interstage)
                .expect("is a case");
        assert_eq!(case.render_targets.len(), 1);
        assert_eq!(case.render_targets[0].format, Format::RGBA8_UNORM);
    }

    #[test]
    fn the_depth_buffer_has_a_format() {
        let case = read_lines("depth depth24plus\n0 rgba8unorm").expect("is a case");
        assert_eq!(case.depth_buffer(), Some(DepthFormat::Depth24Plus));
        check_error(
            "depth depth24pluz",
            &expect![[r"
            2:7: unknown depth buffer format `depth24pluz` (help: did you mean `depth24plus`?)"]],
        );
        check_error(
            "depth stencil8\ndepth stencil8",
            &expect![
                "3:1: `depth` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "8 rgba8unorm",
            &expect![[r"
            2:1: the index of the render target must be an integer from 0 to 7, not `8`"]],
        );
        check_error(
            "0 GL_RGBA8",
            &expect![[r"
            2:3: unknown render target format `GL_RGBA8` (help: formats have wgpu's names, such as `rgba8unorm`)"]],
        );
        check_error(
            "0 rgba8unorm\n0 rgba8unorm",
            &expect![
                "3:1: `render target 0` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
        check_error("0 rgba8unorm cler 1", &expect!["2:14: expected `clear`, found `cler`"]);
        check_error(
            "0 rgba8unorm clear 1 1 1 1 1",
            &expect!["2:28: unexpected `1` at the end of the line"],
        );
    }
}
