//! Agreement of the stages of a program about uniforms and blocks, used or not.

use std::collections::BTreeMap;

use crate::difference::{MemberNames, first_difference};
use crate::match_up::is_same_type;
use crate::uniform::layout_of_uniform;
use ir::diagnostic::Diagnostic;
use ir::stage_module::{LanguageRules, StageModule, UniformKind, UniformVariable};

/// All disagreements between the stages, in order.
pub(super) fn check(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let do_struct_names_count = stages.iter().all(|stage| stage.rules.has_names());
    let mut seen: BTreeMap<&str, &UniformVariable> = BTreeMap::new();
    // In Vulkan each stage sees a buffer in its own way.
    let agreeing = stages.iter().filter(|stage| stage.rules != LanguageRules::Vulkan);
    for uniform in agreeing.clone().flat_map(|stage| &stage.uniforms) {
        match seen.get(uniform.name.as_str()) {
            Some(first) => {
                compare(first, uniform, do_struct_names_count, &mut errors);
                check_precision(first, uniform, &mut errors);
            }
            None => drop(seen.insert(&uniform.name, uniform)),
        }
    }
    check_block_arrays(agreeing.copied(), &mut errors);
    check_locations(seen.values().copied(), &mut errors);
    errors
}

/// Checks that the precision agrees, as ES requires; before 3.00 it is `None` in stages that do not use the uniform.
fn check_precision(
    first: &UniformVariable,
    second: &UniformVariable,
    errors: &mut Vec<Diagnostic>,
) {
    let (Some(here), Some(there)) = (second.precision, first.precision) else { return };
    if here != there {
        let message =
            format!("uniform `{}` has another precision in an earlier stage", second.name);
        errors.push(Diagnostic::error(second.span, message));
    }
}

fn compare(
    first: &UniformVariable,
    second: &UniformVariable,
    do_struct_names_count: bool,
    errors: &mut Vec<Diagnostic>,
) {
    let name = &second.name;
    let mut complain = |message: String| errors.push(Diagnostic::error(second.span, message));
    if let (UniformKind::Block { .. }, UniformKind::Block { .. }) = (&first.kind, &second.kind) {
        compare_blocks(first, second, &mut complain);
        return;
    }
    let is_same = if do_struct_names_count {
        first.ty == second.ty
    } else {
        is_same_type(&first.ty, &second.ty)
    };
    if !is_same {
        complain(format!(
            "uniform `{name}` is {} here but {} in an earlier stage",
            second.ty, first.ty
        ));
    }
    if first.initial.is_some() && second.initial.is_some() && first.initial != second.initial {
        complain(format!("uniform `{name}` has another initialiser in an earlier stage"));
    }
    match (&first.kind, &second.kind) {
        (
            UniformKind::Loose { location: Some(first) },
            UniformKind::Loose { location: Some(second) },
        ) if first != second => {
            complain(format!(
                "uniform `{name}` is at location {second} here but {first} in an earlier stage"
            ));
        }
        (UniformKind::Loose { .. }, UniformKind::Block { .. })
        | (UniformKind::Block { .. }, UniformKind::Loose { .. }) => {
            complain(format!("`{name}` is a uniform in one stage and a uniform block in another"));
        }
        // Subroutine uniforms belong to one stage, and their names show it.
        (UniformKind::Loose { .. }, UniformKind::Loose { .. })
        | (UniformKind::Block { .. }, UniformKind::Block { .. })
        | (UniformKind::Subroutine { .. }, _)
        | (_, UniformKind::Subroutine { .. }) => {}
    }
}

/// Compares blocks of one name, or of one binding without names.
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

/// Checks that both stages have as many elements of an array of blocks. They are uniforms called `Block[0]`,
/// `Block[1]`, ….
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

/// Checks that explicit locations do not overlap; every array element and struct member has one, a matrix only one.
fn check_locations<'a>(
    uniforms: impl Iterator<Item = &'a UniformVariable>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut taken: Vec<(u32, u32, &UniformVariable)> = Vec::new();
    for uniform in uniforms {
        let UniformKind::Loose { location: Some(start) } = uniform.kind else { continue };
        let end = start.saturating_add(location_count(&uniform.ty));
        if let Some((_, _, other)) =
            taken.iter().find(|(first, last, _)| start < *last && *first < end)
        {
            let message = format!(
                "the locations of uniforms `{}` and `{}` overlap",
                other.name, uniform.name
            );
            errors.push(Diagnostic::error(uniform.span, message));
        }
        taken.push((start, end, uniform));
    }
}

pub(crate) fn location_count(ty: &ir::interface::Type) -> u32 {
    use ir::interface::Type;
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => 1,
        Type::Array { element, length } => location_count(element).saturating_mul(*length),
        Type::Struct(ty) => {
            ty.members.iter().map(|member| location_count(&member.ty)).fold(0, u32::saturating_add)
        }
    }
}
