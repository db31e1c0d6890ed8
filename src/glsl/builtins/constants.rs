//! Built-in constants (GLSL 4.60 section 7.3, GLSL ES 3.20 section 7.2).

use BuiltinConstant::{Unsupported, Value};

use super::availability::{Availability, NEVER, since};

/// A built-in constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltinConstant {
    /// Its value: the minimum that WebGPU guarantees, or GLSL's own minimum if WebGPU has none.
    Value(i32),
    /// Its subject is not supported.
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
        ("gl_MaxVertexAttribs", Value(16)),
        ("gl_MaxDrawBuffers", Value(8)),
        ("gl_MaxTextureImageUnits", Value(16)),
        ("gl_MaxVertexTextureImageUnits", Value(16)),
        ("gl_MaxCombinedTextureImageUnits", Value(32)),
    ]),
    (since(0, NEVER), &[
        ("gl_MaxVertexUniformComponents", Value(4096)),
        ("gl_MaxFragmentUniformComponents", Value(4096)),
    ]),
    (since(410, 100), &[
        ("gl_MaxVertexUniformVectors", Value(1024)),
        ("gl_MaxFragmentUniformVectors", Value(1024)),
    ]),
    (since(0, NEVER).until(410, NEVER), &[("gl_MaxVaryingFloats", Value(60))]),
    (since(130, NEVER), &[
        ("gl_MaxVaryingComponents", Value(60)),
        ("gl_MaxClipDistances", Value(8)),
    ]),
    (since(410, 100).until(NEVER, 100), &[("gl_MaxVaryingVectors", Value(15))]),
    (since(150, 320), &[
        ("gl_MaxVertexOutputComponents", Value(64)),
        ("gl_MaxFragmentInputComponents", Value(64)),
    ]),
    (since(NEVER, 300), &[
        ("gl_MaxVertexOutputVectors", Value(16)),
        ("gl_MaxFragmentInputVectors", Value(15)),
    ]),
    (since(450, NEVER).or_with(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]), &[
        ("gl_MaxCullDistances", Value(8)),
        ("gl_MaxCombinedClipAndCullDistances", Value(8)),
    ]),
    (since(420, 300).or_with(&["GL_ARB_shading_language_420pack"]), &[
        ("gl_MinProgramTexelOffset", Value(-8)),
        ("gl_MaxProgramTexelOffset", Value(7)),
    ]),
    (since(450, 320).or_with(&["GL_ARB_ES3_1_compatibility", "GL_OES_sample_variables"]), &[
        ("gl_MaxSamples", Value(4)),
    ]),
    (LEGACY, &[
        ("gl_MaxClipPlanes", Value(8)),
        ("gl_MaxLights", Value(8)),
        ("gl_MaxTextureUnits", Value(2)),
        ("gl_MaxTextureCoords", Value(8)),
    ]),
    (GEOMETRY.or_with(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]), &[
        ("gl_MaxGeometryInputComponents", Value(64)),
        ("gl_MaxGeometryOutputComponents", Value(64)),
        ("gl_MaxGeometryOutputVertices", Value(1024)),
        ("gl_MaxGeometryTextureImageUnits", Value(16)),
        ("gl_MaxGeometryTotalOutputComponents", Value(1024)),
        ("gl_MaxGeometryUniformComponents", Value(4096)),
        ("gl_MaxGeometryVaryingComponents", Value(64)),
    ]),
    (TESSELLATION.or_with(TESSELLATION_EXTENSIONS), &[
        ("gl_MaxPatchVertices", Value(32)),
        ("gl_MaxTessGenLevel", Value(64)),
        ("gl_MaxTessPatchComponents", Value(120)),
        ("gl_MaxTessControlInputComponents", Value(128)),
        ("gl_MaxTessControlOutputComponents", Value(128)),
        ("gl_MaxTessControlTextureImageUnits", Value(16)),
        ("gl_MaxTessControlTotalOutputComponents", Value(4096)),
        ("gl_MaxTessControlUniformComponents", Value(4096)),
        ("gl_MaxTessEvaluationInputComponents", Value(128)),
        ("gl_MaxTessEvaluationOutputComponents", Value(128)),
        ("gl_MaxTessEvaluationTextureImageUnits", Value(16)),
        ("gl_MaxTessEvaluationUniformComponents", Value(4096)),
    ]),
    (since(410, NEVER).or_with(&["GL_ARB_viewport_array", "GL_OES_viewport_array"]), &[("gl_MaxViewports", Value(16))]),
    (IMAGES.or_with(&["GL_ARB_shader_image_load_store"]), &[
        ("gl_MaxImageUnits", Unsupported),
        ("gl_MaxVertexImageUniforms", Unsupported),
        ("gl_MaxFragmentImageUniforms", Unsupported),
        ("gl_MaxCombinedImageUniforms", Unsupported),
    ]),
    (since(420, NEVER).or_with(&["GL_ARB_shader_image_load_store"]), &[
        ("gl_MaxImageSamples", Unsupported),
        ("gl_MaxCombinedImageUnitsAndFragmentOutputs", Unsupported),
    ]),
    (IMAGES.or_with(&["GL_ARB_shader_atomic_counters"]), &[
        ("gl_MaxAtomicCounterBindings", Unsupported),
        ("gl_MaxAtomicCounterBufferSize", Unsupported),
        ("gl_MaxVertexAtomicCounters", Unsupported),
        ("gl_MaxVertexAtomicCounterBuffers", Unsupported),
        ("gl_MaxFragmentAtomicCounters", Unsupported),
        ("gl_MaxFragmentAtomicCounterBuffers", Unsupported),
        ("gl_MaxCombinedAtomicCounters", Unsupported),
        ("gl_MaxCombinedAtomicCounterBuffers", Unsupported),
    ]),
    (COMPUTE.or_with(&["GL_ARB_compute_shader"]), &[
        ("gl_MaxComputeAtomicCounters", Unsupported),
        ("gl_MaxComputeAtomicCounterBuffers", Unsupported),
        ("gl_MaxComputeImageUniforms", Unsupported),
        ("gl_MaxComputeTextureImageUnits", Unsupported),
        ("gl_MaxComputeUniformComponents", Unsupported),
        ("gl_MaxComputeWorkGroupCount", Unsupported),
        ("gl_MaxComputeWorkGroupSize", Unsupported),
    ]),
    (since(440, 310).or_with(&["GL_ARB_shader_storage_buffer_object", "GL_ARB_ES3_1_compatibility"]), &[
        ("gl_MaxCombinedShaderOutputResources", Unsupported),
    ]),
    (since(440, NEVER).or_with(&["GL_ARB_enhanced_layouts"]), &[
        ("gl_MaxTransformFeedbackBuffers", Unsupported),
        ("gl_MaxTransformFeedbackInterleavedComponents", Unsupported),
    ]),
    (since(NEVER, NEVER).or_with(&["GL_EXT_blend_func_extended"]), &[
        ("gl_MaxDualSourceDrawBuffersEXT", Unsupported),
    ]),
];

/// Looks up the constant of this name.
pub(crate) fn constant(name: &str) -> Option<(BuiltinConstant, Availability)> {
    GROUPS.iter().find_map(|(availability, rows)| {
        let (_, constant) = rows.iter().find(|row| row.0 == name)?;
        Some((*constant, *availability))
    })
}
