//! Checks the final modules of a program without trusting any table of the linker.
//!
//! Interfaces in buffers: [`words`]. For the one that is interpolated, the two entry points are read symbolically: the
//! scalar of a private global that the vertex stage returns in every component of every location, and the component of a
//! location that the fragment stage stores into every scalar before it calls the user's code. A varying is right if both
//! meet in the same component.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

mod reader;
pub(crate) mod words;

use std::collections::BTreeMap;

use naga::{Binding, Expression, Module, Statement, TypeInner};

use crate::pack::PackingClass;
use crate::place::routing::Route;
use ir::interface::{Interpolation, Place, Sampling, Type};

use reader::{Origin, Scalar, SlotScalar, StageReader};

/// A varying that must arrive.
#[derive(Clone, Debug)]
pub(crate) struct Expected<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// Its type in both stages.
    pub ty: &'a Type,
    /// The vertex stage's variable.
    pub from: Place,
    /// The fragment stage's variable.
    pub to: Place,
    /// The consumer's interpolation.
    pub class: PackingClass,
    /// Route of each scalar, which tells deviations that are allowed.
    pub routes: &'a [Route],
    /// True if all samplings are equal, because there is one sample per pixel.
    pub has_one_sample: bool,
}

/// Ours: what is wrong with a pair of final modules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Defect(String);

/// Checks that every expected varying arrives scalar by scalar and interpolated as it should be, that no scalar is
/// stored twice, and that the fragment stage's inputs have vertex outputs of equal type, interpolation and sampling.
pub(crate) fn verify(
    vertex: &Module,
    fragment: &Module,
    expected: &[Expected<'_>],
) -> Result<(), Defect> {
    let written = results(vertex)?;
    let read = stores(fragment)?;
    check_bindings(vertex, fragment)?;
    let bindings = output_bindings(vertex)?;
    for varying in expected {
        let mut routes = varying.routes.iter();
        for leaf in varying.ty.leaves() {
            let words = leaf.scalar.components();
            for word in 0..u32::from(leaf.size) * words {
                let (idx, half) = (word / words, word % words);
                let shown = format!("{}{} component {word}", varying.name, leaf.suffix);
                let scalar = |place: &Place| {
                    let mut path = [&place.path[..], &leaf.path].concat();
                    path.extend((leaf.size > 1).then_some(idx));
                    path.extend((words > 1).then_some(half));
                    Scalar { global: place.global, path }
                };
                let route = routes.next().ok_or_else(|| Defect(format!("{shown} has no route")))?;
                let origin = read.get(&scalar(&varying.to));
                let Some(arrival) = arrival(*route, origin, &shown)? else { continue };
                let found = written.get(&arrival.at).ok_or_else(|| {
                    Defect(format!("{shown} is read where nobody writes: {:?}", arrival.at))
                })?;
                if found.is_over_w != arrival.is_over_w {
                    return Err(Defect(format!("{shown} is multiplied by w on one side only")));
                }
                if !arrival.is_duplicate && found.scalar != scalar(&varying.from) {
                    return Err(Defect(format!(
                        "{shown} arrives from another scalar at {:?}",
                        arrival.at
                    )));
                }
                let binding = bindings.get(&arrival.at.location).map(|(_, binding)| *binding);
                check_interpolation(binding, varying, *route)
                    .map_err(|is| Defect(format!("{shown} {is}")))?;
            }
        }
    }
    Ok(())
}

/// Place where a scalar arrives.
struct Arrival {
    at: SlotScalar,
    is_over_w: bool,
    is_duplicate: bool,
}

/// Compares a scalar's route with the value that the fragment stage stores into it; `None` if it needs no slot.
fn arrival(route: Route, origin: Option<&Origin>, shown: &str) -> Result<Option<Arrival>, Defect> {
    match (route, origin) {
        (Route::Slot { is_over_w, is_duplicate, .. }, Some(Origin::Input(at))) if !is_over_w => {
            Ok(Some(Arrival { at: *at, is_over_w, is_duplicate }))
        }
        (Route::Slot { is_over_w: true, is_duplicate, .. }, Some(Origin::InputTimesW(at))) => {
            Ok(Some(Arrival { at: *at, is_over_w: true, is_duplicate }))
        }
        (Route::Constant(bits), Some(Origin::Literal(found))) if bits == *found => Ok(None),
        (Route::Uniform(_), Some(Origin::Uniform)) | (Route::Dead, None) => Ok(None),
        (_, None) => Err(Defect(format!("{shown} is never stored"))),
        (_, Some(origin)) => Err(Defect(format!("{shown} is stored from {origin:?}"))),
    }
}

/// Checks that the slot's interpolation is the consumer's, unless the scalar may have another.
fn check_interpolation(
    binding: Option<&Binding>,
    varying: &Expected<'_>,
    route: Route,
) -> Result<(), Defect> {
    let Some(Binding::Location { interpolation, sampling, .. }) = binding else {
        return Err(Defect("has no location".to_owned()));
    };
    if matches!(route, Route::Slot { is_convergent: true, .. }) {
        return Ok(());
    }
    let is_over_w = matches!(route, Route::Slot { is_over_w: true, .. });
    let wanted = match varying.class.interpolation {
        Interpolation::Flat => naga::Interpolation::Flat,
        Interpolation::NoPerspective if !is_over_w => naga::Interpolation::Linear,
        Interpolation::NoPerspective | Interpolation::Smooth | Interpolation::Unqualified => {
            naga::Interpolation::Perspective
        }
    };
    if *interpolation != Some(wanted) {
        return Err(Defect(format!("is {interpolation:?} and not {wanted:?}")));
    }
    let wanted = match varying.class.sampling {
        _ if wanted == naga::Interpolation::Flat || varying.has_one_sample => return Ok(()),
        Sampling::Center => naga::Sampling::Center,
        Sampling::Centroid => naga::Sampling::Centroid,
        Sampling::Sample => naga::Sampling::Sample,
    };
    if *sampling != Some(wanted) {
        return Err(Defect(format!("is sampled at {sampling:?} and not {wanted:?}")));
    }
    Ok(())
}

/// A scalar that the vertex stage returns.
struct Sent {
    scalar: Scalar,
    is_over_w: bool,
}

/// The scalars that the vertex stage returns in every component of every location.
fn results(module: &Module) -> Result<BTreeMap<SlotScalar, Sent>, Defect> {
    let reader = StageReader::of(module)?;
    let returned = reader.function.body.iter().rev().find_map(|statement| match statement {
        Statement::Return { value } => Some(*value),
        _ => None,
    });
    let Some(Some(value)) = returned else { return Ok(BTreeMap::new()) };
    let Expression::Compose { ty, components } = &reader.function.expressions[value] else {
        return Err(Defect("the vertex stage does not return a composed struct".to_owned()));
    };
    let TypeInner::Struct { members, .. } = &module.types[*ty].inner else {
        return Err(Defect("the vertex stage does not return a struct".to_owned()));
    };
    let mut written = BTreeMap::new();
    let mut position_w = None;
    for (member, value) in members.iter().zip(components) {
        let origins = reader.origins(*value);
        let location = match member.binding {
            Some(Binding::Location { location, .. }) => location,
            Some(Binding::BuiltIn(naga::BuiltIn::Position { .. })) => {
                position_w = origins.get(3).cloned();
                continue;
            }
            Some(Binding::BuiltIn(_)) | None => continue,
        };
        for (component, origin) in (0..).zip(origins) {
            let at = SlotScalar { location, component };
            let sent = match origin {
                Origin::Loaded(scalar) => Sent { scalar, is_over_w: false },
                Origin::Product(scalar, w) if position_w.as_ref() == Some(&*w) => {
                    Sent { scalar, is_over_w: true }
                }
                _ => continue,
            };
            if written.insert(at, sent).is_some() {
                return Err(Defect(format!("two results share {at:?}")));
            }
        }
    }
    Ok(written)
}

/// The values that the fragment stage stores into private globals before it calls the user's code.
fn stores(module: &Module) -> Result<BTreeMap<Scalar, Origin>, Defect> {
    let reader = StageReader::of(module)?;
    let mut read = BTreeMap::new();
    for statement in &reader.function.body {
        let (pointer, value) = match statement {
            Statement::Store { pointer, value } => (*pointer, *value),
            Statement::Call { .. } => break,
            _ => continue,
        };
        let Some((global, path)) = reader.pointer(pointer) else { continue };
        let paths = reader.word_paths(global, &path);
        for (path, origin) in paths.into_iter().zip(reader.origins(value)) {
            if let Some(first) = read.insert(Scalar { global, path }, origin) {
                return Err(Defect(format!("a scalar is stored twice, first from {first:?}")));
            }
        }
    }
    Ok(read)
}

/// Checks that type, interpolation and sampling of every fragment input equal those of the vertex output there.
fn check_bindings(vertex: &Module, fragment: &Module) -> Result<(), Defect> {
    let outputs = output_bindings(vertex)?;
    for argument in &StageReader::of(fragment)?.function.arguments {
        let Some(binding @ Binding::Location { location, .. }) = &argument.binding else {
            continue;
        };
        let found = outputs
            .get(location)
            .ok_or_else(|| Defect(format!("nobody writes location {location}")))?;
        if found != &(&fragment.types[argument.ty].inner, binding) {
            return Err(Defect(format!("both sides of location {location} differ")));
        }
    }
    Ok(())
}

fn output_bindings(vertex: &Module) -> Result<BTreeMap<u32, (&TypeInner, &Binding)>, Defect> {
    let mut outputs = BTreeMap::new();
    let result = StageReader::of(vertex)?.function.result.as_ref();
    let members = match result.map(|result| &vertex.types[result.ty].inner) {
        Some(TypeInner::Struct { members, .. }) => members.as_slice(),
        _ => &[],
    };
    for member in members {
        if let Some(binding @ Binding::Location { location, .. }) = &member.binding {
            let one = (&vertex.types[member.ty].inner, binding);
            if outputs.insert(*location, one).is_some() {
                return Err(Defect(format!("location {location} is written twice")));
            }
        }
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests;
