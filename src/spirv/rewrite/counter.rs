//! Replaces atomic counters, which WebGPU does not have, by words of one storage buffer per binding point.

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::declarations::{Declarations, Variable};
use crate::role::Role;
use ir::diagnostic::Unsupported;

use super::block_array::fresh;

/// The ids that replace the counters.
#[derive(Default)]
struct Replacing {
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
    let mut replacing =
        Replacing { unsigned: declarations.without_arrays(first.ty).0, ..Replacing::default() };
    replacing.declare_types(module);
    for counter in &counters {
        let own = declarations.decorations(counter.id);
        let binding = own.number(Decoration::Binding).unwrap_or(0);
        let offset = own.number(Decoration::Offset).unwrap_or(0);
        let buffer = replacing.buffer(module, binding);
        let (_, lengths) = declarations.without_arrays(counter.ty);
        replacing.counters.insert(counter.id, Counter { buffer, word: offset / 4, lengths });
    }
    let is_kept = |instruction: &Instruction| {
        !instruction.result_id.is_some_and(|id| replacing.counters.contains_key(&id))
    };
    module.types_global_values.retain(is_kept);
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        replacing.rewrite(module, function, declarations)?;
    }
    module.functions = functions;
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

impl Replacing {
    fn declare_types(&mut self, module: &mut Module) {
        self.pointer = fresh(module);
        let operands =
            vec![Operand::StorageClass(StorageClass::StorageBuffer), Operand::IdRef(self.unsigned)];
        let pointer = Instruction::new(Op::TypePointer, None, Some(self.pointer), operands);
        module.types_global_values.push(pointer);
    }

    /// Declares the buffer of a binding point: a block of words, with its own type.
    fn buffer(&mut self, module: &mut Module, binding: u32) -> u32 {
        if let Some(known) = self.buffers.get(&binding) {
            return *known;
        }
        let [array, block, pointer, buffer] = [(); 4].map(|()| fresh(module));
        let class = Operand::StorageClass(StorageClass::StorageBuffer);
        let declare = |op, id, operands| Instruction::new(op, None, Some(id), operands);
        module.types_global_values.extend([
            declare(Op::TypeRuntimeArray, array, vec![Operand::IdRef(self.unsigned)]),
            declare(Op::TypeStruct, block, vec![Operand::IdRef(array)]),
            declare(Op::TypePointer, pointer, vec![class.clone(), Operand::IdRef(block)]),
            Instruction::new(Op::Variable, Some(pointer), Some(buffer), vec![class]),
        ]);
        let decorations = vec![Operand::IdRef(block), Operand::Decoration(Decoration::Block)];
        module.annotations.push(Instruction::new(Op::Decorate, None, None, decorations));
        self.buffers.insert(binding, buffer);
        buffer
    }

    fn constant(&mut self, module: &mut Module, value: u32) -> u32 {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let id = fresh(module);
        let operands = vec![Operand::LiteralBit32(value)];
        let constant = Instruction::new(Op::Constant, Some(self.unsigned), Some(id), operands);
        module.types_global_values.push(constant);
        self.constants.insert(value, id);
        id
    }

    fn rewrite(
        &mut self,
        module: &mut Module,
        function: &mut Function,
        declarations: &Declarations,
    ) -> Result<(), Unsupported> {
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
                        self.redirect(module, &mut instruction, &counter, declarations, &mut new)?;
                    } else if counter.lengths.is_empty() {
                        let pointer = self.pointer_to(module, &counter, &mut new);
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

    fn pointer_to(
        &mut self,
        module: &mut Module,
        counter: &Counter,
        before: &mut Vec<Instruction>,
    ) -> u32 {
        let (zero, word) = (self.constant(module, 0), self.constant(module, counter.word));
        let id = fresh(module);
        let operands = [counter.buffer, zero, word].map(Operand::IdRef).to_vec();
        before.push(Instruction::new(Op::AccessChain, Some(self.pointer), Some(id), operands));
        id
    }

    /// Redirects a chain into an array of counters to a word of the buffer.
    fn redirect(
        &mut self,
        module: &mut Module,
        chain: &mut Instruction,
        counter: &Counter,
        declarations: &Declarations,
        before: &mut Vec<Instruction>,
    ) -> Result<(), Unsupported> {
        let indices: Vec<u32> = super::super::specialize::ids(chain).skip(1).collect();
        if indices.len() != counter.lengths.len() {
            return Err(Unsupported("an array of atomic counters used as a whole".to_owned()));
        }
        let mut at = self.constant(module, 0);
        for (index, length) in indices.iter().zip(&counter.lengths) {
            let is_inside = declarations.integer(*index).is_none_or(|index| index < *length);
            if !is_inside {
                return Err(Unsupported("an index outside an array of atomic counters".to_owned()));
            }
            let length = self.constant(module, *length);
            at = self.compute(module, Op::IMul, [at, length], before);
            at = self.compute(module, Op::IAdd, [at, *index], before);
        }
        let first = self.constant(module, counter.word);
        at = self.compute(module, Op::IAdd, [at, first], before);
        let zero = self.constant(module, 0);
        chain.operands = [counter.buffer, zero, at].map(Operand::IdRef).to_vec();
        Ok(())
    }

    fn compute(
        &self,
        module: &mut Module,
        op: Op,
        operands: [u32; 2],
        before: &mut Vec<Instruction>,
    ) -> u32 {
        let id = fresh(module);
        let operands = operands.map(Operand::IdRef).to_vec();
        before.push(Instruction::new(op, Some(self.unsigned), Some(id), operands));
        id
    }
}
