//! GL limits: all known names, and the values of those that interstage has.
//!
//! Values that depend on the adapter are computed from wgpu's limits, by field name, and from [`SAMPLES`]. Without an
//! adapter these are WebGPU's guaranteed minimums. The rest are limits of the linker and the case format.

use crate::gl::Support;
use crate::limits::{
    MAX_BINDING, MAX_BUFFER_BYTES, MAX_TARGET_INDEX, MAX_TARGET_SIZE, MAX_TEXTURE_LAYERS,
    MAX_TEXTURE_SIZE, MAX_UNIT,
};
use ir::geometry::{MAX_INVOCATIONS, MAX_OUTPUT_VERTICES, MAX_STREAMS};
use ir::options::{MAX_XFB_BUFFER, ProgramLimit};
use ir::tessellation::{MAX_LEVEL, MAX_PATCH_COMPONENTS, MAX_PATCH_VERTICES};

/// Names in the Khronos registry that begin with `GL_MAX_`, `GL_MIN_` or `GL_NUM_`, sorted, one per line.
const NAMES: &str = include_str!("limit_names.txt");

/// Name of a limit besides wgpu's: the maximum samples per pixel of the default target.
pub const SAMPLES: &str = "samples";

/// Returns the adapter's limit of the given name.
type Adapter<'a> = &'a dyn Fn(&str) -> i64;
type Value = fn(Adapter<'_>) -> i64;

/// Words per vertex in a transform feedback buffer.
const CAPTURE_WORDS: i64 = 64;

/// Components of a vertex before and after a control stage.
const PATCH_VERTEX_COMPONENTS: i64 = 128;

/// The limits that interstage has, sorted by name.
const LIMITS: [(&str, Value); 113] = [
    ("GL_MAX_3D_TEXTURE_SIZE", |gpu| gpu("max_texture_dimension_3d").min(MAX_TEXTURE_SIZE.into())),
    ("GL_MAX_ARRAY_TEXTURE_LAYERS", |gpu| {
        gpu("max_texture_array_layers").min(MAX_TEXTURE_LAYERS.into())
    }),
    ("GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS", |_| i64::from(MAX_BINDING) + 1),
    ("GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE", storage_bytes),
    ("GL_MAX_CLIP_DISTANCES", |_| 8),
    ("GL_MAX_CLIP_PLANES", |_| 8),
    ("GL_MAX_COLOR_ATTACHMENTS", draw_buffers),
    ("GL_MAX_COMBINED_ATOMIC_COUNTERS", |gpu| counters(gpu) * 2),
    ("GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS", |gpu| storage_blocks(gpu) * 2),
    ("GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES", |_| 8),
    ("GL_MAX_COMBINED_COMPUTE_UNIFORM_COMPONENTS", all_components),
    ("GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS", all_components),
    ("GL_MAX_COMBINED_IMAGE_UNIFORMS", |gpu| images(gpu) * 2),
    ("GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS", |gpu| storage_blocks(gpu) * 2),
    ("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS", |gpu| (textures(gpu) * 2).min(i64::from(MAX_UNIT) + 1)),
    ("GL_MAX_COMBINED_UNIFORM_BLOCKS", |gpu| uniform_blocks(gpu) * 2),
    ("GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS", all_components),
    ("GL_MAX_COMPUTE_ATOMIC_COUNTERS", counters),
    ("GL_MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_COMPUTE_IMAGE_UNIFORMS", images),
    ("GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_COMPUTE_SHARED_MEMORY_SIZE", |gpu| gpu("max_compute_workgroup_storage_size")),
    ("GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_COMPUTE_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_COMPUTE_UNIFORM_COMPONENTS", components),
    ("GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS", |gpu| gpu("max_compute_invocations_per_workgroup")),
    ("GL_MAX_CUBE_MAP_TEXTURE_SIZE", texture_size),
    ("GL_MAX_CULL_DISTANCES", |_| 8),
    ("GL_MAX_DRAW_BUFFERS", draw_buffers),
    ("GL_MAX_DUAL_SOURCE_DRAW_BUFFERS", |_| 1),
    ("GL_MAX_FRAGMENT_ATOMIC_COUNTERS", counters),
    ("GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_FRAGMENT_IMAGE_UNIFORMS", images),
    ("GL_MAX_FRAGMENT_INPUT_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_FRAGMENT_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_FRAGMENT_UNIFORM_COMPONENTS", components),
    ("GL_MAX_FRAGMENT_UNIFORM_VECTORS", |gpu| components(gpu) / 4),
    ("GL_MAX_FRAMEBUFFER_HEIGHT", target_size),
    ("GL_MAX_FRAMEBUFFER_SAMPLES", |gpu| gpu(SAMPLES)),
    ("GL_MAX_FRAMEBUFFER_WIDTH", target_size),
    ("GL_MAX_GEOMETRY_ATOMIC_COUNTERS", counters),
    ("GL_MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_GEOMETRY_IMAGE_UNIFORMS", images),
    ("GL_MAX_GEOMETRY_INPUT_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_GEOMETRY_OUTPUT_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_GEOMETRY_OUTPUT_VERTICES", |_| i64::from(MAX_OUTPUT_VERTICES)),
    ("GL_MAX_GEOMETRY_SHADER_INVOCATIONS", |_| i64::from(MAX_INVOCATIONS)),
    ("GL_MAX_GEOMETRY_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS", |_| i64::from(MAX_OUTPUT_VERTICES)),
    ("GL_MAX_GEOMETRY_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_GEOMETRY_UNIFORM_COMPONENTS", components),
    ("GL_MAX_IMAGE_UNITS", |_| i64::from(MAX_UNIT) + 1),
    ("GL_MAX_INTEGER_SAMPLES", |gpu| gpu(SAMPLES)),
    ("GL_MAX_LIGHTS", |_| 8),
    ("GL_MAX_PATCH_VERTICES", |_| i64::from(MAX_PATCH_VERTICES)),
    ("GL_MAX_PROGRAM_TEXEL_OFFSET", |_| 7),
    ("GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET", |_| 7),
    ("GL_MAX_RECTANGLE_TEXTURE_SIZE", texture_size),
    ("GL_MAX_RENDERBUFFER_SIZE", target_size),
    ("GL_MAX_SAMPLES", |gpu| gpu(SAMPLES)),
    ("GL_MAX_SAMPLE_MASK_WORDS", |_| 1),
    ("GL_MAX_SHADER_STORAGE_BLOCK_SIZE", storage_bytes),
    ("GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS", |_| i64::from(MAX_BINDING) + 1),
    ("GL_MAX_TESS_CONTROL_ATOMIC_COUNTERS", counters),
    ("GL_MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_TESS_CONTROL_IMAGE_UNIFORMS", images),
    ("GL_MAX_TESS_CONTROL_INPUT_COMPONENTS", |_| PATCH_VERTEX_COMPONENTS),
    ("GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS", |_| PATCH_VERTEX_COMPONENTS),
    ("GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS", |_| 4096),
    ("GL_MAX_TESS_CONTROL_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS", components),
    ("GL_MAX_TESS_EVALUATION_ATOMIC_COUNTERS", counters),
    ("GL_MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_TESS_EVALUATION_IMAGE_UNIFORMS", images),
    ("GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS", |_| PATCH_VERTEX_COMPONENTS),
    ("GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_TESS_EVALUATION_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS", components),
    ("GL_MAX_TESS_GEN_LEVEL", |_| i64::from(MAX_LEVEL)),
    ("GL_MAX_TESS_PATCH_COMPONENTS", |_| i64::from(MAX_PATCH_COMPONENTS)),
    ("GL_MAX_TEXTURE_COORDS", |_| 8),
    ("GL_MAX_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_TEXTURE_SIZE", texture_size),
    ("GL_MAX_TEXTURE_UNITS", |_| 2),
    ("GL_MAX_TRANSFORM_FEEDBACK_BUFFERS", |_| i64::from(MAX_XFB_BUFFER) + 1),
    ("GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS", |_| CAPTURE_WORDS),
    ("GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS", |_| i64::from(MAX_XFB_BUFFER) + 1),
    ("GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS", |_| CAPTURE_WORDS),
    ("GL_MAX_UNIFORM_BLOCK_SIZE", |gpu| gpu("max_uniform_buffer_binding_size")),
    ("GL_MAX_UNIFORM_BUFFER_BINDINGS", |_| i64::from(MAX_BINDING) + 1),
    ("GL_MAX_VARYING_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_VARYING_FLOATS", |gpu| slots(gpu) * 4),
    ("GL_MAX_VARYING_VECTORS", slots),
    ("GL_MAX_VERTEX_ATOMIC_COUNTERS", counters),
    ("GL_MAX_VERTEX_ATOMIC_COUNTER_BUFFERS", storage_blocks),
    ("GL_MAX_VERTEX_ATTRIBS", |gpu| gpu("max_vertex_attributes")),
    ("GL_MAX_VERTEX_IMAGE_UNIFORMS", images),
    ("GL_MAX_VERTEX_OUTPUT_COMPONENTS", |gpu| slots(gpu) * 4),
    ("GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS", storage_blocks),
    ("GL_MAX_VERTEX_STREAMS", |_| i64::from(MAX_STREAMS)),
    ("GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS", textures),
    ("GL_MAX_VERTEX_UNIFORM_BLOCKS", uniform_blocks),
    ("GL_MAX_VERTEX_UNIFORM_COMPONENTS", components),
    ("GL_MAX_VERTEX_UNIFORM_VECTORS", |gpu| components(gpu) / 4),
    ("GL_MAX_VIEWPORTS", |_| 16),
    ("GL_MIN_PROGRAM_TEXEL_OFFSET", |_| -8),
    ("GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET", |_| -8),
];

/// Vendor suffixes of names that GL later adopted unchanged, without the suffix.
const VENDORS: [&str; 5] = ["ARB", "EXT", "OES", "NV", "ATI"];

/// Support for the limit called `name`.
pub fn support(name: &str) -> Support {
    if stem(name).is_some() {
        Support::Provided
    } else if NAMES.lines().any(|known| known == name) {
        Support::Lacking
    } else {
        Support::Unknown
    }
}

/// The limits of GL for a case: those that `[require]` grants, and the values of GLSL's constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    values: Vec<(&'static str, i64)>,
}

impl Limits {
    /// The limits of an adapter, for a case that sets the limits `own` (`limit NAME N` of `[link]`).
    pub fn new(adapter: Adapter<'_>, own: &[(ProgramLimit, u32)]) -> Self {
        let value = |(name, value): &(&'static str, Value)| {
            let promised = own.iter().find_map(|(limit, most)| promised(name, *limit, *most));
            (*name, promised.unwrap_or_else(|| value(adapter).min(i32::MAX.into())))
        };
        Self { values: LIMITS.iter().map(value).collect() }
    }

    /// The limits of an adapter with only WebGPU's guarantees, for a case that sets the limits `own`.
    pub fn guaranteed(own: &[(ProgramLimit, u32)]) -> Self {
        Self::new(&guaranteed, own)
    }

    /// Value of the limit called `name`, if interstage has it.
    pub fn value(&self, name: &str) -> Option<i64> {
        let stem = stem(name)?;
        self.values.iter().find(|(known, _)| *known == stem).map(|(_, value)| *value)
    }

    /// Names and values of all limits that interstage has, sorted by name.
    pub fn values(&self) -> &[(&'static str, i64)] {
        &self.values
    }
}

/// Value of the limit called `name`, if a `limit` line of the case determines it.
fn promised(name: &str, limit: ProgramLimit, most: u32) -> Option<i64> {
    let most = i64::from(most);
    let is_of_stage = |what: &str| {
        let stages =
            ["VERTEX", "TESS_CONTROL", "TESS_EVALUATION", "GEOMETRY", "FRAGMENT", "COMPUTE"];
        stages.iter().any(|stage| name == format!("GL_MAX_{stage}_{what}"))
    };
    let value = match limit {
        ProgramLimit::VaryingComponents => match name {
            "GL_MAX_VARYING_COMPONENTS" | "GL_MAX_VARYING_FLOATS" => Some(most),
            "GL_MAX_VARYING_VECTORS" => Some(most / 4),
            _ => None,
        },
        ProgramLimit::UniformBlocks => is_of_stage("UNIFORM_BLOCKS").then_some(most),
        ProgramLimit::StorageBlocks => is_of_stage("SHADER_STORAGE_BLOCKS").then_some(most),
        ProgramLimit::CombinedUniformBlocks => {
            (name == "GL_MAX_COMBINED_UNIFORM_BLOCKS").then_some(most)
        }
        ProgramLimit::CombinedStorageBlocks => {
            (name == "GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS").then_some(most)
        }
        ProgramLimit::UniformBlockSize => (name == "GL_MAX_UNIFORM_BLOCK_SIZE").then_some(most),
        ProgramLimit::StorageBlockSize => {
            (name == "GL_MAX_SHADER_STORAGE_BLOCK_SIZE").then_some(most)
        }
    };
    value.map(|value| value.min(i32::MAX.into()))
}

/// WebGPU's guarantee for wgpu's limit with this name (WebGPU 3.6.2), or for [`SAMPLES`].
pub fn guaranteed(name: &str) -> i64 {
    let known = GUARANTEED.iter().find(|(known, _)| *known == name);
    known.map_or(0, |(_, value)| *value)
}

/// WebGPU's guarantees for all limits that `LIMITS` reads from an adapter.
pub const GUARANTEED: [(&str, i64); 16] = [
    (SAMPLES, 4),
    ("max_color_attachments", 8),
    ("max_compute_invocations_per_workgroup", 256),
    ("max_compute_workgroup_storage_size", 16_384),
    ("max_inter_stage_shader_variables", 16),
    ("max_sampled_textures_per_shader_stage", 16),
    ("max_samplers_per_shader_stage", 16),
    ("max_storage_buffer_binding_size", 1 << 27),
    ("max_storage_buffers_per_shader_stage", 8),
    ("max_storage_textures_per_shader_stage", 4),
    ("max_texture_array_layers", 256),
    ("max_texture_dimension_2d", 8192),
    ("max_texture_dimension_3d", 2048),
    ("max_uniform_buffer_binding_size", 65_536),
    ("max_uniform_buffers_per_shader_stage", 12),
    ("max_vertex_attributes", 16),
];

/// The names of all limits that some GL has.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines()
}

/// The name without a vendor's suffix, if it is a limit that interstage has.
fn stem(name: &str) -> Option<&'static str> {
    let is_known = NAMES.lines().any(|known| known == name);
    let (stem, vendor) = name.rsplit_once('_')?;
    let stem = if is_known && VENDORS.contains(&vendor) { stem } else { name };
    LIMITS.iter().find(|(known, _)| *known == stem).map(|(known, _)| *known)
}

/// Varying vectors: the adapter's inter-stage variables.
fn slots(adapter: Adapter<'_>) -> i64 {
    adapter("max_inter_stage_shader_variables")
}

/// Components of loose uniforms: one uniform buffer per stage.
fn components(adapter: Adapter<'_>) -> i64 {
    adapter("max_uniform_buffer_binding_size") / 4
}

/// Components of loose uniforms and of all uniform blocks.
fn all_components(adapter: Adapter<'_>) -> i64 {
    components(adapter) * (uniform_blocks(adapter) + 1)
}

/// Uniform blocks per stage; one buffer is kept for loose uniforms.
fn uniform_blocks(adapter: Adapter<'_>) -> i64 {
    (adapter("max_uniform_buffers_per_shader_stage") - 1).max(0)
}

/// Storage blocks per stage, which include atomic counter buffers.
fn storage_blocks(adapter: Adapter<'_>) -> i64 {
    adapter("max_storage_buffers_per_shader_stage")
}

fn storage_bytes(adapter: Adapter<'_>) -> i64 {
    adapter("max_storage_buffer_binding_size").min(MAX_BUFFER_BYTES.into())
}

fn counters(adapter: Adapter<'_>) -> i64 {
    storage_bytes(adapter) / 4
}

fn images(adapter: Adapter<'_>) -> i64 {
    adapter("max_storage_textures_per_shader_stage")
}

fn textures(adapter: Adapter<'_>) -> i64 {
    adapter("max_sampled_textures_per_shader_stage").min(adapter("max_samplers_per_shader_stage"))
}

fn texture_size(adapter: Adapter<'_>) -> i64 {
    adapter("max_texture_dimension_2d").min(MAX_TEXTURE_SIZE.into())
}

fn target_size(adapter: Adapter<'_>) -> i64 {
    adapter("max_texture_dimension_2d").min(MAX_TARGET_SIZE.into())
}

fn draw_buffers(adapter: Adapter<'_>) -> i64 {
    adapter("max_color_attachments").min(i64::from(MAX_TARGET_INDEX) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_known_and_stands_once() {
        assert!(LIMITS.is_sorted_by(|(a, _), (b, _)| a < b));
        for (name, _) in LIMITS {
            assert!(NAMES.lines().any(|known| known == name), "{name}");
        }
        assert!(NAMES.lines().collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_case_has_limits_of_its_own() {
        let value = |limit, name| Limits::guaranteed(&[(limit, 62)]).value(name);
        let varyings = ProgramLimit::VaryingComponents;
        assert_eq!(value(varyings, "GL_MAX_VARYING_COMPONENTS"), Some(62));
        assert_eq!(value(varyings, "GL_MAX_VARYING_FLOATS_ARB"), Some(62));
        assert_eq!(value(varyings, "GL_MAX_VARYING_VECTORS"), Some(15));
        assert_eq!(value(varyings, "GL_MAX_VERTEX_OUTPUT_COMPONENTS"), Some(64));
        let blocks = ProgramLimit::UniformBlocks;
        assert_eq!(value(blocks, "GL_MAX_GEOMETRY_UNIFORM_BLOCKS"), Some(62));
        assert_eq!(value(blocks, "GL_MAX_COMBINED_UNIFORM_BLOCKS"), Some(22));
        let combined = ProgramLimit::CombinedStorageBlocks;
        assert_eq!(value(combined, "GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS"), Some(62));
        let size = ProgramLimit::StorageBlockSize;
        assert_eq!(value(size, "GL_MAX_SHADER_STORAGE_BLOCK_SIZE"), Some(62));
    }

    /// Every name that the table reads from an adapter has a guarantee.
    #[test]
    fn every_limit_of_the_adapter_has_a_guarantee() {
        let is_known = |name: &str| {
            assert!(GUARANTEED.iter().any(|(known, _)| *known == name), "{name}");
            1
        };
        assert_eq!(Limits::new(&is_known, &[]).values().len(), LIMITS.len());
    }

    #[test]
    fn a_vendors_name_is_the_same_limit() {
        let value = |name| Limits::new(&|_| 4, &[]).value(name);
        assert_eq!(value("GL_MAX_SAMPLES"), Some(4));
        assert_eq!(value("GL_MAX_SAMPLES_EXT"), Some(4));
        // Khronos does not define this name.
        assert_eq!(value("GL_MAX_SAMPLES_ATI"), None);
        assert_eq!(support("GL_MAX_SAMPLES_ATI"), Support::Unknown);
        assert_eq!(support("GL_MAX_DRAW_MESH_TASKS_COUNT_NV"), Support::Lacking);
    }
}
