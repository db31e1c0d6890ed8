//! `ssbo`, `probe ssbo`, `probe buffer`, and the commands of atomic counters.

use crate::limits::{MAX_BINDING, MAX_BUFFER_BYTES};
use crate::read::commands::uniform::{read_all_values, read_basic_type};
use crate::read::line::{Words, wrong};
use crate::read::point::read_point;
use crate::read::problem::Parsed;
use crate::read::value::{read_scalar, scalar_kind};
use crate::{BufferProbe, Comparison, Dialect, Expectation, ReadExpectation, Setting};
use ir::interface::{ScalarKind, Type};
use ir::options::ATOMIC_COUNTER_POINT;

/// Comparison operators.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    Comparison::OPERATORS.iter().map(|(word, _)| *word)
}

/// Reads `ssbo N SIZE` or `ssbo N subdata TYPE OFFSET values…`.
pub(super) fn read_ssbo(words: &mut Words<'_>) -> Parsed<Setting> {
    let binding = read_binding(words)?;
    if !words.take("subdata") {
        let size = words.integer("the size in bytes", 0..=MAX_BUFFER_BYTES)?;
        return Ok(Setting::Ssbo { binding, size });
    }
    let ty = read_basic_type(words, "ssbo subdata")?;
    let offset = read_offset(words)?;
    let values = read_all_values(words, &ty)?;
    Ok(Setting::SsboData { binding, offset, ty, values })
}

/// Reads `probe ssbo TYPE N OFFSET OPERATOR value`; piglit reads one number and ignores what follows.
pub(super) fn read_ssbo_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    let ty = read_basic_type(words, "probe ssbo")?;
    let binding = read_binding(words)?;
    let offset = read_offset(words)?;
    let comparison = read_comparison(words)?;
    let expected = match words.dialect {
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => {
            read_all_values(words, &ty)?
        }
        Dialect::Piglit => vec![read_scalar(words, scalar_kind(&ty), "the expected value")?],
    };
    let probe = BufferProbe { binding, offset, ty, comparison, expected };
    Ok(ReadExpectation::Buffer(probe).into())
}

/// Reads `probe buffer N TYPE OFFSET OPERATOR values…`.
pub(super) fn read_buffer_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    let binding = read_binding(words)?;
    let ty = read_basic_type(words, "probe buffer")?;
    let offset = read_offset(words)?;
    let comparison = read_comparison(words)?;
    let expected = read_all_values(words, &ty)?;
    let probe = BufferProbe { binding, offset, ty, comparison, expected };
    Ok(ReadExpectation::Buffer(probe).into())
}

/// Reads `atomic counters COUNT`: a zero-filled buffer of counters at binding point 0.
pub(super) fn read_counters(words: &mut Words<'_>) -> Parsed<Setting> {
    Ok(Setting::Ssbo { binding: ATOMIC_COUNTER_POINT, size: read_counter_number(words)? })
}

/// Reads `atomic counter buffer N COUNT`.
pub(super) fn read_counter_buffer(words: &mut Words<'_>) -> Parsed<Setting> {
    let binding = read_counter_binding(words)?;
    Ok(Setting::Ssbo { binding, size: read_counter_number(words)? })
}

/// Reads `atomic counter N INDEX VALUE`.
pub(super) fn read_counter(words: &mut Words<'_>) -> Parsed<Setting> {
    let binding = read_counter_binding(words)?;
    let offset = read_counter_number(words)?;
    let values = vec![read_scalar(words, ScalarKind::U32, "the counter's value")?];
    Ok(Setting::SsboData { binding, offset, ty: Type::Scalar(ScalarKind::U32), values })
}

/// Reads `probe atomic counter [buffer N] INDEX OPERATOR value`.
pub(super) fn read_counter_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    // As in piglit, a counter at an explicit binding point is given by its byte offset.
    let (binding, offset) = if words.take("buffer") {
        (read_counter_binding(words)?, read_offset(words)?)
    } else {
        (ATOMIC_COUNTER_POINT, read_counter_number(words)?)
    };
    let comparison = read_comparison(words)?;
    let expected = vec![read_scalar(words, ScalarKind::U32, "the expected value")?];
    let probe =
        BufferProbe { binding, offset, ty: Type::Scalar(ScalarKind::U32), comparison, expected };
    Ok(ReadExpectation::Buffer(probe).into())
}

fn read_counter_binding(words: &mut Words<'_>) -> Parsed<u32> {
    let binding = words.integer("the binding point", 0..=MAX_BINDING)?;
    Ok(ATOMIC_COUNTER_POINT + binding)
}

/// Reads a number of counters, or a counter index, and converts it to bytes.
fn read_counter_number(words: &mut Words<'_>) -> Parsed<u32> {
    words.integer("the number of the counter", 0..=MAX_BUFFER_BYTES / 4).map(|count| count * 4)
}

/// Reads the binding point of a storage buffer.
pub(super) fn read_binding(words: &mut Words<'_>) -> Parsed<u32> {
    read_point(words, "the binding point", MAX_BINDING)
}

/// Reads a byte offset. Buffers are accessed in units of four bytes.
pub(super) fn read_offset(words: &mut Words<'_>) -> Parsed<u32> {
    let word = words.peek();
    let offset = words.integer("the byte offset", 0..=MAX_BUFFER_BYTES)?;
    match word {
        Some(word) if offset % 4 != 0 => Err(wrong(
            word,
            format!("the byte offset must be a multiple of 4, not `{}`", word.text),
        )),
        Some(_) | None => Ok(offset),
    }
}

pub(super) fn read_comparison(words: &mut Words<'_>) -> Parsed<Comparison> {
    let word = words.need("a comparison such as `==`")?;
    let known = Comparison::OPERATORS.iter().find(|(known, _)| *known == word.text);
    known.map(|(_, comparison)| *comparison).ok_or_else(|| {
        let error = wrong(word, format!("expected a comparison, found `{}`", word.text));
        error.with_help("comparisons are `==`, `!=`, `<`, `<=`, `>`, `>=` and `~=`")
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, step};
    use crate::read::value::basic_type;
    use ir::scalar::Number;

    use super::*;

    #[test]
    fn buffers_are_made_and_filled() {
        check("ssbo 2 260", Setting::Ssbo { binding: 2, size: 260 });
        check("ssbo 3:2 260", Setting::Ssbo { binding: 0x3_0002, size: 260 });
        for wrong in
            ["ssbo 0:2 260", "ssbo 256:0 260", "ssbo 1:64 260", "ssbo a:1 260", "ssbo 1: 260"]
        {
            assert!(step(Dialect::Interstage, wrong).is_err(), "{wrong}");
        }
        check(
            "ssbo 0 subdata vec2 16 1 2 3 4",
            Setting::SsboData {
                binding: 0,
                offset: 16,
                ty: basic_type("vec2").expect("a type"),
                values: [1, 2, 3, 4].map(Number::Integer).to_vec(),
            },
        );
        check(
            "ssbo 0 subdata int64 8 -1",
            Setting::SsboData {
                binding: 0,
                offset: 8,
                ty: basic_type("int64_t").expect("a type"),
                values: vec![Number::Integer(-1)],
            },
        );
    }

    #[test]
    fn probes_of_both_orders_mean_the_same() {
        let expect = ReadExpectation::Buffer(BufferProbe {
            binding: 2,
            offset: 16,
            ty: basic_type("float").expect("a type"),
            comparison: Comparison::Near,
            expected: vec![Number::Real(1.5), Number::Integer(2)],
        });
        check("probe buffer 2 float 16 ~= 1.5 2", expect.clone());
        assert_eq!(step(Dialect::Interstage, "probe ssbo float 2 16 ~= 1.5 2"), Ok(expect.into()));
    }

    #[test]
    fn integers_beyond_64_bits_do_not_fit() {
        check_error(
            "probe ssbo int64 0 0 == 99999999999999999999",
            &expect![[r"
            `99999999999999999999` does not fit `int64_t` (usage: probe ssbo TYPE N OFFSET OPERATOR value)
            probe ssbo int64 0 0 == 99999999999999999999
                                    ^^^^^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "probe buffer 0 uint64 0 == -1",
            &expect![[r"
            `-1` does not fit `uint64_t` (usage: probe buffer N TYPE OFFSET OPERATOR values)
            probe buffer 0 uint64 0 == -1
                                       ^^"]],
        );
        check_error(
            "ssbo 0 subdata i64vec2 0 1 9223372036854775808",
            &expect![[r"
            `9223372036854775808` does not fit `int64_t` (usage: ssbo N SIZE, or ssbo N subdata TYPE OFFSET values)
            ssbo 0 subdata i64vec2 0 1 9223372036854775808
                                       ^^^^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "ssbo 0 subdata int46 0 1",
            &expect![[r"
            unknown type `int46` (usage: ssbo N SIZE, or ssbo N subdata TYPE OFFSET values)
            ssbo 0 subdata int46 0 1
                           ^^^^^"]],
        );
        let probe = |ty: &str, expected| {
            let ty = basic_type(ty).expect("a type");
            let comparison = Comparison::GreaterOrEqual;
            ReadExpectation::Buffer(BufferProbe { binding: 0, offset: 4, ty, comparison, expected })
        };
        let most = vec![Number::Integer(u64::MAX.into())];
        check("probe ssbo uint64 0 4 >= 18446744073709551615", probe("uint64_t", most));
        let numbers = vec![Number::Real(0.1), Number::Bits(1 << 63)];
        check("probe buffer 0 dvec2 4 >= 0.1 0x8000000000000000", probe("dvec2", numbers));
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "probe buffer 2 float 3 == 1",
            &expect![[r"
            the byte offset must be a multiple of 4, not `3` (usage: probe buffer N TYPE OFFSET OPERATOR values)
            probe buffer 2 float 3 == 1
                                 ^"]],
        );
        check_error(
            "probe buffer 2 float 0 = 1",
            &expect![[r"
            expected a comparison, found `=` (comparisons are `==`, `!=`, `<`, `<=`, `>`, `>=` and `~=`)
            probe buffer 2 float 0 = 1
                                   ^"]],
        );
        check_error(
            "ssbo 0 subdata vec2 0 1 2 3",
            &expect![[r"
            missing number 2 of 2 for `vec2` (usage: ssbo N SIZE, or ssbo N subdata TYPE OFFSET values)
            ssbo 0 subdata vec2 0 1 2 3
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "ssbo 0 99999999",
            &expect![[r"
            the size in bytes must be an integer from 0 to 16777216, not `99999999` (usage: ssbo N SIZE, or ssbo N subdata TYPE OFFSET values)
            ssbo 0 99999999
                   ^^^^^^^^"]],
        );
    }
}
