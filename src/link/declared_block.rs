//! Agreement of the blocks that the stages of a GLSL program declare in its uniform and its buffer interface, where
//! every name stands for one thing (GLSL 4.60 section 4.3.9).

use std::collections::BTreeMap;

use ir::declared_block::{BlockKind, DeclaredBlock};
use ir::diagnostic::Diagnostic;
use ir::source::Span;
use ir::stage_module::{StageModule, UniformKind};

/// All disagreements between the stages about blocks of this kind, in order.
pub(super) fn check(stages: &[&StageModule], kind: BlockKind) -> Vec<Diagnostic> {
    let blocks = stages.iter().flat_map(|stage| &stage.declared_blocks);
    let blocks: Vec<&DeclaredBlock> = blocks.filter(|block| block.kind == kind).collect();
    let loose = match kind {
        BlockKind::Uniform => loose_uniforms(stages),
        BlockKind::Storage => Vec::new(),
    };
    let mut errors = check_blocks(&blocks);
    errors.extend(check_members(&blocks, loose));
    errors
}

/// Names of uniforms outside any block, with their declarations.
fn loose_uniforms<'a>(stages: &[&'a StageModule]) -> Vec<(&'a str, Option<Span>)> {
    let uniforms = stages.iter().flat_map(|stage| &stage.uniforms);
    let loose = uniforms.filter(|uniform| matches!(uniform.kind, UniformKind::Loose { .. }));
    loose.map(|uniform| (&*uniform.name, uniform.span)).collect()
}

/// Checks that all declarations of a block are alike.
fn check_blocks(blocks: &[&DeclaredBlock]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<&str, &DeclaredBlock> = BTreeMap::new();
    let mut errors = Vec::new();
    for block in blocks {
        let earlier = *known.entry(&block.name).or_insert(block);
        errors.extend(block.difference(earlier).map(|difference| {
            Diagnostic::error(block.span, format!("{difference} in an earlier stage"))
        }));
    }
    errors
}

/// Checks that a name that is visible without an instance name belongs to one block, or to no block.
fn check_members(blocks: &[&DeclaredBlock], loose: Vec<(&str, Option<Span>)>) -> Vec<Diagnostic> {
    let mut owners: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let loose = loose.into_iter().map(|(name, span)| (name, None, span));
    let nameless = blocks.iter().filter(|block| !block.has_instance_name);
    let members = nameless.flat_map(|block| {
        block.members.iter().map(|member| (&*member.name, Some(&*block.name), Some(block.span)))
    });
    let mut errors = Vec::new();
    for (name, owner, span) in loose.chain(members) {
        let known = *owners.entry(name).or_insert(owner);
        if known != owner {
            errors.push(two_owners(name, owner, known, span));
        }
    }
    errors
}

fn two_owners(
    name: &str,
    here: Option<&str>,
    there: Option<&str>,
    span: Option<Span>,
) -> Diagnostic {
    let place = |owner: Option<&str>| match owner {
        Some(block) => format!("a member of block `{block}`"),
        None => "outside any block".to_owned(),
    };
    let message = format!("`{name}` is {} here but {} elsewhere", place(here), place(there));
    Diagnostic::error(span, message)
}
