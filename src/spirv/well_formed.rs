//! Checks the properties of a module that every later pass relies on: ids are within the bound, each is the result of
//! only one instruction, and types and constants consist of earlier ones (SPIR-V, 2.4 and 2.16), so no type contains
//! itself.

pub(crate) mod conflict;
pub(crate) mod malformed;
pub(crate) mod nesting;

use std::collections::BTreeSet;

use rspirv::dr::{Module, Operand};
use rspirv::spirv::Op;

/// Checks that `module` is well-formed. The error is the id at fault and the message for the first broken rule.
pub(super) fn check(module: &Module) -> Result<(), (u32, String)> {
    let bound = module.header.as_ref().map_or(u32::MAX, |header| header.bound);
    let mut known = BTreeSet::new();
    for instruction in module.all_inst_iter() {
        let Some(id) = instruction.result_id else { continue };
        if id == 0 || id >= bound {
            return Err((id, format!("the id {id} is not below the module's bound {bound}")));
        }
        if !known.insert(id) {
            return Err((id, format!("the id {id} is the result of two instructions")));
        }
    }
    check_order(module)?;
    conflict::check_targets(module, |id| known.contains(&id))
}

fn check_order(module: &Module) -> Result<(), (u32, String)> {
    let imports = module.ext_inst_imports.iter().chain(&module.debug_string_source);
    let mut before: BTreeSet<u32> = imports.filter_map(|import| import.result_id).collect();
    for instruction in &module.types_global_values {
        let id = instruction.result_id.unwrap_or(0);
        // A pointer type may be declared before its pointee.
        let may_look_ahead =
            matches!(instruction.class.opcode, Op::TypePointer | Op::TypeForwardPointer);
        let ahead = instruction.operands.iter().find_map(|operand| match operand {
            Operand::IdRef(id) if !may_look_ahead && !before.contains(id) => Some(*id),
            _ => None,
        });
        let ty = instruction.result_type.filter(|ty| !before.contains(ty));
        if let Some(ahead) = ahead.or(ty) {
            return Err((id, format!("the id {ahead} is used before it is declared")));
        }
        before.extend(instruction.result_id);
    }
    Ok(())
}
