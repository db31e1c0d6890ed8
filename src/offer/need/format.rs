//! Capabilities that a case needs for its formats.

use wgpu_types::{Features, TextureFormat, TextureFormatFeatureFlags as Flags, TextureUsages};

use crate::format::{depth_format, name_of_color, texel_format, texture_format};
use crate::offer::Offer;
use case::depth_stencil::DepthFormat;
use case::texture::SAMPLES;
use ir::format::Format;
use link::table::binding::{ImageAccess, OpaqueBinding, OpaqueKind, TexelClass};
use plan::{BoundOpaque, Plan, SnapshotSource, TexelFormat, TextureShape};

use super::{Subject, pass};

/// A capability that an adapter may have for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatAbility {
    /// A texture usage.
    Usage(TextureUsages),
    /// A feature flag of the format.
    Flag(Flags),
    /// The sample count of the case.
    Samples,
    /// The sample count of multisampled textures that shaders read.
    TextureSamples,
}

/// A row of the table about formats.
pub(super) struct FormatRow {
    pub(super) ability: FormatAbility,
    /// The words for the missing capability, printed after the format's name.
    pub(super) what: &'static str,
    /// The formats of a case that need the capability.
    pub(super) needed: fn(&Subject<'_>) -> Vec<TextureFormat>,
}

const fn format_row(
    ability: FormatAbility,
    what: &'static str,
    needed: fn(&Subject<'_>) -> Vec<TextureFormat>,
) -> FormatRow {
    FormatRow { ability, what, needed }
}

/// The row for render targets, which are also read back.
const TARGET: FormatRow = format_row(
    FormatAbility::Usage(TextureUsages::RENDER_ATTACHMENT.union(TextureUsages::COPY_SRC)),
    "that is a render target",
    rendered,
);

/// The row for depth buffers.
const DEPTH: FormatRow = format_row(
    FormatAbility::Usage(TextureUsages::RENDER_ATTACHMENT),
    "that is a depth buffer",
    depth,
);

/// All rows about capabilities of formats.
pub(super) const FORMATS: [FormatRow; 12] = [
    TARGET,
    DEPTH,
    format_row(
        FormatAbility::Usage(TextureUsages::TEXTURE_BINDING),
        "that can be read",
        depth_read,
    ),
    format_row(FormatAbility::Samples, "of so many samples", multisampled),
    format_row(FormatAbility::TextureSamples, "that is a multisampled texture", |subject| {
        let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
        let own = textures.filter(|texture| texture.shape == TextureShape::Multisampled);
        own.map(|texture| texel_format(texture.format)).collect()
    }),
    format_row(FormatAbility::Flag(Flags::BLENDABLE), "that is blended", pass::blended),
    format_row(
        FormatAbility::Usage(TextureUsages::TEXTURE_BINDING.union(TextureUsages::COPY_DST)),
        "that is a texture",
        textures,
    ),
    format_row(FormatAbility::Flag(Flags::FILTERABLE), "that is filtered", filtered),
    format_row(
        FormatAbility::Flag(Flags::STORAGE_READ_ONLY),
        "for images that are read",
        |subject| images(subject, ImageAccess::Read),
    ),
    format_row(
        FormatAbility::Flag(Flags::STORAGE_WRITE_ONLY),
        "for images that are written",
        |subject| images(subject, ImageAccess::Write),
    ),
    format_row(
        FormatAbility::Flag(Flags::STORAGE_READ_WRITE),
        "for images that are read and written",
        |subject| images(subject, ImageAccess::ReadWrite),
    ),
    format_row(
        FormatAbility::Flag(Flags::STORAGE_ATOMIC),
        "for images with atomic operations",
        |subject| images(subject, ImageAccess::Atomic),
    ),
];

/// Features that give formats capabilities.
pub(super) const FORMAT_FEATURES: [Features; 6] = [
    Features::TEXTURE_FORMAT_16BIT_NORM,
    Features::DEPTH32FLOAT_STENCIL8,
    Features::FLOAT32_BLENDABLE,
    Features::FLOAT32_FILTERABLE,
    Features::RG11B10UFLOAT_RENDERABLE,
    Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES,
];

/// The first format that lacks a capability, in words.
pub(super) fn lacks_format(subject: &Subject<'_>, offer: &Offer) -> Option<String> {
    let samples = subject.case.samples;
    FORMATS.iter().find_map(|row| {
        let mut formats = (row.needed)(subject).into_iter();
        formats.find_map(|format| lacks(offer, format, row, samples))
    })
}

/// The reason why `format` cannot be a render target or depth buffer; `None` if it can.
fn lacks_target(offer: &Offer, format: TextureFormat) -> Option<String> {
    let is_depth = format.is_depth_stencil_format();
    lacks(offer, format, if is_depth { &DEPTH } else { &TARGET }, 1)
}

impl Offer {
    /// Every format of render targets and depth buffers, with its capabilities, or the reason why it cannot be a
    /// target.
    pub fn formats(&self) -> Vec<(&'static str, String)> {
        let color = |format: &Format| {
            let lacking = texture_format(*format).and_then(|format| lacks_target(self, format));
            (format.name(), lacking.unwrap_or_else(|| self.ability(*format)))
        };
        let depth = |format: DepthFormat| {
            let ability = lacks_target(self, depth_format(format));
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

fn lacks(offer: &Offer, format: TextureFormat, row: &FormatRow, samples: u32) -> Option<String> {
    let own = offer.abilities.features;
    let is_able = |features| is_able(offer, row.ability, samples, features, format);
    if is_able(own) {
        return None;
    }
    let (name, what) = (name_of(format), row.what);
    let mut missing = FORMAT_FEATURES.iter().filter(|feature| !own.contains(**feature));
    Some(match missing.find(|feature| is_able(own | **feature)) {
        Some(feature) => {
            let feature = super::feature_name(*feature);
            format!("the adapter lacks the feature {feature}: {name} {what}")
        }
        None => format!("the adapter has no {name} {what}"),
    })
}

/// Features without which a format of the case lacks a needed capability. If any one of several features is sufficient,
/// only one is returned.
pub(super) fn needed_features(subject: &Subject<'_>, offer: &Offer) -> Features {
    let is_enough = |features: Features| {
        FORMATS.iter().all(|row| {
            let samples = subject.case.samples;
            let is_able = |features, format| is_able(offer, row.ability, samples, features, format);
            let own = offer.abilities.features;
            let mut formats = (row.needed)(subject).into_iter();
            formats.all(|format| !is_able(own, format) || is_able(features, format))
        })
    };
    let mut all = offer.abilities.features;
    for feature in FORMAT_FEATURES.into_iter().rev() {
        if is_enough(all - feature) {
            all = all - feature;
        }
    }
    FORMAT_FEATURES.into_iter().fold(Features::empty(), Features::union) & all
}

fn is_able(
    offer: &Offer,
    ability: FormatAbility,
    samples: u32,
    features: Features,
    format: TextureFormat,
) -> bool {
    let supported = offer.format_features(features, format);
    match ability {
        FormatAbility::Usage(usage) => supported.allowed_usages.contains(usage),
        FormatAbility::Flag(flag) => supported.flags.contains(flag),
        FormatAbility::Samples => supported.flags.sample_count_supported(samples),
        FormatAbility::TextureSamples => {
            let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
            let has_usage = supported.allowed_usages.contains(usage);
            has_usage && supported.flags.sample_count_supported(SAMPLES)
        }
    }
}

fn name_of(format: TextureFormat) -> String {
    let depth =
        || DepthFormat::all().find(|depth| depth_format(*depth) == format).map(DepthFormat::name);
    let name = name_of_color(format).or_else(depth);
    name.map_or_else(|| format!("{format:?}").to_lowercase(), str::to_owned)
}

/// Formats of render targets: those of the case, textures, and copies of depths and stencil values.
fn rendered(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let own = subject.case.render_targets.iter().filter_map(|target| texture_format(target.format));
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let textures =
        textures.filter(|texture| texture.is_target).map(|texture| texel_format(texture.format));
    let reads = |source| subject.plan.is_some_and(|plan| plan.reads(source));
    // Depths and stencil values are copied to textures of these formats.
    let depth = subject.plan.is_some_and(Plan::reads_depth).then_some(TextureFormat::R32Float);
    let stencil = reads(SnapshotSource::Stencil).then_some(TextureFormat::R8Unorm);
    own.chain(textures).chain(depth).chain(stencil).collect()
}

/// Formats of the depth buffer and of depth textures, which are filled as depth buffers.
fn depth(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let depths = textures.filter(|texture| texture.format == TexelFormat::Depth);
    let depths = depths.map(|texture| texel_format(texture.format));
    subject.case.depth_buffer().map(depth_format).into_iter().chain(depths).collect()
}

/// The format of the depth buffer, if depths are read back.
fn depth_read(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let is_read = subject.plan.is_some_and(Plan::reads_depth);
    subject.case.depth_buffer().filter(|_| is_read).map(depth_format).into_iter().collect()
}

/// Formats of render targets and depth buffers that have the case's sample count.
fn multisampled(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let own = subject.case.render_targets.iter().filter_map(|target| texture_format(target.format));
    own.chain(subject.case.depth_buffer().map(depth_format)).collect()
}

/// Formats of textures.
fn textures(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let colors = textures.filter(|texture| texture.format != TexelFormat::Depth);
    colors.map(|color| texel_format(color.format)).collect()
}

/// Formats of textures that are bound as filterable.
fn filtered(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let Some(plan) = subject.plan else { return Vec::new() };
    let bound = plan.bindings.iter().flat_map(|bindings| {
        let program = subject.programs.get(bindings.program);
        let opaques = program.into_iter().flat_map(|program| &program.opaques);
        opaques.zip(&bindings.opaques)
    });
    let format = |(opaque, bound): (&OpaqueBinding, &BoundOpaque)| {
        let BoundOpaque::View(idx) = bound else { return None };
        let class = TexelClass::Float;
        let is_filtered = matches!(
            opaque.kind,
            OpaqueKind::Texture { class: own, is_filterable: true, .. } if own == class
        );
        let view = plan.views.get(*idx).filter(|_| is_filtered)?;
        Some(texel_format(plan.textures.get(view.texture)?.format))
    };
    bound.filter_map(format).collect()
}

/// Formats of images with this access.
fn images(subject: &Subject<'_>, access: ImageAccess) -> Vec<TextureFormat> {
    let opaques = subject.programs.iter().flat_map(|program| &program.opaques);
    let format = |kind: OpaqueKind| match kind {
        OpaqueKind::Image { format, access: own, .. } if own == access => texture_format(format),
        OpaqueKind::Image { .. } | OpaqueKind::Texture { .. } | OpaqueKind::Sampler { .. } => None,
    };
    opaques.filter_map(|opaque| format(opaque.kind)).collect()
}
