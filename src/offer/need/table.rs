//! The table of abilities that adapters may lack, and of the constructs that need them.
//!
//! It covers all checks of wgpu that a case can fail: the features, flags and limits that `wgpu-core` requires when it
//! makes layouts, pipelines, textures, buffers and passes, and the checks that it leaves to drivers.

use wgpu_types::{BindingType, BufferBindingType, DownlevelFlags as Flags, Features};

use case::state::Raster;
use case::texture::Wrap;
use link::program::LinkedStages;
use link::table::binding::{OpaqueKind, TextureDimension};
use plan::{Operation, Plan};

use super::{Row, Subject, amount, pass, shader};

const fn row<T: Copy>(ability: T, what: &'static str, needed: fn(&Subject<'_>) -> u64) -> Row<T> {
    Row { ability, what, needed }
}

/// 1 if there is a plan and `is_so` accepts it, else 0.
fn planned(subject: &Subject<'_>, is_so: impl Fn(&Plan) -> bool) -> u64 {
    u64::from(subject.plan.is_some_and(is_so))
}

/// True if `is_so` accepts the rasterisation state of some draw.
fn rasters(plan: &Plan, is_so: fn(&Raster) -> bool) -> bool {
    plan.operations.iter().filter_map(Operation::setup).any(|setup| is_so(&setup.raster))
}

/// 1 if `is_so` accepts some texture, sampler or image, else 0.
fn opaque(subject: &Subject<'_>, is_so: fn(OpaqueKind) -> bool) -> u64 {
    u64::from(
        subject
            .programs
            .iter()
            .flat_map(|program| &program.opaques)
            .any(|opaque| is_so(opaque.kind)),
    )
}

/// Rows for features that wgpu requires when it makes objects.
pub(super) const FEATURES: [Row<Features>; 6] = [
    row(Features::CLIP_DISTANCES, "clip distances", |subject| {
        u64::from(subject.programs.iter().any(amount::clips))
    }),
    row(Features::DUAL_SOURCE_BLENDING, "blending with two sources", |subject| {
        let is_dual = subject.programs.iter().any(|program| program.draw.is_dual_source);
        u64::from(is_dual || subject.plan.is_some_and(Plan::ever_blends_second_source))
    }),
    row(
        Features::VERTEX_WRITABLE_STORAGE,
        "buffers and images that a vertex stage writes",
        |subject| amount::storage_in(subject, |stages| stages.vertex, (true, true)),
    ),
    row(Features::ADDRESS_MODE_CLAMP_TO_BORDER, "borders of textures", |subject| {
        planned(subject, |plan| {
            plan.samplers.iter().any(|sampler| sampler.wrap.contains(&Wrap::ClampToBorder))
        })
    }),
    row(Features::DEPTH_CLIP_CONTROL, "depths that are clamped", |subject| {
        planned(subject, |plan| rasters(plan, |raster| raster.is_depth_clamped))
    }),
    row(Features::POLYGON_MODE_LINE, "triangles of which the edges are drawn", |subject| {
        planned(subject, |plan| rasters(plan, |raster| raster.is_outlined))
    }),
];

/// Rows for features that grant a capability of naga, each with alternative features.
macro_rules! in_shaders {
    ($(($feature:ident $(or $other:ident)*, $what:literal),)*) => {
        [$(row(Features::$feature, $what, |subject| {
            shader::uses_feature(subject, Features::$feature $(| Features::$other)*)
        }),)*]
    };
}

/// Rows for features that shaders need.
pub(super) const SHADER_FEATURES: [Row<Features>; 20] = in_shaders! {
    (SHADER_F64, "64-bit floats"),
    (SHADER_F16, "16-bit floats"),
    (SHADER_I16, "16-bit integers"),
    (SHADER_INT64, "64-bit integers"),
    (SHADER_INT64_ATOMIC_ALL_OPS, "atomic operations on 64-bit integers"),
    (SHADER_FLOAT32_ATOMIC, "atomic operations on floats"),
    (TEXTURE_ATOMIC, "atomic operations on images"),
    (TEXTURE_INT64_ATOMIC, "atomic operations on images of 64-bit integers"),
    (IMMEDIATES, "immediates"),
    (PRIMITIVE_INDEX, "numbers of primitives"),
    (SHADER_EARLY_DEPTH_TEST, "early fragment tests"),
    (SHADER_BARYCENTRICS, "barycentric coordinates"),
    (SHADER_PER_VERTEX, "inputs for each vertex"),
    (SHADER_DRAW_INDEX, "numbers of draws"),
    (SUBGROUP or SUBGROUP_VERTEX, "subgroups"),
    (SUBGROUP_VERTEX, "subgroups in the vertex stage"),
    (SUBGROUP_BARRIER, "barriers of subgroups"),
    (TEXTURE_FORMAT_16BIT_NORM, "images of normalized 16-bit integers"),
    (MEMORY_DECORATION_COHERENT, "coherent buffers"),
    (MEMORY_DECORATION_VOLATILE, "volatile buffers"),
};

/// Rows for flags that wgpu requires when it makes objects.
pub(super) const FLAGS: [Row<Flags>; 11] = [
    row(
        Flags::COMPUTE_SHADERS,
        "compute stages, geometry stages, captures and cull distances",
        |subject| {
            u64::from(subject.programs.iter().any(|program| {
                matches!(program.stages, LinkedStages::Compute(_)) || !program.passes.is_empty()
            }))
        },
    ),
    row(Flags::VERTEX_STORAGE, "storage buffers in the vertex stage", |subject| {
        amount::storage_in(subject, |stages| stages.vertex, (false, false))
    }),
    row(Flags::FRAGMENT_STORAGE, "storage buffers in the fragment stage", |subject| {
        amount::storage_in(subject, |stages| stages.fragment, (false, false))
    }),
    row(
        Flags::FRAGMENT_WRITABLE_STORAGE,
        "buffers and images that a fragment stage writes",
        |subject| amount::storage_in(subject, |stages| stages.fragment, (true, true)),
    ),
    row(
        Flags::UNRESTRICTED_INDEX_BUFFER,
        "geometry stages, captures and cull distances",
        |subject| planned(subject, |plan| !plan.passes.is_empty()),
    ),
    row(Flags::INDEPENDENT_BLEND, "targets that are blended or masked unlike others", |subject| {
        u64::from(pass::blends_apart(subject))
    }),
    row(Flags::COMPARISON_SAMPLERS, "samplers that compare", |subject| {
        opaque(subject, |kind| matches!(kind, OpaqueKind::Sampler { is_comparison: true, .. }))
    }),
    row(Flags::CUBE_ARRAY_TEXTURES, "arrays of cubes", |subject| {
        opaque(subject, |kind| kind.dimension() == Some(TextureDimension::CubeArray))
    }),
    row(Flags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES, "levels of textures of any size", |subject| {
        planned(subject, |plan| {
            let mut textures = plan.textures.iter().filter(|texture| texture.levels.len() > 1);
            textures.any(|texture| texture.size[..2].iter().any(|side| !side.is_power_of_two()))
        })
    }),
    row(Flags::FULL_DRAW_INDEX_UINT32, "indices of more than 24 bits", |subject| {
        planned(subject, amount::has_large_index)
    }),
    row(Flags::DEPTH_BIAS_CLAMP, "depth biases with a limit", |subject| {
        planned(subject, |plan| rasters(plan, |raster| f32::from_bits(raster.bias.clamp) != 0.0))
    }),
];

/// Rows for flags that shaders need.
pub(super) const SHADER_FLAGS: [Row<Flags>; 2] = [
    row(Flags::MULTISAMPLED_SHADING, "fragment stages that run for each sample", |subject| {
        shader::uses_flag(subject, Flags::MULTISAMPLED_SHADING)
    }),
    row(Flags::SHADER_F16_IN_F32, "halves in floats", |subject| {
        shader::uses_flag(subject, Flags::SHADER_F16_IN_F32)
    }),
];

const fn is_uniform(ty: &BindingType) -> bool {
    matches!(ty, BindingType::Buffer { ty: BufferBindingType::Uniform, .. })
}

const fn is_storage(ty: &BindingType) -> bool {
    matches!(ty, BindingType::Buffer { ty: BufferBindingType::Storage { .. }, .. })
}

const fn is_texture(ty: &BindingType) -> bool {
    matches!(ty, BindingType::Texture { .. })
}

const fn is_sampler(ty: &BindingType) -> bool {
    matches!(ty, BindingType::Sampler(_))
}

const fn is_image(ty: &BindingType) -> bool {
    matches!(ty, BindingType::StorageTexture { .. })
}

/// Rows for limits, by wgpu's names.
pub(super) const LIMIT_ROWS: [Row<&str>; 29] = [
    row("max_texture_dimension_1d", "textures of one dimension", amount::lengths),
    row("max_texture_dimension_2d", "textures and render targets", amount::flat_sides),
    row("max_texture_dimension_3d", "textures", amount::volume_sides),
    row("max_texture_array_layers", "textures", amount::layers),
    row("max_bind_groups", "resources", amount::groups),
    row(
        "max_bind_groups_plus_vertex_buffers",
        "resources and vertices",
        amount::groups_and_vertex_buffers,
    ),
    row("max_bindings_per_bind_group", "resources", amount::bindings),
    row("max_sampled_textures_per_shader_stage", "the textures of a stage", |subject| {
        amount::in_one_stage(subject, is_texture)
    }),
    row("max_samplers_per_shader_stage", "the samplers of a stage", |subject| {
        amount::in_one_stage(subject, is_sampler)
    }),
    row("max_storage_buffers_per_shader_stage", "the storage buffers of a stage", |subject| {
        amount::in_one_stage(subject, is_storage)
    }),
    row("max_storage_textures_per_shader_stage", "the images of a stage", |subject| {
        amount::in_one_stage(subject, is_image)
    }),
    row("max_uniform_buffers_per_shader_stage", "the uniform buffers of a stage", |subject| {
        amount::in_one_stage(subject, is_uniform)
    }),
    row(
        "max_buffers_and_acceleration_structures_per_shader_stage",
        "the buffers of a stage",
        amount::buffers,
    ),
    row("max_uniform_buffer_binding_size", "uniform buffers", amount::uniform_bytes),
    row("max_immediate_size", "immediates", amount::immediate_bytes),
    row("max_storage_buffer_binding_size", "storage buffers", amount::storage_bytes),
    row("max_buffer_size", "buffers", amount::buffer_bytes),
    row("max_vertex_buffers", "vertices", amount::vertex_buffers),
    row("max_vertex_attributes", "the attributes of the vertex stage", amount::vertex_attributes),
    row("max_vertex_buffer_array_stride", "vertices", amount::vertex_stride),
    row("max_inter_stage_shader_variables", "varyings", amount::inter_stage),
    row("max_color_attachments", "render targets", amount::color_attachments),
    row("max_color_attachment_bytes_per_sample", "render targets", amount::color_bytes),
    row("max_compute_workgroup_storage_size", "shared variables", amount::workgroup_bytes),
    row("max_compute_invocations_per_workgroup", "workgroups", |subject| {
        amount::workgroup(subject, None)
    }),
    row("max_compute_workgroup_size_x", "workgroups", |subject| {
        amount::workgroup(subject, Some(0))
    }),
    row("max_compute_workgroup_size_y", "workgroups", |subject| {
        amount::workgroup(subject, Some(1))
    }),
    row("max_compute_workgroup_size_z", "workgroups", |subject| {
        amount::workgroup(subject, Some(2))
    }),
    row("max_compute_workgroups_per_dimension", "dispatches", amount::workgroups),
];
