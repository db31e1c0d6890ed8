//! Textures as the commands of a case describe them: content and sampling parameters.

use std::sync::Arc;

use ir::format::{Format, TexelFormat};

use crate::state::depth_stencil::CompareFunction;

/// `texture …`: makes a texture and binds it to a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureStep {
    /// Texture unit.
    pub unit: u32,
    /// Kind and content.
    pub content: TextureContent,
}

/// Kind and content of a texture. The first row of every image is the lowest one.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureContent {
    /// `rgbw`: quadrants, red at the lower left, green, blue at the upper left, white; nearest filtering.
    Quadrants {
        /// Width and height.
        size: [u32; 2],
        /// Pixel format.
        format: Format,
    },
    /// `rgbw 1D`: red, green, blue, white.
    Line,
    /// `rgbw 3D`: 2 by 2 by 2 texels of eight colours.
    Cube,
    /// `rgbw 1DArray`, `rgbw 2DArray`: layers that are red, green, blue and white in turn.
    Layers {
        /// [`TextureTarget::D1Array`] or [`TextureTarget::D2Array`].
        target: TextureTarget,
        /// Width, height (1 for one dimension) and layers.
        size: [u32; 3],
    },
    /// `junk 2DArray`: zeros.
    Junk {
        /// Width, height and layers.
        size: [u32; 3],
    },
    /// `checkerboard` and `quads`: tiles in a repeating 2 by 2 pattern. The border is red.
    Tiles {
        /// The only mipmap level with data.
        level: u32,
        /// Width and height of that level.
        size: [u32; 2],
        /// Width and height of a tile.
        tile: [u32; 2],
        /// The lower left, lower right, upper left and upper right colour.
        colors: [[f64; 4]; 4],
    },
    /// `miptree`: 8 by 8 texels and four levels, red, green, blue and white.
    Levels,
    /// `integer`: red is x, green is y; in a one-channel format, red is x + y · blue + alpha.
    Integer {
        /// Width and height.
        size: [u32; 2],
        /// Blue and alpha.
        blue_alpha: [i32; 2],
        /// Pixel format, an integer one.
        format: Format,
    },
    /// `numbers`: values that differ from texel to texel, and from texture to texture.
    Numbers(NumberedTexture),
    /// Texels from a script.
    Texels {
        /// [`TextureTarget::D2`] or [`TextureTarget::D3`].
        target: TextureTarget,
        /// Width, height and depth.
        size: [u32; 3],
        /// Pixel format.
        format: Format,
        /// The bytes of every level; missing ones are zero.
        levels: Vec<Arc<[u8]>>,
    },
    /// `shadow…`: depths from 0 at the left to 1 at the right; compared with `greater`.
    Depth {
        /// Target of the texture.
        target: TextureTarget,
        /// Width, height (1 for one dimension) and layers (1 without).
        size: [u32; 3],
    },
}

/// A texture whose channels count on from texel to texel: x fastest, then y, slice or layer, sample, and level.
///
/// Number i of this sequence is (i mod 16 + 1) / 4 as a float, (i mod 16) / 15 as an unsigned and (i mod 15 − 7) / 7 as
/// a signed normalised number, i mod 7 + 1 as an integer, and (i mod 16) / 16 as a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedTexture {
    /// Target of the texture.
    pub target: TextureTarget,
    /// Width, height (1 for one dimension), and depth, layers or faces (1 without).
    pub size: [u32; 3],
    /// Pixel format.
    pub format: TexelFormat,
    /// Number of levels.
    pub levels: u32,
    /// i of the first channel of the first texel.
    pub first: u32,
}

/// Number of samples of a multisampled texture, the only one that every adapter has.
pub const SAMPLES: u32 = 4;

/// Texture target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum TextureTarget {
    D1,
    D2,
    D3,
    Rect,
    D1Array,
    D2Array,
    D2Multisampled,
    Cube,
    CubeArray,
}

/// `texparameter TARGET …`: changes the texture created last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureParameter {
    /// Target: selects one of the unit's bindings.
    pub target: TextureTarget,
    /// The changed parameter.
    pub setting: TextureSetting,
}

/// A texture parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextureSetting {
    /// `compare_func`.
    CompareFunction(CompareFunction),
    /// `depth_mode`: components that receive the depth or the result of the comparison.
    DepthMode(DepthMode),
    /// `min`: the filter within a level, and the one between levels, if any.
    Minify(Filter, Option<Filter>),
    /// `mag`.
    Magnify(Filter),
    /// `wrap_s`, `wrap_t`, `wrap_r` (0 to 2).
    Wrap(u8, Wrap),
    /// `base_level`.
    BaseLevel(u32),
    /// `max_level`.
    MaxLevel(u32),
    /// `border_color`.
    BorderColor([f64; 4]),
    /// `lod_bias`.
    LodBias(f64),
    /// `swizzle_r` to `swizzle_a` (0 to 3).
    Swizzle(u8, Swizzle),
}

/// GL depth texture mode: expansion of a depth d to four components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthMode {
    /// d, d, d, 1.
    Luminance,
    /// d, d, d, d.
    Intensity,
    /// 0, 0, 0, d.
    Alpha,
    /// d, 0, 0, 1.
    Red,
}

/// Texture filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// Nearest texel.
    Nearest,
    /// Linear interpolation.
    Linear,
}

/// Wrap mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum Wrap {
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
}

/// Source of one component in a texture swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum Swizzle {
    Red,
    Green,
    Blue,
    Alpha,
    Zero,
    One,
}

impl TextureContent {
    /// The target that the texture is bound to.
    pub const fn target(&self) -> TextureTarget {
        match self {
            Self::Quadrants { .. } | Self::Tiles { .. } | Self::Levels | Self::Integer { .. } => {
                TextureTarget::D2
            }
            Self::Line => TextureTarget::D1,
            Self::Cube => TextureTarget::D3,
            Self::Junk { .. } => TextureTarget::D2Array,
            Self::Layers { target, .. }
            | Self::Depth { target, .. }
            | Self::Numbers(NumberedTexture { target, .. })
            | Self::Texels { target, .. } => *target,
        }
    }
}

impl DepthMode {
    /// Sources of the four components, for a depth in the red component.
    pub const fn swizzle(self) -> [Swizzle; 4] {
        match self {
            Self::Luminance => [Swizzle::Red, Swizzle::Red, Swizzle::Red, Swizzle::One],
            Self::Intensity => [Swizzle::Red; 4],
            Self::Alpha => [Swizzle::Zero, Swizzle::Zero, Swizzle::Zero, Swizzle::Red],
            Self::Red => [Swizzle::Red, Swizzle::Zero, Swizzle::Zero, Swizzle::One],
        }
    }
}
