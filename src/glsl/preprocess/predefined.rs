//! Predefined versions and extensions.

use crate::ast::Version;
use crate::target::{SUBGROUP_EXTENSIONS, Target, VULKAN};
use crate::token::{Token, TokenKind};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::macros::nothing_after;

/// Versions of desktop GLSL, except the newest.
const DESKTOP_VERSIONS: [u16; 12] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450];
/// The newest version of desktop GLSL.
const NEWEST_DESKTOP_VERSION: u16 = 460;
/// Versions of GLSL ES.
const ES_VERSIONS: [u16; 4] = [100, 300, 310, 320];

/// Extensions that desktop shaders may require; each is a macro with the value 1.
const DESKTOP_EXTENSIONS: [&str; 55] = [
    "GL_AMD_conservative_depth",
    "GL_AMD_gpu_shader_int64",
    "GL_AMD_shader_trinary_minmax",
    "GL_AMD_vertex_shader_layer",
    "GL_AMD_vertex_shader_viewport_index",
    "GL_ARB_arrays_of_arrays",
    "GL_ARB_compute_shader",
    "GL_ARB_conservative_depth",
    "GL_ARB_cull_distance",
    "GL_ARB_derivative_control",
    "GL_ARB_draw_buffers",
    "GL_ARB_draw_instanced",
    "GL_ARB_enhanced_layouts",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_fragment_layer_viewport",
    "GL_ARB_gpu_shader5",
    "GL_ARB_gpu_shader_fp64",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_sample_shading",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_atomic_counter_ops",
    "GL_ARB_shader_atomic_counters",
    "GL_ARB_shader_bit_encoding",
    "GL_ARB_shader_draw_parameters",
    "GL_ARB_shader_image_load_store",
    "GL_ARB_shader_image_size",
    "GL_ARB_shader_precision",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shader_subroutine",
    "GL_ARB_shader_texture_lod",
    "GL_ARB_shader_viewport_layer_array",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shading_language_include",
    "GL_ARB_shading_language_packing",
    "GL_ARB_tessellation_shader",
    "GL_ARB_texture_cube_map_array",
    "GL_ARB_texture_gather",
    "GL_ARB_texture_multisample",
    "GL_ARB_texture_query_levels",
    "GL_ARB_texture_query_lod",
    "GL_ARB_texture_rectangle",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_vertex_attrib_64bit",
    "GL_ARB_viewport_array",
    "GL_EXT_gpu_shader4",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_separate_shader_objects",
    "GL_EXT_shader_integer_mix",
    "GL_EXT_texture_array",
    "GL_MESA_shader_integer_functions",
    "GL_NV_shader_atomic_int64",
    "GL_OES_shader_image_atomic",
    "GL_OES_standard_derivatives",
];

/// Extensions that ES shaders may require; each is a macro with the value 1.
const ES_EXTENSIONS: [&str; 26] = [
    "GL_AMD_shader_trinary_minmax",
    "GL_EXT_clip_cull_distance",
    "GL_EXT_conservative_depth",
    "GL_EXT_draw_buffers",
    "GL_EXT_frag_depth",
    "GL_EXT_geometry_point_size",
    "GL_EXT_geometry_shader",
    "GL_EXT_gpu_shader5",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_separate_shader_objects",
    "GL_EXT_shader_implicit_conversions",
    "GL_EXT_shader_integer_mix",
    "GL_EXT_shader_io_blocks",
    "GL_EXT_shader_texture_lod",
    "GL_EXT_tessellation_point_size",
    "GL_EXT_tessellation_shader",
    "GL_OES_geometry_point_size",
    "GL_OES_geometry_shader",
    "GL_OES_gpu_shader5",
    "GL_OES_sample_variables",
    "GL_OES_shader_image_atomic",
    "GL_OES_shader_io_blocks",
    "GL_OES_standard_derivatives",
    "GL_OES_tessellation_point_size",
    "GL_OES_tessellation_shader",
    "GL_OES_viewport_array",
];

/// Extensions that only shaders for Vulkan may require, of any version.
const VULKAN_EXTENSIONS: [&str; 13] = [
    "GL_EXT_control_flow_attributes",
    "GL_EXT_maximal_reconvergence",
    "GL_EXT_nonuniform_qualifier",
    "GL_EXT_null_initializer",
    "GL_EXT_samplerless_texture_functions",
    "GL_EXT_shader_explicit_arithmetic_types_float32",
    "GL_EXT_shader_explicit_arithmetic_types_float64",
    "GL_EXT_shader_explicit_arithmetic_types_int32",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_subgroup_uniform_control_flow",
    "GL_EXT_terminate_invocation",
    "GL_GOOGLE_cpp_style_line_directive",
    "GL_GOOGLE_include_directive",
];

/// Extensions of desktop GLSL whose rules are known, and that cannot be run.
const CHECKED_DESKTOP_EXTENSIONS: [&str; 8] = [
    "GL_AMD_shader_stencil_export",
    "GL_ARB_ES3_1_compatibility",
    "GL_ARB_shader_clock",
    "GL_ARB_shader_group_vote",
    "GL_ARB_shader_stencil_export",
    "GL_ARB_shader_texture_image_samples",
    "GL_EXT_shader_samples_identical",
    "GL_EXT_texture_buffer_object",
];

/// Extensions of GLSL ES whose rules are known, and that cannot be run.
const CHECKED_ES_EXTENSIONS: [&str; 8] = [
    "GL_EXT_shader_samples_identical",
    "GL_EXT_texture_buffer",
    "GL_NV_image_formats",
    "GL_OES_EGL_image_external",
    "GL_OES_EGL_image_external_essl3",
    "GL_OES_shader_multisample_interpolation",
    "GL_OES_texture_buffer",
    "GL_OES_texture_storage_multisample_2d_array",
];

/// Extensions that shaders may use only where nothing runs them.
pub(super) const fn checked_extensions(is_es: bool) -> &'static [&'static str] {
    if is_es { &CHECKED_ES_EXTENSIONS } else { &CHECKED_DESKTOP_EXTENSIONS }
}

/// Extensions of `version`.
pub(super) const fn extensions(version: Version) -> &'static [&'static str] {
    if version.is_es { &ES_EXTENSIONS } else { &DESKTOP_EXTENSIONS }
}

/// True if shaders may require this extension.
pub(super) fn has_extension(name: &str, version: Version, target: Target) -> bool {
    extensions(version).contains(&name)
        || own_extensions(version, target).any(|known| known == name)
}

/// Extensions that only this target has.
fn own_extensions(version: Version, target: Target) -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 2] = match target {
        Target::OpenGl => [&[], &[]],
        Target::CheckedOpenGl => [checked_extensions(version.is_es), &[]],
        Target::Vulkan => [&VULKAN_EXTENSIONS, SUBGROUP_EXTENSIONS],
    };
    all.into_iter().flatten().copied()
}

/// The predefined macros with their values.
pub(super) fn macros(
    version: Version,
    target: Target,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_target: &[(&str, &str)] = match target {
        Target::OpenGl | Target::CheckedOpenGl => &[],
        Target::Vulkan => &[("VULKAN", "100"), (VULKAN, "1")],
    };
    let ones = version_macros(version)
        .chain(extensions(version).iter().copied())
        .chain(own_extensions(version, target));
    ones.map(|name| (name, "1")).chain(of_target.iter().copied())
}

/// Macros with value 1 in `version`, except those of extensions.
fn version_macros(version: Version) -> impl Iterator<Item = &'static str> {
    let has_profiles = !version.is_es && version.number >= 150;
    let has_highp = version.is_es || version.number >= 130;
    [
        (version.is_es, "GL_ES"),
        (has_highp, "GL_FRAGMENT_PRECISION_HIGH"),
        (has_profiles && !version.is_compatibility, "GL_core_profile"),
        (has_profiles && version.is_compatibility, "GL_compatibility_profile"),
    ]
    .into_iter()
    .filter_map(|(is_defined, name)| is_defined.then_some(name))
}

/// Parses `#version`. `line` contains the tokens after that word.
pub(super) fn parse_version(line: &[Token<'_>], directive: Span) -> Result<Version, Diagnostic> {
    let Some(number) = line.first().filter(|token| token.kind == TokenKind::Number) else {
        return Err(Diagnostic::error(directive, "`#version` needs a number"));
    };
    let profile = line.get(1);
    let unknown = || {
        let message = format!("`{}` is not a version of GLSL", number.text);
        Diagnostic::error(number.span, message)
            .with_help("110 to 460, `100`, or `300 es`, `310 es`, `320 es`")
    };
    let value: u16 = number.text.parse().map_err(|_| unknown())?;
    let is_es = value == 100 || profile.is_some_and(|word| word.is_word("es"));
    let is_known = if is_es {
        ES_VERSIONS.contains(&value)
    } else {
        DESKTOP_VERSIONS.contains(&value) || value == NEWEST_DESKTOP_VERSION
    };
    if !is_known {
        return Err(unknown());
    }
    let is_compatibility = match profile.map(|word| (&*word.text, word.span)) {
        None => !is_es && value < 140,
        Some(("es", _)) if is_es && value > 100 => false,
        Some(("core", _)) if !is_es && value >= 150 => false,
        Some(("compatibility", _)) if !is_es && value >= 150 => true,
        Some((word, span)) => {
            let message = format!("`{word}` is not a profile of GLSL {value}");
            return Err(Diagnostic::error(span, message));
        }
    };
    nothing_after(line, 2, "#version")?;
    Ok(Version { number: value, is_es, is_compatibility })
}
