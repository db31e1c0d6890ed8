//! Checks the final modules of a draw without trusting any table of the linker.
//!
//! The two entry points are read symbolically: the scalar of a private global that the vertex stage returns in every
//! component of every location, and the component of a location that the fragment stage stores into every scalar before
//! it calls the user's code. A varying is right if both meet in the same component.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

use std::collections::BTreeMap;

use naga::{
    BinaryOperator, Binding, Expression, Function, GlobalVariable, Handle, Literal, Module,
    Statement, TypeInner,
};

use crate::pack::PackingClass;
use crate::routing::Route;
use ir::interface::{Interpolation, Place, Sampling, Type};

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

/// A word of a private global: the path ends in the component of a vector, and in the half of a 64-bit scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Scalar {
    global: Handle<GlobalVariable>,
    path: Vec<u32>,
}

/// A component of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SlotScalar {
    location: u32,
    component: u8,
}

/// Symbolic value of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Input(SlotScalar),
    /// An input times the window position's w.
    InputTimesW(SlotScalar),
    /// Component of the window position.
    Window(u32),
    Loaded(Scalar),
    /// A scalar times a known origin.
    Product(Scalar, Box<Origin>),
    Literal(u32),
    Uniform,
    Other,
}

struct StageReader<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl<'a> StageReader<'a> {
    fn of(module: &'a Module) -> Result<Self, Defect> {
        let [entry] = &module.entry_points[..] else {
            return Err(Defect("a final module has one entry point".to_owned()));
        };
        Ok(Self { module, function: &entry.function })
    }

    /// The words of a scalar or vector value; a 64-bit scalar has two, the low one first.
    fn origins(&self, value: Handle<Expression>) -> Vec<Origin> {
        match &self.function.expressions[value] {
            Expression::FunctionArgument(idx) => self.argument(*idx),
            Expression::Load { pointer } => self.loaded(*pointer),
            Expression::Literal(literal) => vec![literal_origin(*literal)],
            Expression::ZeroValue(ty) => {
                let width = width_of(&self.module.types[*ty].inner);
                vec![Origin::Literal(0); usize::from(width)]
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => {
                self.product(*left, *right)
            }
            Expression::Binary { op, left, right } => self.wide_operation(*op, *left, *right),
            Expression::As { expr, convert: None, .. } => self.origins(*expr),
            Expression::As { expr, kind: naga::ScalarKind::Uint, convert: Some(width) } => {
                let mut words = self.origins(*expr);
                words.resize(usize::from(*width) / 4, Origin::Literal(0));
                words
            }
            Expression::AccessIndex { base, index } => {
                let words = self.origins(*base);
                let unit = self.words_of_scalar(*base);
                words.chunks(unit).nth(*index as usize).unwrap_or(&[]).to_vec()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let origins = self.origins(*vector);
                let pick = |idx: usize| {
                    origins.get(pattern[idx] as usize).cloned().unwrap_or(Origin::Other)
                };
                (0..*size as usize).map(pick).collect()
            }
            Expression::Compose { components, .. } => {
                components.iter().flat_map(|component| self.origins(*component)).collect()
            }
            _ => vec![Origin::Other],
        }
    }

    /// Words of each part of a value: of a 64-bit scalar, or of a pair that stands for one, two.
    fn words_of_scalar(&self, value: Handle<Expression>) -> usize {
        let Expression::Load { pointer } = self.function.expressions[value] else { return 1 };
        let Some(inner) =
            self.pointer(pointer).and_then(|(global, path)| self.behind(global, &path))
        else {
            return 1;
        };
        match inner {
            TypeInner::Array { .. } => 2,
            inner => usize::from(inner.scalar_width().unwrap_or(4)) / 4,
        }
    }

    /// The operations that join words to a 64-bit scalar and take it apart: shifts by 32, and `|`.
    fn wide_operation(
        &self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Vec<Origin> {
        match (op, &self.origins(left)[..], &self.origins(right)[..]) {
            (BinaryOperator::ShiftLeft, [low, _], [Origin::Literal(32)]) => {
                vec![Origin::Literal(0), low.clone()]
            }
            (BinaryOperator::ShiftRight, [_, high], [Origin::Literal(32)]) => {
                vec![high.clone(), Origin::Literal(0)]
            }
            (
                BinaryOperator::InclusiveOr,
                [Origin::Literal(0), high],
                [low, Origin::Literal(0)],
            ) => {
                vec![low.clone(), high.clone()]
            }
            _ => vec![Origin::Other],
        }
    }

    fn argument(&self, idx: u32) -> Vec<Origin> {
        let argument = &self.function.arguments[idx as usize];
        let width = width_of(&self.module.types[argument.ty].inner);
        let origin = |component: u8| match argument.binding {
            Some(Binding::Location { location, .. }) => {
                Origin::Input(SlotScalar { location, component })
            }
            Some(Binding::BuiltIn(naga::BuiltIn::Position { .. })) => {
                Origin::Window(u32::from(component))
            }
            Some(Binding::BuiltIn(_)) | None => Origin::Other,
        };
        (0..width).map(origin).collect()
    }

    fn loaded(&self, pointer: Handle<Expression>) -> Vec<Origin> {
        let Some((global, path)) = self.pointer(pointer) else { return vec![Origin::Other; 4] };
        if self.module.global_variables[global].space == naga::AddressSpace::Uniform {
            return vec![Origin::Uniform; usize::from(self.width_behind(global, &path))];
        }
        let paths = self.word_paths(global, &path).into_iter();
        paths.map(|path| Origin::Loaded(Scalar { global, path })).collect()
    }

    /// The paths of the words of the scalar or vector at `path`.
    fn word_paths(&self, global: Handle<GlobalVariable>, path: &[u32]) -> Vec<Vec<u32>> {
        let Some(inner) = self.behind(global, path) else { return Vec::new() };
        let indices: Vec<Vec<u32>> = match (&inner, inner.scalar_width()) {
            (TypeInner::Scalar(_), Some(8)) => vec![vec![0], vec![1]],
            (TypeInner::Scalar(_), _) => vec![vec![]],
            (TypeInner::Vector { size, .. }, Some(8)) => {
                (0..*size as u32).flat_map(|idx| [vec![idx, 0], vec![idx, 1]]).collect()
            }
            (TypeInner::Vector { size, .. }, _) => (0..*size as u32).map(|idx| vec![idx]).collect(),
            (TypeInner::Array { size: naga::ArraySize::Constant(count), .. }, _) => {
                (0..count.get()).flat_map(|idx| [vec![idx, 0], vec![idx, 1]]).collect()
            }
            _ => Vec::new(),
        };
        indices.into_iter().map(|rest| [path, &rest].concat()).collect()
    }

    /// The product of two scalars.
    fn product(&self, left: Handle<Expression>, right: Handle<Expression>) -> Vec<Origin> {
        match (&self.origins(left)[..], &self.origins(right)[..]) {
            ([Origin::Input(at)], [Origin::Window(3)]) => vec![Origin::InputTimesW(*at)],
            ([Origin::Loaded(left)], [right]) => {
                vec![Origin::Product(left.clone(), Box::new(right.clone()))]
            }
            (left, right) => vec![Origin::Other; left.len().max(right.len())],
        }
    }

    fn pointer(&self, pointer: Handle<Expression>) -> Option<(Handle<GlobalVariable>, Vec<u32>)> {
        match &self.function.expressions[pointer] {
            Expression::GlobalVariable(global) => Some((*global, Vec::new())),
            Expression::AccessIndex { base, index } => {
                let (global, mut path) = self.pointer(*base)?;
                path.push(*index);
                Some((global, path))
            }
            _ => None,
        }
    }

    /// Number of words in the scalar or vector at `path`; 0 for anything else.
    fn width_behind(&self, global: Handle<GlobalVariable>, path: &[u32]) -> u8 {
        self.behind(global, path).map_or(0, |inner| width_of(&inner))
    }

    /// The type at `path` in a global.
    fn behind(&self, global: Handle<GlobalVariable>, path: &[u32]) -> Option<TypeInner> {
        let types = &self.module.types;
        let mut inner = types[self.module.global_variables[global].ty].inner.clone();
        for idx in path {
            inner = match inner {
                TypeInner::Struct { members, .. } => {
                    types[members.get(*idx as usize)?.ty].inner.clone()
                }
                TypeInner::Array { base, .. } => types[base].inner.clone(),
                TypeInner::Matrix { rows, scalar, .. } => TypeInner::Vector { size: rows, scalar },
                TypeInner::Vector { scalar, .. } => TypeInner::Scalar(scalar),
                _ => return None,
            };
        }
        Some(inner)
    }
}

const fn width_of(inner: &TypeInner) -> u8 {
    match inner {
        TypeInner::Scalar(scalar) => scalar.width.div_ceil(4),
        TypeInner::Vector { size, scalar } => *size as u8 * scalar.width.div_ceil(4),
        _ => 0,
    }
}

fn literal_origin(literal: Literal) -> Origin {
    match literal {
        Literal::F32(value) => Origin::Literal(value.to_bits()),
        Literal::U32(bits) => Origin::Literal(bits),
        Literal::I32(value) => Origin::Literal(value.cast_unsigned()),
        _ => Origin::Other,
    }
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
