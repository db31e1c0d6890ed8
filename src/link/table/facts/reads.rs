//! Finds the scalars of a stage's private globals that its code can read.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever is not looked into counts as a read of everything"
)]

use std::collections::{BTreeMap, BTreeSet};

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    Expression, Function, GlobalVariable, Handle, Literal, Module, SwizzleComponent, TypeInner,
};

use ir::interface::Place;
use ir::operands;

use super::shape;

/// The scalars that some function of a module reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    scalars: BTreeSet<(Handle<GlobalVariable>, usize)>,
}

/// The scalars of a global that a pointer addresses.
#[derive(Clone, Copy, Debug)]
struct ScalarRange {
    global: Handle<GlobalVariable>,
    start: usize,
    count: usize,
    /// True if the pointer addresses exactly these scalars; false if a dynamic index selects some of them.
    is_exact: bool,
}

/// Uses of a value.
#[derive(Clone, Copy, Debug, Default)]
struct ValueUse {
    /// Mask of the components that are extracted from the value.
    picked: u8,
    /// True if the value is used in any other way.
    is_whole: bool,
}

impl Reads {
    /// Searches every function of `module`. A read through a dynamic index counts for all scalars that it may reach.
    pub(crate) fn of(module: &Module, info: &ModuleInfo) -> Self {
        let mut reads = Self::default();
        for (handle, function) in module.functions.iter() {
            reads.add(module, function, &info[handle]);
        }
        reads
    }

    /// For every scalar at `place`, true if it is read. If the type is unknown, all scalars count as read.
    pub(crate) fn at(&self, module: &Module, place: &Place, count: usize) -> Vec<bool> {
        let ty = module.global_variables[place.global].ty;
        match shape::part_at(module, ty, &place.path) {
            Some((start, found)) if found == count => (start..start + count)
                .map(|scalar| self.scalars.contains(&(place.global, scalar)))
                .collect(),
            Some(_) | None => vec![true; count],
        }
    }

    fn add(&mut self, module: &Module, function: &Function, info: &FunctionInfo) {
        let uses = uses(function);
        let mut regions: BTreeMap<Handle<Expression>, ScalarRange> = BTreeMap::new();
        for (handle, expression) in function.expressions.iter() {
            match expression {
                Expression::GlobalVariable(global) => {
                    let inner = &module.types[module.global_variables[*global].ty].inner;
                    if let Some(count) = shape::scalar_count(module, inner) {
                        let region =
                            ScalarRange { global: *global, start: 0, count, is_exact: true };
                        regions.insert(handle, region);
                    }
                }
                Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => {
                    let Some(region) = regions.get(base).copied() else { continue };
                    let inner = info[*base].ty.inner_with(&module.types);
                    let part = constant_index(function, expression)
                        .and_then(|index| shape::part(module, inner, index));
                    let region = match part {
                        Some((offset, count)) if region.is_exact => {
                            ScalarRange { start: region.start + offset, count, ..region }
                        }
                        Some(_) | None => ScalarRange { is_exact: false, ..region },
                    };
                    regions.insert(handle, region);
                }
                Expression::Load { pointer } => {
                    let Some(region) = regions.get(pointer) else { continue };
                    let inner = info[handle].ty.inner_with(&module.types);
                    let is_vector = matches!(inner, TypeInner::Vector { .. }) && region.is_exact;
                    self.load(*region, uses.get(&handle).copied().filter(|_| is_vector));
                }
                _ => {}
            }
        }
        // A call or any other statement except a load may read its operands.
        operands::read_by_block(&function.body, |operand| {
            if let Some(region) = regions.get(&operand) {
                self.read(*region);
            }
        });
    }

    /// Counts a load whose value has these uses; values that are not vectors count as read completely.
    fn load(&mut self, region: ScalarRange, used: Option<ValueUse>) {
        let Some(used) = used.filter(|used| !used.is_whole) else { return self.read(region) };
        for component in (0..region.count).filter(|component| used.picked >> component & 1 == 1) {
            self.scalars.insert((region.global, region.start + component));
        }
    }

    fn read(&mut self, region: ScalarRange) {
        let all = region.start..region.start + region.count;
        self.scalars.extend(all.map(|scalar| (region.global, scalar)));
    }
}

/// The index of an access if it is constant.
fn constant_index(function: &Function, access: &Expression) -> Option<u32> {
    match access {
        Expression::AccessIndex { index, .. } => Some(*index),
        Expression::Access { index, .. } => match function.expressions[*index] {
            Expression::Literal(Literal::U32(index)) => Some(index),
            Expression::Literal(Literal::I32(index)) => u32::try_from(index).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The uses of every expression's value.
fn uses(function: &Function) -> BTreeMap<Handle<Expression>, ValueUse> {
    let mut uses: BTreeMap<Handle<Expression>, ValueUse> = BTreeMap::new();
    for (_, expression) in function.expressions.iter() {
        match expression {
            Expression::AccessIndex { base, index } if *index < 4 => {
                uses.entry(*base).or_default().picked |= 1 << index;
            }
            Expression::Swizzle { size, vector, pattern } => {
                let picked = pattern.iter().take(*size as usize);
                let bits = picked.fold(0, |bits, component| bits | bit(*component));
                uses.entry(*vector).or_default().picked |= bits;
            }
            other => {
                for operand in operands::of_expression(&mut other.clone()) {
                    uses.entry(*operand).or_default().is_whole = true;
                }
            }
        }
    }
    operands::read_by_block(&function.body, |operand| {
        uses.entry(operand).or_default().is_whole = true;
    });
    uses
}

const fn bit(component: SwizzleComponent) -> u8 {
    match component {
        SwizzleComponent::X => 1,
        SwizzleComponent::Y => 2,
        SwizzleComponent::Z => 4,
        SwizzleComponent::W => 8,
    }
}
