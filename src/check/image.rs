//! Compares whole render targets with golden images.

use case::{Golden, GoldenRule, Tolerance};
use ir::format::{Encoding, Format, Texel};
use ir::readback::Image;

use super::difference::{Differences, Rows};
use super::flip;
use super::kind::{Goldens, Kind, Mismatch, RunResult};
use super::pixels::texel_bytes;

impl Kind for Golden {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        check(self, result.image(self.target)?, result.goldens)
    }

    fn unaccepted_channels(
        &self,
        actual: &Image,
        _tolerance: Tolerance,
        goldens: &Goldens,
    ) -> Option<Vec<u8>> {
        let steps = match self.rule {
            GoldenRule::Exact => 0,
            GoldenRule::Tolerance(steps) => steps,
            GoldenRule::Flip(_) => return None,
        };
        let expected = find(&self.name, goldens).ok()?;
        if expected.format != actual.format || expected.bytes.len() != actual.bytes.len() {
            return None;
        }
        let format = actual.format;
        let size = format.bytes_per_texel().max(1);
        let pairs = actual.bytes.chunks_exact(size).zip(expected.bytes.chunks_exact(size));
        let unaccepted = |(actual, expected): (&[u8], &[u8])| {
            let (actual, expected) = (format.decode(actual), format.decode(expected));
            (0..format.channel_count())
                .filter(|channel| !is_channel_near(format, &actual, &expected, *channel, steps))
                .fold(0, |bits, channel| bits | 1 << channel)
        };
        Some(pairs.map(unaccepted).collect())
    }

    fn expected_image(&self, actual: &Image, goldens: &Goldens) -> Option<Image> {
        let image = find(&self.name, goldens).ok()?;
        (image.format == actual.format).then(|| image.clone())
    }

    fn tolerance_text(&self, _in_force: Tolerance, _format: Format) -> String {
        match self.rule {
            GoldenRule::Exact => "exact".to_owned(),
            GoldenRule::Tolerance(steps) => format!("{steps} steps"),
            GoldenRule::Flip(limit) => format!("mean FLIP error {limit}"),
        }
    }
}

/// Checks one render target against its golden.
fn check(golden: &Golden, actual: &Image, goldens: &Goldens) -> Result<(), Mismatch> {
    let expected = find(&golden.name, goldens)?;
    let mismatch = shape_mismatch(&golden.name, expected, actual);
    if let Some(message) = mismatch {
        return Err(message.into());
    }
    match golden.rule {
        GoldenRule::Exact => compare_texels(golden.target, expected, actual, None),
        GoldenRule::Tolerance(steps) => {
            compare_texels(golden.target, expected, actual, Some(steps))
        }
        GoldenRule::Flip(limit) => compare_flip(expected, actual, limit),
    }
}

fn find<'a>(name: &str, goldens: &'a Goldens) -> Result<&'a Image, Mismatch> {
    match goldens.images.get(name) {
        Some(Ok(image)) => Ok(image),
        Some(Err(reason)) => Err(Mismatch::from(format!("golden `{name}`: {reason}"))),
        None => Err(Mismatch::from(format!("there is no golden `{name}`"))),
    }
}

fn shape_mismatch(name: &str, expected: &Image, actual: &Image) -> Option<String> {
    if expected.format != actual.format {
        let formats = (expected.format.name(), actual.format.name());
        return Some(format!(
            "golden `{name}` is {}, and the render target {}",
            formats.0, formats.1
        ));
    }
    let describe = |image: &Image| format!("{} by {} pixels", image.width, image.height);
    if [expected.width, expected.height] != [actual.width, actual.height] {
        let sizes = (describe(expected), describe(actual));
        return Some(format!("golden `{name}` is {}, and the render target {}", sizes.0, sizes.1));
    }
    if expected.bytes.len() != actual.bytes.len() || actual.bytes.is_empty() {
        return Some(format!("golden `{name}` has another number of bytes than the render target"));
    }
    None
}

/// Compares all texels, bitwise or within `steps` of the format's smallest steps.
fn compare_texels(
    target: u32,
    expected: &Image,
    actual: &Image,
    steps: Option<u32>,
) -> Result<(), Mismatch> {
    if expected.bytes == actual.bytes {
        return Ok(());
    }
    let format = actual.format;
    let size = format.bytes_per_texel();
    let mut differences = Differences::default();
    for y in 0..actual.height {
        for x in 0..actual.width {
            let bytes = texel_bytes(actual, x, y, size);
            let expected_bytes = texel_bytes(expected, x, y, size);
            let texel = format.decode(bytes);
            let is_good = bytes == expected_bytes
                || steps.is_some_and(|tolerance| {
                    is_near(format, &texel, &format.decode(expected_bytes), tolerance)
                });
            differences.add([x, y], (!is_good).then_some(texel));
        }
    }
    let Some(([x, y], texel)) = differences.first else { return Ok(()) };
    let rows = Rows { format, channels: format.channel_count() };
    let expected = format.decode(texel_bytes(expected, x, y, size));
    Err(rows.unlike_texel(target, [x, y], &differences, &expected, &texel))
}

fn is_near(format: Format, actual: &Texel, expected: &Texel, steps: u32) -> bool {
    (0..format.channel_count())
        .all(|channel| is_channel_near(format, actual, expected, channel, steps))
}

/// True if one channel is at most `steps` of the format's smallest steps away.
fn is_channel_near(
    format: Format,
    actual: &Texel,
    expected: &Texel,
    channel: usize,
    steps: u32,
) -> bool {
    let (actual, expected) = (actual.bits[channel], expected.bits[channel]);
    let distance = format.ulp_distance(channel, actual, expected);
    actual == expected || distance.is_some_and(|distance| distance <= steps)
}

/// Compares by the mean of NVIDIA's FLIP over the image; alpha is ignored.
fn compare_flip(expected: &Image, actual: &Image, limit: f32) -> Result<(), Mismatch> {
    let (Some(reference), Some(test)) = (colors_of(expected), colors_of(actual)) else {
        let name = actual.format.name();
        return Err(Mismatch::from(format!(
            "`flip` compares 8-bit colour, but the target's format is {name}"
        )));
    };
    let mean = flip::mean(actual.width as usize, &reference, &test);
    // A NaN in the mean or the limit must fail.
    if mean <= limit {
        return Ok(());
    }
    Err(Mismatch::from(format!("the mean FLIP error is {mean:.4}, but at most {limit} is allowed")))
}

/// The colours of an 8-bit image, without alpha; `None` for other images.
fn colors_of(image: &Image) -> Option<Vec<[u8; 3]>> {
    let format = image.format;
    let is_color = matches!(format.encoding(), Encoding::Unorm | Encoding::UnormSrgb)
        && format.channel_count() == 4
        && (0..4).all(|channel| format.channel_bits(channel) == 8);
    if !is_color {
        return None;
    }
    let color = |texel: &[u8]| {
        let [red, green, blue, _] = format.decode(texel).bits;
        [red, green, blue].map(|bits| u8::try_from(bits).unwrap_or(u8::MAX))
    };
    let colors: Vec<_> = image.bytes.chunks_exact(4).map(color).collect();
    let count = u64::from(image.width) * u64::from(image.height);
    (u64::try_from(colors.len()) == Ok(count)).then_some(colors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(format: &str, width: u32, bytes: &[u8]) -> Image {
        let format = Format::from_name(format).expect("the test names a format");
        Image::whole(format, width, 1, bytes.to_vec())
    }

    #[track_caller]
    fn check_details(rule: GoldenRule, expected: Image, actual: &Image, details: &[&str]) {
        let golden = Golden { target: 0, name: "g".to_owned(), rule };
        let goldens = Goldens { images: [("g".to_owned(), Ok(expected))].into() };
        assert_eq!(
            check(&golden, actual, &goldens).err().map_or(Vec::new(), |mismatch| mismatch.0),
            details
        );
    }

    #[test]
    fn a_missing_golden_fails() {
        let golden = Golden { target: 0, name: "g".to_owned(), rule: GoldenRule::Exact };
        let actual = image("r8unorm", 1, &[0]);
        let missing = check(&golden, &actual, &Goldens::default());
        assert_eq!(missing, Err("there is no golden `g`".into()));
        let images = [("g".to_owned(), Err("not a PNG".to_owned()))].into();
        let broken = check(&golden, &actual, &Goldens { images });
        assert_eq!(broken, Err("golden `g`: not a PNG".into()));
    }

    #[test]
    fn size_and_format_must_be_equal() {
        let actual = image("r8unorm", 2, &[0, 0]);
        let message = "golden `g` is r8uint, and the render target r8unorm";
        check_details(GoldenRule::Exact, image("r8uint", 2, &[0, 0]), &actual, &[message]);
        let message = "golden `g` is 1 by 1 pixels, and the render target 2 by 1 pixels";
        check_details(GoldenRule::Exact, image("r8unorm", 1, &[0]), &actual, &[message]);
    }

    #[test]
    fn only_single_floats_are_shown_in_full_where_decimals_differ() {
        let place = "difference at pixel (0, 0) of render target 0";
        let [one, two] = [1.0_f32, 2.0].map(|texel| image("r32float", 1, &texel.to_le_bytes()));
        let lines = [place, "expected  1.0 (0x3f800000)", "actual    2.0 (0x40000000)"];
        check_details(GoldenRule::Exact, one, &two, &lines);
        let [one, two] =
            [0x3c00_u16, 0x4000].map(|texel| image("r16float", 1, &texel.to_le_bytes()));
        check_details(GoldenRule::Exact, one, &two, &[place, "expected  1.000", "actual    2.000"]);
    }

    #[test]
    fn exact_allows_no_step_and_tolerance_its_number() {
        let actual = image("rg8uint", 2, &[1, 2, 3, 6]);
        let golden = image("rg8uint", 2, &[1, 2, 3, 4]);
        let lines = [
            "first difference at pixel (1, 0) of render target 0; 1 of 2 pixels differ",
            "expected  3 4",
            "actual    3 6",
        ];
        check_details(GoldenRule::Exact, golden.clone(), &actual, &lines);
        check_details(GoldenRule::Tolerance(1), golden.clone(), &actual, &lines);
        check_details(GoldenRule::Tolerance(2), golden, &actual, &[]);
    }

    #[test]
    fn flip_is_zero_for_equal_images_and_large_for_black_and_white() {
        let black = image("rgba8unorm", 2, &[0, 0, 0, 255, 0, 0, 0, 255]);
        let white = image("rgba8unorm", 2, &[255; 8]);
        check_details(GoldenRule::Flip(0.0), black.clone(), &black, &[]);
        let golden = Golden { target: 0, name: "g".to_owned(), rule: GoldenRule::Flip(0.5) };
        let goldens = Goldens { images: [("g".to_owned(), Ok(white))].into() };
        assert!(check(&golden, &black, &goldens).is_err());
    }

    #[test]
    fn flip_is_for_8_bit_colour_only() {
        let actual = image("rg8unorm", 1, &[0, 0]);
        let message = "`flip` compares 8-bit colour, but the target's format is rg8unorm";
        check_details(GoldenRule::Flip(1.0), actual.clone(), &actual, &[message]);
    }

    #[test]
    fn a_golden_marks_channels_more_than_its_steps_away() {
        let actual = image("rgba8unorm", 2, &[255, 0, 0, 255, 250, 0, 0, 0]);
        let golden = image("rgba8unorm", 2, &[255, 0, 0, 255, 255, 9, 0, 0]);
        let goldens = Goldens { images: [("g".to_owned(), Ok(golden))].into() };
        let marked = |rule| {
            let golden = Golden { target: 0, name: "g".to_owned(), rule };
            golden.unaccepted_channels(&actual, Tolerance::DEFAULT, &goldens)
        };
        assert_eq!(marked(GoldenRule::Exact), Some(vec![0, 0b0011]));
        assert_eq!(marked(GoldenRule::Tolerance(5)), Some(vec![0, 0b0010]));
        assert_eq!(marked(GoldenRule::Flip(0.1)), None);
    }

    #[test]
    fn a_golden_is_shown_only_where_it_has_the_targets_format() {
        let goldens =
            Goldens { images: [("g".to_owned(), Ok(image("rgba8unorm", 1, &[9; 4])))].into() };
        let golden = Golden { target: 0, name: "g".to_owned(), rule: GoldenRule::Exact };
        let shown = |format| {
            let shown = golden.expected_image(&image(format, 1, &[9; 4]), &goldens);
            shown.map(|image| image.format.name())
        };
        assert_eq!(shown("rgba8unorm"), Some("rgba8unorm"));
        assert_eq!(shown("rgba8uint"), None);
    }
}
