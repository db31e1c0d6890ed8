//! Availability of built-in functions (GLSL 4.60 chapter 8, GLSL ES 3.20 chapter 8).
//!
//! A row applies to functions of these names, or to one overload: `name signature` in the notation of
//! [`crate::lower`]'s tables of functions. Functions without a row are in every version.

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

const PACKING: &[&str] = &["GL_ARB_shading_language_packing"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (&["transpose", "outerProduct"], since(120, 300)),
    (&["isnan", "isinf", "trunc", "round", "roundEven", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "modf",
        "texelFetch", "texelFetchOffset", "textureGrad", "textureGradOffset", "textureProjGrad",
        "textureProjGradOffset", "textureSize", "textureLod", "textureLodOffset", "textureProjLod",
        "textureProjLodOffset", "texture", "textureProj", "textureOffset", "textureProjOffset"],
        since(130, 300).or_with(&["GL_EXT_gpu_shader4"])),
    (&["mix genF(genF, genF, genB)"], since(130, 300)),
    (&["mix genI(genI, genI, genB)", "mix genU(genU, genU, genB)", "mix genB(genB, genB, genB)"],
        since(450, 310).or_with(&["GL_EXT_shader_integer_mix"])),
    (&["inverse"], since(140, 300)),
    (&["determinant"], since(150, 300)),
    (&["floatBitsToInt", "floatBitsToUint", "intBitsToFloat", "uintBitsToFloat"], since(330, 300).or_with(BITS)),
    (&["fma"], since(400, 320).or_with(GPU_SHADER_5)),
    (&["frexp", "ldexp"],
        since(400, 310).or_with(&["GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"])),
    (&["textureGather", "textureGatherOffset"], since(400, 310).or_with(GATHER)),
    (&["textureGatherOffsets"], since(400, 320).or_with(GPU_SHADER_5)),
    (&["textureQueryLod"], since(400, NEVER).or_with(&["GL_ARB_texture_query_lod"])),
    (&["textureQueryLOD"], by_extension(&["GL_ARB_texture_query_lod"])),
    (&["textureQueryLevels"], since(430, NEVER).or_with(&["GL_ARB_texture_query_levels"])),
    (&["textureSamples", "imageSamples"], since(450, NEVER).or_with(&["GL_ARB_shader_texture_image_samples"])),
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
    (&["truncate"], by_extension(&["GL_EXT_gpu_shader4"])),
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
