//! Unifies the access to a storage buffer whose binding point is used by two stages that are separate programs.
//!
//! Both stages use the same buffer, and WebGPU does not allow binding a buffer as writable and as read-only at once.

use std::collections::BTreeSet;

use naga::{AddressSpace, Module, StorageAccess};

use ir::stage_module::{ResourceKind, ResourceVariable, StageModule};

/// Makes a buffer writable in all `modules` (one per stage, same order) if one of them may write the buffer at its
/// binding point.
pub(super) fn unify(stages: &[&StageModule], modules: &mut [Module]) {
    let buffers = stages.iter().flat_map(|stage| &stage.resources);
    let point = |resource: &ResourceVariable| resource.binding.unwrap_or(0);
    let written: BTreeSet<u32> = buffers
        .filter(|resource| resource.kind == ResourceKind::StorageBuffer { is_writable: true })
        .map(point)
        .collect();
    for (stage, module) in stages.iter().zip(modules) {
        for resource in stage.resources.iter().filter(|buffer| written.contains(&point(buffer))) {
            let global = module.global_variables.get_mut(resource.global);
            if let AddressSpace::Storage { access } = &mut global.space {
                *access |= StorageAccess::STORE;
            }
        }
    }
}

/// True if the final module may write the buffer.
pub(super) fn is_writable(module: &Module, resource: &ResourceVariable) -> bool {
    let space = module.global_variables[resource.global].space;
    matches!(space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
}
