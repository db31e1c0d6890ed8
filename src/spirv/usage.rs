//! Functions that an entry point reaches, and the variables that they use.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Module, Operand};
use rspirv::spirv::Op;

use super::declarations::Declarations;

/// Use of a variable in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    is_whole: bool,
    /// First indices of access chains into the variable.
    members: BTreeSet<u32>,
}

/// Uses of every variable.
#[derive(Clone, Debug, Default)]
pub(super) struct UsageTable(BTreeMap<u32, Usage>);

impl UsageTable {
    pub(super) fn is_used(&self, variable: u32) -> bool {
        self.0.contains_key(&variable)
    }

    pub(super) fn is_member_used(&self, variable: u32, member: u32) -> bool {
        self.0.get(&variable).is_some_and(|usage| usage.is_whole || usage.members.contains(&member))
    }
}

/// Drops all functions that `entry` does not reach: another entry point may use features that this stage cannot.
pub(super) fn prune(module: &mut Module, entry: u32) {
    let id_of = |function: &Function| function.def.as_ref().and_then(|def| def.result_id);
    let mut reached = BTreeSet::new();
    let mut waiting = vec![entry];
    while let Some(id) = waiting.pop() {
        if !reached.insert(id) {
            continue;
        }
        let function = module.functions.iter().find(|function| id_of(function) == Some(id));
        for instruction in function.into_iter().flat_map(Function::all_inst_iter) {
            if let (Op::FunctionCall, Some(Operand::IdRef(callee))) =
                (instruction.class.opcode, instruction.operands.first())
            {
                waiting.push(*callee);
            }
        }
    }
    module.functions.retain(|function| id_of(function).is_some_and(|id| reached.contains(&id)));
}

/// The uses of every variable by the functions of `module`.
pub(super) fn table(module: &Module, declarations: &Declarations) -> UsageTable {
    let variables: BTreeSet<u32> =
        declarations.variables.iter().map(|variable| variable.id).collect();
    let mut table = UsageTable::default();
    for instruction in module.functions.iter().flat_map(Function::all_inst_iter) {
        let is_chain =
            matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        for (idx, operand) in instruction.operands.iter().enumerate() {
            let Operand::IdRef(id) = operand else { continue };
            if !variables.contains(id) {
                continue;
            }
            let usage = table.0.entry(*id).or_default();
            let member = match instruction.operands.get(1) {
                Some(Operand::IdRef(index)) if is_chain && idx == 0 => declarations.integer(*index),
                _ => None,
            };
            match member {
                Some(member) => drop(usage.members.insert(member)),
                None => usage.is_whole = true,
            }
        }
    }
    table
}
