//! The kinds of expectations about a readback: what each of them does, and what it is given.

use std::collections::BTreeMap;
use std::fmt;

use case::{Case, Tolerance};
use ir::format::{Format, FormatClass};
use ir::readback::{Area, Image, Readback, Snapshot};

/// The golden images of a case, by name. Callers do the I/O.
#[derive(Clone, Debug, Default)]
pub struct Goldens {
    /// The image of each golden, or the reason why it could not be loaded (missing file, bad PNG).
    pub images: BTreeMap<String, Result<Image, String>>,
}

/// An expectation that does not hold, in lines: the fault of the case or of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch(pub(crate) Vec<String>);

impl<E: fmt::Display> From<E> for Mismatch {
    fn from(line: E) -> Self {
        Self(vec![line.to_string()])
    }
}

/// A kind of expectation about a readback.
pub(crate) trait Kind {
    /// Compares the result of a run with the expectation. What was not read back never passes.
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch>;

    /// For every pixel of `actual`, from the lowest row on, a byte whose bits are the channels that the expectation does
    /// not accept: bit 0 is red. `None` if it does not judge single pixels, which is the default, or not those of such
    /// an image.
    fn unaccepted_channels(
        &self,
        _actual: &Image,
        _tolerance: Tolerance,
        _goldens: &Goldens,
    ) -> Option<Vec<u8>> {
        None
    }

    /// For every pixel of `actual`, from the lowest row on, a byte whose bits are the channels that the expectation looks
    /// at: bit 0 is red. `None` if it looks at all of them, which is the default.
    fn probed_channels(&self, _actual: &Image) -> Option<Vec<u8>> {
        None
    }

    /// An image that satisfies the expectation and otherwise equals `actual`. `None` if there is none, which is the
    /// default.
    fn expected_image(&self, _actual: &Image, _goldens: &Goldens) -> Option<Image> {
        None
    }

    /// The tolerance of a comparison of images of `format`, in the case's own notation; by default the one in force.
    fn tolerance_text(&self, in_force: Tolerance, format: Format) -> String {
        tolerance_text(in_force, format)
    }
}

/// The result of a run for one expectation, and what an expectation may be compared with.
pub(crate) struct RunResult<'a> {
    /// The case of the expectation.
    pub(crate) case: &'a Case,
    /// The data that the step of the expectation read.
    pub(crate) snapshot: Option<&'a Snapshot>,
    /// The data that all steps read.
    pub(crate) readback: &'a Readback,
    /// The tolerance in force.
    pub(crate) tolerance: Tolerance,
    /// The golden images of the case.
    pub(crate) goldens: &'a Goldens,
}

impl<'a> RunResult<'a> {
    /// The image that was read of render target `target`.
    pub(crate) fn image(&self, target: u32) -> Result<&'a Image, Mismatch> {
        match self.snapshot {
            Some(Snapshot::Image(image)) => whole(image),
            Some(Snapshot::Buffer(_) | Snapshot::Count(_)) | None => {
                let exists = self.case.render_targets.iter().any(|known| known.index == target);
                Err(Mismatch(vec![if exists {
                    format!("render target {target} was not read back")
                } else {
                    format!("the case has no render target {target}")
                }]))
            }
        }
    }
}

/// Checks that `image` has bytes for every pixel that was read: missing bytes must not compare equal to zeros.
pub(crate) fn whole(image: &Image) -> Result<&Image, Mismatch> {
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

/// A tolerance for images of `format`, in the case's own notation.
pub(crate) fn tolerance_text(tolerance: Tolerance, format: Format) -> String {
    if format.class() != FormatClass::Float {
        return "exact".to_owned();
    }
    match tolerance {
        Tolerance::Ulp(limit) => format!("{limit} ulp"),
        Tolerance::Absolute(limits) => {
            let limits = &limits[..format.channel_count().clamp(1, 4)];
            let mut texts: Vec<_> = limits.iter().map(f64::to_string).collect();
            if texts.iter().all(|text| *text == texts[0]) {
                texts.truncate(1);
            }
            texts.join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_those_of_the_channels_there_are() {
        let text = |tolerance, format: &str| {
            tolerance_text(tolerance, Format::from_name(format).expect("a known format"))
        };
        assert_eq!(text(Tolerance::DEFAULT, "rgba8unorm"), "0.01");
        assert_eq!(text(Tolerance::Absolute([0.5, 0.0, 0.0, 0.0]), "r32float"), "0.5");
        assert_eq!(text(Tolerance::Absolute([0.5, 0.25, 0.0, 0.0]), "rg32float"), "0.5 0.25");
        assert_eq!(text(Tolerance::Ulp(3), "rgba8unorm"), "3 ulp");
        assert_eq!(text(Tolerance::DEFAULT, "rgba32uint"), "exact");
    }
}
