//! What travels in a slot: a vector as wide as its highest component in use.
//!
//! Interpolated slots carry floats, flat ones `u32` bits. A slot is *native* when nothing in it needs lowering: it holds
//! only whole scalars and vectors of one base type, none of which straddles two slots or belongs to an array, a matrix
//! or a struct. Such a slot carries that base type, so that the adapter sees the stages' own varyings.

use std::fmt;

use super::Route;
use crate::link::interface::{Interpolation, ScalarKind, Type, Variable};
use crate::link::pack::PackingClass;

/// What travels in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Base type of the vector.
    pub kind: ScalarKind,
    /// Its number of components, 1 to 4.
    pub width: u8,
    /// Whether the varyings in it are not lowered.
    pub is_native: bool,
}

/// What the slots carry, by slot number.
pub(super) fn carriers(
    inputs: &[&Variable],
    routes: &[Vec<Route>],
    classes: &[Option<PackingClass>],
    is_native_kept: bool,
) -> Vec<Option<Carrier>> {
    let carrier = |(slot, class): (u32, &Option<PackingClass>)| {
        let class = (*class)?;
        let is_flat = class.interpolation == Interpolation::Flat;
        let lowered = if is_flat { ScalarKind::U32 } else { ScalarKind::F32 };
        let width = width(routes, slot)?;
        let native = native_kind(inputs, routes, slot)
            .filter(|kind| is_native_kept && (is_flat || *kind == ScalarKind::F32));
        Some(Carrier { kind: native.unwrap_or(lowered), width, is_native: native.is_some() })
    };
    (0..).zip(classes).map(carrier).collect()
}

fn width(routes: &[Vec<Route>], slot: u32) -> Option<u8> {
    let components = routes.iter().flatten().filter_map(|route| match route {
        Route::Slot { at, .. } if at.slot == slot => Some(at.component + 1),
        Route::Slot { .. } | Route::Constant(_) | Route::Uniform(_) | Route::Dead => None,
    });
    components.max()
}

/// The one base type of everything in the slot, when nothing in it needs lowering.
fn native_kind(inputs: &[&Variable], routes: &[Vec<Route>], slot: u32) -> Option<ScalarKind> {
    let is_here = |route: &Route| matches!(route, Route::Slot { at, .. } if at.slot == slot);
    let is_plain_here = |route: &Route| {
        let is_plain = matches!(
            route,
            Route::Slot { is_over_w: false, is_duplicate: false, is_convergent: false, .. }
        );
        is_plain && is_here(route)
    };
    let mut kinds =
        inputs.iter().zip(routes).filter(|(_, own)| own.iter().any(is_here)).map(|(input, own)| {
            match input.ty {
                Type::Scalar(kind) | Type::Vector { scalar: kind, .. }
                    if own.iter().all(is_plain_here) && kind.components() == 1 =>
                {
                    Some(kind)
                }
                Type::Scalar(_)
                | Type::Vector { .. }
                | Type::Matrix { .. }
                | Type::Array { .. }
                | Type::Struct(_) => None,
            }
        });
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// `vec3`, `uint`
impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Type::scalar_or_vector(self.width, self.kind))
    }
}
