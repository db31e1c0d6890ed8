//! Lowers points with a size and with coordinates inside them. WebGPU does not have these: its points are single
//! pixels.
//!
//! In a program whose points need more, points are *expanded*: the executor draws every point as a quad of two
//! triangles, and the shell of the vertex stage moves its four corners. The user's code runs once per corner, each time
//! as if for the point:
//!
//! * The vertex index is four times the point's vertex index plus the number of the corner: 0 is the lower left, 1 the
//!   lower right, 2 the upper left and 3 the upper right corner.
//! * `gl_PointCoord` becomes a varying that the shell writes: 0 to 1 from left to right and from top to bottom
//!   (OpenGL 4.6 core, 14.4.1, with the point sprite origin at the upper left).
//! * A point whose centre is outside the clip volume is discarded as a whole (13.7).
//!
//! A uniform distinguishes draws of points from other draws. The same program draws other primitives unchanged, with 0
//! in `gl_PointCoord`.

mod sprite;

use naga::{BuiltIn, GlobalVariable, Handle, Scalar, TypeInner, VectorSize};

use crate::lower::state_uniform;
use crate::stages::RenderStages;
use crate::table::shell::{PointExpansion, PointSizeRule};
use crate::{LinkError, LinkOptions};
use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::stage_module::{LanguageRules, StageModule};

/// Uniform with four components: 1 / width and 1 / height of the render targets, the maximum point size, and the number
/// of bits of the vertex index that select the corner (2 for points, 0 for other primitives).
pub const POINT_STATE: &str = "point state";

/// The maximum point size, which is that of llvmpipe and Intel; GL requires only 1. The minimum size is 1.
pub const MAX_POINT_SIZE: u8 = 255;

/// Removes `gl_PointCoord` from the fragment stage's interface. Returns the expansion of points with the rule for
/// `gl_PointSize`, or `None` if points are drawn as WebGPU draws them. `must_expand` forces the expansion for another
/// reason.
pub fn lower(
    RenderStages { vertex, fragment }: &mut RenderStages<'_>,
    must_expand: bool,
    options: &LinkOptions,
) -> Result<Option<(PointExpansion, PointSizeRule)>, LinkError> {
    let size = global_of(vertex, BuiltIn::PointSize);
    let size_rule = size_rule(vertex.rules);
    let is_size_seen = size.is_some()
        && match size_rule {
            PointSizeRule::Always => true,
            PointSizeRule::WhenEnabled => options.raster.is_point_size_enabled,
        };
    let coordinate = fragment.as_ref().and_then(|stage| global_of(stage, BuiltIn::PointCoord));
    let has_sprites = !options.raster.sprite.labels.is_empty();
    let is_expanded = options.raster.has_points
        && (is_size_seen || coordinate.is_some() || has_sprites || must_expand);
    if let Some(fragment) = fragment.as_mut()
        && coordinate.is_some()
    {
        fragment.to_mut().builtins.retain(|input| input.builtin != BuiltIn::PointCoord);
    }
    if !is_expanded {
        return Ok(None);
    }
    // Point sprites are squares of the requested size in every profile.
    if (is_size_seen || coordinate.is_some()) && !has_sprites {
        check_profile(vertex.rules)?;
    }
    check_fragment_stage(fragment.as_deref())?;
    let state = state_uniform::add_vector(vertex.to_mut(), POINT_STATE);
    let coordinate = match (fragment.as_mut(), coordinate) {
        (Some(fragment), Some(read)) => {
            Some(pass_to_fragment_stage(vertex.to_mut(), fragment.to_mut(), read))
        }
        _ => None,
    };
    let replaced = match fragment {
        Some(fragment) => sprite::replace(vertex.to_mut(), fragment, options)?,
        None => Vec::new(),
    };
    let is_lower_left = options.raster.sprite.is_lower_left;
    let expansion = PointExpansion { state, size, coordinate, replaced, is_lower_left };
    Ok(Some((expansion, size_rule)))
}

/// The rule for the use of `gl_PointSize`. OpenGL ES (3.2, 13.3) and Vulkan have no switch for it; OpenGL has
/// `GL_PROGRAM_POINT_SIZE`, which is initially disabled.
const fn size_rule(rules: LanguageRules) -> PointSizeRule {
    match rules {
        LanguageRules::Glsl { is_es: true, .. } | LanguageRules::Vulkan => PointSizeRule::Always,
        LanguageRules::Glsl { is_es: false, .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction => PointSizeRule::WhenEnabled,
    }
}

fn global_of(stage: &StageModule, builtin: BuiltIn) -> Option<Handle<GlobalVariable>> {
    stage.builtins.iter().find(|input| input.builtin == builtin).map(|input| input.global)
}

/// Rejects points of the compatibility profile, which are rounded to whole sizes and positions (OpenGL 4.6
/// compatibility, 14.4.2) and have no coordinate unless `GL_POINT_SPRITE` is enabled.
fn check_profile(rules: LanguageRules) -> Result<(), LinkError> {
    match rules {
        LanguageRules::Glsl { version: ..140, is_es: false } | LanguageRules::FixedFunction => {
            let word = "points with a size or coordinate in the compatibility profile".to_owned();
            Err(LinkError::Unsupported { word, span: None })
        }
        LanguageRules::Glsl { .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::Vulkan => Ok(()),
    }
}

/// Rejects `gl_PrimitiveID` in expanded points, because a quad is two primitives for the adapter.
fn check_fragment_stage(fragment: Option<&StageModule>) -> Result<(), LinkError> {
    let counts = |fragment: &StageModule| global_of(fragment, BuiltIn::PrimitiveIndex).is_some();
    if !fragment.is_some_and(counts) {
        return Ok(());
    }
    let word = "gl_PrimitiveID of points that are drawn as quads".to_owned();
    Err(LinkError::Unsupported { word, span: None })
}

/// Adds the varying for `gl_PointCoord` to both stages. Returns the place that the shell must fill.
fn pass_to_fragment_stage(
    vertex: &mut StageModule,
    fragment: &mut StageModule,
    read: Handle<GlobalVariable>,
) -> Place {
    let inner = TypeInner::Vector { size: VectorSize::Bi, scalar: Scalar::F32 };
    let written = state_uniform::add_global(vertex, inner);
    let varying = |place| {
        let ty = Type::Vector { size: 2, scalar: ScalarKind::F32 };
        Variable { place: Some(place), ..Variable::new("gl_PointCoord", ty) }
    };
    vertex.outputs.push(varying(written.clone()));
    fragment.inputs.push(varying(Place::whole(read)));
    written
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use crate::{RasterState, testing};
    use ir::stage::ShaderStage;

    use super::*;

    /// Checks the lowered stages: the expansion with its size and coordinate, and the varyings.
    #[track_caller]
    fn check(vertex: &str, fragment: &str, options: &LinkOptions, expected: &str) {
        check_version("450", (vertex, fragment), options, expected);
    }

    #[track_caller]
    fn check_version(
        version: &str,
        (vertex, fragment): (&str, &str),
        options: &LinkOptions,
        expected: &str,
    ) {
        let stage = |stage, text: &str| {
            Cow::Owned(testing::stage(stage, &format!("#version {version}\n{text}")))
        };
        let vertex = stage(ShaderStage::Vertex, vertex);
        let fragment = stage(ShaderStage::Fragment, fragment);
        let mut stages = RenderStages { vertex, fragment: Some(fragment) };
        let expansion = match lower(&mut stages, false, options) {
            Ok(expansion) => expansion,
            Err(LinkError::Unsupported { word, .. }) => return assert_eq!(word, expected),
            Err(error) => panic!("{error}"),
        };
        let fragment = stages.fragment.expect("there is one");
        assert!(fragment.builtins.iter().all(|input| input.builtin != BuiltIn::PointCoord));
        let names =
            |all: &[Variable]| all.iter().map(|variable| variable.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&stages.vertex.outputs), names(&fragment.inputs));
        let shown = match expansion {
            None => "points".to_owned(),
            Some((expansion, _)) => format!(
                "quads, size {}, coordinate {}",
                expansion.size.is_some(),
                expansion.coordinate.is_some()
            ),
        };
        assert_eq!(shown, expected);
    }

    fn options(has_points: bool, is_point_size_enabled: bool) -> LinkOptions {
        LinkOptions {
            raster: RasterState { has_points, is_point_size_enabled, ..RasterState::default() },
            ..LinkOptions::default()
        }
    }

    const SIZED: &str = "void main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }";
    const PLAIN: &str = "void main() { gl_Position = vec4(0.0); }";
    const READER: &str = "out vec4 c; void main() { c = vec4(gl_PointCoord, 0.0, 0.0); }";
    const OTHER: &str = "out vec4 c; void main() { c = vec4(1.0); }";

    #[test]
    fn only_points_whose_size_or_coordinate_is_seen_become_quads() {
        check(SIZED, OTHER, &options(true, true), "quads, size true, coordinate false");
        check(SIZED, OTHER, &options(true, false), "points");
        check(SIZED, OTHER, &options(false, true), "points");
        check(PLAIN, OTHER, &options(true, true), "points");
        check(PLAIN, READER, &options(true, false), "quads, size false, coordinate true");
        check(SIZED, READER, &options(true, true), "quads, size true, coordinate true");
    }

    #[test]
    fn the_compatibility_profile_rounds_its_points() {
        let word = "points with a size or coordinate in the compatibility profile";
        check_version("130", (SIZED, OTHER), &options(true, true), word);
        check_version("130", (PLAIN, READER), &options(true, false), word);
        check_version("130", (SIZED, OTHER), &options(true, false), "points");
        let quads = "quads, size true, coordinate false";
        check_version("140", (SIZED, OTHER), &options(true, true), quads);
    }

    #[test]
    fn a_coordinate_that_no_point_gives_costs_nothing() {
        check(PLAIN, READER, &options(false, false), "points");
    }

    #[test]
    fn primitives_cannot_be_counted_in_quads() {
        let reader =
            "out vec4 c; void main() { c = vec4(gl_PointCoord, float(gl_PrimitiveID), 0.0); }";
        let word = "gl_PrimitiveID of points that are drawn as quads";
        check(PLAIN, reader, &options(true, false), word);
        check(PLAIN, reader, &options(false, false), "points");
    }
}
