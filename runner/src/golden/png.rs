//! Goldens as PNG: one, two or four channels of 8 bits as grey, grey with alpha, or RGBA.

use std::io::Cursor;

use anyhow::Context as _;
use image::{ColorType, DynamicImage, ExtendedColorType, ImageEncoder as _, ImageReader};
use interstage::ir::format::Format;
use interstage::ir::readback::Image;

use crate::golden::layout::{NotGolden, TexelLayout};

/// Encodes an image; the rows keep their order.
pub fn encode(image: &Image, layout: TexelLayout) -> anyhow::Result<Vec<u8>> {
    let color = match layout.channels {
        1 => ExtendedColorType::L8,
        2 => ExtendedColorType::La8,
        _ => ExtendedColorType::Rgba8,
    };
    let mut file = Vec::new();
    image::codecs::png::PngEncoder::new(&mut file)
        .write_image(&reordered(&image.bytes, layout), image.width, image.height, color)
        .context("cannot encode the image as PNG")?;
    Ok(file)
}

/// Decodes an image; the error says why `file` is not one of this format.
pub fn decode(file: &[u8], format: Format, layout: TexelLayout) -> Result<Image, NotGolden> {
    let reader = ImageReader::with_format(Cursor::new(file), image::ImageFormat::Png);
    let decoded = reader
        .decode()
        .map_err(|error| NotGolden(format!("cannot decode the PNG file: {error}")))?;
    let expected = match layout.channels {
        1 => ColorType::L8,
        2 => ColorType::La8,
        _ => ColorType::Rgba8,
    };
    if decoded.color() != expected {
        return Err(NotGolden(format!(
            "the pixels are {:?}, but goldens of format {} have {expected:?}",
            decoded.color(),
            format.name()
        )));
    }
    let (width, height) = (decoded.width(), decoded.height());
    let bytes = reordered(&DynamicImage::into_bytes(decoded), layout);
    Ok(Image::whole(format, width, height, bytes))
}

/// Converts to PNG's channel order, red first.
fn reordered(bytes: &[u8], layout: TexelLayout) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if layout.is_bgra {
        bytes.chunks_exact_mut(4).for_each(|texel| texel.swap(0, 2));
    }
    bytes
}
