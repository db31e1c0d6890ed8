//! Textures, views and samplers.
//!
//! Texels are filtered as in Vulkan's chapter "Texture Operations", where the borders of cubes are seamless. Textures
//! of one dimension are two-dimensional with a height of one, and the samples of a multisampled texture are its slices.

mod address;
mod cube;
mod detail;
mod disturb;
mod filter;
mod texels;

use std::array::from_fn;

use case::texture::SAMPLES;
use ir::format::FormatClass;
use link::table::binding::TextureDimension;
use plan::{Plan, PlannedView, SamplerState};

use crate::numbers::narrow;
use filter::{Seen, look_up};
use texels::Image;

/// All textures of a case, with their views and samplers.
#[derive(Debug, Default)]
pub struct Textures {
    images: Vec<Image>,
    views: Vec<PlannedView>,
    samplers: Vec<SamplerState>,
}

/// A lookup of a filtered texel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookup {
    /// Normalised coordinates; the components that the texture lacks are 0.
    pub coordinate: [f32; 3],
    /// Layer of an array texture, otherwise 0.
    pub layer: i32,
    /// Offset in texels.
    pub offset: [i32; 3],
    /// Level of detail.
    pub level: Level,
    /// Reference value of a depth comparison.
    pub reference: Option<f32>,
    /// The component that is gathered from four texels, if any.
    pub gather: Option<usize>,
}

/// Level of detail of a lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// An explicit level of detail.
    Exact(f32),
    /// The level of detail of the coordinates' derivatives, plus a bias.
    Gradients {
        /// Derivatives to the right.
        x: [f32; 3],
        /// Derivatives to the next row.
        y: [f32; 3],
        /// Bias added to the level of detail.
        bias: f32,
    },
}

/// The address of a single texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// Coordinates; those that the texture lacks are 0.
    pub at: [i32; 3],
    /// Layer of an array texture, otherwise 0.
    pub layer: i32,
    /// Level, relative to the first level of the view.
    pub level: i32,
    /// Sample of a multisampled texture.
    pub sample: i32,
}

/// An atomic operation on a texel of one channel; the result of minimum and maximum depends on the format's sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of naga's operations")]
pub enum TexelAtomic {
    Add,
    Subtract,
    And,
    ExclusiveOr,
    InclusiveOr,
    Min,
    Max,
    Exchange,
    /// Stores the new value if the texel equals this one.
    CompareExchange(u32),
}

impl Textures {
    /// Makes the textures of a plan with their initial content, and its views and samplers; indices are those of the
    /// plan.
    pub fn new(plan: &Plan) -> Self {
        Self {
            images: plan.textures.iter().map(Image::new).collect(),
            views: plan.views.clone(),
            samplers: plan.samplers.clone(),
        }
    }

    /// Looks up a filtered texel. Words are bits of floats or integers, according to the texture's class; of a depth
    /// comparison only the first word counts, unless the lookup gathers. Gathered components are in the order of Vulkan
    /// and WebGPU: counter-clockwise from the texel at the lower left, with the first row on top.
    pub fn sample(&self, view: usize, sampler: usize, lookup: &Lookup) -> [u32; 4] {
        let found = self.seen(view).zip(self.samplers.get(sampler));
        found.map_or([0; 4], |(seen, sampler)| look_up(seen, sampler, lookup))
    }

    /// Reads a texel. Outside the texture, all channels that the format has are 0.
    pub fn load(&self, view: usize, texel: Texel) -> [u32; 4] {
        let Some(seen) = self.seen(view) else { return [0; 4] };
        let read = seen.place(texel).and_then(|(level, at)| seen.image.read(level, at));
        read.unwrap_or_else(|| seen.image.outside())
    }

    /// Writes a texel, converted to the texture's format. Outside the texture this has no effect.
    pub fn store(&mut self, view: usize, texel: Texel, words: [u32; 4]) {
        let Some(seen) = self.seen(view) else { return };
        let (place, texture) = (seen.place(texel), seen.view.texture);
        if let (Some((level, at)), Some(image)) = (place, self.images.get_mut(texture)) {
            image.write(level, at, words);
        }
    }

    /// Changes the first channel of a texel and returns its old value. Outside the texture the result is 0, and nothing
    /// changes.
    pub fn atomic(&mut self, view: usize, texel: Texel, operation: TexelAtomic, value: u32) -> u32 {
        let Some(seen) = self.seen(view) else { return 0 };
        let Some((level, at)) = seen.place(texel) else { return 0 };
        let Some([old, ..]) = seen.image.read(level, at) else { return 0 };
        let new = operation.apply(seen.image.class(), old, value);
        self.store(view, texel, [new, 0, 0, 0]);
        old
    }

    /// The texture of a view.
    pub(crate) fn texture(&self, view: usize) -> Option<usize> {
        self.views.get(view).map(|view| view.texture)
    }

    /// Number of texels of all levels of a texture.
    pub(crate) fn texels(&self, texture: usize) -> usize {
        self.images.get(texture).map_or(0, Image::texels)
    }

    /// Index of a texel among those of all levels of its texture. `None` outside the texture.
    pub(crate) fn number(&self, view: usize, texel: Texel) -> Option<usize> {
        let seen = self.seen(view)?;
        let (level, at) = seen.place(texel)?;
        seen.image.number(level, at)
    }

    /// Width, height and depth of a level of a view; 1 for dimensions that it lacks. All are 0 for a missing level.
    pub fn size(&self, view: usize, level: i32) -> [u32; 3] {
        let seen = self.seen(view);
        let found = seen.and_then(|seen| Some(seen.size(seen.level(level)?)));
        found.unwrap_or([0; 3])
    }

    /// A coordinate clamped to the middles of the outer texels of the first level, as `textureSampleBaseClampToEdge` of
    /// WGSL does.
    pub(crate) fn clamped(&self, view: usize, coordinate: [f32; 3]) -> [f32; 3] {
        let size = self.size(view, 0);
        from_fn(|axis| {
            let half = 0.5 / narrow(f64::from(size[axis].max(1)));
            coordinate[axis].max(half).min(1.0 - half)
        })
    }

    /// Numbers of levels, layers (cubes count six faces as one) and samples of a view.
    pub fn counts(&self, view: usize) -> [u32; 3] {
        let Some(seen) = self.seen(view) else { return [1; 3] };
        let layers = match seen.view.dimension {
            TextureDimension::D1
            | TextureDimension::D2
            | TextureDimension::D2Multisampled
            | TextureDimension::D2Array
            | TextureDimension::D3 => seen.layers(),
            TextureDimension::Cube | TextureDimension::CubeArray => seen.layers() / 6,
        };
        let is_multisampled = seen.view.dimension == TextureDimension::D2Multisampled;
        [seen.view.level_count, layers, if is_multisampled { SAMPLES } else { 1 }]
    }

    /// The texels of a texture's first level, layer after layer, row 0 first. Depths are 32-bit floats.
    pub fn bytes(&self, texture: usize) -> &[u8] {
        self.images.get(texture).map_or(&[], Image::bytes)
    }

    /// The texels of one layer of a texture's first level.
    pub fn layer(&self, texture: usize, layer: usize) -> &[u8] {
        let range = self.images.get(texture).map(|image| image.layer(layer));
        range.and_then(|range| self.bytes(texture).get(range)).unwrap_or(&[])
    }

    /// The texels of one layer of a texture's first level, as a mutable slice.
    pub fn layer_mut(&mut self, texture: usize, layer: usize) -> &mut [u8] {
        let Some(image) = self.images.get_mut(texture) else { return &mut [] };
        let range = image.layer(layer);
        image.bytes_mut().get_mut(range).unwrap_or(&mut [])
    }

    fn seen(&self, view: usize) -> Option<Seen<'_>> {
        let view = *self.views.get(view)?;
        Some(Seen { image: self.images.get(view.texture)?, view })
    }
}

impl Seen<'_> {
    /// The texture's level for a level of the view.
    fn level(&self, level: i32) -> Option<u32> {
        u32::try_from(level).ok().filter(|level| *level < self.view.level_count)
    }

    /// Level, column, row and slice or layer of a texel in the texture.
    fn place(&self, texel: Texel) -> Option<(u32, [i64; 3])> {
        let level = self.view.base_level.checked_add(self.level(texel.level)?)?;
        let is_multisampled = self.view.dimension == TextureDimension::D2Multisampled;
        let slice = match self.view.dimension {
            TextureDimension::D1 | TextureDimension::D2 => 0,
            TextureDimension::D2Multisampled => texel.sample,
            TextureDimension::D3 => texel.at[2],
            TextureDimension::D2Array | TextureDimension::Cube | TextureDimension::CubeArray => {
                texel.layer
            }
        };
        let at = [texel.at[0], texel.at[1], slice].map(i64::from);
        (texel.sample == 0 || is_multisampled).then_some((level, at))
    }
}

impl TexelAtomic {
    fn apply(self, class: FormatClass, old: u32, value: u32) -> u32 {
        let is_signed = class == FormatClass::Sint;
        // Maps the order of signed numbers to that of unsigned ones.
        let rank = |word: u32| if is_signed { word ^ (1 << 31) } else { word };
        match self {
            Self::Add => old.wrapping_add(value),
            Self::Subtract => old.wrapping_sub(value),
            Self::And => old & value,
            Self::ExclusiveOr => old ^ value,
            Self::InclusiveOr => old | value,
            Self::Min => rank(rank(old).min(rank(value))),
            Self::Max => rank(rank(old).max(rank(value))),
            Self::Exchange => value,
            Self::CompareExchange(expected) => {
                if old == expected {
                    value
                } else {
                    old
                }
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact")]
mod tests;
