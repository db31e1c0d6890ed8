//! Replaces infinities and NaNs in constants, which naga rejects. They are built from their bits at the start of each
//! function.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, StorageClass};

use super::block_array::fresh;
use super::value::{global, local_start};
use crate::specialize::ids;

/// Replaces all constants of which any part is not finite.
pub(super) fn make_at_run_time(module: &mut Module, entry: u32) {
    let all = without_number(module);
    if all.is_empty() {
        return;
    }
    let late = without_initializers(module, &all);
    let declared = &module.types_global_values;
    let is_one = |global: &&Instruction| global.result_id.is_some_and(|id| all.contains(&id));
    let constants: Vec<Instruction> = declared.iter().filter(is_one).cloned().collect();
    module.types_global_values.retain(|global| !is_one(&global));
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        let is_entry = function.def.as_ref().is_some_and(|def| def.result_id == Some(entry));
        let stores = if is_entry { late.clone() } else { Vec::new() };
        let stores = [initializers(function, &all), stores].concat();
        make(module, function, &constants, &stores);
    }
    module.functions = functions;
}

/// The ids of the constants of which any part is not finite.
fn without_number(module: &Module) -> BTreeSet<u32> {
    let mut floats = BTreeSet::new();
    let mut found = BTreeSet::new();
    for global in &module.types_global_values {
        let Some(id) = global.result_id else { continue };
        let is_float = global.result_type.is_some_and(|ty| floats.contains(&ty));
        let is_without = match (global.class.opcode, global.operands.first()) {
            (Op::TypeFloat, _) => {
                floats.insert(id);
                false
            }
            (Op::Constant, Some(Operand::LiteralBit32(bits))) if is_float => {
                !f32::from_bits(*bits).is_finite()
            }
            (Op::Constant, Some(Operand::LiteralBit64(bits))) if is_float => {
                !f64::from_bits(*bits).is_finite()
            }
            (Op::ConstantComposite, _) => ids(global).any(|part| found.contains(&part)),
            _ => false,
        };
        if is_without {
            found.insert(id);
        }
    }
    found
}

/// Removes the initial values in `all` from variables at module scope. Returns the pairs of variable and value to store
/// instead. Uniforms need no store: they get their values from outside.
fn without_initializers(module: &mut Module, all: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let globals = module.types_global_values.iter_mut();
    let mut stores = Vec::new();
    for variable in globals.filter(|global| global.class.opcode == Op::Variable) {
        let value = ids(variable).next().filter(|value| all.contains(value));
        let (Some(value), Some(id)) = (value, variable.result_id) else { continue };
        let class = variable.operands.first();
        if class != Some(&Operand::StorageClass(StorageClass::UniformConstant)) {
            stores.push((id, value));
        }
        variable.operands.truncate(1);
    }
    stores
}

/// Removes the initial values in `all` from the variables of a function. Returns the pairs of variable and value to
/// store instead.
fn initializers(function: &mut Function, all: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut stores = Vec::new();
    for one in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        let value = ids(one).next().filter(|value| all.contains(value));
        if let (Op::Variable, Some(id), Some(value)) = (one.class.opcode, one.result_id, value) {
            stores.push((id, value));
            one.operands.truncate(1);
        }
    }
    stores
}

/// Builds the constants that a function uses at its start, and stores the initial values.
fn make(
    module: &mut Module,
    function: &mut Function,
    constants: &[Instruction],
    stores: &[(u32, u32)],
) {
    let uses = function.blocks.iter().flat_map(|block| &block.instructions).flat_map(ids);
    let mut used: BTreeSet<u32> = uses.chain(stores.iter().map(|(_, value)| *value)).collect();
    for constant in constants.iter().rev() {
        if constant.result_id.is_some_and(|id| used.contains(&id)) {
            used.extend(ids(constant));
        }
    }
    let mut new = BTreeMap::new();
    let mut code = Vec::new();
    for constant in constants {
        let Some(id) = constant.result_id.filter(|id| used.contains(id)) else { continue };
        let own = fresh(module);
        let mut operands = constant.operands.clone();
        let op = match constant.class.opcode {
            Op::Constant => {
                let width = if matches!(operands[0], Operand::LiteralBit64(_)) { 64 } else { 32 };
                let ty = [width, 0].map(Operand::LiteralBit32).to_vec();
                let ty = global(module, Op::TypeInt, None, ty);
                operands = vec![Operand::IdRef(global(module, Op::Constant, Some(ty), operands))];
                Op::Bitcast
            }
            _ => Op::CompositeConstruct,
        };
        let mut made = Instruction::new(op, constant.result_type, Some(own), operands);
        replace_ids(&mut made, &new);
        code.push(made);
        new.insert(id, own);
    }
    for (variable, value) in stores {
        let operands = [*variable, *value].map(Operand::IdRef).to_vec();
        let mut store = Instruction::new(Op::Store, None, None, operands);
        replace_ids(&mut store, &new);
        code.push(store);
    }
    for one in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        replace_ids(one, &new);
    }
    if let Some(first) = function.blocks.first_mut() {
        let start = local_start(first);
        first.instructions.splice(start..start, code);
    }
}

fn replace_ids(instruction: &mut Instruction, new: &BTreeMap<u32, u32>) {
    for operand in &mut instruction.operands {
        if let Operand::IdRef(id) = operand {
            *id = new.get(id).copied().unwrap_or(*id);
        }
    }
}
