//! Adds noise to lookups.

use ir::format::{Encoding, FormatClass};
use link::table::binding::TextureDimension;
use plan::TexelFormat;

use super::{Level, Lookup, Textures};
use crate::noise::Noise;
use crate::noise::allowance::SINGLE;
use crate::numbers::narrow;

/// Error of a position between texels: adapters have 8 bits or fewer for the weights of texels (Vulkan's
/// `subTexelPrecisionBits` is at least 4).
const PLACE_ERROR: f64 = 1.0 / 256.0;

/// The grid of levels of detail that every adapter has (Vulkan's `mipmapPrecisionBits` is at least 4).
const LEVEL_GRID: f32 = 16.0;

/// Error of a level of detail if derivatives are not parallel to an axis: an adapter may use the larger component of a
/// derivative, or the sum, instead of the length (Vulkan 1.3, "Scale Factor Operation").
const SLANTED_ERROR: f32 = 0.5;

impl Textures {
    /// Perturbs the position and the level of a lookup.
    pub(crate) fn disturbed_lookup(
        &self,
        view: usize,
        lookup: &Lookup,
        noise: Noise,
        salt: u32,
    ) -> Lookup {
        let mut lookup = *lookup;
        let is_cube = self.seen(view).is_some_and(|seen| {
            matches!(seen.view.dimension, TextureDimension::Cube | TextureDimension::CubeArray)
        });
        let size = self.size(view, 0);
        let most = lookup.coordinate.iter().fold(0.0_f32, |most, side| most.max(side.abs()));
        for (axis, side) in (0_u32..).zip(&mut lookup.coordinate) {
            let texels =
                if is_cube { size[0] } else { size.get(axis as usize).copied().unwrap_or(1) };
            // The face of a cube is two units wide.
            let scale = if is_cube { 2.0 * f64::from(most) } else { 1.0 };
            let error = PLACE_ERROR * scale / f64::from(texels.max(1));
            let sign = noise.sign(salt.wrapping_add(axis));
            if texels > 1 {
                *side = narrow(error.mul_add(sign, f64::from(*side)));
            }
        }
        let sign = narrow(noise.sign(!salt));
        lookup.level = match lookup.level {
            Level::Exact(level) if (level * LEVEL_GRID).fract() == 0.0 => Level::Exact(level),
            Level::Exact(level) => Level::Exact(level + sign / LEVEL_GRID),
            Level::Gradients { x, y, bias } => {
                let is_along_axis =
                    |step: [f32; 3]| step.iter().filter(|side| **side != 0.0).count() <= 1;
                let error = if is_along_axis(x) && is_along_axis(y) && !is_cube {
                    1.0 / LEVEL_GRID
                } else {
                    SLANTED_ERROR
                };
                Level::Gradients { x, y, bias: error.mul_add(sign, bias) }
            }
        };
        lookup
    }

    /// Perturbs a word of a texel by the error of its conversion to a float.
    pub(crate) fn disturbed_texel(&self, view: usize, word: u32, noise: Noise, salt: u32) -> u32 {
        let Some(seen) = self.seen(view) else { return word };
        if seen.image.class() != FormatClass::Float {
            return word;
        }
        let value = f32::from_bits(word);
        let error = match seen.image.format {
            TexelFormat::Color(format) if format.encoding() == Encoding::UnormSrgb => 1.0 / 1024.0,
            TexelFormat::Color(format) if format.encoding() == Encoding::Float => 0.0,
            TexelFormat::Color(_) | TexelFormat::Depth => 4.0 * SINGLE,
        };
        noise.moved_single(value, error * f64::from(value.abs()), salt).to_bits()
    }
}
