//! Rejects code that would make naga's recursive passes overflow the stack.

use rspirv::dr::{Block, Module};
use rspirv::spirv::Op;

use crate::declarations::first_word;
use crate::well_formed::malformed::Malformed;

/// Maximum nesting of selections and loops.
const MAX_DEPTH: usize = 120;

/// Walks the blocks of every function; a merge block ends the construct of its header.
pub(crate) fn check(module: &Module) -> Result<(), Malformed> {
    for function in &module.functions {
        let mut open: Vec<u32> = Vec::new();
        for block in &function.blocks {
            let label = block.label.as_ref().and_then(|label| label.result_id);
            if let Some(depth) = open.iter().position(|merge| Some(*merge) == label) {
                open.truncate(depth);
            }
            open.extend(merge_of(block));
            if open.len() > MAX_DEPTH {
                return Err(Malformed(format!(
                    "nesting is deeper than interstage's limit of {MAX_DEPTH}"
                )));
            }
        }
    }
    Ok(())
}

fn merge_of(block: &Block) -> Option<u32> {
    let merge = block.instructions.iter().find(|instruction| {
        matches!(instruction.class.opcode, Op::SelectionMerge | Op::LoopMerge)
    })?;
    merge.operands.first().map(first_word)
}
