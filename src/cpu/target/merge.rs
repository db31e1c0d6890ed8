//! Merges outputs into targets: blending, masks and formats.

use case::output::{BlendComponent, BlendEquation, BlendFactor, BufferState};
use ir::format::{ChannelValue, Encoding, Format, FormatClass};

use crate::noise::Noise;
use crate::numbers::{count, index, unsigned};
use crate::target::surface::{MAX_TEXEL_BYTES, Surface, blended_range};

/// A surface that a draw writes.
#[derive(Debug)]
pub(crate) struct Attachment {
    /// The surface.
    pub(crate) surface: Surface,
    state: BufferState,
    constant: [f64; 4],
    is_blended: bool,
    /// Rounding errors of blending and storing.
    noise: Option<Noise>,
    /// Bytes of one texel.
    each: usize,
    /// The byte of each channel, if every channel of the format is a unorm byte.
    bytes: Option<[usize; 4]>,
    /// The last merged texel, because neighbours are often equal.
    last: Option<Merged>,
}

/// The words that a stage outputs for both sources.
pub(crate) type Sources = [[u32; 4]; 2];

type Texel = [u8; MAX_TEXEL_BYTES];

#[derive(Clone, Copy, Debug)]
struct Merged {
    sources: Sources,
    old: Texel,
    new: Texel,
}

impl Attachment {
    /// An attachment with its state and the bits of the blend constant. As in GL, integers are never blended.
    pub(crate) fn new(
        surface: Surface,
        state: BufferState,
        constant: [u32; 4],
        noise: Option<Noise>,
    ) -> Self {
        let is_blended = state.is_blended && surface.format.class() == FormatClass::Float;
        let constant = constant.map(|bits| f64::from(f32::from_bits(bits)));
        let bytes = bytes_of(surface.format).filter(|_| noise.is_none());
        let each = surface.format.bytes_per_texel();
        Self { surface, state, constant, is_blended, noise, each, bytes, last: None }
    }

    /// Writes the outputs of a fragment to the samples of `pixel` in `coverage`. `bytes` are the bytes of the surface.
    pub(crate) fn write(
        &mut self,
        bytes: &mut [u8],
        pixel: usize,
        coverage: u32,
        sources: Sources,
    ) {
        let each = self.each;
        let first = pixel.saturating_mul(index(self.surface.samples));
        for sample in 0..self.surface.samples {
            if coverage >> sample & 1 == 0 {
                continue;
            }
            let start = first.saturating_add(index(sample)).saturating_mul(each);
            let texel = bytes.get_mut(start..).and_then(|rest| rest.get_mut(..each));
            if let Some(texel) = texel {
                self.write_texel(texel, sources, count(start));
            }
        }
    }

    fn write_texel(&mut self, texel: &mut [u8], sources: Sources, salt: u32) {
        let mut old = [0; MAX_TEXEL_BYTES];
        if self.is_blended || self.state.channels != [true; 4] {
            old[..texel.len()].copy_from_slice(texel);
        } else if let Some(places) = self.bytes {
            for (word, place) in sources[0].into_iter().zip(places) {
                if let Some(byte) = texel.get_mut(place) {
                    *byte = nearest_byte(word);
                }
            }
            return;
        }
        let is_known = |last: &Merged| last.sources == sources && last.old == old;
        let known = self.last.filter(|last| self.noise.is_none() && is_known(last));
        let merged = known.unwrap_or_else(|| {
            let bytes = self.merged(&old[..texel.len()], sources, salt);
            let mut new = [0; MAX_TEXEL_BYTES];
            new.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
            Merged { sources, old, new }
        });
        self.last = Some(merged);
        texel.copy_from_slice(&merged.new[..texel.len()]);
    }

    fn merged(&self, old: &[u8], sources: Sources, salt: u32) -> Vec<u8> {
        let format = self.surface.format;
        let kept = format.decode(old);
        let blended = self.is_blended.then(|| self.blended(kept.values, sources));
        let bits = |channel: usize| {
            if !self.state.channels[channel] {
                return kept.bits[channel];
            }
            let plain = f64::from(f32::from_bits(sources[0][channel]));
            let value = blended.map_or(plain, |values| values[channel]);
            if let Some(noise) = self.noise.filter(|_| format.class() == FormatClass::Float) {
                let salt = salt.wrapping_add(count(channel) << 28);
                return if self.is_blended {
                    noise.stored_blend(format, channel, value, salt)
                } else {
                    noise.stored(format, channel, value, salt)
                };
            }
            match blended {
                Some(values) => format.encode_real(channel, values[channel]),
                None => encoded(format, channel, sources[0][channel]),
            }
        };
        format.pack(std::array::from_fn(bits))
    }

    fn blended(&self, old: [ChannelValue; 4], sources: Sources) -> [f64; 4] {
        let range = blended_range(self.surface.format);
        let limited = |value: f64| range.map_or(value, |[least, most]| value.clamp(least, most));
        let real = |bits: u32| limited(f64::from(f32::from_bits(bits)));
        let operands = Operands {
            source: sources[0].map(real),
            second: sources[1].map(real),
            constant: self.constant.map(limited),
            old: old.map(|value| match value {
                ChannelValue::Float(value) => f64::from(value),
                ChannelValue::Sint(value) => f64::from(value),
                ChannelValue::Uint(value) => f64::from(value),
            }),
        };
        std::array::from_fn(|channel| {
            let component = if channel == 3 { self.state.alpha } else { self.state.color };
            operands.blend(component, channel)
        })
    }
}

/// The byte of each channel; for missing channels an index beyond the texel. See [`Attachment::bytes`].
fn bytes_of(format: Format) -> Option<[usize; 4]> {
    let is_byte = |channel: usize| matches!(format.channel_bits(channel), 0 | 8);
    let is_plain = format.encoding() == Encoding::Unorm && (0..4).all(is_byte);
    let place = |channel: usize| {
        let mut bits = [0; 4];
        bits[channel] = 1;
        format.pack(bits).iter().position(|byte| *byte == 1).unwrap_or(MAX_TEXEL_BYTES)
    };
    is_plain.then(|| std::array::from_fn(place))
}

/// The nearest of 255 steps. The product is exact.
fn nearest_byte(word: u32) -> u8 {
    let steps = f64::from(f32::from_bits(word)).clamp(0.0, 1.0) * 255.0;
    u8::try_from(unsigned(steps + 0.5)).unwrap_or(u8::MAX)
}

/// The stored bits of an output. Single-precision floats keep their bits.
fn encoded(format: Format, channel: usize, word: u32) -> u32 {
    let is_single = format.encoding() == Encoding::Float && format.channel_bits(channel) == 32;
    match format.class() {
        FormatClass::Float if is_single => word,
        FormatClass::Float => format.encode_real(channel, f64::from(f32::from_bits(word))),
        FormatClass::Sint => format.encode_integer(channel, i128::from(word.cast_signed())),
        FormatClass::Uint => format.encode_integer(channel, i128::from(word)),
    }
}

/// The operands of blending.
struct Operands {
    source: [f64; 4],
    second: [f64; 4],
    constant: [f64; 4],
    old: [f64; 4],
}

impl Operands {
    fn blend(&self, component: BlendComponent, channel: usize) -> f64 {
        let (source, old) = (self.source[channel], self.old[channel]);
        let product = |value: f64, factor: BlendFactor| value * self.factor(factor, channel);
        let new = || product(source, component.source);
        let kept = || product(old, component.destination);
        match component.equation {
            BlendEquation::Add => new() + kept(),
            BlendEquation::Subtract => new() - kept(),
            BlendEquation::ReverseSubtract => kept() - new(),
            BlendEquation::Min => source.min(old),
            BlendEquation::Max => source.max(old),
        }
    }

    fn factor(&self, factor: BlendFactor, channel: usize) -> f64 {
        match factor {
            BlendFactor::Zero => 0.0,
            BlendFactor::One => 1.0,
            BlendFactor::SrcColor => self.source[channel],
            BlendFactor::OneMinusSrcColor => 1.0 - self.source[channel],
            BlendFactor::DstColor => self.old[channel],
            BlendFactor::OneMinusDstColor => 1.0 - self.old[channel],
            BlendFactor::SrcAlpha => self.source[3],
            BlendFactor::OneMinusSrcAlpha => 1.0 - self.source[3],
            BlendFactor::DstAlpha => self.old[3],
            BlendFactor::OneMinusDstAlpha => 1.0 - self.old[3],
            BlendFactor::SrcAlphaSaturate if channel == 3 => 1.0,
            BlendFactor::SrcAlphaSaturate => self.source[3].min(1.0 - self.old[3]),
            BlendFactor::ConstantColor => self.constant[channel],
            BlendFactor::OneMinusConstantColor => 1.0 - self.constant[channel],
            BlendFactor::Src1Color => self.second[channel],
            BlendFactor::OneMinusSrc1Color => 1.0 - self.second[channel],
            BlendFactor::Src1Alpha => self.second[3],
            BlendFactor::OneMinusSrc1Alpha => 1.0 - self.second[3],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::target::surface::Place;

    use super::*;

    fn attachment(format: &str, state: BufferState) -> Attachment {
        let format = Format::from_name(format).expect("the test names a format");
        let surface = Surface { place: Place::Target(0), format, size: [1, 1], samples: 1 };
        Attachment::new(surface, state, [0.5, 0.25, 0.0, 0.75].map(f32::to_bits), None)
    }

    fn blending(equation: BlendEquation, factors: [BlendFactor; 4]) -> BufferState {
        let [source, destination, alpha_source, alpha_destination] = factors;
        let color = BlendComponent { source, destination, equation };
        let alpha =
            BlendComponent { source: alpha_source, destination: alpha_destination, equation };
        BufferState { is_blended: true, color, alpha, ..BufferState::default() }
    }

    /// Checks the result of blending a fragment with sources (0.5, 1, 0.25, 0.5) and (0.25, 0.5, 1, 0.25) onto (1, 0.5,
    /// 0.5, 0.25).
    #[track_caller]
    fn check(equation: BlendEquation, factors: [BlendFactor; 4], expected: [f32; 4]) {
        let mut attachment = attachment("rgba32float", blending(equation, factors));
        let old = [1.0_f32, 0.5, 0.5, 0.25].map(f32::to_le_bytes);
        let mut bytes = old.as_flattened().to_vec();
        let sources = [[0.5_f32, 1.0, 0.25, 0.5], [0.25, 0.5, 1.0, 0.25]];
        let sources = sources.map(|source| source.map(f32::to_bits));
        attachment.write(&mut bytes, 0, 1, sources);
        let expected = expected.map(f32::to_le_bytes);
        assert_eq!(
            bytes,
            expected.as_flattened(),
            "{:?}",
            bytes
                .chunks(4)
                .map(|chunk| { f32::from_le_bytes(chunk.try_into().expect("four bytes")) })
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn factors_are_gls() {
        use BlendFactor as F;
        let add = BlendEquation::Add;
        let with = |color: F, alpha: F| [color, F::Zero, alpha, F::Zero];
        // The source (0.5, 1, 0.25, 0.5) multiplied by the factor.
        check(add, with(F::Zero, F::One), [0.0, 0.0, 0.0, 0.5]);
        check(add, with(F::SrcColor, F::SrcColor), [0.25, 1.0, 0.0625, 0.25]);
        check(add, with(F::OneMinusSrcColor, F::SrcAlpha), [0.25, 0.0, 0.1875, 0.25]);
        check(add, with(F::DstColor, F::DstColor), [0.5, 0.5, 0.125, 0.125]);
        check(add, with(F::OneMinusDstColor, F::DstAlpha), [0.0, 0.5, 0.125, 0.125]);
        check(add, with(F::OneMinusDstAlpha, F::OneMinusDstAlpha), [0.375, 0.75, 0.1875, 0.375]);
        // min(0.5, 1 − 0.25) = 0.5, and 1 for alpha.
        check(add, with(F::SrcAlphaSaturate, F::SrcAlphaSaturate), [0.25, 0.5, 0.125, 0.5]);
        check(add, with(F::ConstantColor, F::ConstantColor), [0.25, 0.25, 0.0, 0.375]);
        check(add, with(F::OneMinusConstantColor, F::Zero), [0.25, 0.75, 0.25, 0.0]);
        check(add, with(F::Src1Color, F::Src1Color), [0.125, 0.5, 0.25, 0.125]);
        check(add, with(F::OneMinusSrc1Color, F::Src1Alpha), [0.375, 0.5, 0.0, 0.125]);
        check(add, with(F::OneMinusSrc1Alpha, F::OneMinusSrc1Alpha), [0.375, 0.75, 0.1875, 0.375]);
    }

    #[test]
    fn equations_are_gls() {
        use BlendFactor::{One, OneMinusSrcAlpha, SrcAlpha};
        let half = [SrcAlpha, OneMinusSrcAlpha, One, One];
        check(BlendEquation::Add, half, [0.75, 0.75, 0.375, 0.75]);
        check(BlendEquation::Subtract, half, [-0.25, 0.25, -0.125, 0.25]);
        check(BlendEquation::ReverseSubtract, half, [0.25, -0.25, 0.125, -0.25]);
        check(BlendEquation::Min, half, [0.5, 0.5, 0.25, 0.25]);
        check(BlendEquation::Max, half, [1.0, 1.0, 0.5, 0.5]);
    }

    /// The bytes after fragments with these words in all channels are drawn over bytes of 7.
    fn written(format: &str, state: BufferState, words: &[u32]) -> Vec<u8> {
        let mut attachment = attachment(format, state);
        let mut bytes = vec![7; attachment.surface.format.bytes_per_texel()];
        for word in words {
            attachment.write(&mut bytes, 0, 1, [[*word; 4]; 2]);
        }
        bytes
    }

    #[test]
    fn each_format_takes_its_own_numbers() {
        let plain = BufferState::default();
        let half = 0.5_f32.to_bits();
        assert_eq!(written("rg8unorm", plain, &[half]), [128, 128]);
        assert_eq!(written("r8snorm", plain, &[(-1_f32).to_bits()]), [0x81]);
        assert_eq!(written("r16float", plain, &[half]), 0x3800_u16.to_le_bytes());
        assert_eq!(written("r8uint", plain, &[300]), [255]);
        assert_eq!(written("r8sint", plain, &[(-3_i32).cast_unsigned()]), [0xfd]);
        // A signalling NaN keeps its bits.
        assert_eq!(written("r32float", plain, &[0x7f80_0001]), 0x7f80_0001_u32.to_le_bytes());
    }

    #[test]
    fn masks_keep_channels_and_integers_are_not_blended() {
        let masked = BufferState { channels: [false, true, false, true], ..BufferState::default() };
        assert_eq!(written("rgba8unorm", masked, &[1_f32.to_bits()]), [7, 255, 7, 255]);
        let half = [BlendFactor::Zero, BlendFactor::One, BlendFactor::Zero, BlendFactor::One];
        let kept = blending(BlendEquation::Add, half);
        assert_eq!(written("rg8unorm", kept, &[1_f32.to_bits()]), [7, 7]);
        assert_eq!(written("rg8uint", kept, &[9]), [9, 9]);
    }

    #[test]
    fn sources_of_normalised_formats_are_limited_before_they_are_blended() {
        // 2 counts as 1, and half of that is added to 7/255: 127.5 + 7 = 134.5, rounded up.
        let factors =
            [BlendFactor::ConstantColor, BlendFactor::One, BlendFactor::One, BlendFactor::One];
        let state = blending(BlendEquation::Add, factors);
        assert_eq!(written("r8unorm", state, &[2_f32.to_bits()]), [135]);
    }

    #[test]
    fn the_short_way_to_bytes_agrees_with_the_long_one() {
        let format = Format::RGBA8_UNORM;
        let specials = [f32::NAN, f32::INFINITY, -1.0, -0.0, 2.0, 0.5, 1.0 / 510.0, 3.0 / 510.0];
        let steps = (0_u16..2048).map(|step| f32::from(step) / 2040.0);
        for value in specials.into_iter().chain(steps) {
            let long = format.encode_real(0, f64::from(value));
            assert_eq!(u32::from(nearest_byte(value.to_bits())), long, "{value}");
        }
        let places = |name: &str| bytes_of(Format::from_name(name).expect("there is one"));
        assert_eq!(places("bgra8unorm"), Some([2, 1, 0, 3]));
        assert_eq!(places("rg8unorm"), Some([0, 1, MAX_TEXEL_BYTES, MAX_TEXEL_BYTES]));
        for other in ["rgba8unorm-srgb", "r8snorm", "rgb10a2unorm", "r16unorm", "rgba8uint"] {
            assert_eq!(places(other), None);
        }
    }

    #[test]
    fn equal_fragments_add_up() {
        let state = blending(BlendEquation::Add, [BlendFactor::One; 4]);
        let third = (50.0_f32 / 255.0).to_bits();
        assert_eq!(written("r8unorm", state, &[third; 3]), [157]);
    }
}
