//! Errors of values that are stored in a format.

use ir::format::{ChannelValue, Encoding, Format};

use super::Noise;
use crate::numbers::narrow;

/// Error of rounding to a format, in steps of the format: a value is rounded either way (Vulkan 1.3, "Conversion From
/// Floating-Point to Normalized Fixed-Point").
const ROUNDING: f64 = 0.49;

impl Noise {
    /// The stored bits of a real value.
    pub(crate) fn stored(self, format: Format, channel: usize, value: f64, salt: u32) -> u32 {
        if is_single(format, channel) {
            return narrow(value).to_bits();
        }
        let allowance = ROUNDING * step(format, channel, value);
        format.encode_real(channel, self.moved(value, allowance, salt))
    }

    /// The stored bits of a blended value, which may be off by a step of the format before it is rounded.
    pub(crate) fn stored_blend(self, format: Format, channel: usize, value: f64, salt: u32) -> u32 {
        let rounding = if is_single(format, channel) { 0.0 } else { ROUNDING };
        let allowance = (rounding + 1.0) * step(format, channel, value);
        format.encode_real(channel, self.moved(value, allowance, salt))
    }
}

fn is_single(format: Format, channel: usize) -> bool {
    format.encoding() == Encoding::Float && format.channel_bits(channel) == 32
}

/// Size of the format's steps at a value.
fn step(format: Format, channel: usize, value: f64) -> f64 {
    let near = |flip: u32| {
        let mut bits = [0; 4];
        bits[channel] = format.encode_real(channel, value) ^ flip;
        match format.decode(&format.pack(bits)).values[channel] {
            ChannelValue::Float(value) => f64::from(value),
            ChannelValue::Sint(_) | ChannelValue::Uint(_) => 0.0,
        }
    };
    (near(1) - near(0)).abs()
}
