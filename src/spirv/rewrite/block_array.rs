//! Splits arrays of storage blocks into one variable for every block.
//!
//! A chain of constant indices starts at its block's variable. If the block index is dynamic, the chain is deferred
//! until something reads or writes through it, and the access becomes a call of a function that selects the block.

mod choice;

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, StorageClass};

use crate::declarations::{Declarations, Variable, first_word};
use crate::role::Role;
use ir::diagnostic::Unsupported;

use super::super::specialize::ids;

/// Maximum number of blocks in an array: more buffers cannot be bound.
const MAX_BLOCKS: u32 = 64;

/// The variables of one array.
struct BlockArray {
    lengths: Vec<u32>,
    elements: Vec<u32>,
}

/// A pointer into an array of storage blocks.
#[derive(Clone)]
struct Chain {
    array: u32,
    /// Ids of the indices, from the array inwards.
    indices: Vec<u32>,
    /// The pointer's type.
    ty: u32,
}

/// State while a function is processed.
struct Splitting<'a> {
    module: &'a mut Module,
    declarations: &'a Declarations,
    arrays: BTreeMap<u32, BlockArray>,
    /// Pointers with a dynamic block index.
    chains: BTreeMap<u32, Chain>,
    /// Types of the ids that the function defines.
    types: BTreeMap<u32, u32>,
    /// The new functions, which select a block.
    choices: Vec<Function>,
}

/// Splits every array of storage blocks. Returns the array's id and the element's index for every new variable.
pub(super) fn split(
    module: &mut Module,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<BTreeMap<u32, (u32, u32)>, Unsupported> {
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
    if arrays.is_empty() {
        return Ok(origins);
    }
    let mut functions = std::mem::take(&mut module.functions);
    let (chains, types, choices) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut splitting = Splitting { module, declarations, arrays, chains, types, choices };
    for function in &mut functions {
        splitting.function(function)?;
    }
    functions.append(&mut splitting.choices);
    module.functions = functions;
    module.types_global_values.retain(|global| !is_of_open_blocks(declarations, global));
    Ok(origins)
}

/// True if the instruction declares an array of blocks that end in a runtime-sized array, or a pointer to one. naga
/// cannot represent these types.
fn is_of_open_blocks(declarations: &Declarations, declaration: &Instruction) -> bool {
    let array = match declaration.class.opcode {
        Op::TypeArray => declaration.result_id,
        Op::TypePointer => declaration.operands.get(1).and_then(id_of),
        _ => None,
    };
    let (block, lengths) = declarations.without_arrays(array.unwrap_or(0));
    let Some((Op::TypeStruct, members)) = declarations.ty(block) else { return false };
    let last = members.last().and_then(|last| declarations.ty(*last));
    !lengths.is_empty() && matches!(last, Some((Op::TypeRuntimeArray, _)))
}

/// Replaces the variable of an array by one variable for every element.
fn declare(
    module: &mut Module,
    variable: Variable,
    block: u32,
    lengths: &[u32],
) -> Result<Vec<u32>, Unsupported> {
    let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
    if !(1..=MAX_BLOCKS).contains(&count) {
        return Err(Unsupported(format!(
            "an array of {count} storage blocks; the limit is {MAX_BLOCKS}"
        )));
    }
    let globals = &module.types_global_values;
    let Some(at) = globals.iter().position(|global| global.result_id == Some(variable.id)) else {
        return Ok(Vec::new());
    };
    let old = globals[at].clone();
    let pointer = fresh(module);
    let class = match variable.class {
        StorageClass::Uniform => StorageClass::Uniform,
        _ => StorageClass::StorageBuffer,
    };
    let operands = vec![Operand::StorageClass(class), Operand::IdRef(block)];
    let pointer_type = Instruction::new(Op::TypePointer, None, Some(pointer), operands);
    let elements: Vec<u32> = (0..count).map(|_| fresh(module)).collect();
    let declaration =
        |id: &u32| Instruction { result_type: Some(pointer), result_id: Some(*id), ..old.clone() };
    let declarations = std::iter::once(pointer_type).chain(elements.iter().map(declaration));
    module.types_global_values.splice(at..=at, declarations);
    Ok(elements)
}

/// Reserves a new id.
pub(super) fn fresh(module: &mut Module) -> u32 {
    let header = module.header.get_or_insert_with(|| rspirv::dr::ModuleHeader::new(1));
    header.bound += 1;
    header.bound - 1
}

impl Splitting<'_> {
    fn function(&mut self, function: &mut Function) -> Result<(), Unsupported> {
        let typed = function
            .all_inst_iter()
            .filter_map(|instruction| instruction.result_id.zip(instruction.result_type));
        self.types = typed.collect();
        self.chains.clear();
        for block in &mut function.blocks {
            let mut new = Vec::new();
            for instruction in std::mem::take(&mut block.instructions) {
                for instruction in self.without_copy(instruction) {
                    new.extend(self.instruction(instruction)?);
                }
            }
            block.instructions = new;
        }
        Ok(())
    }

    /// The chain that `id` stands for, if it leads into an array of blocks.
    fn chain(&self, id: u32) -> Option<Chain> {
        let whole = || {
            self.arrays.contains_key(&id).then(|| Chain { array: id, indices: Vec::new(), ty: 0 })
        };
        self.chains.get(&id).cloned().or_else(whole)
    }

    /// Splits a copy, because a copy between two blocks would need two selections at once.
    fn without_copy(&mut self, copy: Instruction) -> Vec<Instruction> {
        let pointers: Vec<u32> = ids(&copy).take(2).collect();
        let known = pointers.iter().find_map(|id| self.chain(*id));
        let ty = known.and_then(|chain| self.declarations.pointee(chain.ty));
        let ([to, from], Some(ty), Op::CopyMemory) = (pointers.as_slice(), ty, copy.class.opcode)
        else {
            return vec![copy];
        };
        let value = fresh(self.module);
        self.types.insert(value, ty);
        let from = vec![Operand::IdRef(*from)];
        let load = Instruction::new(Op::Load, Some(ty), Some(value), from);
        let operands = [*to, value].map(Operand::IdRef).to_vec();
        vec![load, Instruction::new(Op::Store, None, None, operands)]
    }

    /// The replacement of an instruction.
    fn instruction(
        &mut self,
        instruction: Instruction,
    ) -> Result<Option<Instruction>, Unsupported> {
        let chain_of = |operand: &Operand| match operand {
            Operand::IdRef(id) => self.chain(*id),
            _ => None,
        };
        let mut operands = instruction.operands.iter().enumerate();
        let found = operands.find_map(|(at, operand)| Some((at, chain_of(operand)?)));
        let Some((at, mut chain)) = found else { return Ok(Some(instruction)) };
        let is_chain =
            matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        if !is_chain || at != 0 {
            return self.access(instruction, at, &chain).map(Some);
        }
        chain.indices.extend(ids(&instruction).skip(1));
        chain.ty = instruction.result_type.unwrap_or(0);
        let array = &self.arrays[&chain.array];
        let rank = array.lengths.len();
        if let Some(element) = self.known_element(&chain)? {
            let operands = std::iter::once(&element).chain(&chain.indices[rank..]);
            let operands = operands.map(|id| Operand::IdRef(*id)).collect();
            return Ok(Some(Instruction { operands, ..instruction }));
        }
        self.chains.insert(instruction.result_id.unwrap_or(0), chain);
        Ok(None)
    }

    /// The variable that the first indices select; `None` if these are dynamic or too few.
    fn known_element(&self, chain: &Chain) -> Result<Option<u32>, Unsupported> {
        let array = &self.arrays[&chain.array];
        let mut linear = 0_u32;
        for (idx, length) in array.lengths.iter().enumerate() {
            let index = chain.indices.get(idx).and_then(|index| self.declarations.integer(*index));
            let Some(index) = index else { return Ok(None) };
            if index >= *length {
                return Err(Unsupported("an index outside an array of storage blocks".to_owned()));
            }
            linear = linear * length + index;
        }
        Ok(array.elements.get(linear as usize).copied())
    }
}

/// The id in the operand, if the operand is an id.
fn id_of(operand: &Operand) -> Option<u32> {
    matches!(operand, Operand::IdRef(_)).then(|| first_word(operand))
}
