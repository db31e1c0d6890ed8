//! Replaces atomic counters, which WebGPU does not have, by words of one storage buffer per binding point.

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::declarations::{Declarations, Variable};
use crate::role::Role;
use ir::diagnostic::Unsupported;

use super::block_array::fresh;

/// The module whose counters are replaced, with the ids that replace them.
struct Replacing<'a> {
    /// The module, during the rewrite of the code without its functions.
    module: &'a mut Module,
    /// The declarations before the rewrite.
    declarations: &'a Declarations,
    /// Buffer by binding point.
    buffers: BTreeMap<u32, u32>,
    /// Buffer, first word and array lengths by the counter's id.
    counters: BTreeMap<u32, Counter>,
    /// Constants by value.
    constants: BTreeMap<u32, u32>,
    unsigned: u32,
    pointer: u32,
}

#[derive(Clone)]
struct Counter {
    buffer: u32,
    word: u32,
    lengths: Vec<u32>,
}

/// Replaces all counters. Returns the binding point of every buffer by its id.
pub(super) fn replace(
    module: &mut Module,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<BTreeMap<u32, u32>, Unsupported> {
    let is_counter = |variable: &&Variable| roles.get(&variable.id) == Some(&Role::AtomicCounter);
    let counters: Vec<_> = declarations.variables.iter().filter(is_counter).collect();
    let Some(first) = counters.first() else { return Ok(BTreeMap::new()) };
    retype_pointers(module);
    let unsigned = declarations.without_arrays(first.ty).0;
    let pointer = declare_pointer(module, unsigned);
    let mut replacing = Replacing {
        module,
        declarations,
        buffers: BTreeMap::new(),
        counters: BTreeMap::new(),
        constants: BTreeMap::new(),
        unsigned,
        pointer,
    };
    for counter in &counters {
        let own = declarations.decorations(counter.id);
        let binding = own.number(Decoration::Binding).unwrap_or(0);
        let offset = own.number(Decoration::Offset).unwrap_or(0);
        let buffer = replacing.buffer(binding);
        let (_, lengths) = declarations.without_arrays(counter.ty);
        replacing.counters.insert(counter.id, Counter { buffer, word: offset / 4, lengths });
    }
    let is_kept = |instruction: &Instruction| {
        !instruction.result_id.is_some_and(|id| replacing.counters.contains_key(&id))
    };
    replacing.module.types_global_values.retain(is_kept);
    let mut functions = std::mem::take(&mut replacing.module.functions);
    for function in &mut functions {
        replacing.rewrite(function)?;
    }
    replacing.module.functions = functions;
    Ok(replacing.buffers.iter().map(|(binding, id)| (*id, *binding)).collect())
}

fn retype_pointers(module: &mut Module) {
    for instruction in &mut module.types_global_values {
        let class = instruction.operands.first_mut();
        if let Some(Operand::StorageClass(class @ StorageClass::AtomicCounter)) = class {
            *class = StorageClass::StorageBuffer;
        }
    }
}

/// Declares the type of pointers to a word of a buffer.
fn declare_pointer(module: &mut Module, unsigned: u32) -> u32 {
    let id = fresh(module);
    let operands =
        vec![Operand::StorageClass(StorageClass::StorageBuffer), Operand::IdRef(unsigned)];
    module.types_global_values.push(Instruction::new(Op::TypePointer, None, Some(id), operands));
    id
}

impl Replacing<'_> {
    /// Declares the buffer of a binding point: a block of words, with its own type.
    fn buffer(&mut self, binding: u32) -> u32 {
        if let Some(known) = self.buffers.get(&binding) {
            return *known;
        }
        let [array, block, pointer, buffer] = [(); 4].map(|()| fresh(self.module));
        let class = Operand::StorageClass(StorageClass::StorageBuffer);
        let declare = |op, id, operands| Instruction::new(op, None, Some(id), operands);
        self.module.types_global_values.extend([
            declare(Op::TypeRuntimeArray, array, vec![Operand::IdRef(self.unsigned)]),
            declare(Op::TypeStruct, block, vec![Operand::IdRef(array)]),
            declare(Op::TypePointer, pointer, vec![class.clone(), Operand::IdRef(block)]),
            Instruction::new(Op::Variable, Some(pointer), Some(buffer), vec![class]),
        ]);
        let decorations = vec![Operand::IdRef(block), Operand::Decoration(Decoration::Block)];
        self.module.annotations.push(Instruction::new(Op::Decorate, None, None, decorations));
        self.buffers.insert(binding, buffer);
        buffer
    }

    fn constant(&mut self, value: u32) -> u32 {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let id = fresh(self.module);
        let operands = vec![Operand::LiteralBit32(value)];
        let constant = Instruction::new(Op::Constant, Some(self.unsigned), Some(id), operands);
        self.module.types_global_values.push(constant);
        self.constants.insert(value, id);
        id
    }

    fn rewrite(&mut self, function: &mut Function) -> Result<(), Unsupported> {
        for block in &mut function.blocks {
            let mut new = Vec::new();
            for mut instruction in std::mem::take(&mut block.instructions) {
                let named = instruction.operands.iter().position(
                    |operand| matches!(operand, Operand::IdRef(id) if self.counters.contains_key(id)),
                );
                if let Some(Operand::IdRef(id)) = named.and_then(|at| instruction.operands.get(at))
                {
                    let counter = self.counters[id].clone();
                    let is_chain = matches!(
                        instruction.class.opcode,
                        Op::AccessChain | Op::InBoundsAccessChain
                    );
                    if is_chain {
                        self.redirect(&mut instruction, &counter, &mut new)?;
                    } else if counter.lengths.is_empty() {
                        let pointer = self.pointer_to(&counter, &mut new);
                        let at = named.unwrap_or(0);
                        instruction.operands[at] = Operand::IdRef(pointer);
                    } else {
                        return Err(Unsupported(
                            "an array of atomic counters used as a whole".to_owned(),
                        ));
                    }
                }
                new.push(instruction);
            }
            block.instructions = new;
        }
        Ok(())
    }

    fn pointer_to(&mut self, counter: &Counter, before: &mut Vec<Instruction>) -> u32 {
        let (zero, word) = (self.constant(0), self.constant(counter.word));
        let id = fresh(self.module);
        let operands = [counter.buffer, zero, word].map(Operand::IdRef).to_vec();
        before.push(Instruction::new(Op::AccessChain, Some(self.pointer), Some(id), operands));
        id
    }

    /// Redirects a chain into an array of counters to a word of the buffer.
    fn redirect(
        &mut self,
        chain: &mut Instruction,
        counter: &Counter,
        before: &mut Vec<Instruction>,
    ) -> Result<(), Unsupported> {
        let indices: Vec<u32> = super::super::specialize::ids(chain).skip(1).collect();
        if indices.len() != counter.lengths.len() {
            return Err(Unsupported("an array of atomic counters used as a whole".to_owned()));
        }
        let mut at = self.constant(0);
        for (index, length) in indices.iter().zip(&counter.lengths) {
            let is_inside = self.declarations.integer(*index).is_none_or(|index| index < *length);
            if !is_inside {
                return Err(Unsupported("an index outside an array of atomic counters".to_owned()));
            }
            let length = self.constant(*length);
            at = self.compute(Op::IMul, [at, length], before);
            at = self.compute(Op::IAdd, [at, *index], before);
        }
        let first = self.constant(counter.word);
        at = self.compute(Op::IAdd, [at, first], before);
        let zero = self.constant(0);
        chain.operands = [counter.buffer, zero, at].map(Operand::IdRef).to_vec();
        Ok(())
    }

    fn compute(&mut self, op: Op, operands: [u32; 2], before: &mut Vec<Instruction>) -> u32 {
        let id = fresh(self.module);
        let operands = operands.map(Operand::IdRef).to_vec();
        before.push(Instruction::new(op, Some(self.unsigned), Some(id), operands));
        id
    }
}
