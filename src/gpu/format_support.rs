//! Capabilities of formats on an adapter.

use wgpu::TextureFormat;

use crate::texture_format::texture_format;
use case::depth_stencil::DepthFormat;
use ir::format::{Format, FormatClass};

pub use super::Offer;
use super::depth_buffer::wgpu_format;
use super::need::lacks_target;
use super::read_back::reads_back;
use super::samples::real_samples;

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
        let needed = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        FormatSupport {
            is_renderable: features.allowed_usages.contains(needed),
            is_blendable: features.flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE),
            is_resolvable: features
                .flags
                .contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE)
                && (ours.class() == FormatClass::Float || !self.reads_samples()),
            samples: features.flags.supported_sample_counts().into_iter().sum(),
        }
    }
}

impl Offer {
    /// The capabilities of `format` on a device with `features`, without sample counts that the driver lacks and
    /// without copies whose results are wrong.
    pub(super) fn format_features(
        &self,
        features: wgpu::Features,
        format: TextureFormat,
    ) -> wgpu::TextureFormatFeatures {
        let mut found = self.told_features(features, format);
        let ours = Format::all().iter().find(|known| texture_format(**known) == Some(format));
        let Some(ours) = ours else { return found };
        let told = found.flags.supported_sample_counts().into_iter().sum();
        let real = real_samples(self.info(), self.abilities.language, *ours, told);
        if !reads_back(self.abilities.language, ours.name()) {
            found.allowed_usages.remove(wgpu::TextureUsages::COPY_SRC);
        }
        for (count, flag) in SAMPLE_FLAGS {
            if real & count == 0 {
                found.flags.remove(flag);
            }
        }
        found
    }

    /// The capabilities that wgpu reports for `format` on a device with `features`.
    fn told_features(
        &self,
        features: wgpu::Features,
        format: TextureFormat,
    ) -> wgpu::TextureFormatFeatures {
        let none = wgpu::TextureFormatFeatures {
            allowed_usages: wgpu::TextureUsages::empty(),
            flags: wgpu::TextureFormatFeatureFlags::empty(),
        };
        if !features.contains(format.required_features()) {
            return none;
        }
        let specific = wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        let guarantees = wgpu::DownlevelFlags::WEBGPU_TEXTURE_FORMAT_SUPPORT;
        let has_guarantees = self
            .adapter
            .as_ref()
            .is_none_or(|adapter| adapter.get_downlevel_capabilities().flags.contains(guarantees));
        if !features.contains(specific) && has_guarantees {
            return format.guaranteed_format_features(features);
        }
        let mut found = match &self.adapter {
            Some(adapter) => adapter.get_texture_format_features(format),
            None => features_on_executor(format),
        };
        let is_long = matches!(
            format,
            TextureFormat::R32Float | TextureFormat::Rg32Float | TextureFormat::Rgba32Float
        );
        if is_long && !features.contains(wgpu::Features::FLOAT32_FILTERABLE) {
            found.flags.remove(wgpu::TextureFormatFeatureFlags::FILTERABLE);
        }
        found
    }

    /// Every format of render targets and depth buffers, with its capabilities, or the reason why it cannot be a
    /// target.
    pub fn formats(&self) -> Vec<(&'static str, String)> {
        let color = |format: &Format| {
            let lacking = texture_format(*format).and_then(|format| lacks_target(self, format));
            (format.name(), lacking.unwrap_or_else(|| self.ability(*format)))
        };
        let depth = |format: DepthFormat| {
            let ability = lacks_target(self, wgpu_format(format));
            (format.name(), ability.unwrap_or_else(|| "rendered".to_owned()))
        };
        Format::all().iter().map(color).chain(DepthFormat::all().map(depth)).collect()
    }

    fn ability(&self, format: Format) -> String {
        let support = self.format_support(format);
        let words = [
            (support.is_blendable, "blended".to_owned()),
            (support.is_resolvable, "resolved".to_owned()),
        ];
        let samples = (0..5).map(|bit| 1_u32 << bit).filter(|count| support.samples & count != 0);
        let samples: Vec<_> = samples.map(|sample| sample.to_string()).collect();
        let samples = (true, format!("samples {}", samples.join(" ")));
        let words = words.into_iter().chain([samples]).filter(|(is_so, _)| *is_so);
        let words = std::iter::once("rendered".to_owned()).chain(words.map(|(_, word)| word));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The capabilities of a format on the executor, which has all that make sense for the format.
fn features_on_executor(format: TextureFormat) -> wgpu::TextureFormatFeatures {
    use wgpu::TextureFormatFeatureFlags as Flags;
    let ours = Format::all().iter().find(|known| texture_format(**known) == Some(format));
    let is_integer = ours.is_some_and(|format| format.class() != FormatClass::Float);
    let mut flags =
        SAMPLE_FLAGS.into_iter().fold(Flags::MULTISAMPLE_RESOLVE, |all, (_, own)| all | own);
    flags.set(Flags::FILTERABLE, !is_integer);
    flags.set(Flags::BLENDABLE, ours.is_some() && !is_integer);
    let images = Flags::STORAGE_READ_ONLY | Flags::STORAGE_WRITE_ONLY | Flags::STORAGE_READ_WRITE;
    flags.set(images, ours.is_some());
    flags.set(
        Flags::STORAGE_ATOMIC,
        matches!(format, TextureFormat::R32Uint | TextureFormat::R32Sint),
    );
    wgpu::TextureFormatFeatures { allowed_usages: wgpu::TextureUsages::all(), flags }
}

/// wgpu's flag for each sample count.
const SAMPLE_FLAGS: [(u32, wgpu::TextureFormatFeatureFlags); 4] = [
    (2, wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X2),
    (4, wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X4),
    (8, wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X8),
    (16, wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X16),
];
