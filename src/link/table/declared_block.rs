//! Checks that the stages of a GLSL program agree about the blocks that they declare in its uniform and buffer
//! interfaces (GLSL 4.60 section 4.3.9). [`crate::table::names`] checks that nothing else has the name of a block.

use std::collections::BTreeMap;

use ir::declared_block::{BlockKind, DeclaredBlock};
use ir::diagnostic::Diagnostic;
use ir::stage_module::StageModule;

/// All disagreements between the stages about blocks of one kind, in order.
pub(crate) fn check(stages: &[&StageModule], kind: BlockKind) -> Vec<Diagnostic> {
    let blocks = stages.iter().flat_map(|stage| &stage.declared_blocks);
    let mut known: BTreeMap<&str, &DeclaredBlock> = BTreeMap::new();
    let mut errors = Vec::new();
    for block in blocks.filter(|block| block.kind == kind) {
        let earlier = *known.entry(&block.name).or_insert(block);
        errors.extend(block.difference(earlier).map(|difference| {
            Diagnostic::error(block.span, format!("{difference} in an earlier stage"))
        }));
    }
    errors
}
