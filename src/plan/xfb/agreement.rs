//! Compares both methods of transform feedback: records of the function, and records of the packed slots.

use crate::error::Misfit;
use link::compute::xfb::{Run, Xfb};

/// Maximum error of a slot with a product, in units in the last place. Vulkan rounds multiplications correctly, but
/// does not define the direction: the result is one of the two neighbours of the exact product.
const PRODUCT_ULPS: u64 = 1;

/// Checks that the words of a stream agree in both records: bit by bit or, where a slot contains a scalar times w, as
/// that product.
pub(super) fn compare(
    xfb: &Xfb,
    stream: u32,
    function: &[u32],
    slots: &[u32],
) -> Result<(), Misfit> {
    let stride = usize::try_from(xfb.stride).unwrap_or(1).max(1);
    let records = function.chunks(stride).zip(slots.chunks(stride));
    for (vertex, (function, slots)) in records.enumerate() {
        let w = function.get(xfb.times_w.w as usize).copied().map_or(0.0, f32::from_bits);
        for (word, (before, packed)) in (0..).zip(function.iter().zip(slots)) {
            if is_of_another(xfb, stream, word) {
                continue;
            }
            let is_times_w = xfb.times_w.words.contains(&word);
            if let Err(found) = check_word(*before, *packed, is_times_w.then_some(w)) {
                let name = name(&xfb.runs, word);
                return Err(Misfit(format!("{name} in vertex {vertex} is {found} before packing")));
            }
        }
    }
    Ok(())
}

/// True if a word is captured only for vertices of other streams.
fn is_of_another(xfb: &Xfb, stream: u32, word: u32) -> bool {
    xfb.runs.iter().any(|run| run.holds(word) && xfb.stream_of(run.buffer) != stream)
}

/// Checks one word of both records; `w` is given if the slot contains the product with it.
fn check_word(before: u32, packed: u32, w: Option<f32>) -> Result<(), Misfit> {
    let Some(w) = w else {
        let message = || format!("0x{packed:08x} in the packed slots, and 0x{before:08x}");
        return if before == packed { Ok(()) } else { Err(Misfit(message())) };
    };
    let (value, product) = (f32::from_bits(before), f32::from_bits(packed));
    if is_product(product, value, w) {
        return Ok(());
    }
    Err(Misfit(format!("{product:?} in the packed slots, and {value:?} times {w:?}")))
}

/// Name of a word of a record, for messages: item and word index.
fn name(runs: &[Run], word: u32) -> String {
    match runs.iter().find(|run| run.holds(word)) {
        Some(run) => format!("word {} of `{}`", word - run.record_word, run.name),
        None => "w".to_owned(),
    }
}

/// True if a shader may compute `found` for the product of `value` and `w`. Shaders may flush subnormals to zero.
fn is_product(found: f32, value: f32, w: f32) -> bool {
    let is_one_of = |expected: f32| {
        found.is_nan() && expected.is_nan()
            || !expected.is_nan()
                && !found.is_nan()
                && ordinal(found).abs_diff(ordinal(expected)) <= PRODUCT_ULPS
    };
    let flushed = |number: f32| if number.is_subnormal() { number * 0.0 } else { number };
    is_one_of(value * w) || is_one_of(flushed(flushed(value) * flushed(w)))
}

/// Position of a float in the order of all floats; both zeros have the same.
fn ordinal(number: f32) -> i64 {
    let magnitude = i64::from(number.to_bits() & 0x7fff_ffff);
    if number.is_sign_negative() { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use link::compute::xfb::TimesW;

    use super::*;

    /// Checks records that hold two words of `a`, of which the second is multiplied by w in its slot, and w.
    #[track_caller]
    fn check(function: &[u32], slots: &[u32], expected: Result<(), &str>) {
        let run = Run { name: "a".to_owned(), record_word: 0, buffer: 0, word: 0, count: 2 };
        let xfb = Xfb {
            buffers: Vec::new(),
            runs: vec![run],
            times_w: TimesW { words: [1].into(), w: 2 },
            stride: 3,
        };
        let expected = expected.map_err(|text| Misfit(text.to_owned()));
        assert_eq!(compare(&xfb, 0, function, slots), expected);
    }

    fn record(first: u32, value: f32, w: f32) -> [u32; 3] {
        [first, value.to_bits(), w.to_bits()]
    }

    #[test]
    fn what_is_not_times_w_agrees_bit_by_bit() {
        check(&record(7, 2.0, 3.0), &record(7, 6.0, 3.0), Ok(()));
        let message = "word 0 of `a` in vertex 1 is 0x00000008 in the packed slots, and 0x00000007 before packing";
        let twice = |first| [record(7, 2.0, 3.0), record(first, 2.0, 3.0)].concat();
        let slots = |first| [record(7, 6.0, 3.0), record(first, 6.0, 3.0)].concat();
        check(&twice(7), &slots(8), Err(message));
        let message =
            "w in vertex 0 is 0x40800000 in the packed slots, and 0x40400000 before packing";
        check(&record(7, 2.0, 3.0), &record(7, 6.0, 4.0), Err(message));
    }

    #[test]
    fn a_slot_with_w_holds_the_product_within_one_unit() {
        let slots = |product: f32| record(7, product, 3.0);
        let function = record(7, 2.0, 3.0);
        check(&function, &slots(6.0_f32.next_up()), Ok(()));
        check(&function, &slots(6.0_f32.next_down()), Ok(()));
        let message = |product: &str| {
            format!(
                "word 1 of `a` in vertex 0 is {product} in the packed slots, and 2.0 times 3.0 before packing"
            )
        };
        check(&function, &slots(6.0_f32.next_up().next_up()), Err(&message("6.000001")));
        // The first is not multiplied, and has the wrong sign.
        check(&function, &slots(2.0), Err(&message("2.0")));
        check(&function, &slots(-6.0), Err(&message("-6.0")));
        check(&function, &slots(f32::NAN), Err(&message("NaN")));
    }

    #[test]
    fn zeros_infinities_and_nan_are_products_too() {
        let tiny = f32::MIN_POSITIVE;
        assert!(is_product(-0.0, 0.0, 1.0));
        assert!(is_product(f32::NAN, f32::INFINITY, 0.0));
        assert!(is_product(f32::INFINITY, f32::MAX, 2.0));
        assert!(!is_product(f32::INFINITY, 2.0, 2.0));
        assert!(is_product(tiny / 2.0, tiny, 0.5) && is_product(0.0, tiny, 0.5));
        assert!(is_product(0.0, tiny / 2.0, 4.0) && is_product(tiny * 2.0, tiny / 2.0, 4.0));
        assert!(!is_product(0.0, tiny, 4.0));
    }
}
