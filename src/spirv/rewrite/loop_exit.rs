//! Rewrites branches out of a loop from inside a switch. naga reads them as the end of the switch only, so the loop
//! would continue.
//!
//! Each of these branches sets a flag and ends the switch; after the switch the flag decides whether the loop ends. If
//! the end of the switch is inside another switch, the rewrite is repeated there.

use std::collections::BTreeSet;

use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, SelectionControl, StorageClass};

use super::block::{label, successors};
use super::block_array::fresh;
use super::value::global;
use ir::diagnostic::Unsupported;

/// Replaces all branches out of a loop from inside a switch.
///
/// # Errors
/// The switches are not properly nested, so moving a branch out of one moves it into another.
pub(super) fn flag_exits(module: &mut Module, function: &mut Function) -> Result<(), Unsupported> {
    // The innermost switch is replaced first, so each switch is replaced at most once.
    let mut left = function.blocks.iter().filter(|block| ends_in_switch(block)).count();
    while let Some(exit) = Exit::find(function) {
        if left == 0 {
            return Err(Unsupported("switches that are not nested".to_owned()));
        }
        left -= 1;
        exit.replace(module, function);
    }
    Ok(())
}

/// A switch with branches to the end of a loop around it.
struct Exit {
    /// Label of the block with the switch.
    header: u32,
    /// Label of the block after the switch.
    merge: u32,
    /// Label of the block after the loop.
    target: u32,
    /// Labels of the blocks inside the switch, and of the block with the switch.
    construct: BTreeSet<u32>,
}

fn ends_in_switch(block: &Block) -> bool {
    block.instructions.last().is_some_and(|last| last.class.opcode == Op::Switch)
}

/// The merge block of a construct, if the block begins one with this instruction.
fn merge_of(block: &Block, op: Op) -> Option<u32> {
    let merge = block.instructions.iter().find(|one| one.class.opcode == op)?;
    crate::specialize::ids(merge).next()
}

impl Exit {
    /// The smallest switch with branches out of a loop around it.
    fn find(function: &Function) -> Option<Self> {
        let switches = function.blocks.iter().filter(|block| ends_in_switch(block));
        let exits = switches.filter_map(|block| Self::of(function, block));
        exits.min_by_key(|exit| exit.construct.len())
    }

    fn of(function: &Function, switch: &Block) -> Option<Self> {
        let (header, merge) = (label(switch), merge_of(switch, Op::SelectionMerge)?);
        let block = |wanted: u32| function.blocks.iter().find(|block| label(block) == wanted);
        let mut construct = BTreeSet::from([header]);
        let mut target = None;
        let mut rest = successors(switch);
        while let Some(next) = rest.pop() {
            if next == merge || construct.contains(&next) {
                continue;
            }
            // The merge block and the continue target of a loop that begins outside the switch are outside too.
            let around = function.blocks.iter().find(|block| {
                let loop_merge = block.instructions.iter();
                let mut loop_merge = loop_merge.filter(|one| one.class.opcode == Op::LoopMerge);
                loop_merge.any(|one| crate::specialize::ids(one).any(|id| id == next))
            });
            if let Some(around) = around.filter(|around| !construct.contains(&label(around))) {
                let is_end = merge_of(around, Op::LoopMerge) == Some(next);
                target = target.or(is_end.then_some(next));
                continue;
            }
            construct.insert(next);
            rest.extend(block(next).map(successors).into_iter().flatten());
        }
        Some(Self { header, merge, target: target?, construct })
    }

    fn replace(&self, module: &mut Module, function: &mut Function) {
        let flag = Flag::new(module, function);
        let (gate, exit) = (fresh(module), fresh(module));
        let mut added = Vec::new();
        let mut leaving = Vec::new();
        for block in &mut function.blocks {
            let from = label(block);
            if !self.construct.contains(&from) {
                continue;
            }
            if from == self.header {
                let merge = block.instructions.len().saturating_sub(2);
                block.instructions.insert(merge, flag.store(flag.off));
            }
            if successors(block).contains(&self.target) {
                let new = self.leave(module, block, gate, &flag);
                leaving.push((from, new.as_ref().map_or(from, label)));
                added.extend(new);
            }
            retarget(block, (from == self.header).then_some(self.merge), self.merge, gate);
        }
        function.blocks.extend(added);
        let Some(at) = function.blocks.iter().position(|block| label(block) == self.merge) else {
            return;
        };
        let others = others(function, gate, &leaving);
        let staying: Vec<_> = others.iter().map(|from| (*from, *from)).collect();
        // Values for the block after the switch and for the block after the loop come through the gate. Other values,
        // such as those from the next iteration of a loop, stay.
        let ends =
            [(self.merge, &staying, &leaving, gate), (self.target, &leaving, &staying, exit)];
        let mut code = Vec::new();
        for (end, given, unset, via) in ends {
            for block in function.blocks.iter_mut().filter(|block| label(block) == end) {
                for phi in block.instructions.iter_mut().filter(|one| one.class.opcode == Op::Phi) {
                    code.extend(carry(module, phi, [given, unset], via));
                }
            }
        }
        let loaded = fresh(module);
        let instruction = |op, operands| Instruction::new(op, None, None, operands);
        let read = vec![Operand::IdRef(flag.variable)];
        code.push(Instruction::new(Op::Load, Some(flag.bool_type), Some(loaded), read));
        let control = Operand::SelectionControl(SelectionControl::NONE);
        code.push(instruction(Op::SelectionMerge, vec![Operand::IdRef(self.merge), control]));
        let ways = [loaded, exit, self.merge].map(Operand::IdRef).to_vec();
        code.push(instruction(Op::BranchConditional, ways));
        let branch = instruction(Op::Branch, vec![Operand::IdRef(self.target)]);
        let blocks = [block(gate, code), block(exit, vec![branch])];
        function.blocks.splice(at..at, blocks);
    }

    /// Replaces a block's branch out of the loop by a branch to the gate with the flag set. Returns the block
    /// that branches to the gate, if it is a new one.
    fn leave(
        &self,
        module: &mut Module,
        from: &mut Block,
        gate: u32,
        flag: &Flag,
    ) -> Option<Block> {
        let branch = Instruction::new(Op::Branch, None, None, vec![Operand::IdRef(gate)]);
        let is_plain = from.instructions.last().is_some_and(|last| last.class.opcode == Op::Branch);
        if is_plain {
            from.instructions.pop();
            from.instructions.extend([flag.store(flag.on), branch]);
            return None;
        }
        let new = fresh(module);
        retarget(from, None, self.target, new);
        Some(block(new, vec![flag.store(flag.on), branch]))
    }
}

/// A local variable that is true if the loop ends.
struct Flag {
    variable: u32,
    bool_type: u32,
    on: u32,
    off: u32,
}

impl Flag {
    fn new(module: &mut Module, function: &mut Function) -> Self {
        let bool_type = global(module, Op::TypeBool, None, Vec::new());
        let class = Operand::StorageClass(StorageClass::Function);
        let operands = vec![class.clone(), Operand::IdRef(bool_type)];
        let pointer = global(module, Op::TypePointer, None, operands);
        let on = global(module, Op::ConstantTrue, Some(bool_type), Vec::new());
        let off = global(module, Op::ConstantFalse, Some(bool_type), Vec::new());
        let variable = fresh(module);
        let declared = Instruction::new(Op::Variable, Some(pointer), Some(variable), vec![class]);
        if let Some(entry) = function.blocks.first_mut() {
            entry.instructions.insert(0, declared);
        }
        Self { variable, bool_type, on, off }
    }

    fn store(&self, value: u32) -> Instruction {
        let operands = [self.variable, value].map(Operand::IdRef).to_vec();
        Instruction::new(Op::Store, None, None, operands)
    }
}

fn block(label: u32, instructions: Vec<Instruction>) -> Block {
    Block { label: Some(Instruction::new(Op::Label, None, Some(label), Vec::new())), instructions }
}

/// Values and labels of a phi.
fn pairs(phi: &Instruction) -> Vec<(u32, u32)> {
    let ids: Vec<u32> = crate::specialize::ids(phi).collect();
    ids.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Replaces a label in the last instruction of a block, and as the `merge` block of the construct that the block
/// begins.
fn retarget(block: &mut Block, merge: Option<u32>, old: u32, new: u32) {
    let count = block.instructions.len();
    for (idx, one) in block.instructions.iter_mut().enumerate() {
        let is_merge = merge.is_some() && one.class.opcode == Op::SelectionMerge;
        if idx + 1 != count && !is_merge {
            continue;
        }
        for operand in &mut one.operands {
            if *operand == Operand::IdRef(old) {
                *operand = Operand::IdRef(new);
            }
        }
    }
}

/// Labels of the blocks that branch to the gate without leaving the loop.
fn others(function: &Function, gate: u32, leaving: &[(u32, u32)]) -> Vec<u32> {
    let is_leaving = |from: u32| leaving.iter().any(|(_, own)| *own == from);
    let to_gate = |block: &&Block| successors(block).contains(&gate);
    let all = function.blocks.iter().filter(to_gate).map(label);
    all.filter(|from| !is_leaving(*from)).collect()
}

/// Moves the values that a phi gets from the blocks `given` (by their old labels) to a phi in the gate, whose value
/// from the blocks `unset` is undefined. The old phi gets the result from the block `via`. Returns the phi in the gate.
fn carry(
    module: &mut Module,
    phi: &mut Instruction,
    [given, unset]: [&[(u32, u32)]; 2],
    via: u32,
) -> Option<Instruction> {
    let new_label = |from: u32| given.iter().find(|(old, _)| *old == from).map(|(_, new)| *new);
    let (inside, outside): (Vec<_>, Vec<_>) =
        pairs(phi).into_iter().partition(|(_, from)| new_label(*from).is_some());
    if inside.is_empty() {
        return None;
    }
    let nothing = global(module, Op::Undef, phi.result_type, Vec::new());
    let inside = inside.iter().filter_map(|(value, from)| Some([*value, new_label(*from)?]));
    let unset = unset.iter().map(|(_, from)| [nothing, *from]);
    let carried = fresh(module);
    let operands = inside.chain(unset).flatten().map(Operand::IdRef).collect();
    let outside = outside.into_iter().map(|(value, from)| [value, from]);
    phi.operands = outside.chain([[carried, via]]).flatten().map(Operand::IdRef).collect();
    Some(Instruction::new(Op::Phi, phi.result_type, Some(carried), operands))
}
