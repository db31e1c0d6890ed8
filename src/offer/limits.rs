//! Reads and sets wgpu's limits by the names of their fields.

type Getter = fn(&wgpu_types::Limits) -> u64;
type Setter = fn(&mut wgpu_types::Limits, u64);

/// Name, getter and setter of every limit. The setter saturates at the maximum of the limit's type.
macro_rules! limits {
    ($($name:ident: $type:ty,)*) => {
        [$((
            stringify!($name),
            |limits| limits.$name.into(),
            |limits, value| limits.$name = <$type>::try_from(value).unwrap_or(<$type>::MAX),
        ),)*]
    };
}

/// All limits, in wgpu's order.
#[rustfmt::skip]
pub(crate) const LIMITS: [(&str, Getter, Setter); 57] = limits! {
    max_texture_dimension_1d: u32,
    max_texture_dimension_2d: u32,
    max_texture_dimension_3d: u32,
    max_texture_array_layers: u32,
    max_bind_groups: u32,
    max_bind_groups_plus_vertex_buffers: u32,
    max_bindings_per_bind_group: u32,
    max_dynamic_uniform_buffers_per_pipeline_layout: u32,
    max_dynamic_storage_buffers_per_pipeline_layout: u32,
    max_sampled_textures_per_shader_stage: u32,
    max_samplers_per_shader_stage: u32,
    max_storage_buffers_per_shader_stage: u32,
    max_storage_textures_per_shader_stage: u32,
    max_uniform_buffers_per_shader_stage: u32,
    max_binding_array_elements_per_shader_stage: u32,
    max_binding_array_acceleration_structure_elements_per_shader_stage: u32,
    max_binding_array_sampler_elements_per_shader_stage: u32,
    max_uniform_buffer_binding_size: u64,
    max_storage_buffer_binding_size: u64,
    max_vertex_buffers: u32,
    max_buffer_size: u64,
    max_vertex_attributes: u32,
    max_vertex_buffer_array_stride: u32,
    max_inter_stage_shader_variables: u32,
    min_uniform_buffer_offset_alignment: u32,
    min_storage_buffer_offset_alignment: u32,
    max_color_attachments: u32,
    max_color_attachment_bytes_per_sample: u32,
    max_compute_workgroup_storage_size: u32,
    max_compute_invocations_per_workgroup: u32,
    max_compute_workgroup_size_x: u32,
    max_compute_workgroup_size_y: u32,
    max_compute_workgroup_size_z: u32,
    max_compute_workgroups_per_dimension: u32,
    max_immediate_size: u32,
    max_non_sampler_bindings: u32,
    max_task_workgroup_total_count: u32,
    max_task_workgroups_per_dimension: u32,
    max_mesh_workgroup_total_count: u32,
    max_mesh_workgroups_per_dimension: u32,
    max_task_invocations_per_workgroup: u32,
    max_task_invocations_per_dimension: u32,
    max_mesh_invocations_per_workgroup: u32,
    max_mesh_invocations_per_dimension: u32,
    max_task_payload_size: u32,
    max_mesh_output_vertices: u32,
    max_mesh_output_primitives: u32,
    max_mesh_output_layers: u32,
    max_mesh_multiview_view_count: u32,
    max_blas_primitive_count: u32,
    max_blas_geometry_count: u32,
    max_tlas_instance_count: u32,
    max_acceleration_structures_per_shader_stage: u32,
    max_buffers_and_acceleration_structures_per_shader_stage: u32,
    max_multiview_view_count: u32,
    max_ray_dispatch_count: u32,
    max_ray_recursion_depth: u32,
};

/// Names and values of all limits in `limits`.
pub(crate) fn limit_values(limits: &wgpu_types::Limits) -> Vec<(&'static str, u64)> {
    LIMITS.iter().map(|(name, get, _)| (*name, get(limits))).collect()
}

/// Names of all limits.
pub(crate) fn limit_names() -> Vec<&'static str> {
    LIMITS.iter().map(|(name, _, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_limit_of_wgpu() {
        // Debug prints every field as `name: value`.
        let printed = format!("{:#?}", wgpu_types::Limits::unlimited());
        let names: Vec<_> =
            printed.lines().filter_map(|line| Some(line.trim().split_once(": ")?.0)).collect();
        let mut missing = names.clone();
        missing.retain(|name| LIMITS.iter().all(|(known, _, _)| known != name));
        assert_eq!(missing, [""; 0]);
        assert_eq!(names.len(), LIMITS.len());
    }
}
