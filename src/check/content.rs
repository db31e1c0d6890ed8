//! Compares the whole contents of two render targets or buffers, by Amber's definitions.

use case::{Content, ContentComparison, ContentRule};
use ir::format::{ChannelValue, Encoding, Format};
use ir::readback::{Image, Snapshot};

use super::kind::{Kind, Mismatch, RunResult, whole};

/// Number of bins of a histogram: the values of a channel of 8 bits.
const BINS: usize = 256;

impl Kind for Content {
    /// Accepts any content: it is only kept for a later comparison.
    fn check(&self, _result: &RunResult<'_>) -> Result<(), Mismatch> {
        Ok(())
    }
}

impl Kind for ContentComparison {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        let kept = result.readback.snapshots.get(self.kept).and_then(Option::as_ref);
        check(self.rule, result.snapshot, kept)
    }
}

/// Checks that `actual` is like `kept` by the chosen measure.
fn check(
    rule: ContentRule,
    actual: Option<&Snapshot>,
    kept: Option<&Snapshot>,
) -> Result<(), Mismatch> {
    let missing = || Mismatch::from("nothing was read back");
    let (actual, kept) = (actual.ok_or_else(missing)?, kept.ok_or_else(missing)?);
    match (actual, kept) {
        (Snapshot::Image(actual), Snapshot::Image(kept)) => {
            let (actual, kept) = (whole(actual)?, whole(kept)?);
            if actual.format != kept.format {
                let [first, second] = [kept, actual].map(|image| image.format.name());
                return Err(Mismatch::from(format!("the formats differ: {first}, {second}")));
            }
            if (actual.width, actual.height) != (kept.width, kept.height) {
                let [first, second] =
                    [kept, actual].map(|image| format!("{}x{}", image.width, image.height));
                return Err(Mismatch::from(format!("the sizes differ: {first}, {second}")));
            }
            images(rule, actual, kept)
        }
        (Snapshot::Buffer(actual), Snapshot::Buffer(kept)) => match rule {
            ContentRule::Equal => equal(actual, kept),
            ContentRule::RootMeanSquare(most) => {
                same_length(actual, kept)?;
                let found = root_mean_square(floats(actual), floats(kept));
                at_most("root mean square error", found, most)
            }
            ContentRule::HistogramDistance(_) => {
                Err(Mismatch::from("this comparison is for images"))
            }
        },
        (Snapshot::Image(_) | Snapshot::Buffer(_) | Snapshot::Count(_), _) => {
            Err(Mismatch::from("an image cannot be compared with a buffer"))
        }
    }
}

fn images(rule: ContentRule, actual: &Image, kept: &Image) -> Result<(), Mismatch> {
    let (what, found, most) = match rule {
        ContentRule::Equal => return equal(&actual.bytes, &kept.bytes),
        ContentRule::RootMeanSquare(most) => {
            let (actual, kept) = (stored_values(actual), stored_values(kept));
            ("root mean square error", root_mean_square(actual, kept), most)
        }
        ContentRule::HistogramDistance(most) => {
            ("distance of the histograms", histogram_distance(actual, kept)?, most)
        }
    };
    at_most(what, found, most)
}

fn at_most(what: &str, found: f64, most: f64) -> Result<(), Mismatch> {
    // A NaN must fail.
    if found <= most {
        return Ok(());
    }
    Err(Mismatch(vec![format!("expected  {what} <= {most}"), format!("actual    {found}")]))
}

fn same_length(actual: &[u8], kept: &[u8]) -> Result<(), Mismatch> {
    if actual.len() == kept.len() {
        return Ok(());
    }
    let (first, second) = (kept.len(), actual.len());
    Err(Mismatch::from(format!("the sizes differ: {first} and {second} bytes")))
}

/// The words of a buffer as floats.
fn floats(bytes: &[u8]) -> impl Iterator<Item = f64> {
    let words = bytes.chunks_exact(4);
    words.map(|word| f64::from(f32::from_le_bytes([word[0], word[1], word[2], word[3]])))
}

fn equal(actual: &[u8], kept: &[u8]) -> Result<(), Mismatch> {
    same_length(actual, kept)?;
    let mut differing =
        actual.iter().zip(kept).enumerate().filter(|(_, (one, other))| one != other);
    let Some((at, (actual, kept))) = differing.next() else { return Ok(()) };
    let count = differing.count() + 1;
    Err(Mismatch(vec![
        match count {
            1 => format!("byte {at} differs"),
            _ => format!("first difference at byte {at}; {count} bytes differ"),
        },
        format!("expected  {kept}"),
        format!("actual    {actual}"),
    ]))
}

/// Stored values of the channels that the format has: integers for all formats but floats.
fn stored_values(image: &Image) -> impl Iterator<Item = f64> {
    let format = image.format;
    let channels = format.channel_count();
    image.bytes.chunks_exact(format.bytes_per_texel()).flat_map(move |bytes| {
        let texel = format.decode(bytes);
        (0..channels).map(move |channel| match (format.encoding(), texel.values[channel]) {
            (Encoding::Unorm | Encoding::UnormSrgb, _) => f64::from(texel.bits[channel]),
            (Encoding::Snorm, ChannelValue::Float(value)) => {
                let largest = (1_u32 << (format.channel_bits(channel) - 1)) - 1;
                (f64::from(value) * f64::from(largest)).round()
            }
            (_, ChannelValue::Float(value)) => f64::from(value),
            (_, ChannelValue::Sint(value)) => f64::from(value),
            (_, ChannelValue::Uint(value)) => f64::from(value),
        })
    })
}

#[expect(clippy::cast_precision_loss, reason = "a mean of at most some millions of values")]
fn root_mean_square(actual: impl Iterator<Item = f64>, kept: impl Iterator<Item = f64>) -> f64 {
    let differences = actual.zip(kept);
    let (sum, count) = differences.fold((0.0, 0_u64), |(sum, count), (one, other)| {
        (sum + (one - other) * (one - other), count + 1)
    });
    (sum / (count as f64)).sqrt()
}

/// The largest earth mover's distance between the histograms of a channel, from 0 to 1.
///
/// # Errors
/// The format does not have four channels of 8 bits.
#[expect(clippy::cast_precision_loss, reason = "counts of pixels, which a float holds")]
fn histogram_distance(actual: &Image, kept: &Image) -> Result<f64, Mismatch> {
    if !has_four_bytes(actual.format) {
        let name = actual.format.name();
        return Err(Mismatch::from(format!(
            "histograms are for four channels of 8 bits, not {name}"
        )));
    }
    let pixels = (actual.bytes.len() / 4) as f64;
    let mut largest = 0.0_f64;
    for channel in 0..4 {
        let mut excess = [0_i64; BINS];
        for (actual, kept) in actual.bytes.chunks_exact(4).zip(kept.bytes.chunks_exact(4)) {
            excess[usize::from(actual[channel])] += 1;
            excess[usize::from(kept[channel])] -= 1;
        }
        let mut carried = 0_i64;
        let moved = excess.iter().map(|count| {
            carried += count;
            carried.unsigned_abs() as f64 / pixels
        });
        largest = largest.max(moved.sum::<f64>() / BINS as f64);
    }
    Ok(largest)
}

fn has_four_bytes(format: Format) -> bool {
    (0..4).all(|channel| format.channel_bits(channel) == 8)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn buffers_of_floats_have_a_mean() {
        let floats = |numbers: [f32; 2]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            Snapshot::Buffer(Arc::new(bytes))
        };
        let (first, second) = (floats([1.0, 2.0]), floats([4.0, -2.0]));
        let check = |most| check(ContentRule::RootMeanSquare(most), Some(&first), Some(&second));
        // (9 + 16) / 2 is 12.5.
        assert!(check(3.536).is_ok());
        assert!(check(3.535).is_err());
    }

    /// An image of 4 by 2 pixels, all zero except the red channel of `count` of them.
    fn image(red: u8, count: usize) -> Snapshot {
        let pixel = |idx: usize| [if idx < count { red } else { 0 }, 0, 0, 0];
        let bytes = (0..8).flat_map(pixel).collect();
        Snapshot::Image(Arc::new(Image::whole(Format::RGBA8_UNORM, 4, 2, bytes)))
    }

    #[track_caller]
    fn check_like(rule: ContentRule, one: &Snapshot, other: &Snapshot, is_like: bool) {
        assert_eq!(check(rule, Some(one), Some(other)).is_ok(), is_like);
        assert_eq!(check(rule, Some(other), Some(one)).is_ok(), is_like);
    }

    /// Two of 32 channels differ by 8: the mean of the squares is 128 / 32, and its root is 2.
    #[test]
    fn the_error_is_the_root_of_the_mean_of_the_squares() {
        let [none, some] = [image(0, 0), image(8, 2)];
        check_like(ContentRule::RootMeanSquare(2.0), &none, &some, true);
        check_like(ContentRule::RootMeanSquare(1.99), &none, &some, false);
    }

    #[test]
    fn buffers_are_floats() {
        let buffer = |values: [f32; 2]| {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            Snapshot::Buffer(Arc::new(bytes))
        };
        let [one, other] = [buffer([1.0, 2.0]), buffer([1.0, 4.0])];
        check_like(ContentRule::RootMeanSquare(1.42), &one, &other, true);
        check_like(ContentRule::RootMeanSquare(1.41), &one, &other, false);
        let nothing = buffer([f32::NAN, 2.0]);
        check_like(ContentRule::RootMeanSquare(100.0), &one, &nothing, false);
    }

    /// A quarter of the pixels moves by 8 of 256 bins: 0.25 · 8 / 256.
    #[test]
    fn the_distance_of_histograms_is_how_much_moves_how_far() {
        let [none, some] = [image(0, 0), image(8, 2)];
        check_like(ContentRule::HistogramDistance(0.007_812_5), &none, &some, true);
        check_like(ContentRule::HistogramDistance(0.007_812), &none, &some, false);
    }

    #[test]
    fn one_byte_makes_contents_unequal() {
        check_like(ContentRule::Equal, &image(1, 1), &image(1, 1), true);
        check_like(ContentRule::Equal, &image(1, 1), &image(2, 1), false);
        let [two, three] = [vec![1, 2], vec![1, 2, 3]].map(|bytes| Snapshot::Buffer(bytes.into()));
        check_like(ContentRule::Equal, &two, &two.clone(), true);
        check_like(ContentRule::Equal, &two, &three, false);
    }

    #[test]
    fn what_was_not_read_back_is_like_nothing() {
        assert!(check(ContentRule::Equal, None, None).is_err());
        check_like(ContentRule::Equal, &image(0, 0), &Snapshot::Buffer(vec![0; 32].into()), false);
    }
}
