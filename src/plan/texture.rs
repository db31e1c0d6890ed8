//! Converts the contents of textures, such as piglit's patterns, to bytes.

use std::sync::Arc;

use case::texture::{NumberedTexture, SAMPLES, TextureContent, TextureTarget};
use ir::format::{Encoding, Format, FormatClass};
use link::table::binding::{TexelClass, TextureDimension};

pub use ir::format::TexelFormat;

/// A texture to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTexture {
    /// Width, height, and depth or layers, of the first level.
    pub size: [u32; 3],
    /// Meaning of the third size.
    pub shape: TextureShape,
    /// Texel format.
    pub format: TexelFormat,
    /// The bytes of every level, layer after layer or sample after sample.
    pub levels: Vec<Vec<u8>>,
    /// True if it is used as a storage texture.
    pub is_image: bool,
    /// True if it is used as a render target.
    pub is_target: bool,
}

/// Meaning of a texture's third size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureShape {
    /// The third size is one, or six for a cube.
    Flat,
    /// The second and the third size are one, and the texture has one dimension.
    Line,
    /// Layers of an array texture, even if there is only one.
    Layered,
    /// Depth of a 3D texture.
    Volume,
    /// Samples of each texel.
    Multisampled,
}

/// Class of texels in shaders.
pub(super) fn class_of(format: TexelFormat) -> TexelClass {
    match format {
        TexelFormat::Color(format) => match format.class() {
            FormatClass::Float => TexelClass::Float,
            FormatClass::Sint => TexelClass::Sint,
            FormatClass::Uint => TexelClass::Uint,
        },
        TexelFormat::Depth => TexelClass::Depth,
    }
}

/// Size of the largest level of a texture in bytes, computed before it is created.
pub(super) fn byte_size(content: &TextureContent) -> u64 {
    let (size, format) = match content {
        TextureContent::Quadrants { size: [width, height], format }
        | TextureContent::Integer { size: [width, height], format, .. } => {
            ([*width, *height, 1], *format)
        }
        TextureContent::Tiles { size: [width, height], .. } => {
            ([*width, *height, 1], Format::RGBA8_UNORM)
        }
        TextureContent::Layers { size, .. }
        | TextureContent::Junk { size }
        | TextureContent::Depth { size, .. } => (*size, Format::RGBA8_UNORM),
        TextureContent::Texels { size, format, .. }
        | TextureContent::Numbers(NumberedTexture {
            size,
            format: TexelFormat::Color(format),
            ..
        }) => (*size, *format),
        TextureContent::Numbers(NumberedTexture { size, format: TexelFormat::Depth, .. }) => {
            (*size, Format::RGBA8_UNORM)
        }
        TextureContent::Line | TextureContent::Cube | TextureContent::Levels => {
            ([8, 8, 1], Format::RGBA8_UNORM)
        }
    };
    let texel = u64::try_from(format.bytes_per_texel()).unwrap_or(u64::MAX);
    size.iter().fold(texel, |bytes, side| bytes.saturating_mul(u64::from(*side)))
}

const RED: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f64; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f64; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f64; 4] = [1.0; 4];
const CORNERS: [[f64; 4]; 4] = [RED, GREEN, BLUE, WHITE];
const SECOND_SLICE: [[f64; 4]; 4] =
    [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]];

impl PlannedTexture {
    /// The texture for a `texture` step.
    pub(super) fn new(content: &TextureContent) -> Self {
        let shape = match content.target() {
            TextureTarget::D1
            | TextureTarget::D2
            | TextureTarget::Rect
            | TextureTarget::Cube
            | TextureTarget::CubeArray => TextureShape::Flat,
            TextureTarget::D2Multisampled => TextureShape::Multisampled,
            TextureTarget::D1Array | TextureTarget::D2Array => TextureShape::Layered,
            TextureTarget::D3 => TextureShape::Volume,
        };
        Self { shape, ..Self::of(content) }
    }

    fn of(content: &TextureContent) -> Self {
        match content {
            TextureContent::Quadrants { size: [width, height], format } => {
                let which = |[x, y, _]: [u32; 3]| quadrant([x, y], [*width, *height]);
                Self::colored([*width, *height, 1], *format, &CORNERS, which)
            }
            TextureContent::Line => {
                Self::colored([4, 1, 1], Format::RGBA8_UNORM, &CORNERS, |[x, ..]| x as usize % 4)
            }
            TextureContent::Cube => {
                let palette = [CORNERS, SECOND_SLICE].concat();
                let which = |[x, y, z]: [u32; 3]| (x + 2 * y) as usize % 4 + 4 * (z as usize % 2);
                Self::colored([2, 2, 2], Format::RGBA8_UNORM, &palette, which)
            }
            TextureContent::Layers { size, .. } => {
                Self::colored(*size, Format::RGBA8_UNORM, &CORNERS, |[.., z]| z as usize % 4)
            }
            TextureContent::Junk { size } => {
                Self::colored(*size, Format::RGBA8_UNORM, &[[0.0; 4]], |_| 0)
            }
            TextureContent::Tiles { size: [width, height], tile, colors, .. } => {
                let [tile_width, tile_height] = tile.map(|side| side.max(1));
                let which =
                    |[x, y, _]: [u32; 3]| (x / tile_width % 2 + y / tile_height % 2 * 2) as usize;
                Self::colored([*width, *height, 1], Format::RGBA8_UNORM, colors, which)
            }
            TextureContent::Levels => {
                let format = Format::RGBA8_UNORM;
                let level = |(size, color): (u32, [f64; 4])| {
                    let texel = reals(format, color);
                    texels([size, size, 1], |_| &texel)
                };
                let levels = [8, 4, 2, 1].into_iter().zip(CORNERS).map(level).collect();
                Self { levels, ..Self::colored([8, 8, 1], format, &[RED], |_| 0) }
            }
            TextureContent::Integer { size: [width, height], blue_alpha, format } => {
                let size = [*width, *height, 1];
                let bytes = texels(size, |[x, y, _]| integers(*format, [x, y], *blue_alpha));
                Self::one_level(size, TexelFormat::Color(*format), bytes)
            }
            TextureContent::Numbers(numbers) => Self::numbered(numbers),
            TextureContent::Texels { size, format, levels, target } => {
                Self::of_levels(*size, *format, levels, *target)
            }
            TextureContent::Depth { size, .. } => {
                let depth = |[x, ..]: [u32; 3]| {
                    let last = size[0].saturating_sub(1).max(1);
                    (narrow(x) / narrow(last)).to_le_bytes()
                };
                Self::one_level(*size, TexelFormat::Depth, texels(*size, depth))
            }
        }
    }

    fn numbered(texture: &NumberedTexture) -> Self {
        let NumberedTexture { target, size, format, levels, first } = *texture;
        let mut number = first;
        let level = |level: u32| {
            let [width, height, depth] = size.map(|side| (side >> level).max(1));
            let depth = match target {
                TextureTarget::D3 => depth,
                TextureTarget::D2Multisampled => SAMPLES,
                TextureTarget::D1
                | TextureTarget::D2
                | TextureTarget::Rect
                | TextureTarget::D1Array
                | TextureTarget::D2Array
                | TextureTarget::Cube
                | TextureTarget::CubeArray => size[2],
            };
            let height = if target == TextureTarget::D1Array { 1 } else { height };
            let count = width * height * depth;
            (0..count).flat_map(|_| numbered_texel(format, &mut number)).collect()
        };
        let levels = (0..levels).map(level).collect();
        Self { levels, ..Self::one_level(size, format, Vec::new()) }
    }

    /// A texture with these bytes in its levels, each half as wide as the previous one.
    fn of_levels(
        size: [u32; 3],
        format: Format,
        levels: &[Arc<[u8]>],
        target: TextureTarget,
    ) -> Self {
        let filled = |(level, bytes): (u32, &Arc<[u8]>)| {
            let [width, height, depth] = size.map(|side| (side >> level.min(31)).max(1) as usize);
            let depth = if target == TextureTarget::D3 { depth } else { size[2] as usize };
            let mut bytes = bytes.to_vec();
            bytes.resize(width * height * depth * format.bytes_per_texel(), 0);
            bytes
        };
        let levels = (0..).zip(levels).map(filled).collect();
        Self { levels, ..Self::one_level(size, TexelFormat::Color(format), Vec::new()) }
    }

    /// A texture of one black texel, for units without a texture.
    pub(super) fn black(class: TexelClass, dimension: TextureDimension) -> Self {
        let (shape, layers) = match dimension {
            TextureDimension::D1 => (TextureShape::Line, 1),
            TextureDimension::D2 => (TextureShape::Flat, 1),
            TextureDimension::D2Multisampled => (TextureShape::Multisampled, 1),
            TextureDimension::D2Array => (TextureShape::Layered, 1),
            TextureDimension::D3 => (TextureShape::Volume, 1),
            TextureDimension::Cube | TextureDimension::CubeArray => (TextureShape::Flat, 6),
        };
        let name = match class {
            TexelClass::Float | TexelClass::Depth => "rgba8unorm",
            TexelClass::Sint => "rgba8sint",
            TexelClass::Uint => "rgba8uint",
        };
        let size = [1, 1, layers];
        let texture = match (class, Format::from_name(name)) {
            (TexelClass::Depth, _) | (_, None) => {
                Self::one_level(size, TexelFormat::Depth, texels(size, |_| [0; 4]))
            }
            (_, Some(format)) => Self::colored(size, format, &[[0.0, 0.0, 0.0, 1.0]], |_| 0),
        };
        Self { shape, ..texture }
    }

    fn one_level(size: [u32; 3], format: TexelFormat, bytes: Vec<u8>) -> Self {
        Self {
            size,
            shape: TextureShape::Flat,
            format,
            levels: vec![bytes],
            is_image: false,
            is_target: false,
        }
    }

    /// A texture of few colours: `which` returns the index of a texel's colour in `palette`.
    fn colored(
        size: [u32; 3],
        format: Format,
        palette: &[[f64; 4]],
        which: impl Fn([u32; 3]) -> usize,
    ) -> Self {
        let palette: Vec<_> = palette.iter().map(|color| reals(format, *color)).collect();
        let bytes = texels(size, |at| &palette[which(at)]);
        Self::one_level(size, TexelFormat::Color(format), bytes)
    }
}

/// Bytes of a texel whose channels are the next numbers of a [`NumberedTexture`].
fn numbered_texel(format: TexelFormat, number: &mut u32) -> Vec<u8> {
    let mut next = |modulus: u32| {
        let own = *number % modulus;
        *number = number.wrapping_add(1);
        own
    };
    let TexelFormat::Color(format) = format else {
        return (narrow(next(16)) / 16.0).to_le_bytes().to_vec();
    };
    let mut bits = [0; 4];
    for (channel, bits) in bits.iter_mut().enumerate().take(format.channel_count()) {
        *bits = match format.encoding() {
            Encoding::Float => format.encode_real(channel, f64::from(next(16) + 1) / 4.0),
            Encoding::Unorm | Encoding::UnormSrgb => {
                format.encode_real(channel, f64::from(next(16)) / 15.0)
            }
            Encoding::Snorm => format.encode_real(channel, f64::from(next(15)) / 7.0 - 1.0),
            Encoding::Sint | Encoding::Uint => {
                format.encode_integer(channel, i128::from(next(7) + 1))
            }
        };
    }
    format.pack(bits)
}

/// Converts a size to a float.
#[expect(clippy::cast_precision_loss, reason = "textures have at most 4096 texels in a row")]
const fn narrow(value: u32) -> f32 {
    value as f32
}

/// Bytes of all texels, x fastest and z slowest.
fn texels<T: AsRef<[u8]>>(
    [width, height, depth]: [u32; 3],
    texel: impl Fn([u32; 3]) -> T,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                bytes.extend_from_slice(texel([x, y, z]).as_ref());
            }
        }
    }
    bytes
}

const fn quadrant([x, y]: [u32; 2], [width, height]: [u32; 2]) -> usize {
    (x >= width / 2) as usize + 2 * (y >= height / 2) as usize
}

fn reals(format: Format, color: [f64; 4]) -> Vec<u8> {
    let mut bits = [0; 4];
    for (channel, bits) in bits.iter_mut().enumerate().take(format.channel_count()) {
        *bits = format.encode_real(channel, color[channel]);
    }
    format.pack(bits)
}

fn integers(format: Format, [x, y]: [u32; 2], [blue, alpha]: [i32; 2]) -> Vec<u8> {
    let (x, y, blue, alpha) = (i128::from(x), i128::from(y), i128::from(blue), i128::from(alpha));
    let values = if format.channel_count() == 1 {
        [x + y * blue + alpha, 0, 0, 0]
    } else {
        [x, y, blue, alpha]
    };
    let mut bits = [0; 4];
    for (channel, bits) in bits.iter_mut().enumerate().take(format.channel_count()) {
        *bits = format.encode_integer(channel, values[channel]);
    }
    format.pack(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &TextureContent, texel: usize, expected: [u8; 4]) {
        let texture = PlannedTexture::new(content);
        let last = texture.levels.last().expect("has a level");
        assert_eq!(last[texel * 4..texel * 4 + 4], expected);
    }

    #[test]
    fn the_first_quadrants_are_smaller_where_the_size_is_odd() {
        let content = TextureContent::Quadrants { size: [3, 1], format: Format::RGBA8_UNORM };
        // Half of a height of one rounds to zero, so all rows are upper ones.
        check(&content, 0, [0, 0, 255, 255]);
        check(&content, 1, [255; 4]);
        let content = TextureContent::Quadrants { size: [2, 2], format: Format::RGBA8_UNORM };
        check(&content, 0, [255, 0, 0, 255]);
        check(&content, 1, [0, 255, 0, 255]);
    }

    #[test]
    fn tiles_alternate() {
        let colors = [[0.0; 4], [1.0; 4], [1.0; 4], [0.0; 4]];
        let content = TextureContent::Tiles { level: 0, size: [4, 4], tile: [2, 2], colors };
        check(&content, 1, [0; 4]);
        check(&content, 2, [255; 4]);
        check(&content, 8, [255; 4]);
        check(&content, 10, [0; 4]);
    }

    #[test]
    fn levels_have_colours_of_their_own() {
        check(&TextureContent::Levels, 0, [255; 4]);
        assert_eq!(PlannedTexture::new(&TextureContent::Levels).levels[1].len(), 64);
    }

    #[test]
    fn numbers_count_on_through_levels_and_samples() {
        let numbers = |target, size, name, levels| {
            let format = Format::from_name(name).map_or(TexelFormat::Depth, TexelFormat::Color);
            let numbers = NumberedTexture { target, size, format, levels, first: 1 };
            PlannedTexture::new(&TextureContent::Numbers(numbers)).levels
        };
        let levels = numbers(TextureTarget::D2, [2, 1, 1], "rg8uint", 2);
        assert_eq!(levels, [vec![2, 3, 4, 5], vec![6, 7]]);
        let samples = numbers(TextureTarget::D2Multisampled, [1, 1, 1], "rg8unorm", 1);
        assert_eq!(samples, [[17, 34, 51, 68, 85, 102, 119, 136].to_vec()]);
        let signed = numbers(TextureTarget::D1, [2, 1, 1], "r8snorm", 1);
        // −6/7 and −5/7 of 127.
        assert_eq!(signed, [[-109_i8, -91].map(i8::cast_unsigned).to_vec()]);
        let cube = numbers(TextureTarget::Cube, [1, 1, 6], "depth", 1);
        let depths = (1..7).flat_map(|number: u8| (f32::from(number) / 16.0).to_le_bytes());
        assert_eq!(cube, [depths.collect::<Vec<_>>()]);
        let array = numbers(TextureTarget::D2Array, [2, 2, 2], "r8uint", 2);
        // Numbers 9 and 10: one texel in each of two layers.
        assert_eq!(array[1], [3, 4]);
    }

    #[test]
    fn depths_run_from_left_to_right() {
        let content = TextureContent::Depth { target: TextureTarget::D2, size: [3, 1, 1] };
        let texture = PlannedTexture::new(&content);
        let depths: Vec<_> =
            [0.0_f32, 0.5, 1.0].iter().flat_map(|depth| depth.to_le_bytes()).collect();
        assert_eq!(texture.levels[0], depths);
    }
}
