//! GL extensions: all known names, and those that interstage provides.
//!
//! An extension is provided if cases can use what it adds: its keywords in shaders, or its textures, formats, draws and
//! queries in `[test]`. An extension that adds only API functions is not provided: no case can call them.

use crate::gl::{Api, Support};

/// Names in the Khronos registry and in Mesa, sorted, one per line.
const NAMES: &str = include_str!("extension_names.txt");

/// Extensions provided in desktop GL, sorted.
const DESKTOP: [&str; 112] = [
    "GL_AMD_conservative_depth",
    "GL_AMD_draw_buffers_blend",
    "GL_AMD_gpu_shader_int64",
    "GL_AMD_shader_trinary_minmax",
    "GL_AMD_vertex_shader_layer",
    "GL_AMD_vertex_shader_viewport_index",
    "GL_ARB_arrays_of_arrays",
    "GL_ARB_blend_func_extended",
    "GL_ARB_color_buffer_float",
    "GL_ARB_compatibility",
    "GL_ARB_compute_shader",
    "GL_ARB_conservative_depth",
    "GL_ARB_cull_distance",
    "GL_ARB_depth_buffer_float",
    "GL_ARB_depth_texture",
    "GL_ARB_derivative_control",
    "GL_ARB_draw_buffers",
    "GL_ARB_draw_buffers_blend",
    "GL_ARB_draw_elements_base_vertex",
    "GL_ARB_draw_instanced",
    "GL_ARB_enhanced_layouts",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_fragment_layer_viewport",
    "GL_ARB_fragment_shader",
    "GL_ARB_framebuffer_object",
    "GL_ARB_gl_spirv",
    "GL_ARB_gpu_shader5",
    "GL_ARB_gpu_shader_fp64",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_half_float_vertex",
    "GL_ARB_multisample",
    "GL_ARB_multitexture",
    "GL_ARB_point_parameters",
    "GL_ARB_point_sprite",
    "GL_ARB_program_interface_query",
    "GL_ARB_sample_shading",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_atomic_counter_ops",
    "GL_ARB_shader_atomic_counters",
    "GL_ARB_shader_bit_encoding",
    "GL_ARB_shader_draw_parameters",
    "GL_ARB_shader_image_load_store",
    "GL_ARB_shader_image_size",
    "GL_ARB_shader_objects",
    "GL_ARB_shader_precision",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shader_subroutine",
    "GL_ARB_shader_texture_lod",
    "GL_ARB_shading_language_100",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shading_language_include",
    "GL_ARB_shading_language_packing",
    "GL_ARB_shadow",
    "GL_ARB_spirv_extensions",
    "GL_ARB_tessellation_shader",
    "GL_ARB_texture_border_clamp",
    "GL_ARB_texture_cube_map",
    "GL_ARB_texture_cube_map_array",
    "GL_ARB_texture_float",
    "GL_ARB_texture_gather",
    "GL_ARB_texture_mirrored_repeat",
    "GL_ARB_texture_non_power_of_two",
    "GL_ARB_texture_query_levels",
    "GL_ARB_texture_rectangle",
    "GL_ARB_texture_rg",
    "GL_ARB_texture_rgb10_a2ui",
    "GL_ARB_texture_storage",
    "GL_ARB_texture_swizzle",
    "GL_ARB_transform_feedback2",
    "GL_ARB_transform_feedback3",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_vertex_attrib_64bit",
    "GL_ARB_vertex_buffer_object",
    "GL_ARB_vertex_shader",
    "GL_ARB_viewport_array",
    "GL_ATI_draw_buffers",
    "GL_ATI_texture_float",
    "GL_EXT_blend_color",
    "GL_EXT_blend_equation_separate",
    "GL_EXT_blend_func_separate",
    "GL_EXT_blend_minmax",
    "GL_EXT_blend_subtract",
    "GL_EXT_draw_buffers2",
    "GL_EXT_draw_instanced",
    "GL_EXT_fog_coord",
    "GL_EXT_framebuffer_multisample",
    "GL_EXT_framebuffer_object",
    "GL_EXT_gpu_shader4",
    "GL_EXT_packed_depth_stencil",
    "GL_EXT_packed_float",
    "GL_EXT_point_parameters",
    "GL_EXT_provoking_vertex",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_secondary_color",
    "GL_EXT_shader_integer_mix",
    "GL_EXT_stencil_two_side",
    "GL_EXT_stencil_wrap",
    "GL_EXT_texture3D",
    "GL_EXT_texture_array",
    "GL_EXT_texture_cube_map",
    "GL_EXT_texture_integer",
    "GL_EXT_texture_rectangle",
    "GL_EXT_texture_shared_exponent",
    "GL_EXT_texture_snorm",
    "GL_EXT_texture_swizzle",
    "GL_EXT_transform_feedback",
    "GL_MESA_shader_integer_functions",
    "GL_NV_primitive_restart",
    "GL_NV_shader_atomic_int64",
    "GL_NV_texture_rectangle",
];

/// Extensions provided in GL ES, sorted.
const ES: [&str; 42] = [
    "GL_AMD_shader_trinary_minmax",
    "GL_EXT_blend_minmax",
    "GL_EXT_clip_cull_distance",
    "GL_EXT_color_buffer_float",
    "GL_EXT_conservative_depth",
    "GL_EXT_draw_buffers",
    "GL_EXT_draw_buffers_indexed",
    "GL_EXT_draw_elements_base_vertex",
    "GL_EXT_float_blend",
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
    "GL_EXT_texture_border_clamp",
    "GL_EXT_texture_cube_map_array",
    "GL_EXT_texture_rg",
    "GL_OES_depth_texture",
    "GL_OES_draw_buffers_indexed",
    "GL_OES_draw_elements_base_vertex",
    "GL_OES_element_index_uint",
    "GL_OES_geometry_point_size",
    "GL_OES_geometry_shader",
    "GL_OES_gpu_shader5",
    "GL_OES_sample_variables",
    "GL_OES_shader_image_atomic",
    "GL_OES_shader_io_blocks",
    "GL_OES_standard_derivatives",
    "GL_OES_tessellation_point_size",
    "GL_OES_tessellation_shader",
    "GL_OES_texture_3D",
    "GL_OES_texture_border_clamp",
    "GL_OES_texture_cube_map_array",
    "GL_OES_texture_npot",
    "GL_OES_viewport_array",
];

/// Extensions that shaders may use although they are not provided: a case could not run what they add.
pub const SHADERS_ONLY: [&str; 6] = [
    "GL_ARB_shader_viewport_layer_array",
    "GL_ARB_texture_multisample",
    "GL_ARB_texture_query_lod",
    "GL_EXT_separate_shader_objects",
    "GL_OES_shader_image_atomic",
    "GL_OES_standard_derivatives",
];

/// Extensions that shaders may use where a case asks only whether they compile, because interstage knows their rules and
/// cannot run what they add.
pub const CHECKED_ONLY: [&str; 15] = [
    "GL_AMD_shader_stencil_export",
    "GL_ARB_ES3_1_compatibility",
    "GL_ARB_shader_clock",
    "GL_ARB_shader_group_vote",
    "GL_ARB_shader_stencil_export",
    "GL_ARB_shader_texture_image_samples",
    "GL_EXT_shader_samples_identical",
    "GL_EXT_texture_buffer",
    "GL_EXT_texture_buffer_object",
    "GL_NV_image_formats",
    "GL_OES_EGL_image_external",
    "GL_OES_EGL_image_external_essl3",
    "GL_OES_shader_multisample_interpolation",
    "GL_OES_texture_buffer",
    "GL_OES_texture_storage_multisample_2d_array",
];

/// Support for the extension called `name` in `api`.
pub fn support(name: &str, api: Api) -> Support {
    if provided(api).contains(&name) {
        Support::Provided
    } else if names().any(|known| known == name) {
        Support::Lacking
    } else {
        Support::Unknown
    }
}

/// The extensions that interstage provides in `api`, sorted.
pub const fn provided(api: Api) -> &'static [&'static str] {
    match api {
        Api::Desktop => &DESKTOP,
        Api::Es => &ES,
    }
}

/// The names of all extensions that some GL has.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines()
}

#[cfg(test)]
mod tests {
    use glsl::{checked_extensions, shader_extensions};

    use super::*;

    #[test]
    fn every_provided_extension_is_known_and_stands_once() {
        for api in [Api::Desktop, Api::Es] {
            let all = provided(api);
            assert!(all.is_sorted_by(|a, b| a < b), "{api:?}");
            for name in all {
                assert!(names().any(|known| known == *name), "{name}");
            }
        }
        assert!(names().collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn extensions_that_shaders_may_name_are_provided_or_only_for_shaders() {
        let lacking = |api| {
            let all = shader_extensions(api == Api::Es).iter();
            all.filter(|name| support(name, api) != Support::Provided).copied().collect::<Vec<_>>()
        };
        assert_eq!(lacking(Api::Desktop), SHADERS_ONLY);
        assert_eq!(lacking(Api::Es), [""; 0]);
    }

    #[test]
    fn extensions_that_are_only_checked_are_not_provided() {
        let of = |is_es| checked_extensions(is_es).iter().copied();
        let checked: std::collections::BTreeSet<_> = of(false).chain(of(true)).collect();
        assert!(checked.into_iter().eq(CHECKED_ONLY));
        for api in [Api::Desktop, Api::Es] {
            let other = CHECKED_ONLY.iter().find(|name| support(name, api) != Support::Lacking);
            assert_eq!(other, None, "{api:?}");
        }
    }
}
