//! Drops primitives by their cull distances, which WebGPU does not have, in two dispatches before each draw: the vertex
//! stage runs as a compute stage and writes the distances of all vertices, then the index lists are copied without the
//! culled primitives (`cull.wgsl`). The draw itself is unchanged, but uses one index list per instance.

use link::binding::{BindingPoint, VertexComputeStage};
use link::program::LinkedProgram;
use link::shell::WORKGROUP_SIZE;
use offer::entries::{CULL_BINDING, cull_entries, vertex_compute_entries};
use plan::vertex::LOCATION_BYTES;
use plan::{Plan, PlannedCull};

use super::bindings::{self, Bound, Groups, Layouts};
use super::pipeline::compute_pipeline;
use crate::adapter::Gpu;
use crate::resources::{Resources, filled_buffer};

/// Resources for the draws of a program that culls.
pub(crate) struct Culling {
    vertex_compute: wgpu::ComputePipeline,
    cull: wgpu::ComputePipeline,
    /// The index lists without the culled primitives.
    pub(crate) kept: wgpu::Buffer,
    /// The resources of each draw, one for every entry of [`Plan::culls`].
    draws: Vec<CulledDraw>,
}

struct CulledDraw {
    vertex_groups: Groups,
    cull_groups: Groups,
    vertex_size: [u32; 2],
    cull_size: [u32; 2],
}

impl Culling {
    /// Makes the resources for culling; `None` if no program culls.
    pub(crate) fn new(
        gpu: &Gpu,
        program: &LinkedProgram,
        plan: &Plan,
        resources: &Resources,
    ) -> Option<Self> {
        let vertex_compute = program.cull.as_ref()?;
        let vertex_compute_layouts = vertex_compute_layouts(gpu, program, vertex_compute.at);
        let cull_layouts = bindings::layouts(gpu, &cull_entries());
        let kept = plan.culls.last().and_then(PlannedCull::end).unwrap_or(0);
        let most = plan.culls.iter().filter_map(PlannedCull::total).max().unwrap_or(0);
        let parts = Parts {
            gpu,
            program,
            plan,
            resources,
            vertex_compute,
            vertex_compute_layouts: &vertex_compute_layouts,
            cull_layouts: &cull_layouts,
            distances: &words(
                gpu,
                most.saturating_mul(vertex_compute.stride),
                wgpu::BufferUsages::empty(),
            ),
            kept: &words(gpu, kept, wgpu::BufferUsages::INDEX),
        };
        let pipeline = |groups: &Layouts, module| {
            compute_pipeline(gpu, &bindings::pipeline_layout(gpu, groups), module)
        };
        Some(Self {
            vertex_compute: pipeline(&vertex_compute_layouts, vertex_compute.module.clone()),
            cull: pipeline(&cull_layouts, cull_module()),
            kept: parts.kept.clone(),
            draws: plan.culls.iter().map(|cull| parts.draw(cull)).collect(),
        })
    }

    /// Records the dispatches that cull the primitives of draw `idx`.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder, idx: usize) {
        let Some(draw) = self.draws.get(idx) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let dispatches = [
            (&self.vertex_compute, &draw.vertex_groups, draw.vertex_size),
            (&self.cull, &draw.cull_groups, draw.cull_size),
        ];
        for (pipeline, groups, [x, y]) in dispatches {
            bindings::dispatch(&mut pass, pipeline, groups, [x, y, 1]);
        }
    }
}

struct Parts<'a> {
    gpu: &'a Gpu,
    program: &'a LinkedProgram,
    plan: &'a Plan,
    resources: &'a Resources,
    vertex_compute: &'a VertexComputeStage,
    vertex_compute_layouts: &'a Layouts,
    cull_layouts: &'a Layouts,
    /// Words for the distances of the largest draw; all draws share the buffer.
    distances: &'a wgpu::Buffer,
    kept: &'a wgpu::Buffer,
}

impl Parts<'_> {
    fn draw(&self, cull: &PlannedCull) -> CulledDraw {
        let vertices = cull.primitive.vertices();
        let planes = self.vertex_compute.stride;
        let (first_index, count) = (cull.indices.start, cull.count());
        let first_row = u32::try_from(cull.vertices.start / LOCATION_BYTES).unwrap_or(u32::MAX);
        let Resources { vertices: rows, indices, .. } = self.resources;
        let words = [first_row, first_index, count, cull.first_instance];
        let own = bound(self.gpu, self.vertex_compute.at, [rows, indices, self.distances], &words);
        let bindings = self.plan.bindings.get(cull.bindings);
        let mut all = bindings.map_or_else(Vec::new, |bindings| {
            bindings::bound(self.program, self.resources, bindings)
        });
        all.extend(own.iter().map(Own::entry));
        let words = [first_index, count, vertices, planes, cull.first_kept, 0, 0, 0];
        let lists = bound(self.gpu, CULL_BINDING, [indices, self.distances, self.kept], &words);
        let lists: Vec<_> = lists.iter().map(Own::entry).collect();
        CulledDraw {
            vertex_groups: bindings::bind_groups(self.gpu, self.vertex_compute_layouts, &all),
            cull_groups: bindings::bind_groups(self.gpu, self.cull_layouts, &lists),
            vertex_size: [count.div_ceil(WORKGROUP_SIZE), cull.instances],
            cull_size: [(count / vertices).div_ceil(WORKGROUP_SIZE), cull.instances],
        }
    }
}

/// Binds three storage buffers and a uniform buffer of `words` at consecutive bindings.
pub(crate) fn bound(
    gpu: &Gpu,
    first: BindingPoint,
    storage: [&wgpu::Buffer; 3],
    words: &[u32],
) -> [Own; 4] {
    let uniform = filled_buffer(gpu, bytemuck::cast_slice(words), wgpu::BufferUsages::UNIFORM);
    let [first_buffer, second, third] = storage.map(wgpu::Buffer::clone);
    let mut offset = 0;
    [first_buffer, second, third, uniform].map(|buffer| {
        let at = BindingPoint { binding: first.binding.saturating_add(offset), ..first };
        offset += 1;
        Own { at, buffer }
    })
}

/// A buffer bound as a whole.
pub(crate) struct Own {
    at: BindingPoint,
    buffer: wgpu::Buffer,
}

impl Own {
    pub(crate) fn entry(&self) -> Bound<'_> {
        (self.at, self.buffer.as_entire_binding())
    }
}

/// The program's layouts with the four buffers of a vertex compute stage added.
pub(crate) fn vertex_compute_layouts(
    gpu: &Gpu,
    program: &LinkedProgram,
    first: BindingPoint,
) -> Layouts {
    bindings::layouts(gpu, &vertex_compute_entries(program, first))
}

fn words(gpu: &Gpu, count: u32, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("culling"),
        size: u64::from(count.max(1)) * 4,
        usage: usage | wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    })
}

fn cull_module() -> naga::Module {
    naga::front::wgsl::parse_str(include_str!("cull.wgsl")).expect("our own shader is right")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shader_is_valid_and_has_the_entry_point_of_every_module() {
        let module = cull_module();
        let flags = naga::valid::ValidationFlags::all();
        let capabilities = naga::valid::Capabilities::empty();
        let valid = naga::valid::Validator::new(flags, capabilities).validate(&module);
        assert!(valid.is_ok(), "{valid:?}");
        assert_eq!(module.entry_points[0].name, ir::stage::ENTRY_POINT);
    }
}
