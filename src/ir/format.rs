//! Pixel formats of render targets, by wgpu's names, with conversion between their bytes and values.
//!
//! A *texel* is the bytes of one pixel; a *channel* is one of r, g, b, a in it. Formats are little-endian. Channels
//! that a format lacks read as 0, 0, 0, 1, as in GL and WebGPU.

mod encoding;
mod small_float;

/// A colour format that can be a render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    name: &'static str,
    encoding: Encoding,
    /// Bits per channel, in the order r, g, b, a.
    bits: &'static [u8],
    order: ChannelOrder,
}

/// Base type of a format: the type of the shader's output and of probed values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FormatClass {
    /// Float, unorm and snorm formats: the shader outputs floats.
    #[default]
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
}

/// Format of the texels of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelFormat {
    /// A colour format.
    Color(Format),
    /// Depths, kept as 32-bit floats.
    Depth,
}

impl TexelFormat {
    /// Bytes of one texel.
    pub fn bytes_per_texel(self) -> usize {
        match self {
            Self::Color(format) => format.bytes_per_texel(),
            Self::Depth => 4,
        }
    }
}

/// Numeric encoding of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Unsigned normalized: 0 to the largest integer maps to 0 to 1.
    Unorm,
    /// Like [`Self::Unorm`] with the sRGB transfer function; alpha is plain unorm.
    UnormSrgb,
    /// Signed normalized: minus the largest to the largest signed integer maps to −1 to 1.
    Snorm,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// IEEE 754 single or half floats; 11- and 10-bit floats have no sign.
    Float,
}

/// Order of the channels, from the lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ChannelOrder {
    Rgba,
    Bgra,
}

/// One decoded pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texel {
    /// r, g, b, a.
    pub values: [ChannelValue; 4],
    /// The stored bits, in the low bits of each word; 0 for a channel that the format lacks.
    pub bits: [u32; 4],
}

/// Value of one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChannelValue {
    /// Value in a format of [`FormatClass::Float`]; sRGB channels are already linear.
    Float(f32),
    /// Value in a format of [`FormatClass::Sint`].
    Sint(i32),
    /// Value in a format of [`FormatClass::Uint`].
    Uint(u32),
}

/// All formats, in wgpu's order.
#[rustfmt::skip]
const ALL: [Format; 42] = {
    use Encoding::{Float, Sint, Snorm, Uint, Unorm, UnormSrgb};
    [
        rgba("r8unorm", Unorm, &[8]),
        rgba("r8snorm", Snorm, &[8]),
        Format::R8_UINT,
        rgba("r8sint", Sint, &[8]),
        rgba("r16uint", Uint, &[16]),
        rgba("r16sint", Sint, &[16]),
        rgba("r16unorm", Unorm, &[16]),
        rgba("r16snorm", Snorm, &[16]),
        rgba("r16float", Float, &[16]),
        rgba("rg8unorm", Unorm, &[8, 8]),
        rgba("rg8snorm", Snorm, &[8, 8]),
        rgba("rg8uint", Uint, &[8, 8]),
        rgba("rg8sint", Sint, &[8, 8]),
        rgba("r32uint", Uint, &[32]),
        rgba("r32sint", Sint, &[32]),
        Format::R32_FLOAT,
        rgba("rg16uint", Uint, &[16, 16]),
        rgba("rg16sint", Sint, &[16, 16]),
        rgba("rg16unorm", Unorm, &[16, 16]),
        rgba("rg16snorm", Snorm, &[16, 16]),
        rgba("rg16float", Float, &[16, 16]),
        Format::RGBA8_UNORM,
        rgba("rgba8unorm-srgb", UnormSrgb, &[8, 8, 8, 8]),
        rgba("rgba8snorm", Snorm, &[8, 8, 8, 8]),
        rgba("rgba8uint", Uint, &[8, 8, 8, 8]),
        rgba("rgba8sint", Sint, &[8, 8, 8, 8]),
        bgra("bgra8unorm", Unorm, &[8, 8, 8, 8]),
        bgra("bgra8unorm-srgb", UnormSrgb, &[8, 8, 8, 8]),
        rgba("rgb10a2uint", Uint, &[10, 10, 10, 2]),
        rgba("rgb10a2unorm", Unorm, &[10, 10, 10, 2]),
        rgba("rg11b10ufloat", Float, &[11, 11, 10]),
        rgba("rg32uint", Uint, &[32, 32]),
        rgba("rg32sint", Sint, &[32, 32]),
        rgba("rg32float", Float, &[32, 32]),
        rgba("rgba16uint", Uint, &[16, 16, 16, 16]),
        rgba("rgba16sint", Sint, &[16, 16, 16, 16]),
        rgba("rgba16unorm", Unorm, &[16, 16, 16, 16]),
        rgba("rgba16snorm", Snorm, &[16, 16, 16, 16]),
        rgba("rgba16float", Float, &[16, 16, 16, 16]),
        rgba("rgba32uint", Uint, &[32, 32, 32, 32]),
        rgba("rgba32sint", Sint, &[32, 32, 32, 32]),
        rgba("rgba32float", Float, &[32, 32, 32, 32]),
    ]
};

const fn rgba(name: &'static str, encoding: Encoding, bits: &'static [u8]) -> Format {
    Format { name, encoding, bits, order: ChannelOrder::Rgba }
}

const fn bgra(name: &'static str, encoding: Encoding, bits: &'static [u8]) -> Format {
    Format { name, encoding, bits, order: ChannelOrder::Bgra }
}

impl Format {
    /// Default format of render targets.
    pub const RGBA8_UNORM: Self = rgba("rgba8unorm", Encoding::Unorm, &[8, 8, 8, 8]);

    /// Format of stencil values when read back: one byte.
    pub const R8_UINT: Self = rgba("r8uint", Encoding::Uint, &[8]);

    /// Format of depth values when read back: one float.
    pub const R32_FLOAT: Self = rgba("r32float", Encoding::Float, &[32]);

    /// All formats, in wgpu's order.
    pub const fn all() -> &'static [Self] {
        &ALL
    }

    /// The format called `name`, such as `rgba32uint`.
    pub fn from_name(name: &str) -> Option<Self> {
        ALL.iter().find(|format| format.name == name).copied()
    }

    /// wgpu's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Base type of the fragment output.
    pub const fn class(self) -> FormatClass {
        match self.encoding {
            Encoding::Unorm | Encoding::UnormSrgb | Encoding::Snorm | Encoding::Float => {
                FormatClass::Float
            }
            Encoding::Sint => FormatClass::Sint,
            Encoding::Uint => FormatClass::Uint,
        }
    }

    /// Numeric encoding of the channels.
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Number of channels, 1 to 4.
    pub const fn channel_count(self) -> usize {
        self.bits.len()
    }

    /// Bits of channel `channel` (0 is r); 0 if the format lacks it.
    pub fn channel_bits(self, channel: usize) -> u32 {
        self.bits.get(channel).map_or(0, |bits| u32::from(*bits))
    }

    /// Bytes of one texel.
    pub fn bytes_per_texel(self) -> usize {
        self.bits.iter().map(|bits| usize::from(*bits)).sum::<usize>() / 8
    }

    /// True for a unorm format of at most 8 bits per channel: piglit compares regions of these formats as bytes.
    pub fn is_at_most_8_bit_unorm(self) -> bool {
        self.encoding == Encoding::Unorm && self.bits.iter().all(|bits| *bits <= 8)
    }

    /// Decodes the bytes of one texel. Missing bytes count as zero.
    pub fn decode(self, bytes: &[u8]) -> Texel {
        let packed = little_endian(bytes, self.bytes_per_texel());
        let mut texel = Texel { values: self.missing_channels(), bits: [0; 4] };
        let mut shift = 0;
        for channel in self.storage_order() {
            let width = self.channel_bits(channel);
            let bits = low_bits(packed >> shift, width);
            texel.bits[channel] = bits;
            texel.values[channel] = encoding::decode(self.channel_encoding(channel), width, bits);
            shift += width;
        }
        texel
    }

    /// The bytes of the texel whose channels are stored as `bits` (r, g, b, a in the low bits).
    pub fn pack(self, bits: [u32; 4]) -> Vec<u8> {
        let mut packed = 0_u128;
        let mut shift = 0;
        for channel in self.storage_order() {
            let width = self.channel_bits(channel);
            packed |= u128::from(low_bits(u128::from(bits[channel]), width)) << shift;
            shift += width;
        }
        packed.to_le_bytes()[..self.bytes_per_texel()].to_vec()
    }

    /// Stored bits of the real number `value` in channel `channel`: rounded to the nearest value of the format (ties
    /// to even for floats) and clamped to its range. Integer formats truncate.
    pub fn encode_real(self, channel: usize, value: f64) -> u32 {
        let width = self.channel_bits(channel);
        if width == 0 {
            return 0;
        }
        encoding::encode_real(self.channel_encoding(channel), width, value)
    }

    /// Stored bits of the integer `value` in channel `channel`. For a float format `value` is the number, not a bit
    /// pattern. Integers outside of the channel's range are clamped.
    pub fn encode_integer(self, channel: usize, value: i128) -> u32 {
        let width = self.channel_bits(channel);
        if width == 0 {
            return 0;
        }
        encoding::encode_integer(self.channel_encoding(channel), width, value)
    }

    /// Distance of two stored values of channel `channel` in units in the last place: 1 for neighbours. `None` if
    /// either is NaN.
    pub fn ulp_distance(self, channel: usize, left: u32, right: u32) -> Option<u32> {
        let width = self.channel_bits(channel);
        let encoding = self.channel_encoding(channel);
        let left = encoding::ordinal(encoding, width, left)?;
        let right = encoding::ordinal(encoding, width, right)?;
        u32::try_from(left.abs_diff(right)).ok()
    }

    /// Channels in memory order, from the lowest bit up.
    fn storage_order(self) -> impl Iterator<Item = usize> {
        let order = match self.order {
            ChannelOrder::Rgba => [0, 1, 2, 3],
            ChannelOrder::Bgra => [2, 1, 0, 3],
        };
        order.into_iter().take(self.bits.len())
    }

    fn channel_encoding(self, channel: usize) -> Encoding {
        if self.encoding == Encoding::UnormSrgb && channel == 3 {
            return Encoding::Unorm;
        }
        self.encoding
    }

    const fn missing_channels(self) -> [ChannelValue; 4] {
        match self.class() {
            FormatClass::Float => {
                let zero = ChannelValue::Float(0.0);
                [zero, zero, zero, ChannelValue::Float(1.0)]
            }
            FormatClass::Sint => {
                let zero = ChannelValue::Sint(0);
                [zero, zero, zero, ChannelValue::Sint(1)]
            }
            FormatClass::Uint => {
                let zero = ChannelValue::Uint(0);
                [zero, zero, zero, ChannelValue::Uint(1)]
            }
        }
    }
}

fn little_endian(bytes: &[u8], count: usize) -> u128 {
    bytes.iter().take(count).rev().fold(0, |packed, byte| (packed << 8) | u128::from(*byte))
}

/// The lowest `width` (at most 32) bits.
#[expect(clippy::cast_possible_truncation, reason = "the mask leaves at most 32 bits")]
const fn low_bits(packed: u128, width: u32) -> u32 {
    (packed & ((1 << width) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, bytes: &[u8], expected: [f32; 4]) {
        let format = Format::from_name(name).expect("the test names a format");
        let values = format.decode(bytes).values;
        assert_eq!(values, expected.map(ChannelValue::Float), "{name}");
    }

    #[test]
    fn every_name_is_found_once() {
        for format in Format::all() {
            assert_eq!(Format::from_name(format.name()), Some(*format));
        }
    }

    #[test]
    fn texels_are_whole_bytes_of_wgpus_sizes() {
        let sizes = [("r8unorm", 1), ("rgb10a2uint", 4), ("rg11b10ufloat", 4), ("rgba32float", 16)];
        for (name, size) in sizes {
            let format = Format::from_name(name).expect("the test names a format");
            assert_eq!(format.bytes_per_texel(), size, "{name}");
        }
    }

    #[test]
    fn channels_that_a_format_lacks_read_as_0_0_0_1() {
        check("r8unorm", &[255], [1.0, 0.0, 0.0, 1.0]);
        let uint = Format::from_name("rg8uint").expect("there is such a format");
        let [_, _, blue, alpha] = uint.decode(&[7, 8]).values;
        assert_eq!((blue, alpha), (ChannelValue::Uint(0), ChannelValue::Uint(1)));
    }

    #[test]
    fn bgra_has_blue_in_its_first_byte() {
        check("bgra8unorm", &[255, 0, 0, 255], [0.0, 0.0, 1.0, 1.0]);
        let format = Format::from_name("bgra8unorm").expect("there is such a format");
        assert_eq!(format.pack([1, 2, 3, 4]), [3, 2, 1, 4]);
    }

    #[test]
    fn packed_formats_start_at_the_lowest_bit() {
        // 1023 in r, 0 in g, 0 in b, 3 in a.
        check("rgb10a2unorm", &0xc000_03ff_u32.to_le_bytes(), [1.0, 0.0, 0.0, 1.0]);
        // 1.0 is exponent 15: 15 << 6 in 11 bits, 15 << 5 in 10 bits.
        let packed = (15_u32 << 6) | ((15 << 6) << 11) | ((15 << 5) << 22);
        check("rg11b10ufloat", &packed.to_le_bytes(), [1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn packing_is_the_inverse_of_decoding() {
        for format in Format::all() {
            let bytes: Vec<u8> = (1..=format.bytes_per_texel())
                .map(|idx| u8::try_from(idx * 37 % 251).expect("less than 251"))
                .collect();
            assert_eq!(format.pack(format.decode(&bytes).bits), bytes, "{}", format.name());
        }
    }

    #[test]
    fn every_value_of_a_channel_is_encoded_as_itself() {
        for name in ["r8unorm", "r8snorm", "r16unorm", "r16snorm", "r16float", "rgba8unorm-srgb"] {
            let format = Format::from_name(name).expect("there is such a format");
            for bits in 0..1 << format.channel_bits(0) {
                let ChannelValue::Float(value) =
                    format.decode(&format.pack([bits, 0, 0, 0])).values[0]
                else {
                    panic!("a float format gives floats");
                };
                let encoded = format.encode_real(0, f64::from(value));
                // The least signed integer also means −1, and is encoded as its neighbour.
                let is_same = format.ulp_distance(0, encoded, bits) == Some(0);
                assert!(value.is_nan() || is_same, "{name}: {bits:#x} became {encoded:#x}");
            }
        }
    }

    #[test]
    fn srgb_bends_colour_but_not_alpha() {
        // 128/255 is 0.50196; the sRGB curve maps it to 0.2158605.
        let format = Format::from_name("rgba8unorm-srgb").expect("there is such a format");
        let texel = format.decode(&[128, 0, 255, 128]);
        let [ChannelValue::Float(red), _, blue, alpha] = texel.values else {
            panic!("a float format gives floats");
        };
        assert!((red - 0.215_860_5).abs() < 1e-6);
        assert_eq!(blue, ChannelValue::Float(1.0));
        assert_eq!(alpha, ChannelValue::Float(128.0 / 255.0));
        assert_eq!(format.encode_real(0, 0.215_860_5), 128);
    }
}
