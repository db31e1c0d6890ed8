//! Checks the final modules of a draw without trusting any table of the linker.
//!
//! The two entry points are read symbolically: which scalar of which private global the vertex stage returns in every
//! component of every location, and which component of which location the fragment stage stores into every scalar
//! before it calls the user's code. A varying is right when both meet in the same component.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

use std::collections::BTreeMap;

use naga::{Binding, Expression, Function, GlobalVariable, Handle, Module, Statement, TypeInner};

use crate::link::interface::{Place, Type};

/// One varying that must arrive.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// Its type in both stages.
    pub ty: &'a Type,
    /// Where the vertex stage's code leaves it.
    pub from: &'a Place,
    /// Where the fragment stage's code finds it.
    pub to: &'a Place,
}

/// Checks that every expected varying arrives scalar by scalar, that no scalar is stored twice, and that the
/// fragment stage's inputs have vertex outputs of equal type, interpolation and sampling.
pub fn verify(vertex: &Module, fragment: &Module, expected: &[Expected<'_>]) -> Result<(), String> {
    let written = results(vertex)?;
    let read = stores(fragment)?;
    check_bindings(vertex, fragment)?;
    for varying in expected {
        for leaf in varying.ty.leaves() {
            for idx in 0..leaf.size {
                let scalar = |place: &Place| {
                    let path = place.path.iter().chain(&leaf.path).copied().collect();
                    Scalar { global: place.global, path, component: idx }
                };
                let shown = || format!("{}{} component {idx}", varying.name, leaf.suffix);
                let at = read
                    .get(&scalar(varying.to))
                    .ok_or_else(|| format!("{} is never stored", shown()))?;
                match written.get(at) {
                    Some(found) if *found == scalar(varying.from) => {}
                    Some(_) => {
                        return Err(format!("{} arrives from another scalar at {at:?}", shown()));
                    }
                    None => {
                        return Err(format!(
                            "{} is read from {at:?}, which nobody writes",
                            shown()
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// A scalar of a private global.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Scalar {
    global: Handle<GlobalVariable>,
    path: Vec<u32>,
    component: u8,
}

/// A component of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Component {
    location: u32,
    component: u8,
}

/// What a scalar is, seen symbolically.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Input(Component),
    Loaded(Scalar),
    Other,
}

struct Reader<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl<'a> Reader<'a> {
    fn of(module: &'a Module) -> Result<Self, String> {
        let entry = module.entry_points.first().ok_or("a final module has no entry point")?;
        Ok(Self { module, function: &entry.function })
    }

    /// The scalars of a scalar or vector value.
    fn origins(&self, value: Handle<Expression>) -> Vec<Origin> {
        match &self.function.expressions[value] {
            Expression::FunctionArgument(idx) => self.argument(*idx),
            Expression::Load { pointer } => self.loaded(*pointer),
            Expression::As { expr, convert: None, .. } => self.origins(*expr),
            Expression::AccessIndex { base, index } => {
                self.origins(*base).get(*index as usize).cloned().into_iter().collect()
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

    fn argument(&self, idx: u32) -> Vec<Origin> {
        match self.function.arguments[idx as usize].binding {
            Some(Binding::Location { location, .. }) => {
                (0..4).map(|component| Origin::Input(Component { location, component })).collect()
            }
            Some(Binding::BuiltIn(_)) | None => vec![Origin::Other; 4],
        }
    }

    fn loaded(&self, pointer: Handle<Expression>) -> Vec<Origin> {
        let Some((global, path)) = self.pointer(pointer) else { return vec![Origin::Other; 4] };
        let scalar = |component| Origin::Loaded(Scalar { global, path: path.clone(), component });
        (0..self.width_behind(global, &path)).map(scalar).collect()
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

    /// Number of scalars in the scalar or vector at `path`.
    fn width_behind(&self, global: Handle<GlobalVariable>, path: &[u32]) -> u8 {
        let mut inner = &self.module.types[self.module.global_variables[global].ty].inner;
        for (depth, idx) in path.iter().enumerate() {
            inner = match inner {
                TypeInner::Struct { members, .. } => match members.get(*idx as usize) {
                    Some(member) => &self.module.types[member.ty].inner,
                    None => return 0,
                },
                TypeInner::Array { base, .. } => &self.module.types[*base].inner,
                TypeInner::Matrix { rows, .. } if depth + 1 == path.len() => return *rows as u8,
                _ => return 0,
            };
        }
        match inner {
            TypeInner::Scalar(_) => 1,
            TypeInner::Vector { size, .. } => *size as u8,
            _ => 0,
        }
    }
}

/// What the vertex stage returns in every component of every location.
fn results(module: &Module) -> Result<BTreeMap<Component, Scalar>, String> {
    let reader = Reader::of(module)?;
    let returned = reader.function.body.iter().rev().find_map(|statement| match statement {
        Statement::Return { value } => Some(*value),
        _ => None,
    });
    let Some(Some(value)) = returned else { return Ok(BTreeMap::new()) };
    let Expression::Compose { ty, components } = &reader.function.expressions[value] else {
        return Err("the vertex stage does not return a composed struct".into());
    };
    let TypeInner::Struct { members, .. } = &module.types[*ty].inner else {
        return Err("the vertex stage does not return a struct".into());
    };
    let mut written = BTreeMap::new();
    for (member, value) in members.iter().zip(components) {
        let Some(Binding::Location { location, .. }) = member.binding else { continue };
        for (component, origin) in (0..).zip(reader.origins(*value)) {
            if let Origin::Loaded(scalar) = origin {
                let at = Component { location, component };
                if written.insert(at, scalar).is_some() {
                    return Err(format!("two results share {at:?}"));
                }
            }
        }
    }
    Ok(written)
}

/// What the fragment stage stores into private globals from its inputs, before it calls the user's code.
fn stores(module: &Module) -> Result<BTreeMap<Scalar, Component>, String> {
    let reader = Reader::of(module)?;
    let mut read = BTreeMap::new();
    for statement in &reader.function.body {
        let (pointer, value) = match statement {
            Statement::Store { pointer, value } => (*pointer, *value),
            Statement::Call { .. } => break,
            _ => continue,
        };
        let Some((global, path)) = reader.pointer(pointer) else { continue };
        for (component, origin) in (0..).zip(reader.origins(value)) {
            if let Origin::Input(at) = origin {
                let scalar = Scalar { global, path: path.clone(), component };
                if read.insert(scalar, at).is_some() {
                    return Err(format!("a scalar is stored twice, from {at:?}"));
                }
            }
        }
    }
    Ok(read)
}

/// Type, interpolation and sampling of every fragment input equal those of the vertex output there.
fn check_bindings(vertex: &Module, fragment: &Module) -> Result<(), String> {
    let outputs = output_bindings(vertex)?;
    for argument in &Reader::of(fragment)?.function.arguments {
        let Some(binding @ Binding::Location { location, .. }) = &argument.binding else {
            continue;
        };
        let found =
            outputs.get(location).ok_or_else(|| format!("nobody writes location {location}"))?;
        if found != &(&fragment.types[argument.ty].inner, binding) {
            return Err(format!("both sides of location {location} differ"));
        }
    }
    Ok(())
}

fn output_bindings(vertex: &Module) -> Result<BTreeMap<u32, (&TypeInner, &Binding)>, String> {
    let mut outputs = BTreeMap::new();
    let result = Reader::of(vertex)?.function.result.as_ref();
    let members = match result.map(|result| &vertex.types[result.ty].inner) {
        Some(TypeInner::Struct { members, .. }) => members.as_slice(),
        _ => &[],
    };
    for member in members {
        if let Some(binding @ Binding::Location { location, .. }) = &member.binding {
            let one = (&vertex.types[member.ty].inner, binding);
            if outputs.insert(*location, one).is_some() {
                return Err(format!("location {location} is written twice"));
            }
        }
    }
    Ok(outputs)
}
