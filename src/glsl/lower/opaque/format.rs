//! Formats of images.

use naga::StorageFormat;

use crate::ast::Qualifiers;
use crate::lower::types::Kind;
use ir::format::Format;

/// Format qualifiers of GLSL.
const FORMATS: [(&str, StorageFormat); 39] = [
    ("rgba32f", StorageFormat::Rgba32Float),
    ("rgba16f", StorageFormat::Rgba16Float),
    ("rg32f", StorageFormat::Rg32Float),
    ("rg16f", StorageFormat::Rg16Float),
    ("r11f_g11f_b10f", StorageFormat::Rg11b10Ufloat),
    ("r32f", StorageFormat::R32Float),
    ("r16f", StorageFormat::R16Float),
    ("rgba16", StorageFormat::Rgba16Unorm),
    ("rgb10_a2", StorageFormat::Rgb10a2Unorm),
    ("rgba8", StorageFormat::Rgba8Unorm),
    ("rg16", StorageFormat::Rg16Unorm),
    ("rg8", StorageFormat::Rg8Unorm),
    ("r16", StorageFormat::R16Unorm),
    ("r8", StorageFormat::R8Unorm),
    ("rgba16_snorm", StorageFormat::Rgba16Snorm),
    ("rgba8_snorm", StorageFormat::Rgba8Snorm),
    ("rg16_snorm", StorageFormat::Rg16Snorm),
    ("rg8_snorm", StorageFormat::Rg8Snorm),
    ("r16_snorm", StorageFormat::R16Snorm),
    ("r8_snorm", StorageFormat::R8Snorm),
    ("rgba32i", StorageFormat::Rgba32Sint),
    ("rgba16i", StorageFormat::Rgba16Sint),
    ("rgba8i", StorageFormat::Rgba8Sint),
    ("rg32i", StorageFormat::Rg32Sint),
    ("rg16i", StorageFormat::Rg16Sint),
    ("rg8i", StorageFormat::Rg8Sint),
    ("r32i", StorageFormat::R32Sint),
    ("r16i", StorageFormat::R16Sint),
    ("r8i", StorageFormat::R8Sint),
    ("rgba32ui", StorageFormat::Rgba32Uint),
    ("rgba16ui", StorageFormat::Rgba16Uint),
    ("rgb10_a2ui", StorageFormat::Rgb10a2Uint),
    ("rgba8ui", StorageFormat::Rgba8Uint),
    ("rg32ui", StorageFormat::Rg32Uint),
    ("rg16ui", StorageFormat::Rg16Uint),
    ("rg8ui", StorageFormat::Rg8Uint),
    ("r32ui", StorageFormat::R32Uint),
    ("r16ui", StorageFormat::R16Uint),
    ("r8ui", StorageFormat::R8Uint),
];

/// The format in `layout(…)`.
pub(super) fn declared(qualifiers: &Qualifiers) -> Option<StorageFormat> {
    row(qualifiers).map(|(_, format)| format)
}

/// Name of the format in `layout(…)`.
pub(in crate::lower) fn word(qualifiers: &Qualifiers) -> Option<String> {
    row(qualifiers).map(|(word, _)| word.to_owned())
}

fn row(qualifiers: &Qualifiers) -> Option<(&'static str, StorageFormat)> {
    let known = |name: &str| FORMATS.into_iter().find(|(word, _)| *word == name);
    qualifiers.layout.iter().rev().find_map(|entry| known(&entry.name.name))
}

/// naga's format with the same name.
pub(super) fn of(format: Format) -> Option<StorageFormat> {
    let has_name = |known: &StorageFormat| format!("{known:?}").to_lowercase() == format.name();
    FORMATS.iter().map(|(_, known)| *known).find(has_name)
}

/// The format for images that are not bound.
pub(super) const fn default_of(kind: Kind) -> StorageFormat {
    match kind {
        Kind::Int => StorageFormat::Rgba8Sint,
        Kind::Uint => StorageFormat::Rgba8Uint,
        Kind::Float | Kind::Bool | Kind::Int64 | Kind::Uint64 | Kind::Double => {
            StorageFormat::Rgba8Unorm
        }
    }
}
