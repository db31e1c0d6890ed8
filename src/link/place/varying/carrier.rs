//! Determines the types of slots: vectors that are as wide as the highest used component.
//!
//! Interpolated slots hold floats, flat slots `u32` bits. A slot is *native* if nothing in it needs lowering: it
//! contains only whole scalars and vectors of one base type, none of which straddles two slots or belongs to an array,
//! a matrix or a struct. A native slot has this base type, so that the adapter gets the stages' own varyings.

use std::collections::BTreeSet;

use crate::pack::{PackingClass, Slots};
use crate::place::routing::{Carrier, Route};
use ir::interface::{Interpolation, ScalarKind, Type, Variable};

/// The carrier of every slot.
pub(crate) fn carriers(
    inputs: &[&Variable],
    routes: &[Vec<Route>],
    classes: &Slots<PackingClass>,
    is_native_kept: bool,
) -> Slots<Carrier> {
    let mut contents: Slots<Content> =
        classes.keys().map(|slot| (*slot, Content::default())).collect();
    for (input, own) in inputs.iter().zip(routes) {
        let kind = native_kind(input, own);
        for route in own {
            let Route::Slot { at, .. } = route else { continue };
            let Some(content) = contents.get_mut(&at.slot) else { continue };
            content.width = content.width.max(at.component + 1);
            content.kinds.insert(kind);
        }
    }
    let carrier = |(slot, content): (&u32, &Content)| {
        let is_flat = classes[slot].interpolation == Interpolation::Flat;
        let lowered = if is_flat { ScalarKind::U32 } else { ScalarKind::F32 };
        let only = content.kinds.first().copied().filter(|_| content.kinds.len() == 1).flatten();
        let native = only.filter(|kind| is_native_kept && (is_flat || *kind == ScalarKind::F32));
        let width = Some(content.width).filter(|width| *width > 0)?;
        Some((*slot, Carrier { kind: native.unwrap_or(lowered), width }))
    };
    contents.iter().filter_map(carrier).collect()
}

/// The content of a slot.
#[derive(Clone, Debug, Default)]
struct Content {
    /// The highest used component plus one.
    width: u8,
    /// The base types of the varyings in the slot; `None` for a varying that needs lowering.
    kinds: BTreeSet<Option<ScalarKind>>,
}

/// The base type of a varying that needs no lowering (a scalar or vector of 32-bit values in one slot); `None` for any
/// other.
fn native_kind(input: &Variable, routes: &[Route]) -> Option<ScalarKind> {
    let (Type::Scalar(kind) | Type::Vector { scalar: kind, .. }) = input.ty else { return None };
    let slot = |route: &Route| match route {
        Route::Slot { at, is_over_w: false, is_duplicate: false, is_convergent: false } => {
            Some(at.slot)
        }
        Route::Slot { .. } | Route::Constant(_) | Route::Uniform(_) | Route::Dead => None,
    };
    let first = slot(routes.first()?)?;
    let is_together = routes.iter().all(|route| slot(route) == Some(first));
    (is_together && kind.components() == 1).then_some(kind)
}
