//! Records the passes of programs that run for draws: tessellation and geometry stages, culling by distances, and the
//! captures of transform feedback.

use std::collections::BTreeMap;
use std::ops::Range;

use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use link::table::pass::Pass;
use offer::entries::{pass_entries, written_records};
use plan::{PassInput, Plan, PlannedPass};

use super::bindings::{self, Groups, Layouts};
use super::pipeline::compute_pipeline;
use crate::adapter::Gpu;
use crate::resources::{Resources, filled_buffer};

/// Resources for all passes of a plan.
pub(crate) struct Passes {
    /// The pipelines of the passes that run, by the indices of program and pass.
    pipelines: BTreeMap<(usize, usize), Pipeline>,
    /// The dispatches, one for every entry of [`Plan::passes`].
    dispatches: Vec<Dispatch>,
}

struct Pipeline {
    layouts: Layouts,
    pipeline: wgpu::ComputePipeline,
}

struct Dispatch {
    /// The indices of program and pass.
    of: (usize, usize),
    groups: Groups,
    /// Number of workgroups in x and y.
    size: [u32; 2],
}

impl Passes {
    pub(crate) fn new(
        gpu: &Gpu,
        programs: &[LinkedProgram],
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let mut all = Self { pipelines: BTreeMap::new(), dispatches: Vec::new() };
        for planned in &plan.passes {
            let bindings = &plan.bindings[planned.bindings];
            let of = (bindings.program, planned.number);
            let program = &programs[bindings.program];
            let pass = &program.passes[planned.number];
            let known =
                all.pipelines.entry(of).or_insert_with(|| Pipeline::new(gpu, program, pass));
            let written = written_records(program, pass);
            let mut bound = bindings::bound(program, resources, bindings);
            bound.retain(|(at, _)| Some(*at) != written);
            let own = own_buffers(gpu, resources, planned);
            bound.extend((0..).zip(&own).map(|(offset, buffer)| {
                let binding = pass.at.binding.saturating_add(offset);
                (BindingPoint { binding, ..pass.at }, buffer.as_entire_binding())
            }));
            let immediates = bindings::immediates(program, plan, bindings);
            let groups = bindings::bind_groups(gpu, &known.layouts, &bound, immediates);
            all.dispatches.push(Dispatch { of, groups, size: planned.groups });
        }
        all
    }

    /// Records these passes, which run one after the other.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder, range: Range<usize>) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for Dispatch { of, groups, size: [x, y] } in self.dispatches.get(range).unwrap_or(&[]) {
            if let (Some(known), 1..) = (self.pipelines.get(of), *x) {
                bindings::dispatch(&mut pass, &known.pipeline, groups, [*x, *y, 1]);
            }
        }
    }
}

impl Pipeline {
    fn new(gpu: &Gpu, program: &LinkedProgram, pass: &Pass) -> Self {
        let entries = pass_entries(program, pass);
        let layouts = bindings::layouts(gpu, &entries);
        let layout = bindings::pipeline_layout(gpu, program, &layouts);
        let pipeline = compute_pipeline(gpu, &layout, pass.module.clone(), &entries);
        Self { layouts, pipeline }
    }
}

/// The four buffers of a pass.
fn own_buffers(gpu: &Gpu, resources: &Resources, planned: &PlannedPass) -> [wgpu::Buffer; 4] {
    let Resources { vertices, indices, storage, .. } = resources;
    let input = match planned.input {
        PassInput::Rows(_) => vertices,
        PassInput::Buffer(idx) => &storage[idx],
    };
    let words = bytemuck::cast_slice(&planned.words);
    let words = filled_buffer(gpu, words, wgpu::BufferUsages::UNIFORM);
    [input.clone(), indices.clone(), storage[planned.output].clone(), words]
}
