//! Wires uniforms and resources at the places of the linked program.

use cpu::wired::{Stage, UniformWire, Wiring, lacking};
use ir::interface::{ScalarKind, Type};
use ir::stage_module::{ResourceKind, ResourceVariable, StageModule, UniformKind, UniformVariable};
use link::program::LinkedProgram;
use link::table::binding::{OpaqueKind, Uniform, UniformBuffer};
use naga::ResourceBinding;
use plan::ExecuteError;

use super::wires::part;

/// The uniforms of a stage, each with its place in a buffer.
pub(super) fn uniforms(
    stage: &StageModule,
    program: &LinkedProgram,
) -> Result<Vec<UniformWire>, ExecuteError> {
    let mut wires = Vec::new();
    for variable in &stage.uniforms {
        let is_own =
            |buffer: &&UniformBuffer| buffer.owner.is_none_or(|owner| owner == stage.stage);
        let buffers = program.uniform_buffers.iter().filter(is_own);
        let is_block = matches!(variable.kind, UniformKind::Block { .. });
        let wanted = if is_block { &*variable.name } else { "" };
        let named = buffers.filter(|buffer| buffer.name == wanted);
        let mut found = named.filter_map(|buffer| Some((buffer, offsets(variable, buffer)?)));
        let Some((buffer, offsets)) = found.next() else {
            if variable.is_used {
                return Err(lacking(format!("place for `{}` without a linker", variable.name)));
            }
            continue;
        };
        let group = buffer.at.group;
        let leaves = variable.ty.leaves();
        let booleans =
            leaves.iter().flat_map(|leaf| vec![leaf.scalar == ScalarKind::Bool; leaf.words()]);
        let words = offsets
            .iter()
            .zip(variable.ty.scalars())
            .flat_map(|(offset, kind)| (0..kind.components()).map(move |half| offset / 4 + half));
        wires.push(UniformWire {
            buffer: ResourceBinding { group, binding: buffer.at.binding },
            words: words.collect(),
            are_booleans: booleans.collect(),
            part: part(&variable.place, 0),
        });
    }
    Ok(wires)
}

/// Byte offsets of all scalars of a uniform or block in its buffer.
fn offsets(variable: &UniformVariable, buffer: &UniformBuffer) -> Option<Vec<u32>> {
    let of = |uniform: &Uniform| -> Vec<u32> {
        let all = uniform.layout.scalar_offsets(&uniform.ty);
        all.iter().map(|offset| uniform.offset + offset).collect()
    };
    let named = |name: &str| buffer.uniforms.iter().find(|uniform| uniform.name == name);
    if let Some(whole) = named(&variable.name)
        && whole.ty == variable.ty
    {
        return Some(of(whole));
    }
    let Type::Struct(block) = &variable.ty else { return None };
    let members = block.members.iter().map(|member| named(&member.name).map(of));
    Some(members.collect::<Option<Vec<_>>>()?.concat())
}

/// Buffer and words of a uniform that holds GL state.
pub(super) fn words_of(program: &LinkedProgram, name: &str) -> Option<(ResourceBinding, Vec<u32>)> {
    let mut all = program.uniform_buffers.iter();
    all.find_map(|buffer| {
        let uniform = buffer.uniforms.iter().find(|uniform| uniform.name == name)?;
        let (group, binding) = (buffer.at.group, buffer.at.binding);
        let offsets = uniform.layout.scalar_offsets(&uniform.ty);
        let words = offsets.iter().map(|offset| (uniform.offset + offset) / 4);
        Some((ResourceBinding { group, binding }, words.collect()))
    })
}

/// Compiles a stage with its resources at the places of the program.
pub(super) fn compiled(
    stage: &StageModule,
    program: &LinkedProgram,
    wiring: &Wiring,
) -> Result<Stage, ExecuteError> {
    let mut placed = stage.clone();
    for resource in &stage.resources {
        // The program lacks resources that nothing uses.
        let at = place_of(resource, stage, program);
        placed.module.global_variables.get_mut(resource.global).binding = at;
    }
    let own = stage.resources.iter();
    let own = own.filter_map(|resource| Some((resource.global, resource.layout.clone()?)));
    let wiring = Wiring { layouts: own.collect(), ..wiring.clone() };
    Stage::wired(&placed, &wiring)
}

/// The place of a resource in the linked program.
fn place_of(
    resource: &ResourceVariable,
    stage: &StageModule,
    program: &LinkedProgram,
) -> Option<ResourceBinding> {
    let is_own = |owner: Option<_>| owner.is_none_or(|owner| owner == stage.stage);
    let opaque = |is_kind: fn(&OpaqueKind) -> bool| {
        let mut all = program.opaques.iter().filter(|opaque| is_own(opaque.owner));
        all.find(|opaque| opaque.name == resource.name && is_kind(&opaque.kind))
            .map(|opaque| opaque.at)
    };
    let at = match resource.kind {
        ResourceKind::StorageBuffer { .. } | ResourceKind::AtomicCounters => {
            let mut all = program.storage_buffers.iter().filter(|block| is_own(block.owner));
            all.find(|block| block.name == resource.name)?.at
        }
        ResourceKind::UniformBuffer | ResourceKind::Immediates => {
            let mut all = program.uniform_buffers.iter().filter(|buffer| is_own(buffer.owner));
            all.find(|buffer| buffer.name == resource.name)?.at
        }
        ResourceKind::Texture => opaque(|kind| matches!(kind, OpaqueKind::Texture { .. }))?,
        ResourceKind::Sampler => opaque(|kind| matches!(kind, OpaqueKind::Sampler { .. }))?,
        ResourceKind::Image => opaque(|kind| matches!(kind, OpaqueKind::Image { .. }))?,
    };
    Some(ResourceBinding { group: at.group, binding: at.binding })
}
