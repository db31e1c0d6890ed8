//! Pipelines and bind groups of one linked program, made from its tables.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Gpu;
use super::plan::{Bindings, BoundOpaque, DrawSetup, Operation, Plan};
use super::resources::{DEPTH_FORMAT, Resources, Target};
use super::texture_format::texture_format;
use super::textures::view_dimension;
use super::topology::Primitive;
use super::vertex::{LOCATION_BYTES, VertexLayout, VertexScalar};
use crate::case::state::DepthFunction;
use crate::link::program::{
    BindingPoint, ENTRY_POINT, ImageAccess, LinkedProgram, LinkedStages, OpaqueBinding, OpaqueKind,
    StageUse, StorageBuffer, TexelClass, UniformBuffer,
};

/// What a program's draws and dispatches are set up with.
pub(super) struct Pipelines {
    /// For a program that draws: one for every setup in the plan.
    pub(super) render: BTreeMap<DrawSetup, wgpu::RenderPipeline>,
    /// For a program that dispatches.
    pub(super) compute: Option<wgpu::ComputePipeline>,
    /// For every entry of [`Plan::bindings`] one bind group for every group number.
    pub(super) bind_groups: Vec<Vec<wgpu::BindGroup>>,
}

impl Pipelines {
    pub(super) fn new(
        gpu: &Gpu,
        program: &LinkedProgram,
        plan: &Plan,
        resources: &Resources,
    ) -> Self {
        let groups = group_layouts(gpu, program);
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups.iter().map(Some).collect::<Vec<_>>(),
            immediate_size: 0,
        });
        let (render, compute) = match &program.stages {
            LinkedStages::Render { vertex, fragment } => {
                let vertex = shader_module(gpu, "vertex", vertex.clone());
                let fragment = fragment.clone().unwrap_or_else(empty_fragment_stage);
                let fragment = shader_module(gpu, "fragment", fragment);
                let parts = RenderParts { layout, vertex, fragment, program, plan, resources };
                let setups = setups(plan).into_iter();
                (setups.map(|it| (it, parts.pipeline(gpu, it))).collect(), None)
            }
            LinkedStages::Compute(module) => {
                (BTreeMap::new(), Some(compute_pipeline(gpu, &layout, module.clone())))
            }
        };
        let bind_groups = plan.bindings.iter();
        let bind_groups =
            bind_groups.map(|it| make_bind_groups(gpu, program, &groups, resources, it)).collect();
        Self { render, compute, bind_groups }
    }
}

struct RenderParts<'a> {
    layout: wgpu::PipelineLayout,
    vertex: wgpu::ShaderModule,
    fragment: wgpu::ShaderModule,
    program: &'a LinkedProgram,
    plan: &'a Plan,
    resources: &'a Resources,
}

impl RenderParts<'_> {
    fn pipeline(&self, gpu: &Gpu, setup: DrawSetup) -> wgpu::RenderPipeline {
        let attributes = vertex_attributes(&self.plan.layout);
        let targets = self.resources.targets_of(setup.to);
        let targets = color_targets(targets, &self.program.written_targets);
        let has_depth = self.resources.depth_of(setup.to).is_some();
        let rows = (!attributes.is_empty()).then_some(wgpu::VertexBufferLayout {
            array_stride: u64::try_from(self.plan.layout.stride()).unwrap_or(u64::MAX),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &attributes,
        });
        let buffers = rows.map(|rows| [Some(rows)]);
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&self.layout),
            vertex: wgpu::VertexState {
                module: &self.vertex,
                entry_point: Some(ENTRY_POINT),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: buffers.as_ref().map_or(&[], |buffers| &buffers[..]),
            },
            primitive: primitive_state(setup.primitive),
            depth_stencil: has_depth.then(|| depth_state(setup.depth)),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &self.fragment,
                entry_point: Some(ENTRY_POINT),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn compute_pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: naga::Module,
) -> wgpu::ComputePipeline {
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(layout),
        module: &shader_module(gpu, "compute", module),
        entry_point: Some(ENTRY_POINT),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn shader_module(gpu: &Gpu, stage: &str, module: naga::Module) -> wgpu::ShaderModule {
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(stage),
        source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
    })
}

/// Stands in for a missing fragment stage: a pass with colour attachments needs a pipeline that has them too.
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
    let setup_of = |operation: &Operation| match operation {
        Operation::Draw(draw) => Some(draw.setup),
        Operation::Clear { .. }
        | Operation::Dispatch { .. }
        | Operation::Write { .. }
        | Operation::Snapshot(_) => None,
    };
    plan.operations.iter().filter_map(setup_of).collect()
}

/// Without a test nothing is written either, as in GL.
fn depth_state(test: Option<DepthFunction>) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(test.is_some()),
        depth_compare: Some(test.map_or(wgpu::CompareFunction::Always, compare_function)),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

const fn compare_function(function: DepthFunction) -> wgpu::CompareFunction {
    match function {
        DepthFunction::Never => wgpu::CompareFunction::Never,
        DepthFunction::Less => wgpu::CompareFunction::Less,
        DepthFunction::Equal => wgpu::CompareFunction::Equal,
        DepthFunction::LessOrEqual => wgpu::CompareFunction::LessEqual,
        DepthFunction::Greater => wgpu::CompareFunction::Greater,
        DepthFunction::NotEqual => wgpu::CompareFunction::NotEqual,
        DepthFunction::GreaterOrEqual => wgpu::CompareFunction::GreaterEqual,
        DepthFunction::Always => wgpu::CompareFunction::Always,
    }
}

fn primitive_state(primitive: Primitive) -> wgpu::PrimitiveState {
    wgpu::PrimitiveState {
        topology: match primitive {
            Primitive::Points => wgpu::PrimitiveTopology::PointList,
            Primitive::Lines => wgpu::PrimitiveTopology::LineList,
            Primitive::Triangles => wgpu::PrimitiveTopology::TriangleList,
        },
        // GL's front faces wind counterclockwise with y up. The linker turns y over so that memory starts with the
        // lowest row, and that turns the winding over.
        front_face: wgpu::FrontFace::Cw,
        ..wgpu::PrimitiveState::default()
    }
}

/// Holes stay holes. A target that the fragment stage does not write is left alone.
fn color_targets(targets: &[Target], written: &[u32]) -> Vec<Option<wgpu::ColorTargetState>> {
    let mut states = Vec::new();
    for target in targets {
        if states.len() <= target.index {
            states.resize(target.index + 1, None);
        }
        let is_written = written.iter().any(|it| usize::try_from(*it) == Ok(target.index));
        states[target.index] = texture_format(target.format).map(|format| wgpu::ColorTargetState {
            format,
            blend: None,
            write_mask: if is_written {
                wgpu::ColorWrites::ALL
            } else {
                wgpu::ColorWrites::empty()
            },
        });
    }
    states
}

fn vertex_attributes(rows: &VertexLayout) -> Vec<wgpu::VertexAttribute> {
    let attribute = |(idx, place): (usize, &super::vertex::VertexLocation)| wgpu::VertexAttribute {
        format: match place.scalar {
            VertexScalar::Float => wgpu::VertexFormat::Float32x4,
            VertexScalar::Sint => wgpu::VertexFormat::Sint32x4,
            VertexScalar::Uint => wgpu::VertexFormat::Uint32x4,
        },
        offset: u64::try_from(idx * LOCATION_BYTES).unwrap_or(u64::MAX),
        shader_location: place.location,
    };
    rows.locations.iter().enumerate().map(attribute).collect()
}

/// Points of all resources of the program.
fn binding_points(program: &LinkedProgram) -> impl Iterator<Item = BindingPoint> + '_ {
    let uniforms = program.uniform_buffers.iter().map(|buffer| buffer.at);
    let opaques = program.opaques.iter().map(|opaque| opaque.at);
    uniforms.chain(program.storage_buffers.iter().map(|buffer| buffer.at)).chain(opaques)
}

/// One layout for every group number up to the last; a group that nothing is in has an empty one.
fn group_layouts(gpu: &Gpu, program: &LinkedProgram) -> Vec<wgpu::BindGroupLayout> {
    let count = binding_points(program).map(|at| at.group.saturating_add(1)).max().unwrap_or(0);
    let layout = |group| {
        let uniforms = program.uniform_buffers.iter().filter(|it| it.at.group == group);
        let storage = program.storage_buffers.iter().filter(|it| it.at.group == group);
        let opaques = program.opaques.iter().filter(|it| it.at.group == group);
        let entries = uniforms.map(uniform_entry).chain(storage.map(storage_entry));
        let entries: Vec<_> = entries.chain(opaques.map(opaque_entry)).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        gpu.device.create_bind_group_layout(&descriptor)
    };
    // One more than the limit is enough for wgpu to object.
    (0..count.min(gpu.device.limits().max_bind_groups.saturating_add(1))).map(layout).collect()
}

fn uniform_entry(buffer: &UniformBuffer) -> wgpu::BindGroupLayoutEntry {
    layout_entry(buffer.at, buffer.stages, wgpu::BufferBindingType::Uniform)
}

fn storage_entry(buffer: &StorageBuffer) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Storage { read_only: !buffer.is_writable };
    layout_entry(buffer.at, buffer.stages, ty)
}

fn opaque_entry(opaque: &OpaqueBinding) -> wgpu::BindGroupLayoutEntry {
    let ty = match opaque.kind {
        OpaqueKind::Texture { dimension, class } => wgpu::BindingType::Texture {
            sample_type: match class {
                TexelClass::Float => wgpu::TextureSampleType::Float { filterable: true },
                TexelClass::Sint => wgpu::TextureSampleType::Sint,
                TexelClass::Uint => wgpu::TextureSampleType::Uint,
                TexelClass::Depth => wgpu::TextureSampleType::Depth,
            },
            view_dimension: view_dimension(dimension),
            multisampled: false,
        },
        OpaqueKind::Sampler { is_comparison } => wgpu::BindingType::Sampler(if is_comparison {
            wgpu::SamplerBindingType::Comparison
        } else {
            wgpu::SamplerBindingType::Filtering
        }),
        OpaqueKind::Image { dimension, format, access } => wgpu::BindingType::StorageTexture {
            access: match access {
                ImageAccess::Read => wgpu::StorageTextureAccess::ReadOnly,
                ImageAccess::Write => wgpu::StorageTextureAccess::WriteOnly,
                ImageAccess::ReadWrite => wgpu::StorageTextureAccess::ReadWrite,
                ImageAccess::Atomic => wgpu::StorageTextureAccess::Atomic,
            },
            format: texture_format(format).unwrap_or(wgpu::TextureFormat::Rgba8Unorm),
            view_dimension: view_dimension(dimension),
        },
    };
    binding_entry(opaque.at, opaque.stages, ty)
}

fn layout_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    binding_entry(at, stages, ty)
}

fn binding_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu::BindingType,
) -> wgpu::BindGroupLayoutEntry {
    let mut visibility = wgpu::ShaderStages::empty();
    visibility.set(wgpu::ShaderStages::VERTEX, stages.vertex);
    visibility.set(wgpu::ShaderStages::FRAGMENT, stages.fragment);
    visibility.set(wgpu::ShaderStages::COMPUTE, stages.compute);
    wgpu::BindGroupLayoutEntry { binding: at.binding, visibility, ty, count: None }
}

fn make_bind_groups(
    gpu: &Gpu,
    program: &LinkedProgram,
    layouts: &[wgpu::BindGroupLayout],
    resources: &Resources,
    bindings: &Bindings,
) -> Vec<wgpu::BindGroup> {
    let uniforms = program.uniform_buffers.iter().zip(&bindings.uniforms).map(|(it, content)| {
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &resources.uniforms,
            offset: resources.uniform_offsets[*content],
            size: wgpu::BufferSize::new(u64::from(it.size)),
        });
        (it.at, resource)
    });
    let storage = program
        .storage_buffers
        .iter()
        .zip(&bindings.storage)
        .map(|(it, buffer)| (it.at, resources.storage[*buffer].as_entire_binding()));
    let textures = &resources.textures;
    let opaques = program.opaques.iter().zip(&bindings.opaques).map(|(it, bound)| {
        let resource = match bound {
            BoundOpaque::View(idx) => wgpu::BindingResource::TextureView(&textures.views[*idx]),
            BoundOpaque::Sampler(idx) => wgpu::BindingResource::Sampler(&textures.samplers[*idx]),
        };
        (it.at, resource)
    });
    let all: Vec<_> = uniforms.chain(storage).chain(opaques).collect();
    (0..)
        .zip(layouts)
        .map(|(group, layout)| {
            let entries: Vec<_> = all
                .iter()
                .filter(|(at, _)| at.group == group)
                .map(|(at, resource)| wgpu::BindGroupEntry {
                    binding: at.binding,
                    resource: resource.clone(),
                })
                .collect();
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
            gpu.device.create_bind_group(&descriptor)
        })
        .collect()
}
