//! Geometry stages, which WebGPU does not have: before each draw the vertex stage and the geometry stage run as compute
//! stages, by the contract of [`link::geometry`].

use std::collections::BTreeMap;

use ir::options::GEOMETRY_POINT;
use link::binding::BindingPoint;
use link::front::Front;
use link::program::LinkedProgram;
use plan::{Plan, PlannedGeometry};

use super::Gpu;
use super::binding_entry::Entry;
use super::bindings::{self, Groups, Layouts};
use super::cull::{Own, bound, entries_at};
use super::pipeline::compute_pipeline;
use super::resources::Resources;

/// Resources for all draws of a case through geometry stages.
pub(super) struct Geometries {
    /// By program index: pipelines of the vertex stage and the geometry stage.
    pipelines: BTreeMap<usize, [wgpu::ComputePipeline; 2]>,
    /// One for every entry of [`Plan::geometries`].
    draws: Vec<Emission>,
}

/// The dispatches before a draw.
struct Emission {
    program: usize,
    groups: [Groups; 2],
    /// Workgroups.
    sizes: [[u32; 2]; 2],
}

impl Geometries {
    pub(super) fn new(
        gpu: &Gpu,
        programs: &[LinkedProgram],
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let mut all = Self { pipelines: BTreeMap::new(), draws: Vec::new() };
        for draw in &plan.geometries {
            let program = plan.bindings.get(draw.bindings).map_or(0, |bindings| bindings.program);
            let known = programs.get(program).and_then(|own| Some((own, own.front.as_ref()?)));
            let (own, front) = known.expect("the planner asked whether it has a geometry stage");
            let layouts = entries(own, front).map(|entries| bindings::layouts(gpu, &entries));
            let stage = front.geometry.as_ref().expect("there is a geometry stage");
            all.pipelines.entry(program).or_insert_with(|| {
                let modules = [&front.vertex.module, &stage.module];
                [0, 1].map(|idx| {
                    let layout = bindings::pipeline_layout(gpu, &layouts[idx]);
                    compute_pipeline(gpu, &layout, modules[idx].clone())
                })
            });
            let groups = groups(gpu, (plan, resources), (own, front), draw, &layouts);
            let sizes = draw.workgroups(stage.invocations);
            all.draws.push(Emission { program, groups, sizes });
        }
        all
    }

    /// Adds the dispatches that come before draw `idx`.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, idx: usize) {
        let Some(draw) = self.draws.get(idx) else { return };
        let Some(pipelines) = self.pipelines.get(&draw.program) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for ((pipeline, groups), [x, y]) in pipelines.iter().zip(&draw.groups).zip(draw.sizes) {
            if x > 0 {
                bindings::dispatch(&mut pass, pipeline, groups, [x, y, 1]);
            }
        }
    }
}

/// The layout entries of both stages: those of the program and their own.
pub(super) fn entries(program: &LinkedProgram, front: &Front) -> [Vec<Entry>; 2] {
    [front.vertex.at, front.vertex.at].map(|first| {
        let mut entries = bindings::entries(program);
        // Written here, and read only where vertices are drawn.
        let drawn = records_point(program);
        entries.retain(|(at, _)| Some(*at) != drawn);
        entries.extend(entries_at(first));
        entries
    })
}

/// Binding point of the records where vertices are drawn.
fn records_point(program: &LinkedProgram) -> Option<BindingPoint> {
    let mut blocks = program.storage_buffers.iter();
    blocks.find(|block| block.case_binding == GEOMETRY_POINT).map(|block| block.at)
}

fn groups(
    gpu: &Gpu,
    (plan, resources): (&Plan, &Resources),
    (program, front): (&LinkedProgram, &Front),
    draw: &PlannedGeometry,
    layouts: &[Layouts; 2],
) -> [Groups; 2] {
    let Resources { vertices, indices, storage, .. } = resources;
    let (results, records) = (&storage[draw.results], &storage[draw.records]);
    let own = [
        bound(gpu, front.vertex.at, [vertices, indices, results], &draw.vertex_words()),
        bound(gpu, front.vertex.at, [results, indices, records], &draw.words()),
    ];
    let bindings = plan.bindings.get(draw.bindings);
    let drawn = records_point(program);
    [0, 1].map(|idx| {
        let program = bindings
            .map_or_else(Vec::new, |bindings| bindings::bound(program, resources, bindings));
        let mut all: Vec<_> = program.into_iter().filter(|(at, _)| Some(*at) != drawn).collect();
        all.extend(own[idx].iter().map(Own::entry));
        bindings::bind_groups(gpu, &layouts[idx], &all)
    })
}
