//! Clamps constant indices outside a vector, matrix or array to the last element. SPIR-V leaves the result undefined
//! only if the access is executed, which a condition may prevent, but naga rejects the whole module.

use std::collections::BTreeMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::value::global;
use crate::declarations::{Declarations, first_word};
use crate::specialize::ids;

/// Clamps out-of-range constant indices to the last element.
pub(super) fn clamp(module: &mut Module) {
    let declarations = Declarations::of(module);
    let mut functions = std::mem::take(&mut module.functions);
    let mut types: BTreeMap<u32, u32> = BTreeMap::new();
    types.extend(pairs(module.types_global_values.iter()));
    types.extend(pairs(functions.iter().flat_map(rspirv::dr::Function::all_inst_iter)));
    let clamping = Clamping { declarations, types };
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for one in &mut block.instructions {
            clamping.instruction(module, one);
        }
    }
    module.functions = functions;
}

fn pairs<'a>(
    all: impl Iterator<Item = &'a Instruction> + 'a,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    all.filter_map(|one| one.result_id.zip(one.result_type))
}

struct Clamping {
    declarations: Declarations,
    /// Types of all values.
    types: BTreeMap<u32, u32>,
}

impl Clamping {
    fn instruction(&self, module: &mut Module, one: &mut Instruction) {
        let all: Vec<u32> = ids(one).collect();
        let Some(ty) = all.first().and_then(|base| self.types.get(base)).copied() else { return };
        let is_counter = self.declarations.ty(ty).is_some_and(|(_, operands)| {
            operands.first() == Some(&(StorageClass::AtomicCounter as u32))
        });
        if is_counter {
            return;
        }
        // The type of the base, and the position of the first index in the operands.
        let (mut ty, first) = match one.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain => {
                (self.declarations.pointee(ty).unwrap_or(0), 1)
            }
            Op::VectorExtractDynamic => (ty, 1),
            Op::VectorInsertDynamic => (ty, 2),
            _ => return,
        };
        for operand in one.operands.iter_mut().skip(first) {
            let index = first_word(operand);
            let (length, inner) = self.inside(ty, index);
            let is_outside = |index: u32| length.is_some_and(|length| index >= length);
            if !self.is_of_resources(ty)
                && self.declarations.integer(index).is_some_and(is_outside)
                && let Some(ty) = self.types.get(&index)
            {
                let last = Operand::LiteralBit32(length.unwrap_or(1).saturating_sub(1));
                *operand = Operand::IdRef(global(module, Op::Constant, Some(*ty), vec![last]));
            }
            ty = inner;
        }
    }

    /// True for arrays of blocks, textures and samplers, which other passes handle.
    fn is_of_resources(&self, ty: u32) -> bool {
        let (inner, lengths) = self.declarations.without_arrays(ty);
        let own = self.declarations.decorations(inner);
        let is_opaque = matches!(
            self.declarations.ty(inner),
            Some((Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage, _))
        );
        let is_block = own.has(Decoration::Block) || own.has(Decoration::BufferBlock);
        !lengths.is_empty() && (is_opaque || is_block)
    }

    /// The number of elements of a type, and their type. The number is `None` unless the type is a vector, a matrix or
    /// an array with a length.
    fn inside(&self, ty: u32, index: u32) -> (Option<u32>, u32) {
        let Some((op, operands)) = self.declarations.ty(ty) else { return (None, 0) };
        let first = operands.first().copied().unwrap_or(0);
        match op {
            Op::TypeVector | Op::TypeMatrix => (operands.get(1).copied(), first),
            Op::TypeArray => {
                (operands.get(1).and_then(|length| self.declarations.integer(*length)), first)
            }
            Op::TypeRuntimeArray => (None, first),
            Op::TypeStruct => {
                let member = self.declarations.integer(index).unwrap_or(u32::MAX);
                (None, operands.get(member as usize).copied().unwrap_or(0))
            }
            _ => (None, 0),
        }
    }
}
