//! Texel layouts of formats in golden files.

use interstage::ir::format::Format;

/// Texel layout of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelLayout {
    /// Numbers per texel.
    pub channels: usize,
    /// Bytes per number.
    pub channel_bytes: usize,
    /// NPY type letter of the numbers: `u`nsigned, `i`nteger or `f`loat.
    pub kind: char,
    /// True if the channel order is blue, green, red, alpha.
    pub is_bgra: bool,
    /// The file type.
    pub container: Container,
}

/// A file type for goldens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// 8-bit unorm and uint.
    Png,
    /// Everything else.
    Npy,
}

impl Container {
    /// File name extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Npy => "npy",
        }
    }
}

/// A file that is not a golden, or a golden that cannot exist: the user's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotGolden(pub String);

impl TexelLayout {
    /// Derives the layout from wgpu's name of the format: channels, bits, kind.
    pub fn of(format: Format) -> Result<Self, NotGolden> {
        Self::of_name(format.name()).ok_or_else(|| {
            NotGolden(format!("goldens of format `{}` are not supported", format.name()))
        })
    }

    fn of_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix("-srgb").unwrap_or(name);
        let packed = Self {
            channels: 1,
            channel_bytes: 4,
            kind: 'u',
            is_bgra: false,
            container: Container::Npy,
        };
        if ["rgb10a2unorm", "rgb10a2uint", "rg11b10ufloat", "rg11b10float"].contains(&name) {
            return Some(packed);
        }
        let digits = name.find(|char: char| char.is_ascii_digit())?;
        let (letters, rest) = name.split_at(digits);
        let kind_at = rest.find(|char: char| !char.is_ascii_digit())?;
        let (bits, kind) = rest.split_at(kind_at);
        let channels = match letters {
            "r" => 1,
            "rg" => 2,
            "rgba" | "bgra" => 4,
            _ => return None,
        };
        let kind_letter = match kind {
            "unorm" | "uint" => 'u',
            "snorm" | "sint" => 'i',
            "float" => 'f',
            _ => return None,
        };
        let channel_bytes = bits.parse::<usize>().ok()? / 8;
        let container =
            if channel_bytes == 1 && kind_letter == 'u' { Container::Png } else { Container::Npy };
        Some(Self {
            channels,
            channel_bytes,
            kind: kind_letter,
            is_bgra: letters == "bgra",
            container,
        })
    }

    /// Bytes of `width` by `height` texels; `None` on overflow.
    pub fn size_of(self, width: u32, height: u32) -> Option<usize> {
        let texels = usize::try_from(width).ok()?.checked_mul(usize::try_from(height).ok()?)?;
        texels.checked_mul(self.channels)?.checked_mul(self.channel_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let found = TexelLayout::of_name(name).map_or("none".to_owned(), |layout| {
            let TexelLayout { channels, channel_bytes, kind, .. } = layout;
            format!("{channels}x{kind}{channel_bytes} {}", layout.container.extension())
        });
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn only_what_a_person_can_look_at_is_a_png() {
        check("rgba8unorm", "4xu1 png");
        check("rgba8unorm-srgb", "4xu1 png");
        check("bgra8unorm", "4xu1 png");
        check("rg8uint", "2xu1 png");
        check("rgba8snorm", "4xi1 npy");
        check("r16float", "1xf2 npy");
        check("rgba32sint", "4xi4 npy");
        check("rgb10a2unorm", "1xu4 npy");
        check("depth24plus", "none");
    }
}
