//! Pictures that scripts fill images from: PNG files.

use std::io::Cursor;

use interstage::case::parse::Picture;
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

/// Most bytes that a decoded picture may have.
const LIMIT: usize = 256 << 20;

/// Decodes any picture with 8 bits in a channel as red, green, blue and alpha; the error says why that cannot be.
pub fn decode(file: &[u8]) -> Result<Picture, String> {
    let cannot = |error: String| format!("cannot decode the PNG file: {error}");
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: LIMIT });
    decoder.set_transformations(Transformations::EXPAND | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| cannot(error.to_string()))?;
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight {
        return Err(cannot(format!("its channels have {} bits", depth as u8)));
    }
    let size = reader.output_buffer_size().filter(|size| *size <= LIMIT);
    let mut bytes = vec![0; size.ok_or_else(|| cannot("it is too large".to_owned()))?];
    let frame = reader.next_frame(&mut bytes).map_err(|error| cannot(error.to_string()))?;
    if color == ColorType::GrayscaleAlpha {
        let pixels = bytes.chunks_exact(2);
        bytes = pixels.flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect();
    } else if color != ColorType::Rgba {
        return Err(cannot(format!("its pixels are {color:?}")));
    }
    Ok(Picture { size: [frame.width, frame.height], bytes })
}
