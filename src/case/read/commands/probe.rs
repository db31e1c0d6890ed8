//! `probe` and `relative probe` of render targets, and `probe depth`.

use crate::limits::{MAX_SAMPLES, MAX_TARGET_INDEX, MAX_TARGET_SIZE};
use crate::read::commands::state::{CHANNELS, read_ulp};
use crate::read::line::{Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::state::depth_stencil::DepthAspect;
use crate::{DepthProbe, Dialect, Expectation, Probe, ReadExpectation, Region};
use ir::scalar::Number;

/// Reads `probe [target N] [sample K] [rect | all] r|rg|rgb|rgba [int] …`.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<Expectation> {
    let target = read_target(words)?;
    let sample = read_sample(words)?;
    let (is_all, is_rect) = (words.take("all"), words.take("rect"));
    let channels = read_channels(words)?;
    let is_exact_integer = take_int(words)?;
    let region = match (is_all, is_rect) {
        (true, true) => return Err(both_all_and_rect(words)),
        (true, false) => Region::All,
        (false, true) => Region::Rect(read_rect(words)?),
        (false, false) if words.left() == usize::from(channels) => {
            return Err(no_place(words, channels));
        }
        (false, false) => Region::Pixel(read_pixels(words, ["x", "y"])?),
    };
    read_expected(words, ProbeStart { target, sample, region, channels, is_exact_integer })
}

/// The error for a probe that has values and no place.
fn no_place(words: &Words<'_>, channels: u8) -> Problem {
    let letters = &"rgba"[..usize::from(channels)];
    ir::diagnostic::Diagnostic::error(words.span, "a probe of a pixel needs its x and y")
        .with_help(format!("did you mean `probe all {letters}`?"))
        .into()
}

/// Reads `relative probe [target N] [sample K] [rect] r|rg|rgb|rgba [int] …`.
pub(super) fn read_relative(words: &mut Words<'_>) -> Parsed<Expectation> {
    let target = read_target(words)?;
    let sample = read_sample(words)?;
    let is_rect = words.take("rect");
    let channels = read_channels(words)?;
    let is_exact_integer = take_int(words)?;
    let region = if is_rect {
        Region::RelativeRect(read_fractions(words, ["x", "y", "the width", "the height"])?)
    } else {
        Region::RelativePixel(read_fractions(words, ["x", "y"])?)
    };
    read_expected(words, ProbeStart { target, sample, region, channels, is_exact_integer })
}

/// Reads `probe depth x y z`.
pub(super) fn read_depth(words: &mut Words<'_>) -> Parsed<Expectation> {
    let at = read_pixels(words, ["x", "y"])?;
    let expected = words.number("the depth")?;
    let aspect = DepthAspect::Depth;
    Ok(ReadExpectation::Depth(DepthProbe { aspect, at, expected }).into())
}

/// The words before the expected values.
struct ProbeStart {
    target: u32,
    sample: Option<u32>,
    region: Region,
    channels: u8,
    is_exact_integer: bool,
}

fn read_expected(words: &mut Words<'_>, start: ProbeStart) -> Parsed<Expectation> {
    let ProbeStart { target, sample, region, channels, is_exact_integer } = start;
    let mut expected = Vec::new();
    let mut alternatives = Vec::new();
    for (channel, name) in CHANNELS[..usize::from(channels)].iter().enumerate() {
        let word = words.peek();
        let numbers = words.numbers(name)?;
        let is_fraction = |number: &Number| matches!(number, Number::Real(value) if *value != 0.0);
        if let (true, Some(word)) = (is_exact_integer && numbers.iter().any(is_fraction), word) {
            return Err(wrong(word, format!("expected an integer, found `{}`", word.text)));
        }
        expected.extend(numbers.first());
        alternatives.extend(numbers.iter().skip(1).map(|number| (channel, *number)));
    }
    let tolerance = read_ulp(words)?;
    Ok(ReadExpectation::Probe(Probe {
        target,
        sample,
        region,
        channels,
        expected,
        alternatives,
        tolerance,
        is_exact_integer,
    })
    .into())
}

fn read_target(words: &mut Words<'_>) -> Parsed<u32> {
    if words.take("target") {
        words.integer("the render target", 0..=MAX_TARGET_INDEX)
    } else {
        Ok(0)
    }
}

fn read_sample(words: &mut Words<'_>) -> Parsed<Option<u32>> {
    if !words.take("sample") {
        return Ok(None);
    }
    words.integer("the sample", 0..=MAX_SAMPLES - 1).map(Some)
}

fn read_channels(words: &mut Words<'_>) -> Parsed<u8> {
    let all = [("r", 1), ("rg", 2), ("rgb", 3), ("rgba", 4)];
    // piglit probes three or four channels.
    let (channels, expected) = match words.dialect {
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => {
            (&all[..], "`r`, `rg`, `rgb` or `rgba`")
        }
        Dialect::Piglit => (&all[2..], "`rgb` or `rgba`"),
    };
    let word = words.need(expected)?;
    if let Some((_, count)) = channels.iter().find(|(name, _)| *name == word.text) {
        return Ok(*count);
    }
    let error = wrong(word, format!("expected {expected}, found `{}`", word.text));
    if matches!(word.text, "target" | "sample") {
        let usage = "`target N` and `sample K` come before `rect`, `all` and the channels";
        return Err(error.with_help(usage));
    }
    let known = ["target", "sample", "rect", "all", "rgb", "rgba", "buffer", "ssbo"];
    Err(error.nearest(word.text, known))
}

/// Consumes `int` if it is next. Other names of integer types are errors whose help names `int`.
fn take_int(words: &mut Words<'_>) -> Parsed<bool> {
    match words.peek().filter(|word| matches!(word.text, "uint" | "ivec4" | "uvec4" | "integer")) {
        Some(word) => {
            let error = wrong(word, format!("unexpected `{}`", word.text));
            Err(error.with_help("write `int`, for signed and unsigned integers alike"))
        }
        None => Ok(words.take("int")),
    }
}

fn both_all_and_rect(words: &Words<'_>) -> Problem {
    ir::diagnostic::Diagnostic::error(words.span, "a probe has either `all` or `rect`").into()
}

pub(super) fn read_pixels<const N: usize>(
    words: &mut Words<'_>,
    what: [&str; N],
) -> Parsed<[u32; N]> {
    let mut pixels = [0; N];
    for (pixel, what) in pixels.iter_mut().zip(what) {
        *pixel = words.integer(what, 0..=MAX_TARGET_SIZE)?;
    }
    Ok(pixels)
}

fn read_rect(words: &mut Words<'_>) -> Parsed<[u32; 4]> {
    let [x, y] = read_pixels(words, ["x", "y"])?;
    let width = words.integer("the width", 1..=MAX_TARGET_SIZE)?;
    let height = words.integer("the height", 1..=MAX_TARGET_SIZE)?;
    Ok([x, y, width, height])
}

fn read_fractions<const N: usize>(words: &mut Words<'_>, what: [&str; N]) -> Parsed<[f64; N]> {
    let mut fractions = [0.0; N];
    for (fraction, what) in fractions.iter_mut().zip(what) {
        let word = words.peek();
        [*fraction] = words.floats([what])?;
        if let (false, Some(word)) = ((0.0..=1.0).contains(fraction), word) {
            return Err(wrong(
                word,
                format!("{what} is a fraction from 0 to 1, not `{}`", word.text),
            ));
        }
    }
    Ok(fractions)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::Tolerance;
    use crate::read::commands::tests::{check, check_error, step};

    use super::*;

    fn probe(region: Region, expected: &[i128]) -> Probe {
        Probe {
            target: 0,
            sample: None,
            region,
            channels: u8::try_from(expected.len()).expect("at most four"),
            expected: expected.iter().copied().map(Number::Integer).collect(),
            alternatives: Vec::new(),
            tolerance: None,
            is_exact_integer: false,
        }
    }

    #[track_caller]
    fn check_probe(line: &str, expect: Probe) {
        check(line, ReadExpectation::Probe(expect));
    }

    #[test]
    fn depths_are_probed_by_pixel() {
        let expected = Number::Real(0.25);
        let probe = DepthProbe { aspect: DepthAspect::Depth, at: [3, 0], expected };
        check("probe depth 3 0 0.25", ReadExpectation::Depth(probe));
    }

    #[test]
    fn parentheses_and_commas_are_optional() {
        check_probe("probe rgba 1 2 0 1 0 1", probe(Region::Pixel([1, 2]), &[0, 1, 0, 1]));
        check_probe("probe rgba (1, 2) (0, 1, 0, 1)", probe(Region::Pixel([1, 2]), &[0, 1, 0, 1]));
        let rect = Region::Rect([0, 1, 2, 3]);
        check_probe("probe rect rgb (0,1,2,3)(1,0,0)", probe(rect, &[1, 0, 0]));
        check_probe("probe all rgb 1 0 0", probe(Region::All, &[1, 0, 0]));
        let pixel = Region::RelativePixel([0.5, 0.25]);
        check_probe("relative probe rgb (0.5, 0.25) (1, 0, 0)", probe(pixel, &[1, 0, 0]));
        let rect = Region::RelativeRect([0.0, 0.0, 0.5, 1.0]);
        check_probe("relative probe rect rgb (0, 0, 0.5, 1) (1, 0, 0)", probe(rect, &[1, 0, 0]));
    }

    #[test]
    fn target_tolerance_and_exactness_are_optional() {
        let all = probe(Region::All, &[1, 2, 3, 4]);
        check_probe("probe target 3 all rgba 1 2 3 4", Probe { target: 3, ..all.clone() });
        let tolerance = Some(Tolerance::Ulp(1));
        check_probe("probe all rgba 1 2 3 4 ulp 1", Probe { tolerance, ..all.clone() });
        let region = Region::Rect([0, 0, 1, 1]);
        let exact = Probe { is_exact_integer: true, region, ..all };
        check_probe("probe rect rgba int (0, 0, 1, 1) (1, 2, 3, 4)", exact);
    }

    #[test]
    fn a_channel_may_have_alternatives() {
        let alternatives =
            vec![(1, Number::Integer(5)), (1, Number::Bits(6)), (3, Number::Integer(0))];
        let all = probe(Region::All, &[1, 2, 3, 4]);
        check_probe("probe all rgba 1 2|5|0x6 3 4|0", Probe { alternatives, ..all });
        check_error(
            "probe all rgba 1 2|| 3 4",
            &expect![[r#"
                expected green, found `` (usage: probe [target N] [sample K] [rect | all] r|rg|rgb|rgba [int] [(x, y[, w, h])] (r[, g[, b[, a]]]) [ulp N])
                probe all rgba 1 2|| 3 4
                                 ^^^"#]],
        );
    }

    #[test]
    fn one_and_two_channels_are_probed_in_strict_cases_only() {
        for (line, expected) in [("probe all r 1", &[1][..]), ("probe all rg int 1 2", &[1, 2])] {
            let is_exact_integer = expected.len() == 2;
            let probe = Probe { is_exact_integer, ..probe(Region::All, expected) };
            let read = step(Dialect::Interstage, line);
            assert_eq!(read, Ok(ReadExpectation::Probe(probe).into()), "{line}");
            let piglit = step(Dialect::Piglit, line).expect_err("piglit has no such probe");
            assert!(piglit.starts_with("expected `rgb` or `rgba`"), "{piglit}");
        }
        let error = step(Dialect::Interstage, "probe all rgba uint 1 2 3 4").expect_err("is wrong");
        assert!(error.contains("write `int`, for signed and unsigned integers alike"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "probe rect rgba (0, 0, 1, 1) (1, 2, 3)",
            &expect![[r#"
                missing alpha (usage: probe [target N] [sample K] [rect | all] r|rg|rgb|rgba [int] [(x, y[, w, h])] (r[, g[, b[, a]]]) [ulp N])
                probe rect rgba (0, 0, 1, 1) (1, 2, 3)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
        );
        check_error(
            "probe al rgba 1 2 3 4",
            &expect![[r#"
                expected `r`, `rg`, `rgb` or `rgba`, found `al` (did you mean `all`?)
                probe al rgba 1 2 3 4
                      ^^"#]],
        );
        check_error(
            "probe rect rgb (0, 0, 0, 1) (1, 2, 3)",
            &expect![[r#"
                the width must be an integer from 1 to 8192, not `0` (usage: probe [target N] [sample K] [rect | all] r|rg|rgb|rgba [int] [(x, y[, w, h])] (r[, g[, b[, a]]]) [ulp N])
                probe rect rgb (0, 0, 0, 1) (1, 2, 3)
                                      ^"#]],
        );
        check_error(
            "relative probe rgb (1.5, 0) (1, 2, 3)",
            &expect![[r#"
                x is a fraction from 0 to 1, not `1.5` (usage: relative probe [target N] [sample K] [rect] r|rg|rgb|rgba [int] (x, y[, w, h]) (r[, g[, b[, a]]]) [ulp N])
                relative probe rgb (1.5, 0) (1, 2, 3)
                                    ^^^"#]],
        );
        check_error(
            "probe all rect rgb 1 1 1",
            &expect![[r#"
                a probe has either `all` or `rect` (usage: probe [target N] [sample K] [rect | all] r|rg|rgb|rgba [int] [(x, y[, w, h])] (r[, g[, b[, a]]]) [ulp N])
                probe all rect rgb 1 1 1
                ^^^^^^^^^^^^^^^^^^^^^^^^"#]],
        );
    }
}
