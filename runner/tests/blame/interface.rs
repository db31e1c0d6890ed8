//! Faults in the bindings of inputs and outputs.

use naga::{Binding, Interpolation, Module, Sampling, TypeInner};

/// Changes the bindings of the entry point's arguments; `change` also gets their types.
fn inputs(module: &mut Module, change: impl FnOnce(&mut [(&mut Binding, String)]) -> bool) -> bool {
    let types = &module.types;
    let Some(entry) = module.entry_points.first_mut() else { return false };
    let arguments = entry.function.arguments.iter_mut();
    let mut all: Vec<_> = arguments
        .filter_map(|argument| {
            let ty = format!("{:?}", types[argument.ty].inner);
            argument.binding.as_mut().filter(|binding| is_location(binding)).map(|own| (own, ty))
        })
        .collect();
    change(&mut all)
}

const fn is_location(binding: &Binding) -> bool {
    matches!(binding, Binding::Location { .. })
}

/// Changes the bindings of the members of the entry point's result.
fn outputs(
    module: &mut Module,
    change: impl FnOnce(&mut [(&mut Binding, String)]) -> bool,
) -> bool {
    let result = module.entry_points.first().and_then(|entry| entry.function.result.as_ref());
    let Some(handle) = result.map(|result| result.ty) else { return false };
    let mut ty = module.types[handle].clone();
    let TypeInner::Struct { members, .. } = &mut ty.inner else { return false };
    let mut all: Vec<_> = members
        .iter_mut()
        .filter_map(|member| {
            let own = format!("{:?}", module.types[member.ty].inner);
            member.binding.as_mut().filter(|binding| is_location(binding)).map(|from| (from, own))
        })
        .collect();
    let is_changed = change(&mut all);
    // A module has no two equal types.
    let is_new = module.types.iter().all(|(_, other)| *other != ty);
    if is_changed && is_new {
        module.types.replace(handle, ty);
    }
    is_changed && is_new
}

/// Exchanges the locations of the first two entries of one type; the rest of their bindings stays.
fn exchange(all: &mut [(&mut Binding, String)], number: usize) -> bool {
    let pairs =
        (0..all.len()).flat_map(|left| (left + 1..all.len()).map(move |right| (left, right)));
    let mut alike = pairs.filter(|(left, right)| all[*left].1 == all[*right].1);
    let Some((left, right)) = alike.nth(number) else { return false };
    let (before, behind) = all.split_at_mut(right);
    let (Binding::Location { location: one, .. }, Binding::Location { location: other, .. }) =
        (&mut *before[left].0, &mut *behind[0].0)
    else {
        return false;
    };
    std::mem::swap(one, other);
    true
}

pub(crate) fn exchange_inputs(module: &mut Module, number: usize) -> bool {
    inputs(module, |all| exchange(all, number))
}

pub(crate) fn exchange_outputs(module: &mut Module, number: usize) -> bool {
    outputs(module, |all| exchange(all, number))
}

/// Gives each input the location of the next one of its type.
pub(crate) fn rotate_inputs(module: &mut Module, number: usize) -> bool {
    inputs(module, |all| number == 0 && (0..all.len()).fold(false, |is, _| exchange(all, 0) | is))
}

/// Changes the interpolation of the input with this number among those that `change` accepts.
fn interpolation(
    module: &mut Module,
    number: usize,
    change: impl Fn(&mut Option<Interpolation>, &mut Option<Sampling>, &str) -> bool,
) -> bool {
    inputs(module, |all| {
        let mut left = number;
        for (binding, ty) in all {
            let Binding::Location { interpolation, sampling, .. } = &mut **binding else {
                continue;
            };
            let (mut own, mut own_sampling) = (*interpolation, *sampling);
            if !change(&mut own, &mut own_sampling, ty) {
                continue;
            }
            if left == 0 {
                (*interpolation, *sampling) = (own, own_sampling);
                return true;
            }
            left -= 1;
        }
        false
    })
}

pub(crate) fn linear_inputs(module: &mut Module, number: usize) -> bool {
    interpolation(module, number, |own, _, _| {
        own.replace(Interpolation::Linear) == Some(Interpolation::Perspective)
    })
}

pub(crate) fn flat_inputs(module: &mut Module, number: usize) -> bool {
    interpolation(module, number, |own, sampling, _| {
        *sampling = None;
        own.replace(Interpolation::Flat) != Some(Interpolation::Flat)
    })
}

pub(crate) fn smooth_inputs(module: &mut Module, number: usize) -> bool {
    interpolation(module, number, |own, sampling, ty| {
        *sampling = None;
        own.replace(Interpolation::Perspective) == Some(Interpolation::Flat) && ty.contains("Float")
    })
}

pub(crate) fn center_inputs(module: &mut Module, number: usize) -> bool {
    interpolation(module, number, |own, sampling, _| {
        let is_float = *own != Some(Interpolation::Flat);
        let was = sampling.replace(Sampling::Center);
        is_float && matches!(was, Some(Sampling::Centroid | Sampling::Sample))
    })
}
