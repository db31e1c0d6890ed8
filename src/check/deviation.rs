//! Finds the pixels and channels that an expectation does not accept, to mark them in images.

use case::{Golden, GoldenRule, Probe, ReadExpectation, Tolerance};
use ir::readback::Image;

use super::probe::{area_of, texel_bytes};
use super::{Goldens, depth, image, probe};

/// For every pixel of `actual`, from the lowest row on, returns a byte whose bits are the channels that `expectation`
/// does not accept: bit 0 is red. `tolerance` is the tolerance in force.
///
/// `None` if the expectation does not judge single pixels, or not those of an image like `actual`.
pub fn unaccepted_channels(
    expectation: &ReadExpectation,
    actual: &Image,
    tolerance: Tolerance,
    goldens: &Goldens,
) -> Option<Vec<u8>> {
    match expectation {
        ReadExpectation::Probe(probe) => of_probe(probe, actual, tolerance),
        ReadExpectation::Golden(golden) => of_golden(golden, actual, goldens),
        ReadExpectation::Depth(probe) => {
            let mut found = blank(actual)?;
            let [x, y] = probe.at;
            if depth::check(probe, actual, tolerance).is_err() {
                *found.get_mut(index_of(actual, x, y)?)? = 1;
            }
            Some(found)
        }
        ReadExpectation::Buffer(_)
        | ReadExpectation::Oracle(_)
        | ReadExpectation::Kept(_)
        | ReadExpectation::Alike(_)
        | ReadExpectation::XfbCount { .. } => None,
    }
}

fn blank(image: &Image) -> Option<Vec<u8>> {
    let (width, height) = (usize::try_from(image.width), usize::try_from(image.height));
    Some(vec![0; width.ok()?.checked_mul(height.ok()?)?])
}

fn index_of(image: &Image, x: u32, y: u32) -> Option<usize> {
    let is_inside = x < image.width && y < image.height;
    let index = u64::from(y) * u64::from(image.width) + u64::from(x);
    is_inside.then(|| usize::try_from(index).ok()).flatten()
}

fn of_probe(probe: &Probe, actual: &Image, tolerance: Tolerance) -> Option<Vec<u8>> {
    let area = area_of(probe, actual).ok()?;
    let rules = probe::rules(probe, actual, tolerance).ok()?;
    let size = actual.format.bytes_per_texel();
    let mut found = blank(actual)?;
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            let texel = actual.format.decode(texel_bytes(actual, x, y, size));
            let unaccepted = rules.iter().filter(|(channel, rules)| {
                !rules.iter().any(|rule| rule.accepts(*channel, &texel))
            });
            *found.get_mut(index_of(actual, x, y)?)? =
                unaccepted.fold(0, |bits, (channel, _)| bits | 1 << channel);
        }
    }
    Some(found)
}

fn of_golden(golden: &Golden, actual: &Image, goldens: &Goldens) -> Option<Vec<u8>> {
    let steps = match golden.rule {
        GoldenRule::Exact => 0,
        GoldenRule::Tolerance(steps) => steps,
        GoldenRule::Flip(_) => return None,
    };
    let expected = goldens.images.get(&golden.name)?.as_ref().ok()?;
    if expected.format != actual.format || expected.bytes.len() != actual.bytes.len() {
        return None;
    }
    let format = actual.format;
    let size = format.bytes_per_texel().max(1);
    let pairs = actual.bytes.chunks_exact(size).zip(expected.bytes.chunks_exact(size));
    let unaccepted = |(actual, expected): (&[u8], &[u8])| {
        let (actual, expected) = (format.decode(actual), format.decode(expected));
        (0..format.channel_count())
            .filter(|channel| !image::is_channel_near(format, &actual, &expected, *channel, steps))
            .fold(0, |bits, channel| bits | 1 << channel)
    };
    Some(pairs.map(unaccepted).collect())
}

#[cfg(test)]
mod tests {
    use case::Region;
    use ir::format::Format;
    use ir::scalar::Number;

    use super::*;

    #[track_caller]
    fn check(expectation: ReadExpectation, tolerance: f64, expected: Option<[u8; 2]>) {
        let bytes = vec![255, 0, 0, 255, 250, 0, 0, 0];
        let actual = Image::whole(Format::RGBA8_UNORM, 2, 1, bytes);
        let golden = Image::whole(Format::RGBA8_UNORM, 2, 1, vec![255, 0, 0, 255, 255, 9, 0, 0]);
        let goldens = Goldens { images: [("g".to_owned(), Ok(golden))].into() };
        let tolerance = Tolerance::Absolute([tolerance; 4]);
        let found = unaccepted_channels(&expectation, &actual, tolerance, &goldens);
        assert_eq!(found, expected.map(Vec::from));
    }

    fn red(region: Region) -> ReadExpectation {
        let number = Number::Integer;
        let expected = [number(1), number(0), number(0), number(1)];
        ReadExpectation::Probe(fixture::probe_of(0, region, &expected))
    }

    #[test]
    fn a_probe_marks_channels_beyond_its_tolerance_in_its_region_only() {
        check(red(Region::All), 0.0, Some([0, 0b1001]));
        check(red(Region::All), 0.1, Some([0, 0b1000]));
        check(red(Region::Pixel([0, 0])), 0.0, Some([0, 0]));
        check(red(Region::Pixel([2, 0])), 0.0, None);
    }

    #[test]
    fn a_golden_marks_channels_more_than_its_steps_away() {
        let golden =
            |rule| ReadExpectation::Golden(Golden { target: 0, name: "g".to_owned(), rule });
        check(golden(GoldenRule::Exact), 0.0, Some([0, 0b0011]));
        check(golden(GoldenRule::Tolerance(5)), 0.0, Some([0, 0b0010]));
        check(golden(GoldenRule::Flip(0.1)), 0.0, None);
    }
}
