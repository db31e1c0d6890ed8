//! Transform feedback. The vertex stage runs as a compute stage, once for each of the two capture methods, and writes a
//! record for every vertex. [`replay`] computes the contents of buffers from the records afterwards, by the rules of
//! [`assembly`].

use std::collections::BTreeMap;

use link::binding::VertexComputeStage;
use link::program::LinkedProgram;
use link::shell::WORKGROUP_SIZE;
use plan::vertex::LOCATION_BYTES;
use plan::{Plan, PlannedXfb};

use super::bindings::{self, Groups};
use super::cull::{Own, bound, vertex_compute_layouts};
use super::pipeline::compute_pipeline;
use crate::adapter::Gpu;
use crate::resources::Resources;

/// Resources for all draws of a case with transform feedback.
pub(crate) struct Capturing {
    /// The pipelines of the stages `from_function` and `from_slots`, by program index.
    pipelines: BTreeMap<usize, [wgpu::ComputePipeline; 2]>,
    /// The resources of each draw, one for every entry of [`Plan::xfbs`].
    draws: Vec<CapturedDraw>,
}

struct CapturedDraw {
    program: usize,
    /// Bind groups of both pipelines.
    groups: [Groups; 2],
    /// Number of workgroups in both directions.
    size: [u32; 2],
}

impl Capturing {
    pub(crate) fn new(
        gpu: &Gpu,
        programs: &[LinkedProgram],
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let mut capturing = Self { pipelines: BTreeMap::new(), draws: Vec::new() };
        for draw in &plan.xfbs {
            let bindings = plan.bindings.get(draw.bindings);
            let number = bindings.map_or(0, |bindings| bindings.program);
            let known =
                programs.get(number).and_then(|program| Some((program, program.xfb.as_ref()?)));
            let (program, xfb) = known.expect("the planner asked whether it captures");
            let ways = [&xfb.from_function, &xfb.from_slots];
            let layouts = ways.map(|way| vertex_compute_layouts(gpu, program, way.at));
            capturing.pipelines.entry(number).or_insert_with(|| {
                [0, 1].map(|idx| {
                    let layout = bindings::pipeline_layout(gpu, &layouts[idx]);
                    compute_pipeline(gpu, &layout, ways[idx].module.clone())
                })
            });
            let groups = [0, 1].map(|idx| {
                let own = own_bindings(gpu, resources, ways[idx], draw, draw.records[idx]);
                let mut all = bindings.map_or_else(Vec::new, |bindings| {
                    bindings::bound(program, resources, bindings)
                });
                all.extend(own.iter().map(Own::entry));
                bindings::bind_groups(gpu, &layouts[idx], &all)
            });
            let count = draw.indices.end.saturating_sub(draw.indices.start);
            let size = [count.div_ceil(WORKGROUP_SIZE), draw.instances];
            capturing.draws.push(CapturedDraw { program: number, groups, size });
        }
        capturing
    }

    /// Records the dispatches of transform feedback for draw `idx`.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder, idx: usize) {
        let Some(draw) = self.draws.get(idx) else { return };
        let Some(pipelines) = self.pipelines.get(&draw.program) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for (pipeline, groups) in pipelines.iter().zip(&draw.groups) {
            bindings::dispatch(&mut pass, pipeline, groups, [draw.size[0], draw.size[1], 1]);
        }
    }
}

fn own_bindings(
    gpu: &Gpu,
    resources: &Resources,
    vertex_compute: &VertexComputeStage,
    draw: &PlannedXfb,
    records: usize,
) -> [Own; 4] {
    let first_row = u32::try_from(draw.vertices.start / LOCATION_BYTES).unwrap_or(u32::MAX);
    let count = draw.indices.end.saturating_sub(draw.indices.start);
    let words = [first_row, draw.indices.start, count, draw.first_instance];
    let storage = [&resources.vertices, &resources.indices, &resources.storage[records]];
    bound(gpu, vertex_compute.at, storage, &words)
}
