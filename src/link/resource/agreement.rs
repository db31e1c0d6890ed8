//! Checks that stages agree about buffers with the same name.

use std::collections::BTreeMap;

use naga::{Handle, Module, TypeInner};

use crate::table::declared_block;
use crate::table::difference::{MemberNames, first_difference};
use ir::declared_block::BlockKind;
use ir::diagnostic::{Diagnostic, counted};
use ir::source::Span;
use ir::stage_module::{LanguageRules, ResourceKind, ResourceVariable, StageModule};

use super::{group_of, opaque};

/// Reports all disagreements between the stages, in order.
pub(super) fn check(stages: &[&StageModule], errors: &mut Vec<Diagnostic>) {
    check_types(stages, errors);
    check_array_lengths(stages, errors);
    if errors.is_empty() {
        errors.extend(declared_block::check(stages, BlockKind::Storage));
    }
}

/// A type of a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeOf<'a> {
    pub(super) module: &'a Module,
    pub(super) ty: Handle<naga::Type>,
}

impl TypeOf<'_> {
    /// Another type of the same module.
    const fn with(self, ty: Handle<naga::Type>) -> Self {
        Self { ty, ..self }
    }
}

/// True if two types of different modules have the same layout. Struct type names do not count.
pub(super) fn is_same_layout(first: TypeOf<'_>, second: TypeOf<'_>) -> bool {
    let inner = |of: TypeOf<'_>| of.module.types[of.ty].inner.clone();
    match (inner(first), inner(second)) {
        (TypeInner::Struct { members: left, .. }, TypeInner::Struct { members: right, .. }) => {
            left.len() == right.len()
                && left.iter().zip(&right).all(|(left, right)| {
                    left.name == right.name
                        && left.offset == right.offset
                        && is_same_layout(first.with(left.ty), second.with(right.ty))
                })
        }
        (
            TypeInner::Array { base: left, size: left_size, stride: left_stride },
            TypeInner::Array { base: right, size: right_size, stride: right_stride },
        ) => {
            left_size == right_size
                && left_stride == right_stride
                && is_same_layout(first.with(left), second.with(right))
        }
        (left, right) => left == right,
    }
}

/// The type of a resource of this stage.
fn type_of<'a>(stage: &'a StageModule, resource: &ResourceVariable) -> TypeOf<'a> {
    TypeOf { module: &stage.module, ty: stage.module.global_variables[resource.global].ty }
}

/// Checks that resources that two stages declare with the same name have the same type. In Vulkan and WebGPU each stage
/// may declare a buffer differently.
fn check_types(stages: &[&StageModule], errors: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(u32, &str), (&StageModule, &ResourceVariable)> = BTreeMap::new();
    let is_checked = |rules| !matches!(rules, LanguageRules::Vulkan | LanguageRules::Wgsl);
    for stage in stages.iter().filter(|stage| is_checked(stage.rules)) {
        let blocks = stage.resources.iter().filter(|block| !opaque::is_opaque(block.kind));
        for resource in blocks {
            let here = (*stage, resource);
            let first = *seen.entry((group_of(resource), &resource.name)).or_insert(here);
            let described = [first, here]
                .map(|(stage, block)| crate::table::difference::described_block(stage, block));
            if let [Some(earlier), Some(own)] = &described {
                let (shown, names) = match stage.rules {
                    LanguageRules::Spirv | LanguageRules::Vulkan | LanguageRules::Wgsl => {
                        (format!("block at {}", resource.name), MemberNames::AreIgnored)
                    }
                    LanguageRules::Glsl { .. } | LanguageRules::FixedFunction => {
                        (format!("block `{}`", resource.name), MemberNames::Count)
                    }
                };
                let difference =
                    first_difference((&earlier.0, &earlier.1), (&own.0, &own.1), names);
                errors.extend(difference.map(|difference| {
                    let message = format!("{shown}: {difference}");
                    Diagnostic::error(resource.span, message)
                }));
            } else if !is_same_layout(type_of(first.0, first.1), type_of(stage, resource)) {
                let message =
                    format!("block `{}` differs from that of an earlier stage", resource.name);
                errors.push(Diagnostic::error(resource.span, message));
            }
        }
    }
}

/// Checks that all stages have the same elements of arrays of buffer blocks, whose elements are separate resources
/// (`Block[1]`). In Vulkan names have no meaning, and a stage need not use all elements.
fn check_array_lengths(stages: &[&StageModule], errors: &mut Vec<Diagnostic>) {
    let mut lengths: BTreeMap<&str, usize> = BTreeMap::new();
    for stage in stages.iter().filter(|stage| stage.rules != LanguageRules::Vulkan) {
        let mut own: BTreeMap<&str, (usize, Option<Span>)> = BTreeMap::new();
        let blocks = stage.resources.iter().filter(|resource| is_storage(resource.kind));
        for block in blocks {
            own.entry(base_name(&block.name)).or_insert((0, block.span)).0 += 1;
        }
        for (name, (length, span)) in own {
            let first = *lengths.entry(name).or_insert(length);
            if first != length {
                let length = counted(length, "element");
                let message = format!("`{name}` has {length} here but {first} in an earlier stage");
                errors.push(Diagnostic::error(span, message));
            }
        }
    }
}

const fn is_storage(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::StorageBuffer { .. })
}

fn base_name(name: &str) -> &str {
    name.split('[').next().unwrap_or("")
}
