//! Computes the value of each limit that a case needs.

use naga::{AddressSpace, Binding, BuiltIn, Module, ShaderStage, TypeInner};

use crate::entries::{Entry, pass_entries, program_entries, texture_entry};
use crate::format::texture_format;
use crate::snapshot::{ALIGNMENT, BUFFER_BYTES};
use link::program::{LinkedProgram, LinkedStages};
use link::table::binding::StageUse;
use link::table::pass::Role;
use plan::topology::Primitive;
use plan::{DrawSetup, Operation, Plan, PlannedTexture, SnapshotSource, TexelFormat, TextureShape};

use super::Subject;
use super::pass::{Attached, passes, setups};

fn number(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

fn most(values: impl Iterator<Item = u64>) -> u64 {
    values.max().unwrap_or(0)
}

/// The entries of every pipeline layout, including those of copies made by shaders.
fn layouts(subject: &Subject<'_>) -> Vec<Vec<Entry>> {
    let copies = copies_texels(subject).then(|| vec![texture_entry()]);
    subject.programs.iter().flat_map(layouts_of).chain(copies).collect()
}

/// True if shaders copy texels: depths and samples to and from textures.
fn copies_texels(subject: &Subject<'_>) -> bool {
    let Some(plan) = subject.plan else { return false };
    let is_copied = |source: &SnapshotSource| match source {
        SnapshotSource::Depth | SnapshotSource::Sample { .. } => true,
        // Samples of the target may have no average.
        SnapshotSource::Target(_) => subject.case.samples > 1,
        SnapshotSource::Stencil
        | SnapshotSource::Texture(_)
        | SnapshotSource::Layers(_)
        | SnapshotSource::Buffer(_) => false,
    };
    let is_filled = |texture: &PlannedTexture| {
        texture.format == TexelFormat::Depth || texture.shape == TextureShape::Multisampled
    };
    plan.textures.iter().any(is_filled)
        || plan.snapshots.iter().any(|snapshot| is_copied(&snapshot.source))
}

fn layouts_of(program: &LinkedProgram) -> Vec<Vec<Entry>> {
    let passes = program.passes.iter().map(|pass| pass_entries(program, pass));
    std::iter::once(program_entries(program)).chain(passes).collect()
}

/// Largest number of entries of one kind in one stage of one pipeline.
pub(super) fn in_one_stage(
    subject: &Subject<'_>,
    is_meant: fn(&wgpu_types::BindingType) -> bool,
) -> u64 {
    let stages = [
        wgpu_types::ShaderStages::VERTEX,
        wgpu_types::ShaderStages::FRAGMENT,
        wgpu_types::ShaderStages::COMPUTE,
    ];
    let count = |layout: &Vec<Entry>, stage| {
        let entries = layout.iter().map(|(_, entry)| entry);
        let meant = entries.filter(|entry| entry.visibility.contains(stage) && is_meant(&entry.ty));
        number(meant.count())
    };
    most(layouts(subject).iter().flat_map(|layout| stages.map(|stage| count(layout, stage))))
}

/// Number of buffers of one stage, including the vertex buffer.
pub(super) fn buffers(subject: &Subject<'_>) -> u64 {
    let is_buffer =
        |ty: &wgpu_types::BindingType| matches!(ty, wgpu_types::BindingType::Buffer { .. });
    let vertex = |program: &LinkedProgram| {
        let entries = program_entries(program).into_iter().map(|(_, entry)| entry);
        let vertex = wgpu_types::ShaderStages::VERTEX;
        let own = entries.filter(|entry| entry.visibility.contains(vertex) && is_buffer(&entry.ty));
        number(own.count()) + u64::from(has_vertex_buffer(program))
    };
    most(subject.programs.iter().map(vertex)).max(in_one_stage(subject, is_buffer))
}

/// Number of bind groups of one pipeline.
pub(super) fn groups(subject: &Subject<'_>) -> u64 {
    most(layouts(subject).iter().flatten().map(|(at, _)| u64::from(at.group) + 1))
}

/// Number of bind groups of one pipeline, plus its vertex buffer. Copies made by shaders have none.
pub(super) fn groups_and_vertex_buffers(subject: &Subject<'_>) -> u64 {
    let own = subject.programs.iter().map(|program| {
        let entries = layouts_of(program);
        let groups = entries.iter().flatten().map(|(at, _)| u64::from(at.group) + 1);
        most(groups) + u64::from(has_vertex_buffer(program))
    });
    most(own).max(groups(subject))
}

/// The largest binding number plus one.
pub(super) fn bindings(subject: &Subject<'_>) -> u64 {
    most(layouts(subject).iter().flatten().map(|(at, _)| u64::from(at.binding) + 1))
}

/// True if draws have a vertex buffer. With a geometry stage, only the vertex stage before it has attributes.
fn has_vertex_buffer(program: &LinkedProgram) -> bool {
    !program.has_chain() && !program.attributes.is_empty()
}

/// Number of vertex buffers of one pipeline.
pub(super) fn vertex_buffers(subject: &Subject<'_>) -> u64 {
    u64::from(subject.programs.iter().any(has_vertex_buffer))
}

/// The largest location of an attribute plus one.
pub(super) fn vertex_attributes(subject: &Subject<'_>) -> u64 {
    let drawn = subject.programs.iter().filter(|program| has_vertex_buffer(program));
    let attributes = drawn.flat_map(|program| &program.attributes);
    most(
        attributes
            .flat_map(|attribute| &attribute.vectors)
            .map(|location| u64::from(*location) + 1),
    )
}

/// Size of a vertex in bytes.
pub(super) fn vertex_stride(subject: &Subject<'_>) -> u64 {
    let layouts = subject.plan.into_iter().flat_map(|plan| &plan.layouts);
    let drawn = subject.programs.iter().zip(layouts);
    let drawn = drawn.filter(|(program, _)| has_vertex_buffer(program));
    most(drawn.map(|(_, layout)| number(layout.stride())))
}

/// Inter-stage variables between a vertex and a fragment stage as WebGPU counts them (17.2.1, "Inter-Stage
/// Interfaces"): on the vertex side the variables, one for points and one for every four clip distances; on the
/// fragment side the variables and some built-in inputs. On both sides all locations up to the last count, and clip
/// distances take the last ones.
pub(super) fn inter_stage(subject: &Subject<'_>) -> u64 {
    let is_points = |setup: &&DrawSetup| setup.primitive == Primitive::Points;
    let points = u64::from(setups(subject).any(|setup| is_points(&setup)));
    // Copies made by shaders draw, also in a case that does not.
    let copies = u64::from(copies_texels(subject));
    most(subject.programs.iter().map(|program| {
        let LinkedStages::Render { vertex, fragment } = &program.stages else { return 0 };
        let outputs = Interface::of_outputs(vertex);
        let inputs = fragment.as_ref().map(Interface::of_inputs).unwrap_or_default();
        let clip = outputs.clip_distances.div_ceil(4);
        // wgpu subtracts one from the number of locations without checking that there is one.
        let vertex = (outputs.count + points + clip).max(outputs.end.max(1) + clip);
        // The linker also counts slots that only one side has.
        let vertex = vertex.max(number(program.map.slots.len()) + points + clip);
        vertex.max(inputs.count + inputs.builtins).max(inputs.end)
    }))
    .max(copies)
}

/// Variables on one side of the interface between the stages.
#[derive(Default)]
struct Interface {
    count: u64,
    /// The last location plus one.
    end: u64,
    clip_distances: u64,
    /// Number of built-in inputs that count as variables.
    builtins: u64,
}

impl Interface {
    fn of_outputs(module: &Module) -> Self {
        let mut all = Self::default();
        for entry in &module.entry_points {
            if let Some(result) = &entry.function.result {
                all.add(module, result.ty, result.binding.as_ref());
            }
        }
        all
    }

    fn of_inputs(module: &Module) -> Self {
        let mut all = Self::default();
        for argument in module.entry_points.iter().flat_map(|entry| &entry.function.arguments) {
            all.add(module, argument.ty, argument.binding.as_ref());
        }
        all
    }

    fn add(&mut self, module: &Module, ty: naga::Handle<naga::Type>, binding: Option<&Binding>) {
        let inner = &module.types[ty].inner;
        match (binding, inner) {
            (Some(Binding::Location { location, .. }), _) => {
                self.count += 1;
                self.end = self.end.max(u64::from(*location) + 1);
            }
            (Some(Binding::BuiltIn(BuiltIn::ClipDistances)), TypeInner::Array { size, .. }) => {
                let naga::ArraySize::Constant(size) = size else { return };
                self.clip_distances += u64::from(size.get());
            }
            (Some(Binding::BuiltIn(builtin)), _) => {
                let is_counted = matches!(
                    builtin,
                    BuiltIn::FrontFacing
                        | BuiltIn::SampleIndex
                        | BuiltIn::SampleMask
                        | BuiltIn::PrimitiveIndex
                        | BuiltIn::SubgroupInvocationId
                        | BuiltIn::SubgroupSize
                        | BuiltIn::ViewIndex
                        | BuiltIn::PointCoord
                );
                self.builtins += u64::from(is_counted);
            }
            (None, TypeInner::Struct { members, .. }) => {
                for member in members {
                    self.add(module, member.ty, member.binding.as_ref());
                }
            }
            (None, _) => {}
        }
    }
}

/// Number of colour attachments of one pass, or of locations of fragment outputs if that is larger.
pub(super) fn color_attachments(subject: &Subject<'_>) -> u64 {
    let attached = passes(subject).iter().map(|pass| number(pass.len())).collect::<Vec<_>>();
    let written = subject.programs.iter().flat_map(|program| &program.draw.written_targets);
    most(attached.into_iter().chain(written.map(|target| u64::from(*target) + 1)))
}

/// Bytes per sample of all colour attachments of one pass together, each aligned, as WebGPU counts them.
pub(super) fn color_bytes(subject: &Subject<'_>) -> u64 {
    let filler = wgpu_types::TextureFormat::Rgba8Unorm;
    let format = |attached: &Attached| match attached {
        Attached::Nothing => None,
        Attached::Filler => Some(filler),
        Attached::Target(format) => texture_format(*format),
    };
    let bytes = |pass: &Vec<Attached>| bytes_per_sample(pass.iter().filter_map(format));
    most(passes(subject).iter().map(bytes))
}

/// Bytes per sample of attachments of these formats together, each aligned, as WebGPU counts them.
fn bytes_per_sample(formats: impl Iterator<Item = wgpu_types::TextureFormat>) -> u64 {
    formats.fold(0, |sum, format| {
        let alignment = format.target_component_alignment().unwrap_or(1).max(1);
        let bytes = format.target_pixel_byte_cost().unwrap_or(0);
        sum.next_multiple_of(u64::from(alignment)) + u64::from(bytes)
    })
}

/// Largest width or height of a two-dimensional texture or render target.
pub(super) fn flat_sides(subject: &Subject<'_>) -> u64 {
    let own = subject.case.size.into_iter();
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let flat = textures.filter(|texture| texture.shape != TextureShape::Volume);
    most(own.chain(flat.flat_map(|texture| [texture.size[0], texture.size[1]])).map(u64::from))
}

/// Longest one-dimensional texture.
pub(super) fn lengths(subject: &Subject<'_>) -> u64 {
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let lines = textures.filter(|texture| texture.shape == TextureShape::Line);
    most(lines.map(|texture| u64::from(texture.size[0])))
}

/// Largest side of a three-dimensional texture.
pub(super) fn volume_sides(subject: &Subject<'_>) -> u64 {
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    most(
        textures
            .filter(|texture| texture.shape == TextureShape::Volume)
            .flat_map(|texture| texture.size)
            .map(u64::from),
    )
}

/// Largest number of layers of a texture. On GL an array texture with a single layer is made with two.
pub(super) fn layers(subject: &Subject<'_>) -> u64 {
    let textures = subject.plan.into_iter().flat_map(|plan| &plan.textures);
    let least = if subject.is_gl { 2 } else { 1 };
    let layers = textures.map(|texture| match texture.shape {
        TextureShape::Layered => u64::from(texture.size[2].max(least)),
        TextureShape::Flat => u64::from(texture.size[2]),
        TextureShape::Line | TextureShape::Volume | TextureShape::Multisampled => 1,
    });
    // Render targets have one layer.
    most(layers).max(1)
}

/// Size in bytes of the largest uniform buffer binding.
pub(super) fn uniform_bytes(subject: &Subject<'_>) -> u64 {
    let own = subject.programs.iter().flat_map(|program| &program.uniform_buffers);
    let own = own.filter(|buffer| !buffer.is_immediate());
    // The sizes of the parameters of passes.
    let passes = subject.programs.iter().flat_map(|program| &program.passes);
    let words = passes.map(|pass| if matches!(pass.role, Role::Evaluation(_)) { 64 } else { 32 });
    most(own.map(|buffer| u64::from(buffer.size)).chain(words))
}

/// Size in bytes of the largest immediates of a program.
pub(super) fn immediate_bytes(subject: &Subject<'_>) -> u64 {
    let own = subject.programs.iter().flat_map(|program| &program.uniform_buffers);
    most(own.filter(|buffer| buffer.is_immediate()).map(|buffer| u64::from(buffer.size)))
}

/// Size in bytes of the largest storage buffer binding. Blocks that no operation of the plan binds count with the size
/// that they declare, because a device that lacks it rejects the program before there is a plan.
pub(super) fn storage_bytes(subject: &Subject<'_>) -> u64 {
    let blocks = subject.programs.iter().flat_map(|program| &program.storage_buffers);
    let declared = most(blocks.map(|block| u64::from(block.min_size)));
    let Some(plan) = subject.plan else { return declared };
    let own = plan.storage_sizes.iter().map(|size| u64::from(*size).next_multiple_of(4).max(4));
    most(own.chain(read_buffers(plan))).max(declared)
}

/// Sizes in bytes of the buffers of vertices and indices, if passes read them.
fn read_buffers(plan: &Plan) -> Vec<u64> {
    if plan.passes.is_empty() {
        return Vec::new();
    }
    let (vertices, indices) = (number(plan.vertices.len()), number(plan.indices.len()) * 4);
    vec![vertices.max(4), indices.max(4)]
}

/// Size in bytes of the largest buffer.
pub(super) fn buffer_bytes(subject: &Subject<'_>) -> u64 {
    let Some(plan) = subject.plan else { return storage_bytes(subject) };
    let uniforms = plan.uniform_contents.iter().fold(0_u64, |sum, content| {
        sum.next_multiple_of(u64::from(subject.alignment).max(16)) + number(content.len())
    });
    let written = plan.operations.iter().map(|operation| {
        let Operation::Write { bytes, .. } = operation else { return 0 };
        number(bytes.len())
    });
    let (vertices, indices) = (number(plan.vertices.len()), number(plan.indices.len()) * 4);
    let own = [vertices.max(4), indices.max(4), uniforms.next_multiple_of(4).max(4)];
    let own = own.into_iter().chain([storage_bytes(subject), snapshot_bytes(subject, plan)]);
    // Each pass has its own uniform buffer.
    let words = plan.passes.iter().map(|pass| number(pass.words.len()) * 4);
    most(own.chain(written).chain(words))
}

/// Size in bytes of the largest snapshot buffer. Snapshots share buffers up to a fixed size; a larger snapshot has its
/// own.
fn snapshot_bytes(subject: &Subject<'_>, plan: &Plan) -> u64 {
    let row = |width: u32, texel: u64| {
        let alignment = u64::from(wgpu_types::COPY_BYTES_PER_ROW_ALIGNMENT);
        (u64::from(width) * texel).next_multiple_of(alignment)
    };
    let [width, height] = subject.case.size;
    let window = |texel| row(width, texel) * u64::from(height);
    let texel_of = |idx: usize| {
        let target = subject.case.render_targets.get(idx);
        target.map_or(4, |target| number(target.format.bytes_per_texel()))
    };
    let layer = |idx: usize| {
        plan.textures.get(idx).map_or(0, |texture| {
            let texel = number(texture.format.bytes_per_texel());
            row(texture.size[0], texel) * u64::from(texture.size[1])
        })
    };
    let sizes = plan.snapshots.iter().map(|snapshot| match snapshot.source {
        SnapshotSource::Target(idx) | SnapshotSource::Sample { target: idx, .. } => {
            window(texel_of(idx))
        }
        SnapshotSource::Depth => window(4),
        SnapshotSource::Stencil => window(1),
        SnapshotSource::Texture(idx) => layer(idx),
        SnapshotSource::Layers(idx) => {
            let layers = plan.textures.get(idx).map_or(0, |texture| texture.size[2]);
            layer(idx).saturating_mul(u64::from(layers))
        }
        SnapshotSource::Buffer(idx) => plan
            .storage_sizes
            .get(idx)
            .map_or(0, |size| u64::from(*size).next_multiple_of(4).max(4)),
    });
    let padded = sizes.map(|size| size.next_multiple_of(ALIGNMENT));
    let (sum, largest) =
        padded.fold((0_u64, 0), |(sum, largest), size| (sum + size, size.max(largest)));
    sum.min(BUFFER_BYTES).max(largest)
}

/// Largest number of invocations of a workgroup along one side, or in total.
pub(super) fn workgroup(subject: &Subject<'_>, side: Option<usize>) -> u64 {
    let modules = subject.programs.iter().flat_map(compute_modules);
    let sizes = modules.filter_map(|module| Some(module.entry_points.first()?.workgroup_size));
    most(sizes.map(|sizes| match side {
        Some(side) => sizes.get(side).map_or(0, |size| u64::from(*size)),
        None => sizes.iter().map(|size| u64::from(*size)).product(),
    }))
}

/// The modules of dispatches and passes.
fn compute_modules(program: &LinkedProgram) -> Vec<&Module> {
    let dispatched = match &program.stages {
        LinkedStages::Compute(module) => Some(module),
        LinkedStages::Render { .. } => None,
    };
    dispatched.into_iter().chain(program.passes.iter().map(|pass| &pass.module)).collect()
}

/// Largest number of bytes of workgroup memory.
pub(super) fn workgroup_bytes(subject: &Subject<'_>) -> u64 {
    most(subject.programs.iter().flat_map(compute_modules).map(|module| {
        let shared = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, AddressSpace::WorkGroup));
        let size = |ty: naga::Handle<naga::Type>| {
            let bytes = module.types[ty].inner.size(module.to_ctx());
            u64::from(bytes).next_multiple_of(16)
        };
        shared.map(|(_, variable)| size(variable.ty)).sum()
    }))
}

/// Largest number of workgroups in one direction.
pub(super) fn workgroups(subject: &Subject<'_>) -> u64 {
    let Some(plan) = subject.plan else { return 0 };
    let own = plan.operations.iter().flat_map(|operation| {
        let Operation::Dispatch { groups, .. } = operation else { return [0; 3] };
        *groups
    });
    let passes = plan.passes.iter().flat_map(|pass| pass.groups);
    most(own.chain(passes).map(u64::from))
}

/// True if a draw has an index of more than 24 bits. The words that passes read from the lists may be larger.
pub(super) fn has_large_index(plan: &Plan) -> bool {
    let is_large = |list: &[u32]| list.iter().any(|index| *index >= 1 << 24);
    plan.operations.iter().any(|operation| {
        let Operation::Draw(draw) = operation else { return false };
        let [start, end] = [draw.indices.start, draw.indices.end].map(|idx| idx as usize);
        plan.indices.get(start..end).is_some_and(is_large)
    })
}

/// 1 if some storage buffer or image is used by a stage that `is_in` accepts.
pub(super) fn storage_in(
    subject: &Subject<'_>,
    is_in: fn(StageUse) -> bool,
    (writes, images): (bool, bool),
) -> u64 {
    let mut programs = subject.programs.iter();
    u64::from(programs.any(|program| {
        let mut buffers = program.storage_buffers.iter();
        let mut opaques = program.opaques.iter();
        buffers.any(|buffer| is_in(buffer.stages) && (buffer.is_writable || !writes))
            || images
                && opaques.any(|opaque| {
                    is_in(opaque.stages)
                        && (opaque.kind.is_written() || !writes)
                        && opaque.kind.is_image()
                })
    }))
}

/// True if the vertex stage writes clip distances.
pub(super) fn clips(program: &LinkedProgram) -> bool {
    let LinkedStages::Render { vertex, .. } = &program.stages else { return false };
    let mut entries = vertex.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Vertex);
    entries.any(|_| Interface::of_outputs(vertex).clip_distances > 0)
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn attachments_are_counted_as_webgpu_does() {
        // WebGPU's example: r8unorm 1, then rgba32float aligned to 4, then 8 bytes for rgba8unorm.
        use wgpu_types::TextureFormat as F;
        let formats = [F::R8Unorm, F::Rgba32Float, F::Rgba8Unorm];
        assert_eq!(bytes_per_sample(formats.into_iter()), 4 + 16 + 8);
    }

    #[test]
    fn clip_distances_and_some_inputs_take_variables() {
        let vertex = fixture::module(
            "enable clip_distances;
            struct Out {
                @builtin(position) at: vec4f,
                @builtin(clip_distances) clip: array<f32, 5>,
                @location(3) a: vec4f,
            }
            @vertex fn main() -> Out { var out: Out; return out; }",
        );
        let fragment = fixture::module(
            "@fragment fn main(
                @location(3) a: vec4f, @builtin(front_facing) b: bool, @builtin(sample_index) c: u32
            ) {}",
        );
        let check = |vertex: &Module, fragment: Option<&Module>, expected| {
            let (vertex, fragment) = (vertex.clone(), fragment.cloned());
            let programs = [fixture::program(LinkedStages::Render { vertex, fragment })];
            let case = fixture::case(Vec::new());
            let (alignment, is_gl) = (256, false);
            let subject =
                Subject { case: &case, programs: &programs, plan: None, alignment, is_gl };
            assert_eq!(inter_stage(&subject), expected);
        };
        // Locations 0 to 3, and two more for five distances.
        check(&vertex, None, 6);
        let plain =
            fixture::module("@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }");
        // One varying and two built-in inputs count three, but the varying's location already takes four.
        check(&plain, Some(&fragment), 4);
        check(&plain, None, 1);
    }
}
