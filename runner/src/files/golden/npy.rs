//! Goldens as arrays for `NumPy`, format version 1.0: a text header, then the numbers, little-endian.
//!
//! The array has the shape (height, width, channels), so `numpy.load(path)[row, column]` is a texel. See
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use interstage::ir::format::Format;
use interstage::ir::readback::Image;

use crate::files::golden::layout::{NotGolden, TexelLayout};

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Alignment of the data in the file, in bytes.
const ALIGNMENT: usize = 64;

/// Encodes an image; the rows keep their order.
pub fn encode(image: &Image, layout: TexelLayout) -> Vec<u8> {
    let mut header = header(layout, image.width, image.height);
    let prefix = MAGIC.len() + 2;
    let unpadded = prefix + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a header has three short entries");
    [MAGIC, &length.to_le_bytes(), header.as_bytes(), &image.bytes].concat()
}

/// Decodes an image; the error says why `file` is not an image of this format.
pub fn decode(file: &[u8], format: Format, layout: TexelLayout) -> Result<Image, NotGolden> {
    let wrong = || NotGolden("the file is not a NumPy file of version 1.0".to_owned());
    let rest = file.strip_prefix(MAGIC).ok_or_else(wrong)?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(wrong)?;
    let (found, bytes) =
        rest.split_at_checked(u16::from_le_bytes(*length).into()).ok_or_else(wrong)?;
    let found = String::from_utf8_lossy(found);
    let [height, width] = shape(&found).ok_or_else(wrong)?;
    let expected = header(layout, width, height);
    if found.trim_end() != expected {
        return Err(NotGolden(format!("the header is {}, expected {expected}", found.trim_end())));
    }
    if layout.size_of(width, height) != Some(bytes.len()) {
        return Err(NotGolden(format!(
            "the {} bytes of data do not match the shape in the header",
            bytes.len()
        )));
    }
    Ok(Image::whole(format, width, height, bytes.to_vec()))
}

fn header(layout: TexelLayout, width: u32, height: u32) -> String {
    let TexelLayout { channels, channel_bytes, kind, .. } = layout;
    let order = if channel_bytes == 1 { '|' } else { '<' };
    format!(
        "{{'descr': '{order}{kind}{channel_bytes}', 'fortran_order': False, 'shape': ({height}, {width}, {channels}), }}"
    )
}

/// Returns the first two numbers after `'shape': (`: height and width.
fn shape(header: &str) -> Option<[u32; 2]> {
    let (_, shape) = header.split_once("'shape': (")?;
    let mut numbers = shape.split(", ");
    let height = numbers.next()?.parse().ok()?;
    let width = numbers.next()?.parse().ok()?;
    Some([height, width])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::golden::layout::Container;

    const LAYOUT: TexelLayout = TexelLayout {
        channels: 2,
        channel_bytes: 2,
        kind: 'f',
        is_bgra: false,
        container: Container::Npy,
    };

    fn image() -> Image {
        Image::whole(Format::RGBA8_UNORM, 3, 2, (0..24).collect())
    }

    #[test]
    fn the_header_is_what_numpy_writes() {
        let file = encode(&image(), LAYOUT);
        let text = String::from_utf8_lossy(&file[10..128]);
        assert_eq!(file.len(), 128 + 24);
        assert_eq!(
            text.trim_end(),
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 2), }"
        );
    }

    #[test]
    fn damaged_files_are_refused() {
        let file = encode(&image(), LAYOUT);
        let decode = |file: &[u8]| decode(file, Format::RGBA8_UNORM, LAYOUT);
        assert_eq!(decode(&file), Ok(image()));
        for length in 0..file.len() {
            assert!(decode(&file[..length]).is_err(), "{length}");
        }
        let other = TexelLayout { kind: 'u', ..LAYOUT };
        assert!(
            decode(&encode(&image(), other)).unwrap_err().0.contains("expected {'descr': '<f2'")
        );
    }
}
