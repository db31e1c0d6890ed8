//! `texture`, `texparameter`, `image texture`, `sampler`, `fb tex 2d`, `fb tex layered`.

use crate::Setting;
use crate::limits::{MAX_TARGET_INDEX, MAX_TEXTURE_LAYERS, MAX_TEXTURE_SIZE, MAX_UNIT};
use crate::read::commands::state::CHANNELS;
use crate::read::elsewhere::unknown_word;
use crate::read::line::{Word, Words, wrong};
use crate::read::point::read_point;
use crate::read::problem::{Parsed, Problem};
use crate::resource::bind::{BindStep, Sampler};
use crate::resource::texture::{
    DepthMode, Filter, NumberedTexture, Swizzle, TextureContent, TextureParameter, TextureSetting,
    TextureStep, TextureTarget, Wrap,
};
use crate::state::depth_stencil::CompareFunction;
use ir::format::{Format, FormatClass, TexelFormat};

const TARGETS: [(&str, TextureTarget); 9] = [
    ("1D", TextureTarget::D1),
    ("2D", TextureTarget::D2),
    ("3D", TextureTarget::D3),
    ("Rect", TextureTarget::Rect),
    ("1DArray", TextureTarget::D1Array),
    ("2DArray", TextureTarget::D2Array),
    ("2DMultisampled", TextureTarget::D2Multisampled),
    ("Cube", TextureTarget::Cube),
    ("CubeArray", TextureTarget::CubeArray),
];

/// GL's format names, and wgpu's.
const GL_FORMATS: [(&str, &str); 36] = [
    ("GL_RGBA", "rgba8unorm"),
    ("GL_R8", "r8unorm"),
    ("GL_RG8", "rg8unorm"),
    ("GL_RGBA8", "rgba8unorm"),
    ("GL_R8_SNORM", "r8snorm"),
    ("GL_RG8_SNORM", "rg8snorm"),
    ("GL_RGBA8_SNORM", "rgba8snorm"),
    ("GL_R16", "r16unorm"),
    ("GL_RG16", "rg16unorm"),
    ("GL_RGBA16", "rgba16unorm"),
    ("GL_R16F", "r16float"),
    ("GL_RG16F", "rg16float"),
    ("GL_RGBA16F", "rgba16float"),
    ("GL_R32F", "r32float"),
    ("GL_RG32F", "rg32float"),
    ("GL_RGBA32F", "rgba32float"),
    ("GL_R8I", "r8sint"),
    ("GL_RG8I", "rg8sint"),
    ("GL_RGBA8I", "rgba8sint"),
    ("GL_R16I", "r16sint"),
    ("GL_RG16I", "rg16sint"),
    ("GL_RGBA16I", "rgba16sint"),
    ("GL_R32I", "r32sint"),
    ("GL_RG32I", "rg32sint"),
    ("GL_RGBA32I", "rgba32sint"),
    ("GL_R8UI", "r8uint"),
    ("GL_RG8UI", "rg8uint"),
    ("GL_RGBA8UI", "rgba8uint"),
    ("GL_R16UI", "r16uint"),
    ("GL_RG16UI", "rg16uint"),
    ("GL_RGBA16UI", "rgba16uint"),
    ("GL_R32UI", "r32uint"),
    ("GL_RG32UI", "rg32uint"),
    ("GL_RGBA32UI", "rgba32uint"),
    ("GL_RGB10_A2", "rgb10a2unorm"),
    ("GL_R11F_G11F_B10F", "rg11b10ufloat"),
];

/// Reads `texture rgbw [TARGET] UNIT (size) [FORMAT]`.
pub(super) fn read_rgbw(words: &mut Words<'_>) -> Parsed<Setting> {
    let target = take_target(words).unwrap_or(TextureTarget::D2);
    let unit = read_unit(words)?;
    let content = match target {
        TextureTarget::D2 => {
            let size = read_size(words)?;
            let format = if words.has_more() { read_format(words)? } else { Format::RGBA8_UNORM };
            TextureContent::Quadrants { size, format }
        }
        TextureTarget::D1 => TextureContent::Line,
        TextureTarget::D3 => TextureContent::Cube,
        TextureTarget::D1Array | TextureTarget::D2Array => {
            TextureContent::Layers { target, size: read_target_size(words, target)? }
        }
        TextureTarget::Rect
        | TextureTarget::D2Multisampled
        | TextureTarget::Cube
        | TextureTarget::CubeArray => {
            let word = format!("texture rgbw {}", target_name(target));
            return Err(Problem::unsupported(word, words.span));
        }
    };
    Ok(Setting::Texture(TextureStep { unit, content }))
}

/// Reads `texture numbers [TARGET] UNIT (size) FORMAT [levels N]`.
pub(super) fn read_numbers(words: &mut Words<'_>) -> Parsed<Setting> {
    let target = take_target(words).unwrap_or(TextureTarget::D2);
    let unit = read_unit(words)?;
    let size = read_target_size(words, target)?;
    let format = if words.take("depth16unorm") {
        TexelFormat::Depth
    } else {
        TexelFormat::Color(read_format(words)?)
    };
    let largest = size[0].max(size[1]).max(if target == TextureTarget::D3 { size[2] } else { 1 });
    let most = match target {
        // WebGPU's one-dimensional and multisampled textures have one level.
        TextureTarget::D1 | TextureTarget::D2Multisampled => 1,
        TextureTarget::D2
        | TextureTarget::D3
        | TextureTarget::Rect
        | TextureTarget::D1Array
        | TextureTarget::D2Array
        | TextureTarget::Cube
        | TextureTarget::CubeArray => u32::BITS - largest.leading_zeros(),
    };
    let levels =
        if words.take("levels") { words.integer("the number of levels", 1..=most)? } else { 1 };
    // The same binding in another group, and the next binding, begin with other numbers.
    let first = (unit & 0xffff).saturating_add(8 * (unit >> 16));
    let content = TextureContent::Numbers(NumberedTexture { target, size, format, levels, first });
    Ok(Setting::Texture(TextureStep { unit, content }))
}

/// Reads `texture junk 2DArray UNIT (w, h, layers)`.
pub(super) fn read_junk(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = read_unit(words)?;
    let content = TextureContent::Junk { size: read_target_size(words, TextureTarget::D2Array)? };
    Ok(Setting::Texture(TextureStep { unit, content }))
}

/// Reads `texture checkerboard UNIT LEVEL (w, h) (color) (color)`.
pub(super) fn read_checkerboard(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = read_unit(words)?;
    let level = words.integer("the mipmap level", 0..=MAX_LEVEL)?;
    let size = read_size(words)?;
    let [even, odd] = [words.floats(CHANNELS)?, words.floats(CHANNELS)?];
    let (tile, colors) = (size.map(|side| (side / 2).max(1)), [even, odd, odd, even]);
    let content = TextureContent::Tiles { level, size, tile, colors };
    Ok(Setting::Texture(TextureStep { unit, content }))
}

/// Reads `texture quads UNIT LEVEL (w, h) (tile w, tile h) (color) (color) (color) (color)`.
pub(super) fn read_quads(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = read_unit(words)?;
    let level = words.integer("the mipmap level", 0..=MAX_LEVEL)?;
    let (size, tile) = (read_size(words)?, read_size(words)?);
    let mut colors = [[0.0; 4]; 4];
    for color in &mut colors {
        *color = words.floats(CHANNELS)?;
    }
    let content = TextureContent::Tiles { level, size, tile, colors };
    Ok(Setting::Texture(TextureStep { unit, content }))
}

const MAX_LEVEL: u32 = 12;

/// Reads `texture miptree UNIT`.
pub(super) fn read_miptree(words: &mut Words<'_>) -> Parsed<Setting> {
    Ok(Setting::Texture(TextureStep { unit: read_unit(words)?, content: TextureContent::Levels }))
}

/// Reads `texture integer UNIT (w, h) (blue, alpha) FORMAT`.
pub(super) fn read_integer(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = read_unit(words)?;
    let size = read_size(words)?;
    let most = i32::MAX.unsigned_abs();
    let blue = words.integer("blue", 0..=most)?.cast_signed();
    let alpha = words.integer("alpha", 0..=most)?.cast_signed();
    let word = words.peek();
    let format = read_format(words)?;
    match (format.class(), word) {
        (FormatClass::Float, Some(word)) => Err(wrong(word, "this is not an integer format")),
        (FormatClass::Float | FormatClass::Sint | FormatClass::Uint, _) => {
            let content = TextureContent::Integer { size, blue_alpha: [blue, alpha], format };
            Ok(Setting::Texture(TextureStep { unit, content }))
        }
    }
}

/// Reads `texture shadowTARGET UNIT (size)`, and reports unknown words after `texture`.
pub(super) fn read_other(words: &mut Words<'_>) -> Parsed<Setting> {
    let word = words.need("the content of the texture")?;
    let target = word.text.strip_prefix("shadow").and_then(target_named);
    match target {
        Some(
            target @ (TextureTarget::D1
            | TextureTarget::D2
            | TextureTarget::Rect
            | TextureTarget::D1Array
            | TextureTarget::D2Array),
        ) => {
            let unit = read_unit(words)?;
            let size = read_target_size(words, target)?;
            let content = TextureContent::Depth { target, size };
            Ok(Setting::Texture(TextureStep { unit, content }))
        }
        Some(
            TextureTarget::D3
            | TextureTarget::D2Multisampled
            | TextureTarget::Cube
            | TextureTarget::CubeArray,
        )
        | None => Err(unknown(words, word, "texture")),
    }
}

/// Reads `texparameter TARGET PARAMETER VALUE`.
pub(super) fn read_parameter(words: &mut Words<'_>) -> Parsed<Setting> {
    let word = words.need("a target such as `2D`")?;
    let Some(target) = target_named(word.text) else {
        return Err(unknown(words, word, "texparameter"));
    };
    let setting = read_setting(words)?;
    Ok(Setting::TextureParameter(TextureParameter { target, setting }))
}

fn read_setting(words: &mut Words<'_>) -> Parsed<TextureSetting> {
    let parameter = words.need("a parameter such as `min`")?;
    let axis = |letter| "strq".find(letter).and_then(|idx| u8::try_from(idx).ok()).unwrap_or(0);
    let channel = |letter| "rgba".find(letter).and_then(|idx| u8::try_from(idx).ok()).unwrap_or(0);
    match parameter.text {
        "compare_func" => read_word(words, &COMPARISONS).map(TextureSetting::CompareFunction),
        "depth_mode" => read_word(words, &DEPTH_MODES).map(TextureSetting::DepthMode),
        "min" => read_word(words, &MIN_FILTERS)
            .map(|(within, between)| TextureSetting::Minify(within, between)),
        "mag" => read_word(words, &FILTERS).map(TextureSetting::Magnify),
        "wrap_s" | "wrap_t" | "wrap_r" => {
            let axis = axis(&parameter.text[5..]);
            read_word(words, &WRAPS).map(|wrap| TextureSetting::Wrap(axis, wrap))
        }
        "swizzle_r" | "swizzle_g" | "swizzle_b" | "swizzle_a" => {
            let channel = channel(&parameter.text[8..]);
            read_word(words, &SWIZZLES).map(|from| TextureSetting::Swizzle(channel, from))
        }
        "base_level" => words.integer("the level", 0..=MAX_LEVEL).map(TextureSetting::BaseLevel),
        "max_level" => words.integer("the level", 0..=1000).map(TextureSetting::MaxLevel),
        "lod_bias" => match words.floats(["the bias"])? {
            [bias] if bias.abs() <= MAX_LOD_BIAS => Ok(TextureSetting::LodBias(bias)),
            _ => {
                let message = format!("a bias is from -{MAX_LOD_BIAS} to {MAX_LOD_BIAS}");
                Err(wrong(parameter, message))
            }
        },
        "border_color" => match words.floats(CHANNELS)? {
            color if BORDER_COLORS.contains(&color) => Ok(TextureSetting::BorderColor(color)),
            _ => Err(Problem::unsupported("another border colour", parameter.span)),
        },
        _ => Err(unknown(words, parameter, "texparameter")),
    }
}

/// Reads `image texture UNIT FORMAT`.
pub(super) fn read_image(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = read_unit(words)?;
    Ok(Setting::ImageTexture { unit, format: read_format(words)? })
}

/// Reads `sampler POINT [PROPERTY VALUE]…`: the state of a sampler of WGSL, by WebGPU's defaults.
pub(super) fn read_sampler(words: &mut Words<'_>) -> Parsed<Setting> {
    let point = read_point(words, "the binding of the sampler", MAX_UNIT)?;
    let mut sampler = Sampler::DEFAULT;
    while words.has_more() {
        let property = words.need("a property such as `mag`")?;
        match property.text {
            "mag" => sampler.magnify = read_word(words, &FILTERS)?,
            "min" => sampler.minify = read_word(words, &FILTERS)?,
            "mip" => sampler.between = read_word(words, &FILTERS)?,
            "wrap" => sampler.wrap = [read_word(words, &WRAPS)?; 3],
            "wrap_u" => sampler.wrap[0] = read_word(words, &WRAPS)?,
            "wrap_v" => sampler.wrap[1] = read_word(words, &WRAPS)?,
            "wrap_w" => sampler.wrap[2] = read_word(words, &WRAPS)?,
            "compare" => sampler.compare = Some(read_word(words, &COMPARISONS)?),
            "lod" => {
                let [first, last] = words.floats(["the smallest level", "the largest level"])?;
                if !(0.0..=last).contains(&first) || last > f64::from(MAX_LEVEL) {
                    let message = format!("levels of detail are from 0 to {MAX_LEVEL}, in order");
                    return Err(wrong(property, message));
                }
                sampler.levels = [first, last].map(narrow);
            }
            text => {
                let known =
                    ["mag", "min", "mip", "wrap", "wrap_u", "wrap_v", "wrap_w", "compare", "lod"];
                return Err(
                    wrong(property, format!("unknown property `{text}`")).nearest(text, known)
                );
            }
        }
    }
    Ok(Setting::Bind(BindStep::Sampler { point, sampler }))
}

#[expect(clippy::cast_possible_truncation, reason = "levels of detail are floats")]
const fn narrow(level: f64) -> f32 {
    level as f32
}

/// Reads `fb tex 2d UNIT…`.
pub(super) fn read_framebuffer(words: &mut Words<'_>) -> Parsed<Setting> {
    let mut units = vec![read_unit(words)?];
    let most = usize::try_from(MAX_TARGET_INDEX).unwrap_or(7);
    while words.has_more() && units.len() <= most {
        units.push(read_unit(words)?);
    }
    Ok(Setting::FramebufferTextures(units))
}

/// Reads `fb tex layered UNIT`.
pub(super) fn read_layers(words: &mut Words<'_>) -> Parsed<Setting> {
    read_unit(words).map(Setting::FramebufferLayers)
}

/// Reads a texture unit, or the binding of a WGSL stage: `1:0` is `@group(1) @binding(0)`.
fn read_unit(words: &mut Words<'_>) -> Parsed<u32> {
    read_point(words, "the texture unit", MAX_UNIT)
}

fn read_size(words: &mut Words<'_>) -> Parsed<[u32; 2]> {
    let width = words.integer("the width", 1..=MAX_TEXTURE_SIZE)?;
    Ok([width, words.integer("the height", 1..=MAX_TEXTURE_SIZE)?])
}

/// Reads as many numbers as the target has dimensions.
fn read_target_size(words: &mut Words<'_>, target: TextureTarget) -> Parsed<[u32; 3]> {
    let width = words.integer("the width", 1..=MAX_TEXTURE_SIZE)?;
    let layers = |words: &mut Words<'_>| words.integer("the layers", 1..=MAX_TEXTURE_LAYERS);
    let height = |words: &mut Words<'_>| words.integer("the height", 1..=MAX_TEXTURE_SIZE);
    Ok(match target {
        TextureTarget::D1 => [width, 1, 1],
        TextureTarget::D2 | TextureTarget::Rect | TextureTarget::D2Multisampled => {
            [width, height(words)?, 1]
        }
        TextureTarget::Cube => [width, width, 6],
        TextureTarget::CubeArray => [width, width, 6 * layers(words)?],
        TextureTarget::D1Array => [width, 1, layers(words)?],
        TextureTarget::D2Array | TextureTarget::D3 => [width, height(words)?, layers(words)?],
    })
}

fn target_name(target: TextureTarget) -> &'static str {
    TARGETS.iter().find(|(_, known)| *known == target).map_or("", |(name, _)| name)
}

fn target_named(text: &str) -> Option<TextureTarget> {
    TARGETS.iter().find(|(name, _)| *name == text).map(|(_, target)| *target)
}

fn take_target(words: &mut Words<'_>) -> Option<TextureTarget> {
    let target = target_named(words.peek()?.text)?;
    words.skip(1);
    Some(target)
}

/// Reads a format by GL's or wgpu's name.
fn read_format(words: &mut Words<'_>) -> Parsed<Format> {
    let word = words.need("a format such as `GL_RGBA8`")?;
    let name =
        GL_FORMATS.iter().find(|(gl, _)| *gl == word.text).map_or(word.text, |(_, name)| name);
    Format::from_name(name).ok_or_else(|| unknown(words, word, "format"))
}

fn read_word<T: Copy>(words: &mut Words<'_>, known: &[(&str, T)]) -> Parsed<T> {
    let word = words.need("a value")?;
    let found = known.iter().find(|(name, _)| *name == word.text);
    found.map(|(_, value)| *value).ok_or_else(|| match unknown(words, word, "texparameter") {
        problem @ Problem::Broken(_) => {
            problem.nearest(word.text, known.iter().map(|entry| entry.0))
        }
        problem @ Problem::Unsupported { .. } => problem,
    })
}

/// The error for an unknown word, which piglit may know.
fn unknown(words: &Words<'_>, word: Word<'_>, what: &str) -> Problem {
    unknown_word(words.dialect, word, what, "word", [])
}

/// Largest LOD bias that every GL supports (OpenGL 4.6, table 23.54).
const MAX_LOD_BIAS: f64 = 2.0;

/// The border colours of WebGPU.
const BORDER_COLORS: [[f64; 4]; 3] =
    [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]];

const COMPARISONS: [(&str, CompareFunction); 8] = [
    ("never", CompareFunction::Never),
    ("less", CompareFunction::Less),
    ("equal", CompareFunction::Equal),
    ("lequal", CompareFunction::LessOrEqual),
    ("greater", CompareFunction::Greater),
    ("notequal", CompareFunction::NotEqual),
    ("gequal", CompareFunction::GreaterOrEqual),
    ("always", CompareFunction::Always),
];

const DEPTH_MODES: [(&str, DepthMode); 4] = [
    ("luminance", DepthMode::Luminance),
    ("intensity", DepthMode::Intensity),
    ("alpha", DepthMode::Alpha),
    ("red", DepthMode::Red),
];

const FILTERS: [(&str, Filter); 2] = [("nearest", Filter::Nearest), ("linear", Filter::Linear)];

const MIN_FILTERS: [(&str, (Filter, Option<Filter>)); 6] = [
    ("nearest", (Filter::Nearest, None)),
    ("linear", (Filter::Linear, None)),
    ("nearest_mipmap_nearest", (Filter::Nearest, Some(Filter::Nearest))),
    ("linear_mipmap_nearest", (Filter::Linear, Some(Filter::Nearest))),
    ("nearest_mipmap_linear", (Filter::Nearest, Some(Filter::Linear))),
    ("linear_mipmap_linear", (Filter::Linear, Some(Filter::Linear))),
];

const WRAPS: [(&str, Wrap); 4] = [
    ("repeat", Wrap::Repeat),
    ("mirrored_repeat", Wrap::MirroredRepeat),
    ("clamp_to_edge", Wrap::ClampToEdge),
    ("clamp_to_border", Wrap::ClampToBorder),
];

const SWIZZLES: [(&str, Swizzle); 6] = [
    ("red", Swizzle::Red),
    ("green", Swizzle::Green),
    ("blue", Swizzle::Blue),
    ("alpha", Swizzle::Alpha),
    ("zero", Swizzle::Zero),
    ("one", Swizzle::One),
];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported};

    use super::*;

    fn texture(unit: u32, content: TextureContent) -> Setting {
        Setting::Texture(TextureStep { unit, content })
    }

    fn format(name: &str) -> Format {
        Format::from_name(name).expect("the test names a format")
    }

    #[test]
    fn targets_say_how_many_sizes_there_are() {
        let content = TextureContent::Quadrants { size: [8, 4], format: Format::RGBA8_UNORM };
        check("texture rgbw 3 (8, 4)", texture(3, content.clone()));
        check("texture rgbw 3 (8, 4) rgba8unorm", texture(3, content));
        let (target, size) = (TextureTarget::D2Array, [8, 4, 2]);
        check(
            "texture rgbw 2DArray 0 (8, 4, 2)",
            texture(0, TextureContent::Layers { target, size }),
        );
        check("texture rgbw 3D 1", texture(1, TextureContent::Cube));
        let (target, size) = (TextureTarget::D1Array, [8, 1, 2]);
        check("texture shadow1DArray 0 (8, 2)", texture(0, TextureContent::Depth { target, size }));
    }

    #[test]
    fn formats_have_names_of_gl_and_wgpu() {
        let step = Setting::ImageTexture { unit: 1, format: format("r32sint") };
        check("image texture 1 GL_R32I", step.clone());
        check("image texture 1 r32sint", step);
        for (gl, name) in GL_FORMATS {
            assert!(Format::from_name(name).is_some(), "{gl}");
        }
    }

    #[test]
    fn parameters_are_read_by_their_names() {
        let parameter =
            |target, setting| Setting::TextureParameter(TextureParameter { target, setting });
        check(
            "texparameter 2D min linear_mipmap_nearest",
            parameter(
                TextureTarget::D2,
                TextureSetting::Minify(Filter::Linear, Some(Filter::Nearest)),
            ),
        );
        check(
            "texparameter Rect swizzle_b one",
            parameter(TextureTarget::Rect, TextureSetting::Swizzle(2, Swizzle::One)),
        );
        check(
            "texparameter 3D wrap_r repeat",
            parameter(TextureTarget::D3, TextureSetting::Wrap(2, Wrap::Repeat)),
        );
        check("fb tex 2d 4 0", Setting::FramebufferTextures(vec![4, 0]));
        check("fb tex layered 3", Setting::FramebufferLayers(3));
    }

    #[test]
    fn resources_of_wgsl_have_groups_and_bindings() {
        let numbers = |unit, first, target, size, levels| {
            let format = TexelFormat::Color(format("r32float"));
            let numbers = NumberedTexture { target, size, format, levels, first };
            texture(unit, TextureContent::Numbers(numbers))
        };
        check(
            "texture numbers 2:3 (8, 4) r32float levels 4",
            numbers(2 << 16 | 3, 19, TextureTarget::D2, [8, 4, 1], 4),
        );
        check(
            "texture numbers CubeArray 1 (2, 3) r32float",
            numbers(1, 1, TextureTarget::CubeArray, [2, 2, 18], 1),
        );
        let sampler = Sampler {
            magnify: Filter::Linear,
            between: Filter::Linear,
            wrap: [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::Repeat],
            levels: [1.0, 2.5],
            compare: Some(CompareFunction::Less),
            ..Sampler::DEFAULT
        };
        check(
            "sampler 1:0 mag linear mip linear wrap repeat wrap_v mirrored_repeat lod 1 2.5 compare less",
            Setting::Bind(BindStep::Sampler { point: 1 << 16, sampler }),
        );
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "texparameter 2D mag nearst",
            &expect![[r#"
                unknown word `nearst` (did you mean `nearest`?)
                texparameter 2D mag nearst
                                    ^^^^^^"#]],
        );
        check_error(
            "texture integer 0 (2, 2) (1, 1) GL_RGBA8",
            &expect![[r"
            this is not an integer format (usage: texture integer UNIT (w, h) (blue, alpha) FORMAT)
            texture integer 0 (2, 2) (1, 1) GL_RGBA8
                                            ^^^^^^^^"]],
        );
        check_error(
            "sampler 1 mag linear filter linear",
            &expect![[r#"
                unknown property `filter` (usage: sampler POINT [PROPERTY VALUE]…)
                sampler 1 mag linear filter linear
                                     ^^^^^^"#]],
        );
        check_error(
            "sampler 1 lod 3 2",
            &expect![[r#"
                levels of detail are from 0 to 12, in order (usage: sampler POINT [PROPERTY VALUE]…)
                sampler 1 lod 3 2
                          ^^^"#]],
        );
        check_error(
            "texture numbers 2DMultisampled 0 (4, 4) r8unorm levels 2",
            &expect![[r#"
                the number of levels must be an integer from 1 to 1, not `2` (usage: texture numbers [TARGET] UNIT (size) FORMAT [levels N])
                texture numbers 2DMultisampled 0 (4, 4) r8unorm levels 2
                                                                       ^"#]],
        );
        check_unsupported("texparameter 2D priority 1", "texparameter priority");
        check_unsupported("texparameter 2D border_color 1 0 0 1", "another border colour");
        check_unsupported("texture compressed 0", "texture compressed");
    }
}
