//! Probes of pixels and regions of a render target.

use case::tolerance::ChannelRule;
use case::{Probe, Region, Tolerance};
use ir::diagnostic::counted;
use ir::format::{Format, FormatClass, Texel};
use ir::readback::{Area, Image};
use ir::scalar::Number;

use super::difference::{Differences, Rows};
use super::kind::{self, Goldens, Kind, Mismatch, RunResult};
use super::pixels::{channels_of_area, painted, stored, texel_bytes};

impl Kind for Probe {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        check(self, result.image(self.target)?, result.tolerance)
    }

    fn unaccepted_channels(
        &self,
        actual: &Image,
        tolerance: Tolerance,
        _goldens: &Goldens,
    ) -> Option<Vec<u8>> {
        let area = area_of(self.region, self.target, actual).ok()?;
        let rules = rules(self, actual, tolerance).ok()?;
        channels_of_area(actual, area, |texel| {
            let unaccepted = rules
                .iter()
                .filter(|(channel, rules)| !rules.iter().any(|rule| rule.accepts(*channel, texel)));
            unaccepted.fold(0, |bits, (channel, _)| bits | 1 << channel)
        })
    }

    fn probed_channels(&self, actual: &Image) -> Option<Vec<u8>> {
        let channels = usize::from(self.channels).min(actual.format.channel_count());
        let bits = (0..channels).fold(0, |bits, channel| bits | 1 << channel);
        channels_of_area(actual, area_of(self.region, self.target, actual).ok()?, |_| bits)
    }

    /// The image with the expected numbers in the probed channels and pixels, except where an alternative is.
    fn expected_image(&self, actual: &Image, _goldens: &Goldens) -> Option<Image> {
        let format = actual.format;
        let channels = usize::from(self.channels).min(format.channel_count());
        painted(actual, area_of(self.region, self.target, actual).ok()?, |bits| {
            for (channel, number) in self.expected.iter().take(channels).enumerate() {
                let bits = bits.get_mut(channel)?;
                let is_it = |(at, other): &(usize, Number)| {
                    *at == channel && stored(format, channel, *other) == Some(*bits)
                };
                if !self.alternatives.iter().any(is_it) {
                    *bits = stored(format, channel, *number)?;
                }
            }
            Some(())
        })
    }

    fn tolerance_text(&self, in_force: Tolerance, format: Format) -> String {
        kind::tolerance_text(self.tolerance.unwrap_or(in_force), format)
    }
}

/// Checks one probe; `tolerance` applies unless the probe has its own.
fn check(probe: &Probe, image: &Image, tolerance: Tolerance) -> Result<(), Mismatch> {
    let tolerance = probe.tolerance.unwrap_or(tolerance);
    let area = area_of(probe.region, probe.target, image)?;
    let rules = rules(probe, image, tolerance)?;
    let differences = differences(image, area, &rules);
    let Some((at, actual)) = differences.first else { return Ok(()) };
    let rows = Rows { format: image.format, channels: usize::from(probe.channels.min(4)) };
    let Mismatch(mut lines) =
        rows.unlike_numbers(probe.target, at, &differences, &probe.expected, &actual, tolerance);
    lines.splice(2..2, probe.alternatives.iter().map(alternative));
    Err(Mismatch(lines))
}

/// Formats an alternative value of a channel.
fn alternative((channel, number): &(usize, Number)) -> String {
    let name = ["red", "green", "blue", "alpha"].get(*channel).unwrap_or(&"");
    format!("or        {} in {name}", ir::scalar::notation(*number))
}

/// For each probed channel, the rules of which at least one must match.
type ChannelRules = Vec<(usize, Vec<ChannelRule>)>;

/// The rules of all probed channels; `tolerance` applies unless the probe has its own.
fn rules(probe: &Probe, image: &Image, tolerance: Tolerance) -> Result<ChannelRules, Mismatch> {
    let (form, tolerance) = (probe.form(), probe.tolerance.unwrap_or(tolerance));
    if probe.is_exact_integer && image.format.class() == FormatClass::Float {
        let name = image.format.name();
        return Err(Mismatch::from(format!(
            "the probe expects integers, but the target's format is {name}"
        )));
    }
    let channels = usize::from(probe.channels.min(4));
    if probe.expected.len() < channels {
        return Err(Mismatch::from(format!("the probe needs {}", counted(channels, "value"))));
    }
    let rule = |(channel, number): (usize, &Number)| {
        let others = probe.alternatives.iter().filter(|(at, _)| *at == channel);
        let numbers = std::iter::once(number).chain(others.map(|(_, number)| number));
        let rules = numbers
            .map(|number| ChannelRule::new(image.format, channel, form, *number, tolerance))
            .collect::<Result<_, _>>()?;
        Ok((channel, rules))
    };
    probe.expected.iter().take(channels).enumerate().map(rule).collect()
}

fn differences(image: &Image, area: Area, rules: &ChannelRules) -> Differences {
    let mut differences = Differences::default();
    let size = image.format.bytes_per_texel();
    // Fast path: rows are often equal, and comparing bytes is cheaper than decoding.
    let mut last_good: &[u8] = &[];
    for y in area.y..area.y + area.height {
        let row = row_bytes(image, area, y, size);
        if !row.is_empty() && row == last_good {
            differences.total += u64::from(area.width);
            continue;
        }
        let count_before = differences.count;
        for x in area.x..area.x + area.width {
            let texel = image.format.decode(texel_bytes(image, x, y, size));
            differences.add([x, y], (!is_accepted(rules, &texel)).then_some(texel));
        }
        last_good = if differences.count == count_before { row } else { &[] };
    }
    differences
}

/// Bytes of row `y` of the area; empty if the image has too few bytes.
fn row_bytes(image: &Image, area: Area, y: u32, size: usize) -> &[u8] {
    let width = usize::try_from(area.width).unwrap_or(usize::MAX);
    texel_bytes(image, area.x, y, width.saturating_mul(size))
}

fn is_accepted(rules: &ChannelRules, texel: &Texel) -> bool {
    rules.iter().all(|(channel, rules)| rules.iter().any(|rule| rule.accepts(*channel, texel)))
}

/// The pixels of `region` of render target `target`; an error if it is not inside the pixels that were read.
pub(super) fn area_of(region: Region, target: u32, image: &Image) -> Result<Area, Mismatch> {
    let size = [image.width, image.height];
    let [x, y, width, height] = region.pixels(size);
    if width <= 0 || height <= 0 {
        return Err(Mismatch::from(format!("the region of {width} by {height} pixels is empty")));
    }
    let Some(area) = region.area(size) else {
        let what = match region {
            Region::Pixel(_) | Region::RelativePixel(_) => format!("pixel ({x}, {y})"),
            Region::Rect(_) | Region::RelativeRect(_) | Region::All => {
                format!("the region ({x}, {y}, {width}, {height})")
            }
        };
        let Image { width, height, .. } = image;
        return Err(Mismatch::from(format!(
            "{what} lies outside of render target {target} of {width} by {height} pixels"
        )));
    };
    if image.part.contains(area) {
        return Ok(area);
    }
    Err(Mismatch::from(format!("the region ({x}, {y}, {width}, {height}) was not read back")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Tolerance = Tolerance::Absolute([0.01; 4]);

    /// An image of 64 by 64 black pixels, except for one of (0, 128, 0, 255).
    fn image_with_dot(at: [u32; 2]) -> Image {
        let mut bytes = [0, 0, 0, 255].repeat(64 * 64);
        let idx = usize::try_from(at[1] * 64 + at[0]).expect("small") * 4;
        bytes[idx + 1] = 128;
        Image::whole(Format::RGBA8_UNORM, 64, 64, bytes)
    }

    fn probe(region: Region, expected: [f64; 4]) -> Probe {
        fixture::probe_of(0, region, &expected.map(Number::Real))
    }

    #[track_caller]
    fn check_details(image: &Image, probe: &Probe, expected: &[&str]) {
        let details = check(probe, image, DEFAULT).err().map_or(Vec::new(), |mismatch| mismatch.0);
        assert_eq!(details, expected);
    }

    #[test]
    fn the_first_difference_is_shown_and_all_are_counted() {
        let image = image_with_dot([12, 7]);
        check_details(
            &image,
            &probe(Region::All, [0.0, 0.0, 0.0, 1.0]),
            &[
                "first difference at pixel (12, 7) of render target 0; 1 of 4096 pixels differ",
                "expected  0.000 0.000 0.000 1.000",
                "actual    0.000 0.502 0.000 1.000",
            ],
        );
        check_details(&image, &probe(Region::Rect([0, 0, 12, 64]), [0.0, 0.0, 0.0, 1.0]), &[]);
        check_details(&image, &probe(Region::Pixel([12, 7]), [0.0, 0.5, 0.0, 1.0]), &[]);
        check_details(
            &image,
            &probe(Region::Pixel([12, 7]), [0.0; 4]),
            &[
                "difference at pixel (12, 7) of render target 0",
                "expected  0.000 0.000 0.000 0.000",
                "actual    0.000 0.502 0.000 1.000",
            ],
        );
    }

    #[test]
    fn an_alternative_is_as_good_and_nothing_else_is() {
        let expected = [0.0, 0.75, 0.0, 1.0];
        let probe = |other| Probe {
            alternatives: vec![(1, Number::Real(other)), (3, Number::Real(0.0))],
            ..probe(Region::Pixel([1, 1]), expected)
        };
        check_details(&image_with_dot([1, 1]), &probe(0.5), &[]);
        check_details(
            &image_with_dot([1, 1]),
            &probe(0.25),
            &[
                "difference at pixel (1, 1) of render target 0",
                "expected  0.000 0.750 0.000 1.000",
                "or        0.25 in green",
                "or        0.0 in alpha",
                "actual    0.000 0.502 0.000 1.000",
            ],
        );
    }

    #[test]
    fn a_region_with_a_tolerance_of_its_own_is_compared_as_floats() {
        // The dot is 128 of 255, which is 0.00196 above a half and 0.00392 above 127 of 255.
        let dot = |expected: f64, tolerance: Option<Tolerance>| {
            let region = Region::Rect([12, 7, 1, 1]);
            let probe = Probe { tolerance, ..probe(region, [0.0, expected, 0.0, 1.0]) };
            check(&probe, &image_with_dot([12, 7]), Tolerance::Absolute([0.002; 4])).is_ok()
        };
        let own = Some(Tolerance::Absolute([0.002; 4]));
        assert!(dot(0.5, own));
        assert!(!dot(127.0 / 255.0, own));
        assert!(dot(127.0 / 255.0, None));
    }

    #[test]
    fn rgb_ignores_alpha() {
        let expected = [0.0, 0.5, 0.0, 0.0];
        let rgb = Probe { channels: 3, ..probe(Region::Pixel([1, 1]), expected) };
        check_details(&image_with_dot([1, 1]), &rgb, &[]);
    }

    #[test]
    fn relative_points_are_truncated_and_clamped_but_regions_are_not() {
        let image = image_with_dot([63, 31]);
        // 0.49 * 64 is 31.36, and 1.0 * 64 is past the last pixel.
        let point = Region::RelativePixel([1.0, 0.49]);
        check_details(&image, &probe(point, [0.0, 0.5, 0.0, 1.0]), &[]);
        let rect = Region::RelativeRect([0.5, 0.0, 1.0, 0.25]);
        let message =
            "the region (32, 0, 64, 16) lies outside of render target 0 of 64 by 64 pixels";
        check_details(&image, &probe(rect, [0.0; 4]), &[message]);
    }

    #[test]
    fn what_lies_outside_or_is_empty_never_passes() {
        let image = image_with_dot([0, 0]);
        let message = "pixel (64, 0) lies outside of render target 0 of 64 by 64 pixels";
        check_details(&image, &probe(Region::Pixel([64, 0]), [0.0; 4]), &[message]);
        let message = "the region of 0 by 4 pixels is empty";
        check_details(&image, &probe(Region::Rect([0, 0, 0, 4]), [0.0; 4]), &[message]);
        let huge = Region::Rect([u32::MAX; 4]);
        let message = "the region (4294967295, 4294967295, 4294967295, 4294967295) \
                       lies outside of render target 0 of 64 by 64 pixels";
        check_details(&image, &probe(huge, [0.0; 4]), &[message]);
        let message = "pixel (-6, 0) lies outside of render target 0 of 64 by 64 pixels";
        check_details(&image, &probe(Region::RelativePixel([-0.1, 0.0]), [0.0; 4]), &[message]);
    }

    #[test]
    fn floats_of_32_bits_are_shown_with_their_bits() {
        let format = Format::from_name("r32float").expect("there is such a format");
        let bytes = 0x3f80_0001_u32.to_le_bytes().to_vec();
        let image = Image::whole(format, 1, 1, bytes);
        let expected = vec![Number::Bits(0x3f80_0000)];
        let probe = Probe { channels: 1, expected, ..probe(Region::All, [0.0; 4]) };
        check_details(
            &image,
            &probe,
            &[
                "difference at pixel (0, 0) of render target 0",
                "expected  1.0 (0x3f800000)",
                "actual    1.0000001 (0x3f800001)",
            ],
        );
    }

    /// Bit patterns have all their digits, including leading zeros.
    #[test]
    fn small_floats_are_shown_with_all_their_digits() {
        let format = Format::from_name("r32float").expect("there is such a format");
        let image = Image::whole(format, 1, 1, 2_u32.to_le_bytes().to_vec());
        let expected = vec![Number::Bits(1)];
        let probe = Probe { channels: 1, expected, ..probe(Region::All, [0.0; 4]) };
        check_details(
            &image,
            &probe,
            &[
                "difference at pixel (0, 0) of render target 0",
                "expected  1e-45 (0x00000001)",
                "actual    3e-45 (0x00000002)",
            ],
        );
    }

    /// A channel that the case writes in hexadecimal is shown so, and any other as a decimal.
    #[test]
    fn integers_are_shown_in_the_notation_of_the_case() {
        let format = Format::from_name("rg32uint").expect("there is such a format");
        let bytes = [0xdead_bee0_u32, 11].map(u32::to_le_bytes).concat();
        let image = Image::whole(format, 1, 1, bytes);
        let expected = vec![Number::Bits(0xdead_beef), Number::Integer(12)];
        let probe = Probe { channels: 2, expected, ..probe(Region::All, [0.0; 4]) };
        check_details(
            &image,
            &probe,
            &[
                "difference at pixel (0, 0) of render target 0",
                "expected  0xdeadbeef 12",
                "actual    0xdeadbee0 11",
            ],
        );
    }

    #[test]
    fn decimals_that_print_equal_are_shown_with_their_bits() {
        let image = image_with_dot([0, 0]);
        let probe = Probe {
            tolerance: Some(Tolerance::Absolute([0.0; 4])),
            ..probe(Region::Pixel([0, 0]), [0.0, 0.5019, 0.0, 1.0])
        };
        check_details(
            &image,
            &probe,
            &[
                "difference at pixel (0, 0) of render target 0",
                "expected  0.0 (0x00) 0.5019 (0x80) 0.0 (0x00) 1.0 (0xff)",
                "actual    0.0 (0x00) 0.5019608 (0x80) 0.0 (0x00) 1.0 (0xff)",
            ],
        );
    }

    #[track_caller]
    fn check_unaccepted(region: Region, tolerance: f64, expected: Option<[u8; 2]>) {
        let bytes = vec![255, 0, 0, 255, 250, 0, 0, 0];
        let actual = Image::whole(Format::RGBA8_UNORM, 2, 1, bytes);
        let red = probe(region, [1.0, 0.0, 0.0, 1.0]);
        let tolerance = Tolerance::Absolute([tolerance; 4]);
        let found = red.unaccepted_channels(&actual, tolerance, &Goldens::default());
        assert_eq!(found, expected.map(Vec::from));
    }

    #[test]
    fn a_probe_marks_channels_beyond_its_tolerance_in_its_region_only() {
        check_unaccepted(Region::All, 0.0, Some([0, 0b1001]));
        check_unaccepted(Region::All, 0.1, Some([0, 0b1000]));
        check_unaccepted(Region::Pixel([0, 0]), 0.0, Some([0, 0]));
        check_unaccepted(Region::Pixel([2, 0]), 0.0, None);
    }

    #[track_caller]
    fn check_painted(region: Region, expected: &[Number], pixels: Option<[[u8; 4]; 2]>) {
        let bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
        let actual = Image::whole(Format::RGBA8_UNORM, 2, 1, bytes);
        let probe = fixture::probe_of(0, region, expected);
        let image = probe.expected_image(&actual, &Goldens::default());
        assert_eq!(image.map(|image| image.bytes), pixels.map(|rows| rows.concat()));
    }

    const ONE: Number = Number::Integer(1);

    #[test]
    fn a_probe_paints_only_the_pixels_and_channels_it_looks_at() {
        check_painted(Region::Pixel([1, 0]), &[ONE; 3], Some([[1, 2, 3, 4], [255, 255, 255, 8]]));
        check_painted(Region::All, &[ONE; 4], Some([[255; 4], [255; 4]]));
        check_painted(Region::All, &[Number::Bits(0x80)], Some([[128, 2, 3, 4], [128, 6, 7, 8]]));
    }

    #[test]
    fn a_probe_looks_at_its_channels_in_its_region() {
        let actual = Image::whole(Format::RGBA8_UNORM, 2, 1, vec![0; 8]);
        let probed = |region, expected: &[Number]| {
            fixture::probe_of(0, region, expected).probed_channels(&actual)
        };
        assert_eq!(probed(Region::Pixel([1, 0]), &[ONE; 3]), Some(vec![0, 0b111]));
        assert_eq!(probed(Region::All, &[ONE; 4]), Some(vec![0b1111; 2]));
        assert_eq!(probed(Region::Pixel([2, 0]), &[ONE; 4]), None);
    }

    #[test]
    fn a_probe_outside_of_its_target_paints_nothing() {
        check_painted(Region::Pixel([2, 0]), &[ONE; 4], None);
        check_painted(Region::Rect([0, 0, 3, 1]), &[ONE; 4], None);
    }

    #[test]
    fn integer_probes_need_integer_targets() {
        let probe = Probe { is_exact_integer: true, ..probe(Region::All, [0.0; 4]) };
        let message = "the probe expects integers, but the target's format is rgba8unorm";
        check_details(&image_with_dot([0, 0]), &probe, &[message]);
    }
}
