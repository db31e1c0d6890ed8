//! Runs tessellation and geometry stages, which WebGPU does not have. They and the vertex stage run as compute stages
//! before each draw, by the contract of [`link::front`].

use std::collections::BTreeMap;

use link::binding::BindingPoint;
use link::front::Front;
use link::program::LinkedProgram;
use naga::Module;
use offer::entries::{front_entries, records_point};
use plan::{Plan, PlannedGeometry, PlannedStage};

use super::bindings::{self, Groups, Layouts};
use super::cull::{Own, bound};
use super::pipeline::compute_pipeline;
use crate::adapter::Gpu;
use crate::resources::Resources;

/// Resources for all draws of a case with tessellation or geometry stages.
pub(crate) struct Geometries {
    /// The pipelines of the stages, by program index.
    pipelines: BTreeMap<usize, Vec<wgpu::ComputePipeline>>,
    /// The dispatches of each draw, one for every entry of [`Plan::geometries`].
    draws: Vec<Emission>,
}

/// The dispatches before a draw.
struct Emission {
    program: usize,
    /// The bind groups and the number of workgroups of each stage.
    stages: Vec<(Groups, [u32; 2])>,
}

impl Geometries {
    pub(crate) fn new(
        gpu: &Gpu,
        programs: &[LinkedProgram],
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let mut all = Self { pipelines: BTreeMap::new(), draws: Vec::new() };
        for draw in &plan.geometries {
            let program = plan.bindings.get(draw.bindings).map_or(0, |bindings| bindings.program);
            let known = programs.get(program).and_then(|own| Some((own, own.front.as_ref()?)));
            let (own, front) = known.expect("the planner asked whether it has such stages");
            let layouts: Vec<Layouts> = front_entries(own, front)
                .iter()
                .map(|entries| bindings::layouts(gpu, entries))
                .collect();
            all.pipelines.entry(program).or_insert_with(|| {
                let pipeline = |((module, _), layouts): ((&Module, BindingPoint), &Layouts)| {
                    let layout = bindings::pipeline_layout(gpu, layouts);
                    compute_pipeline(gpu, &layout, module.clone())
                };
                front.stages().into_iter().zip(&layouts).map(pipeline).collect()
            });
            let groups = groups(gpu, (plan, resources), (own, front), draw, &layouts);
            let sizes = draw.stages.iter().map(|stage| stage.groups);
            all.draws.push(Emission { program, stages: groups.into_iter().zip(sizes).collect() });
        }
        all
    }

    /// Records the dispatches that run before draw `idx`.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder, idx: usize) {
        let Some(draw) = self.draws.get(idx) else { return };
        let Some(pipelines) = self.pipelines.get(&draw.program) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for (pipeline, (groups, [x, y])) in pipelines.iter().zip(&draw.stages) {
            if *x > 0 {
                bindings::dispatch(&mut pass, pipeline, groups, [*x, *y, 1]);
            }
        }
    }
}

fn groups(
    gpu: &Gpu,
    (plan, resources): (&Plan, &Resources),
    (program, front): (&LinkedProgram, &Front),
    draw: &PlannedGeometry,
    layouts: &[Layouts],
) -> Vec<Groups> {
    let Resources { vertices, indices, storage, .. } = resources;
    let bindings = plan.bindings.get(draw.bindings);
    let drawn = records_point(program);
    let stages = front.stages().into_iter().zip(&draw.stages).zip(layouts);
    let of_stage =
        |(((_, at), stage), layouts): (((&Module, BindingPoint), &PlannedStage), &Layouts)| {
            let input = stage.input.map_or(vertices, |input| &storage[input]);
            let own = bound(gpu, at, [input, indices, &storage[stage.output]], &stage.words);
            let program = bindings
                .map_or_else(Vec::new, |bindings| bindings::bound(program, resources, bindings));
            let mut all: Vec<_> =
                program.into_iter().filter(|(at, _)| Some(*at) != drawn).collect();
            all.extend(own.iter().map(Own::entry));
            bindings::bind_groups(gpu, layouts, &all)
        };
    stages.map(of_stage).collect()
}
