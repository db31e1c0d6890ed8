//! Goldens as PNG: one, two or four channels of 8 bits as grey, grey with alpha, or RGBA.

use anyhow::Context as _;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ColorType, ImageEncoder as _};
use interstage::ir::format::Format;
use interstage::ir::readback::Image;

use crate::files::golden::layout::{NotGolden, TexelLayout};
use crate::files::picture::{self, Pixels};

/// Maximum bytes of a decoded image: twice those of the largest render target.
const LIMIT: u64 = 512 << 20;

/// Encodes an image; the rows keep their order.
pub fn encode(image: &Image, layout: TexelLayout) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    // Explicit settings, because the crate's defaults may change, and with them the bytes of goldens.
    let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
    let encoder = PngEncoder::new_with_quality(&mut file, compression, filter);
    let bytes = reordered(&image.bytes, layout);
    encoder
        .write_image(&bytes, image.width, image.height, color_type(layout).into())
        .context("cannot encode the image as PNG")?;
    Ok(file)
}

/// Decodes an image; the error says why `file` is not an image of this format.
pub fn decode(file: &[u8], format: Format, layout: TexelLayout) -> Result<Image, NotGolden> {
    let Pixels { color, size: [width, height], bytes } =
        picture::pixels(file, LIMIT).map_err(NotGolden)?;
    let expected = color_type(layout);
    if color != expected {
        return Err(NotGolden(format!(
            "the pixels are {color:?}, but goldens of format {} have {expected:?}",
            format.name(),
        )));
    }
    Ok(Image::whole(format, width, height, reordered(&bytes, layout)))
}

/// The crate's name for the channels.
const fn color_type(layout: TexelLayout) -> ColorType {
    match layout.channels {
        1 => ColorType::L8,
        2 => ColorType::La8,
        _ => ColorType::Rgba8,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with slopes, edges and noise, so that different rows are best compressed by different filters.
    fn picture(channels: usize) -> Vec<u8> {
        let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
        let mut byte = |idx: usize| {
            let (x, y) = (idx / channels % 64, idx / channels / 64);
            match (x, y % 3) {
                (..20, _) => (idx * 7 % 251) as u64,
                (_, 0) => {
                    noise ^= noise << 13;
                    noise ^= noise >> 7;
                    noise ^= noise << 17;
                    noise
                }
                (_, _) => (y * 3) as u64,
            }
        };
        (0..64 * 48 * channels).map(|idx| byte(idx).to_le_bytes()[0]).collect()
    }

    /// FNV-1a of 64 bits.
    fn digest_of(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// A golden that is blessed again keeps its bytes. The lengths and digests are those of the files that the crate
    /// `png` 0.18 writes for these pictures.
    #[test]
    fn files_keep_their_bytes() {
        for (format, channels, length, digest) in [
            ("r8unorm", 1, 1167, 0x57c3_fcf2_52aa_b79f),
            ("rg8unorm", 2, 1993, 0xa9b1_fcd4_8b1a_e1e0),
            ("rgba8unorm", 4, 3584, 0x5bcc_3e0b_9bb7_59a9),
        ] {
            let format = Format::from_name(format).expect("the test names one");
            let layout = TexelLayout::of(format).expect("it has goldens");
            let image = Image::whole(format, 64, 48, picture(channels));
            let file = encode(&image, layout).expect("memory takes it");
            assert_eq!((file.len(), digest_of(&file)), (length, digest), "{channels}");
            assert_eq!(decode(&file, format, layout), Ok(image));
        }
    }

    #[test]
    fn files_of_other_channels_and_damaged_ones_are_refused() {
        let [one, four] = ["r8unorm", "rgba8unorm"].map(|name| Format::from_name(name).unwrap());
        let [layout, other] = [one, four].map(|format| TexelLayout::of(format).unwrap());
        let file = encode(&Image::whole(one, 64, 48, picture(1)), layout).unwrap();
        assert_eq!(
            decode(&file, four, other).unwrap_err().0,
            "the pixels are L8, but goldens of format rgba8unorm have Rgba8"
        );
        for length in [0, 8, 20, file.len() / 2, file.len() - 20] {
            let error = decode(&file[..length], one, layout).unwrap_err().0;
            assert!(error.starts_with("cannot decode the PNG file: "), "{length}: {error}");
        }
    }
}
