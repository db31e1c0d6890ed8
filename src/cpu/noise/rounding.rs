//! Errors of values that are stored in a format.

use ir::format::{ChannelValue, Encoding, Format};

use super::Noise;
use crate::numbers::narrow;

impl Noise {
    /// The stored bits of a real value that may be off by `steps` of the format before it is rounded, which may happen
    /// either way (Vulkan 1.3, "Conversion From Floating-Point to Normalized Fixed-Point").
    pub(crate) fn stored(
        self,
        format: Format,
        channel: usize,
        (value, steps): (f64, f64),
        salt: u32,
    ) -> u32 {
        let is_single = format.encoding() == Encoding::Float && format.channel_bits(channel) == 32;
        let near = |flip: u32| {
            let mut bits = [0; 4];
            bits[channel] = format.encode_real(channel, value) ^ flip;
            match format.decode(&format.pack(bits)).values[channel] {
                ChannelValue::Float(value) => f64::from(value),
                ChannelValue::Sint(_) | ChannelValue::Uint(_) => 0.0,
            }
        };
        let rounding = if is_single { 0.0 } else { 0.49 };
        let allowance = (rounding + steps) * (near(1) - near(0)).abs();
        if is_single && steps == 0.0 {
            return narrow(value).to_bits();
        }
        format.encode_real(channel, self.moved(value, allowance, salt))
    }
}
