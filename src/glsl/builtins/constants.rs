//! Built-in constants (GLSL 4.60 section 7.3, GLSL ES 3.20 section 7.2), with the GL limits that are their values.

use BuiltinConstant::{Limit, Unsupported, Vectors};

use super::availability::{Availability, NEVER, since};

/// A built-in constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltinConstant {
    /// The limit of GL with this name.
    Limit(&'static str),
    /// A quarter of the GL limit with this name, which counts components.
    Vectors(&'static str),
    /// A constant about an unsupported feature.
    Unsupported,
}

/// Constants with the same availability.
type Group = (Availability, &'static [(&'static str, BuiltinConstant)]);

const GEOMETRY: Availability = since(150, 320);
const TESSELLATION: Availability = since(400, 320);
const TESSELLATION_EXTENSIONS: &[&str] =
    &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"];
const IMAGES: Availability = since(420, 310);
const COMPUTE: Availability = since(430, 310);
const LEGACY: Availability = since(0, NEVER).until(130, NEVER);

#[rustfmt::skip]
const GROUPS: &[Group] = &[
    (Availability::ALWAYS, &[
        ("gl_MaxVertexAttribs", Limit("GL_MAX_VERTEX_ATTRIBS")),
        ("gl_MaxDrawBuffers", Limit("GL_MAX_DRAW_BUFFERS")),
        ("gl_MaxTextureImageUnits", Limit("GL_MAX_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxVertexTextureImageUnits", Limit("GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxCombinedTextureImageUnits", Limit("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS")),
    ]),
    (since(0, NEVER), &[
        ("gl_MaxVertexUniformComponents", Limit("GL_MAX_VERTEX_UNIFORM_COMPONENTS")),
        ("gl_MaxFragmentUniformComponents", Limit("GL_MAX_FRAGMENT_UNIFORM_COMPONENTS")),
    ]),
    (since(410, 100), &[
        ("gl_MaxVertexUniformVectors", Limit("GL_MAX_VERTEX_UNIFORM_VECTORS")),
        ("gl_MaxFragmentUniformVectors", Limit("GL_MAX_FRAGMENT_UNIFORM_VECTORS")),
    ]),
    (since(0, NEVER).until(410, NEVER), &[("gl_MaxVaryingFloats", Limit("GL_MAX_VARYING_FLOATS"))]),
    (since(130, NEVER), &[
        ("gl_MaxVaryingComponents", Limit("GL_MAX_VARYING_COMPONENTS")),
        ("gl_MaxClipDistances", Limit("GL_MAX_CLIP_DISTANCES")),
    ]),
    (since(410, 100).until(NEVER, 100), &[("gl_MaxVaryingVectors", Limit("GL_MAX_VARYING_VECTORS"))]),
    (since(150, 320), &[
        ("gl_MaxVertexOutputComponents", Limit("GL_MAX_VERTEX_OUTPUT_COMPONENTS")),
        ("gl_MaxFragmentInputComponents", Limit("GL_MAX_FRAGMENT_INPUT_COMPONENTS")),
    ]),
    (since(NEVER, 300), &[
        ("gl_MaxVertexOutputVectors", Vectors("GL_MAX_VERTEX_OUTPUT_COMPONENTS")),
        ("gl_MaxFragmentInputVectors", Vectors("GL_MAX_FRAGMENT_INPUT_COMPONENTS")),
    ]),
    (since(450, NEVER).or_with(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]), &[
        ("gl_MaxCullDistances", Limit("GL_MAX_CULL_DISTANCES")),
        ("gl_MaxCombinedClipAndCullDistances", Limit("GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES")),
    ]),
    (since(420, 300).or_with(&["GL_ARB_shading_language_420pack"]), &[
        ("gl_MinProgramTexelOffset", Limit("GL_MIN_PROGRAM_TEXEL_OFFSET")),
        ("gl_MaxProgramTexelOffset", Limit("GL_MAX_PROGRAM_TEXEL_OFFSET")),
    ]),
    (since(450, 320).or_with(&["GL_ARB_ES3_1_compatibility", "GL_OES_sample_variables"]), &[
        ("gl_MaxSamples", Limit("GL_MAX_SAMPLES")),
    ]),
    (LEGACY, &[
        ("gl_MaxClipPlanes", Limit("GL_MAX_CLIP_PLANES")),
        ("gl_MaxLights", Limit("GL_MAX_LIGHTS")),
        ("gl_MaxTextureUnits", Limit("GL_MAX_TEXTURE_UNITS")),
        ("gl_MaxTextureCoords", Limit("GL_MAX_TEXTURE_COORDS")),
    ]),
    (GEOMETRY.or_with(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]), &[
        ("gl_MaxGeometryInputComponents", Limit("GL_MAX_GEOMETRY_INPUT_COMPONENTS")),
        ("gl_MaxGeometryOutputComponents", Limit("GL_MAX_GEOMETRY_OUTPUT_COMPONENTS")),
        ("gl_MaxGeometryOutputVertices", Limit("GL_MAX_GEOMETRY_OUTPUT_VERTICES")),
        ("gl_MaxGeometryTextureImageUnits", Limit("GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxGeometryTotalOutputComponents", Limit("GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS")),
        ("gl_MaxGeometryUniformComponents", Limit("GL_MAX_GEOMETRY_UNIFORM_COMPONENTS")),
        ("gl_MaxGeometryVaryingComponents", Limit("GL_MAX_GEOMETRY_OUTPUT_COMPONENTS")),
    ]),
    (TESSELLATION.or_with(TESSELLATION_EXTENSIONS), &[
        ("gl_MaxPatchVertices", Limit("GL_MAX_PATCH_VERTICES")),
        ("gl_MaxTessGenLevel", Limit("GL_MAX_TESS_GEN_LEVEL")),
        ("gl_MaxTessPatchComponents", Limit("GL_MAX_TESS_PATCH_COMPONENTS")),
        ("gl_MaxTessControlInputComponents", Limit("GL_MAX_TESS_CONTROL_INPUT_COMPONENTS")),
        ("gl_MaxTessControlOutputComponents", Limit("GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS")),
        ("gl_MaxTessControlTextureImageUnits", Limit("GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxTessControlTotalOutputComponents", Limit("GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS")),
        ("gl_MaxTessControlUniformComponents", Limit("GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS")),
        ("gl_MaxTessEvaluationInputComponents", Limit("GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS")),
        ("gl_MaxTessEvaluationOutputComponents", Limit("GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS")),
        ("gl_MaxTessEvaluationTextureImageUnits", Limit("GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxTessEvaluationUniformComponents", Limit("GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS")),
    ]),
    (since(410, NEVER).or_with(&["GL_ARB_viewport_array", "GL_OES_viewport_array"]), &[("gl_MaxViewports", Limit("GL_MAX_VIEWPORTS"))]),
    (IMAGES.or_with(&["GL_ARB_shader_image_load_store"]), &[
        ("gl_MaxImageUnits", Limit("GL_MAX_IMAGE_UNITS")),
        ("gl_MaxVertexImageUniforms", Limit("GL_MAX_VERTEX_IMAGE_UNIFORMS")),
        ("gl_MaxFragmentImageUniforms", Limit("GL_MAX_FRAGMENT_IMAGE_UNIFORMS")),
        ("gl_MaxCombinedImageUniforms", Limit("GL_MAX_COMBINED_IMAGE_UNIFORMS")),
    ]),
    (since(420, 320), &[
        ("gl_MaxTessControlImageUniforms", Limit("GL_MAX_TESS_CONTROL_IMAGE_UNIFORMS")),
        ("gl_MaxTessEvaluationImageUniforms", Limit("GL_MAX_TESS_EVALUATION_IMAGE_UNIFORMS")),
        ("gl_MaxGeometryImageUniforms", Limit("GL_MAX_GEOMETRY_IMAGE_UNIFORMS")),
        ("gl_MaxTessControlAtomicCounterBuffers", Limit("GL_MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS")),
        ("gl_MaxTessEvaluationAtomicCounterBuffers", Limit("GL_MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS")),
        ("gl_MaxGeometryAtomicCounterBuffers", Limit("GL_MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS")),
    ]),
    (since(420, 320).or_with(&["GL_ARB_shader_atomic_counters"]), &[
        ("gl_MaxTessControlAtomicCounters", Limit("GL_MAX_TESS_CONTROL_ATOMIC_COUNTERS")),
        ("gl_MaxTessEvaluationAtomicCounters", Limit("GL_MAX_TESS_EVALUATION_ATOMIC_COUNTERS")),
        ("gl_MaxGeometryAtomicCounters", Limit("GL_MAX_GEOMETRY_ATOMIC_COUNTERS")),
    ]),
    (since(420, NEVER).or_with(&["GL_ARB_shader_image_load_store"]), &[
        ("gl_MaxImageSamples", Unsupported),
        ("gl_MaxCombinedImageUnitsAndFragmentOutputs", Unsupported),
    ]),
    (IMAGES.or_with(&["GL_ARB_shader_atomic_counters"]), &[
        ("gl_MaxAtomicCounterBindings", Limit("GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS")),
        ("gl_MaxAtomicCounterBufferSize", Limit("GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE")),
        ("gl_MaxVertexAtomicCounters", Limit("GL_MAX_VERTEX_ATOMIC_COUNTERS")),
        ("gl_MaxVertexAtomicCounterBuffers", Limit("GL_MAX_VERTEX_ATOMIC_COUNTER_BUFFERS")),
        ("gl_MaxFragmentAtomicCounters", Limit("GL_MAX_FRAGMENT_ATOMIC_COUNTERS")),
        ("gl_MaxFragmentAtomicCounterBuffers", Limit("GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS")),
        ("gl_MaxCombinedAtomicCounters", Limit("GL_MAX_COMBINED_ATOMIC_COUNTERS")),
        ("gl_MaxCombinedAtomicCounterBuffers", Limit("GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS")),
    ]),
    (COMPUTE.or_with(&["GL_ARB_compute_shader"]), &[
        ("gl_MaxComputeAtomicCounters", Limit("GL_MAX_COMPUTE_ATOMIC_COUNTERS")),
        ("gl_MaxComputeAtomicCounterBuffers", Limit("GL_MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS")),
        ("gl_MaxComputeImageUniforms", Limit("GL_MAX_COMPUTE_IMAGE_UNIFORMS")),
        ("gl_MaxComputeTextureImageUnits", Limit("GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS")),
        ("gl_MaxComputeUniformComponents", Limit("GL_MAX_COMPUTE_UNIFORM_COMPONENTS")),
        ("gl_MaxComputeWorkGroupCount", Unsupported),
        ("gl_MaxComputeWorkGroupSize", Unsupported),
    ]),
    (since(440, 310).or_with(&["GL_ARB_shader_storage_buffer_object", "GL_ARB_ES3_1_compatibility"]), &[
        ("gl_MaxCombinedShaderOutputResources", Unsupported),
    ]),
    (since(440, NEVER).or_with(&["GL_ARB_enhanced_layouts"]), &[
        ("gl_MaxTransformFeedbackBuffers", Limit("GL_MAX_TRANSFORM_FEEDBACK_BUFFERS")),
        ("gl_MaxTransformFeedbackInterleavedComponents", Limit("GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS")),
    ]),
    (since(NEVER, NEVER).or_with(&["GL_EXT_blend_func_extended"]), &[
        ("gl_MaxDualSourceDrawBuffersEXT", Limit("GL_MAX_DUAL_SOURCE_DRAW_BUFFERS")),
    ]),
];

/// Looks up the constant of this name.
pub(crate) fn constant(name: &str) -> Option<(BuiltinConstant, Availability)> {
    GROUPS.iter().find_map(|(availability, rows)| {
        let (_, constant) = rows.iter().find(|row| row.0 == name)?;
        Some((*constant, *availability))
    })
}
