//! Goldens as PNG: one, two or four channels of 8 bits as grey, grey with alpha, or RGBA.

use std::io::Cursor;

use anyhow::Context as _;
use interstage::ir::format::Format;
use interstage::ir::readback::Image;
use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};

use crate::golden::layout::{NotGolden, TexelLayout};

/// Most bytes that a decoded image may have: twice those of the largest render target.
const LIMIT: usize = 512 << 20;

/// Encodes an image; the rows keep their order.
pub fn encode(image: &Image, layout: TexelLayout) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, image.width, image.height);
    encoder.set_color(color_type(layout));
    encoder.set_depth(BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&reordered(&image.bytes, layout)))
        .context("cannot encode the image as PNG")?;
    Ok(file)
}

/// Decodes an image; the error says why `file` is not one of this format.
pub fn decode(file: &[u8], format: Format, layout: TexelLayout) -> Result<Image, NotGolden> {
    let cannot = |error: String| NotGolden(format!("cannot decode the PNG file: {error}"));
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: LIMIT });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| cannot(error.to_string()))?;
    let pixels = reader.output_color_type();
    let expected = (color_type(layout), BitDepth::Eight);
    if pixels != expected {
        let describe =
            |(color, depth): (ColorType, BitDepth)| format!("{color:?} of {} bits", depth as u8);
        return Err(NotGolden(format!(
            "the pixels are {}, but goldens of format {} have {}",
            describe(pixels),
            format.name(),
            describe(expected)
        )));
    }
    let size = reader.output_buffer_size().filter(|size| *size <= LIMIT);
    let mut bytes = vec![0; size.ok_or_else(|| cannot("it is too large".to_owned()))?];
    let frame = reader.next_frame(&mut bytes).map_err(|error| cannot(error.to_string()))?;
    Ok(Image::whole(format, frame.width, frame.height, reordered(&bytes, layout)))
}

/// PNG's word for the channels.
const fn color_type(layout: TexelLayout) -> ColorType {
    match layout.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        _ => ColorType::Rgba,
    }
}

/// Converts to PNG's channel order, red first.
fn reordered(bytes: &[u8], layout: TexelLayout) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if layout.is_bgra {
        bytes.chunks_exact_mut(4).for_each(|texel| texel.swap(0, 2));
    }
    bytes
}
