//! Rewrites a module so that naga can read it and only private globals and storage buffers remain.
//!
//! All interface variables that the linker's shell reads or writes become private and lose their placement decorations,
//! which were read before. Arrays of storage blocks become one variable each, as in GL.

mod arithmetic;
mod block;
mod block_array;
mod bounds;
mod code;
mod comparison;
mod composite;
mod constant;
mod counter;
mod extended;
mod flow;
mod image;
mod loop_exit;
mod sign;
pub(super) mod texture;
mod unused;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, ExecutionMode, ImageOperands, MemoryAccess, Op, StorageClass};

use super::declarations::{Declarations, first_word};
use super::role::Role;
use ir::diagnostic::Unsupported;

/// The rewritten module.
#[derive(Clone, Debug)]
pub(super) struct Rewritten {
    /// The words for naga.
    pub(super) words: Vec<u32>,
    /// The variables at module scope in naga's order: the old id, and the index of the element of a block array.
    pub(super) globals: Vec<(u32, Option<u32>)>,
    /// The textures and samplers among the variables: the old id, the index of the element of an array, and the part.
    pub(super) textures: BTreeMap<u32, (u32, u32, texture::TexturePart)>,
    /// Buffers of atomic counters and their binding points.
    pub(super) counters: BTreeMap<u32, u32>,
}

/// Rewrites `module`; only code that `entry` reaches remains.
pub(super) fn rewrite(
    mut module: Module,
    entry: u32,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<Rewritten, Unsupported> {
    keep_entry_point(&mut module, entry);
    module.extensions.clear();
    kill_invocations(&mut module);
    value::hoist_undefined(&mut module);
    value::forget_copies(&mut module);
    value::forget_zeros(&mut module);
    value::return_from_unreachable(&mut module);
    value::return_behind_kills(&mut module);
    check_accesses(&module)?;
    image::check(&module)?;
    sign::check_atomics(&module)?;
    bounds::clamp(&mut module);
    constant::make_at_run_time(&mut module, entry);
    flow::settle(&mut module)?;
    value::copy_all_pointers(&mut module);
    code::replace(&mut module);
    keep_annotations(&mut module, declarations, roles);
    name_blocks(&mut module);
    make_private(&mut module, declarations, roles);
    let elements = block_array::split(&mut module, declarations, roles)?;
    let counters = counter::replace(&mut module, declarations, roles)?;
    let textures = texture::split(&mut module, declarations, roles)?;
    unused::remove(&mut module);
    let variables = module
        .types_global_values
        .iter()
        .filter(|instruction| instruction.class.opcode == Op::Variable)
        .filter_map(|instruction| instruction.result_id);
    let globals = variables
        .map(|id| elements.get(&id).map_or((id, None), |(block, idx)| (*block, Some(*idx))))
        .collect();
    Ok(Rewritten { words: module.assemble(), globals, textures, counters })
}

fn keep_entry_point(module: &mut Module, entry: u32) {
    module.entry_points.retain(|point| point.operands.get(1) == Some(&Operand::IdRef(entry)));
    for point in &mut module.entry_points {
        point.operands.truncate(3);
    }
    module.execution_modes.retain(|mode| {
        let is_size =
            mode.operands.get(1) == Some(&Operand::ExecutionMode(ExecutionMode::LocalSize));
        is_size && mode.operands.first() == Some(&Operand::IdRef(entry))
    });
}

/// Rejects accesses with availability or visibility operands of the Vulkan memory model, because naga drops these
/// operands.
fn check_accesses(module: &Module) -> Result<(), Unsupported> {
    let ordered = MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    let images = ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE;
    let is_ordered = |operand: &Operand| match operand {
        Operand::MemoryAccess(access) => access.intersects(ordered),
        Operand::ImageOperands(access) => access.intersects(images),
        _ => false,
    };
    if module.all_inst_iter().any(|one| one.operands.iter().any(is_ordered)) {
        return Err(Unsupported("accesses of the Vulkan memory model".to_owned()));
    }
    Ok(())
}

/// Replaces `OpTerminateInvocation`, which naga does not read, by `OpKill`. Both end an invocation, and everything
/// after a kill in naga is undefined as well (SPIR-V 1.6, section 3.49.17).
fn kill_invocations(module: &mut Module) {
    for instruction in module.all_inst_iter_mut() {
        if instruction.class.opcode == Op::TerminateInvocation {
            *instruction = Instruction::new(Op::Kill, None, None, Vec::new());
        }
    }
}

/// Keeps only the annotations that make a struct a storage buffer, which naga needs. Without offsets and strides naga
/// lays blocks out by std430; the linker lowers blocks with another layout.
fn keep_annotations(module: &mut Module, declarations: &Declarations, roles: &BTreeMap<u32, Role>) {
    let stored = stored_types(declarations, roles);
    module.annotations.retain(|annotation| {
        let Some(Operand::IdRef(target)) = annotation.operands.first() else { return false };
        let decoration = annotation.operands.iter().find_map(|operand| match operand {
            Operand::Decoration(decoration) => Some(*decoration),
            _ => None,
        });
        let is_kept = matches!(
            decoration,
            Some(Decoration::Block | Decoration::BufferBlock | Decoration::NonWritable)
        );
        let is_storage = roles.get(target) == Some(&Role::StorageBlock);
        is_kept && (stored.contains(target) || is_storage)
    });
}

/// Names storage blocks uniquely: naga merges structs with equal names and members, so another variable of an equal
/// struct type would become a buffer.
fn name_blocks(module: &mut Module) {
    let is_block = |annotation: &&Instruction| {
        let decoration = annotation.operands.get(1);
        let block = [Decoration::Block, Decoration::BufferBlock].map(Operand::Decoration);
        annotation.class.opcode == Op::Decorate
            && decoration.is_some_and(|decoration| block.contains(decoration))
    };
    let blocks: Vec<_> = module.annotations.iter().filter(is_block).collect();
    let blocks: BTreeSet<u32> = blocks
        .iter()
        .filter_map(|annotation| annotation.operands.first())
        .map(first_word)
        .collect();
    module.debug_names.retain(|name| {
        let is_of_block = name.operands.first().is_some_and(|id| blocks.contains(&first_word(id)));
        !(name.class.opcode == Op::Name && is_of_block)
    });
    for block in blocks {
        let operands =
            vec![Operand::IdRef(block), Operand::LiteralString(format!("storage block {block}"))];
        module.debug_names.push(Instruction::new(Op::Name, None, None, operands));
    }
}

/// All types inside storage blocks.
fn stored_types(declarations: &Declarations, roles: &BTreeMap<u32, Role>) -> BTreeSet<u32> {
    let is_stored = |id: &u32| roles.get(id) == Some(&Role::StorageBlock);
    let variables = declarations.variables.iter().filter(|variable| is_stored(&variable.id));
    let mut waiting: Vec<u32> = variables.map(|variable| variable.ty).collect();
    let mut found = BTreeSet::new();
    while let Some(ty) = waiting.pop() {
        if !found.insert(ty) {
            continue;
        }
        match declarations.ty(ty) {
            Some((Op::TypeStruct, members)) => waiting.extend(members),
            Some((Op::TypeArray | Op::TypeRuntimeArray, operands)) => {
                waiting.extend(operands.first());
            }
            _ => {}
        }
    }
    found
}

/// Changes the storage class of interface variables, and of the pointers to them and into them.
fn make_private(module: &mut Module, declarations: &Declarations, roles: &BTreeMap<u32, Role>) {
    for instruction in &mut module.types_global_values {
        let id = instruction.result_id.unwrap_or(0);
        let is_private = match instruction.class.opcode {
            Op::Variable => roles.get(&id).is_some_and(|role| role.is_private()),
            Op::TypePointer => is_pointer_private(declarations, instruction),
            _ => false,
        };
        if is_private && let Some(class) = instruction.operands.first_mut() {
            *class = Operand::StorageClass(StorageClass::Private);
        }
    }
}

fn is_pointer_private(declarations: &Declarations, pointer: &Instruction) -> bool {
    let Some(Operand::StorageClass(class)) = pointer.operands.first() else { return false };
    let target = pointer.operands.get(1).map_or(0, first_word);
    let (ty, _) = declarations.without_arrays(target);
    match class {
        StorageClass::Input | StorageClass::Output | StorageClass::PushConstant => true,
        // Pointers into storage blocks of this class have the same types as those into uniform blocks. naga uses only
        // the types of the variables themselves.
        StorageClass::Uniform => !declarations.decorations(ty).has(Decoration::BufferBlock),
        StorageClass::UniformConstant => !matches!(
            declarations.ty(ty),
            Some((Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage, _))
        ),
        _ => false,
    }
}
