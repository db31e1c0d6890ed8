//! Checks which variables may share an explicit location.

use std::collections::BTreeMap;

use crate::pack::Position;
use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type, Variable};

use super::{LinkRules, place, shown};

/// Number of locations that varyings may name, used or not: GL's 128 components between stages, as in Mesa. The
/// adapter's limit is checked elsewhere.
const MAX_LOCATIONS: u32 = 32;

/// Reports an input that starts inside an output, or an output that starts inside an input, at a different location or
/// component than the other.
pub(super) fn check_partial_overlap(
    outputs: &[Variable],
    input: &Variable,
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(read) = locations(input) else { return };
    let overlaps = |output: &&Variable| {
        let is_same_place = output.location == input.location;
        locations(output).is_some_and(|written| {
            !is_same_place && written.start < read.end && read.start < written.end
        })
    };
    if let Some(output) = outputs.iter().find(overlaps) {
        let message = format!(
            "`{}` of the {} stage begins inside or before `{}` of the {} stage and overlaps it",
            shown(input),
            rules.consumer,
            shown(output),
            rules.producer
        );
        errors.push(Diagnostic::error(place(input), message));
    }
}

/// The explicit locations that a variable occupies.
fn locations(variable: &Variable) -> Option<std::ops::Range<u32>> {
    let first = variable.location?;
    Some(first..first.saturating_add(variable.ty.location_count(first_component(variable))))
}

fn first_component(variable: &Variable) -> u8 {
    u8::try_from(variable.component.unwrap_or(0)).unwrap_or(0)
}

/// Checks that variables that share a location differ only in their components.
fn check_sharing(slot: u32, first: &Variable, second: &Variable, errors: &mut Vec<Diagnostic>) {
    let is_struct = |variable: &&&Variable| matches!(variable.ty.without_arrays(), Type::Struct(_));
    if let Some(whole) = [&first, &second].into_iter().find(is_struct) {
        let other = if std::ptr::eq(*whole, first) { second } else { first };
        let (name, other) = (shown(whole), shown(other));
        let message =
            format!("`{name}` is a struct and cannot share location {slot} with `{other}`");
        errors.push(Diagnostic::error(place(second), message));
        return;
    }
    let is_integer = |variable: &Variable| {
        let is_float = |scalar| matches!(scalar, ScalarKind::F32 | ScalarKind::F64);
        variable.ty.scalars().next().is_some_and(|scalar| !is_float(scalar))
    };
    let difference = if is_integer(first) != is_integer(second) {
        "base type"
    } else if first.ty.has_64_bit() != second.ty.has_64_bit() {
        "width"
    } else if first.interpolation != second.interpolation {
        "interpolation"
    } else if first.sampling != second.sampling {
        "sampling"
    } else {
        return;
    };
    let (first, name) = (shown(first), shown(second));
    let message =
        format!("`{first}` and `{name}` share location {slot} but differ in {difference}");
    errors.push(Diagnostic::error(place(second), message));
}

/// Checks that no two variables of one stage share an explicit component, used or not (GLSL 4.60 section 4.4.1).
pub(super) fn check_overlaps(
    variables: &[Variable],
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    let mut owners: BTreeMap<Position, &Variable> = BTreeMap::new();
    let mut slots: BTreeMap<u32, &Variable> = BTreeMap::new();
    let counts = |input: &&Variable| input.is_statically_used || rules.do_declarations_count;
    for variable in variables.iter().filter(counts) {
        let Some(first) = variable.location else { continue };
        let start = first_component(variable);
        if let Some(last) = locations(variable)
            .filter(|locations| locations.end > MAX_LOCATIONS && !rules.has_labels)
        {
            let (name, last) = (shown(variable), last.end - 1);
            let message =
                format!("`{name}` reaches location {last}, but there are {MAX_LOCATIONS}");
            errors.push(Diagnostic::error(place(variable), message));
            continue;
        }
        for (offset, leaf) in variable.ty.located_leaves(start) {
            for slot in (first + offset..).take(leaf.location_count(start) as usize) {
                if let Some(other) =
                    slots.insert(slot, variable).filter(|other| !std::ptr::eq(*other, variable))
                {
                    check_sharing(slot, other, variable, errors);
                }
            }
            let taken = leaf.cells(start).map(|(location, component)| Position {
                slot: first + offset + location,
                component,
            });
            let mut shared = taken.filter_map(|at| Some((at, owners.insert(at, variable)?)));
            if let Some((at, other)) = shared.next() {
                let message =
                    format!("`{}` and `{}` overlap at {at}", shown(other), shown(variable));
                errors.push(Diagnostic::error(place(variable), message));
                break;
            }
        }
    }
}
