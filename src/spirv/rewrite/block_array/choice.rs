//! Access to a block with a dynamic index: a function with a `switch` over the blocks, which executes the original
//! access in each case.

use std::collections::BTreeMap;

use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{FunctionControl, Op, SelectionControl};

use super::{Chain, Splitting, fresh, id_of};
use ir::diagnostic::Unsupported;

impl Splitting<'_> {
    /// The call that replaces `instruction`, which accesses memory through `chain`. The chain is operand `at` of the
    /// instruction.
    pub(super) fn access(
        &mut self,
        instruction: Instruction,
        at: usize,
        chain: &Chain,
    ) -> Result<Instruction, Unsupported> {
        let array = &self.arrays[&chain.array];
        if chain.indices.len() < array.lengths.len() {
            return Err(Unsupported("an array of storage blocks used as a whole".to_owned()));
        }
        let opcode = instruction.class.opcode;
        if !is_access(opcode) {
            let word = "a pointer with a dynamic index into an array of storage blocks";
            return Err(Unsupported(format!("{word} in Op{opcode:?}")));
        }
        let mut arguments: Vec<u32> = chain.indices.clone();
        let others = instruction.operands.iter().enumerate().filter(|(idx, _)| *idx != at);
        arguments.extend(others.filter_map(|(_, operand)| id_of(operand)));
        // Declarations at module scope are visible inside the function as well.
        arguments.retain(|id| self.types.contains_key(id));
        arguments.sort_unstable();
        arguments.dedup();
        let callee = self.choose(&instruction, at, chain, &arguments)?;
        let operands = std::iter::once(callee).chain(arguments).map(Operand::IdRef).collect();
        let result_type = Some(self.result_type(&instruction)?);
        let result_id = instruction.result_id.unwrap_or_else(|| fresh(self.module));
        Ok(Instruction::new(Op::FunctionCall, result_type, Some(result_id), operands))
    }

    fn result_type(&self, instruction: &Instruction) -> Result<u32, Unsupported> {
        let mut globals = self.module.types_global_values.iter();
        let void = || globals.find(|global| global.class.opcode == Op::TypeVoid)?.result_id;
        let ty = instruction.result_type.or_else(void);
        ty.ok_or_else(|| Unsupported("a module without the type void".to_owned()))
    }

    /// Adds the function and returns its id.
    fn choose(
        &mut self,
        instruction: &Instruction,
        at: usize,
        chain: &Chain,
        arguments: &[u32],
    ) -> Result<u32, Unsupported> {
        let mut function = Function::new();
        let callee = self.define(&mut function, self.result_type(instruction)?, arguments);
        let parameters = function.parameters.iter().filter_map(|parameter| parameter.result_id);
        let inside: BTreeMap<u32, u32> = arguments.iter().copied().zip(parameters).collect();
        let inside = |id: u32| inside.get(&id).copied().unwrap_or(id);

        let array = &self.arrays[&chain.array];
        let (elements, lengths) = (array.elements.clone(), array.lengths.clone());
        let (block_indices, rest) = chain.indices.split_at(lengths.len());
        let block_indices: Vec<u32> = block_indices.iter().map(|id| inside(*id)).collect();
        let labels: Vec<u32> = elements.iter().map(|_| fresh(self.module)).collect();
        let mut head = self.block();
        let selector = self.linear(&mut head, chain, &block_indices, &lengths);
        head.instructions.extend(switch(selector, &labels));
        function.blocks.push(head);

        let mut own = instruction.clone();
        for operand in &mut own.operands {
            if let Operand::IdRef(id) = operand {
                *id = inside(*id);
            }
        }
        let rest: Vec<u32> = rest.iter().map(|id| inside(*id)).collect();
        for (label, element) in labels.iter().zip(&elements) {
            let pointer = fresh(self.module);
            let operands = std::iter::once(element).chain(&rest);
            let operands = operands.map(|id| Operand::IdRef(*id)).collect();
            let to = Instruction::new(Op::AccessChain, Some(chain.ty), Some(pointer), operands);
            let mut own = own.clone();
            own.operands[at] = Operand::IdRef(pointer);
            own.result_id = own.result_id.map(|_| fresh(self.module));
            let leave = match own.result_id {
                Some(result) => plain(Op::ReturnValue, vec![Operand::IdRef(result)]),
                None => plain(Op::Return, Vec::new()),
            };
            let instructions = vec![to, own, leave];
            function.blocks.push(Block { label: Some(label_of(*label)), instructions });
        }
        self.choices.push(function);
        Ok(callee)
    }

    /// Defines a function with parameters of the arguments' types.
    fn define(&mut self, function: &mut Function, result: u32, arguments: &[u32]) -> u32 {
        let types: Vec<u32> = arguments.iter().map(|id| self.types[id]).collect();
        let [ty, callee] = [(); 2].map(|()| fresh(self.module));
        let operands = std::iter::once(&result).chain(&types).map(|id| Operand::IdRef(*id));
        let declaration = Instruction::new(Op::TypeFunction, None, Some(ty), operands.collect());
        self.module.types_global_values.push(declaration);
        let operands = vec![Operand::FunctionControl(FunctionControl::NONE), Operand::IdRef(ty)];
        function.def = Some(Instruction::new(Op::Function, Some(result), Some(callee), operands));
        for ty in types {
            let id = Some(fresh(self.module));
            let parameter = Instruction::new(Op::FunctionParameter, Some(ty), id, Vec::new());
            function.parameters.push(parameter);
        }
        function.end = Some(plain(Op::FunctionEnd, Vec::new()));
        callee
    }

    fn block(&mut self) -> Block {
        Block { label: Some(label_of(fresh(self.module))), instructions: Vec::new() }
    }

    /// The block's linear index, the last index changing fastest.
    fn linear(
        &mut self,
        block: &mut Block,
        chain: &Chain,
        indices: &[u32],
        lengths: &[u32],
    ) -> u32 {
        let mut linear = indices.first().copied().unwrap_or(0);
        let ty = chain.indices.first().and_then(|id| self.type_of(*id));
        for (index, length) in indices.iter().zip(lengths).skip(1) {
            let [constant, row, next] = [(); 3].map(|()| fresh(self.module));
            let value = vec![Operand::LiteralBit32(*length)];
            let value = Instruction::new(Op::Constant, ty, Some(constant), value);
            self.module.types_global_values.push(value);
            for (op, id, operands) in
                [(Op::IMul, row, [linear, constant]), (Op::IAdd, next, [row, *index])]
            {
                let operands = operands.map(Operand::IdRef).to_vec();
                block.instructions.push(Instruction::new(op, ty, Some(id), operands));
            }
            linear = next;
        }
        linear
    }

    /// The type of a local value or of a constant.
    fn type_of(&self, id: u32) -> Option<u32> {
        let constant = || self.declarations.value(id)?.result_type;
        self.types.get(&id).copied().or_else(constant)
    }
}

/// A `switch` whose default, for an index out of bounds, is the last block.
fn switch(selector: u32, labels: &[u32]) -> [Instruction; 2] {
    let last = labels.last().copied().unwrap_or(selector);
    let control = Operand::SelectionControl(SelectionControl::NONE);
    let mut operands = vec![Operand::IdRef(selector), Operand::IdRef(last)];
    for (value, label) in (0..).zip(labels).take(labels.len().saturating_sub(1)) {
        operands.extend([Operand::LiteralBit32(value), Operand::IdRef(*label)]);
    }
    [plain(Op::SelectionMerge, vec![Operand::IdRef(last), control]), plain(Op::Switch, operands)]
}

fn plain(op: Op, operands: Vec<Operand>) -> Instruction {
    Instruction::new(op, None, None, operands)
}

fn label_of(id: u32) -> Instruction {
    Instruction::new(Op::Label, None, Some(id), Vec::new())
}

/// True for an instruction that reads or writes through a pointer, and does not pass the pointer on.
const fn is_access(op: Op) -> bool {
    matches!(
        op,
        Op::Load
            | Op::Store
            | Op::ArrayLength
            | Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
    )
}
