//! Gives functions control flow that naga's reader understands.
//!
//! The reader builds nested statements from blocks, and relies on rules that valid modules may break. If the branches
//! of a condition meet without a merge instruction, or if one case of a switch continues in another, the reader
//! silently builds different control flow. So its construction is repeated here, and every branch is followed through
//! the statements. A function with a branch that ends elsewhere is rewritten.

mod construction;
mod continuing;
mod dispatch;

use std::collections::BTreeSet;

use rspirv::dr::{Function, Module, Operand};
use rspirv::spirv::Op;

use super::block::{label, successors};
use super::loop_exit::flag_exits;
use super::value::copy_pointers;
use crate::specialize::ids;
use construction::Construction;
use ir::diagnostic::Unsupported;

/// Gives every function a form that naga reads without changing its meaning.
pub(super) fn settle(module: &mut Module) -> Result<(), Unsupported> {
    let mut functions = std::mem::take(&mut module.functions);
    let neighbours = dispatch::functions_with_neighbours(&functions);
    for function in &mut functions {
        settle_one(module, function, &neighbours)?;
        continuing::keep_values(module, function);
    }
    module.functions = functions;
    Ok(())
}

/// Gives one function a form that naga reads without changing its meaning. A function in `neighbours` cannot be
/// flattened.
fn settle_one(
    module: &mut Module,
    function: &mut Function,
    neighbours: &BTreeSet<u32>,
) -> Result<(), Unsupported> {
    remove_unreached(function);
    if Construction::is_true_to(function) {
        return Ok(());
    }
    let mut flagged = function.clone();
    if flag_exits(module, &mut flagged).is_ok() && Construction::is_true_to(&flagged) {
        *function = flagged;
        return Ok(());
    }
    if dispatch::id_of(function).is_none_or(|id| neighbours.contains(&id)) {
        let word = "SPIR-V control flow that naga cannot read, with derivatives or barriers";
        return Err(Unsupported(word.to_owned()));
    }
    copy_pointers(module, function);
    dispatch::flatten(module, function)?;
    if !Construction::is_true_to(function) {
        return Err(Unsupported("SPIR-V control flow that naga cannot read".to_owned()));
    }
    Ok(())
}

/// Removes unreachable blocks that no merge instruction names. naga would append them to the function.
fn remove_unreached(function: &mut Function) {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<u32> = function.blocks.first().map(label).into_iter().collect();
    while let Some(next) = waiting.pop() {
        if !reached.insert(next) {
            continue;
        }
        let block = function.blocks.iter().find(|block| label(block) == next);
        let Some(block) = block else { continue };
        waiting.extend(successors(block));
        let is_merge = |op| matches!(op, Op::SelectionMerge | Op::LoopMerge);
        let merges = block.instructions.iter().filter(|one| is_merge(one.class.opcode));
        waiting.extend(merges.flat_map(ids));
    }
    function.blocks.retain(|block| reached.contains(&label(block)));
    for phi in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if phi.class.opcode != Op::Phi {
            continue;
        }
        let pairs = phi.operands.chunks_exact(2);
        let is_reached = |pair: &&[Operand]| {
            pair.get(1).and_then(Operand::id_ref_any).is_some_and(|from| reached.contains(&from))
        };
        phi.operands = pairs.filter(is_reached).flatten().cloned().collect();
    }
}
