//! `xfb …`, `capture …`, `probe capture`, `probe xfb buffer`, and `verify query_object`.

use crate::draw::xfb::{XfbQuery, XfbStep};
use crate::limits::MAX_BUFFER_BYTES;
use crate::read::commands::buffer::{read_comparison, read_offset};
use crate::read::commands::draw;
use crate::read::commands::uniform::{read_all_values, read_basic_type};
use crate::read::line::{Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::read::value::{read_scalar, scalar_kind};
use crate::{Action, BufferProbe, Comparison, CountProbe, Dialect, Expectation, ReadExpectation};
use ir::interface::{ScalarKind, Type};
use ir::options::{MAX_XFB_BUFFER, XFB_POINT};

const STEPS: [(&str, XfbStep); 4] = [
    ("begin", XfbStep::Begin),
    ("pause", XfbStep::Pause),
    ("resume", XfbStep::Resume),
    ("end", XfbStep::End),
];

const QUERIES: [(&str, XfbQuery); 2] = [
    ("GL_PRIMITIVES_GENERATED", XfbQuery::Generated),
    ("GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN", XfbQuery::Written),
];

/// Keywords after `capture`, and the queries.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    let queries = QUERIES.iter().map(|(word, _)| *word);
    STEPS.iter().map(|(word, _)| *word).chain(queries)
}

/// Reads `xfb buffer object N SIZE [WORD]`.
pub(super) fn read_buffer(words: &mut Words<'_>) -> Parsed<Action> {
    let buffer = read_number(words)?;
    let size = words.integer("the size in bytes", 0..=MAX_BUFFER_BYTES)?;
    let is_filled = words.dialect != Dialect::Piglit && words.has_more();
    let fill = if is_filled { words.integer("the word", 0..=u32::MAX)? } else { 0 };
    Ok(Action::Xfb(XfbStep::Buffer { buffer, size, fill }))
}

/// Reads `xfb buffer range N OFFSET SIZE [of M]`.
pub(super) fn read_range(words: &mut Words<'_>) -> Parsed<Action> {
    let buffer = read_number(words)?;
    let offset = read_offset(words)?;
    let word = words.need("the size in bytes")?;
    let size = word
        .text
        .parse()
        .ok()
        .filter(|size| size % 4 == 0 && (4..=MAX_BUFFER_BYTES).contains(size));
    let size = size.ok_or_else(|| {
        wrong(
            word,
            format!("the size in bytes must be a positive multiple of 4, not `{}`", word.text),
        )
    })?;
    let of = if words.take("of") { read_number(words)? } else { buffer };
    Ok(Action::Xfb(XfbStep::Range { buffer, of, offset, size }))
}

/// Reads `xfb draw arrays …`, `xfb draw indexed …` and `xfb draw captured …`.
pub(super) fn read_draw(words: &mut Words<'_>) -> Parsed<Action> {
    let draw = if words.take("arrays") {
        draw::read_arrays_draw(words)?
    } else if words.dialect != Dialect::Piglit && words.take("indexed") {
        draw::read_indexed_draw(words)?
    } else if words.dialect != Dialect::Piglit && words.take("captured") {
        draw::read_captured_draw(words)?
    } else {
        let what = "`arrays`, `indexed` or `captured`";
        let word = words.need(what)?;
        return Err(wrong(word, format!("expected {what}, found `{}`", word.text)));
    };
    Ok(Action::Xfb(XfbStep::Draw(draw)))
}

/// Reads `capture begin|pause|resume|end`.
pub(super) fn read_step(words: &mut Words<'_>) -> Parsed<Action> {
    let word = words.need("`begin`, `pause`, `resume` or `end`")?;
    let known = STEPS.iter().find(|(known, _)| *known == word.text);
    known.map(|(_, step)| Action::Xfb(step.clone())).ok_or_else(|| {
        let error = wrong(word, format!("unknown step `{}` of a capture", word.text));
        error.nearest(word.text, STEPS.iter().map(|(known, _)| *known))
    })
}

/// Reads `probe capture N TYPE OFFSET OPERATOR values`.
pub(super) fn read_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    let binding = XFB_POINT + read_number(words)?;
    let ty = read_basic_type(words, "probe capture")?;
    let offset = read_offset(words)?;
    let comparison = read_comparison(words)?;
    let expected = read_all_values(words, &ty)?;
    let probe = BufferProbe { binding, offset, ty, comparison, expected };
    Ok(ReadExpectation::Buffer(probe).into())
}

/// Reads `probe xfb buffer TYPE N INDEX value`: the index counts values of that type.
pub(super) fn read_xfb_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    let word = words.peek();
    let ty = read_basic_type(words, "probe xfb buffer")?;
    let is_known = matches!(ty, Type::Scalar(ScalarKind::F32 | ScalarKind::F64));
    if let (Some(word), false) = (word, is_known) {
        return Err(Problem::unsupported(format!("probe xfb buffer {}", word.text), word.span));
    }
    let binding = XFB_POINT + read_number(words)?;
    let size = 4 * ty.component_count();
    let offset = size * words.integer("the index", 0..=MAX_BUFFER_BYTES / size)?;
    let expected = vec![read_scalar(words, scalar_kind(&ty), "the expected value")?];
    let probe = BufferProbe { binding, offset, ty, comparison: Comparison::Near, expected };
    Ok(ReadExpectation::Buffer(probe).into())
}

/// Reads `verify query_object QUERY value`.
pub(super) fn read_query(words: &mut Words<'_>) -> Parsed<Expectation> {
    let word = words.need("a query")?;
    let Some((_, query)) = QUERIES.iter().find(|(known, _)| *known == word.text) else {
        let error = wrong(word, format!("unknown query `{}`", word.text));
        return Err(error.nearest(word.text, QUERIES.map(|(known, _)| known)));
    };
    let expected = words.integer("the number of primitives", 0..=u32::MAX)?;
    Ok(ReadExpectation::XfbCount(CountProbe { query: *query, expected }).into())
}

pub(super) fn read_number(words: &mut Words<'_>) -> Parsed<u32> {
    words.integer("the number of the capture buffer", 0..=MAX_XFB_BUFFER)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported, step};
    use crate::read::value::basic_type;
    use crate::{Draw, DrawShape, Topology};
    use ir::scalar::Number;

    use super::*;

    #[test]
    fn buffers_are_made_and_draws_captured() {
        check(
            "xfb buffer object 2 64",
            Action::Xfb(XfbStep::Buffer { buffer: 2, size: 64, fill: 0 }),
        );
        assert_eq!(
            step(Dialect::Interstage, "xfb buffer object 2 64 7"),
            Ok(Action::Xfb(XfbStep::Buffer { buffer: 2, size: 64, fill: 7 }).into())
        );
        let shape = DrawShape::Arrays { topology: Topology::Lines, first: 0, count: 4 };
        let draw = Draw { instances: 2, ..Draw::once(shape) };
        check("xfb draw arrays instanced GL_LINES 0 4 2", Action::Xfb(XfbStep::Draw(draw)));
        let shape = DrawShape::Indexed { topology: Topology::Points, first: 1, count: 3 };
        assert_eq!(
            step(Dialect::Interstage, "xfb draw indexed points 1 3"),
            Ok(Action::Xfb(XfbStep::Draw(Draw::once(shape))).into())
        );
        check("capture begin", Action::Xfb(XfbStep::Begin));
    }

    #[test]
    fn a_range_is_of_its_own_buffer_or_of_another() {
        let range = |of| {
            let range = XfbStep::Range { buffer: 1, of, offset: 8, size: 16 };
            Ok(Action::Xfb(range).into())
        };
        assert_eq!(step(Dialect::Interstage, "xfb buffer range 1 8 16"), range(1));
        assert_eq!(step(Dialect::Interstage, "xfb buffer range 1 8 16 of 0"), range(0));
        check_error(
            "xfb buffer range 1 6 16",
            &expect![[r"
            the byte offset must be a multiple of 4, not `6` (usage: xfb buffer range N OFFSET SIZE [of M])
            xfb buffer range 1 6 16
                               ^"]],
        );
        check_error(
            "xfb buffer range 1 8 0",
            &expect![[r"
            the size in bytes must be a positive multiple of 4, not `0` (usage: xfb buffer range N OFFSET SIZE [of M])
            xfb buffer range 1 8 0
                                 ^"]],
        );
    }

    #[test]
    fn probes_of_both_orders_look_at_the_same_bytes() {
        let probe = |comparison| {
            Ok(ReadExpectation::Buffer(BufferProbe {
                binding: XFB_POINT + 1,
                offset: 8,
                ty: basic_type("float").expect("a type"),
                comparison,
                expected: vec![Number::Real(1.5)],
            })
            .into())
        };
        let read = |line| step(Dialect::Interstage, line);
        assert_eq!(read("probe capture 1 float 8 == 1.5"), probe(Comparison::Equal));
        assert_eq!(read("probe xfb buffer float 1 2 1.5"), probe(Comparison::Near));
    }

    #[test]
    fn what_is_not_known_is_named() {
        check_unsupported("probe xfb buffer int64 0 0 1", "probe xfb buffer int64");
        check_error(
            "verify query_object GL_PRIMITIVES_GENERATE 1",
            &expect![[r"
            unknown query `GL_PRIMITIVES_GENERATE` (did you mean `GL_PRIMITIVES_GENERATED`?)
            verify query_object GL_PRIMITIVES_GENERATE 1
                                ^^^^^^^^^^^^^^^^^^^^^^"]],
        );
    }
}
