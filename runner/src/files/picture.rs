//! Image files: PNG, which is the format of 8-bit goldens and of the images that scripts load. Amber's scripts cannot
//! name any other format.

use std::io::Cursor;

use image::codecs::png::PngDecoder;
use image::{ColorType, ImageDecoder as _, Limits};
use interstage::case::parse::Picture;

/// Maximum bytes of a decoded picture.
const LIMIT: u64 = 256 << 20;

/// The pixels of a file in its own channels. Palettes and channels of fewer than 8 bits are expanded.
#[derive(Debug)]
pub(crate) struct Pixels {
    pub(crate) color: ColorType,
    pub(crate) size: [u32; 2],
    pub(crate) bytes: Vec<u8>,
}

/// Decodes a picture of 8 bits per channel as red, green, blue and alpha; the error says why this fails.
pub fn decode(file: &[u8]) -> Result<Picture, String> {
    let Pixels { color, size, bytes } = pixels(file, LIMIT)?;
    let channels = color.channel_count();
    let bits = 8 * color.bytes_per_pixel() / channels;
    if bits != 8 {
        return Err(format!("cannot decode the PNG file: its channels have {bits} bits"));
    }
    let bytes = match channels {
        1 => bytes.iter().flat_map(|grey| [*grey, *grey, *grey, 255]).collect(),
        2 => bytes.chunks_exact(2).flat_map(|it| [it[0], it[0], it[0], it[1]]).collect(),
        3 => bytes.chunks_exact(3).flat_map(|it| [it[0], it[1], it[2], 255]).collect(),
        _ => bytes,
    };
    Ok(Picture { size, bytes })
}

/// Decodes a file with at most `limit` bytes of pixels; the error says why this fails.
pub(crate) fn pixels(file: &[u8], limit: u64) -> Result<Pixels, String> {
    let cannot = |error: String| format!("cannot decode the PNG file: {error}");
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(limit);
    let decoder = PngDecoder::with_limits(Cursor::new(file), limits);
    let decoder = decoder.map_err(|error| cannot(error.to_string()))?;
    let (color, (width, height)) = (decoder.color_type(), decoder.dimensions());
    let count = usize::try_from(decoder.total_bytes()).ok();
    let count = count.filter(|_| decoder.total_bytes() <= limit);
    let mut bytes = vec![0; count.ok_or_else(|| cannot("it is too large".to_owned()))?];
    decoder.read_image(&mut bytes).map_err(|error| cannot(error.to_string()))?;
    Ok(Pixels { color, size: [width, height], bytes })
}

#[cfg(test)]
mod tests {
    use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};

    use super::*;

    #[track_caller]
    fn check(color: ExtendedColorType, bytes: &[u8], expected: Result<&[u8], &str>) {
        let mut file = Vec::new();
        PngEncoder::new(&mut file).write_image(bytes, 2, 1, color).expect("memory takes it");
        let found = decode(&file).map(|picture| {
            assert_eq!(picture.size, [2, 1]);
            picture.bytes
        });
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn all_channels_of_8_bits_become_red_green_blue_and_alpha() {
        use ExtendedColorType::{L8, L16, La8, Rgb8, Rgba8, Rgba16};
        check(L8, &[1, 2], Ok(&[1, 1, 1, 255, 2, 2, 2, 255]));
        check(La8, &[1, 2, 3, 4], Ok(&[1, 1, 1, 2, 3, 3, 3, 4]));
        check(Rgb8, &[1, 2, 3, 4, 5, 6], Ok(&[1, 2, 3, 255, 4, 5, 6, 255]));
        check(Rgba8, &[1, 2, 3, 4, 5, 6, 7, 8], Ok(&[1, 2, 3, 4, 5, 6, 7, 8]));
        let wide = "cannot decode the PNG file: its channels have 16 bits";
        check(L16, &[0; 4], Err(wide));
        check(Rgba16, &[0; 16], Err(wide));
    }

    #[test]
    fn a_picture_that_would_fill_the_memory_is_refused() {
        let mut file = Vec::new();
        let encoder = PngEncoder::new(&mut file);
        encoder.write_image(&[0; 256], 8, 8, ExtendedColorType::Rgba8).expect("memory takes it");
        assert_eq!(pixels(&file, 256).map(|pixels| pixels.bytes.len()), Ok(256));
        let error = pixels(&file, 255).expect_err("it has one byte more");
        assert!(error.starts_with("cannot decode the PNG file: "), "{error}");
    }
}
