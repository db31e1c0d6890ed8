//! Makes the pipelines and bind groups of the linked programs from their tables.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use case::output::BufferState;
use case::state::{Face, Raster};
use ir::stage::ENTRY_POINT;
use link::program::{LinkedProgram, LinkedStages};
use offer::blending;
use offer::entries::{Entry, program_entries};
use offer::format::texture_format;
use offer::unused_outputs::{self, UsedOutputs};
use plan::topology::Primitive;
use plan::vertex::{LOCATION_BYTES, VertexLayout, VertexScalar};
use plan::{Attachments, DrawSetup, Operation, OutputStates, Plan, Programs};

use super::bindings::{self, Groups};
use super::stage::shader_module;
use crate::adapter::Gpu;
use crate::pipeline_cache::{CachedModule, PipelineKey};
use crate::resources::Resources;
use crate::target::fill::write_mask;
use crate::target::render_target::Target;

/// Pipelines and bind groups for a program's draws and dispatches.
pub(crate) struct Pipelines {
    /// The render pipelines, one for every setup of a draw in the plan.
    pub(crate) render: BTreeMap<DrawSetup, wgpu::RenderPipeline>,
    /// Number of distinct render pipelines.
    pub(crate) count: usize,
    /// The compute pipelines of the programs that dispatch, by program index.
    pub(crate) compute: BTreeMap<usize, wgpu::ComputePipeline>,
    /// What every entry of [`Plan::bindings`] binds.
    pub(crate) bind_groups: Vec<Groups>,
}

impl Pipelines {
    pub(crate) fn new(
        gpu: &Gpu,
        programs: Programs<'_>,
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let mut all = Self {
            render: BTreeMap::new(),
            count: 0,
            compute: BTreeMap::new(),
            bind_groups: Vec::new(),
        };
        let mut layouts = Vec::new();
        let mut modules = BTreeMap::new();
        let mut keys = HashSet::new();
        for (idx, program) in programs.all.iter().enumerate() {
            let entries = program_entries(program);
            let groups = bindings::layouts(gpu, &entries);
            let layout = bindings::pipeline_layout(gpu, program, &groups);
            layouts.push(groups);
            match &program.stages {
                LinkedStages::Render { vertex, fragment } => {
                    let mut setups = setups(plan);
                    setups.retain(|setup| setup.program == idx);
                    let fragment = fragment.as_ref();
                    let fragment =
                        fragment.map_or_else(|| Cow::Owned(empty_fragment_stage()), Cow::Borrowed);
                    let of_program =
                        ProgramStages { program, entries: &entries, vertex, fragment: &fragment };
                    let modules = of_program.modules(gpu, &mut modules);
                    let reduced = RefCell::default();
                    let parts = RenderParts {
                        layout,
                        entries,
                        modules,
                        fragment: &fragment,
                        reduced,
                        program,
                        plan,
                        resources,
                    };
                    for setup in setups {
                        match parts.key(gpu, setup) {
                            Some(key) => drop(keys.insert(key)),
                            None => all.count += 1,
                        }
                        all.render.insert(setup, parts.pipeline(gpu, setup));
                    }
                }
                LinkedStages::Compute(module) => {
                    let pipeline = compute_pipeline(gpu, &layout, module.clone(), &entries);
                    all.compute.insert(idx, pipeline);
                }
            }
        }
        all.count += keys.len();
        let bind_groups = plan.bindings.iter().filter_map(|bindings| {
            let (program, groups) =
                (programs.all.get(bindings.program)?, layouts.get(bindings.program)?);
            let bound = bindings::bound(program, resources, bindings);
            let immediates = bindings::immediates(program, plan, bindings);
            Some(bindings::bind_groups(gpu, groups, &bound, immediates))
        });
        all.bind_groups = bind_groups.collect();
        all
    }
}

/// The stages of a program that draws.
#[derive(Clone, Copy)]
struct ProgramStages<'a> {
    program: &'a LinkedProgram,
    entries: &'a [Entry],
    vertex: &'a naga::Module,
    fragment: &'a naga::Module,
}

impl ProgramStages<'_> {
    /// Both modules. Modules of separable stages come from the cache and have numbers, unless other programs compile
    /// them, which write the binding numbers of a pipeline into them.
    fn modules(self, gpu: &Gpu, known: &mut BTreeMap<usize, CachedModule>) -> [PipelineModule; 2] {
        let placement = self.program.map.placement.as_ref().filter(|_| gpu.compilers().is_none());
        let [first, second] = placement.map_or([None; 2], |placement| placement.modules);
        let mut kept = |number: Option<usize>, stage, module: &naga::Module| {
            let make = || shader_module(gpu, stage, module.clone(), self.entries);
            let Some(number) = number else {
                return PipelineModule { number: None, module: make() };
            };
            let own =
                known.entry(number).or_insert_with(|| gpu.pipeline_cache.module(module, make));
            PipelineModule { number: Some(own.number), module: own.module.clone() }
        };
        [kept(first, "vertex", self.vertex), kept(second, "fragment", self.fragment)]
    }
}

/// A shader module, and its number if it is cached.
#[derive(Clone)]
struct PipelineModule {
    number: Option<usize>,
    module: wgpu::ShaderModule,
}

struct RenderParts<'a> {
    layout: wgpu::PipelineLayout,
    entries: Vec<Entry>,
    modules: [PipelineModule; 2],
    fragment: &'a naga::Module,
    /// Variants of the fragment stage without outputs and inputs that a draw does not use; see
    /// [`unused_outputs`].
    reduced: RefCell<BTreeMap<UsedOutputs, PipelineModule>>,
    program: &'a LinkedProgram,
    plan: &'a Plan,
    resources: &'a Resources,
}

impl RenderParts<'_> {
    /// The vertex and fragment modules that a draw needs.
    fn modules(&self, gpu: &Gpu, setup: DrawSetup) -> [PipelineModule; 2] {
        let depth = self.resources.depth_of(setup.to);
        let has_depth = depth.is_some_and(|depth| depth.format.has_depth());
        let buffers = self.attachments_of(setup).buffers;
        let samples = self.resources.samples_of(setup.to);
        let used = UsedOutputs { buffers, ..UsedOutputs::of(self.program, has_depth, samples) };
        let [vertex, whole] = &self.modules;
        if setup.is_discarded {
            let module = shader_module(gpu, "fragment", empty_fragment_stage(), &self.entries);
            return [vertex.clone(), PipelineModule { number: None, module }];
        }
        let mut known = self.reduced.borrow_mut();
        let fragment = known.entry(used).or_insert_with(|| {
            let Some(less) = unused_outputs::reduced(self.fragment, used) else {
                return whole.clone();
            };
            let make = || shader_module(gpu, "fragment", less.clone(), &self.entries);
            if whole.number.is_none() {
                return PipelineModule { number: None, module: make() };
            }
            let own = gpu.pipeline_cache.module(&less, make);
            PipelineModule { number: Some(own.number), module: own.module }
        });
        [vertex.clone(), fragment.clone()]
    }

    fn attachments_of(&self, setup: DrawSetup) -> Attachments {
        self.plan.attachments.get(setup.attachments).copied().unwrap_or_default()
    }

    /// Cache key of the pipeline; `None` if the pipeline is not cached.
    fn key(&self, gpu: &Gpu, setup: DrawSetup) -> Option<PipelineKey> {
        let [vertex, fragment] = self.modules(gpu, setup);
        let modules = [vertex.number?, fragment.number?];
        Some(PipelineKey { modules, ..self.anonymous_key(setup) })
    }

    /// The cache key of the pipeline without the modules.
    fn anonymous_key(&self, setup: DrawSetup) -> PipelineKey {
        // With a geometry stage, only the vertex stage before it has attributes.
        let rows = self.plan.layouts.get(setup.program).filter(|_| !self.program.has_chain());
        let rows = rows.cloned().unwrap_or_default();
        let targets = self.resources.attached(self.plan, setup.to, setup.attachments);
        let states = self.plan.outputs.get(setup.outputs).copied().unwrap_or_default();
        let buffers = self.attachments_of(setup).buffers;
        let is_written =
            |buffer| !setup.is_discarded && self.program.draw.written_targets.contains(&buffer);
        let written = buffers.map(is_written);
        PipelineKey {
            modules: [0; 2],
            entries: self.entries.clone(),
            stride: rows.stride(),
            attributes: vertex_attributes(&rows),
            primitive: setup.primitive,
            raster: setup.raster,
            depth_stencil: self.resources.depth_of(setup.to).map(|depth| depth.state(setup)),
            samples: self.resources.samples_of(setup.to),
            targets: color_targets(&targets, &states, &written),
        }
    }

    fn pipeline(&self, gpu: &Gpu, setup: DrawSetup) -> wgpu::RenderPipeline {
        let modules = self.modules(gpu, setup);
        match self.key(gpu, setup) {
            Some(key) => {
                gpu.pipeline_cache.pipeline(key.clone(), || self.make(gpu, &key, &modules))
            }
            None => self.make(gpu, &self.anonymous_key(setup), &modules),
        }
    }

    fn make(
        &self,
        gpu: &Gpu,
        key: &PipelineKey,
        [vertex, fragment]: &[PipelineModule; 2],
    ) -> wgpu::RenderPipeline {
        let rows = (!key.attributes.is_empty()).then_some(wgpu::VertexBufferLayout {
            array_stride: u64::try_from(key.stride).unwrap_or(u64::MAX),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &key.attributes,
        });
        let buffers = rows.map(|rows| [Some(rows)]);
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&self.layout),
            vertex: wgpu::VertexState {
                module: &vertex.module,
                entry_point: Some(ENTRY_POINT),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: buffers.as_ref().map_or(&[], |buffers| &buffers[..]),
            },
            primitive: primitive_state(key.primitive, key.raster),
            depth_stencil: key.depth_stencil.clone(),
            multisample: wgpu::MultisampleState {
                count: key.samples,
                ..wgpu::MultisampleState::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: &fragment.module,
                entry_point: Some(ENTRY_POINT),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &key.targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

pub(crate) fn compute_pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: naga::Module,
    entries: &[Entry],
) -> wgpu::ComputePipeline {
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(layout),
        module: &shader_module(gpu, "compute", module, entries),
        entry_point: Some(ENTRY_POINT),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// An empty fragment stage, used if the program has none: a pipeline in a pass with colour attachments must have them
/// too.
fn empty_fragment_stage() -> naga::Module {
    naga::Module {
        entry_points: vec![naga::EntryPoint {
            name: ENTRY_POINT.to_owned(),
            stage: naga::ShaderStage::Fragment,
            early_depth_test: None,
            workgroup_size: [0; 3],
            workgroup_size_overrides: None,
            function: naga::Function::default(),
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        }],
        ..naga::Module::default()
    }
}

fn setups(plan: &Plan) -> BTreeSet<DrawSetup> {
    plan.operations.iter().filter_map(Operation::setup).copied().collect()
}

fn primitive_state(primitive: Primitive, raster: Raster) -> wgpu::PrimitiveState {
    wgpu::PrimitiveState {
        topology: match primitive {
            Primitive::Points => wgpu::PrimitiveTopology::PointList,
            Primitive::Lines => wgpu::PrimitiveTopology::LineList,
            Primitive::Triangles => wgpu::PrimitiveTopology::TriangleList,
        },
        // GL's front faces wind counterclockwise with y up. The linker negates y so that memory starts with the lowest
        // row, which reverses the winding.
        front_face: if raster.is_front_reversed {
            wgpu::FrontFace::Ccw
        } else {
            wgpu::FrontFace::Cw
        },
        cull_mode: raster.cull.map(|face| match face {
            Face::Front => wgpu::Face::Front,
            Face::Back => wgpu::Face::Back,
        }),
        unclipped_depth: raster.is_depth_clamped,
        polygon_mode: if raster.is_outlined {
            wgpu::PolygonMode::Line
        } else {
            wgpu::PolygonMode::Fill
        },
        ..wgpu::PrimitiveState::default()
    }
}

/// The colour targets of a pipeline. Holes stay holes, and a target that the fragment stage does not write is not
/// written.
fn color_targets(
    targets: &[Option<&Target>],
    states: &OutputStates,
    written: &[bool],
) -> Vec<Option<wgpu::ColorTargetState>> {
    let state = |((target, state), is_written): ((Option<&Target>, &BufferState), bool)| {
        let target = target?;
        Some(wgpu::ColorTargetState {
            format: texture_format(target.format)?,
            blend: blending::blend_state(target.format, state).filter(|_| is_written),
            write_mask: if is_written {
                write_mask(state.channels)
            } else {
                wgpu::ColorWrites::empty()
            },
        })
    };
    targets.iter().copied().zip(states).zip(written.iter().copied()).map(state).collect()
}

fn vertex_attributes(rows: &VertexLayout) -> Vec<wgpu::VertexAttribute> {
    let attribute = |(idx, place): (usize, &plan::vertex::VertexLocation)| wgpu::VertexAttribute {
        format: match place.scalar {
            VertexScalar::Float => wgpu::VertexFormat::Float32x4,
            VertexScalar::Sint => wgpu::VertexFormat::Sint32x4,
            VertexScalar::Uint
            | VertexScalar::Double
            | VertexScalar::Sint64
            | VertexScalar::Uint64 => wgpu::VertexFormat::Uint32x4,
        },
        offset: u64::try_from(idx * LOCATION_BYTES).unwrap_or(u64::MAX),
        shader_location: place.location,
    };
    rows.locations.iter().enumerate().map(attribute).collect()
}
