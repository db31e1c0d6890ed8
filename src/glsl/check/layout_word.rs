//! The `layout(…)` qualifiers: declarations, stages and versions that allow each (GLSL 4.60 section 4.4, table at its
//! beginning).

use LayoutTarget::{
    BufferMember, Constant, Input, InterfaceBlock, InterfaceMember, Output, StageBuffer,
    StageInput, StageOutput, StageUniform, StorageBlock, Uniform, UniformBlock,
};

use crate::builtins::{Availability, COORD_LAYOUT, DEPTH_LAYOUT, NEVER, since};
use crate::target::VULKAN;
use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};

/// Kind of declaration that has a `layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayoutTarget {
    Input,
    Output,
    Uniform,
    Constant,
    /// A block of inputs or outputs, and its members.
    InterfaceBlock,
    InterfaceMember,
    UniformBlock,
    StorageBlock,
    /// A member of a uniform or storage block.
    BufferMember,
    StageInput,
    StageOutput,
    StageUniform,
    StageBuffer,
    /// Declarations that cannot have a layout: locals, parameters, plain globals.
    Nothing,
}

/// Qualifiers, the places and stages that allow them, their availability, and the message if they are not available.
pub(super) struct LayoutWordRow {
    words: &'static [&'static str],
    stages: &'static [ShaderStage],
    places: &'static [LayoutTarget],
    pub(super) availability: Availability,
    pub(super) wanted: &'static str,
}

const fn row(words: &'static [&'static str], places: &'static [LayoutTarget]) -> LayoutWordRow {
    let stages = &[Vertex, Control, Evaluation, Geometry, Fragment, Compute];
    LayoutWordRow { words, stages, places, availability: Availability::ALWAYS, wanted: "" }
}

impl LayoutWordRow {
    const fn of(mut self, stages: &'static [ShaderStage]) -> Self {
        self.stages = stages;
        self
    }

    const fn needs(mut self, availability: Availability, wanted: &'static str) -> Self {
        self.availability = availability;
        self.wanted = wanted;
        self
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
/// Push constants have this layout too.
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

/// Includes qualifiers of extensions that interstage does not support.
#[rustfmt::skip]
const WORDS: &[LayoutWordRow] = &[
    row(&["location"], &[Input]).of(&[Vertex]).needs(ATTRIBUTES, OF_ATTRIBUTES),
    row(&["location"], &[Input]).of(&[Control, Evaluation, Geometry, Fragment, Compute]).needs(SEPARATE, OF_VARYINGS),
    row(&["location"], &[Output]).of(&[Fragment]).needs(ATTRIBUTES, OF_ATTRIBUTES),
    row(&["location"], &[Output]).of(&[Vertex, Control, Evaluation, Geometry, Compute]).needs(SEPARATE, OF_VARYINGS),
    row(&["location"], &[Uniform])
        .needs(UNIFORM_LOCATION, "GLSL 4.30 or GL_ARB_explicit_uniform_location"),
    row(&["location"], &[InterfaceBlock, InterfaceMember]),
    row(&["component"], &[Input, Output, InterfaceMember]).needs(ENHANCED, OF_LAYOUTS),
    row(&["index"], &[Output, Uniform]),
    row(&["xfb_offset"], &[Output, InterfaceBlock, InterfaceMember]),
    row(&["xfb_buffer", "xfb_stride"], &[Output, InterfaceBlock, InterfaceMember, StageOutput]),
    row(&["stream"], &[Output, InterfaceBlock, InterfaceMember, StageOutput])
        .needs(STREAMS, "GLSL 4.00 or GL_ARB_gpu_shader5"),
    row(&["points", "lines", "lines_adjacency", "triangles", "triangles_adjacency"], &[StageInput]).of(&[Geometry])
        .needs(GEOMETRY, OF_GEOMETRY),
    row(&["points", "line_strip", "triangle_strip", "max_vertices"], &[StageOutput]).of(&[Geometry])
        .needs(GEOMETRY, OF_GEOMETRY),
    row(&["vertices"], &[StageOutput]).of(&[Control]).needs(TESSELLATION, OF_TESSELLATION),
    row(&["triangles", "quads", "isolines", "equal_spacing", "fractional_even_spacing",
        "fractional_odd_spacing", "cw", "ccw", "point_mode"], &[StageInput]).of(&[Evaluation])
        .needs(TESSELLATION, OF_TESSELLATION),
    row(&["invocations"], &[StageInput]).of(&[Geometry])
        .needs(INVOCATIONS, "GLSL 4.00 or GL_ARB_gpu_shader5"),
    row(&["origin_upper_left", "pixel_center_integer"], &[Input]).of(&[Fragment])
        .needs(COORD_LAYOUT, "GLSL 1.50 or GL_ARB_fragment_coord_conventions"),
    row(&["depth_any", "depth_greater", "depth_less", "depth_unchanged"], &[Output])
        .needs(DEPTH_LAYOUT, "GLSL 4.20 or GL_ARB_conservative_depth"),
    row(&["std140", "shared", "packed"], &[UniformBlock, StorageBlock, StageUniform, StageBuffer]),
    row(&["std430"], &[StorageBlock, StageBuffer]),
    row(&["std430"], &[UniformBlock, StageUniform])
        .needs(SCALAR_OR_VULKAN, "a storage block or GL_EXT_scalar_block_layout"),
    row(&["scalar"], &[UniformBlock, StorageBlock, StageUniform, StageBuffer])
        .needs(SCALAR, "GL_EXT_scalar_block_layout"),
    row(&["row_major", "column_major"],
        &[UniformBlock, StorageBlock, StageUniform, StageBuffer, BufferMember]),
    row(&["binding"], &[Uniform, UniformBlock]).needs(BINDING, OF_BINDINGS),
    row(&["binding"], &[StorageBlock]),
    row(&["set"], &[Uniform, UniformBlock, StorageBlock]).needs(IN_VULKAN, "Vulkan"),
    row(&["push_constant"], &[UniformBlock]).needs(IN_VULKAN, "Vulkan"),
    row(&["input_attachment_index"], &[Uniform]).of(&[Fragment]).needs(IN_VULKAN, "Vulkan"),
    row(&["offset"], &[Uniform]),
    row(&["offset"], &[BufferMember]).needs(ENHANCED, OF_LAYOUTS),
    row(&["align"], &[UniformBlock, StorageBlock, BufferMember]).needs(ENHANCED, OF_LAYOUTS),
    row(&["local_size_x", "local_size_y", "local_size_z", "local_size_variable"], &[StageInput])
        .of(&[Compute]),
    row(&["local_size_x_id", "local_size_y_id", "local_size_z_id"], &[StageInput]).of(&[Compute])
        .needs(IN_VULKAN, "Vulkan"),
    row(&["derivative_group_quadsnv", "derivative_group_linearnv"], &[StageInput]).of(&[Compute]),
    row(&["num_views"], &[StageInput]),
    row(&["early_fragment_tests", "inner_coverage", "post_depth_coverage"], &[StageInput]).of(&[Fragment]),
    row(&["pixel_interlock_ordered", "pixel_interlock_unordered", "sample_interlock_ordered",
        "sample_interlock_unordered"], &[StageInput]).of(&[Fragment]),
    row(&["bindless_sampler", "bindless_image", "bound_sampler", "bound_image"], &[Uniform, StageUniform]),
    row(&["noncoherent"], &[Input, Output]),
    row(&["viewport_relative", "secondary_view_offset"], &[Output]),
    row(&["constant_id"], &[Constant]),
    row(&FORMATS, &[Uniform]),
];

/// Qualifiers of stages as a whole that these stages alone have.
const OF_STAGES: [(&[&str], &[ShaderStage]); 5] = [
    (
        &[
            "points",
            "lines",
            "lines_adjacency",
            "triangles_adjacency",
            "line_strip",
            "triangle_strip",
            "max_vertices",
            "invocations",
        ],
        &[Geometry],
    ),
    (&["triangles"], &[Evaluation, Geometry]),
    (&["vertices"], &[Control]),
    (
        &[
            "quads",
            "isolines",
            "equal_spacing",
            "fractional_even_spacing",
            "fractional_odd_spacing",
            "cw",
            "ccw",
            "point_mode",
        ],
        &[Evaluation],
    ),
    (&["primitive_type"], &[]),
];

/// Formats of images.
pub(super) const FORMATS: [&str; 41] = [
    "rgba32f",
    "rgba16f",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r32f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rgba8",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rgba8_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r32i",
    "r16i",
    "r8i",
    "r64i",
    "r64ui",
    "rgba32ui",
    "rgba16ui",
    "rgb10_a2ui",
    "rgba8ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r32ui",
    "r16ui",
    "r8ui",
];

/// True if some place in some stage allows this qualifier.
pub(super) fn is_known(word: &str) -> bool {
    WORDS.iter().any(|row| row.words.contains(&word))
}

/// The row of a qualifier at this place of a stage, if it is allowed there.
pub(super) fn find(
    word: &str,
    place: LayoutTarget,
    stage: ShaderStage,
) -> Option<&'static LayoutWordRow> {
    WORDS.iter().find(|row| {
        row.words.contains(&word) && row.places.contains(&place) && row.stages.contains(&stage)
    })
}

/// True if a qualifier belongs to another stage.
pub(super) fn is_of_another_stage(word: &str, stage: ShaderStage) -> bool {
    let mut others = OF_STAGES.iter().filter(|(_, stages)| !stages.contains(&stage));
    let is_of_compute = word.starts_with("local_size") || word.starts_with("derivative_group");
    others.any(|(words, _)| words.contains(&word)) || is_of_compute && stage != Compute
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
