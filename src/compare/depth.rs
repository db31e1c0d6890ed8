//! Probes of the depth buffer.

use super::Mismatch;
use super::probe::texel_bytes;
use super::tolerance::{ChannelRule, Form};
use crate::case::{DepthProbe, Tolerance};
use crate::readback::Image;

/// Checks one probe of a depth buffer, which was read back as an image of one float channel.
pub(super) fn check(
    probe: &DepthProbe,
    image: &Image,
    tolerance: Tolerance,
) -> Result<(), Mismatch> {
    let [x, y] = probe.at;
    let Image { format, width, height, .. } = image;
    if x >= *width || y >= *height {
        let message = format!("({x}, {y}) lies outside of the {width} by {height} pixels");
        return Err(vec![message]);
    }
    let texel = format.decode(texel_bytes(image, x, y, format.bytes_per_texel()));
    let rule = ChannelRule::new(*format, 0, Form::Pixel, probe.expected, tolerance);
    if rule.map_err(|message| vec![message])?.accepts(0, &texel) {
        return Ok(());
    }
    Err(vec![
        format!("difference at pixel ({x}, {y}) of the depth buffer"),
        format!("expected  {:?}", probe.expected.to_f64().unwrap_or(f64::NAN)),
        format!("actual    {:?}", f32::from_bits(texel.bits[0])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Number;
    use crate::format::Format;

    #[track_caller]
    fn check_at(at: [u32; 2], expected: f64, result: Result<(), &str>) {
        let format = Format::from_name("r32float").expect("a known format");
        let bytes = [0.5_f32, 1.0].map(f32::to_le_bytes).as_flattened().to_vec();
        let image = Image { format, width: 2, height: 1, bytes };
        let probe = DepthProbe { at, expected: Number::Real(expected) };
        let found = check(&probe, &image, Tolerance::Absolute([0.01; 4]));
        assert_eq!(found.map_err(|lines| lines.join("\n")), result.map_err(str::to_owned));
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
