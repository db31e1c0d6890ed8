//! Commands that fill textures and set samplers.

use ir::format::Format;
use naga::{ImageClass, ImageDimension, ScalarKind, StorageAccess, TypeInner};

/// The commands for a texture or sampler at `point`; the reason why there are none is an error.
pub(super) fn commands(point: &str, inner: &TypeInner) -> Result<String, String> {
    match *inner {
        TypeInner::Image { dim, arrayed, class } => texture(point, dim, arrayed, class),
        TypeInner::Sampler { comparison: true } => Ok(format!("sampler {point} compare less\n")),
        // The default: the nearest texel.
        TypeInner::Sampler { comparison: false } => Ok(String::new()),
        TypeInner::BindingArray { .. } => Err("binding arrays".to_owned()),
        _ => Err("resources of this type".to_owned()),
    }
}

/// True for a storage texture that shaders may write.
pub(super) fn is_written(inner: &TypeInner) -> bool {
    let written = StorageAccess::STORE | StorageAccess::ATOMIC;
    matches!(
        inner,
        TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }
            if access.intersects(written)
    )
}

fn texture(
    point: &str,
    dimension: ImageDimension,
    is_array: bool,
    class: ImageClass,
) -> Result<String, String> {
    // Sampled textures have odd sides: quarters and centres of pixels, as coordinates, are not on the edges of their
    // texels.
    let side = if matches!(class, ImageClass::Storage { .. }) { 8 } else { 9 };
    let (target, size, levels) = match (dimension, is_array) {
        (ImageDimension::D1, false) => ("1D ", format!("({side})"), ""),
        (ImageDimension::D2, false) => ("", format!("({side}, {side})"), " levels 4"),
        (ImageDimension::D1 | ImageDimension::D2, true) => {
            ("2DArray ", format!("({side}, {side}, 4)"), " levels 4")
        }
        (ImageDimension::D3, _) => ("3D ", format!("({side}, {side}, {side})"), " levels 4"),
        (ImageDimension::Cube, false) => ("Cube ", format!("({side})"), " levels 4"),
        (ImageDimension::Cube, true) => ("CubeArray ", format!("({side}, 2)"), " levels 4"),
    };
    let of_format = |format: &str| format!("texture numbers {target}{point} {size} {format}");
    let of_samples =
        |format: &str| format!("texture numbers 2DMultisampled {point} (9, 9) {format}\n");
    Ok(match class {
        ImageClass::Sampled { kind, multi: false } => {
            let format = match kind {
                ScalarKind::Sint => "rgba32sint",
                ScalarKind::Uint => "rgba32uint",
                _ => "rgba16float",
            };
            of_format(format) + levels + "\n"
        }
        ImageClass::Sampled { kind, multi: true } => of_samples(match kind {
            ScalarKind::Sint => "rgba8sint",
            ScalarKind::Uint => "rgba8uint",
            _ => "rgba16float",
        }),
        ImageClass::Depth { multi: false } => of_format("depth16unorm") + levels + "\n",
        ImageClass::Depth { multi: true } => of_samples("depth16unorm"),
        ImageClass::Storage { format, access: _ } => {
            let name = format!("{format:?}").to_lowercase();
            if Format::from_name(&name).is_none() {
                return Err(format!("storage textures of {name}"));
            }
            format!("{}\nimage texture {point} {name}\n", of_format(&name))
        }
        ImageClass::External => return Err("external textures".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;

    use super::*;

    const DECLARATIONS: [&str; 14] = [
        "texture_1d<f32>",
        "texture_2d<i32>",
        "texture_2d_array<u32>",
        "texture_3d<f32>",
        "texture_cube<f32>",
        "texture_cube_array<f32>",
        "texture_multisampled_2d<u32>",
        "texture_depth_2d",
        "texture_depth_2d_array",
        "texture_depth_cube",
        "texture_depth_cube_array",
        "texture_depth_multisampled_2d",
        "texture_storage_2d_array<rgba16float, write>",
        "sampler_comparison",
    ];

    #[test]
    fn cases_accept_the_commands_of_every_type() {
        for declaration in DECLARATIONS {
            let text = format!("@group(0) @binding(3) var own: {declaration};");
            let module = naga::front::wgsl::parse_str(&text).expect("right WGSL");
            let (_, global) = module.global_variables.iter().next().expect("a variable");
            let commands = commands("3", &module.types[global.ty].inner).expect("commands");
            assert_ne!(commands, "", "{declaration}");
            let text = format!(
                "[compute shader wgsl]\n{text}\n@compute @workgroup_size(1) fn main() {{}}\n\n[test]\n{commands}compute 1 1 1\ncompare oracle texture 3\n"
            );
            let read = parse("case", text.as_bytes(), Dialect::Interstage);
            assert!(read.iter().all(|case| case.result.is_ok()), "{commands}: {read:?}");
        }
    }
}
