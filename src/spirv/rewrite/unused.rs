//! Removes unused types and constants, which naga would check nevertheless.

use std::collections::BTreeSet;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::Op;

use crate::specialize::ids;

/// Removes unused types and constants. Variables stay, because the interface lists them.
pub(super) fn remove(module: &mut Module) {
    // Scopes and memory semantics refer to constants too.
    let named = |one: &Instruction| {
        let ids = one.operands.iter().filter_map(Operand::id_ref_any);
        ids.chain(one.result_type).collect::<Vec<u32>>()
    };
    let code = module.functions.iter().flat_map(Function::all_inst_iter);
    let mut used: BTreeSet<u32> = code.flat_map(named).collect();
    let globals = std::mem::take(&mut module.types_global_values);
    let mut kept = Vec::new();
    for global in globals.into_iter().rev() {
        let is_used = global.result_id.is_none_or(|id| used.contains(&id));
        if is_used || global.class.opcode == Op::Variable {
            used.extend(named(&global));
            kept.push(global);
        }
    }
    // A pointer type may come before its pointee.
    kept.reverse();
    module.types_global_values = kept;
    let declared: BTreeSet<u32> = module.all_inst_iter().filter_map(|one| one.result_id).collect();
    let is_known = |one: &Instruction| ids(one).next().is_none_or(|id| declared.contains(&id));
    module.annotations.retain(is_known);
    module.debug_names.retain(is_known);
}
