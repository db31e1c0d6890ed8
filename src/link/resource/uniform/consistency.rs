//! Checks that the stages of a program agree about uniforms and blocks, used or not.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::match_up::is_same_type;
use crate::resource::uniform::layout_of_uniform;
use crate::table::difference::{MemberNames, first_difference};
use crate::table::names::{Located, overlaps};
use ir::diagnostic::Diagnostic;
use ir::stage_module::{LanguageRules, StageModule, UniformKind, UniformVariable};
use ir::uniform::location_count;

/// All disagreements between the stages, in order. [`crate::table::names`] compares the names of GLSL.
pub(super) fn check(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut seen: BTreeMap<(bool, &str), &UniformVariable> = BTreeMap::new();
    // In Vulkan each stage may declare a buffer differently.
    let agreeing = stages.iter().filter(|stage| stage.rules != LanguageRules::Vulkan);
    for uniform in agreeing.clone().flat_map(|stage| &stage.uniforms) {
        // Names of blocks and of loose uniforms are separate.
        let is_block = matches!(uniform.kind, UniformKind::Block { .. });
        match seen.entry((is_block, &uniform.name)) {
            Entry::Occupied(first) => compare(first.get(), uniform, &mut errors),
            Entry::Vacant(entry) => drop(entry.insert(uniform)),
        }
    }
    check_block_arrays(agreeing.copied(), &mut errors);
    errors.extend(overlaps(seen.values().filter_map(|uniform| located(uniform))));
    errors
}

fn compare(first: &UniformVariable, second: &UniformVariable, errors: &mut Vec<Diagnostic>) {
    let mut complain = |message: String| errors.push(Diagnostic::error(second.span, message));
    if let (UniformKind::Block { .. }, UniformKind::Block { .. }) = (&first.kind, &second.kind) {
        compare_blocks(first, second, &mut complain);
        return;
    }
    let name = &second.name;
    if !is_same_type(&first.ty, &second.ty) {
        complain(format!(
            "uniform `{name}` is {} here but {} in an earlier stage",
            second.ty, first.ty
        ));
    }
}

/// Compares blocks with the same name, or without names at the same binding.
fn compare_blocks(
    first: &UniformVariable,
    second: &UniformVariable,
    complain: &mut impl FnMut(String),
) {
    let name = &second.name;
    // Only blocks without names have an explicit layout.
    let (shown, names) = match (&first.layout, &second.layout) {
        (Some(_), Some(_)) => (format!("block at {name}"), MemberNames::AreIgnored),
        (Some(_) | None, _) => (format!("block `{name}`"), MemberNames::Count),
    };
    let earlier = layout_of_uniform(first);
    let here = layout_of_uniform(second);
    if let Some(difference) = first_difference((&first.ty, &earlier), (&second.ty, &here), names) {
        complain(format!("{shown}: {difference}"));
    } else if has_order(first) != has_order(second) {
        complain(format!("{shown}: its matrices have another order in an earlier stage"));
    }
    let bindings = [first, second].map(|block| match block.kind {
        UniformKind::Block { binding, .. } => binding,
        UniformKind::Loose { .. } | UniformKind::Subroutine { .. } => None,
    });
    if let [Some(one), Some(two)] = bindings
        && one != two
    {
        complain(format!("block `{name}` has binding {two} here but {one} in an earlier stage"));
    }
}

fn has_order(block: &UniformVariable) -> Vec<bool> {
    block.members.iter().map(|member| member.is_row_major).collect()
}

/// Checks that an array of blocks has the same number of elements in both stages. The elements are uniforms called
/// `Block[0]`, `Block[1]`, ….
fn check_block_arrays<'a>(
    stages: impl Iterator<Item = &'a StageModule>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (stage_idx, stage) in stages.enumerate() {
        let mut own: BTreeMap<&str, (usize, &UniformVariable)> = BTreeMap::new();
        for uniform in &stage.uniforms {
            let UniformKind::Block { .. } = uniform.kind else { continue };
            let base = uniform.name.split('[').next().unwrap_or("");
            own.entry(base).or_insert((0, uniform)).0 += 1;
        }
        for (name, (count, uniform)) in own {
            let (_, first) = *counts.entry(name).or_insert((stage_idx, count));
            if first != count {
                let message = format!(
                    "block `{name}` has {count} instances here but {first} in an earlier stage"
                );
                errors.push(Diagnostic::error(uniform.span, message));
            }
        }
    }
}

fn located(uniform: &UniformVariable) -> Option<Located<'_>> {
    let UniformKind::Loose { location } = uniform.kind else { return None };
    let (name, count, span) = (&uniform.name, location_count(&uniform.ty), uniform.span);
    Some(Located { name, first: location?, count, span })
}
