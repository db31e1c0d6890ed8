//! Converts formats of colours and texels to wgpu's.

use wgpu_types::TextureFormat;

use ir::format::Format;
use plan::TexelFormat;

use super::depth::DEPTH_TEXTURE;

/// wgpu's format with the same name; `None` if wgpu does not have it.
pub fn texture_format(format: Format) -> Option<TextureFormat> {
    TEXTURE_FORMATS.iter().find(|(name, _)| *name == format.name()).map(|(_, format)| *format)
}

/// interstage's name of a colour format of wgpu.
pub fn name_of_color(format: TextureFormat) -> Option<&'static str> {
    TEXTURE_FORMATS.iter().find(|(_, known)| *known == format).map(|(name, _)| *name)
}

/// wgpu's format for texels.
pub fn texel_format(format: TexelFormat) -> wgpu_types::TextureFormat {
    match format {
        TexelFormat::Color(format) => {
            texture_format(format).unwrap_or(wgpu_types::TextureFormat::Rgba8Unorm)
        }
        TexelFormat::Depth => DEPTH_TEXTURE,
    }
}

const TEXTURE_FORMATS: [(&str, TextureFormat); 42] = [
    ("r8unorm", TextureFormat::R8Unorm),
    ("r8snorm", TextureFormat::R8Snorm),
    ("r8uint", TextureFormat::R8Uint),
    ("r8sint", TextureFormat::R8Sint),
    ("r16uint", TextureFormat::R16Uint),
    ("r16sint", TextureFormat::R16Sint),
    ("r16unorm", TextureFormat::R16Unorm),
    ("r16snorm", TextureFormat::R16Snorm),
    ("r16float", TextureFormat::R16Float),
    ("rg8unorm", TextureFormat::Rg8Unorm),
    ("rg8snorm", TextureFormat::Rg8Snorm),
    ("rg8uint", TextureFormat::Rg8Uint),
    ("rg8sint", TextureFormat::Rg8Sint),
    ("r32uint", TextureFormat::R32Uint),
    ("r32sint", TextureFormat::R32Sint),
    ("r32float", TextureFormat::R32Float),
    ("rg16uint", TextureFormat::Rg16Uint),
    ("rg16sint", TextureFormat::Rg16Sint),
    ("rg16unorm", TextureFormat::Rg16Unorm),
    ("rg16snorm", TextureFormat::Rg16Snorm),
    ("rg16float", TextureFormat::Rg16Float),
    ("rgba8unorm", TextureFormat::Rgba8Unorm),
    ("rgba8unorm-srgb", TextureFormat::Rgba8UnormSrgb),
    ("rgba8snorm", TextureFormat::Rgba8Snorm),
    ("rgba8uint", TextureFormat::Rgba8Uint),
    ("rgba8sint", TextureFormat::Rgba8Sint),
    ("bgra8unorm", TextureFormat::Bgra8Unorm),
    ("bgra8unorm-srgb", TextureFormat::Bgra8UnormSrgb),
    ("rgb10a2uint", TextureFormat::Rgb10a2Uint),
    ("rgb10a2unorm", TextureFormat::Rgb10a2Unorm),
    ("rg11b10ufloat", TextureFormat::Rg11b10Ufloat),
    ("rg32uint", TextureFormat::Rg32Uint),
    ("rg32sint", TextureFormat::Rg32Sint),
    ("rg32float", TextureFormat::Rg32Float),
    ("rgba16uint", TextureFormat::Rgba16Uint),
    ("rgba16sint", TextureFormat::Rgba16Sint),
    ("rgba16unorm", TextureFormat::Rgba16Unorm),
    ("rgba16snorm", TextureFormat::Rgba16Snorm),
    ("rgba16float", TextureFormat::Rgba16Float),
    ("rgba32uint", TextureFormat::Rgba32Uint),
    ("rgba32sint", TextureFormat::Rgba32Sint),
    ("rgba32float", TextureFormat::Rgba32Float),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_wgpus_in_name_and_size() {
        for format in Format::all() {
            let theirs = texture_format(*format).expect("the table has every format");
            let size = theirs.block_copy_size(None).map(usize::try_from);
            assert_eq!(size, Some(Ok(format.bytes_per_texel())), "{}", format.name());
            let name = format!("{theirs:?}").to_lowercase();
            assert_eq!(name, format.name().replace('-', ""), "{}", format.name());
            assert_eq!(usize::from(theirs.components()), format.channel_count(), "{name}");
        }
    }
}
