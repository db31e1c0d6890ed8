//! Writes lookups of textures.

use super::super::tree::{Filtered, Lookup, TEXELS, Texture};
use super::Writer;

impl Writer<'_> {
    pub(super) fn textures(&mut self) {
        for texture in Texture::ALL {
            let (name, point, sampler) = (texture.name(), texture.point(), texture.sampler_point());
            let is_words = texture == Texture::Words;
            if self.is_wgsl {
                let component = if is_words { "u32" } else { "f32" };
                self.line(&format!(
                    "@group(0) @binding({point}) var {name}: texture_2d<{component}>;"
                ));
                self.line(&format!("@group(0) @binding({sampler}) var {name}_sampler: sampler;"));
            } else {
                let prefix = if is_words { "u" } else { "" };
                self.line(&format!("layout(binding = {point}) uniform {prefix}sampler2D {name};"));
            }
        }
    }

    /// A lookup with these operands.
    pub(super) fn lookup(&self, lookup: Lookup, operands: &str) -> String {
        let name = lookup.texture().name();
        if self.is_wgsl { in_wgsl(lookup, name, operands) } else { in_glsl(lookup, name, operands) }
    }
}

fn in_wgsl(lookup: Lookup, name: &str, operands: &str) -> String {
    let moved = |offset: Option<[i8; 2]>| {
        offset.map_or_else(String::new, |[x, y]| format!(", vec2<i32>({x}, {y})"))
    };
    match lookup {
        Lookup::Fetch(level) => format!("textureLoad({name}, {operands}, {level})"),
        Lookup::Gather { component, offset } => {
            let at = format!("vec2<f32>({operands}) / {TEXELS}.0");
            format!("textureGather({component}, {name}, {name}_sampler, {at}{})", moved(offset))
        }
        Lookup::Nearest { level, offset } => {
            let at = format!("(vec2<f32>({operands}) + 0.5) / {}.0", TEXELS >> level);
            format!("textureSampleLevel({name}, {name}_sampler, {at}, {level}.0{})", moved(offset))
        }
        Lookup::Filtered(way) => {
            let function = match way {
                Filtered::Implicit => "textureSample",
                Filtered::Level => "textureSampleLevel",
                Filtered::Gradient => "textureSampleGrad",
            };
            format!("{function}({name}, {name}_sampler, {operands})")
        }
        Lookup::Size(level) => format!("vec2<i32>(textureDimensions({name}, {level}))"),
        Lookup::Levels => format!("i32(textureNumLevels({name}))"),
    }
}

fn in_glsl(lookup: Lookup, name: &str, operands: &str) -> String {
    let moved = |offset: Option<[i8; 2]>| match offset {
        Some([x, y]) => ("Offset", format!(", ivec2({x}, {y})")),
        None => ("", String::new()),
    };
    match lookup {
        Lookup::Fetch(level) => format!("texelFetch({name}, {operands}, {level})"),
        Lookup::Gather { component, offset } => {
            let (word, offset) = moved(offset);
            let at = format!("vec2({operands}) / {TEXELS}.0");
            format!("textureGather{word}({name}, {at}{offset}, {component})")
        }
        Lookup::Nearest { level, offset } => {
            let (word, offset) = moved(offset);
            let at = format!("(vec2({operands}) + 0.5) / {}.0", TEXELS >> level);
            format!("textureLod{word}({name}, {at}, {level}.0{offset})")
        }
        Lookup::Filtered(way) => {
            let function = match way {
                Filtered::Implicit => "texture",
                Filtered::Level => "textureLod",
                Filtered::Gradient => "textureGrad",
            };
            format!("{function}({name}, {operands})")
        }
        Lookup::Size(level) => format!("textureSize({name}, {level})"),
        Lookup::Levels => format!("textureQueryLevels({name})"),
    }
}
