//! Texture and image units with what is bound to them.

use std::collections::BTreeMap;

use case::depth_stencil::CompareFunction;
use case::texture::{DepthMode, Filter, Swizzle, TextureSetting, TextureTarget, Wrap};
use ir::format::Format;
use link::table::binding::{TexelClass, TextureDimension};

use crate::opaque::SamplerState;
use crate::planner::programs::Owner;

/// State of the units at one step.
#[derive(Debug, Default)]
pub(in crate::planner) struct Units {
    pub(in crate::planner) textures: BTreeMap<(u32, TextureTarget), BoundTexture>,
    pub(in crate::planner) images: BTreeMap<u32, BoundImage>,
    /// Unit of the last bound texture.
    pub(super) active_unit: u32,
    pub(in crate::planner) last_target: BTreeMap<u32, TextureTarget>,
    /// Samplers at points of a script, which are separate from textures.
    pub(in crate::planner) samplers: BTreeMap<u32, SamplerState>,
    /// Units that the case assigned, by the uniform's owner and name.
    pub(super) set: BTreeMap<(Owner, String), u32>,
    /// Black textures for units without a texture.
    pub(super) black: BTreeMap<(TextureDimension, TexelClass), usize>,
    /// Bytes of all textures so far.
    pub(super) texture_bytes: u64,
}

/// The image of a unit.
#[derive(Clone, Copy, Debug)]
pub(in crate::planner) struct BoundImage {
    /// Index into `Plan::textures`.
    pub(in crate::planner) texture: usize,
    pub(in crate::planner) format: Format,
    pub(in crate::planner) level: u32,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::planner) struct BoundTexture {
    /// Index into `Plan::textures`.
    pub(in crate::planner) texture: usize,
    pub(super) sampler: SamplerState,
    /// GL level of the texture's first stored level.
    pub(super) first_level: u32,
    pub(in crate::planner) base_level: u32,
    pub(super) max_level: u32,
    pub(super) depth_mode: DepthMode,
    pub(super) swizzle: [Swizzle; 4],
    pub(super) lod_bias: f64,
    /// True if a `texparameter` changed what GL has in the texture and WebGPU has not.
    pub(super) has_gl_parameters: bool,
}

impl BoundTexture {
    pub(super) fn new(texture: usize, content: &case::texture::TextureContent) -> Self {
        use case::texture::TextureContent as Content;
        let mut sampler = SamplerState::NEAREST;
        let mut first_level = 0;
        match content {
            Content::Tiles { level, .. } => {
                first_level = *level;
                sampler.wrap = [Wrap::ClampToBorder; 3];
                sampler.border = [1.0, 0.0, 0.0, 1.0];
            }
            Content::Levels => sampler.between = Some(Filter::Nearest),
            // piglit keeps GL's default parameters.
            Content::Junk { .. } => sampler.wrap = [Wrap::Repeat; 3],
            Content::Depth { .. } => sampler.compare = Some(CompareFunction::Greater),
            Content::Quadrants { .. }
            | Content::Line
            | Content::Cube
            | Content::Layers { .. }
            | Content::Texels { .. }
            | Content::Numbers(_)
            | Content::Integer { .. } => {}
        }
        Self {
            texture,
            sampler,
            first_level,
            base_level: 0,
            max_level: 1000,
            depth_mode: DepthMode::Luminance,
            swizzle: [Swizzle::Red, Swizzle::Green, Swizzle::Blue, Swizzle::Alpha],
            lod_bias: 0.0,
            has_gl_parameters: false,
        }
    }

    pub(super) fn set(&mut self, setting: TextureSetting) {
        self.has_gl_parameters |=
            !matches!(setting, TextureSetting::BaseLevel(_) | TextureSetting::MaxLevel(_));
        match setting {
            TextureSetting::CompareFunction(function) => self.sampler.compare = Some(function),
            TextureSetting::DepthMode(mode) => self.depth_mode = mode,
            TextureSetting::Minify(within, between) => {
                (self.sampler.minify, self.sampler.between) = (within, between);
            }
            TextureSetting::Magnify(filter) => self.sampler.magnify = filter,
            TextureSetting::Wrap(axis, wrap) => {
                if let Some(place) = self.sampler.wrap.get_mut(usize::from(axis)) {
                    *place = wrap;
                }
            }
            TextureSetting::BaseLevel(level) => self.base_level = level,
            TextureSetting::MaxLevel(level) => self.max_level = level,
            TextureSetting::BorderColor(color) => self.sampler.border = color,
            TextureSetting::LodBias(bias) => self.lod_bias = bias,
            TextureSetting::Swizzle(channel, from) => {
                if let Some(place) = self.swizzle.get_mut(usize::from(channel)) {
                    *place = from;
                }
            }
        }
    }
}
