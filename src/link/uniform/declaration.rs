//! What the stages of a GLSL program declare in its uniform and its buffer interface, where every name stands for one
//! thing (GLSL 4.60 section 4.3.9).

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::frontend::declared_block::{BlockKind, DeclaredBlock};
use crate::frontend::stage_module::{StageModule, UniformKind};
use crate::source::Span;

/// All disagreements between the stages, in order.
pub(super) fn check(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let mut errors = check_blocks(stages);
    errors.extend(check_members(stages));
    errors
}

/// All declarations of a block are alike.
fn check_blocks(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<(BlockKind, &str), &DeclaredBlock> = BTreeMap::new();
    let mut errors = Vec::new();
    for block in stages.iter().flat_map(|stage| &stage.declared_blocks) {
        let earlier = *known.entry((block.kind, &block.name)).or_insert(block);
        errors.extend(block.difference(earlier).map(|difference| {
            Diagnostic::error(block.span, format!("{difference} in an earlier stage"))
        }));
    }
    errors
}

/// A name that is visible without an instance name belongs to one block, or to no block.
fn check_members(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let mut owners: BTreeMap<(BlockKind, &str), Option<&str>> = BTreeMap::new();
    let loose = stages.iter().flat_map(|stage| &stage.uniforms);
    let loose = loose.filter(|uniform| matches!(uniform.kind, UniformKind::Loose { .. }));
    let loose = loose.map(|it| (BlockKind::Uniform, &*it.name, None, it.span.unwrap_or_default()));
    let blocks = stages.iter().flat_map(|stage| &stage.declared_blocks);
    let nameless = blocks.filter(|block| !block.has_instance_name);
    let members = nameless.flat_map(|block| {
        let owner = Some(&*block.name);
        block.members.iter().map(move |it| (block.kind, &*it.name, owner, block.span))
    });
    let mut errors = Vec::new();
    let names = loose.chain(members);
    for (kind, name, owner, span) in names {
        let known = *owners.entry((kind, name)).or_insert(owner);
        if known != owner {
            errors.push(two_owners(name, owner, known, span));
        }
    }
    errors
}

fn two_owners(name: &str, here: Option<&str>, there: Option<&str>, span: Span) -> Diagnostic {
    let place = |owner: Option<&str>| match owner {
        Some(block) => format!("a member of block `{block}`"),
        None => "outside any block".to_owned(),
    };
    let message = format!("`{name}` is {} here but {} elsewhere", place(here), place(there));
    Diagnostic::error(span, message)
}
