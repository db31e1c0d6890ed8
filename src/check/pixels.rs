//! Pixels of an image: their bytes, and for the pictures of a failure those that are not accepted and those that would
//! be.

use ir::format::{Format, FormatClass, Texel};
use ir::readback::{Area, Image};
use ir::scalar::Number;

/// `length` bytes starting at the texel (x, y); empty if they were not read.
pub(super) fn texel_bytes(image: &Image, x: u32, y: u32, length: usize) -> &[u8] {
    let start = image.offset_of(x, y);
    start.and_then(|start| image.bytes.get(start..)?.get(..length)).unwrap_or(&[])
}

/// For every pixel of `actual`, from the lowest row on, returns the channels that `unaccepted` finds in its texel,
/// as bits; none outside of `area`. `None` if the area is not inside the image.
pub(super) fn channels_of_area(
    actual: &Image,
    area: Area,
    unaccepted: impl Fn(&Texel) -> u8,
) -> Option<Vec<u8>> {
    let size = actual.format.bytes_per_texel();
    let mut found = blank(actual)?;
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            let texel = actual.format.decode(texel_bytes(actual, x, y, size));
            *found.get_mut(index_of(actual, x, y)?)? = unaccepted(&texel);
        }
    }
    Some(found)
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

/// `actual` with the bits of each texel of `area` as `change` leaves them. `None` if it returns `None`, or if the area
/// is not inside the pixels that were read.
pub(super) fn painted(
    actual: &Image,
    area: Area,
    change: impl Fn(&mut [u32; 4]) -> Option<()>,
) -> Option<Image> {
    let format = actual.format;
    let size = format.bytes_per_texel();
    let mut image = actual.clone();
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            let mut bits = format.decode(texel_bytes(actual, x, y, size)).bits;
            change(&mut bits)?;
            let start = actual.offset_of(x, y)?;
            let texel = image.bytes.get_mut(start..)?.get_mut(..size)?;
            texel.copy_from_slice(format.pack(bits).get(..size)?);
        }
    }
    Some(image)
}

/// The bits of a channel that store this number.
pub(super) fn stored(format: Format, channel: usize, number: Number) -> Option<u32> {
    match (format.class(), number) {
        (_, Number::Bits(bits)) => u32::try_from(bits).ok(),
        (FormatClass::Float, number) => Some(format.encode_real(channel, number.to_f64()?)),
        (FormatClass::Sint | FormatClass::Uint, Number::Integer(value)) => {
            Some(format.encode_integer(channel, value))
        }
        (FormatClass::Sint | FormatClass::Uint, Number::Real(_)) => None,
    }
}
