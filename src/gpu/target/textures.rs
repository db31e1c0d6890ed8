//! Makes and fills the textures, views and samplers of a plan.

use case::texture::{Filter, SAMPLES, Wrap};
use ir::backend::Backend;
use offer::entries::view_dimension;
use offer::format::texel_format;
use plan::{
    Plan, PlannedTexture, PlannedView, SamplerState, TexelFormat, TextureLayer, TextureShape,
};

use super::depth_buffer::compare_function;
use super::drawn_upload::{self, Texels};
use super::flat_texture::upload;
use crate::adapter::Gpu;
use crate::target::render_target::Target;

/// The textures, views, samplers and framebuffers of a plan, by the plan's indices.
pub(crate) struct Textures {
    /// The plan's textures.
    pub(crate) all: Vec<wgpu::Texture>,
    /// The plan's views.
    pub(crate) views: Vec<wgpu::TextureView>,
    /// The plan's samplers.
    pub(crate) samplers: Vec<wgpu::Sampler>,
    /// The plan's framebuffers.
    pub(crate) framebuffers: Vec<Vec<Target>>,
}

impl Textures {
    pub(crate) fn new(gpu: &Gpu, plan: &Plan) -> Self {
        let textures: Vec<_> =
            plan.textures.iter().map(|planned| make_texture(gpu, planned)).collect();
        let views = plan.views.iter().filter_map(|view| make_view(&textures, view)).collect();
        let samplers = plan.samplers.iter().map(|state| make_sampler(gpu, state)).collect();
        let framebuffers =
            plan.framebuffers.iter().map(|planned| framebuffer(plan, &textures, planned));
        let framebuffers = framebuffers.collect();
        Self { all: textures, views, samplers, framebuffers }
    }
}

fn make_texture(gpu: &Gpu, planned: &PlannedTexture) -> wgpu::Texture {
    let [width, height, depth] = planned.size;
    // wgpu's GL backend turns an array with one layer into a non-array texture.
    let is_gl = gpu.info().backend == Backend::Gl;
    let is_doubled = is_gl && planned.shape == TextureShape::Layered && depth == 1;
    let layers = if is_doubled { 2 } else { depth };
    let mut usage = wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_SRC
        | wgpu::TextureUsages::COPY_DST;
    usage.set(wgpu::TextureUsages::STORAGE_BINDING, planned.is_image);
    let is_multisampled = planned.shape == TextureShape::Multisampled;
    let is_filled_by_drawing = is_multisampled || planned.format == TexelFormat::Depth;
    let is_drawn = planned.is_target || is_filled_by_drawing;
    usage.set(wgpu::TextureUsages::RENDER_ATTACHMENT, is_drawn);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("texture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count: u32::try_from(planned.levels.len()).unwrap_or(1),
        sample_count: if is_multisampled { SAMPLES } else { 1 },
        dimension: match planned.shape {
            TextureShape::Line => wgpu::TextureDimension::D1,
            TextureShape::Flat | TextureShape::Layered | TextureShape::Multisampled => {
                wgpu::TextureDimension::D2
            }
            TextureShape::Volume => wgpu::TextureDimension::D3,
        },
        format: texel_format(planned.format),
        usage,
        view_formats: &[],
    });
    for (level, bytes) in (0..).zip(&planned.levels) {
        let bytes = if is_doubled { bytes.repeat(2) } else { bytes.clone() };
        if is_filled_by_drawing {
            drawn_upload::fill(gpu, &texture, planned, Texels { level, bytes: &bytes });
        } else {
            upload(gpu, &texture, level, planned.format.bytes_per_texel(), &bytes);
        }
    }
    texture
}

fn make_view(textures: &[wgpu::Texture], view: &PlannedView) -> Option<wgpu::TextureView> {
    Some(textures.get(view.texture)?.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(view_dimension(view.dimension)),
        base_mip_level: view.base_level,
        mip_level_count: Some(view.level_count),
        ..wgpu::TextureViewDescriptor::default()
    }))
}

fn make_sampler(gpu: &Gpu, state: &SamplerState) -> wgpu::Sampler {
    let [u, v, w] = state.wrap.map(address_mode);
    let has_border = [u, v, w].contains(&wgpu::AddressMode::ClampToBorder);
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: None,
        address_mode_u: u,
        address_mode_v: v,
        address_mode_w: w,
        mag_filter: filter_mode(state.magnify),
        min_filter: filter_mode(state.minify),
        mipmap_filter: match state.between {
            Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
            Some(Filter::Nearest) | None => wgpu::MipmapFilterMode::Nearest,
        },
        lod_min_clamp: if state.between.is_some() { state.levels[0] } else { 0.0 },
        // GL's filters without mipmaps use only the first level, but still distinguish minification from magnification.
        lod_max_clamp: if state.between.is_some() { state.levels[1] } else { 0.25 },
        compare: state.compare.map(compare_function),
        anisotropy_clamp: 1,
        border_color: has_border.then(|| border_color(state)),
    })
}

const fn address_mode(wrap: Wrap) -> wgpu::AddressMode {
    match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::MirroredRepeat => wgpu::AddressMode::MirrorRepeat,
        Wrap::ClampToEdge => wgpu::AddressMode::ClampToEdge,
        Wrap::ClampToBorder => wgpu::AddressMode::ClampToBorder,
    }
}

const fn filter_mode(filter: Filter) -> wgpu::FilterMode {
    match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    }
}

/// The border colour of wgpu nearest to that of a sampler. There are only three.
fn border_color(state: &SamplerState) -> wgpu::SamplerBorderColor {
    match state.border_of_webgpu() {
        [.., 0.0] => wgpu::SamplerBorderColor::TransparentBlack,
        [0.0, ..] => wgpu::SamplerBorderColor::OpaqueBlack,
        [..] => wgpu::SamplerBorderColor::OpaqueWhite,
    }
}

fn framebuffer(
    plan: &Plan,
    textures: &[wgpu::Texture],
    attachments: &[TextureLayer],
) -> Vec<Target> {
    let target = |(index, place): (u32, &TextureLayer)| {
        let planned = plan.textures.get(place.texture)?;
        let TexelFormat::Color(format) = planned.format else { return None };
        let texture = textures.get(place.texture)?.clone();
        let (dimension, first, slice) = match planned.shape {
            // The planner makes no render target of the first and the last of these.
            TextureShape::Line
            | TextureShape::Flat
            | TextureShape::Layered
            | TextureShape::Multisampled => (wgpu::TextureViewDimension::D2, place.layer, None),
            TextureShape::Volume => (wgpu::TextureViewDimension::D3, 0, Some(place.layer)),
        };
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(dimension),
            mip_level_count: Some(1),
            base_array_layer: first,
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        Some(Target { texture, view, slice, index, format, multisampled: None })
    };
    (0..).zip(attachments).filter_map(target).collect()
}
