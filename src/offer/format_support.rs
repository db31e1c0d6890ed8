//! Capabilities of formats on an adapter.

use wgpu_types::TextureFormat;

use ir::format::{Format, FormatClass};

use super::format::{SAMPLE_FLAGS, reads_back, real_samples, texture_format};
use super::offer::Offer;

/// Capabilities of a format on an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatSupport {
    /// True if the format can be a render target that is read back.
    pub is_renderable: bool,
    /// True if targets of the format can be blended.
    pub is_blendable: bool,
    /// True if multisampled targets of the format are resolved. Integers have no average, and drivers would choose
    /// different samples (NVIDIA another than Mesa), so the first sample is read where single samples can be read.
    pub is_resolvable: bool,
    /// Supported sample counts, as the bitwise or of the numbers.
    pub samples: u32,
}

impl Offer {
    /// The capabilities of `format` on this device.
    pub fn format_support(&self, format: Format) -> FormatSupport {
        let none = FormatSupport {
            is_renderable: false,
            is_blendable: false,
            is_resolvable: false,
            samples: 0,
        };
        let ours = format;
        let Some(format) = texture_format(ours) else { return none };
        let features = self.format_features(self.abilities.features, format);
        let needed =
            wgpu_types::TextureUsages::RENDER_ATTACHMENT | wgpu_types::TextureUsages::COPY_SRC;
        FormatSupport {
            is_renderable: features.allowed_usages.contains(needed),
            is_blendable: features.flags.contains(wgpu_types::TextureFormatFeatureFlags::BLENDABLE),
            is_resolvable: features
                .flags
                .contains(wgpu_types::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE)
                && (ours.class() == FormatClass::Float || !self.reads_samples()),
            samples: features.flags.supported_sample_counts().into_iter().sum(),
        }
    }
}

impl Offer {
    /// The capabilities of `format` on a device with `features`, without sample counts that the driver lacks and
    /// without copies whose results are wrong.
    pub(crate) fn format_features(
        &self,
        features: wgpu_types::Features,
        format: TextureFormat,
    ) -> wgpu_types::TextureFormatFeatures {
        let mut found = self.format_table.on_device(features, format);
        let ours = Format::all().iter().find(|known| texture_format(**known) == Some(format));
        let Some(ours) = ours else { return found };
        let told = found.flags.supported_sample_counts().into_iter().sum();
        let real = real_samples(self.info(), self.abilities.language, *ours, told);
        if !reads_back(self.abilities.language, ours.name()) {
            found.allowed_usages.remove(wgpu_types::TextureUsages::COPY_SRC);
        }
        for (count, flag) in SAMPLE_FLAGS {
            if real & count == 0 {
                found.flags.remove(flag);
            }
        }
        found
    }
}
