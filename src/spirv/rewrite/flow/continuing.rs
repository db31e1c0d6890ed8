//! Keeps values of a loop's body that its continuing construct uses in local variables.
//!
//! naga writes the continuing construct of a loop before the loop's body, in every language but SPIR-V and WGSL. There
//! a value of the body has no name yet, so it is computed again, after the stores of the continuing construct. Local
//! variables avoid this.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::Op;

use super::dispatch::{load, local, store};
use crate::rewrite::block::{label, successors};
use crate::rewrite::block_array::fresh;
use crate::rewrite::value::local_start;
use crate::specialize::ids;

/// Keeps the values that continuing constructs use in local variables, for every loop of a function.
pub(super) fn keep_values(module: &mut Module, function: &mut Function) {
    let places: BTreeMap<u32, usize> =
        function.blocks.iter().enumerate().map(|(at, block)| (label(block), at)).collect();
    let headers = 0..function.blocks.len();
    let loops: Vec<Loop> = headers.filter_map(|at| Loop::of(function, &places, at)).collect();
    if loops.is_empty() {
        return;
    }
    let globals = module.types_global_values.iter();
    let types: BTreeMap<u32, Op> =
        globals.filter_map(|one| Some((one.result_id?, one.class.opcode))).collect();
    let mut kept: BTreeMap<u32, u32> = BTreeMap::new();
    let mut variables = Vec::new();
    for one in &loops {
        for (id, ty) in one.values(&types, function) {
            let variable = *kept.entry(id).or_insert_with(|| local(module, ty, &mut variables));
            one.read(module, function, Held { id, ty, variable });
        }
    }
    for block in &mut function.blocks {
        store_values(block, &kept);
    }
    if let Some(entry) = function.blocks.first_mut() {
        entry.instructions.splice(0..0, variables);
    }
}

/// Stores the kept values of a block, each after the instruction that computes it.
fn store_values(block: &mut Block, kept: &BTreeMap<u32, u32>) {
    let start = local_start(block);
    let mut behind = Vec::new();
    let mut code = Vec::new();
    for (idx, instruction) in std::mem::take(&mut block.instructions).into_iter().enumerate() {
        if idx == start {
            code.append(&mut behind);
        }
        let variable = instruction.result_id.and_then(|id| Some((id, *kept.get(&id)?)));
        code.push(instruction);
        let Some((id, variable)) = variable else { continue };
        // A store of a phi's value must follow all phis.
        let to = if idx < start { &mut behind } else { &mut code };
        to.push(store(variable, id));
    }
    block.instructions = code;
}

/// A value of a loop's body that the continuing construct uses.
#[derive(Clone, Copy)]
struct Held {
    /// Id of the value.
    id: u32,
    /// Id of its type.
    ty: u32,
    /// Id of the local variable that keeps the value.
    variable: u32,
}

/// A loop with a separate continuing construct. Blocks are identified by their index.
struct Loop {
    /// The first block of the loop.
    header: usize,
    /// The blocks of the loop's body.
    body: BTreeSet<usize>,
    /// The blocks of the continuing construct, by their labels.
    continuing: BTreeMap<u32, usize>,
}

impl Loop {
    fn of(function: &Function, places: &BTreeMap<u32, usize>, at: usize) -> Option<Self> {
        let header = &function.blocks[at];
        let merge = header.instructions.iter().find(|one| one.class.opcode == Op::LoopMerge)?;
        let [end, continued] = ids(merge).collect::<Vec<_>>()[..] else { return None };
        let header = label(header);
        if continued == header {
            return None;
        }
        let continuing = reached(function, places, continued, &[header, end]);
        let mut body = reached(function, places, header, &[continued, end]);
        body.retain(|block| !continuing.contains(block));
        let continuing = continuing.into_iter();
        let continuing = continuing.map(|at| (label(&function.blocks[at]), at)).collect();
        Some(Self { header: at, body, continuing })
    }

    /// The values of the body that the continuing construct uses or passes to the next iteration, with their types.
    fn values(&self, types: &BTreeMap<u32, Op>, function: &Function) -> BTreeMap<u32, u32> {
        let own = self.body.iter().flat_map(|at| &function.blocks[*at].instructions);
        let own = own.filter(|one| one.class.opcode != Op::Variable);
        let own: BTreeMap<u32, u32> =
            own.filter_map(|one| one.result_id.zip(one.result_type)).collect();
        let mut used = BTreeSet::new();
        for at in self.continuing.values() {
            let uses = function.blocks[*at].instructions.iter();
            used.extend(uses.filter(|one| one.class.opcode != Op::Phi).flat_map(ids));
        }
        for phi in &function.blocks[self.header].instructions {
            let given = self.given(phi).into_iter();
            used.extend(given.map(|at| phi.operands[at].id_ref_any().unwrap_or(0)));
        }
        let is_held = |ty: &u32| types.get(ty).is_some_and(|op| !is_unstorable(*op));
        own.into_iter().filter(|(id, ty)| used.contains(id) && is_held(ty)).collect()
    }

    /// Positions of the operands of a header's phi that come from the continuing construct.
    fn given(&self, phi: &Instruction) -> Vec<usize> {
        let count = if phi.class.opcode == Op::Phi { phi.operands.len() / 2 } else { 0 };
        let is_given = |at: &usize| {
            let from = phi.operands[at + 1].id_ref_any();
            from.is_some_and(|from| self.continuing.contains_key(&from))
        };
        (0..count).map(|pair| 2 * pair).filter(is_given).collect()
    }

    /// Makes the continuing construct load a value from its variable, in each block that uses it.
    fn read(&self, module: &mut Module, function: &mut Function, held: Held) {
        let Held { id, ty, variable } = held;
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        let given: BTreeSet<u32> = self.blocks_that_give(function, id);
        for (own, at) in &self.continuing {
            let block = &mut function.blocks[*at];
            let copy = fresh(module);
            let mut is_used = given.contains(own);
            let uses = block.instructions.iter_mut().filter(|one| one.class.opcode != Op::Phi);
            for operand in uses.flat_map(|one| &mut one.operands) {
                if *operand == Operand::IdRef(id) {
                    *operand = Operand::IdRef(copy);
                    is_used = true;
                }
            }
            if is_used {
                copies.insert(*own, copy);
                let start = local_start(block);
                block.instructions.insert(start, load(ty, copy, variable));
            }
        }
        for phi in &mut function.blocks[self.header].instructions {
            for at in self.given(phi) {
                let from = phi.operands[at + 1].id_ref_any().unwrap_or(0);
                if phi.operands[at] == Operand::IdRef(id)
                    && let Some(copy) = copies.get(&from)
                {
                    phi.operands[at] = Operand::IdRef(*copy);
                }
            }
        }
    }

    /// Labels of the blocks of the continuing construct from which a phi of the header gets this value.
    fn blocks_that_give(&self, function: &Function, id: u32) -> BTreeSet<u32> {
        let phis = function.blocks[self.header].instructions.iter();
        let from = phis.flat_map(|phi| {
            let given = self.given(phi).into_iter();
            let given = given.filter(|at| phi.operands[*at] == Operand::IdRef(id));
            given.filter_map(|at| phi.operands[at + 1].id_ref_any())
        });
        from.collect()
    }
}

/// True for types that local variables cannot have.
const fn is_unstorable(op: Op) -> bool {
    matches!(
        op,
        Op::TypePointer
            | Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeVoid
            | Op::TypeStruct
    )
}

/// The blocks reachable from a block, including itself. The search stops at the given blocks and excludes them.
fn reached(
    function: &Function,
    places: &BTreeMap<u32, usize>,
    from: u32,
    ends: &[u32],
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(next) = waiting.pop() {
        let Some(at) = places.get(&next) else { continue };
        if found.insert(*at) {
            let all = successors(&function.blocks[*at]).into_iter();
            waiting.extend(all.filter(|next| !ends.contains(next)));
        }
    }
    found
}
