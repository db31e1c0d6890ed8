//! Surfaces for colours: render targets, and textures that are drawn to.

use case::{Case, RenderTarget};
use ir::format::{ChannelValue, Encoding, Format, FormatClass};
use ir::scalar::Number;
use plan::{ExecuteError, TextureLayer};

use crate::errors::lacking;
use crate::noise::Noise;
use crate::numbers::{count, index, narrow, signed, unsigned};

/// Maximum bytes of a texel.
pub(crate) const MAX_TEXEL_BYTES: usize = 16;

/// Location of a surface's texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Index into the targets of the case.
    Target(usize),
    /// A layer of a texture.
    Texture(TextureLayer),
}

/// A surface that is drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    /// Location of the texels.
    pub(crate) place: Place,
    /// Format of the texels.
    pub(crate) format: Format,
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Samples per pixel.
    pub(crate) samples: u32,
}

/// A render target of the case.
#[derive(Debug)]
pub(crate) struct Target {
    /// Index of the target among the render targets.
    pub(crate) index: u32,
    format: Format,
    size: [u32; 2],
    samples: u32,
    /// Texels, pixel by pixel, and sample by sample within pixels.
    pub(crate) bytes: Vec<u8>,
}

/// Subtracts the bytes of `texels` texels from the remaining ones.
///
/// # Errors
/// Fewer bytes remain.
pub(crate) fn take(
    left: &mut usize,
    texels: Option<usize>,
    each: usize,
) -> Result<usize, ExecuteError> {
    let bytes = texels.and_then(|texels| texels.checked_mul(each));
    let rest = bytes.and_then(|bytes| left.checked_sub(bytes));
    *left = rest.ok_or_else(|| lacking("room for targets of this size"))?;
    Ok(bytes.unwrap_or(0))
}

/// Number of samples in all pixels.
pub(crate) fn sample_count(case: &Case) -> Option<usize> {
    let [width, height] = case.size.map(index);
    width.checked_mul(height)?.checked_mul(index(case.samples))
}

impl Target {
    /// Makes a render target with its initial values.
    pub(crate) fn new(
        case: &Case,
        target: &RenderTarget,
        left: &mut usize,
    ) -> Result<Self, ExecuteError> {
        let format = target.format;
        let texels = sample_count(case);
        take(left, texels, format.bytes_per_texel())?;
        let values = target.clear.as_deref().unwrap_or(&[]);
        let texel = format.pack(stored_channels(format, values));
        let bytes = texel.repeat(texels.unwrap_or(0));
        Ok(Self { index: target.index, format, size: case.size, samples: case.samples, bytes })
    }

    /// The target as a surface; `place` is its index among the targets.
    pub(crate) const fn surface(&self, place: usize) -> Surface {
        let Self { format, size, samples, .. } = *self;
        Surface { place: Place::Target(place), format, size, samples }
    }
}

impl Surface {
    /// Writes `values`, as numbers of the format, to these channels of all texels.
    pub(crate) fn fill(
        &self,
        texels: &mut [u8],
        values: [f64; 4],
        channels: [bool; 4],
        noise: Option<Noise>,
    ) {
        let format = self.format;
        let new: [u32; 4] =
            std::array::from_fn(|channel| clear_bits(format, channel, values[channel], noise));
        let texel = format.pack(new);
        for bytes in texels.chunks_exact_mut(texel.len().max(1)) {
            if channels == [true; 4] {
                bytes.copy_from_slice(&texel);
                continue;
            }
            let old = format.decode(bytes).bits;
            let bits = |channel: usize| if channels[channel] { new[channel] } else { old[channel] };
            bytes.copy_from_slice(&format.pack(std::array::from_fn(bits)));
        }
    }

    /// The texel of one sample, or the resolved one: the mean of floats, and the first sample of integers, which have
    /// no mean.
    pub(crate) fn texel(
        &self,
        bytes: &[u8],
        pixel: usize,
        sample: Option<u32>,
        noise: Option<Noise>,
    ) -> Vec<u8> {
        let each = self.format.bytes_per_texel();
        let samples = index(self.samples);
        let of = |sample: usize| {
            let start = pixel.saturating_mul(samples).saturating_add(sample).saturating_mul(each);
            bytes.get(start..).and_then(|rest| rest.get(..each)).unwrap_or(&[])
        };
        if let Some(sample) = sample {
            return of(index(sample)).to_vec();
        }
        let is_float = self.format.class() == FormatClass::Float;
        let is_same = (1..samples).all(|sample| of(sample) == of(0));
        if !is_float || is_same {
            return of(0).to_vec();
        }
        let texels: Vec<_> = (0..samples).map(|sample| self.format.decode(of(sample))).collect();
        let mean = |channel: usize| {
            let values = texels.iter().map(|texel| match texel.values[channel] {
                ChannelValue::Float(value) => f64::from(value),
                ChannelValue::Sint(value) => f64::from(value),
                ChannelValue::Uint(value) => f64::from(value),
            });
            let mean = values.sum::<f64>() / f64::from(self.samples);
            stored(self.format, channel, mean, noise)
        };
        self.format.pack(std::array::from_fn(mean))
    }
}

/// Stored bits of a real value.
fn stored(format: Format, channel: usize, value: f64, noise: Option<Noise>) -> u32 {
    match noise {
        Some(noise) => noise.stored(format, channel, value, count(channel)),
        None => format.encode_real(channel, value),
    }
}

/// Stored bits of a clear value, which is first rounded to the numeric type of a stage's output.
fn clear_bits(format: Format, channel: usize, value: f64, noise: Option<Noise>) -> u32 {
    match format.class() {
        FormatClass::Float => stored(format, channel, f64::from(narrow(value)), noise),
        FormatClass::Sint => format.encode_integer(channel, i128::from(signed(value))),
        FormatClass::Uint => format.encode_integer(channel, i128::from(unsigned(value))),
    }
}

/// The stored bits of a texel whose channels were written as `values`; channels without a value are zero.
fn stored_channels(format: Format, values: &[Number]) -> [u32; 4] {
    let mut bits = [0; 4];
    for (channel, (place, value)) in bits.iter_mut().zip(values).enumerate() {
        *place = match value {
            Number::Integer(value) => format.encode_integer(channel, *value),
            Number::Real(value) => format.encode_real(channel, *value),
            Number::Bits(bits) => u32::try_from(*bits).unwrap_or(u32::MAX),
        };
    }
    bits
}

/// Range of a format's values before they are blended; `None` if it has no limits.
pub(crate) const fn blended_range(format: Format) -> Option<[f64; 2]> {
    match format.encoding() {
        Encoding::Unorm | Encoding::UnormSrgb => Some([0.0, 1.0]),
        Encoding::Snorm => Some([-1.0, 1.0]),
        Encoding::Sint | Encoding::Uint | Encoding::Float => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(format: &str, samples: u32) -> Surface {
        let format = Format::from_name(format).expect("the test names a format");
        Surface { place: Place::Target(0), format, size: [1, 1], samples }
    }

    #[test]
    fn samples_of_floats_have_a_mean() {
        let four = surface("r8unorm", 4);
        // (0 + 255 + 255 + 0) / 4 = 127.5, which rounds up.
        assert_eq!(four.texel(&[0, 255, 255, 0], 0, None, None), [128]);
        assert_eq!(four.texel(&[0, 255, 7, 0], 0, Some(2), None), [7]);
        // Half the linear intensity is 188 of 255 in sRGB.
        let bytes = [[0, 0, 0, 255], [255, 255, 255, 255]].concat().repeat(2);
        assert_eq!(
            surface("rgba8unorm-srgb", 4).texel(&bytes, 0, None, None),
            [188, 188, 188, 255]
        );
        assert_eq!(surface("r8uint", 4).texel(&[9, 1, 1, 1], 0, None, None), [9]);
    }

    #[test]
    fn clear_values_are_stored_as_the_formats_own_numbers() {
        let bits = |format: &str, value: f64| clear_bits(surface(format, 1).format, 0, value, None);
        assert_eq!(bits("r8unorm", 2.0), 255);
        assert_eq!(bits("r32float", 0.1), 0.1_f32.to_bits());
        assert_eq!(bits("r32uint", 4_294_967_295.0), u32::MAX);
        assert_eq!(bits("r32sint", -1.0), u32::MAX);
    }
}
