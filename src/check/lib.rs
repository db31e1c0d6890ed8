//! Compares the results of a run with the expectations of its case.
//!
//! Where piglit has a rule, it applies: a probe of one pixel compares floats, a probe of a region of a unorm target of
//! at most 8 bits compares bytes and is slightly looser. Integers are compared exactly, and `0x…` compares bits.

pub mod blocks;
mod buffer;
mod content;
mod count;
mod depth;
mod difference;
mod flip;
pub mod hint;
mod image;
mod kind;
pub mod link_map;
mod oracle;
mod pixels;
mod probe;
pub mod queries;
#[cfg(test)]
pub mod reflect_tests;
pub mod verdict;

use crate::kind::{Kind, Mismatch, RunResult};
use crate::verdict::Failure;
use case::{Case, Probe, ReadExpectation, Setting, Step, Tolerance};
use ir::format::Format;
use ir::readback::{Area, Image, Readback};

pub use kind::Goldens;

/// The kind of an expectation.
fn kind_of(expectation: &ReadExpectation) -> &dyn Kind {
    match expectation {
        ReadExpectation::XfbCount(probe) => probe,
        ReadExpectation::Probe(probe) => probe,
        ReadExpectation::Buffer(probe) => probe,
        ReadExpectation::Depth(probe) => probe,
        ReadExpectation::Golden(golden) => golden,
        ReadExpectation::Oracle(source) => source,
        ReadExpectation::Kept(content) => content,
        ReadExpectation::Alike(comparison) => comparison,
    }
}

/// The probed pixels; `None` if some are outside the target, or were not read.
pub fn probed_area(probe: &Probe, image: &Image) -> Option<Area> {
    probe::area_of(probe.region, probe.target, image).ok()
}

/// Checks every expectation of `case` about a readback, in order. The result is empty if all hold.
///
/// The caller reports [`Readback::messages`].
pub fn check(case: &Case, readback: &Readback, goldens: &Goldens) -> Vec<Failure> {
    let mut tolerance = Tolerance::DEFAULT;
    let mut failures = Vec::new();
    for (idx, step) in case.steps.iter().enumerate() {
        if let Step::Set(Setting::Tolerance(new)) = &step.value {
            tolerance = *new;
        }
        let Some(expectation) = step.value.reading() else { continue };
        let snapshot = readback.snapshots.get(idx).and_then(Option::as_ref);
        let result = RunResult { case, snapshot, readback, tolerance, goldens };
        let mismatch = kind_of(expectation).check(&result).err();
        failures.extend(
            mismatch.map(|Mismatch(details)| Failure::of_text(&case.source, step.span, details)),
        );
    }
    failures
}

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
    kind_of(expectation).unaccepted_channels(actual, tolerance, goldens)
}

/// For every pixel of `actual`, from the lowest row on, returns a byte whose bits are the channels that `expectation`
/// looks at: bit 0 is red. `None` if it looks at all of them.
pub fn probed_channels(expectation: &ReadExpectation, actual: &Image) -> Option<Vec<u8>> {
    kind_of(expectation).probed_channels(actual)
}

/// An image that satisfies `expectation` and otherwise equals `actual`: for a probe, the probed channels and pixels
/// are replaced; for a golden, it is the golden. `None` if the expectation is not about an image, or if its value
/// cannot be stored in the image's format.
pub fn expected_image(
    expectation: &ReadExpectation,
    actual: &Image,
    goldens: &Goldens,
) -> Option<Image> {
    kind_of(expectation).expected_image(actual, goldens)
}

/// The tolerance of an expectation about an image of `format`, in the case's own notation. `in_force` is the tolerance
/// in force.
pub fn tolerance_text(
    expectation: &ReadExpectation,
    in_force: Tolerance,
    format: Format,
) -> String {
    kind_of(expectation).tolerance_text(in_force, format)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use case::Region;
    use ir::readback::Snapshot;
    use ir::scalar::Number;

    use super::*;

    fn red() -> Snapshot {
        let bytes = [255, 0, 0, 255].repeat(16);
        let image = Image::whole(Format::RGBA8_UNORM, 4, 4, bytes);
        Snapshot::Image(Arc::new(image))
    }

    fn expect(target: u32, [r, g, b, a]: [i128; 4]) -> Step {
        let color = [r, g, b, a].map(Number::Integer);
        fixture::probe(target, Region::All, &color)
    }

    /// An image with too few bytes must fail for the pixels without bytes.
    #[test]
    fn missing_bytes_are_not_as_expected() {
        let case = fixture::case(vec![expect(0, [1, 0, 0, 1])]);
        let verdict = |pixels: usize| {
            let bytes = [255, 0, 0, 255].repeat(pixels);
            let image = Image::whole(Format::RGBA8_UNORM, 4, 4, bytes);
            let snapshots = vec![Some(Snapshot::Image(Arc::new(image)))];
            check(&case, &Readback { snapshots, ..Readback::default() }, &Goldens::default()).len()
        };
        assert_eq!(verdict(16), 0);
        assert_eq!(verdict(12), 1);
        assert_eq!(verdict(0), 1);
    }

    #[test]
    fn all_failed_expectations_are_reported_with_their_lines() {
        let case = fixture::case(vec![
            expect(0, [0, 1, 0, 1]),
            expect(0, [1, 0, 0, 1]),
            expect(0, [0, 0, 1, 1]),
        ]);
        let snapshots = vec![Some(red()); 3];
        let readback = Readback { snapshots, ..Readback::default() };
        let failures = check(&case, &readback, &Goldens::default());
        let lines: Vec<_> =
            failures.iter().map(|failure| (failure.line, failure.step.as_str())).collect();
        assert_eq!(lines, [(Some(1), "step 0"), (Some(3), "step 2")]);
        assert_eq!(
            failures[0].details,
            [
                "first difference at pixel (0, 0) of render target 0; 16 of 16 pixels differ",
                "expected  0.000 1.000 0.000 1.000",
                "actual    1.000 0.000 0.000 1.000",
            ]
        );
    }

    #[test]
    fn a_tolerance_holds_from_its_line_on() {
        let almost = fixture::probe(
            0,
            Region::Pixel([0, 0]),
            &[Number::Real(0.9), Number::Integer(0), Number::Integer(0), Number::Integer(1)],
        );
        let wide = Step::Set(Setting::Tolerance(Tolerance::Absolute([0.2, 0.0, 0.0, 0.0])));
        let case = fixture::case(vec![almost.clone(), wide, almost]);
        let snapshots = vec![Some(red()), None, Some(red())];
        let readback = Readback { snapshots, ..Readback::default() };
        let failures = check(&case, &readback, &Goldens::default());
        assert_eq!(failures.iter().map(|failure| failure.line).collect::<Vec<_>>(), [Some(1)]);
    }

    #[test]
    fn an_image_without_all_its_bytes_never_passes() {
        let case = fixture::case(vec![expect(0, [0; 4])]);
        let bytes = vec![0; 4 * 4 * 4 - 1];
        let image = Image::whole(Format::RGBA8_UNORM, 4, 4, bytes);
        let snapshots = vec![Some(Snapshot::Image(Arc::new(image)))];
        let readback = Readback { snapshots, ..Readback::default() };
        let failures = check(&case, &readback, &Goldens::default());
        let details: Vec<_> = failures.iter().flat_map(|failure| &failure.details).collect();
        assert_eq!(details, ["63 bytes came back for 4 by 4 pixels of rgba8unorm"]);
    }

    #[test]
    fn what_was_not_read_back_never_passes() {
        let case = fixture::case(vec![expect(0, [0; 4]), expect(5, [0; 4])]);
        let failures = check(&case, &Readback::default(), &Goldens::default());
        let details: Vec<_> = failures.iter().flat_map(|failure| &failure.details).collect();
        let expected = ["render target 0 was not read back", "the case has no render target 5"];
        assert_eq!(details, expected);
    }
}
