//! `ortho`, `frustum`, `enable`, `disable`, `clip plane`, `shade model`, `clamp color`, `depthfunc`, `clear depth`,
//! `color`, `texcoord`, `patch parameter` and `ubo array index`.

use crate::Setting;
use crate::read::elsewhere::unknown_word;
use crate::read::line::{Word, Words, narrow};
use crate::read::problem::Parsed;
use crate::state::depth_stencil::CompareFunction;
use crate::state::{
    BlockChange, Capability, ClampedStage, PatchChange, Projection, ProvokingVertex, RasterChange,
    StateChange,
};
use ir::diagnostic::Diagnostic;
use ir::options::ShadeModel;
use ir::tessellation::MAX_PATCH_VERTICES;
use ir::vulkan::PUSH_CONSTANT_POINT;

use super::output;
use super::state::CHANNELS;
use crate::read::point::read_point;

pub(super) const DEPTH_FUNCTIONS: [(&str, CompareFunction); 8] = [
    ("GL_NEVER", CompareFunction::Never),
    ("GL_LESS", CompareFunction::Less),
    ("GL_EQUAL", CompareFunction::Equal),
    ("GL_LEQUAL", CompareFunction::LessOrEqual),
    ("GL_GREATER", CompareFunction::Greater),
    ("GL_NOTEQUAL", CompareFunction::NotEqual),
    ("GL_GEQUAL", CompareFunction::GreaterOrEqual),
    ("GL_ALWAYS", CompareFunction::Always),
];

const CAPABILITIES: [(&str, Capability); 22] = [
    ("GL_CLIP_PLANE0", Capability::ClipPlane(0)),
    ("GL_CLIP_PLANE1", Capability::ClipPlane(1)),
    ("GL_CLIP_PLANE2", Capability::ClipPlane(2)),
    ("GL_CLIP_PLANE3", Capability::ClipPlane(3)),
    ("GL_CLIP_PLANE4", Capability::ClipPlane(4)),
    ("GL_CLIP_PLANE5", Capability::ClipPlane(5)),
    ("GL_CLIP_PLANE6", Capability::ClipPlane(6)),
    ("GL_CLIP_PLANE7", Capability::ClipPlane(7)),
    ("GL_CLIP_DISTANCE0", Capability::ClipPlane(0)),
    ("GL_CLIP_DISTANCE1", Capability::ClipPlane(1)),
    ("GL_CLIP_DISTANCE2", Capability::ClipPlane(2)),
    ("GL_CLIP_DISTANCE3", Capability::ClipPlane(3)),
    ("GL_CLIP_DISTANCE4", Capability::ClipPlane(4)),
    ("GL_CLIP_DISTANCE5", Capability::ClipPlane(5)),
    ("GL_CLIP_DISTANCE6", Capability::ClipPlane(6)),
    ("GL_CLIP_DISTANCE7", Capability::ClipPlane(7)),
    ("GL_VERTEX_PROGRAM_TWO_SIDE", Capability::TwoSide),
    ("GL_DEPTH_TEST", Capability::DepthTest),
    ("GL_STENCIL_TEST", Capability::StencilTest),
    ("GL_RASTERIZER_DISCARD", Capability::RasterizerDiscard),
    ("GL_PROGRAM_POINT_SIZE", Capability::ProgramPointSize),
    ("GL_VERTEX_PROGRAM_POINT_SIZE", Capability::ProgramPointSize),
];

/// Reads `ortho` or `ortho left right bottom top`.
pub(super) fn read_ortho(words: &mut Words<'_>) -> Parsed<Setting> {
    if !words.has_more() {
        return Ok(state(RasterChange::Projection(Projection::Pixels)));
    }
    let span = words.span;
    let sides = words.floats32(["left", "right", "bottom", "top"])?;
    check_extent(sides, span)?;
    Ok(state(RasterChange::Projection(Projection::Ortho(sides))))
}

/// Reads `frustum left right bottom top near far`.
pub(super) fn read_frustum(words: &mut Words<'_>) -> Parsed<Setting> {
    let span = words.span;
    let sides = words.floats32(["left", "right", "bottom", "top", "near", "far"])?;
    let [left, right, bottom, top, near, far] = sides;
    check_extent([left, right, bottom, top], span)?;
    let is_flat = near.total_cmp(&far).is_eq();
    if near <= 0.0 || far <= 0.0 || is_flat {
        let message = "near and far must be positive and differ";
        return Err(Diagnostic::error(span, message).into());
    }
    Ok(state(RasterChange::Projection(Projection::Frustum(sides))))
}

/// GL rejects a volume without extent.
fn check_extent([left, right, bottom, top]: [f32; 4], span: ir::source::Span) -> Parsed<()> {
    if right - left == 0.0 || top - bottom == 0.0 {
        return Err(Diagnostic::error(span, "opposite sides must differ").into());
    }
    Ok(())
}

/// Reads `enable CAPABILITY`.
pub(super) fn read_enable(words: &mut Words<'_>) -> Parsed<Setting> {
    if words.take(output::BLEND) {
        return output::read_blend(words, true);
    }
    let capability = named(words, &CAPABILITIES, "enable", "capability")?;
    Ok(state(StateChange::Switch { capability, is_enabled: true }))
}

/// Reads `disable CAPABILITY`.
pub(super) fn read_disable(words: &mut Words<'_>) -> Parsed<Setting> {
    if words.take(output::BLEND) {
        return output::read_blend(words, false);
    }
    let capability = named(words, &CAPABILITIES, "disable", "capability")?;
    Ok(state(StateChange::Switch { capability, is_enabled: false }))
}

/// Reads `clip plane N a b c d`.
pub(super) fn read_clip_plane(words: &mut Words<'_>) -> Parsed<Setting> {
    let plane = words.integer("the number of the clip plane", 0..=7)?;
    let coefficients = words.floats32(["a", "b", "c", "d"])?;
    Ok(state(RasterChange::ClipPlane { plane: u8::try_from(plane).unwrap_or(7), coefficients }))
}

/// Reads `shade model flat` or `shade model smooth`.
pub(super) fn read_shade_model(words: &mut Words<'_>) -> Parsed<Setting> {
    let models = [("flat", ShadeModel::Flat), ("smooth", ShadeModel::Smooth)];
    named(words, &models, "shade model", "shade model")
        .map(|model| state(StateChange::ShadeModel(model)))
}

/// Reads `clamp color STAGE on` or `clamp color STAGE off`.
pub(super) fn read_clamp_color(words: &mut Words<'_>) -> Parsed<Setting> {
    let stages = [("vertex", ClampedStage::Vertex), ("fragment", ClampedStage::Fragment)];
    let stage = named(words, &stages, "clamp color", "stage")?;
    let is_on = named(words, &[("on", true), ("off", false)], "clamp color", "setting")?;
    Ok(state(StateChange::ClampColor { stage, is_on }))
}

/// Reads `provoking vertex first` or `provoking vertex last`.
pub(super) fn read_provoking_vertex(words: &mut Words<'_>) -> Parsed<Setting> {
    let vertices = [("first", ProvokingVertex::First), ("last", ProvokingVertex::Last)];
    named(words, &vertices, "provoking vertex", "vertex")
        .map(|vertex| state(StateChange::ProvokingVertex(vertex)))
}

/// Reads `patch parameter vertices N`.
pub(super) fn read_patch_vertices(words: &mut Words<'_>) -> Parsed<Setting> {
    let vertices = words.integer("the number of vertices", 1..=MAX_PATCH_VERTICES)?;
    Ok(state(StateChange::Patch(PatchChange::Vertices(vertices))))
}

/// Reads `patch parameter default level outer a b c d`. GL accepts any number: NaN discards the patch, and a level
/// above 64 counts as 64.
pub(super) fn read_outer_levels(words: &mut Words<'_>) -> Parsed<Setting> {
    let levels = words.floats(["a", "b", "c", "d"])?.map(narrow);
    Ok(state(StateChange::Patch(PatchChange::OuterLevels(levels))))
}

/// Reads `patch parameter default level inner a b`.
pub(super) fn read_inner_levels(words: &mut Words<'_>) -> Parsed<Setting> {
    let levels = words.floats(["a", "b"])?.map(narrow);
    Ok(state(StateChange::Patch(PatchChange::InnerLevels(levels))))
}

/// Reads `depthfunc FUNCTION`.
pub(super) fn read_depth_function(words: &mut Words<'_>) -> Parsed<Setting> {
    named(words, &DEPTH_FUNCTIONS, "depthfunc", "depth function")
        .map(|function| state(RasterChange::DepthFunction(function)))
}

/// Reads `clear depth z`.
pub(super) fn read_clear_depth(words: &mut Words<'_>) -> Parsed<Setting> {
    let span = words.span;
    let [depth] = words.floats32(["the depth"])?;
    if !(0.0..=1.0).contains(&depth) {
        return Err(Diagnostic::error(span, "a depth is from 0 to 1").into());
    }
    Ok(state(RasterChange::ClearDepth(depth)))
}

/// Reads `color r g b a`.
pub(super) fn read_color(words: &mut Words<'_>) -> Parsed<Setting> {
    words.floats32(CHANNELS).map(|color| state(StateChange::Color(color)))
}

/// Reads `texcoord N s t r q`.
pub(super) fn read_texcoord(words: &mut Words<'_>) -> Parsed<Setting> {
    let unit = words.integer("the texture unit", 0..=7)?;
    let value = words.floats32(["s", "t", "r", "q"])?;
    Ok(state(StateChange::TexCoord { unit: u8::try_from(unit).unwrap_or(7), value }))
}

/// Reads `ubo array index N` and `block array index N`.
pub(super) fn read_block_element(words: &mut Words<'_>) -> Parsed<Setting> {
    let element = words.integer("the number of the element", 0..=1023)?;
    Ok(state(BlockChange::Element(element)))
}

/// Highest offset and stride that a block's maximum size allows.
const MAX_BLOCK_OFFSET: u32 = 1 << 28;

/// Reads `block binding N` and `block binding immediates`.
pub(super) fn read_block_binding(words: &mut Words<'_>) -> Parsed<Setting> {
    if words.peek().is_some_and(|word| word.text == "immediates") {
        words.skip(1);
        return Ok(state(BlockChange::Binding(PUSH_CONSTANT_POINT)));
    }
    let binding = read_point(words, "the binding", 1023)?;
    Ok(state(BlockChange::Binding(binding)))
}

/// Reads `block offset N`.
pub(super) fn read_block_offset(words: &mut Words<'_>) -> Parsed<Setting> {
    let offset = words.integer("the offset", 0..=MAX_BLOCK_OFFSET)?;
    Ok(state(BlockChange::Offset(offset)))
}

/// Reads `block matrix stride N`.
pub(super) fn read_block_matrix_stride(words: &mut Words<'_>) -> Parsed<Setting> {
    let stride = words.integer("the stride", 0..=MAX_BLOCK_OFFSET)?;
    Ok(state(BlockChange::MatrixStride(stride)))
}

/// Reads `block row major N`.
pub(super) fn read_block_row_major(words: &mut Words<'_>) -> Parsed<Setting> {
    let is_row_major = words.integer("0 or 1", 0..=1)? == 1;
    Ok(state(BlockChange::RowMajor(is_row_major)))
}

fn state(change: impl Into<StateChange>) -> Setting {
    Setting::State(change.into())
}

/// Value of the next word in `table`. A word that only piglit knows makes `command` unsupported.
pub(super) fn named<T: Copy>(
    words: &mut Words<'_>,
    table: &[(&'static str, T)],
    command: &str,
    what: &str,
) -> Parsed<T> {
    let word: Word<'_> = words.need(&format!("a {what} such as `{}`", table[0].0))?;
    if let Some((_, value)) = table.iter().find(|(name, _)| *name == word.text) {
        return Ok(*value);
    }
    let known = table.iter().map(|(name, _)| *name);
    Err(unknown_word(words.dialect, word, command, what, known))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported};

    use super::*;

    #[track_caller]
    fn check_state(line: &str, change: impl Into<StateChange>) {
        check(line, state(change));
    }

    #[test]
    fn projections_are_pixels_boxes_or_frusta() {
        check_state("ortho", RasterChange::Projection(Projection::Pixels));
        let sides = [0.0, 4.0, -1.0, 1.0];
        check_state("ortho 0 4 -1 1", RasterChange::Projection(Projection::Ortho(sides)));
        let sides = [-1.0, 1.0, -1.0, 1.0, 1.0, 3.0];
        check_state("frustum -1 1 -1 1 1 3", RasterChange::Projection(Projection::Frustum(sides)));
        check_error(
            "ortho 0 0 -1 1",
            &expect![[r"
            opposite sides must differ (usage: ortho [left right bottom top])
            ortho 0 0 -1 1
            ^^^^^^^^^^^^^^"]],
        );
        check_error(
            "frustum -1 1 -1 1 0 3",
            &expect![[r"
            near and far must be positive and differ (usage: frustum left right bottom top near far)
            frustum -1 1 -1 1 0 3
            ^^^^^^^^^^^^^^^^^^^^^"]],
        );
    }

    #[test]
    fn switches_are_known_by_gls_names() {
        let switch = |capability, is_enabled| StateChange::Switch { capability, is_enabled };
        check_state("enable GL_CLIP_PLANE7", switch(Capability::ClipPlane(7), true));
        check_state("disable GL_CLIP_DISTANCE2", switch(Capability::ClipPlane(2), false));
        check_state("enable GL_VERTEX_PROGRAM_TWO_SIDE", switch(Capability::TwoSide, true));
        check_state("enable GL_DEPTH_TEST", switch(Capability::DepthTest, true));
        check_state("enable GL_PROGRAM_POINT_SIZE", switch(Capability::ProgramPointSize, true));
        check_unsupported("enable GL_POINT_SPRITE", "enable GL_POINT_SPRITE");
        check_error(
            "enable GL_CLIP_PLANE8",
            &expect![[r"
            unknown capability `GL_CLIP_PLANE8` (did you mean `GL_CLIP_PLANE0`?)
            enable GL_CLIP_PLANE8
                   ^^^^^^^^^^^^^^"]],
        );
    }

    #[test]
    fn other_state_is_read() {
        let coefficients = [1.0, 0.0, -0.5, 0.25];
        check_state(
            "clip plane 3 1 0 -0.5 0.25",
            RasterChange::ClipPlane { plane: 3, coefficients },
        );
        let (stage, is_on) = (ClampedStage::Fragment, true);
        check_state("clamp color fragment on", StateChange::ClampColor { stage, is_on });
        let (stage, is_on) = (ClampedStage::Vertex, false);
        check_state("clamp color vertex off", StateChange::ClampColor { stage, is_on });
        check_state("shade model flat", StateChange::ShadeModel(ShadeModel::Flat));
        check_state(
            "depthfunc GL_LEQUAL",
            RasterChange::DepthFunction(CompareFunction::LessOrEqual),
        );
        check_state("clear depth 0.5", RasterChange::ClearDepth(0.5));
        let value = [0.5, 0.0, 1.0, 1.0];
        check_state("texcoord 2 (0.5, 0, 1, 1)", StateChange::TexCoord { unit: 2, value });
        check_state("ubo array index 5", BlockChange::Element(5));
        check_state("block array index 0", BlockChange::Element(0));
        check_state("block binding 5", BlockChange::Binding(5));
        check_state("block binding 1:5", BlockChange::Binding(0x1_0005));
        check_state("block binding immediates", BlockChange::Binding(PUSH_CONSTANT_POINT));
        check_state("block offset 16", BlockChange::Offset(16));
        check_state("block matrix stride 32", BlockChange::MatrixStride(32));
        check_state("block row major 1", BlockChange::RowMajor(true));
        check_state("color 1 0 0.5 1", StateChange::Color([1.0, 0.0, 0.5, 1.0]));
        check_state(
            "hint GL_FRAGMENT_SHADER_DERIVATIVE_HINT GL_NICEST",
            StateChange::WithoutEffect,
        );
        check_state("memory barrier GL_FRAMEBUFFER_BARRIER_BIT", StateChange::WithoutEffect);
        check_error(
            "clear depth 1.5",
            &expect![[r"
            a depth is from 0 to 1 (usage: clear depth z)
            clear depth 1.5
            ^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "shade model flt",
            &expect![[r"
            unknown shade model `flt` (did you mean `flat`?)
            shade model flt
                        ^^^"]],
        );
    }
}
