//! Flattens a function of any control flow to one loop around a switch over its blocks.
//!
//! Values that another block or a phi uses are kept in local variables. Invocations that would run together may run
//! different blocks in this form, so functions with derivatives or barriers are not flattened.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{LoopControl, Op, SelectionControl, StorageClass};

use crate::rewrite::block::label;
use crate::rewrite::block_array::fresh;
use crate::rewrite::value::{global, return_nothing};
use crate::specialize::ids;
use ir::diagnostic::Unsupported;

pub(super) fn id_of(function: &Function) -> Option<u32> {
    function.def.as_ref().and_then(|def| def.result_id)
}

/// The functions whose results depend on which invocations run together, directly or through calls.
pub(super) fn functions_with_neighbours(functions: &[Function]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    loop {
        let has_neighbours = |function: &&Function| {
            function.all_inst_iter().any(|one| match one.class.opcode {
                Op::FunctionCall => ids(one).next().is_some_and(|callee| found.contains(&callee)),
                op => needs_neighbours(op),
            })
        };
        let more: BTreeSet<u32> =
            functions.iter().filter(has_neighbours).filter_map(id_of).collect();
        if more.len() == found.len() {
            return found;
        }
        found = more;
    }
}

fn needs_neighbours(op: Op) -> bool {
    let name = format!("{op:?}");
    ["DPd", "Fwidth", "GroupNonUniform", "Subgroup", "ControlBarrier"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.contains("ImplicitLod")
        || op == Op::ImageQueryLod
}

/// Labels and ids of the loop around the switch.
struct Form {
    state: u32,
    number: u32,
    join: u32,
    /// Number of every block.
    numbers: BTreeMap<u32, u32>,
}

/// Rewrites the function as one loop around a switch over its blocks.
pub(super) fn flatten(module: &mut Module, function: &mut Function) -> Result<(), Unsupported> {
    let mut variables = Vec::new();
    for block in &mut function.blocks {
        let is_variable = |one: &Instruction| one.class.opcode == Op::Variable;
        variables.extend(block.instructions.iter().filter(|one| is_variable(one)).cloned());
        block.instructions.retain(|one| !is_variable(one) && one.class.opcode != Op::Line);
    }
    let ends = function.def.as_ref().and_then(|def| def.result_type).unwrap_or(0);
    let word = [32, 0].map(Operand::LiteralBit32).to_vec();
    let number = global(module, Op::TypeInt, None, word);
    let mut numbers = BTreeMap::new();
    for (block, number) in function.blocks.iter().zip(0..) {
        numbers.insert(label(block), number);
    }
    let state = local(module, number, &mut variables);
    let form = Form { state, number, join: fresh(module), numbers };
    let crossing = Crossing::of(module, function, &mut variables)?;
    crossing.rewrite(module, function, &form);
    form.assemble(module, function, variables, ends);
    Ok(())
}

/// Declares a local variable and returns its id.
pub(super) fn local(module: &mut Module, ty: u32, variables: &mut Vec<Instruction>) -> u32 {
    let class = Operand::StorageClass(StorageClass::Function);
    let pointer = global(module, Op::TypePointer, None, vec![class.clone(), Operand::IdRef(ty)]);
    let id = fresh(module);
    variables.push(Instruction::new(Op::Variable, Some(pointer), Some(id), vec![class]));
    id
}

pub(super) fn store(variable: u32, value: u32) -> Instruction {
    let operands = [variable, value].map(Operand::IdRef).to_vec();
    Instruction::new(Op::Store, None, None, operands)
}

pub(super) fn load(ty: u32, id: u32, variable: u32) -> Instruction {
    Instruction::new(Op::Load, Some(ty), Some(id), vec![Operand::IdRef(variable)])
}

/// A value that a block other than its own uses, and the variable that holds it.
#[derive(Clone, Copy)]
struct Kept {
    ty: u32,
    variable: u32,
}

struct Crossing {
    /// For every value, its block and its type.
    homes: BTreeMap<u32, (u32, u32)>,
    kept: BTreeMap<u32, Kept>,
    /// The variables of phis, which the predecessor blocks write.
    phis: BTreeMap<u32, Kept>,
    /// For every block, the phis of its successors and the values that the block passes to them.
    edges: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl Crossing {
    fn of(
        module: &mut Module,
        function: &Function,
        variables: &mut Vec<Instruction>,
    ) -> Result<Self, Unsupported> {
        let mut homes = BTreeMap::new();
        for block in &function.blocks {
            let values = block.instructions.iter();
            let values = values.filter_map(|one| one.result_id.zip(one.result_type));
            homes.extend(values.map(|(id, ty)| (id, (label(block), ty))));
        }
        let mut edges: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        let mut uses: Vec<(u32, u32)> = Vec::new();
        let mut all_phis = Vec::new();
        for block in &function.blocks {
            for one in &block.instructions {
                if one.class.opcode != Op::Phi {
                    uses.extend(ids(one).map(|id| (label(block), id)));
                    continue;
                }
                let Some((id, ty)) = one.result_id.zip(one.result_type) else { continue };
                all_phis.push((id, ty));
                for pair in ids(one).collect::<Vec<_>>().chunks_exact(2) {
                    uses.push((pair[1], pair[0]));
                    edges.entry(pair[1]).or_default().push((id, pair[0]));
                }
            }
        }
        let mut all = Self { homes, kept: BTreeMap::new(), phis: BTreeMap::new(), edges };
        for (id, ty) in all_phis {
            let kept = keep(module, ty, variables)?;
            all.phis.insert(id, kept);
        }
        for (at, id) in uses {
            let Some((_, ty)) = all.homes.get(&id).copied().filter(|(home, _)| *home != at) else {
                continue;
            };
            if let Entry::Vacant(place) = all.kept.entry(id) {
                place.insert(keep(module, ty, variables)?);
            }
        }
        Ok(all)
    }

    fn rewrite(&self, module: &mut Module, function: &mut Function, form: &Form) {
        for block in &mut function.blocks {
            let mut code =
                Code { module, start: Vec::new(), body: Vec::new(), known: BTreeMap::new() };
            let own = label(block);
            let mut old = std::mem::take(&mut block.instructions);
            let last = old.pop();
            for mut one in old {
                if matches!(one.class.opcode, Op::SelectionMerge | Op::LoopMerge) {
                    continue;
                }
                let phi = one.result_id.and_then(|id| self.phis.get(&id)).copied();
                if let (Some(phi), Some(id)) = (phi, one.result_id) {
                    code.start.push(load(phi.ty, id, phi.variable));
                    let kept = self.kept.get(&id);
                    code.body.extend(kept.map(|kept| store(kept.variable, id)));
                    continue;
                }
                self.replace_uses(&mut code, own, &mut one);
                let kept = one.result_id.and_then(|id| Some((id, self.kept.get(&id)?.variable)));
                code.body.push(one);
                code.body.extend(kept.map(|(id, variable)| store(variable, id)));
            }
            for (phi, value) in self.edges.get(&own).cloned().unwrap_or_default() {
                let value = self.value(&mut code, own, value);
                let variable = self.phis[&phi].variable;
                code.body.push(store(variable, value));
            }
            if let Some(mut last) = last {
                self.replace_uses(&mut code, own, &mut last);
                form.leave(&mut code, last);
            }
            block.instructions = code.start;
            block.instructions.extend(code.body);
        }
    }

    fn replace_uses(&self, code: &mut Code<'_>, own: u32, one: &mut Instruction) {
        for operand in &mut one.operands {
            if let Operand::IdRef(id) = operand {
                *id = self.value(code, own, *id);
            }
        }
    }

    /// The id of a value in the block `own`. A value of another block is loaded at the start of the block.
    fn value(&self, code: &mut Code<'_>, own: u32, id: u32) -> u32 {
        let is_other = self.homes.get(&id).is_some_and(|(home, _)| *home != own);
        let Some(kept) = self.kept.get(&id).filter(|_| is_other) else { return id };
        if let Some(known) = code.known.get(&id) {
            return *known;
        }
        let new = fresh(code.module);
        code.start.push(load(kept.ty, new, kept.variable));
        code.known.insert(id, new);
        new
    }
}

fn keep(
    module: &mut Module,
    ty: u32,
    variables: &mut Vec<Instruction>,
) -> Result<Kept, Unsupported> {
    let declared = module.types_global_values.iter().find(|one| one.result_id == Some(ty));
    let is_value = declared.is_some_and(|one| {
        matches!(
            one.class.opcode,
            Op::TypeBool
                | Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeMatrix
                | Op::TypeArray
                | Op::TypeStruct
        )
    });
    if !is_value {
        let word = "SPIR-V control flow that naga cannot read, with pointers between blocks";
        return Err(Unsupported(word.to_owned()));
    }
    let variable = local(module, ty, variables);
    Ok(Kept { ty, variable })
}

/// The code of one block.
struct Code<'a> {
    module: &'a mut Module,
    /// Loads at the start of the block.
    start: Vec<Instruction>,
    body: Vec<Instruction>,
    /// Loaded values by their old ids.
    known: BTreeMap<u32, u32>,
}

impl Code<'_> {
    fn write(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = fresh(self.module);
        let operands = operands.iter().map(|id| Operand::IdRef(*id)).collect();
        self.body.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// A boolean that is true if the selector of a switch has the value of this literal.
    fn is_equal(&mut self, selector: u32, literal: &Operand) -> u32 {
        let bools = global(self.module, Op::TypeBool, None, Vec::new());
        let width = if matches!(literal, Operand::LiteralBit64(_)) { 64 } else { 32 };
        let ty = [width, 0].map(Operand::LiteralBit32).to_vec();
        let ty = global(self.module, Op::TypeInt, None, ty);
        let value = global(self.module, Op::Constant, Some(ty), vec![literal.clone()]);
        self.write(Op::IEqual, bools, &[selector, value])
    }
}

impl Form {
    fn constant(&self, module: &mut Module, number: u32) -> u32 {
        let operands = vec![Operand::LiteralBit32(number)];
        global(module, Op::Constant, Some(self.number), operands)
    }

    /// The number of the block with this label, as a constant.
    fn block(&self, code: &mut Code<'_>, label: u32) -> u32 {
        let number = self.numbers.get(&label).copied().unwrap_or(u32::MAX);
        self.constant(code.module, number)
    }

    /// Ends a block: the target of its branch becomes the next state.
    fn leave(&self, code: &mut Code<'_>, last: Instruction) {
        let named: Vec<u32> = ids(&last).collect();
        let next = match (last.class.opcode, named.as_slice()) {
            (Op::Branch, [target]) => self.block(code, *target),
            (Op::BranchConditional, [condition, yes, no]) => {
                let ways = [*yes, *no].map(|way| self.block(code, way));
                code.write(Op::Select, self.number, &[*condition, ways[0], ways[1]])
            }
            (Op::Switch, [selector, default, targets @ ..]) => {
                let mut next = self.block(code, *default);
                let literals = last.operands.iter().skip(2).step_by(2);
                for (literal, target) in literals.zip(targets) {
                    let is_it = code.is_equal(*selector, literal);
                    let target = self.block(code, *target);
                    next = code.write(Op::Select, self.number, &[is_it, target, next]);
                }
                next
            }
            _ => {
                code.body.push(last);
                return;
            }
        };
        code.body.push(store(self.state, next));
        code.body.push(branch(self.join));
    }

    /// Puts the blocks into the loop.
    fn assemble(
        &self,
        module: &mut Module,
        function: &mut Function,
        variables: Vec<Instruction>,
        ends: u32,
    ) {
        let [entry, header, choice, next, default, behind] = [(); 6].map(|()| fresh(module));
        let nothing = return_nothing(module, ends);
        let start = self.constant(module, 0);
        let plain = |op, operands| Instruction::new(op, None, None, operands);
        let none = Operand::LoopControl(LoopControl::NONE);
        let merge = vec![Operand::IdRef(behind), Operand::IdRef(next), none];
        let none = Operand::SelectionControl(SelectionControl::NONE);
        let selector = fresh(module);
        let mut cases = vec![Operand::IdRef(selector), Operand::IdRef(default)];
        for block in &function.blocks {
            let number = self.numbers.get(&label(block)).copied().unwrap_or(u32::MAX);
            cases.extend([Operand::LiteralBit32(number), Operand::IdRef(label(block))]);
        }
        let mut blocks = vec![
            block(entry, [variables, vec![store(self.state, start), branch(header)]].concat()),
            block(header, vec![plain(Op::LoopMerge, merge), branch(choice)]),
            block(
                choice,
                vec![
                    load(self.number, selector, self.state),
                    plain(Op::SelectionMerge, vec![Operand::IdRef(self.join), none]),
                    plain(Op::Switch, cases),
                ],
            ),
        ];
        blocks.append(&mut function.blocks);
        blocks.extend([
            block(default, vec![nothing.clone()]),
            block(self.join, vec![branch(next)]),
            block(next, vec![branch(header)]),
            block(behind, vec![nothing]),
        ]);
        function.blocks = blocks;
    }
}

fn branch(target: u32) -> Instruction {
    Instruction::new(Op::Branch, None, None, vec![Operand::IdRef(target)])
}

fn block(label: u32, instructions: Vec<Instruction>) -> Block {
    Block { label: Some(Instruction::new(Op::Label, None, Some(label), Vec::new())), instructions }
}
