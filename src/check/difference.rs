//! Messages about texels that differ from the expected ones.

use case::Tolerance;
use case::tolerance::{nearest_stored, single};
use ir::format::{ChannelValue, Encoding, Format, FormatClass, Texel};
use ir::scalar::Number;

use super::kind::Mismatch;

/// Statistics of differing texels in an image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Differences {
    /// Position and content of the first differing texel.
    pub(super) first: Option<([u32; 2], Texel)>,
    /// Number of differing texels.
    pub(super) count: u64,
    /// Number of compared texels.
    pub(super) total: u64,
}

impl Differences {
    /// Counts one texel, with its content if it differs.
    pub(super) fn add(&mut self, at: [u32; 2], differing: Option<Texel>) {
        self.total += 1;
        if let Some(texel) = differing {
            self.count += 1;
            self.first.get_or_insert((at, texel));
        }
    }
}

/// Formats rows of channels, as decimals or, in full, with enough digits and their bits.
pub(super) struct Rows {
    pub(super) format: Format,
    /// Number of formatted channels.
    pub(super) channels: usize,
}

impl Rows {
    /// Message about differences from the numbers in a case.
    pub(super) fn unlike_numbers(
        &self,
        target: u32,
        [x, y]: [u32; 2],
        differences: &Differences,
        expected: &[Number],
        actual: &Texel,
        tolerance: Tolerance,
    ) -> Mismatch {
        let has_bits = expected.iter().any(|number| matches!(number, Number::Bits(_)));
        let is_bitwise = has_bits || matches!(tolerance, Tolerance::Ulp(_)) || self.is_single();
        let short = (self.expected(expected, false), self.actual_beside(expected, actual, false));
        let (expected, actual) = if is_bitwise || short.0 == short.1 {
            (self.expected(expected, true), self.actual_beside(expected, actual, true))
        } else {
            short
        };
        lines(target, [x, y], differences, expected, actual)
    }

    /// Message about differences from an image.
    pub(super) fn unlike_texel(
        &self,
        target: u32,
        at: [u32; 2],
        differences: &Differences,
        expected: &Texel,
        actual: &Texel,
    ) -> Mismatch {
        let short = (self.actual(expected, false), self.actual(actual, false));
        let (expected, actual) = if self.is_single() || short.0 == short.1 {
            (self.actual(expected, true), self.actual(actual, true))
        } else {
            short
        };
        lines(target, at, differences, expected, actual)
    }

    fn is_single(&self) -> bool {
        self.format.encoding() == Encoding::Float && self.format.channel_bits(0) == 32
    }

    fn actual(&self, texel: &Texel, in_full: bool) -> String {
        let cell =
            |channel| self.cell(channel, texel.values[channel], Some(texel.bits[channel]), in_full);
        join((0..self.channels).map(cell))
    }

    /// The texel beside expected numbers: an integer in a channel whose expected number is a bit pattern is one, too.
    fn actual_beside(&self, expected: &[Number], texel: &Texel, in_full: bool) -> String {
        let is_integer = self.format.class() != FormatClass::Float;
        let cell = |channel| match expected.get(channel) {
            Some(Number::Bits(_)) if is_integer => {
                ir::scalar::notation(Number::Bits(u64::from(texel.bits[channel])))
            }
            Some(_) | None => {
                self.cell(channel, texel.values[channel], Some(texel.bits[channel]), in_full)
            }
        };
        join((0..self.channels).map(cell))
    }

    fn expected(&self, numbers: &[Number], in_full: bool) -> String {
        let cell = |(channel, number): (usize, &Number)| match self.format.class() {
            FormatClass::Float => {
                let is_stored_pattern =
                    self.format.encoding() == Encoding::Float && self.has(channel);
                if let (Number::Bits(bits), true) = (number, is_stored_pattern) {
                    let bits = u32::try_from(*bits).unwrap_or(u32::MAX);
                    let mut stored = [0; 4];
                    stored[channel] = bits;
                    let texel = self.format.decode(&self.format.pack(stored));
                    return self.cell(channel, texel.values[channel], Some(bits), in_full);
                }
                let value = ChannelValue::Float(single(*number).unwrap_or(f32::NAN));
                let bits = nearest_stored(self.format, channel, *number);
                self.cell(channel, value, self.has(channel).then_some(bits), in_full)
            }
            FormatClass::Sint | FormatClass::Uint => ir::scalar::notation(*number),
        };
        join(numbers.iter().take(self.channels).enumerate().map(cell))
    }

    fn has(&self, channel: usize) -> bool {
        self.format.channel_bits(channel) > 0
    }

    /// Formats one channel; `in_full` with enough digits to be unique, and with its bits.
    fn cell(
        &self,
        channel: usize,
        value: ChannelValue,
        bits: Option<u32>,
        in_full: bool,
    ) -> String {
        let digits = usize::try_from(self.format.channel_bits(channel).div_ceil(4)).unwrap_or(8);
        match (value, bits) {
            (ChannelValue::Float(value), Some(bits)) if in_full && self.has(channel) => {
                format!("{value:?} (0x{bits:0digits$x})")
            }
            (ChannelValue::Float(value), _) => format!("{value:.3}"),
            (ChannelValue::Sint(value), _) => value.to_string(),
            (ChannelValue::Uint(value), _) => value.to_string(),
        }
    }
}

fn lines(
    target: u32,
    [x, y]: [u32; 2],
    differences: &Differences,
    expected: String,
    actual: String,
) -> Mismatch {
    let Differences { count, total, .. } = differences;
    let place = if *total == 1 {
        format!("difference at pixel ({x}, {y}) of render target {target}")
    } else {
        format!(
            "first difference at pixel ({x}, {y}) of render target {target}; \
             {count} of {total} pixels differ"
        )
    };
    Mismatch(vec![place, format!("expected  {expected}"), format!("actual    {actual}")])
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" ")
}
