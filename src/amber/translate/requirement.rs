//! Translates `DEVICE_FEATURE` and the other requirements of a script for the device.

use case::{Case, DeviceRequirement};
use ir::diagnostic::nearest_word;
use ir::source::{Span, Spanned};

use super::{Translated, broken, unsupported};
use crate::syntax::Requirement;

/// How a feature or extension of Vulkan is translated.
#[derive(Clone, Copy)]
enum Meaning {
    /// No requirement: shaders and commands that use it have their own.
    Nothing,
    /// A feature of wgpu.
    Feature(&'static str),
    /// WebGPU lacks it.
    Lacking(&'static str),
}

use Meaning::{Feature, Lacking, Nothing};

/// Features, by Vulkan's names.
#[rustfmt::skip]
const FEATURES: &[(&str, Meaning)] = &[
    ("robustBufferAccess", Nothing),
    ("fullDrawIndexUint32", Nothing),
    ("imageCubeArray", Nothing),
    ("independentBlend", Nothing),
    ("geometryShader", Nothing),
    ("tessellationShader", Nothing),
    ("sampleRateShading", Nothing),
    ("dualSrcBlend", Feature("DUAL_SOURCE_BLENDING")),
    ("logicOp", Lacking("logical operations of blending")),
    ("multiDrawIndirect", Nothing),
    ("drawIndirectFirstInstance", Nothing),
    ("depthClamp", Feature("DEPTH_CLIP_CONTROL")),
    ("depthBiasClamp", Nothing),
    ("fillModeNonSolid", Feature("POLYGON_MODE_LINE")),
    ("depthBounds", Lacking("the depth bounds test")),
    ("wideLines", Lacking("wide lines")),
    ("largePoints", Nothing),
    ("alphaToOne", Lacking("alpha to one")),
    ("multiViewport", Lacking("several viewports")),
    ("samplerAnisotropy", Nothing),
    ("textureCompressionETC2", Feature("TEXTURE_COMPRESSION_ETC2")),
    ("textureCompressionASTC_LDR", Feature("TEXTURE_COMPRESSION_ASTC")),
    ("textureCompressionBC", Feature("TEXTURE_COMPRESSION_BC")),
    ("occlusionQueryPrecise", Nothing),
    ("pipelineStatisticsQuery", Nothing),
    ("vertexPipelineStoresAndAtomics", Feature("VERTEX_WRITABLE_STORAGE")),
    ("fragmentStoresAndAtomics", Nothing),
    ("shaderTessellationAndGeometryPointSize", Nothing),
    ("shaderImageGatherExtended", Nothing),
    ("shaderStorageImageExtendedFormats", Nothing),
    ("shaderStorageImageMultisample", Lacking("multisampled storage images")),
    ("shaderStorageImageReadWithoutFormat", Lacking("storage images without a format")),
    ("shaderStorageImageWriteWithoutFormat", Lacking("storage images without a format")),
    ("shaderUniformBufferArrayDynamicIndexing", Nothing),
    ("shaderSampledImageArrayDynamicIndexing", Nothing),
    ("shaderStorageBufferArrayDynamicIndexing", Nothing),
    ("shaderStorageImageArrayDynamicIndexing", Nothing),
    ("shaderClipDistance", Nothing),
    ("shaderCullDistance", Nothing),
    ("shaderFloat64", Feature("SHADER_F64")),
    ("shaderInt64", Feature("SHADER_INT64")),
    ("shaderInt16", Lacking("16-bit integers")),
    ("shaderResourceResidency", Lacking("sparse residency")),
    ("shaderResourceMinLod", Lacking("a least level of detail in shaders")),
    ("sparseBinding", Lacking("sparse binding")),
    ("variableMultisampleRate", Lacking("a variable multisample rate")),
    ("inheritedQueries", Nothing),
    ("VariablePointerFeatures.variablePointers", Lacking("variable pointers")),
    ("VariablePointerFeatures.variablePointersStorageBuffer", Lacking("variable pointers")),
    ("Float16Int8Features.shaderFloat16", Lacking("16-bit floats")),
    ("Float16Int8Features.shaderInt8", Lacking("8-bit integers")),
    ("VulkanMemoryModelFeatures.vulkanMemoryModel", Nothing),
    ("VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope", Nothing),
    ("CooperativeMatrixFeaturesKHR.cooperativeMatrix", Lacking("cooperative matrices")),
    ("ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory", Nothing),
    ("Storage8BitFeatures.storageBuffer8BitAccess", Lacking("8-bit storage")),
    ("Storage8BitFeatures.uniformAndStorageBuffer8BitAccess", Lacking("8-bit storage")),
    ("Storage8BitFeatures.storagePushConstant8", Lacking("8-bit storage")),
    ("Storage16BitFeatures.storageBuffer16BitAccess", Lacking("16-bit storage")),
    ("Storage16BitFeatures.uniformAndStorageBuffer16BitAccess", Lacking("16-bit storage")),
    ("Storage16BitFeatures.storagePushConstant16", Lacking("16-bit storage")),
    ("Storage16BitFeatures.storageInputOutput16", Lacking("16-bit storage")),
    ("SubgroupSizeControl.subgroupSizeControl", Lacking("subgroup size control")),
    ("SubgroupSizeControl.computeFullSubgroups", Lacking("subgroup size control")),
    ("DepthClampZeroOneFeatures.depthClampZeroOne", Lacking("clamping of depths to 0 and 1")),
    ("SubgroupSupportedOperations.basic", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.vote", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.arithmetic", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.ballot", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.shuffle", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.shuffleRelative", Feature("SUBGROUP")),
    ("SubgroupSupportedOperations.clustered", Lacking("clustered subgroup operations")),
    ("SubgroupSupportedOperations.quad", Feature("SUBGROUP")),
    ("SubgroupSupportedStages.vertex", Feature("SUBGROUP_VERTEX")),
    ("SubgroupSupportedStages.tessellationControl", Lacking("subgroups in tessellation stages")),
    ("SubgroupSupportedStages.tessellationEvaluation", Lacking("subgroups in tessellation stages")),
    ("SubgroupSupportedStages.geometry", Lacking("subgroups in geometry stages")),
    ("SubgroupSupportedStages.fragment", Feature("SUBGROUP")),
    ("SubgroupSupportedStages.compute", Feature("SUBGROUP")),
    ("RayTracingPipelineFeaturesKHR.rayTracingPipeline", Lacking("ray tracing pipelines")),
    ("AccelerationStructureFeaturesKHR.accelerationStructure", Lacking("ray tracing pipelines")),
    ("BufferDeviceAddressFeatures.bufferDeviceAddress", Lacking("buffer device addresses")),
    ("IndexTypeUint8Features.indexTypeUint8", Nothing),
    ("ShaderLongVectorFeaturesEXT.longVector", Lacking("long vectors")),
    ("ShaderSubgroupExtendedTypes.shaderSubgroupExtendedTypes", Lacking("subgroup operations of small types")),
];

/// Extensions that are not available. All others only add features that are visible in shaders or commands.
const LACKING_EXTENSIONS: &[(&str, &str)] = &[
    ("VK_KHR_ray_tracing_pipeline", "ray tracing pipelines"),
    ("VK_KHR_acceleration_structure", "ray tracing pipelines"),
    ("VK_KHR_buffer_device_address", "buffer device addresses"),
    ("VK_KHR_pipeline_library", "pipeline libraries"),
    ("VK_KHR_workgroup_memory_explicit_layout", "an explicit layout of workgroup memory"),
    ("VK_EXT_depth_range_unrestricted", "an unrestricted depth range"),
    ("VK_AMD_shader_early_and_late_fragment_tests", "early and late fragment tests"),
    ("VK_KHR_16bit_storage", "16-bit storage"),
    ("VK_KHR_8bit_storage", "8-bit storage"),
    ("VK_KHR_shader_float_controls", "float controls"),
];

/// Extensions that only add features that are visible in shaders or commands.
const HARMLESS_EXTENSIONS: &[&str] = &[
    "VK_KHR_shader_terminate_invocation",
    "VK_KHR_vulkan_memory_model",
    "VK_KHR_storage_buffer_storage_class",
    "VK_KHR_zero_initialize_workgroup_memory",
    "VK_KHR_spirv_1_4",
    "VK_KHR_get_physical_device_properties2",
    "VK_KHR_shader_float16_int8",
    "VK_KHR_deferred_host_operations",
    "VK_KHR_variable_pointers",
    "VK_EXT_index_type_uint8",
    "VK_EXT_primitive_topology_list_restart",
    "VK_EXT_descriptor_indexing",
    "VK_KHR_shader_subgroup_uniform_control_flow",
    "VK_EXT_subgroup_size_control",
    "VK_KHR_shader_draw_parameters",
    "VK_KHR_shader_non_semantic_info",
];

/// Adds the script's requirements to those of the case.
pub(super) fn translate(requirements: &[Spanned<Requirement>], case: &mut Case) -> Translated<()> {
    for Spanned { value: requirement, span } in requirements {
        match requirement {
            Requirement::Feature(name) => feature(name, *span, case)?,
            Requirement::DeviceExtension(name) | Requirement::InstanceExtension(name) => {
                extension(name, *span)?;
            }
            Requirement::Property(name) => {
                return Err(unsupported(*span, format!("the device property {name}")));
            }
        }
    }
    Ok(())
}

fn feature(name: &str, span: Span, case: &mut Case) -> Translated<()> {
    let Some((_, meaning)) = FEATURES.iter().find(|(known, _)| *known == name) else {
        let known = FEATURES.iter().map(|(known, _)| *known);
        let help = nearest_word(name, known).map(|known| format!(": did you mean `{known}`?"));
        let help = help.unwrap_or_default();
        return Err(broken(span, format!("unknown feature `{name}`{help}")));
    };
    match meaning {
        Nothing => {}
        Feature(feature) => {
            let needed = DeviceRequirement::Feature((*feature).to_owned());
            case.requirements.push(Spanned::new(needed.into(), span));
        }
        Lacking(word) => return Err(unsupported(span, *word)),
    }
    Ok(())
}

fn extension(name: &str, span: Span) -> Translated<()> {
    if let Some((_, word)) = LACKING_EXTENSIONS.iter().find(|(known, _)| *known == name) {
        return Err(unsupported(span, *word));
    }
    if HARMLESS_EXTENSIONS.contains(&name) {
        return Ok(());
    }
    Err(unsupported(span, format!("the extension {name}")))
}
