//! Availability of built-in functions (GLSL 4.60 chapter 8, GLSL ES 3.20 chapter 8).
//!
//! A row applies to functions of these names, or to one overload: `name signature` in the notation of
//! [`crate::lower`]'s tables of functions, `name type` for a function whose first parameter has this opaque type. The
//! first row that fits decides, so rows of overloads come first. Functions without a row are in every version.

use super::availability::{Availability, Context, NEVER, by_extension, since};
use crate::target::SUBGROUP_EXTENSIONS;

type Row = (&'static [&'static str], Availability);

const GPU_SHADER_5: &[&str] = &["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"];

const GATHER: &[&str] =
    &["GL_ARB_texture_gather", "GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"];

const INTEGERS: &[&str] = &["GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"];

const BITS: &[&str] =
    &["GL_ARB_shader_bit_encoding", "GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"];

/// Extensions with 64-bit integers.
pub(crate) const INT64: &[&str] = &[
    "GL_ARB_gpu_shader_int64",
    "GL_AMD_gpu_shader_int64",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_NV_gpu_shader5",
];

/// Extensions with the functions that select levels and gradients in any stage.
const LEVELS: &[&str] = &["GL_ARB_shader_texture_lod"];

const GPU_SHADER_4: &[&str] = &["GL_EXT_gpu_shader4"];

const OLD_ARRAYS: &[&str] = &["GL_EXT_gpu_shader4", "GL_EXT_texture_array"];

const PACKING: &[&str] = &["GL_ARB_shading_language_packing"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // GLSL 1.30 to 4.20 forgot this overload of GL_EXT_gpu_shader4.
    (&["textureOffset sampler2DArrayShadow"], since(130, NEVER)),
    (&["transpose", "outerProduct"], since(120, 300)),
    (&["isnan", "isinf", "trunc", "round", "roundEven", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "modf",
        "texelFetch", "texelFetchOffset", "textureGrad", "textureGradOffset", "textureProjGrad",
        "textureProjGradOffset", "textureSize", "textureLod", "textureLodOffset", "textureProjLod",
        "textureProjLodOffset", "texture", "textureProj", "textureOffset", "textureProjOffset"],
        since(130, 300).or_with(GPU_SHADER_4)),
    (&["mix genF(genF, genF, genB)"], since(130, 300)),
    (&["mix genI(genI, genI, genB)", "mix genU(genU, genU, genB)", "mix genB(genB, genB, genB)"],
        since(450, 310).or_with(&["GL_EXT_shader_integer_mix"])),
    (&["inverse"], since(140, 300)),
    (&["determinant"], since(150, 300)),
    (&["floatBitsToInt", "floatBitsToUint", "intBitsToFloat", "uintBitsToFloat"], since(330, 300).or_with(BITS)),
    (&["fma"], since(400, 320).or_with(GPU_SHADER_5)),
    (&["frexp", "ldexp"],
        since(400, 310).or_with(&["GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"])),
    (&["textureGather sampler2DShadow", "textureGather sampler2DArrayShadow", "textureGather samplerCubeShadow",
        "textureGather samplerCubeArrayShadow", "textureGather sampler2DRectShadow",
        "textureGatherOffset sampler2DShadow", "textureGatherOffset sampler2DArrayShadow",
        "textureGatherOffset sampler2DRectShadow"], since(400, 310).or_with(GPU_SHADER_5)),
    (&["textureGather", "textureGatherOffset"], since(400, 310).or_with(GATHER)),
    (&["textureGatherOffsets"], since(400, 320).or_with(GPU_SHADER_5)),
    (&["textureQueryLod"], since(400, NEVER).or_with(&["GL_ARB_texture_query_lod"])),
    (&["textureQueryLOD"], by_extension(&["GL_ARB_texture_query_lod"])),
    (&["textureQueryLevels"], since(430, NEVER).or_with(&["GL_ARB_texture_query_levels"])),
    (&["textureSamples", "imageSamples"], since(450, NEVER).or_with(&["GL_ARB_shader_texture_image_samples"])),
    (&["textureSamplesIdenticalEXT"], by_extension(&["GL_EXT_shader_samples_identical"])),
    (&["imageLoad", "imageStore"], since(420, 310).or_with(&["GL_ARB_shader_image_load_store"])),
    (&["imageSize"], since(430, 310).or_with(&["GL_ARB_shader_image_size"])),
    (&["imageAtomicAdd", "imageAtomicMin", "imageAtomicMax", "imageAtomicAnd", "imageAtomicOr", "imageAtomicXor",
        "imageAtomicCompSwap"],
        since(420, 320).or_with(&["GL_ARB_shader_image_load_store", "GL_OES_shader_image_atomic"])),
    (&["imageAtomicExchange"],
        since(420, 320).or_with(&["GL_ARB_shader_image_load_store", "GL_OES_shader_image_atomic"])),
    (&["atomicCounter", "atomicCounterIncrement", "atomicCounterDecrement"],
        since(420, 310).or_with(&["GL_ARB_shader_atomic_counters"])),
    (&["atomicCounterAdd", "atomicCounterSubtract", "atomicCounterMin", "atomicCounterMax", "atomicCounterAnd",
        "atomicCounterOr", "atomicCounterXor", "atomicCounterExchange", "atomicCounterCompSwap"],
        since(460, NEVER)),
    (&["atomicCounterAddARB", "atomicCounterSubtractARB", "atomicCounterMinARB", "atomicCounterMaxARB",
        "atomicCounterAndARB", "atomicCounterOrARB", "atomicCounterXorARB", "atomicCounterExchangeARB",
        "atomicCounterCompSwapARB"], by_extension(&["GL_ARB_shader_atomic_counter_ops"])),
    (&["bitfieldExtract", "bitfieldInsert", "bitfieldReverse", "bitCount", "findLSB", "findMSB", "uaddCarry",
        "usubBorrow", "umulExtended", "imulExtended"], since(400, 310).or_with(INTEGERS)),
    (&["packUnorm2x16", "unpackUnorm2x16"], since(400, 300).or_with(PACKING)),
    (&["packUnorm4x8", "unpackUnorm4x8", "packSnorm4x8", "unpackSnorm4x8"],
        since(400, 310).or_with(&["GL_ARB_shading_language_packing", "GL_ARB_gpu_shader5"])),
    (&["packSnorm2x16", "unpackSnorm2x16", "packHalf2x16", "unpackHalf2x16"], since(420, 300).or_with(PACKING)),
    (&["packDouble2x32", "unpackDouble2x32"], since(400, NEVER).or_with(&["GL_ARB_gpu_shader_fp64"])),
    (&["packInt2x32", "unpackInt2x32", "packUint2x32", "unpackUint2x32", "doubleBitsToInt64", "doubleBitsToUint64",
        "int64BitsToDouble", "uint64BitsToDouble"], by_extension(INT64)),
    (&["dFdx", "dFdy", "fwidth"], since(0, 300).or_with(&["GL_OES_standard_derivatives"])),
    (&["dFdxFine", "dFdyFine", "fwidthFine", "dFdxCoarse", "dFdyCoarse", "fwidthCoarse"],
        since(450, NEVER).or_with(&["GL_ARB_derivative_control"])),
    (&["interpolateAtCentroid", "interpolateAtSample", "interpolateAtOffset"],
        since(400, 320).or_with(&["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation"])),
    (&["anyInvocationARB", "allInvocationsARB", "allInvocationsEqualARB"],
        by_extension(&["GL_ARB_shader_group_vote"])),
    (&["anyInvocation", "allInvocations", "allInvocationsEqual"], since(460, NEVER)),
    (&["clock2x32ARB"], by_extension(&["GL_ARB_shader_clock"])),
    (&["noise1", "noise2", "noise3", "noise4"], since(0, NEVER)),
    (&["ftransform"], since(0, NEVER).until(130, NEVER)),
    (&["EmitVertex", "EndPrimitive"],
        since(150, 320).or_with(&["GL_OES_geometry_shader", "GL_EXT_geometry_shader"])),
    (&["EmitStreamVertex", "EndStreamPrimitive"], since(400, NEVER).or_with(&["GL_ARB_gpu_shader5"])),
    (&["subgroupBarrier", "subgroupMemoryBarrier", "subgroupMemoryBarrierBuffer", "subgroupMemoryBarrierShared",
        "subgroupMemoryBarrierImage", "subgroupElect"], by_extension(SUBGROUP_EXTENSIONS)),
    (&["subgroupAll", "subgroupAny", "subgroupAllEqual"], by_extension(&["GL_KHR_shader_subgroup_vote"])),
    (&["subgroupBroadcast", "subgroupBroadcastFirst", "subgroupBallot", "subgroupInverseBallot",
        "subgroupBallotBitExtract", "subgroupBallotBitCount", "subgroupBallotInclusiveBitCount",
        "subgroupBallotExclusiveBitCount", "subgroupBallotFindLSB", "subgroupBallotFindMSB"],
        by_extension(&["GL_KHR_shader_subgroup_ballot"])),
    (&["subgroupShuffle", "subgroupShuffleXor"], by_extension(&["GL_KHR_shader_subgroup_shuffle"])),
    (&["subgroupShuffleUp", "subgroupShuffleDown"],
        by_extension(&["GL_KHR_shader_subgroup_shuffle_relative"])),
    (&["subgroupAdd", "subgroupMul", "subgroupMin", "subgroupMax", "subgroupAnd", "subgroupOr", "subgroupXor",
        "subgroupInclusiveAdd", "subgroupInclusiveMul", "subgroupExclusiveAdd", "subgroupExclusiveMul"],
        by_extension(&["GL_KHR_shader_subgroup_arithmetic"])),
    (&["subgroupQuadBroadcast", "subgroupQuadSwapHorizontal", "subgroupQuadSwapVertical",
        "subgroupQuadSwapDiagonal"], by_extension(&["GL_KHR_shader_subgroup_quad"])),
    (&["min3", "max3", "mid3"], by_extension(&["GL_AMD_shader_trinary_minmax"])),
    (&["truncate"], by_extension(GPU_SHADER_4)),
    (&["memoryBarrier"], since(420, 310).or_with(&[
        "GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store", "GL_ARB_compute_shader",
        "GL_ARB_shader_storage_buffer_object"])),
    (&["memoryBarrierAtomicCounter", "memoryBarrierBuffer", "memoryBarrierImage", "memoryBarrierShared",
        "groupMemoryBarrier"], since(430, 310).or_with(&["GL_ARB_compute_shader"])),
    // Texture functions with a dimension in their name. Mesa keeps those of ES 1.00 in later versions of ES.
    (&["texture1D", "texture1DProj", "texture1DLod", "texture1DProjLod", "shadow1D", "shadow1DProj", "shadow1DLod",
        "shadow1DProjLod", "shadow2D", "shadow2DProj", "shadow2DLod", "shadow2DProjLod"],
        since(0, NEVER).until(410, NEVER)),
    (&["texture2D", "texture2DProj", "texture2DLod", "texture2DProjLod", "texture3D", "texture3DProj", "texture3DLod",
        "texture3DProjLod", "textureCube", "textureCubeLod"], since(0, 0).until(410, NEVER)),
    (&["texture2DRect", "texture2DRectProj", "shadow2DRect", "shadow2DRectProj"], since(0, NEVER)),
    (&["texture2DLodEXT", "texture2DProjLodEXT", "textureCubeLodEXT", "texture2DGradEXT", "texture2DProjGradEXT",
        "textureCubeGradEXT"], by_extension(&["GL_EXT_shader_texture_lod"])),
    (&["shadow2DEXT", "shadow2DProjEXT"], by_extension(&["GL_EXT_shadow_samplers"])),
    (&["texture1DGradARB", "texture1DProjGradARB", "texture2DGradARB", "texture2DProjGradARB", "texture3DGradARB",
        "texture3DProjGradARB", "textureCubeGradARB", "texture2DRectGradARB", "texture2DRectProjGradARB",
        "shadow1DGradARB", "shadow1DProjGradARB", "shadow2DGradARB", "shadow2DProjGradARB", "shadow2DRectGradARB",
        "shadow2DRectProjGradARB"], by_extension(LEVELS)),
    (&["texture1DArray", "texture2DArray", "texture1DArrayLod", "texture2DArrayLod", "shadow1DArray", "shadow2DArray",
        "shadow1DArrayLod"], by_extension(OLD_ARRAYS)),
    (&["texture1DGrad", "texture1DProjGrad", "texture2DGrad", "texture2DProjGrad", "texture3DGrad",
        "texture3DProjGrad", "textureCubeGrad", "texture2DRectGrad", "texture2DRectProjGrad", "shadow1DGrad",
        "shadow1DProjGrad", "shadow2DGrad", "shadow2DProjGrad", "shadow2DRectGrad", "shadow2DRectProjGrad",
        "texture1DArrayGrad", "texture2DArrayGrad", "shadow1DArrayGrad", "shadow2DArrayGrad", "shadowCube",
        "shadowCubeGrad"], by_extension(GPU_SHADER_4)),
    (&["texture1DOffset", "texture1DProjOffset", "texture1DLodOffset", "texture1DProjLodOffset",
        "texture1DGradOffset", "texture1DProjGradOffset", "texture2DOffset", "texture2DProjOffset",
        "texture2DLodOffset", "texture2DProjLodOffset", "texture2DGradOffset", "texture2DProjGradOffset",
        "texture3DOffset", "texture3DProjOffset", "texture3DLodOffset", "texture3DProjLodOffset",
        "texture3DGradOffset", "texture3DProjGradOffset", "texture1DArrayOffset", "texture2DArrayOffset",
        "texture1DArrayLodOffset", "texture2DArrayLodOffset", "texture1DArrayGradOffset", "texture2DArrayGradOffset",
        "texture2DRectOffset", "texture2DRectProjOffset", "texture2DRectGradOffset", "texture2DRectProjGradOffset",
        "shadow1DOffset", "shadow1DProjOffset", "shadow1DLodOffset", "shadow1DProjLodOffset", "shadow1DGradOffset",
        "shadow1DProjGradOffset", "shadow2DOffset", "shadow2DProjOffset", "shadow2DLodOffset",
        "shadow2DProjLodOffset", "shadow2DGradOffset", "shadow2DProjGradOffset", "shadow2DRectOffset",
        "shadow2DRectProjOffset", "shadow2DRectGradOffset", "shadow2DRectProjGradOffset", "shadow1DArrayOffset",
        "shadow1DArrayLodOffset", "shadow1DArrayGradOffset", "shadow2DArrayOffset", "shadow2DArrayGradOffset"],
        by_extension(GPU_SHADER_4)),
    (&["texelFetch1D", "texelFetch2D", "texelFetch3D", "texelFetch2DRect", "texelFetch1DArray", "texelFetch2DArray",
        "texelFetchBuffer", "texelFetch1DOffset", "texelFetch2DOffset", "texelFetch3DOffset",
        "texelFetch2DRectOffset", "texelFetch1DArrayOffset", "texelFetch2DArrayOffset", "textureSize1D",
        "textureSize2D", "textureSize3D", "textureSizeCube", "textureSize2DRect", "textureSize1DArray",
        "textureSize2DArray", "textureSizeBuffer"], by_extension(GPU_SHADER_4)),
];

/// True if a shader object has some function, or one overload, of this name.
pub(crate) fn is_function_available(
    name: &str,
    signature: Option<&str>,
    context: Context<'_>,
) -> bool {
    let is_about = |key: &&str| match (key.split_once(' '), signature) {
        (Some((known, overload)), Some(signature)) => known == name && overload == signature,
        (None, _) => *key == name,
        (Some(_), None) => false,
    };
    let row = ROWS.iter().find(|(keys, _)| keys.iter().any(is_about));
    row.is_none_or(|(_, availability)| availability.is_met(context))
}
