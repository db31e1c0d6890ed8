//! Arrays of storage blocks, as one variable for every block.

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, StorageClass};

use crate::frontend::spirv::declarations::{Declarations, Variable};
use crate::frontend::spirv::role::Role;

/// The most blocks in an array: more buffers cannot be bound.
const MAX_BLOCKS: u32 = 64;

/// The variables of one array.
struct BlockArray {
    lengths: Vec<u32>,
    elements: Vec<u32>,
}

/// Splits every array. Gives the array's id and the element's index for every new variable.
pub(super) fn split(
    module: &mut Module,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<BTreeMap<u32, (u32, u32)>, String> {
    let mut arrays = BTreeMap::new();
    let mut origins = BTreeMap::new();
    for variable in &declarations.variables {
        let (block, lengths) = declarations.without_arrays(variable.ty);
        if roles.get(&variable.id) != Some(&Role::StorageBlock) || lengths.is_empty() {
            continue;
        }
        let elements = declare(module, *variable, block, &lengths)?;
        origins.extend((0..).zip(&elements).map(|(idx, id)| (*id, (variable.id, idx))));
        arrays.insert(variable.id, BlockArray { lengths, elements });
    }
    if !arrays.is_empty() {
        let functions = module.functions.iter_mut();
        for instruction in functions.flat_map(Function::all_inst_iter_mut) {
            redirect(instruction, declarations, &arrays)?;
        }
    }
    Ok(origins)
}

/// Replaces the variable by one for every element.
fn declare(
    module: &mut Module,
    variable: Variable,
    block: u32,
    lengths: &[u32],
) -> Result<Vec<u32>, String> {
    let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
    if count > MAX_BLOCKS {
        return Err(format!("{count} blocks in one array"));
    }
    let globals = &module.types_global_values;
    let Some(at) = globals.iter().position(|it| it.result_id == Some(variable.id)) else {
        return Ok(Vec::new());
    };
    let old = globals[at].clone();
    let pointer = fresh(module);
    let class = Operand::StorageClass(StorageClass::StorageBuffer);
    let class = if variable.class == StorageClass::Uniform {
        Operand::StorageClass(StorageClass::Uniform)
    } else {
        class
    };
    let pointer_type =
        Instruction::new(Op::TypePointer, None, Some(pointer), vec![class, Operand::IdRef(block)]);
    let elements: Vec<u32> = (0..count).map(|_| fresh(module)).collect();
    let declaration =
        |id: &u32| Instruction { result_type: Some(pointer), result_id: Some(*id), ..old.clone() };
    let declarations = std::iter::once(pointer_type).chain(elements.iter().map(declaration));
    module.types_global_values.splice(at..=at, declarations);
    Ok(elements)
}

/// A new id.
pub(super) fn fresh(module: &mut Module) -> u32 {
    let header = module.header.get_or_insert_with(|| rspirv::dr::ModuleHeader::new(1));
    header.bound += 1;
    header.bound - 1
}

/// Lets an access chain start at the element that its first indices choose.
fn redirect(
    instruction: &mut Instruction,
    declarations: &Declarations,
    arrays: &BTreeMap<u32, BlockArray>,
) -> Result<(), String> {
    let named = instruction
        .operands
        .iter()
        .position(|operand| matches!(operand, Operand::IdRef(id) if arrays.contains_key(id)));
    let Some(place) = named else { return Ok(()) };
    let is_chain = matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
    let (Some(Operand::IdRef(base)), true) = (instruction.operands.first(), is_chain && place == 0)
    else {
        return Err("array of storage blocks used as a whole".to_owned());
    };
    let array = &arrays[base];
    let mut linear = 0_u32;
    for (idx, length) in (1..).zip(&array.lengths) {
        let index = match instruction.operands.get(idx) {
            Some(Operand::IdRef(index)) => declarations.integer(*index),
            _ => None,
        };
        let Some(index) = index.filter(|index| index < length) else {
            return Err("dynamic index of an array of storage blocks".to_owned());
        };
        linear = linear * length + index;
    }
    let element = array.elements.get(linear as usize).copied().unwrap_or(*base);
    let rest = array.lengths.len() + 1;
    instruction.operands.splice(..rest, [Operand::IdRef(element)]);
    Ok(())
}
