//! Availability of built-in variables, constants and functions, version by version, as accepted by Mesa 22.3.
//!
//! The only exception is `determinant`, which Mesa has from GLSL 1.20 on and the specification from 1.50 on.

use ir::diagnostic::CompileError;
use ir::stage::ShaderStage::{self, Fragment, Vertex};

use super::compiled;

const DESKTOP: [u16; 13] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];
const ES: [u16; 4] = [100, 300, 310, 320];

/// A statement of a stage, and the first and last version of desktop GLSL and of ES in which it compiles.
type Row = (ShaderStage, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const VARIABLES: &[Row] = &[
    (Vertex, "gl_BackColor;", "110..130", "-"),
    (Vertex, "gl_BackSecondaryColor;", "110..130", "-"),
    (Vertex, "gl_BaseInstance;", "460..460", "-"),
    (Vertex, "gl_BaseInstanceARB;", "-", "-"),
    (Vertex, "gl_BaseVertex;", "460..460", "-"),
    (Vertex, "gl_BaseVertexARB;", "-", "-"),
    (Vertex, "gl_ClipDistance[0];", "130..460", "-"),
    (Vertex, "gl_ClipVertex;", "110..130", "-"),
    (Vertex, "gl_Color;", "110..130", "-"),
    (Vertex, "gl_CullDistance[0];", "450..460", "-"),
    (Vertex, "gl_DrawID;", "460..460", "-"),
    (Vertex, "gl_DrawIDARB;", "-", "-"),
    (Vertex, "gl_FragColor;", "-", "-"),
    (Vertex, "gl_FragCoord;", "-", "-"),
    (Vertex, "gl_FragDepth;", "-", "-"),
    (Vertex, "gl_FrontColor;", "110..130", "-"),
    (Vertex, "gl_FrontFacing;", "-", "-"),
    (Vertex, "gl_FrontSecondaryColor;", "110..130", "-"),
    (Vertex, "gl_InstanceID;", "140..460", "300..320"),
    (Vertex, "gl_InstanceIDARB;", "-", "-"),
    (Vertex, "gl_InstanceIndex;", "-", "-"),
    (Vertex, "gl_InvocationID;", "-", "-"),
    (Vertex, "gl_Layer;", "-", "-"),
    (Vertex, "gl_MultiTexCoord0;", "110..130", "-"),
    (Vertex, "gl_MultiTexCoord7;", "110..130", "-"),
    (Vertex, "gl_Normal;", "110..130", "-"),
    (Vertex, "gl_NumSamples;", "400..460", "320..320"),
    (Vertex, "gl_NumWorkGroups;", "-", "-"),
    (Vertex, "gl_PointSize;", "110..460", "100..320"),
    (Vertex, "gl_Position;", "110..460", "100..320"),
    (Vertex, "gl_PrimitiveID;", "-", "-"),
    (Vertex, "gl_SecondaryColor;", "110..130", "-"),
    (Vertex, "gl_TexCoord[0];", "110..130", "-"),
    (Vertex, "gl_Vertex;", "110..130", "-"),
    (Vertex, "gl_VertexID;", "130..460", "300..320"),
    (Vertex, "gl_VertexIndex;", "-", "-"),
    (Vertex, "gl_ViewportIndex;", "-", "-"),
    (Vertex, "gl_ViewportMask[0];", "-", "-"),
    (Fragment, "gl_ClipDistance[0];", "130..460", "-"),
    (Fragment, "gl_Color;", "110..130", "-"),
    (Fragment, "gl_CullDistance[0];", "450..460", "-"),
    (Fragment, "gl_FragColor;", "110..410", "100..100"),
    (Fragment, "gl_FragCoord;", "110..460", "100..320"),
    (Fragment, "gl_FragData[0];", "110..410", "100..100"),
    (Fragment, "gl_FragDepth;", "110..460", "300..320"),
    (Fragment, "gl_FragDepthEXT;", "-", "-"),
    (Fragment, "gl_FrontColor;", "-", "-"),
    (Fragment, "gl_FrontFacing;", "110..460", "100..320"),
    (Fragment, "gl_HelperInvocation;", "450..460", "310..320"),
    (Fragment, "gl_LastFragData[0];", "-", "-"),
    (Fragment, "gl_Layer;", "430..460", "320..320"),
    (Fragment, "gl_LocalInvocationIndex;", "-", "-"),
    (Fragment, "gl_MaxAtomicCounterBindings;", "420..460", "310..320"),
    (Fragment, "gl_MaxAtomicCounterBufferSize;", "420..460", "310..320"),
    (Fragment, "gl_MaxClipDistances;", "130..460", "-"),
    (Fragment, "gl_MaxClipPlanes;", "110..130", "-"),
    (Fragment, "gl_MaxCombinedAtomicCounterBuffers;", "420..460", "310..320"),
    (Fragment, "gl_MaxCombinedAtomicCounters;", "420..460", "310..320"),
    (Fragment, "gl_MaxCombinedClipAndCullDistances;", "450..460", "-"),
    (Fragment, "gl_MaxCombinedImageUniforms;", "420..460", "310..320"),
    (Fragment, "gl_MaxCombinedImageUnitsAndFragmentOutputs;", "420..460", "-"),
    (Fragment, "gl_MaxCombinedShaderOutputResources;", "440..460", "310..320"),
    (Fragment, "gl_MaxCombinedTextureImageUnits;", "110..460", "100..320"),
    (Fragment, "gl_MaxComputeAtomicCounterBuffers;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeAtomicCounters;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeImageUniforms;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeTextureImageUnits;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeUniformComponents;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeWorkGroupCount;", "430..460", "310..320"),
    (Fragment, "gl_MaxComputeWorkGroupSize;", "430..460", "310..320"),
    (Fragment, "gl_MaxCullDistances;", "450..460", "-"),
    (Fragment, "gl_MaxDrawBuffers;", "110..460", "100..320"),
    (Fragment, "gl_MaxDualSourceDrawBuffersEXT;", "-", "-"),
    (Fragment, "gl_MaxFragmentAtomicCounterBuffers;", "420..460", "310..320"),
    (Fragment, "gl_MaxFragmentAtomicCounters;", "420..460", "310..320"),
    (Fragment, "gl_MaxFragmentImageUniforms;", "420..460", "310..320"),
    (Fragment, "gl_MaxFragmentInputComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxFragmentInputVectors;", "-", "300..320"),
    (Fragment, "gl_MaxFragmentUniformComponents;", "110..460", "-"),
    (Fragment, "gl_MaxFragmentUniformVectors;", "410..460", "100..320"),
    (Fragment, "gl_MaxGeometryInputComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryOutputComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryOutputVertices;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryTextureImageUnits;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryTotalOutputComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryUniformComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxGeometryVaryingComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxImageSamples;", "420..460", "-"),
    (Fragment, "gl_MaxImageUnits;", "420..460", "310..320"),
    (Fragment, "gl_MaxInputAttachments;", "-", "-"),
    (Fragment, "gl_MaxLights;", "110..130", "-"),
    (Fragment, "gl_MaxPatchVertices;", "400..460", "320..320"),
    (Fragment, "gl_MaxProgramTexelOffset;", "420..460", "300..320"),
    (Fragment, "gl_MaxSamples;", "450..460", "320..320"),
    (Fragment, "gl_MaxTessControlInputComponents;", "400..460", "320..320"),
    (Fragment, "gl_MaxTessGenLevel;", "400..460", "320..320"),
    (Fragment, "gl_MaxTessPatchComponents;", "400..460", "320..320"),
    (Fragment, "gl_MaxTextureCoords;", "110..130", "-"),
    (Fragment, "gl_MaxTextureImageUnits;", "110..460", "100..320"),
    (Fragment, "gl_MaxTextureUnits;", "110..130", "-"),
    (Fragment, "gl_MaxTransformFeedbackBuffers;", "440..460", "-"),
    (Fragment, "gl_MaxTransformFeedbackInterleavedComponents;", "440..460", "-"),
    (Fragment, "gl_MaxVaryingComponents;", "130..460", "-"),
    (Fragment, "gl_MaxVaryingFloats;", "110..410", "-"),
    (Fragment, "gl_MaxVaryingVectors;", "410..460", "100..100"),
    (Fragment, "gl_MaxVertexAtomicCounterBuffers;", "420..460", "310..320"),
    (Fragment, "gl_MaxVertexAtomicCounters;", "420..460", "310..320"),
    (Fragment, "gl_MaxVertexAttribs;", "110..460", "100..320"),
    (Fragment, "gl_MaxVertexImageUniforms;", "420..460", "310..320"),
    (Fragment, "gl_MaxVertexOutputComponents;", "150..460", "320..320"),
    (Fragment, "gl_MaxVertexOutputVectors;", "-", "300..320"),
    (Fragment, "gl_MaxVertexTextureImageUnits;", "110..460", "100..320"),
    (Fragment, "gl_MaxVertexUniformComponents;", "110..460", "-"),
    (Fragment, "gl_MaxVertexUniformVectors;", "410..460", "100..320"),
    (Fragment, "gl_MaxViewports;", "410..460", "-"),
    (Fragment, "gl_MinProgramTexelOffset;", "420..460", "300..320"),
    (Fragment, "gl_NumSamples;", "400..460", "320..320"),
    (Fragment, "gl_PointCoord;", "120..460", "100..320"),
    (Fragment, "gl_PointSize;", "-", "-"),
    (Fragment, "gl_Position;", "-", "-"),
    (Fragment, "gl_PrimitiveID;", "150..460", "320..320"),
    (Fragment, "gl_SampleID;", "400..460", "320..320"),
    (Fragment, "gl_SampleMaskIn[0];", "400..460", "320..320"),
    (Fragment, "gl_SampleMask[0];", "400..460", "320..320"),
    (Fragment, "gl_SamplePosition;", "400..460", "320..320"),
    (Fragment, "gl_SecondaryColor;", "110..130", "-"),
    (Fragment, "gl_SecondaryFragColorEXT;", "-", "-"),
    (Fragment, "gl_SecondaryFragDataEXT[0];", "-", "-"),
    (Fragment, "gl_TexCoord[0];", "110..130", "-"),
    (Fragment, "gl_VertexID;", "-", "-"),
    (Fragment, "gl_ViewportIndex;", "430..460", "-"),
];

#[rustfmt::skip]
const FUNCTIONS: &[Row] = &[
    (Fragment, "vec2 a0= vec2(0.0); acosh(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); asinh(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); atanh(a0);", "130..460", "300..320"),
    (Fragment, "ivec2 a0= ivec2(0); bitCount(a0);", "400..460", "310..320"),
    (Fragment, "ivec2 a0= ivec2(0); int a1= int(0); int a2= int(0); bitfieldExtract(a0, a1, a2);", "400..460", "310..320"),
    (Fragment, "ivec2 a0= ivec2(0); ivec2 a1= ivec2(0); int a2= int(0); int a3= int(0); bitfieldInsert(a0, a1, a2, a3);", "400..460", "310..320"),
    (Fragment, "ivec2 a0= ivec2(0); bitfieldReverse(a0);", "400..460", "310..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); uvec2 a2= uvec2(0); clamp(a0, a1, a2);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); cosh(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); dFdx(a0);", "110..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); dFdxCoarse(a0);", "450..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); dFdxFine(a0);", "450..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); dFdy(a0);", "110..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); dFdyCoarse(a0);", "450..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); dFdyFine(a0);", "450..460", "-"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); equal(a0, a1);", "130..460", "300..320"),
    (Fragment, "ivec2 a0= ivec2(0); findLSB(a0);", "400..460", "310..320"),
    (Fragment, "ivec2 a0= ivec2(0); findMSB(a0);", "400..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); floatBitsToInt(a0);", "330..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); floatBitsToUint(a0);", "330..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); vec2 a1= vec2(0.0); vec2 a2= vec2(0.0); fma(a0, a1, a2);", "400..460", "320..320"),
    (Fragment, "vec2 a0= vec2(0.0); ivec2 a1= ivec2(0); frexp(a0, a1);", "400..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); fwidth(a0);", "110..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); fwidthCoarse(a0);", "450..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); fwidthFine(a0);", "450..460", "-"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); greaterThan(a0, a1);", "130..460", "300..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); greaterThanEqual(a0, a1);", "130..460", "300..320"),
    (Fragment, "ivec2 a0= ivec2(0); ivec2 a1= ivec2(0); ivec2 a2= ivec2(0); ivec2 a3= ivec2(0); imulExtended(a0, a1, a2, a3);", "400..460", "310..320"),
    (Fragment, "ivec2 a0= ivec2(0); intBitsToFloat(a0);", "330..460", "300..320"),
    (Fragment, "mat2 a0= mat2(0.0); inverse(a0);", "140..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); isinf(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); isnan(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); ivec2 a1= ivec2(0); ldexp(a0, a1);", "400..460", "310..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); lessThan(a0, a1);", "130..460", "300..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); lessThanEqual(a0, a1);", "130..460", "300..320"),
    (Fragment, "mat2x3 a0= mat2x3(0.0); mat2x3 a1= mat2x3(0.0); matrixCompMult(a0, a1);", "120..460", "300..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); max(a0, a1);", "130..460", "300..320"),
    (Fragment, "memoryBarrier();", "420..460", "310..320"),
    (Fragment, "memoryBarrierAtomicCounter();", "430..460", "310..320"),
    (Fragment, "memoryBarrierBuffer();", "430..460", "310..320"),
    (Fragment, "memoryBarrierImage();", "430..460", "310..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); min(a0, a1);", "130..460", "300..320"),
    (Fragment, "bvec2 a0= bvec2(false); bvec2 a1= bvec2(false); bvec2 a2= bvec2(false); mix(a0, a1, a2);", "450..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); vec2 a1= vec2(0.0); bvec2 a2= bvec2(false); mix(a0, a1, a2);", "130..460", "300..320"),
    // Without a variable of the result's type, conversions to floats would hide that the overload is missing.
    (Fragment, "ivec2 r = mix(ivec2(0), ivec2(0), bvec2(false));", "450..460", "310..320"),
    (Fragment, "uvec2 r = mix(uvec2(0), uvec2(0), bvec2(false));", "450..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); vec2 a1= vec2(0.0); modf(a0, a1);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); noise1(a0);", "110..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); noise2(a0);", "110..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); noise3(a0);", "110..460", "-"),
    (Fragment, "vec2 a0= vec2(0.0); noise4(a0);", "110..460", "-"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); notEqual(a0, a1);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); vec2 a1= vec2(0.0); outerProduct(a0, a1);", "120..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); packHalf2x16(a0);", "420..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); packSnorm2x16(a0);", "420..460", "300..320"),
    (Fragment, "vec4 a0= vec4(0.0); packSnorm4x8(a0);", "400..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); packUnorm2x16(a0);", "400..460", "300..320"),
    (Fragment, "vec4 a0= vec4(0.0); packUnorm4x8(a0);", "400..460", "310..320"),
    (Fragment, "vec2 a0= vec2(0.0); round(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); roundEven(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); sinh(a0);", "130..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); tanh(a0);", "130..460", "300..320"),
    (Fragment, "mat2 a0= mat2(0.0); transpose(a0);", "120..460", "300..320"),
    (Fragment, "vec2 a0= vec2(0.0); trunc(a0);", "130..460", "300..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); uvec2 a2= uvec2(0); uaddCarry(a0, a1, a2);", "400..460", "310..320"),
    (Fragment, "uvec2 a0= uvec2(0); uintBitsToFloat(a0);", "330..460", "300..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); uvec2 a2= uvec2(0); uvec2 a3= uvec2(0); umulExtended(a0, a1, a2, a3);", "400..460", "310..320"),
    (Fragment, "uint a0= uint(0); unpackHalf2x16(a0);", "420..460", "300..320"),
    (Fragment, "uint a0= uint(0); unpackSnorm2x16(a0);", "420..460", "300..320"),
    (Fragment, "uint a0= uint(0); unpackSnorm4x8(a0);", "400..460", "310..320"),
    (Fragment, "uint a0= uint(0); unpackUnorm2x16(a0);", "400..460", "300..320"),
    (Fragment, "uint a0= uint(0); unpackUnorm4x8(a0);", "400..460", "310..320"),
    (Fragment, "uvec2 a0= uvec2(0); uvec2 a1= uvec2(0); uvec2 a2= uvec2(0); usubBorrow(a0, a1, a2);", "400..460", "310..320"),
];

/// True if `range` (`130..460`, or `-` for none) contains the version.
fn is_in(range: &str, version: u16) -> bool {
    let bounds = range.split_once("..").map(|(first, last)| (first.parse(), last.parse()));
    matches!(bounds, Some((Ok(first), Ok(last))) if (first..=last).contains(&version))
}

/// True if a stage with this statement compiles. An unsupported construct also counts as available.
fn is_there(stage: ShaderStage, version: &str, is_es: bool, statement: &str) -> bool {
    let precision = if is_es { "precision highp float; precision highp int;" } else { "" };
    let text = format!("{precision}\nvoid main() {{ {statement} }}");
    match compiled(version, stage, &[&text]) {
        Ok(_) | Err(CompileError::Unsupported { .. }) => true,
        Err(CompileError::Diagnostics(_) | CompileError::Link(_)) => false,
    }
}

#[track_caller]
fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (stage, statement, desktop, es) in rows {
        for version in DESKTOP {
            let found = is_there(*stage, &version.to_string(), false, statement);
            if found != is_in(desktop, version) {
                wrong.push(format!("{statement} in {version}: {found}"));
            }
        }
        for version in ES {
            let directive = if version == 100 { "100".to_owned() } else { format!("{version} es") };
            let found = is_there(*stage, &directive, true, statement);
            if found != is_in(es, version) {
                wrong.push(format!("{statement} in {directive}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn variables_and_constants_are_in_the_versions_that_mesa_has_them_in() {
    check(VARIABLES);
}

#[test]
fn functions_are_in_the_versions_that_mesa_has_them_in() {
    check(FUNCTIONS);
}

/// F21: the extension has the counters of all stages, and no buffers of stages that came later (Mesa).
#[test]
fn counters_of_all_stages_come_with_their_extension() {
    let version = "150\n#extension GL_ARB_shader_atomic_counters : require\n";
    for stage in ["TessControl", "TessEvaluation", "Geometry", "Vertex"] {
        let there =
            |version, name| is_there(Fragment, version, false, &format!("gl_Max{stage}{name};"));
        assert!(there(version, "AtomicCounters") && !there("150", "AtomicCounters"), "{stage}");
        assert_eq!(there(version, "AtomicCounterBuffers"), stage == "Vertex", "{stage}");
    }
}
