//! The table of `layout(…)` words: the declarations, stages and versions that allow each, and how it is treated (GLSL
//! 4.60 section 4.4, table at its beginning).
//!
//! It also has the words of extensions that interstage does not support.

use Site::{
    Builtin, BuiltinBlock, BuiltinMember, Constant, Input, InputBlock, InputMember, Output,
    OutputBlock, OutputMember, StageBuffer, StageInput, StageOutput, StageUniform, StorageBlock,
    StorageMember, Subroutine, SubroutineUniform, Uniform, UniformBlock, UniformMember,
};
use Treatment::{Carried, NoEffect, Unsupported};

use crate::ast::Version;
use crate::builtins::{Availability, COORD_LAYOUT, Context, DEPTH_LAYOUT, NEVER, since};
use crate::target::VULKAN;
use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};
use ir::treatment::Treatment;

use super::site::Site;

/// Kind of the value of a layout word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutValue {
    /// A word without a value, such as `std140`.
    Absent,
    /// A word with a number, such as `location = 1`.
    Number,
}

/// Layout words, the declarations and stages that allow them, and their treatment there.
#[derive(Debug)]
pub struct LayoutWords {
    /// The layout words of this row.
    pub words: &'static [&'static str],
    /// Kind of value that the words have.
    pub value: LayoutValue,
    /// Declarations that may have the words.
    pub sites: &'static [Site],
    /// Stages that may have the words.
    pub stages: &'static [ShaderStage],
    /// How the words are treated.
    pub treatment: Treatment,
    pub(super) availability: Availability,
    /// The message if the words are not available.
    pub(super) wanted: &'static str,
}

const fn row(
    words: &'static [&'static str],
    value: LayoutValue,
    sites: &'static [Site],
    treatment: Treatment,
) -> LayoutWords {
    let stages = &ShaderStage::ALL;
    let availability = Availability::ALWAYS;
    LayoutWords { words, value, sites, stages, treatment, availability, wanted: "" }
}

const fn flags(
    words: &'static [&'static str],
    sites: &'static [Site],
    treatment: Treatment,
) -> LayoutWords {
    row(words, LayoutValue::Absent, sites, treatment)
}

const fn numbers(
    words: &'static [&'static str],
    sites: &'static [Site],
    treatment: Treatment,
) -> LayoutWords {
    row(words, LayoutValue::Number, sites, treatment)
}

impl LayoutWords {
    const fn of(mut self, stages: &'static [ShaderStage]) -> Self {
        self.stages = stages;
        self
    }

    const fn needs(mut self, availability: Availability, wanted: &'static str) -> Self {
        self.availability = availability;
        self.wanted = wanted;
        self
    }

    /// Restricts the row to extensions that no version includes.
    const fn extends(self, extensions: &'static [&'static str], wanted: &'static str) -> Self {
        self.needs(since(NEVER, NEVER).or_with(extensions), wanted)
    }
}

const SEPARATE: Availability =
    since(410, 310).or_with(&["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects"]);
const ATTRIBUTES: Availability = since(330, 300).or_with(&[
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_separate_shader_objects",
    "GL_EXT_separate_shader_objects",
]);
const ENHANCED: Availability = since(440, NEVER).or_with(&["GL_ARB_enhanced_layouts"]);
const SCALAR: Availability = since(NEVER, NEVER).or_with(&["GL_EXT_scalar_block_layout"]);
/// Availability of the scalar layout where Vulkan allows it without the extension, for push constants.
const SCALAR_OR_VULKAN: Availability =
    since(NEVER, NEVER).or_with(&["GL_EXT_scalar_block_layout", VULKAN]);
const IN_VULKAN: Availability = since(NEVER, NEVER).or_with(&[VULKAN]);
const BINDING: Availability = since(420, 310).or_with(&[
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shader_atomic_counters",
    "GL_ARB_shader_storage_buffer_object",
]);
const UNIFORM_LOCATION: Availability =
    since(430, 310).or_with(&["GL_ARB_explicit_uniform_location"]);

const GEOMETRY: Availability =
    since(150, 320).or_with(&["GL_OES_geometry_shader", "GL_EXT_geometry_shader"]);
const INVOCATIONS: Availability = since(400, 320).or_with(&[
    "GL_ARB_gpu_shader5",
    "GL_OES_geometry_shader",
    "GL_EXT_geometry_shader",
]);
const STREAMS: Availability = since(400, NEVER).or_with(&["GL_ARB_gpu_shader5"]);

const TESSELLATION: Availability = since(400, 320).or_with(&[
    "GL_ARB_tessellation_shader",
    "GL_OES_tessellation_shader",
    "GL_EXT_tessellation_shader",
]);

const OF_TESSELLATION: &str = "GLSL 4.00, GLSL ES 3.20 or GL_ARB_tessellation_shader";
const OF_GEOMETRY: &str = "GLSL 1.50, GLSL ES 3.20 or GL_OES_geometry_shader";
const OF_ATTRIBUTES: &str = "GLSL 3.30 or GL_ARB_explicit_attrib_location";
const OF_VARYINGS: &str = "GLSL 4.10 or GL_ARB_separate_shader_objects";
const OF_BINDINGS: &str = "GLSL 4.20 or GL_ARB_shading_language_420pack";
const OF_LAYOUTS: &str = "GLSL 4.40 or GL_ARB_enhanced_layouts";

const EARLY: Availability = since(420, 310).or_with(&["GL_ARB_shader_image_load_store"]);
const OF_EARLY: &str = "GLSL 4.20, GLSL ES 3.10 or GL_ARB_shader_image_load_store";
const BLENDING: Availability = since(NEVER, 320).or_with(&["GL_KHR_blend_equation_advanced"]);

/// Stages with transform feedback.
const CAPTURED: &[ShaderStage] = &[Vertex, Evaluation, Geometry];
const SOURCES: Availability = since(110, NEVER).or_with(&["GL_EXT_blend_func_extended"]);

const CAPTURE: Treatment = Carried("xfb");
const BLOCK: Treatment = Carried("declared_blocks");
const BLEND: Treatment = NoEffect("it permits blend equations, and no case can select one of them");
const SUBROUTINES: Treatment =
    NoEffect("a case names subroutine uniforms and functions, and never their numbers");

/// All layout words.
#[rustfmt::skip]
const WORDS: &[LayoutWords] = &[
    numbers(&["location"], &[Input], Carried("inputs")).of(&[Vertex]).needs(ATTRIBUTES, OF_ATTRIBUTES),
    numbers(&["location"], &[Input], Carried("inputs")).of(&[Control, Evaluation, Geometry, Fragment, Compute])
        .needs(SEPARATE, OF_VARYINGS),
    numbers(&["location"], &[Output], Carried("outputs")).of(&[Fragment]).needs(ATTRIBUTES, OF_ATTRIBUTES),
    numbers(&["location"], &[Output], Carried("outputs")).of(&[Vertex, Control, Evaluation, Geometry, Compute])
        .needs(SEPARATE, OF_VARYINGS),
    numbers(&["location"], &[Uniform], Carried("uniforms, resources"))
        .needs(UNIFORM_LOCATION, "GLSL 4.30 or GL_ARB_explicit_uniform_location"),
    numbers(&["location"], &[SubroutineUniform], SUBROUTINES)
        .needs(UNIFORM_LOCATION, "GLSL 4.30 or GL_ARB_explicit_uniform_location"),
    numbers(&["location"], &[InputBlock, InputMember], Carried("inputs")),
    numbers(&["location"], &[OutputBlock, OutputMember], Carried("outputs")),
    numbers(&["component"], &[Input, InputMember], Carried("inputs")).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["component"], &[Output, OutputMember], Carried("outputs")).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["index"], &[Output], Carried("outputs")).of(&[Fragment])
        .needs(SOURCES, "GL_EXT_blend_func_extended in GLSL ES"),
    numbers(&["index"], &[Subroutine], SUBROUTINES)
        .needs(UNIFORM_LOCATION, "GLSL 4.30 or GL_ARB_explicit_uniform_location"),
    numbers(&["xfb_offset"], &[Output, OutputBlock, OutputMember, Builtin, BuiltinBlock, BuiltinMember], CAPTURE)
        .of(CAPTURED).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["xfb_buffer", "xfb_stride"],
        &[Output, OutputBlock, OutputMember, Builtin, BuiltinBlock, BuiltinMember, StageOutput], CAPTURE)
        .of(CAPTURED).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["stream"], &[Output, OutputBlock, OutputMember, StageOutput], Carried("outputs")).of(&[Geometry])
        .needs(STREAMS, "GLSL 4.00 or GL_ARB_gpu_shader5"),
    numbers(&["stream"], &[Builtin, BuiltinBlock, BuiltinMember], Unsupported).of(&[Geometry])
        .needs(STREAMS, "GLSL 4.00 or GL_ARB_gpu_shader5"),
    flags(&["points", "lines", "lines_adjacency", "triangles", "triangles_adjacency"], &[StageInput],
        Carried("geometry")).of(&[Geometry]).needs(GEOMETRY, OF_GEOMETRY),
    flags(&["points", "line_strip", "triangle_strip"], &[StageOutput], Carried("geometry")).of(&[Geometry])
        .needs(GEOMETRY, OF_GEOMETRY),
    numbers(&["max_vertices"], &[StageOutput], Carried("geometry")).of(&[Geometry]).needs(GEOMETRY, OF_GEOMETRY),
    numbers(&["invocations"], &[StageInput], Carried("geometry")).of(&[Geometry])
        .needs(INVOCATIONS, "GLSL 4.00 or GL_ARB_gpu_shader5"),
    numbers(&["vertices"], &[StageOutput], Carried("tessellation")).of(&[Control]).needs(TESSELLATION, OF_TESSELLATION),
    flags(&["triangles", "quads", "isolines", "equal_spacing", "fractional_even_spacing",
        "fractional_odd_spacing", "cw", "ccw", "point_mode"], &[StageInput], Carried("tessellation")).of(&[Evaluation])
        .needs(TESSELLATION, OF_TESSELLATION),
    flags(&["origin_upper_left", "pixel_center_integer"], &[Input, Builtin], Carried("frag_coord")).of(&[Fragment])
        .needs(COORD_LAYOUT, "GLSL 1.50 or GL_ARB_fragment_coord_conventions"),
    flags(&["depth_any"], &[Output, Builtin], NoEffect("it promises nothing")).of(&[Fragment])
        .needs(DEPTH_LAYOUT, "GLSL 4.20 or GL_ARB_conservative_depth"),
    flags(&["depth_greater", "depth_less", "depth_unchanged"], &[Output, Builtin], Carried("early_depth_test"))
        .of(&[Fragment]).needs(DEPTH_LAYOUT, "GLSL 4.20 or GL_ARB_conservative_depth"),
    flags(&["std140", "shared", "packed"], &[UniformBlock, StorageBlock, StageUniform, StageBuffer], BLOCK),
    flags(&["std430"], &[StorageBlock, StageBuffer], BLOCK),
    flags(&["std430"], &[UniformBlock, StageUniform], BLOCK)
        .needs(SCALAR_OR_VULKAN, "a storage block or GL_EXT_scalar_block_layout"),
    flags(&["scalar"], &[UniformBlock, StorageBlock, StageUniform, StageBuffer], BLOCK)
        .needs(SCALAR, "GL_EXT_scalar_block_layout"),
    flags(&["row_major", "column_major"],
        &[UniformBlock, StorageBlock, StageUniform, StageBuffer, UniformMember, StorageMember], BLOCK),
    numbers(&["binding"], &[Uniform], Carried("resources, counters")).needs(BINDING, OF_BINDINGS),
    numbers(&["binding"], &[UniformBlock], Carried("uniforms")).needs(BINDING, OF_BINDINGS),
    numbers(&["binding"], &[StorageBlock], Carried("resources")),
    numbers(&["set"], &[Uniform, UniformBlock, StorageBlock], Carried("uniforms, resources")).needs(IN_VULKAN, "Vulkan"),
    flags(&["push_constant"], &[UniformBlock], Carried("uniforms")).needs(IN_VULKAN, "Vulkan"),
    numbers(&["input_attachment_index"], &[Uniform], Unsupported).of(&[Fragment]).needs(IN_VULKAN, "Vulkan"),
    numbers(&["offset"], &[Uniform], Carried("counters")),
    numbers(&["offset"], &[UniformMember, StorageMember], BLOCK).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["align"], &[UniformBlock, StorageBlock, UniformMember, StorageMember], BLOCK).needs(ENHANCED, OF_LAYOUTS),
    numbers(&["local_size_x", "local_size_y", "local_size_z"], &[StageInput], Carried("workgroup_size")).of(&[Compute]),
    numbers(&["local_size_x_id", "local_size_y_id", "local_size_z_id"], &[StageInput], Carried("workgroup_size"))
        .of(&[Compute]).needs(IN_VULKAN, "Vulkan"),
    flags(&["local_size_variable"], &[StageInput], Unsupported).of(&[Compute])
        .extends(&["GL_ARB_compute_variable_group_size"], "GL_ARB_compute_variable_group_size"),
    flags(&["derivative_group_quadsnv", "derivative_group_linearnv", "derivative_group_quadsNV",
        "derivative_group_linearNV"], &[StageInput], Unsupported).of(&[Compute])
        .extends(&["GL_NV_compute_shader_derivatives"], "GL_NV_compute_shader_derivatives"),
    numbers(&["num_views"], &[StageInput], Unsupported).of(&[Vertex])
        .extends(&["GL_OVR_multiview", "GL_OVR_multiview2"], "GL_OVR_multiview"),
    flags(&["early_fragment_tests"], &[StageInput], Carried("early_depth_test")).of(&[Fragment]).needs(EARLY, OF_EARLY),
    flags(&["inner_coverage"], &[StageInput], Unsupported).of(&[Fragment])
        .extends(&["GL_INTEL_conservative_rasterization"], "GL_INTEL_conservative_rasterization"),
    flags(&["post_depth_coverage"], &[StageInput], Unsupported).of(&[Fragment])
        .extends(&["GL_ARB_post_depth_coverage", "GL_EXT_post_depth_coverage"], "GL_ARB_post_depth_coverage"),
    flags(&["pixel_interlock_ordered", "pixel_interlock_unordered", "sample_interlock_ordered",
        "sample_interlock_unordered"], &[StageInput], Unsupported).of(&[Fragment])
        .extends(&["GL_ARB_fragment_shader_interlock", "GL_NV_fragment_shader_interlock"],
            "GL_ARB_fragment_shader_interlock"),
    flags(&["blend_support_multiply", "blend_support_screen", "blend_support_overlay", "blend_support_darken",
        "blend_support_lighten", "blend_support_colordodge", "blend_support_colorburn", "blend_support_hardlight",
        "blend_support_softlight", "blend_support_difference", "blend_support_exclusion", "blend_support_hsl_hue",
        "blend_support_hsl_saturation", "blend_support_hsl_color", "blend_support_hsl_luminosity",
        "blend_support_all_equations"], &[StageOutput], BLEND).of(&[Fragment])
        .needs(BLENDING, "GLSL ES 3.20 or GL_KHR_blend_equation_advanced"),
    flags(&["bindless_sampler", "bindless_image", "bound_sampler", "bound_image"], &[Uniform, StageUniform], Unsupported)
        .extends(&["GL_ARB_bindless_texture", "GL_NV_bindless_texture"], "GL_ARB_bindless_texture"),
    flags(&["noncoherent"], &[Input, Output], Unsupported).of(&[Fragment])
        .extends(&["GL_EXT_shader_framebuffer_fetch_non_coherent"], "GL_EXT_shader_framebuffer_fetch_non_coherent"),
    flags(&["viewport_relative"], &[Output], Unsupported)
        .extends(&["GL_NV_viewport_array2"], "GL_NV_viewport_array2"),
    flags(&["passthrough"], &[Input, InputBlock, InputMember], Unsupported).of(&[Geometry])
        .extends(&["GL_NV_geometry_shader_passthrough"], "GL_NV_geometry_shader_passthrough"),
    numbers(&["secondary_view_offset"], &[Output], Unsupported).of(&[Vertex])
        .extends(&["GL_NV_stereo_view_rendering"], "GL_NV_stereo_view_rendering"),
    numbers(&["constant_id"], &[Constant], NoEffect("a case without a value for the constant leaves its initialiser"))
        .needs(IN_VULKAN, "Vulkan"),
    flags(&FORMATS, &[Uniform], Carried("resources")),
    flags(&MORE_FORMATS, &[Uniform], Carried("resources"))
        .needs(since(110, NEVER).or_with(&["GL_NV_image_formats"]), "GL_NV_image_formats in GLSL ES"),
    flags(&NORMALISED_FORMATS, &[Uniform], Carried("resources"))
        .needs(since(110, NEVER).or_with(&["GL_EXT_texture_norm16"]), "GL_EXT_texture_norm16 in GLSL ES"),
];

/// Image formats that GLSL ES has too (GLSL ES 3.20 section 4.4.7).
const FORMATS: [&str; 13] = [
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
];

/// Other image formats of desktop GLSL.
const MORE_FORMATS: [&str; 22] = [
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r16f",
    "rgb10_a2",
    "rg8",
    "r8",
    "rg8_snorm",
    "r8_snorm",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "r64i",
    "r64ui",
    "rgb10_a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
];

/// Image formats of 16-bit normalised numbers.
const NORMALISED_FORMATS: [&str; 6] =
    ["rgba16", "rg16", "r16", "rgba16_snorm", "rg16_snorm", "r16_snorm"];

impl LayoutWords {
    /// True if a version has the words without any extension.
    pub fn is_in(&self, version: Version) -> bool {
        let context = Context { version, has_legacy: false, enables: &|_| false };
        self.availability.is_met(context)
    }

    /// An extension that adds the words, if there is one.
    pub fn extension(&self) -> Option<&'static str> {
        self.wanted.split(' ').find(|word| word.starts_with("GL_"))
    }
}

/// All rows of the table.
pub fn layout_words() -> &'static [LayoutWords] {
    WORDS
}

/// True for a format of images.
pub(super) fn is_format(word: &str) -> bool {
    [&FORMATS[..], &MORE_FORMATS, &NORMALISED_FORMATS].iter().any(|words| words.contains(&word))
}

/// True if some site in some stage allows this word.
pub(super) fn is_known(word: &str) -> bool {
    WORDS.iter().any(|row| row.words.contains(&word))
}

/// The row of a word at a site in a stage, if it is allowed there.
pub(super) fn find(word: &str, site: Site, stage: ShaderStage) -> Option<&'static LayoutWords> {
    WORDS.iter().find(|row| {
        row.words.contains(&word) && row.sites.contains(&site) && row.stages.contains(&stage)
    })
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use ir::stage::ShaderStage::{Compute, Fragment, Vertex};

    #[test]
    fn words_of_layout_have_their_versions() {
        let binding = "`binding` needs GLSL 4.20 or GL_ARB_shading_language_420pack [binding]";
        check("410", Fragment, "layout(binding = 1) uniform sampler2D t;", binding);
        check("300 es", Fragment, "layout(binding = 1) uniform sampler2D t;", binding);
        check("420", Fragment, "layout(binding = 1) uniform sampler2D t;", "");
        let location = "`location` needs GLSL 4.30 or GL_ARB_explicit_uniform_location [location]";
        check("420", Vertex, "layout(location = 1) uniform vec4 u;", location);
        check("430", Vertex, "layout(location = 1) uniform vec4 u;", "");
        let depth = "`depth_less` needs GLSL 4.20 or GL_ARB_conservative_depth [depth_less]";
        check("410", Fragment, "layout(depth_less) out float gl_FragDepth;", depth);
        check("420", Fragment, "layout(depth_less) out float gl_FragDepth;", "");
    }

    /// F41
    #[test]
    fn words_of_other_stages_are_refused() {
        check(
            "430",
            Vertex,
            "layout(triangles) in;",
            "the layout qualifier `triangles` is not allowed here [triangles]",
        );
        check(
            "430",
            Fragment,
            "layout(local_size_x = 4) in;",
            "the layout qualifier `local_size_x` is not allowed here [local_size_x]",
        );
        check("430", Compute, "layout(local_size_x = 4) in;", "");
        check("430", Fragment, "layout(early_fragment_tests) in;", "");
    }
}
