//! Rewrites the locations of varyings in the entry point of a wrapped module.

use std::collections::BTreeSet;

use naga::proc::Layouter;
use naga::{
    Binding, Constant, Expression, Handle, Literal, Module, ScalarKind, ShaderStage, Span,
    StructMember, Type, TypeInner, VectorSize,
};

use ir::profile::UnwrittenInput;

use super::LabelMap;

/// Moves every varying of the module's entry point to the location that `map` has for its present location. An input
/// without a new location reads the value of `unwritten`, or zero unless it has four components. An output without a
/// new location is dropped. Locations that are not in `map` are unchanged.
pub fn patch(module: &mut Module, map: &LabelMap, unwritten: UnwrittenInput) {
    let Some(entry) = module.entry_points.first() else { return };
    match entry.stage {
        ShaderStage::Vertex => patch_outputs(module, map),
        ShaderStage::Fragment => patch_inputs(module, map, unwritten),
        ShaderStage::Compute
        | ShaderStage::Task
        | ShaderStage::Mesh
        | ShaderStage::RayGeneration
        | ShaderStage::Miss
        | ShaderStage::AnyHit
        | ShaderStage::ClosestHit => {}
    }
}

/// The highest location that naga's validator gets. The validator keeps one bit for each location up to the highest,
/// which is 128 MiB for the labels of semantics.
const MOST_VALIDATED: u32 = 1 << 12;

/// A copy of a module whose locations are labels, with the large labels replaced by small numbers; `None` if all are
/// small. The modules are otherwise equal, so naga's analysis of the copy is also valid for the original.
pub(crate) fn with_small_locations(module: &Module) -> Option<Module> {
    let labels = large_locations(module);
    if labels.is_empty() {
        return None;
    }
    let map = labels.into_iter().zip((MOST_VALIDATED + 1..).map(Some)).collect();
    let mut small = module.clone();
    patch(&mut small, &map, UnwrittenInput::Zero);
    Some(small)
}

/// The locations of the entry point that are too high for naga's validator.
fn large_locations(module: &Module) -> BTreeSet<u32> {
    let Some(entry) = module.entry_points.first() else { return BTreeSet::new() };
    let arguments = entry.function.arguments.iter().map(|argument| &argument.binding);
    let result = entry.function.result.as_ref().map(|result| &module.types[result.ty].inner);
    let members = match result {
        Some(TypeInner::Struct { members, .. }) => &members[..],
        _ => &[],
    };
    let bindings = arguments.chain(members.iter().map(|member| &member.binding));
    let locations = bindings.filter_map(|binding| match binding {
        Some(Binding::Location { location, .. }) => Some(*location),
        Some(Binding::BuiltIn(_)) | None => None,
    });
    locations.filter(|location| *location > MOST_VALIDATED).collect()
}

/// Moves a binding to its new location. Returns false if it has no new location.
fn moved(binding: &mut Option<Binding>, map: &LabelMap) -> bool {
    let Some(Binding::Location { location, .. }) = binding else { return true };
    match map.get(location) {
        Some(Some(to)) => {
            *location = *to;
            true
        }
        Some(None) => false,
        None => true,
    }
}

fn patch_inputs(module: &mut Module, map: &LabelMap, unwritten: UnwrittenInput) {
    let Some(entry) = module.entry_points.first_mut() else { return };
    let mut kept = Vec::new();
    let mut numbers = Vec::new();
    for mut argument in std::mem::take(&mut entry.function.arguments) {
        let ty = argument.ty;
        let is_kept = moved(&mut argument.binding, map);
        numbers.push(if is_kept {
            kept.push(argument);
            Expression::FunctionArgument(u32::try_from(kept.len() - 1).unwrap_or(u32::MAX))
        } else {
            absent(module, ty, unwritten)
        });
    }
    let Some(entry) = module.entry_points.first_mut() else { return };
    let function = &mut entry.function;
    function.arguments = kept;
    for (_, expression) in function.expressions.iter_mut() {
        let Expression::FunctionArgument(number) = *expression else { continue };
        if let Some(now) = numbers.get(number as usize) {
            *expression = now.clone();
        }
    }
}

/// The value of an unwritten input.
fn absent(module: &mut Module, ty: Handle<Type>, unwritten: UnwrittenInput) -> Expression {
    let TypeInner::Vector { size: VectorSize::Quad, scalar } = module.types[ty].inner else {
        return Expression::ZeroValue(ty);
    };
    let one = match (unwritten, scalar.kind) {
        (UnwrittenInput::ZeroOne, ScalarKind::Float) => Literal::F32(1.0),
        // Flat slots hold bits.
        (UnwrittenInput::ZeroOne, ScalarKind::Uint) => Literal::U32(1.0_f32.to_bits()),
        (UnwrittenInput::ZeroOne | UnwrittenInput::Zero | UnwrittenInput::Undefined, _) => {
            return Expression::ZeroValue(ty);
        }
    };
    let zero = if scalar.kind == ScalarKind::Uint { Literal::U32(0) } else { Literal::F32(0.0) };
    let numbers = [zero, zero, zero, one];
    let mut add = |value| module.global_expressions.append(value, Span::UNDEFINED);
    let components = numbers.map(|number| add(Expression::Literal(number))).to_vec();
    let init = add(Expression::Compose { ty, components });
    let constant = Constant { name: None, ty, init };
    Expression::Constant(module.constants.append(constant, Span::UNDEFINED))
}

fn patch_outputs(module: &mut Module, map: &LabelMap) {
    let Some(result) = module.entry_points.first().and_then(|entry| entry.function.result.as_ref())
    else {
        return;
    };
    let before = result.ty;
    let TypeInner::Struct { members, .. } = &module.types[before].inner else { return };
    let name = module.types[before].name.clone();
    let mut members = members.clone();
    let is_kept: Vec<bool> =
        members.iter_mut().map(|member| moved(&mut member.binding, map)).collect();
    let mut flags = is_kept.iter();
    members.retain(|_| flags.next().copied().unwrap_or(true));
    let Some(span) = place_members(module, &mut members) else { return };
    let after = replaced(module, before, Type { name, inner: TypeInner::Struct { members, span } });
    let Some(entry) = module.entry_points.first_mut() else { return };
    if let Some(result) = &mut entry.function.result {
        result.ty = after;
    }
    for (_, expression) in entry.function.expressions.iter_mut() {
        let Expression::Compose { ty, components } = expression else { continue };
        if *ty == before {
            *ty = after;
            let mut flags = is_kept.iter();
            components.retain(|_| flags.next().copied().unwrap_or(true));
        }
    }
}

/// Gives every member an aligned offset. Returns the size of the struct.
fn place_members(module: &Module, members: &mut [StructMember]) -> Option<u32> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let mut end = 0;
    for member in members {
        let layout = layouter[member.ty];
        member.offset = layout.alignment.round_up(end);
        end = member.offset.checked_add(layout.size)?;
    }
    Some(end.next_multiple_of(16))
}

/// Replaces the type `before` by `ty`, unless the module already has `ty`.
fn replaced(module: &mut Module, before: Handle<Type>, ty: Type) -> Handle<Type> {
    if let Some(known) = module.types.get(&ty) {
        return known;
    }
    module.types.replace(before, ty);
    before
}
