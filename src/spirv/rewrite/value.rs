//! Moves values to places where naga can read them: undefined values to module scope, and pointers into the block that
//! uses them.

use std::collections::BTreeMap;

use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, SelectionControl, StorageClass};

use super::block_array::fresh;

/// Moves `OpUndef` out of functions, where naga would emit its expression twice.
pub(super) fn hoist_undefined(module: &mut Module) {
    let mut moved = Vec::new();
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let (undefined, others) = std::mem::take(&mut block.instructions)
            .into_iter()
            .partition(|instruction| instruction.class.opcode == Op::Undef);
        block.instructions = others;
        let undefined: Vec<Instruction> = undefined;
        moved.extend(undefined);
    }
    module.types_global_values.extend(moved);
}

/// Replaces copies by their originals: naga does not accept a copy of a pointer as a value.
pub(super) fn forget_copies(module: &mut Module) {
    for function in &mut module.functions {
        let mut originals = BTreeMap::new();
        for block in &mut function.blocks {
            let is_copy = |one: &Instruction| one.class.opcode == Op::CopyObject;
            for copy in block.instructions.iter().filter(|one| is_copy(one)) {
                let original = copy.operands.first().map_or(0, crate::declarations::first_word);
                originals.extend(copy.result_id.map(|id| (id, original)));
            }
            block.instructions.retain(|one| !is_copy(one));
        }
        // A phi may use a copy of a later block.
        for operand in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            for operand in &mut operand.operands {
                let Operand::IdRef(id) = operand else { continue };
                // A malformed module may have cyclic copies.
                for _ in 0..originals.len() {
                    let Some(original) = originals.get(id) else { break };
                    *id = *original;
                }
            }
        }
    }
}

/// Replaces `OpUnreachable` by a return. naga treats it as the end of the construct around it; reaching it is
/// undefined.
pub(super) fn return_from_unreachable(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        let ty = function.def.as_ref().and_then(|def| def.result_type).unwrap_or(0);
        for end in function.blocks.iter_mut().filter_map(|block| block.instructions.last_mut()) {
            if end.class.opcode == Op::Unreachable {
                *end = return_nothing(module, ty);
            }
        }
    }
    module.functions = functions;
}

/// Adds a return after a kill in functions with a result. GLSL requires one there, and naga writes none.
pub(super) fn return_behind_kills(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        let ty = function.def.as_ref().and_then(|def| def.result_type).unwrap_or(0);
        let end = return_nothing(module, ty);
        if end.class.opcode == Op::Return {
            continue;
        }
        for mut block in std::mem::take(&mut function.blocks) {
            let is_kill = |one: &Instruction| one.class.opcode == Op::Kill;
            let Some(kill) = block.instructions.pop_if(|last| is_kill(last)) else {
                function.blocks.push(block);
                continue;
            };
            let bool_type = global(module, Op::TypeBool, None, Vec::new());
            let always = global(module, Op::ConstantTrue, Some(bool_type), Vec::new());
            let [killing, behind] = [(); 2].map(|()| fresh(module));
            let control = Operand::SelectionControl(SelectionControl::NONE);
            let merge = vec![Operand::IdRef(behind), control];
            let ways = [always, killing, behind].map(Operand::IdRef).to_vec();
            block.instructions.push(Instruction::new(Op::SelectionMerge, None, None, merge));
            block.instructions.push(Instruction::new(Op::BranchConditional, None, None, ways));
            function.blocks.push(block);
            for (id, last) in [(killing, kill), (behind, end.clone())] {
                let label = Some(Instruction::new(Op::Label, None, Some(id), Vec::new()));
                function.blocks.push(Block { label, instructions: vec![last] });
            }
        }
    }
    module.functions = functions;
}

/// A return instruction with an undefined value of this type.
pub(super) fn return_nothing(module: &mut Module, ty: u32) -> Instruction {
    let is_void = |one: &Instruction| one.result_id == Some(ty) && one.class.opcode == Op::TypeVoid;
    if module.types_global_values.iter().any(is_void) {
        return Instruction::new(Op::Return, None, None, Vec::new());
    }
    let nothing = Operand::IdRef(global(module, Op::Undef, Some(ty), Vec::new()));
    Instruction::new(Op::ReturnValue, None, None, vec![nothing])
}

/// Removes the zero initialisers of workgroup memory, all of which starts as zero (WebGPU, "Zero-initialize workgroup
/// memory").
pub(super) fn forget_zeros(module: &mut Module) {
    let is_null = |one: &&Instruction| one.class.opcode == Op::ConstantNull;
    let globals = module.types_global_values.iter();
    let nulls: Vec<_> = globals.filter(is_null).filter_map(|one| one.result_id).collect();
    for variable in &mut module.types_global_values {
        if let (Op::Variable, [Operand::StorageClass(StorageClass::Workgroup), Operand::IdRef(id)]) =
            (variable.class.opcode, variable.operands.as_slice())
            && nulls.contains(id)
        {
            variable.operands.truncate(1);
        }
    }
}

/// Index of the first instruction of a block that is neither a phi nor a variable declaration.
pub(super) fn local_start(block: &Block) -> usize {
    let is_first = |one: &Instruction| {
        matches!(one.class.opcode, Op::Phi | Op::Variable | Op::Line | Op::NoLine)
    };
    block.instructions.iter().position(|one| !is_first(one)).unwrap_or(0)
}

/// Repeats pointers into variables, textures and samplers in each block that uses those of another block. naga keeps a
/// value for other blocks in a local variable, which cannot hold pointers, textures or samplers.
pub(super) fn copy_all_pointers(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        copy_pointers(module, function);
    }
    module.functions = functions;
}

/// Repeats pointers into variables, textures and samplers in each block of one function that uses those of another.
pub(super) fn copy_pointers(module: &mut Module, function: &mut Function) {
    let chains = Chains::of(module, function);
    for (at, block) in function.blocks.iter_mut().enumerate() {
        chains.copy_into(module, at, block);
    }
}

/// The access chains of a function and its textures and samplers by their ids, with the index of their block.
struct Chains(BTreeMap<u32, (usize, Instruction)>);

impl Chains {
    fn of(module: &Module, function: &Function) -> Self {
        let is_opaque = |global: &&Instruction| {
            matches!(global.class.opcode, Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage)
        };
        let globals = module.types_global_values.iter().filter(is_opaque);
        let opaque: Vec<u32> = globals.filter_map(|global| global.result_id).collect();
        let all = function.blocks.iter().enumerate();
        let all = all.flat_map(|(at, block)| block.instructions.iter().map(move |one| (at, one)));
        let chains = all.filter(|(_, instruction)| match instruction.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain => true,
            Op::Load | Op::SampledImage | Op::Image => {
                instruction.result_type.is_some_and(|ty| opaque.contains(&ty))
            }
            _ => false,
        });
        Self(chains.filter_map(|(at, one)| Some((one.result_id?, (at, one.clone())))).collect())
    }

    fn copy_into(&self, module: &mut Module, at: usize, block: &mut Block) {
        let mut copying =
            Copying { chains: self, at, module, known: BTreeMap::new(), copies: Vec::new() };
        let uses = block.instructions.iter_mut().filter(|one| one.class.opcode != Op::Phi);
        for operand in uses.flat_map(|one| &mut one.operands) {
            if let Operand::IdRef(id) = operand {
                *id = copying.in_block(*id);
            }
        }
        let start = local_start(block);
        block.instructions.splice(start..start, copying.copies);
    }
}

/// The pointers that one block gets of its own.
struct Copying<'a> {
    /// The pointers of the function.
    chains: &'a Chains,
    /// The module, which gives the ids.
    module: &'a mut Module,
    /// Index of the block.
    at: usize,
    /// Ids of the copies by the ids of the originals.
    known: BTreeMap<u32, u32>,
    /// The copies, each after those that it uses.
    copies: Vec<Instruction>,
}

impl Copying<'_> {
    /// The id in the block of the same value as `id`.
    fn in_block(&mut self, id: u32) -> u32 {
        let chain = self.chains.0.get(&id).filter(|(home, _)| *home != self.at);
        let Some((_, chain)) = chain else { return id };
        if let Some(copy) = self.known.get(&id) {
            return *copy;
        }
        let mut copy = chain.clone();
        for operand in &mut copy.operands {
            if let Operand::IdRef(base) = operand {
                *base = self.in_block(*base);
            }
        }
        let new = fresh(self.module);
        copy.result_id = Some(new);
        self.copies.push(copy);
        self.known.insert(id, new);
        new
    }
}

/// The id of a type or value at module scope. Declares it unless an equal declaration exists.
pub(super) fn global(module: &mut Module, op: Op, ty: Option<u32>, operands: Vec<Operand>) -> u32 {
    let is_it = |known: &&Instruction| {
        known.class.opcode == op && known.result_type == ty && known.operands == operands
    };
    let known = module.types_global_values.iter().find(is_it);
    if let Some(id) = known.and_then(|known| known.result_id) {
        return id;
    }
    let id = fresh(module);
    module.types_global_values.push(Instruction::new(op, ty, Some(id), operands));
    id
}
