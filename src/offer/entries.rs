//! Entries of the bind group layouts that an execution through WebGPU makes. They decide how many resources of each kind
//! a case needs.

use ir::options::GEOMETRY_POINT;
use link::program::LinkedProgram;
use link::table::binding::{
    BindingPoint, ImageAccess, OpaqueBinding, OpaqueKind, StageUse, StorageBuffer, TexelClass,
    TextureDimension, UniformBuffer,
};
use link::table::pass::Pass;

use super::format::texture_format;

/// Binding point and layout entry of a resource.
pub type Entry = (BindingPoint, wgpu_types::BindGroupLayoutEntry);

/// The layout entry of every resource of the program.
pub fn program_entries(program: &LinkedProgram) -> Vec<Entry> {
    let uniforms = program.uniform_buffers.iter().filter(|buffer| !buffer.is_immediate());
    let uniforms = uniforms.map(|buffer| (buffer.at, uniform_entry(buffer)));
    let storage = program.storage_buffers.iter().map(|buffer| (buffer.at, storage_entry(buffer)));
    let opaques = program.opaques.iter().map(|opaque| (opaque.at, opaque_entry(opaque)));
    uniforms.chain(storage).chain(opaques).collect()
}

/// The layout entries of a pass: those of the program, and the four buffers of the pass itself.
pub fn pass_entries(program: &LinkedProgram, pass: &Pass) -> Vec<Entry> {
    let mut entries = program_entries(program);
    let written = written_records(program, pass);
    entries.retain(|(at, _)| Some(*at) != written);
    entries.extend(entries_at(pass.at));
    entries
}

/// Binding point of the records of vertices in the stage that draws them, if `pass` may write them: then it does not
/// have them as a resource of the program.
pub fn written_records(program: &LinkedProgram, pass: &Pass) -> Option<BindingPoint> {
    let mut blocks = program.storage_buffers.iter().filter(|_| pass.role.is_in_chain());
    blocks.find(|block| block.case_binding == GEOMETRY_POINT).map(|block| block.at)
}

/// The layout entries of two read buffers, one written buffer and a uniform buffer, at consecutive bindings from
/// `first` on.
fn entries_at(first: BindingPoint) -> Vec<Entry> {
    let read = wgpu_types::BufferBindingType::Storage { read_only: true };
    let written = wgpu_types::BufferBindingType::Storage { read_only: false };
    let kinds = [read, read, written, wgpu_types::BufferBindingType::Uniform];
    let entry = |(offset, ty): (u32, wgpu_types::BufferBindingType)| {
        let at = BindingPoint { binding: first.binding.saturating_add(offset), ..first };
        let ty = wgpu_types::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let visibility = wgpu_types::ShaderStages::COMPUTE;
        (at, wgpu_types::BindGroupLayoutEntry { binding: at.binding, visibility, ty, count: None })
    };
    (0..).zip(kinds).map(entry).collect()
}

/// Layout entry of the texture that a full-screen pass reads, if it reads one.
pub fn texture_entry() -> Entry {
    let at = BindingPoint { group: 0, binding: 0 };
    let ty = wgpu_types::BindingType::Texture {
        sample_type: wgpu_types::TextureSampleType::Float { filterable: false },
        view_dimension: wgpu_types::TextureViewDimension::D2,
        multisampled: false,
    };
    let visibility = wgpu_types::ShaderStages::FRAGMENT;
    (at, wgpu_types::BindGroupLayoutEntry { binding: at.binding, visibility, ty, count: None })
}

/// wgpu's view dimension for a texture dimension.
pub const fn view_dimension(dimension: TextureDimension) -> wgpu_types::TextureViewDimension {
    match dimension {
        TextureDimension::D1 => wgpu_types::TextureViewDimension::D1,
        TextureDimension::D2 | TextureDimension::D2Multisampled => {
            wgpu_types::TextureViewDimension::D2
        }
        TextureDimension::D2Array => wgpu_types::TextureViewDimension::D2Array,
        TextureDimension::D3 => wgpu_types::TextureViewDimension::D3,
        TextureDimension::Cube => wgpu_types::TextureViewDimension::Cube,
        TextureDimension::CubeArray => wgpu_types::TextureViewDimension::CubeArray,
    }
}

fn uniform_entry(buffer: &UniformBuffer) -> wgpu_types::BindGroupLayoutEntry {
    layout_entry(buffer.at, buffer.stages, wgpu_types::BufferBindingType::Uniform)
}

fn storage_entry(buffer: &StorageBuffer) -> wgpu_types::BindGroupLayoutEntry {
    let ty = wgpu_types::BufferBindingType::Storage { read_only: !buffer.is_writable };
    layout_entry(buffer.at, buffer.stages, ty)
}

fn opaque_entry(opaque: &OpaqueBinding) -> wgpu_types::BindGroupLayoutEntry {
    let ty = match opaque.kind {
        OpaqueKind::Texture { dimension, class, is_filterable } => {
            wgpu_types::BindingType::Texture {
                sample_type: match class {
                    TexelClass::Float => {
                        wgpu_types::TextureSampleType::Float { filterable: is_filterable }
                    }
                    TexelClass::Sint => wgpu_types::TextureSampleType::Sint,
                    TexelClass::Uint => wgpu_types::TextureSampleType::Uint,
                    TexelClass::Depth => wgpu_types::TextureSampleType::Depth,
                },
                view_dimension: view_dimension(dimension),
                multisampled: dimension == TextureDimension::D2Multisampled,
            }
        }
        OpaqueKind::Sampler { is_comparison, is_filtering } => {
            wgpu_types::BindingType::Sampler(match (is_comparison, is_filtering) {
                (true, _) => wgpu_types::SamplerBindingType::Comparison,
                (false, true) => wgpu_types::SamplerBindingType::Filtering,
                (false, false) => wgpu_types::SamplerBindingType::NonFiltering,
            })
        }
        OpaqueKind::Image { dimension, format, access } => {
            wgpu_types::BindingType::StorageTexture {
                access: match access {
                    ImageAccess::Read => wgpu_types::StorageTextureAccess::ReadOnly,
                    ImageAccess::Write => wgpu_types::StorageTextureAccess::WriteOnly,
                    ImageAccess::ReadWrite => wgpu_types::StorageTextureAccess::ReadWrite,
                    ImageAccess::Atomic => wgpu_types::StorageTextureAccess::Atomic,
                },
                format: texture_format(format).unwrap_or(wgpu_types::TextureFormat::Rgba8Unorm),
                view_dimension: view_dimension(dimension),
            }
        }
    };
    binding_entry(opaque.at, opaque.stages, ty)
}

fn layout_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu_types::BufferBindingType,
) -> wgpu_types::BindGroupLayoutEntry {
    let ty =
        wgpu_types::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    binding_entry(at, stages, ty)
}

fn binding_entry(
    at: BindingPoint,
    stages: StageUse,
    ty: wgpu_types::BindingType,
) -> wgpu_types::BindGroupLayoutEntry {
    let mut visibility = wgpu_types::ShaderStages::empty();
    visibility.set(wgpu_types::ShaderStages::VERTEX, stages.vertex);
    visibility.set(wgpu_types::ShaderStages::FRAGMENT, stages.fragment);
    visibility.set(wgpu_types::ShaderStages::COMPUTE, stages.compute);
    wgpu_types::BindGroupLayoutEntry { binding: at.binding, visibility, ty, count: None }
}
