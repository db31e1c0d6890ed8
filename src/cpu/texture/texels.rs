//! The stored texels of a texture, and their conversion to and from the words of registers.

use std::array::from_fn;
use std::ops::Range;

use case::texture::SAMPLES;
use ir::format::{ChannelValue, Format, FormatClass};
use plan::{PlannedTexture, TexelFormat, TextureShape};

/// Bits of 1.0.
const ONE: u32 = 1.0_f32.to_bits();

/// Number of texels above which a table of all values of a byte is worthwhile.
const MANY_TEXELS: usize = 64;

/// A texture with its content.
#[derive(Debug)]
pub(super) struct Image {
    /// Width, height, and depth, layers or samples of the first level.
    pub(super) size: [u32; 3],
    /// Meaning of the third size.
    pub(super) shape: TextureShape,
    /// Texel format. Depths are fixed-point numbers of 16 bits, kept as floats.
    pub(super) format: TexelFormat,
    /// The bytes of every level, layer after layer.
    levels: Vec<Vec<u8>>,
    table: Option<Box<ByteTable>>,
}

/// The words of every value of every byte, for formats with one byte per channel.
#[derive(Debug)]
struct ByteTable {
    /// For each byte of a texel, its channel and the words.
    bytes: Vec<(usize, [u32; 256])>,
    /// The words of channels that the format lacks.
    missing: [u32; 4],
}

impl Image {
    pub(super) fn new(planned: &PlannedTexture) -> Self {
        let mut levels = planned.levels.clone();
        let table = match planned.format {
            TexelFormat::Depth => {
                for level in &mut levels {
                    to_fixed_point(level);
                }
                None
            }
            TexelFormat::Color(format) => {
                let texel = format.bytes_per_texel();
                let is_large = levels.first().is_some_and(|all| all.len() > texel * MANY_TEXELS);
                let mut channels = 0..format.channel_count();
                let has_bytes = channels.all(|channel| format.channel_bits(channel) == 8);
                (is_large && has_bytes).then(|| Box::new(ByteTable::new(format)))
            }
        };
        let [width, height, depth] = planned.size;
        let depth = match planned.shape {
            TextureShape::Multisampled => SAMPLES,
            TextureShape::Flat
            | TextureShape::Line
            | TextureShape::Layered
            | TextureShape::Volume => depth,
        };
        let size = [width, height, depth];
        Self { size, shape: planned.shape, format: planned.format, levels, table }
    }

    /// The bytes of the first level.
    pub(super) fn bytes(&self) -> &[u8] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    /// The bytes of the first level.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.levels.first_mut().map_or(&mut [], Vec::as_mut_slice)
    }

    /// Range of a layer among the bytes of the first level.
    pub(super) fn layer(&self, layer: usize) -> Range<usize> {
        let layers = usize::try_from(self.size[2]).unwrap_or(1).max(1);
        let size = self.bytes().len() / layers;
        let first = layer.saturating_mul(size);
        first..first.saturating_add(size)
    }

    /// Base type of the texels.
    pub(super) const fn class(&self) -> FormatClass {
        match self.format {
            TexelFormat::Color(format) => format.class(),
            TexelFormat::Depth => FormatClass::Float,
        }
    }

    /// Width, height, and depth or layers of a level.
    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        let halved = |side: u32| side.checked_shr(level).unwrap_or(0).max(1);
        let [width, height, depth] = self.size;
        let depth = match self.shape {
            TextureShape::Flat
            | TextureShape::Line
            | TextureShape::Layered
            | TextureShape::Multisampled => depth,
            TextureShape::Volume => halved(depth),
        };
        [halved(width), halved(height), depth]
    }

    /// Words of the texel at x, y and slice or layer; `None` outside the level.
    pub(super) fn read(&self, level: u32, at: [i64; 3]) -> Option<[u32; 4]> {
        let place = self.place(level, at)?;
        let texel = self.format.bytes_per_texel();
        let bytes = self.level(level)?.get(place..)?.get(..texel)?;
        Some(match (self.format, &self.table) {
            (TexelFormat::Depth, _) => {
                let depth = bytes.try_into().map_or(0, u32::from_le_bytes);
                [depth, 0, 0, ONE]
            }
            (TexelFormat::Color(_), Some(table)) => table.read(bytes),
            (TexelFormat::Color(format), None) => words_of(format.decode(bytes).values),
        })
    }

    /// Writes the words of a texel at x, y and slice or layer. Outside the level this has no effect.
    pub(super) fn write(&mut self, level: u32, at: [i64; 3], words: [u32; 4]) {
        let TexelFormat::Color(format) = self.format else { return };
        let Some(place) = self.place(level, at) else { return };
        let bits = from_fn(|channel| encoded(format, channel, words[channel]));
        let bytes = format.pack(bits);
        let all = usize::try_from(level).ok().and_then(|level| self.levels.get_mut(level));
        let to = all.and_then(|all| all.get_mut(place..)?.get_mut(..bytes.len()));
        if let Some(to) = to {
            to.copy_from_slice(&bytes);
        }
    }

    /// The result of a read outside the texture: zero in every channel that the format has.
    pub(super) fn outside(&self) -> [u32; 4] {
        match self.format {
            TexelFormat::Depth => [0, 0, 0, ONE],
            TexelFormat::Color(format) => self.completed(format, [0; 4]),
        }
    }

    /// The border colour as a texel of this texture.
    pub(super) fn border(&self, color: [f64; 4]) -> [u32; 4] {
        match self.format {
            TexelFormat::Depth => [single(color[0].clamp(0.0, 1.0)).to_bits(), 0, 0, ONE],
            TexelFormat::Color(format) => {
                self.completed(format, from_fn(|channel| border_word(format, color[channel])))
            }
        }
    }

    /// Fills the channels that the format lacks with 0, 0, 0, 1.
    fn completed(&self, format: Format, words: [u32; 4]) -> [u32; 4] {
        let one = match self.class() {
            FormatClass::Float => ONE,
            FormatClass::Sint | FormatClass::Uint => 1,
        };
        from_fn(|channel| match channel {
            _ if channel < format.channel_count() => words[channel],
            3 => one,
            _ => 0,
        })
    }

    fn level(&self, level: u32) -> Option<&[u8]> {
        self.levels.get(usize::try_from(level).ok()?).map(Vec::as_slice)
    }

    /// Offset of a texel's first byte.
    fn place(&self, level: u32, at: [i64; 3]) -> Option<usize> {
        let size = self.level_size(level);
        let mut at_sides = [0_usize; 3];
        for (axis, to) in at_sides.iter_mut().enumerate() {
            let at = u32::try_from(at[axis]).ok().filter(|at| *at < size[axis])?;
            *to = usize::try_from(at).ok()?;
        }
        let ([x, y, z], [width, height, _]) = (at_sides, size.map(usize::try_from));
        let row = z.checked_mul(height.ok()?)?.checked_add(y)?;
        let texel = row.checked_mul(width.ok()?)?.checked_add(x)?;
        texel.checked_mul(self.format.bytes_per_texel())
    }

    /// Number of texels of all levels.
    pub(super) fn texels(&self) -> usize {
        let bytes: usize = self.levels.iter().map(Vec::len).sum();
        bytes / self.format.bytes_per_texel().max(1)
    }

    /// Index of a texel among those of all levels.
    pub(super) fn number(&self, level: u32, at: [i64; 3]) -> Option<usize> {
        let own = self.place(level, at)?;
        let before = self.levels.get(..usize::try_from(level).ok()?)?.iter().map(Vec::len);
        Some((before.sum::<usize>() + own) / self.format.bytes_per_texel().max(1))
    }
}

impl ByteTable {
    fn new(format: Format) -> Self {
        let channels = format.channel_count();
        let one_in = |channel: usize| from_fn(|other| u32::from(other == channel));
        let byte = |at: usize| {
            let channel = (0..channels).find(|channel| format.pack(one_in(*channel))[at] == 1);
            let channel = channel.unwrap_or(0);
            let mut texel = vec![0; channels];
            let mut words = [0; 256];
            for (value, word) in (0..=u8::MAX).zip(&mut words) {
                texel[at] = value;
                *word = words_of(format.decode(&texel).values)[channel];
            }
            (channel, words)
        };
        let missing = words_of(format.decode(&[]).values);
        Self { bytes: (0..channels).map(byte).collect(), missing }
    }

    fn read(&self, texel: &[u8]) -> [u32; 4] {
        let mut words = self.missing;
        for ((channel, table), byte) in self.bytes.iter().zip(texel) {
            words[*channel] = table[usize::from(*byte)];
        }
        words
    }
}

fn words_of(values: [ChannelValue; 4]) -> [u32; 4] {
    values.map(|value| match value {
        ChannelValue::Float(value) => value.to_bits(),
        ChannelValue::Sint(value) => value.cast_unsigned(),
        ChannelValue::Uint(value) => value,
    })
}

/// Stored bits of a word. Integers that do not fit are clamped.
fn encoded(format: Format, channel: usize, word: u32) -> u32 {
    match format.class() {
        // Every bit pattern of a float is stored unchanged.
        FormatClass::Float if format.channel_bits(channel) == 32 => word,
        FormatClass::Float => format.encode_real(channel, f64::from(f32::from_bits(word))),
        FormatClass::Sint => format.encode_integer(channel, i128::from(word.cast_signed())),
        FormatClass::Uint => format.encode_integer(channel, i128::from(word)),
    }
}

/// A channel of a border colour, which is clamped to the range of the format but not rounded to its steps.
fn border_word(format: Format, value: f64) -> u32 {
    use ir::format::Encoding;
    match format.encoding() {
        Encoding::Unorm | Encoding::UnormSrgb => single(value.clamp(0.0, 1.0)).to_bits(),
        Encoding::Snorm => single(value.clamp(-1.0, 1.0)).to_bits(),
        Encoding::Float => single(value).to_bits(),
        Encoding::Sint => signed(value).cast_unsigned(),
        Encoding::Uint => unsigned(value),
    }
}

/// Rounds floats to fixed-point depths of 16 bits.
fn to_fixed_point(depths: &mut [u8]) {
    for bytes in depths.as_chunks_mut::<4>().0 {
        let steps = (f64::from(f32::from_le_bytes(*bytes)).clamp(0.0, 1.0) * 65535.0).round();
        let steps = if steps.is_nan() { 0.0 } else { steps };
        *bytes = single(steps / 65535.0).to_le_bytes();
    }
}

/// The nearest single-precision number.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
pub(super) const fn single(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
const fn signed(value: f64) -> i32 {
    value as i32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates"
)]
const fn unsigned(value: f64) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str, size: [u32; 3], bytes: Vec<u8>) -> Image {
        Image::new(&PlannedTexture {
            size,
            shape: TextureShape::Flat,
            format: TexelFormat::Color(Format::from_name(name).expect("the test names a format")),
            levels: vec![bytes],
            is_image: true,
            is_target: false,
        })
    }

    #[test]
    fn every_format_stores_what_it_reads() {
        for format in Format::all() {
            let bytes: Vec<u8> = (1..=16).map(|idx: u8| idx.wrapping_mul(37) % 120).collect();
            let bytes = bytes[..format.bytes_per_texel()].to_vec();
            let mut image = image(format.name(), [1, 1, 1], bytes.clone());
            let words = image.read(0, [0; 3]).expect("the texel exists");
            image.bytes_mut().fill(0);
            image.write(0, [0; 3], words);
            assert_eq!(image.bytes(), bytes, "{}", format.name());
        }
    }

    #[test]
    fn the_table_of_bytes_is_the_formats_decoding() {
        let names = ["r8unorm", "rg8snorm", "rgba8unorm-srgb", "bgra8unorm", "rgba8sint", "r8uint"];
        for name in names {
            let format = Format::from_name(name).expect("the test names a format");
            let table = ByteTable::new(format);
            for byte in 0..=u8::MAX {
                let texel = [byte, byte.wrapping_add(1), 255 - byte, byte ^ 0x55];
                let texel = &texel[..format.bytes_per_texel()];
                assert_eq!(table.read(texel), words_of(format.decode(texel).values), "{name}");
            }
        }
    }

    #[test]
    fn large_images_are_decoded_as_small_ones() {
        for format in Format::all() {
            let texel: Vec<u8> = (1..=16).map(|idx: u8| idx.wrapping_mul(37) % 120).collect();
            let texel = &texel[..format.bytes_per_texel()];
            let large = image(format.name(), [100, 1, 1], texel.repeat(100));
            let small = image(format.name(), [1, 1, 1], texel.to_vec());
            assert_eq!(large.read(0, [99, 0, 0]), small.read(0, [0; 3]), "{}", format.name());
        }
    }

    #[test]
    fn words_are_converted_to_the_format() {
        let mut all = image("rgba8unorm", [2, 1, 1], vec![0; 8]);
        all.write(0, [1, 0, 0], [1.0_f32, 0.5, -3.0, f32::NAN].map(f32::to_bits));
        // 0.5 · 255 is 127.5, and 128 is the nearest step above.
        assert_eq!(all.bytes(), [0, 0, 0, 0, 255, 128, 0, 0]);
        let mut all = image("rg8sint", [1, 1, 1], vec![0; 2]);
        all.write(0, [0; 3], [200, (-5_i32).cast_unsigned(), 0, 0]);
        assert_eq!(all.bytes(), [127, 0xfb]);
        // The values are a signalling NaN and the smallest number.
        let mut all = image("rg32float", [1, 1, 1], vec![0; 8]);
        all.write(0, [0; 3], [0x7fa0_0001, 1, 0, 0]);
        assert_eq!(all.bytes(), [1, 0, 0xa0, 0x7f, 1, 0, 0, 0]);
    }

    #[test]
    fn outside_is_zero_and_alpha_one_where_the_format_has_none() {
        let all = image("rg8unorm", [2, 3, 1], vec![9; 12]);
        for at in [[-1, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [i64::MAX; 3], [i64::MIN; 3]] {
            assert_eq!(all.read(0, at), None, "{at:?}");
        }
        assert_eq!(all.read(1, [1, 0, 0]), None);
        assert_eq!(all.outside(), [0, 0, 0, ONE]);
        assert_eq!(image("rgba8uint", [1, 1, 1], vec![0; 4]).outside(), [0; 4]);
        assert_eq!(image("r32sint", [1, 1, 1], vec![0; 4]).outside(), [0, 0, 0, 1]);
    }

    #[test]
    fn borders_have_the_range_of_the_format() {
        let words = |color: [f32; 4]| color.map(f32::to_bits);
        let border = [2.0, 0.25, -2.0, 0.0];
        let all = image("rgba8unorm", [1, 1, 1], vec![0; 4]);
        assert_eq!(all.border(border), words([1.0, 0.25, 0.0, 0.0]));
        let all = image("rg8snorm", [1, 1, 1], vec![0; 2]);
        assert_eq!(all.border(border), words([1.0, 0.25, 0.0, 1.0]));
        let all = image("r32sint", [1, 1, 1], vec![0; 4]);
        assert_eq!(all.border([-2.0, 5.0, 5.0, 5.0]), [(-2_i32).cast_unsigned(), 0, 0, 1]);
    }

    #[test]
    fn depths_have_sixteen_bits() {
        let depth = PlannedTexture {
            size: [3, 1, 1],
            shape: TextureShape::Flat,
            format: TexelFormat::Depth,
            levels: vec![[0.5_f32, 7.0, f32::NAN].iter().flat_map(|d| d.to_le_bytes()).collect()],
            is_image: false,
            is_target: false,
        };
        let image = Image::new(&depth);
        let read = |x| image.read(0, [x, 0, 0]).map(|words| f32::from_bits(words[0]));
        // 0.5 · 65535 is 32767.5, and rounds up.
        assert_eq!(read(0), Some(single(32768.0 / 65535.0)));
        assert_eq!(read(1), Some(1.0));
        assert_eq!(read(2), Some(0.0));
    }
}
