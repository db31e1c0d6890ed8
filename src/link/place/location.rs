//! Assigns locations in the program's outer interfaces: vertex attributes and fragment outputs.
//!
//! Explicit locations are assigned first. The other variables are sorted by the number of locations that they need,
//! largest first, and each gets the first gap that is large enough.

use std::collections::{BTreeMap, BTreeSet};

use crate::table::binding::Attribute;
use crate::table::shell::{Shell, Slot, Wire};
use ir::diagnostic::Diagnostic;
use ir::interface::{Leaf, Place, ScalarKind, Variable};
use ir::stage_module::{LanguageRules, StageModule};

/// Upper bound for locations of the outer interfaces, which exceeds the limit of every adapter.
const MAX_LOCATION: u32 = 1 << 16;

/// Adds the attributes that `stage` uses to its shell.
pub(crate) fn attributes(
    stage: &StageModule,
    shell: &mut Shell,
) -> Result<Vec<Attribute>, Vec<Diagnostic>> {
    check_es_attributes(stage)?;
    let used: Vec<&Variable> = stage.inputs.iter().filter(|input| input.is_used).collect();
    let locations = assign(&used)?;
    let count = |variable: &Variable| u32::try_from(variable.ty.leaves().len()).unwrap_or(u32::MAX);
    let taken: BTreeSet<u32> = used
        .iter()
        .zip(&locations)
        .flat_map(|(variable, first)| *first..first.saturating_add(count(variable)))
        .collect();
    // The second vectors of 64-bit attributes have no location in the language.
    let mut rest = (0..MAX_LOCATION).filter(|location| !taken.contains(location));
    let mut attributes = Vec::new();
    for (variable, location) in used.into_iter().zip(locations) {
        let attribute = Attribute::new(&variable.name, variable.ty.clone(), location, &mut rest);
        let mut vectors = attribute.vectors.iter().copied();
        for (leaf, wire) in leaf_wires(variable) {
            let kind = if leaf.scalar.components() == 2 { ScalarKind::U32 } else { leaf.scalar };
            let count = leaf.words().div_ceil(4);
            let slots = vectors.by_ref().take(count);
            let slots: Vec<usize> =
                slots.map(|at| slot_at(&mut shell.inputs, at, kind, None)).collect();
            shell.input_wires.push(wire(&slots));
        }
        attributes.push(attribute);
    }
    Ok(attributes)
}

/// Checks, from ES 3.00 on, that all attributes get locations, including attributes that only unreachable code names.
fn check_es_attributes(stage: &StageModule) -> Result<(), Vec<Diagnostic>> {
    if !matches!(stage.rules, LanguageRules::Glsl { version: 300.., is_es: true }) {
        return Ok(());
    }
    let named: Vec<_> = stage.inputs.iter().filter(|input| input.is_statically_used).collect();
    assign(&named).map(|_| ())
}

/// Assigns a location to every variable. Returns them in the order of the variables.
pub(crate) fn assign(variables: &[&Variable]) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let mut taken: BTreeMap<(u32, u32, u32), &Variable> = BTreeMap::new();
    let mut locations: Vec<Option<u32>> =
        variables.iter().map(|variable| variable.location).collect();
    let mut errors = Vec::new();
    for variable in variables.iter().filter(|variable| variable.location.is_some()) {
        let first = variable.location.unwrap_or(0);
        for key in cells(variable, first) {
            if let Some(other) = taken.insert(key, variable) {
                let message = format!(
                    "`{}` and `{}` are both at location {}",
                    other.name, variable.name, key.0
                );
                errors.push(Diagnostic::error(variable.span, message));
                break;
            }
        }
    }
    let mut open: Vec<usize> =
        (0..variables.len()).filter(|idx| locations[*idx].is_none()).collect();
    open.sort_by_key(|idx| std::cmp::Reverse(variables[*idx].ty.leaves().len()));
    for idx in open {
        let count = u32::try_from(variables[idx].ty.leaves().len()).unwrap_or(u32::MAX);
        // An output at index 1 does not occupy the location: outputs without a location have index 0 (GLSL 4.60,
        // 4.4.2).
        let is_free = |start: u32| {
            let mut all = (start..start + count)
                .flat_map(|at| taken.range((at, 0, 0)..=(at, u32::MAX, u32::MAX)));
            all.all(|((_, _, index), _)| *index > 0)
        };
        let start = (0..MAX_LOCATION).find(|start| is_free(*start)).unwrap_or(MAX_LOCATION);
        taken.extend(cells(variables[idx], start).map(|key| (key, variables[idx])));
        locations[idx] = Some(start);
    }
    if errors.is_empty() { Ok(locations.into_iter().flatten().collect()) } else { Err(errors) }
}

/// All cells that a variable occupies, as (location, component, index).
fn cells(variable: &Variable, first: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    let start = variable.component.unwrap_or(0);
    let index = variable.index.unwrap_or(0);
    (0..).zip(variable.ty.leaves()).flat_map(move |(offset, leaf)| {
        (start..start + u32::from(leaf.size))
            .map(move |component| (first.saturating_add(offset), component, index))
    })
}

/// Every leaf of a variable, with a function that returns the wire between the leaf and given slots. The words of the
/// leaf fill the slots in order.
pub(crate) fn leaf_wires(variable: &Variable) -> Vec<(Leaf, impl Fn(&[usize]) -> Wire)> {
    let Some(place) = variable.place.clone() else { return Vec::new() };
    let first = u8::try_from(variable.component.unwrap_or(0)).unwrap_or_default();
    let wire = |leaf: Leaf| {
        let mut path = place.path.clone();
        path.extend(&leaf.path);
        let (place, scalar, words) =
            (Place { global: place.global, path }, leaf.scalar, leaf.words());
        let connect = move |slots: &[usize]| {
            let all = slots.iter().flat_map(|slot| (0..4).map(move |component| (*slot, component)));
            Wire {
                place: place.clone(),
                scalar,
                components: all.skip(usize::from(first)).take(words).collect(),
                is_over_w: false,
            }
        };
        (leaf, connect)
    };
    variable.ty.leaves().into_iter().map(wire).collect()
}

/// Index of the slot at a location. Adds the slot if it is missing.
pub(crate) fn slot_at(
    slots: &mut Vec<Slot>,
    location: u32,
    kind: ScalarKind,
    blend_source: Option<u32>,
) -> usize {
    let is_it = |slot: &Slot| slot.location == location && slot.blend_source == blend_source;
    slots.iter().position(is_it).unwrap_or_else(|| {
        let (class, is_alpha_one) = (None, true);
        slots.push(Slot { location, kind, width: 4, class, blend_source, is_alpha_one });
        slots.len() - 1
    })
}
