//! Probes of depth and stencil buffers.

use case::depth_stencil::DepthAspect;
use case::tolerance::{ChannelRule, Form};
use case::{DepthProbe, Region, Tolerance};
use ir::readback::{Area, Image, Snapshot};

use super::kind::{Goldens, Kind, Mismatch, RunResult, whole};
use super::pixels::{channels_of_area, painted, stored, texel_bytes};

impl Kind for DepthProbe {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        match result.snapshot {
            Some(Snapshot::Image(image)) => check(self, whole(image)?, result.tolerance),
            Some(Snapshot::Buffer(_) | Snapshot::Count(_)) | None => {
                Err(Mismatch::from("the case has no depth buffer"))
            }
        }
    }

    fn unaccepted_channels(
        &self,
        actual: &Image,
        tolerance: Tolerance,
        _goldens: &Goldens,
    ) -> Option<Vec<u8>> {
        let is_unaccepted = check(self, actual, tolerance).is_err();
        channels_of_area(actual, pixel(self, actual)?, |_| u8::from(is_unaccepted))
    }

    fn probed_channels(&self, actual: &Image) -> Option<Vec<u8>> {
        channels_of_area(actual, pixel(self, actual)?, |_| 1)
    }

    fn expected_image(&self, actual: &Image, _goldens: &Goldens) -> Option<Image> {
        painted(actual, pixel(self, actual)?, |bits| {
            *bits.first_mut()? = stored(actual.format, 0, self.expected)?;
            Some(())
        })
    }
}

/// The area of the probed pixel; `None` outside of the image.
fn pixel(probe: &DepthProbe, image: &Image) -> Option<Area> {
    Region::Pixel(probe.at).area([image.width, image.height])
}

/// Checks one probe of a depth or stencil buffer, which was read back as an image of one channel.
fn check(probe: &DepthProbe, image: &Image, tolerance: Tolerance) -> Result<(), Mismatch> {
    let [x, y] = probe.at;
    let Image { format, width, height, .. } = image;
    if x >= *width || y >= *height {
        let message = format!("({x}, {y}) lies outside of the {width} by {height} pixels");
        return Err(message.into());
    }
    if image.offset_of(x, y).is_none() {
        return Err(Mismatch::from(format!("pixel ({x}, {y}) was not read back")));
    }
    let texel = format.decode(texel_bytes(image, x, y, format.bytes_per_texel()));
    let rule = ChannelRule::new(*format, 0, Form::Pixel, probe.expected, tolerance);
    if rule?.accepts(0, &texel) {
        return Ok(());
    }
    let (expected, bits) = (probe.expected.to_f64().unwrap_or(f64::NAN), texel.bits[0]);
    Err(Mismatch(match probe.aspect {
        DepthAspect::Depth => vec![
            format!("difference at pixel ({x}, {y}) of the depth buffer"),
            format!("expected  {expected:?}"),
            format!("actual    {:?}", f32::from_bits(bits)),
        ],
        DepthAspect::Stencil => vec![
            format!("difference at pixel ({x}, {y}) of the stencil buffer"),
            format!("expected  {expected} (0b{:08b})", bits_of(expected)),
            format!("actual    {bits} (0b{bits:08b})"),
        ],
    }))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was read as a byte"
)]
const fn bits_of(value: f64) -> u8 {
    value as u8
}

#[cfg(test)]
mod tests {
    use ir::format::Format;
    use ir::scalar::Number;

    use super::*;

    #[track_caller]
    fn check_at(at: [u32; 2], expected: f64, result: Result<(), &str>) {
        let format = Format::from_name("r32float").expect("a known format");
        let bytes = [0.5_f32, 1.0].map(f32::to_le_bytes).as_flattened().to_vec();
        let image = Image::whole(format, 2, 1, bytes);
        let aspect = DepthAspect::Depth;
        let probe = DepthProbe { aspect, at, expected: Number::Real(expected) };
        let found = check(&probe, &image, Tolerance::Absolute([0.01; 4]));
        assert_eq!(found.map_err(|lines| lines.0.join("\n")), result.map_err(str::to_owned));
    }

    #[test]
    fn a_probe_of_a_depth_paints_one_pixel() {
        let format = Format::from_name("r32float").expect("a known format");
        let bytes = |values: [f32; 2]| values.map(f32::to_le_bytes).as_flattened().to_vec();
        let actual = Image::whole(format, 2, 1, bytes([0.5, 1.0]));
        let painted = |at| {
            let aspect = DepthAspect::Depth;
            let probe = DepthProbe { aspect, at, expected: Number::Real(0.25) };
            probe.expected_image(&actual, &Goldens::default()).map(|image| image.bytes)
        };
        assert_eq!(painted([1, 0]), Some(bytes([0.5, 0.25])));
        assert_eq!(painted([2, 0]), None);
    }

    #[test]
    fn stencil_values_are_exact() {
        let image = Image::whole(Format::R8_UINT, 1, 1, vec![7]);
        let check = |expected: i128| {
            let expected = Number::Integer(expected);
            let probe = DepthProbe { aspect: DepthAspect::Stencil, at: [0, 0], expected };
            super::check(&probe, &image, Tolerance::Absolute([10.0; 4]))
        };
        assert_eq!(check(7), Ok(()));
        let lines = [
            "difference at pixel (0, 0) of the stencil buffer",
            "expected  6 (0b00000110)",
            "actual    7 (0b00000111)",
        ];
        assert_eq!(check(6), Err(Mismatch(lines.map(str::to_owned).to_vec())));
    }

    #[test]
    fn depths_are_compared_within_the_tolerance() {
        check_at([0, 0], 0.5, Ok(()));
        check_at([0, 0], 0.509, Ok(()));
        check_at([1, 0], 1.0, Ok(()));
        let lines = "difference at pixel (1, 0) of the depth buffer\nexpected  0.5\nactual    1.0";
        check_at([1, 0], 0.5, Err(lines));
        check_at([2, 0], 1.0, Err("(2, 0) lies outside of the 2 by 1 pixels"));
    }
}
