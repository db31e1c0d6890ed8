//! Blocks and the labels that they branch to.

use rspirv::dr::Block;
use rspirv::spirv::Op;

use crate::specialize::ids;

/// The label of a block.
pub(super) fn label(block: &Block) -> u32 {
    block.label.as_ref().and_then(|label| label.result_id).unwrap_or(0)
}

/// Labels that the last instruction of a block branches to.
pub(super) fn successors(block: &Block) -> Vec<u32> {
    let Some(last) = block.instructions.last() else { return Vec::new() };
    let ids = ids(last);
    match last.class.opcode {
        Op::Branch => ids.collect(),
        Op::BranchConditional | Op::Switch => ids.skip(1).collect(),
        _ => Vec::new(),
    }
}
