//! Reads image formats by their Vulkan names.

use crate::syntax::data::{Channel, ChannelMode, ChannelName, PixelFormat};

/// The format called `name`, such as `R8G8B8A8_UNORM` or `D32_SFLOAT_S8_UINT`, if the name follows Vulkan's scheme.
pub(crate) fn pixel_format(name: &str) -> Option<PixelFormat> {
    // The longest name has 26 letters.
    if name.len() > 32 {
        return None;
    }
    let mut channels: Vec<Channel> = Vec::new();
    let mut pack = None;
    // Channels whose numeric format follows in a later part of the name.
    let mut waiting: Vec<(ChannelName, u8)> = Vec::new();
    for part in name.split('_') {
        if pack.is_some() {
            return None;
        }
        match mode(part) {
            Some(_) if waiting.is_empty() => return None,
            Some(mode) => {
                let named = |(name, bits)| Channel { name, bits, mode };
                channels.extend(waiting.drain(..).map(named));
            }
            None => match pack_bits(part) {
                Some(bits) => pack = Some(bits),
                None => add_channels(part, &mut waiting)?,
            },
        }
    }
    let is_whole = waiting.is_empty() && !channels.is_empty();
    let format = PixelFormat { name: name.to_owned(), channels, pack };
    (is_whole && has_known_sizes(&format)).then_some(format)
}

/// Adds the channels of a part such as `R8G8`.
fn add_channels(part: &str, into: &mut Vec<(ChannelName, u8)>) -> Option<()> {
    let mut rest = part;
    while let Some(letter) = rest.chars().next() {
        let name = match letter {
            'R' => ChannelName::Red,
            'G' => ChannelName::Green,
            'B' => ChannelName::Blue,
            'A' => ChannelName::Alpha,
            'D' => ChannelName::Depth,
            'S' => ChannelName::Stencil,
            'X' => ChannelName::Unused,
            _ => return None,
        };
        let behind = &rest[1..];
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let bits: u8 = behind[..digits].parse().ok()?;
        into.push((name, bits));
        rest = &behind[digits..];
    }
    (!part.is_empty()).then_some(())
}

fn mode(part: &str) -> Option<ChannelMode> {
    Some(match part {
        "UNORM" => ChannelMode::Unorm,
        "SNORM" => ChannelMode::Snorm,
        "UINT" => ChannelMode::Uint,
        "SINT" => ChannelMode::Sint,
        "USCALED" => ChannelMode::Uscaled,
        "SSCALED" => ChannelMode::Sscaled,
        "SFLOAT" => ChannelMode::Sfloat,
        "UFLOAT" => ChannelMode::Ufloat,
        "SRGB" => ChannelMode::Srgb,
        _ => return None,
    })
}

fn pack_bits(part: &str) -> Option<u8> {
    match part {
        "PACK8" => Some(8),
        "PACK16" => Some(16),
        "PACK32" => Some(32),
        _ => None,
    }
}

/// True if packed channels fill their number, and other channels are whole bytes or depth with stencil.
fn has_known_sizes(format: &PixelFormat) -> bool {
    let bits: u32 = format.channels.iter().map(|channel| u32::from(channel.bits)).sum();
    match format.pack {
        Some(pack) => bits == u32::from(pack),
        None => format.channels.iter().all(|channel| {
            channel.stored().is_some() || (channel.name == ChannelName::Depth && channel.bits == 24)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(name: &str, expected: Expect) {
        let text = pixel_format(name).map(|format| {
            let element = format.element();
            let channel = |one: &Channel| format!("{:?} {} {:?}", one.name, one.bits, one.mode);
            let channels: Vec<_> = format.channels.iter().map(channel).collect();
            let parts =
                element.components.iter().map(|one| format!("{:?}@{}", one.scalar, one.offset));
            let parts: Vec<_> = parts.collect();
            format!("{} / {} bytes: {}", channels.join(", "), element.stride, parts.join(", "))
        });
        expected.assert_eq(&text.unwrap_or_else(|| "unknown".to_owned()));
    }

    #[test]
    fn channels_are_numbers_one_after_the_other() {
        check(
            "B8G8R8A8_UNORM",
            expect![
                "Blue 8 Unorm, Green 8 Unorm, Red 8 Unorm, Alpha 8 Unorm / 4 bytes: Uint8@0, Uint8@1, Uint8@2, Uint8@3"
            ],
        );
        check(
            "R16G16_SFLOAT",
            expect!["Red 16 Sfloat, Green 16 Sfloat / 4 bytes: Float16@0, Float16@2"],
        );
        check(
            "R8G8B8_SNORM",
            expect!["Red 8 Snorm, Green 8 Snorm, Blue 8 Snorm / 3 bytes: Int8@0, Int8@1, Int8@2"],
        );
    }

    #[test]
    fn packed_channels_are_one_number() {
        check(
            "A2B10G10R10_UNORM_PACK32",
            expect![
                "Alpha 2 Unorm, Blue 10 Unorm, Green 10 Unorm, Red 10 Unorm / 4 bytes: Uint32@0"
            ],
        );
        check("X8_D24_UNORM_PACK32", expect!["Unused 8 Unorm, Depth 24 Unorm / 4 bytes: Uint32@0"]);
        check(
            "B10G11R11_UFLOAT_PACK32",
            expect!["Blue 10 Ufloat, Green 11 Ufloat, Red 11 Ufloat / 4 bytes: Uint32@0"],
        );
    }

    #[test]
    fn depth_and_stencil_have_modes_of_their_own() {
        check(
            "D32_SFLOAT_S8_UINT",
            expect!["Depth 32 Sfloat, Stencil 8 Uint / 5 bytes: Float@0, Uint8@4"],
        );
        check("D24_UNORM_S8_UINT", expect!["Depth 24 Unorm, Stencil 8 Uint / 4 bytes: "]);
        check("S8_UINT", expect!["Stencil 8 Uint / 1 bytes: Uint8@0"]);
    }

    #[test]
    fn other_names_are_unknown() {
        for name in [
            "",
            "_",
            "R8",
            "UNORM",
            "R8_",
            "R8_UNORM_",
            "R7_UNORM",
            "BC1_RGB_UNORM_BLOCK",
            "R8G8_UNORM_PACK32",
            "R8_UNORM_PACK8_UINT",
            "R999_UINT",
            "é8_UINT",
        ] {
            check(name, expect!["unknown"]);
        }
    }
}
