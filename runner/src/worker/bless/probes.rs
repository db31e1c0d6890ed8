//! Accepts values that were read back as the values of probes in the text of the case.
//!
//! Only the numbers of a probe are replaced, and only if they are unambiguous: every pixel of a region must have the
//! same value, and a buffer probe must test for equality. Comments, spaces and everything else in the file stay
//! unchanged.

use interstage::case::{BufferProbe, Case, Comparison, Expectation, Probe, ReadExpectation, Step};
use interstage::check::probed_area;
use interstage::check::verdict::Failure;
use interstage::ir::format::{ChannelValue, Format};
use interstage::ir::interface::{ScalarKind, Type};
use interstage::ir::readback::{Area, Image, Readback, Snapshot};
use interstage::ir::scalar::Number;

/// Writes the values read back into the failed probes in `lines`, and adds each change to `changes`: `31: probe …`
/// before and after. Returns `None` if a probe cannot be rewritten; it then still fails, with its reason.
pub(super) fn rewrite(
    case: &Case,
    readback: &Readback,
    failures: &[Failure],
    lines: &mut [String],
    changes: &mut Vec<String>,
) -> Option<()> {
    for (step, snapshot) in case.steps.iter().zip(&readback.snapshots) {
        let Step::Expect(expectation) = &step.value else { continue };
        let (number, _) = case.source.line_and_column(step.span.start);
        if !failures.iter().any(|failure| failure.line == Some(number)) {
            continue;
        }
        let line = lines.get_mut(number.checked_sub(1)?)?;
        let Expectation::Read(expectation) = expectation else { return None };
        let (old, new) = numbers(expectation, snapshot.as_ref()?)?;
        let rewritten = replaced(line, &old, &new)?;
        changes.push(format!("{number}: - {}\n{number}: + {}", line.trim(), rewritten.trim()));
        *line = rewritten;
    }
    Some(())
}

/// Returns the expected numbers, and the numbers read back as text.
fn numbers(
    expectation: &ReadExpectation,
    snapshot: &Snapshot,
) -> Option<(Vec<Number>, Vec<String>)> {
    if let (ReadExpectation::Probe(probe), Snapshot::Image(image)) = (expectation, snapshot) {
        // With alternatives, a person must decide.
        let old = probe.expected.get(..usize::from(probe.channels))?.to_vec();
        return probe.alternatives.is_empty().then_some((old, texel_numbers(probe, image)?));
    }
    if let (ReadExpectation::Depth(probe), Snapshot::Image(image)) = (expectation, snapshot) {
        let [x, y] = probe.at;
        let text = channel_text(image.format, texel(image, x, y)?, 0, probe.expected)?;
        return Some((vec![probe.expected], vec![text]));
    }
    if let (ReadExpectation::Buffer(probe), Snapshot::Buffer(bytes)) = (expectation, snapshot) {
        return Some((probe.expected.clone(), buffer_numbers(probe, bytes)?));
    }
    // Any other expectation is left as it is, and still fails.
    None
}

fn texel_numbers(probe: &Probe, image: &Image) -> Option<Vec<String>> {
    let Area { x, y, width, height } = probed_area(probe, image)?;
    let first = texel(image, x, y)?;
    let is_same = |at: (u32, u32)| texel(image, at.0, at.1) == Some(first);
    let end = (x.checked_add(width)?, y.checked_add(height)?);
    if !(y..end.1).flat_map(|y| (x..end.0).map(move |x| (x, y))).all(is_same) {
        return None;
    }
    let written =
        |(channel, number): (usize, &Number)| channel_text(image.format, first, channel, *number);
    let numbers = probe.expected.iter().take(probe.channels.into()).enumerate();
    numbers.map(written).collect()
}

/// The bytes of a texel; `None` outside of the image.
fn texel(image: &Image, x: u32, y: u32) -> Option<&[u8]> {
    let start = image.offset_of(x, y)?;
    image.bytes.get(start..)?.get(..image.format.bytes_per_texel())
}

/// Formats a channel in the notation of the probe: bits stay bits.
fn channel_text(format: Format, texel: &[u8], channel: usize, old: Number) -> Option<String> {
    let texel = format.decode(texel);
    if let Number::Bits(_) = old {
        return Some(format!("{:#x}", texel.bits.get(channel)?));
    }
    Some(match texel.values.get(channel)? {
        ChannelValue::Float(value) => float_text(*value),
        ChannelValue::Sint(value) => value.to_string(),
        ChannelValue::Uint(value) => value.to_string(),
    })
}

/// The shortest decimal that reads back as the same float.
fn float_text(value: f32) -> String {
    if value.is_nan() { "nan".to_owned() } else { value.to_string() }
}

fn buffer_numbers(probe: &BufferProbe, bytes: &[u8]) -> Option<Vec<String>> {
    if !matches!(probe.comparison, Comparison::Equal | Comparison::Near) {
        return None;
    }
    let kind = scalar_kind(&probe.ty)?;
    let start = usize::try_from(probe.offset).ok()?;
    let words = bytes.get(start..)?.as_chunks::<4>().0;
    let word = |(idx, old): (usize, &Number)| {
        let bits = u32::from_le_bytes(*words.get(idx)?);
        Some(match (old, kind) {
            (Number::Bits(_), _) => format!("{bits:#x}"),
            (Number::Integer(_) | Number::Real(_), ScalarKind::F32) => {
                float_text(f32::from_bits(bits))
            }
            (Number::Integer(_) | Number::Real(_), ScalarKind::I32) => {
                bits.cast_signed().to_string()
            }
            (Number::Integer(_) | Number::Real(_), ScalarKind::U32) => bits.to_string(),
            (
                Number::Integer(_) | Number::Real(_),
                ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 | ScalarKind::Bool,
            ) => return None,
        })
    };
    probe.expected.iter().enumerate().map(word).collect()
}

/// Scalar kind of a scalar or vector of 32-bit numbers; other types have gaps or other sizes.
fn scalar_kind(ty: &Type) -> Option<ScalarKind> {
    match ty {
        Type::Scalar(kind) | Type::Vector { scalar: kind, .. } => Some(*kind),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => None,
    }
}

/// Replaces the last occurrence of the old numbers in the line; `None` if it does not contain them.
fn replaced(line: &str, old: &[Number], new: &[String]) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".+-".contains(char);
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut start = None;
    for (at, char) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, is_part(char)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, line.get(from..at)?));
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    let is_run = |run: &&[(usize, &str)]| {
        run.iter().zip(old).all(|((_, word), number)| is_number(word, *number))
    };
    let run = words.windows(old.len().max(1)).rev().find(is_run)?;
    let mut text = line.to_owned();
    for ((at, word), new) in run.iter().zip(new).rev() {
        text.replace_range(*at..at + word.len(), new);
    }
    Some(text)
}

fn is_number(word: &str, number: Number) -> bool {
    match number {
        Number::Integer(value) => word.parse() == Ok(value),
        Number::Real(value) => word.parse::<f64>().is_ok_and(|parsed| {
            parsed.to_bits() == value.to_bits() || (parsed.is_nan() && value.is_nan())
        }),
        Number::Bits(bits) => {
            let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
            digits.is_some_and(|digits| u64::from_str_radix(digits, 16) == Ok(bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, old: &[Number], new: &[&str], expected: Option<&str>) {
        let new: Vec<_> = new.iter().map(|&number| number.to_owned()).collect();
        assert_eq!(replaced(line, old, &new).as_deref(), expected);
    }

    #[test]
    fn only_the_numbers_that_are_expected_are_replaced() {
        let one = Number::Integer(1);
        check("probe rgb 1 1 1 1 1\n", &[one; 3], &["0", "2", "3"], Some("probe rgb 1 1 0 2 3\n"));
        let bits = [Number::Bits(0x3f80_0000)];
        check("probe x 0x3F800000 ulp 1", &bits, &["0x1"], Some("probe x 0x1 ulp 1"));
        check(
            "probe (0.5, 1e2)",
            &[Number::Real(0.5), Number::Real(100.0)],
            &["a", "b"],
            Some("probe (a, b)"),
        );
        check("probe ${value}", &[one], &["2"], None);
    }

    #[test]
    fn floats_are_written_so_that_they_read_back() {
        for value in [0.1, -0.0, f32::INFINITY, 1e-40, 0.333_333_34] {
            assert_eq!(float_text(value).parse::<f32>().map(f32::to_bits), Ok(value.to_bits()));
        }
        assert_eq!(float_text(f32::NAN), "nan");
    }
}
