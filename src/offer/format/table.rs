//! The capabilities that an adapter reports for formats, captured when its device is opened.

use std::collections::HashMap;

use wgpu_types::{
    Features, TextureFormat, TextureFormatFeatureFlags, TextureFormatFeatures, TextureUsages,
};

use case::depth_stencil::DepthFormat;
use ir::format::Format;

use super::color::texture_format;
use super::depth::depth_format;

/// wgpu's flag for each sample count.
pub(crate) const SAMPLE_FLAGS: [(u32, TextureFormatFeatureFlags); 4] = [
    (2, TextureFormatFeatureFlags::MULTISAMPLE_X2),
    (4, TextureFormatFeatureFlags::MULTISAMPLE_X4),
    (8, TextureFormatFeatureFlags::MULTISAMPLE_X8),
    (16, TextureFormatFeatureFlags::MULTISAMPLE_X16),
];

/// A format without any capability.
const NONE: TextureFormatFeatures = TextureFormatFeatures {
    allowed_usages: TextureUsages::empty(),
    flags: TextureFormatFeatureFlags::empty(),
};

/// Every format that an offer knows: those of colours and of depth buffers.
pub fn known_formats() -> impl Iterator<Item = TextureFormat> {
    let colors = Format::all().iter().filter_map(|format| texture_format(*format));
    colors.chain(DepthFormat::all().map(depth_format))
}

/// What an adapter reports about every known format. The default table has no format.
#[derive(Clone, Debug, Default)]
pub struct FormatTable {
    /// True if the adapter has the downlevel flag `WEBGPU_TEXTURE_FORMAT_SUPPORT`.
    has_guarantees: bool,
    formats: HashMap<TextureFormat, TextureFormatFeatures>,
}

impl FormatTable {
    /// The table of an adapter that reports `told` for a format. `has_guarantees` is true if the adapter itself, whatever
    /// its device has, meets WebGPU's guarantees about formats: the downlevel flag `WEBGPU_TEXTURE_FORMAT_SUPPORT`.
    pub fn new(
        has_guarantees: bool,
        told: impl Fn(TextureFormat) -> TextureFormatFeatures,
    ) -> Self {
        let formats = known_formats().map(|format| (format, told(format))).collect();
        Self { has_guarantees, formats }
    }

    /// The capabilities of `format` on a device of the adapter with `features`; none for an unknown format.
    pub(crate) fn on_device(
        &self,
        features: Features,
        format: TextureFormat,
    ) -> TextureFormatFeatures {
        if !features.contains(format.required_features()) {
            return NONE;
        }
        let specific = Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        if !features.contains(specific) && self.has_guarantees {
            return format.guaranteed_format_features(features);
        }
        let mut found = self.formats.get(&format).copied().unwrap_or(NONE);
        let is_long = matches!(
            format,
            TextureFormat::R32Float | TextureFormat::Rg32Float | TextureFormat::Rgba32Float
        );
        if is_long && !features.contains(Features::FLOAT32_FILTERABLE) {
            found.flags.remove(TextureFormatFeatureFlags::FILTERABLE);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use plan::TexelFormat;

    use super::super::color::texel_format;
    use super::*;

    const ALL: TextureFormatFeatures = TextureFormatFeatures {
        allowed_usages: TextureUsages::all(),
        flags: TextureFormatFeatureFlags::all(),
    };

    #[test]
    fn every_format_that_a_case_needs_is_known() {
        let colors = Format::all().iter().map(|format| TexelFormat::Color(*format));
        let texels = colors.chain([TexelFormat::Depth]).map(texel_format);
        // Copies of depths and stencil values, and the filler of a hole between attachments.
        let own = [TextureFormat::R32Float, TextureFormat::R8Unorm, TextureFormat::Rgba8Unorm];
        for needed in texels.chain(own) {
            assert!(known_formats().any(|format| format == needed), "{needed:?}");
        }
    }

    #[test]
    fn a_device_has_what_its_adapter_reports_or_what_webgpu_guarantees() {
        let specific = Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        let found = |has_guarantees, features, format| {
            FormatTable::new(has_guarantees, |_| ALL).on_device(features, format)
        };
        let none = Features::empty();
        let format = TextureFormat::Rgba8Uint;
        assert_eq!(found(true, specific, format), ALL);
        assert_eq!(found(false, none, format), ALL);
        assert_eq!(found(true, none, format), format.guaranteed_format_features(none));
        // A format that itself needs a feature, and one that no offer knows.
        assert_eq!(found(true, specific, TextureFormat::R16Unorm), NONE);
        assert_eq!(found(true, specific, TextureFormat::Rgb9e5Ufloat), NONE);
        let filterable = TextureFormatFeatureFlags::FILTERABLE;
        let long = |features| found(true, specific | features, TextureFormat::R32Float).flags;
        assert_eq!(long(none), ALL.flags - filterable);
        assert_eq!(long(Features::FLOAT32_FILTERABLE), ALL.flags);
    }
}
