//! Built-in variables that are not limited to the compatibility profile (GLSL 4.60 sections 7.1 and 7.2, GLSL ES 3.20
//! section 7.1), and the built-in variables that may be redeclared. The variables that only the compatibility profile
//! has are in the lowering's `legacy` module.

use Seen::{Floats, Mask, Plain};
use naga::BuiltIn;

use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};
use ir::stage_module::Direction::{self, Input, Output};

use super::availability::{Availability, NEVER, by_extension, since};
use crate::target::SUBGROUP_EXTENSIONS;
use crate::target::VULKAN;

/// A built-in variable of one stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltinRow {
    /// Name of the variable.
    pub(crate) name: &'static str,
    /// The stage that has the variable.
    pub(crate) stage: ShaderStage,
    /// Versions and extensions that have the variable.
    pub(crate) availability: Availability,
    /// Kind of the variable.
    pub(crate) kind: BuiltinKind,
}

/// Kind of a built-in variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BuiltinKind {
    /// A built-in value of naga.
    Stored(StoredBuiltin),
    /// `gl_FragColor` or `gl_FragData`.
    FragmentOutput,
    /// An integer that is an ordinary input or output of the stage.
    Varying(Direction),
    /// `gl_in` or `gl_out`.
    VertexBlock,
    /// An input that only geometry stages have: `gl_PrimitiveIDIn` or `gl_InvocationID`.
    GeometryInput,
    /// A variable that only tessellation stages have, or that has another form in them.
    Tessellation,
    /// A variable whose uses are checked and cannot be run: direction, and keyword of its type.
    Checked(Direction, &'static str),
    /// A variable that interstage does not support.
    Unsupported,
}

/// A built-in variable that is a built-in value of naga.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredBuiltin {
    /// Input or output of the stage.
    pub(crate) direction: Direction,
    /// The value in naga.
    pub(crate) builtin: BuiltIn,
    /// Type in the shader.
    pub(crate) ty: Seen,
    /// Type keyword of naga's value, or of its elements.
    pub(crate) keyword: &'static str,
}

/// Type of a built-in variable in the shader.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    /// The type with this keyword.
    Plain(&'static str),
    /// An array of `int` that is stored as a single word.
    Mask,
    /// An array of floats; its length is declared, or implied by its indices.
    Floats,
}

const fn row(
    name: &'static str,
    stage: ShaderStage,
    availability: Availability,
    direction: Direction,
    builtin: BuiltIn,
    ty: Seen,
    keyword: &'static str,
) -> BuiltinRow {
    let kind = BuiltinKind::Stored(StoredBuiltin { direction, builtin, ty, keyword });
    BuiltinRow { name, stage, availability, kind }
}

const fn color(name: &'static str) -> BuiltinRow {
    let availability = since(0, 100).until(410, 100);
    BuiltinRow { name, stage: Fragment, availability, kind: BuiltinKind::FragmentOutput }
}

const fn varying(
    name: &'static str,
    stage: ShaderStage,
    availability: Availability,
    direction: Direction,
) -> BuiltinRow {
    BuiltinRow { name, stage, availability, kind: BuiltinKind::Varying(direction) }
}

const fn geometry(name: &'static str, availability: Availability) -> BuiltinRow {
    BuiltinRow { name, stage: Geometry, availability, kind: BuiltinKind::GeometryInput }
}

const fn vertices(name: &'static str, stage: ShaderStage) -> BuiltinRow {
    BuiltinRow { name, stage, availability: ALWAYS, kind: BuiltinKind::VertexBlock }
}

const fn tessellation(name: &'static str, stage: ShaderStage) -> BuiltinRow {
    BuiltinRow { name, stage, availability: ALWAYS, kind: BuiltinKind::Tessellation }
}

const fn checked(
    name: &'static str,
    availability: Availability,
    direction: Direction,
    keyword: &'static str,
) -> BuiltinRow {
    let kind = BuiltinKind::Checked(direction, keyword);
    BuiltinRow { name, stage: Fragment, availability, kind }
}

const fn unsupported(
    name: &'static str,
    stage: ShaderStage,
    availability: Availability,
) -> BuiltinRow {
    BuiltinRow { name, stage, availability, kind: BuiltinKind::Unsupported }
}

const POSITION: BuiltIn = BuiltIn::Position { invariant: false };

const ALWAYS: Availability = Availability::ALWAYS;
const CLIP: Availability = since(130, NEVER).or_with(&["GL_EXT_clip_cull_distance"]);
const CULL: Availability =
    since(450, NEVER).or_with(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]);
const VERTEX_ID: Availability = since(130, 300).or_with(&["GL_EXT_gpu_shader4"]).not_in_vulkan();
const INSTANCE_ID: Availability = since(140, 300).or_with(&["GL_EXT_gpu_shader4"]).not_in_vulkan();
const IN_VULKAN: Availability = by_extension(&[VULKAN]);
const SUBGROUP: Availability = by_extension(SUBGROUP_EXTENSIONS);
const INSTANCE_ID_ARB: Availability = by_extension(&["GL_ARB_draw_instanced"]);
const DRAW: Availability = since(460, NEVER);
const DRAW_ARB: Availability = by_extension(&["GL_ARB_shader_draw_parameters"]);
const POINT_COORD: Availability = since(120, 100);
const PRIMITIVE_ID: Availability = since(150, 320).or_with(&[
    "GL_EXT_gpu_shader4",
    "GL_OES_geometry_shader",
    "GL_EXT_geometry_shader",
    "GL_ARB_geometry_shader4",
]);
const SAMPLE: Availability =
    since(400, 320).or_with(&["GL_ARB_sample_shading", "GL_OES_sample_variables"]);
const SAMPLE_MASK_IN: Availability =
    since(400, 320).or_with(&["GL_ARB_gpu_shader5", "GL_OES_sample_variables"]);
const FRAG_DEPTH: Availability = since(0, 300);
const FRAG_DEPTH_EXT: Availability = by_extension(&["GL_EXT_frag_depth"]);
const LAYER: Availability = since(430, 320).or_with(&[
    "GL_ARB_fragment_layer_viewport",
    "GL_OES_geometry_shader",
    "GL_EXT_geometry_shader",
]);
const VIEWPORT: Availability =
    since(430, NEVER).or_with(&["GL_ARB_fragment_layer_viewport", "GL_OES_viewport_array"]);
const INVOCATION_ID: Availability = since(400, 320).or_with(&[
    "GL_ARB_gpu_shader5",
    "GL_OES_geometry_shader",
    "GL_EXT_geometry_shader",
]);
const GEOMETRY_POINT_SIZE: Availability =
    since(0, NEVER).or_with(&["GL_OES_geometry_point_size", "GL_EXT_geometry_point_size"]);
const EVALUATION_POINT_SIZE: Availability =
    since(0, NEVER).or_with(&["GL_OES_tessellation_point_size", "GL_EXT_tessellation_point_size"]);
const GEOMETRY_VIEWPORT: Availability =
    since(410, NEVER).or_with(&["GL_ARB_viewport_array", "GL_OES_viewport_array"]);
const VERTEX_LAYER: Availability = by_extension(&[
    "GL_AMD_vertex_shader_layer",
    "GL_AMD_vertex_shader_viewport_index",
    "GL_ARB_shader_viewport_layer_array",
    "GL_NV_viewport_array2",
]);
const HELPER: Availability = since(450, 310).or_with(&["GL_ARB_ES3_1_compatibility"]);
const FETCH: Availability = by_extension(&[
    "GL_EXT_shader_framebuffer_fetch",
    "GL_EXT_shader_framebuffer_fetch_non_coherent",
    "GL_ARM_shader_framebuffer_fetch",
]);
const SECOND_SOURCE: Availability = by_extension(&["GL_EXT_blend_func_extended"]);

#[rustfmt::skip]
const ROWS: &[BuiltinRow] = &[
    row("gl_Position", Vertex, ALWAYS, Output, POSITION, Plain("vec4"), "vec4"),
    row("gl_PointSize", Vertex, ALWAYS, Output, BuiltIn::PointSize, Plain("float"), "float"),
    row("gl_ClipDistance", Vertex, CLIP, Output, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Vertex, CULL, Output, BuiltIn::CullDistance, Floats, "float"),
    row("gl_VertexID", Vertex, VERTEX_ID, Input, BuiltIn::VertexIndex, Plain("int"), "uint"),
    row("gl_InstanceID", Vertex, INSTANCE_ID, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_InstanceIDARB", Vertex, INSTANCE_ID_ARB, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_VertexIndex", Vertex, IN_VULKAN, Input, BuiltIn::VertexIndex, Plain("int"), "uint"),
    row("gl_InstanceIndex", Vertex, IN_VULKAN, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_BaseVertex", Vertex, DRAW, Input, BuiltIn::BaseVertex, Plain("int"), "uint"),
    row("gl_BaseVertexARB", Vertex, DRAW_ARB, Input, BuiltIn::BaseVertex, Plain("int"), "uint"),
    row("gl_BaseInstance", Vertex, DRAW, Input, BuiltIn::BaseInstance, Plain("int"), "uint"),
    row("gl_BaseInstanceARB", Vertex, DRAW_ARB, Input, BuiltIn::BaseInstance, Plain("int"), "uint"),
    row("gl_DrawID", Vertex, DRAW, Input, BuiltIn::DrawIndex, Plain("int"), "uint"),
    row("gl_DrawIDARB", Vertex, DRAW_ARB, Input, BuiltIn::DrawIndex, Plain("int"), "uint"),
    vertices("gl_in", Control),
    vertices("gl_out", Control),
    tessellation("gl_TessLevelOuter", Control),
    tessellation("gl_TessLevelInner", Control),
    tessellation("gl_PatchVerticesIn", Control),
    tessellation("gl_PrimitiveID", Control),
    tessellation("gl_InvocationID", Control),
    vertices("gl_in", Evaluation),
    tessellation("gl_TessLevelOuter", Evaluation),
    tessellation("gl_TessLevelInner", Evaluation),
    tessellation("gl_TessCoord", Evaluation),
    tessellation("gl_PatchVerticesIn", Evaluation),
    tessellation("gl_PrimitiveID", Evaluation),
    row("gl_Position", Evaluation, ALWAYS, Output, POSITION, Plain("vec4"), "vec4"),
    row("gl_PointSize", Evaluation, EVALUATION_POINT_SIZE, Output, BuiltIn::PointSize, Plain("float"), "float"),
    row("gl_ClipDistance", Evaluation, CLIP, Output, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Evaluation, CULL, Output, BuiltIn::CullDistance, Floats, "float"),
    varying("gl_Layer", Evaluation, VERTEX_LAYER, Output),
    varying("gl_ViewportIndex", Evaluation, VERTEX_LAYER, Output),
    row("gl_Position", Geometry, ALWAYS, Output, POSITION, Plain("vec4"), "vec4"),
    row("gl_PointSize", Geometry, GEOMETRY_POINT_SIZE, Output, BuiltIn::PointSize, Plain("float"), "float"),
    row("gl_ClipDistance", Geometry, CLIP, Output, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Geometry, CULL, Output, BuiltIn::CullDistance, Floats, "float"),
    vertices("gl_in", Geometry),
    geometry("gl_PrimitiveIDIn", ALWAYS),
    geometry("gl_InvocationID", INVOCATION_ID),
    varying("gl_PrimitiveID", Geometry, ALWAYS, Output),
    varying("gl_Layer", Geometry, ALWAYS, Output),
    varying("gl_ViewportIndex", Geometry, GEOMETRY_VIEWPORT, Output),
    row("gl_ClipDistance", Fragment, CLIP, Input, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Fragment, CULL, Input, BuiltIn::CullDistance, Floats, "float"),
    row("gl_FragCoord", Fragment, ALWAYS, Input, POSITION, Plain("vec4"), "vec4"),
    row("gl_FrontFacing", Fragment, ALWAYS, Input, BuiltIn::FrontFacing, Plain("bool"), "bool"),
    row("gl_PointCoord", Fragment, POINT_COORD, Input, BuiltIn::PointCoord, Plain("vec2"), "vec2"),
    row("gl_PrimitiveID", Fragment, PRIMITIVE_ID, Input, BuiltIn::PrimitiveIndex, Plain("int"), "uint"),
    row("gl_SampleID", Fragment, SAMPLE, Input, BuiltIn::SampleIndex, Plain("int"), "uint"),
    row("gl_SampleMaskIn", Fragment, SAMPLE_MASK_IN, Input, BuiltIn::SampleMask, Mask, "uint"),
    row("gl_SampleMask", Fragment, SAMPLE, Output, BuiltIn::SampleMask, Mask, "uint"),
    row("gl_FragDepth", Fragment, FRAG_DEPTH, Output, BuiltIn::FragDepth, Plain("float"), "float"),
    row("gl_FragDepthEXT", Fragment, FRAG_DEPTH_EXT, Output, BuiltIn::FragDepth, Plain("float"), "float"),
    row("gl_GlobalInvocationID", Compute, ALWAYS, Input, BuiltIn::GlobalInvocationId, Plain("uvec3"), "uvec3"),
    row("gl_LocalInvocationID", Compute, ALWAYS, Input, BuiltIn::LocalInvocationId, Plain("uvec3"), "uvec3"),
    row("gl_LocalInvocationIndex", Compute, ALWAYS, Input, BuiltIn::LocalInvocationIndex, Plain("uint"), "uint"),
    row("gl_WorkGroupID", Compute, ALWAYS, Input, BuiltIn::WorkGroupId, Plain("uvec3"), "uvec3"),
    row("gl_NumWorkGroups", Compute, ALWAYS, Input, BuiltIn::NumWorkGroups, Plain("uvec3"), "uvec3"),
    row("gl_NumSubgroups", Compute, SUBGROUP, Input, BuiltIn::NumSubgroups, Plain("uint"), "uint"),
    row("gl_SubgroupID", Compute, SUBGROUP, Input, BuiltIn::SubgroupId, Plain("uint"), "uint"),
    row("gl_SubgroupSize", Compute, SUBGROUP, Input, BuiltIn::SubgroupSize, Plain("uint"), "uint"),
    row("gl_SubgroupInvocationID", Compute, SUBGROUP, Input, BuiltIn::SubgroupInvocationId, Plain("uint"), "uint"),
    row("gl_SubgroupSize", Fragment, SUBGROUP, Input, BuiltIn::SubgroupSize, Plain("uint"), "uint"),
    row("gl_SubgroupInvocationID", Fragment, SUBGROUP, Input, BuiltIn::SubgroupInvocationId, Plain("uint"), "uint"),
    color("gl_FragColor"),
    color("gl_FragData"),
    varying("gl_Layer", Vertex, VERTEX_LAYER, Output),
    varying("gl_ViewportIndex", Vertex, VERTEX_LAYER, Output),
    unsupported("gl_ViewportMask", Vertex, VERTEX_LAYER),
    unsupported("gl_NumSamples", Vertex, SAMPLE),
    checked("gl_NumSamples", SAMPLE, Input, "int"),
    checked("gl_SamplePosition", SAMPLE, Input, "vec2"),
    varying("gl_Layer", Fragment, LAYER, Input),
    varying("gl_ViewportIndex", Fragment, VIEWPORT, Input),
    checked("gl_HelperInvocation", HELPER, Input, "bool"),
    unsupported("gl_LastFragData", Fragment, FETCH),
    unsupported("gl_LastFragColorARM", Fragment, FETCH),
    unsupported("gl_LastFragDepthARM", Fragment, FETCH),
    unsupported("gl_SecondaryFragColorEXT", Fragment, SECOND_SOURCE),
    unsupported("gl_SecondaryFragDataEXT", Fragment, SECOND_SOURCE),
    checked("gl_FragStencilRefARB", by_extension(&["GL_ARB_shader_stencil_export"]), Output, "int"),
    checked("gl_FragStencilRefAMD", by_extension(&["GL_AMD_shader_stencil_export"]), Output, "int"),
    unsupported("gl_LocalGroupSizeARB", Compute, by_extension(&["GL_ARB_compute_variable_group_size"])),
];

/// Prefixes of variables from unsupported extensions.
const UNSUPPORTED_FAMILIES: [&str; 6] =
    ["gl_SubGroup", "gl_Subgroup", "gl_NumSubgroups", "gl_BaryCoord", "gl_Scope", "gl_Semantics"];

/// Availability of the bounding box of a patch, which no backend has (GLSL ES 3.20, 7.1.2).
pub(crate) const BOUNDING_BOX: Availability =
    since(NEVER, 320).or_with(&["GL_EXT_primitive_bounding_box", "GL_OES_primitive_bounding_box"]);

/// True for the bounding box of a patch.
pub(crate) fn is_bounding_box(name: &str) -> bool {
    ["gl_BoundingBox", "gl_BoundingBoxEXT", "gl_BoundingBoxOES"].contains(&name)
}

/// True if the name has a prefix of unsupported extensions.
pub(crate) fn is_reserved_family(name: &str) -> bool {
    UNSUPPORTED_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Looks up the variable of this name in a stage, in any version.
pub(crate) fn variable(name: &str, stage: ShaderStage) -> Option<&'static BuiltinRow> {
    ROWS.iter().find(|row| row.name == name && row.stage == stage)
}

/// True if only other stages have a variable of this name.
pub(crate) fn is_in_another_stage(name: &str, stage: ShaderStage) -> bool {
    variable(name, stage).is_none() && ROWS.iter().any(|row| row.name == name)
}

/// A built-in variable that may be redeclared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Redeclaration {
    name: &'static str,
    stages: &'static [ShaderStage],
    /// Keyword of the variable's type, or of the type of its elements.
    pub(crate) keyword: &'static str,
    /// True if the variable is an array.
    pub(crate) is_array: bool,
    /// Versions and extensions in which the variable may be redeclared alone. `gl_PerVertex` may contain it in every
    /// version that has the block.
    pub(crate) availability: Availability,
}

const fn redeclared(
    name: &'static str,
    stages: &'static [ShaderStage],
    keyword: &'static str,
    availability: Availability,
) -> Redeclaration {
    Redeclaration { name, stages, keyword, is_array: false, availability }
}

const fn array(
    name: &'static str,
    stages: &'static [ShaderStage],
    keyword: &'static str,
) -> Redeclaration {
    Redeclaration { name, stages, keyword, is_array: true, availability: ALWAYS }
}

/// Availability of redeclaring colours to set their interpolation (GLSL 1.30 section 4.3.7).
const INTERPOLATED: Availability = since(130, NEVER);
/// Availability of `layout` qualifiers for `gl_FragCoord`, which are the only reason to redeclare it.
pub(crate) const COORD_LAYOUT: Availability =
    since(150, NEVER).or_with(&["GL_ARB_fragment_coord_conventions"]);
/// Availability of `layout` qualifiers for `gl_FragDepth`, which are the only reason to redeclare it.
pub(crate) const DEPTH_LAYOUT: Availability = since(420, NEVER).or_with(&[
    "GL_AMD_conservative_depth",
    "GL_ARB_conservative_depth",
    "GL_EXT_conservative_depth",
]);
/// Availability of redeclaring single members of `gl_PerVertex`, in separable programs of ES. Elsewhere they are
/// redeclared only as members of the block.
const SEPARATE: Availability =
    since(NEVER, 320).or_with(&["GL_EXT_separate_shader_objects", "GL_OES_shader_io_blocks"]);
const NOT_ALONE: Availability = since(NEVER, NEVER);

/// Stages that output vertices. A control stage outputs them as members of `gl_out`.
const VERTICES: &[ShaderStage] = &[Vertex, Control, Evaluation, Geometry];
const VARYINGS: &[ShaderStage] = &[Vertex, Control, Evaluation, Geometry, Fragment];

#[rustfmt::skip]
const REDECLARED: [Redeclaration; 16] = [
    redeclared("gl_BackColor", VERTICES, "vec4", INTERPOLATED),
    redeclared("gl_BackSecondaryColor", VERTICES, "vec4", INTERPOLATED),
    array("gl_ClipDistance", VARYINGS, "float"),
    redeclared("gl_ClipVertex", VERTICES, "vec4", NOT_ALONE),
    redeclared("gl_Color", &[Fragment], "vec4", INTERPOLATED),
    array("gl_CullDistance", VARYINGS, "float"),
    redeclared("gl_FogFragCoord", VARYINGS, "float", NOT_ALONE),
    redeclared("gl_FragCoord", &[Fragment], "vec4", COORD_LAYOUT),
    redeclared("gl_FragDepth", &[Fragment], "float", DEPTH_LAYOUT),
    redeclared("gl_FrontColor", VERTICES, "vec4", INTERPOLATED),
    redeclared("gl_FrontSecondaryColor", VERTICES, "vec4", INTERPOLATED),
    redeclared("gl_PointSize", VERTICES, "float", SEPARATE),
    redeclared("gl_Position", VERTICES, "vec4", SEPARATE),
    array("gl_SampleMask", &[Fragment], "int"),
    redeclared("gl_SecondaryColor", &[Fragment], "vec4", INTERPOLATED),
    array("gl_TexCoord", VARYINGS, "vec4"),
];

/// Required form of a redeclaration of this name in a stage.
pub(crate) fn redeclaration(name: &str, stage: ShaderStage) -> Option<&'static Redeclaration> {
    REDECLARED.iter().find(|row| row.name == name && row.stages.contains(&stage))
}
