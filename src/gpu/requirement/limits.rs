//! wgpu's limits by the names of their fields.

type Getter = fn(&wgpu::Limits) -> u64;

/// Name and getter of every limit, in wgpu's order.
pub(super) const LIMITS: [(&str, Getter); 57] = [
    ("max_texture_dimension_1d", |it| it.max_texture_dimension_1d.into()),
    ("max_texture_dimension_2d", |it| it.max_texture_dimension_2d.into()),
    ("max_texture_dimension_3d", |it| it.max_texture_dimension_3d.into()),
    ("max_texture_array_layers", |it| it.max_texture_array_layers.into()),
    ("max_bind_groups", |it| it.max_bind_groups.into()),
    ("max_bind_groups_plus_vertex_buffers", |it| it.max_bind_groups_plus_vertex_buffers.into()),
    ("max_bindings_per_bind_group", |it| it.max_bindings_per_bind_group.into()),
    ("max_dynamic_uniform_buffers_per_pipeline_layout", |it| {
        it.max_dynamic_uniform_buffers_per_pipeline_layout.into()
    }),
    ("max_dynamic_storage_buffers_per_pipeline_layout", |it| {
        it.max_dynamic_storage_buffers_per_pipeline_layout.into()
    }),
    ("max_sampled_textures_per_shader_stage", |it| it.max_sampled_textures_per_shader_stage.into()),
    ("max_samplers_per_shader_stage", |it| it.max_samplers_per_shader_stage.into()),
    ("max_storage_buffers_per_shader_stage", |it| it.max_storage_buffers_per_shader_stage.into()),
    ("max_storage_textures_per_shader_stage", |it| it.max_storage_textures_per_shader_stage.into()),
    ("max_uniform_buffers_per_shader_stage", |it| it.max_uniform_buffers_per_shader_stage.into()),
    ("max_binding_array_elements_per_shader_stage", |it| {
        it.max_binding_array_elements_per_shader_stage.into()
    }),
    ("max_binding_array_acceleration_structure_elements_per_shader_stage", |it| {
        it.max_binding_array_acceleration_structure_elements_per_shader_stage.into()
    }),
    ("max_binding_array_sampler_elements_per_shader_stage", |it| {
        it.max_binding_array_sampler_elements_per_shader_stage.into()
    }),
    ("max_uniform_buffer_binding_size", |it| it.max_uniform_buffer_binding_size),
    ("max_storage_buffer_binding_size", |it| it.max_storage_buffer_binding_size),
    ("max_vertex_buffers", |it| it.max_vertex_buffers.into()),
    ("max_buffer_size", |it| it.max_buffer_size),
    ("max_vertex_attributes", |it| it.max_vertex_attributes.into()),
    ("max_vertex_buffer_array_stride", |it| it.max_vertex_buffer_array_stride.into()),
    ("max_inter_stage_shader_variables", |it| it.max_inter_stage_shader_variables.into()),
    ("min_uniform_buffer_offset_alignment", |it| it.min_uniform_buffer_offset_alignment.into()),
    ("min_storage_buffer_offset_alignment", |it| it.min_storage_buffer_offset_alignment.into()),
    ("max_color_attachments", |it| it.max_color_attachments.into()),
    ("max_color_attachment_bytes_per_sample", |it| it.max_color_attachment_bytes_per_sample.into()),
    ("max_compute_workgroup_storage_size", |it| it.max_compute_workgroup_storage_size.into()),
    ("max_compute_invocations_per_workgroup", |it| it.max_compute_invocations_per_workgroup.into()),
    ("max_compute_workgroup_size_x", |it| it.max_compute_workgroup_size_x.into()),
    ("max_compute_workgroup_size_y", |it| it.max_compute_workgroup_size_y.into()),
    ("max_compute_workgroup_size_z", |it| it.max_compute_workgroup_size_z.into()),
    ("max_compute_workgroups_per_dimension", |it| it.max_compute_workgroups_per_dimension.into()),
    ("max_immediate_size", |it| it.max_immediate_size.into()),
    ("max_non_sampler_bindings", |it| it.max_non_sampler_bindings.into()),
    ("max_task_workgroup_total_count", |it| it.max_task_workgroup_total_count.into()),
    ("max_task_workgroups_per_dimension", |it| it.max_task_workgroups_per_dimension.into()),
    ("max_mesh_workgroup_total_count", |it| it.max_mesh_workgroup_total_count.into()),
    ("max_mesh_workgroups_per_dimension", |it| it.max_mesh_workgroups_per_dimension.into()),
    ("max_task_invocations_per_workgroup", |it| it.max_task_invocations_per_workgroup.into()),
    ("max_task_invocations_per_dimension", |it| it.max_task_invocations_per_dimension.into()),
    ("max_mesh_invocations_per_workgroup", |it| it.max_mesh_invocations_per_workgroup.into()),
    ("max_mesh_invocations_per_dimension", |it| it.max_mesh_invocations_per_dimension.into()),
    ("max_task_payload_size", |it| it.max_task_payload_size.into()),
    ("max_mesh_output_vertices", |it| it.max_mesh_output_vertices.into()),
    ("max_mesh_output_primitives", |it| it.max_mesh_output_primitives.into()),
    ("max_mesh_output_layers", |it| it.max_mesh_output_layers.into()),
    ("max_mesh_multiview_view_count", |it| it.max_mesh_multiview_view_count.into()),
    ("max_blas_primitive_count", |it| it.max_blas_primitive_count.into()),
    ("max_blas_geometry_count", |it| it.max_blas_geometry_count.into()),
    ("max_tlas_instance_count", |it| it.max_tlas_instance_count.into()),
    ("max_acceleration_structures_per_shader_stage", |it| {
        it.max_acceleration_structures_per_shader_stage.into()
    }),
    ("max_buffers_and_acceleration_structures_per_shader_stage", |it| {
        it.max_buffers_and_acceleration_structures_per_shader_stage.into()
    }),
    ("max_multiview_view_count", |it| it.max_multiview_view_count.into()),
    ("max_ray_dispatch_count", |it| it.max_ray_dispatch_count.into()),
    ("max_ray_recursion_depth", |it| it.max_ray_recursion_depth.into()),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_limit_of_wgpu() {
        // Debug prints every field as `name: value`.
        let printed = format!("{:#?}", wgpu::Limits::unlimited());
        let names: Vec<_> =
            printed.lines().filter_map(|line| Some(line.trim().split_once(": ")?.0)).collect();
        let mut missing = names.clone();
        missing.retain(|name| LIMITS.iter().all(|(known, _)| known != name));
        assert_eq!(missing, [""; 0]);
        assert_eq!(names.len(), LIMITS.len());
    }
}
