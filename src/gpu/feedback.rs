//! Captures draws: the vertex stage runs as a compute stage, once for each of the two ways to capture, and writes a
//! record for every vertex. What the records come to in buffers is found afterwards, see [`replay`].

pub(super) mod replay;

use super::Gpu;
use super::bindings;
use super::cull::{Own, bound, capture_layouts};
use super::pipeline::compute_pipeline;
use super::plan::{Plan, PlannedFeedback};
use super::resources::Resources;
use super::vertex::LOCATION_BYTES;
use crate::link::capture::WORKGROUP_SIZE;
use crate::link::program::{LinkedProgram, VertexCapture};

/// Everything for the captured draws of a program.
pub(super) struct Capturing {
    /// From the function, and from the slots.
    ways: [Way; 2],
    /// One for every entry of [`Plan::feedbacks`]: workgroups.
    sizes: Vec<[u32; 2]>,
}

struct Way {
    pipeline: wgpu::ComputePipeline,
    /// One for every entry of [`Plan::feedbacks`].
    groups: Vec<Vec<wgpu::BindGroup>>,
}

impl Capturing {
    /// `None` for a case that captures nothing.
    pub(super) fn new(
        gpu: &Gpu,
        program: &LinkedProgram,
        plan: &Plan,
        resources: &Resources,
    ) -> Option<Self> {
        let feedback = program.feedback.as_ref().filter(|_| !plan.feedbacks.is_empty())?;
        let way = |capture: &VertexCapture, idx: usize| {
            let layouts = capture_layouts(gpu, program, capture.at);
            let layout = bindings::pipeline_layout(gpu, &layouts);
            let pipeline = compute_pipeline(gpu, &layout, capture.module.clone());
            let group = |draw: &PlannedFeedback| {
                let own = own_bindings(gpu, resources, capture, draw, draw.records[idx]);
                let bindings = plan.bindings.get(draw.bindings);
                let mut all =
                    bindings.map_or_else(Vec::new, |it| bindings::bound(program, resources, it));
                all.extend(own.iter().map(Own::entry));
                bindings::bind_groups(gpu, &layouts, &all)
            };
            Way { pipeline, groups: plan.feedbacks.iter().map(group).collect() }
        };
        let size = |draw: &PlannedFeedback| {
            let count = draw.indices.end.saturating_sub(draw.indices.start);
            [count.div_ceil(WORKGROUP_SIZE), draw.instances]
        };
        Some(Self {
            ways: [way(&feedback.from_function, 0), way(&feedback.from_slots, 1)],
            sizes: plan.feedbacks.iter().map(size).collect(),
        })
    }

    /// Adds the capture of draw `idx`.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, idx: usize) {
        let Some([x, y]) = self.sizes.get(idx).copied() else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for way in &self.ways {
            pass.set_pipeline(&way.pipeline);
            for (group, bind_group) in (0..).zip(way.groups.get(idx).into_iter().flatten()) {
                pass.set_bind_group(group, bind_group, &[]);
            }
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

fn own_bindings(
    gpu: &Gpu,
    resources: &Resources,
    capture: &VertexCapture,
    draw: &PlannedFeedback,
    records: usize,
) -> [Own; 4] {
    let first_row = u32::try_from(draw.vertices.start / LOCATION_BYTES).unwrap_or(u32::MAX);
    let count = draw.indices.end.saturating_sub(draw.indices.start);
    let words = [first_row, draw.indices.start, count, draw.first_instance];
    let storage = [&resources.vertices, &resources.indices, &resources.storage[records]];
    bound(gpu, capture.at, storage, &words)
}
