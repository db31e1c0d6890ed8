//! Images of expected results, to show beside the actual ones.

use case::{DepthProbe, Probe, ReadExpectation};
use ir::format::{Format, FormatClass};
use ir::readback::Image;
use ir::scalar::Number;

use super::Goldens;
use super::probe::{area_of, texel_bytes};

/// An image that satisfies `expectation` and otherwise equals `actual`: for a probe, the probed channels and pixels
/// are replaced; for a golden, it is the golden. `None` if the expectation is not about an image, or if its value
/// cannot be stored in the image's format.
pub fn expected_image(
    expectation: &ReadExpectation,
    actual: &Image,
    goldens: &Goldens,
) -> Option<Image> {
    match expectation {
        ReadExpectation::Probe(probe) => painted(probe, actual),
        ReadExpectation::Golden(golden) => {
            let image = goldens.images.get(&golden.name)?.as_ref().ok()?;
            (image.format == actual.format).then(|| image.clone())
        }
        ReadExpectation::Depth(probe) => painted_depth(probe, actual),
        ReadExpectation::Buffer(_)
        | ReadExpectation::Oracle(_)
        | ReadExpectation::Kept(_)
        | ReadExpectation::Alike(_)
        | ReadExpectation::XfbCount { .. } => None,
    }
}

fn painted(probe: &Probe, actual: &Image) -> Option<Image> {
    let area = area_of(probe, actual).ok()?;
    let format = actual.format;
    let size = format.bytes_per_texel();
    let channels = usize::from(probe.channels).min(format.channel_count());
    let mut image = actual.clone();
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            let mut bits = format.decode(texel_bytes(actual, x, y, size)).bits;
            for (channel, number) in probe.expected.iter().take(channels).enumerate() {
                let bits = bits.get_mut(channel)?;
                let is_it = |(at, other): &(usize, Number)| {
                    *at == channel && stored(format, channel, *other) == Some(*bits)
                };
                if !probe.alternatives.iter().any(is_it) {
                    *bits = stored(format, channel, *number)?;
                }
            }
            let start = actual.offset_of(x, y)?;
            let texel = image.bytes.get_mut(start..)?.get_mut(..size)?;
            texel.copy_from_slice(format.pack(bits).get(..size)?);
        }
    }
    Some(image)
}

fn painted_depth(probe: &DepthProbe, actual: &Image) -> Option<Image> {
    let format = actual.format;
    let [x, y] = probe.at;
    let start = actual.offset_of(x, y).filter(|_| x < actual.width && y < actual.height)?;
    let mut bits = format.decode(texel_bytes(actual, x, y, format.bytes_per_texel())).bits;
    *bits.first_mut()? = stored(format, 0, probe.expected)?;
    let mut image = actual.clone();
    let texel = image.bytes.get_mut(start..)?.get_mut(..format.bytes_per_texel())?;
    texel.copy_from_slice(format.pack(bits).get(..format.bytes_per_texel())?);
    Some(image)
}

/// The bits of a channel that store this number.
fn stored(format: Format, channel: usize, number: Number) -> Option<u32> {
    match (format.class(), number) {
        (_, Number::Bits(bits)) => u32::try_from(bits).ok(),
        (FormatClass::Float, number) => Some(format.encode_real(channel, number.to_f64()?)),
        (FormatClass::Sint | FormatClass::Uint, Number::Integer(value)) => {
            Some(format.encode_integer(channel, value))
        }
        (FormatClass::Sint | FormatClass::Uint, Number::Real(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use case::Region;

    use super::*;

    #[track_caller]
    fn check(region: Region, expected: &[Number], pixels: Option<[[u8; 4]; 2]>) {
        let bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
        let actual = Image::whole(Format::RGBA8_UNORM, 2, 1, bytes);
        let probe = fixture::probe_of(0, region, expected);
        let image = expected_image(&ReadExpectation::Probe(probe), &actual, &Goldens::default());
        assert_eq!(image.map(|image| image.bytes), pixels.map(|rows| rows.concat()));
    }

    const ONE: Number = Number::Integer(1);

    #[test]
    fn a_probe_paints_only_the_pixels_and_channels_it_looks_at() {
        check(Region::Pixel([1, 0]), &[ONE; 3], Some([[1, 2, 3, 4], [255, 255, 255, 8]]));
        check(Region::All, &[ONE; 4], Some([[255; 4], [255; 4]]));
        check(Region::All, &[Number::Bits(0x80)], Some([[128, 2, 3, 4], [128, 6, 7, 8]]));
    }

    #[test]
    fn a_probe_of_a_depth_paints_one_pixel() {
        let format = Format::from_name("r32float").expect("a known format");
        let bytes = |values: [f32; 2]| values.map(f32::to_le_bytes).as_flattened().to_vec();
        let actual = Image::whole(format, 2, 1, bytes([0.5, 1.0]));
        let painted = |at| {
            let aspect = case::depth_stencil::DepthAspect::Depth;
            let probe = DepthProbe { aspect, at, expected: Number::Real(0.25) };
            let image =
                expected_image(&ReadExpectation::Depth(probe), &actual, &Goldens::default());
            image.map(|image| image.bytes)
        };
        assert_eq!(painted([1, 0]), Some(bytes([0.5, 0.25])));
        assert_eq!(painted([2, 0]), None);
    }

    #[test]
    fn a_golden_is_shown_only_where_it_has_the_targets_format() {
        let image = |format| Image::whole(format, 1, 1, vec![9; 4]);
        let golden =
            case::Golden { target: 0, name: "g".to_owned(), rule: case::GoldenRule::Exact };
        let goldens = Goldens { images: [("g".to_owned(), Ok(image(Format::RGBA8_UNORM)))].into() };
        let shown = |actual| {
            let expectation = ReadExpectation::Golden(golden.clone());
            expected_image(&expectation, &image(actual), &goldens).map(|image| image.format)
        };
        assert_eq!(shown(Format::RGBA8_UNORM), Some(Format::RGBA8_UNORM));
        let other = Format::from_name("rgba8uint").expect("it is a format");
        assert_eq!(shown(other), None);
    }

    #[test]
    fn a_probe_outside_of_its_target_paints_nothing() {
        check(Region::Pixel([2, 0]), &[ONE; 4], None);
        check(Region::Rect([0, 0, 3, 1]), &[ONE; 4], None);
    }
}
