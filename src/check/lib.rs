//! Compares the results of a run with the expectations of its case.
//!
//! Where piglit has a rule, it applies: a probe of one pixel compares floats, a probe of a region of a unorm target of
//! at most 8 bits compares bytes and is slightly looser. Integers are compared exactly, and `0x…` compares bits.

pub mod blocks;
mod buffer;
mod content;
mod depth;
mod deviation;
mod difference;
mod expected;
mod flip;
pub mod hint;
mod image;
pub mod link_map;
mod probe;
pub mod queries;
#[cfg(test)]
pub mod reflect_tests;
pub mod verdict;

use std::collections::BTreeMap;
use std::fmt;

use crate::verdict::Failure;
use case::{Case, CountProbe, Probe, ReadExpectation, Setting, Step, Tolerance};
use ir::readback::{Area, Image, Readback, Snapshot};
use ir::source::Span;

pub use deviation::unaccepted_channels;
pub use expected::expected_image;

/// The golden images of a case, by name. Callers do the I/O.
#[derive(Clone, Debug, Default)]
pub struct Goldens {
    /// The image of each golden, or the reason why it could not be loaded (missing file, bad PNG).
    pub images: BTreeMap<String, Result<Image, String>>,
}

/// An expectation that does not hold, in lines: the fault of the case or of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mismatch(Vec<String>);

impl<E: fmt::Display> From<E> for Mismatch {
    fn from(line: E) -> Self {
        Self(vec![line.to_string()])
    }
}

/// The probed pixels; `None` if some are outside the target, or were not read.
pub fn probed_area(probe: &Probe, image: &Image) -> Option<Area> {
    probe::area_of(probe, image).ok()
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
        let result = if let ReadExpectation::Alike(alike) = expectation {
            let kept = readback.snapshots.get(alike.kept).and_then(Option::as_ref);
            content::check(alike.rule, snapshot, kept)
        } else {
            check_one(case, expectation, snapshot, tolerance, goldens)
        };
        failures.extend(result.err().map(|details| failure(case, step.span, details)));
    }
    failures
}

fn check_one(
    case: &Case,
    expectation: &ReadExpectation,
    snapshot: Option<&Snapshot>,
    tolerance: Tolerance,
    goldens: &Goldens,
) -> Result<(), Mismatch> {
    match expectation {
        // The oracle compares separately, and contents are compared above.
        ReadExpectation::Kept(_) | ReadExpectation::Alike(_) | ReadExpectation::Oracle(_) => Ok(()),
        ReadExpectation::XfbCount(CountProbe { expected, .. }) => match snapshot {
            Some(Snapshot::Count(actual)) if actual == expected => Ok(()),
            Some(Snapshot::Count(actual)) => {
                Err(Mismatch(vec![format!("expected  {expected}"), format!("actual    {actual}")]))
            }
            Some(Snapshot::Image(_) | Snapshot::Buffer(_)) | None => {
                Err(Mismatch::from("nothing was read back"))
            }
        },
        ReadExpectation::Probe(probe) => {
            probe::check(probe, image_of(case, probe.target, snapshot)?, tolerance)
        }
        ReadExpectation::Golden(golden) => {
            image::check(golden, image_of(case, golden.target, snapshot)?, goldens)
        }
        ReadExpectation::Depth(probe) => match snapshot {
            Some(Snapshot::Image(image)) => depth::check(probe, whole(image)?, tolerance),
            Some(Snapshot::Buffer(_) | Snapshot::Count(_)) | None => {
                Err(Mismatch::from("the case has no depth buffer"))
            }
        },
        ReadExpectation::Buffer(probe) => match snapshot {
            Some(Snapshot::Buffer(bytes)) => buffer::check(case, probe, bytes, tolerance),
            Some(Snapshot::Image(_) | Snapshot::Count(_)) | None => Err(Mismatch::from(format!(
                "{} was not read back",
                case.buffer_name(probe.binding)
            ))),
        },
    }
}

fn image_of<'a>(
    case: &Case,
    target: u32,
    snapshot: Option<&'a Snapshot>,
) -> Result<&'a Image, Mismatch> {
    match snapshot {
        Some(Snapshot::Image(image)) => whole(image),
        Some(Snapshot::Buffer(_) | Snapshot::Count(_)) | None => {
            let exists = case.render_targets.iter().any(|known| known.index == target);
            Err(Mismatch(vec![if exists {
                format!("render target {target} was not read back")
            } else {
                format!("the case has no render target {target}")
            }]))
        }
    }
}

/// Checks that `image` has bytes for every pixel that was read: missing bytes must not compare equal to zeros.
fn whole(image: &Image) -> Result<&Image, Mismatch> {
    let Image { format, part: Area { width, height, .. }, bytes, .. } = image;
    let pixels = u64::from(*width) * u64::from(*height);
    let needed =
        usize::try_from(pixels).ok().and_then(|count| count.checked_mul(format.bytes_per_texel()));
    if needed == Some(bytes.len()) {
        return Ok(image);
    }
    let count = bytes.len();
    Err(Mismatch::from(format!(
        "{count} bytes came back for {width} by {height} pixels of {}",
        format.name()
    )))
}

fn failure(case: &Case, span: Span, Mismatch(details): Mismatch) -> Failure {
    let text = case.source.slice(span).trim();
    // A step's span ends with its last word, before the closing parenthesis.
    let count = |char: char| text.matches(char).count();
    let closing = ")".repeat(count('(').saturating_sub(count(')')));
    Failure::at(&case.source, span, format!("{text}{closing}"), details)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use case::Region;
    use ir::format::Format;
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
