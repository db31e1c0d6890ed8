//! Operations that naga does not read, as others: sums with a carry, products of twice the width, and `modf`.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

use super::block_array::fresh;
use super::value::global;

/// Replaces all such operations.
pub(super) fn replace(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let mut code = Vec::new();
        for instruction in std::mem::take(&mut block.instructions) {
            let mut writer = Writer { module, code: &mut code };
            if writer.replace(&instruction).is_none() {
                code.push(instruction);
            }
        }
        block.instructions = code;
    }
    module.functions = functions;
}

/// Writes the code in place of an instruction.
struct Writer<'a> {
    module: &'a mut Module,
    code: &'a mut Vec<Instruction>,
}

/// A type of unsigned integers, a scalar or vector.
#[derive(Clone, Copy)]
struct Integers {
    id: u32,
    /// Number of its scalars.
    size: u32,
    scalar: u32,
}

impl Writer<'_> {
    /// `None` if the instruction can stay.
    fn replace(&mut self, old: &Instruction) -> Option<()> {
        let ids: Vec<u32> = crate::specialize::ids(old).collect();
        match (old.class.opcode, &ids[..]) {
            (Op::IAddCarry, [a, b]) => {
                let ty = self.integers(old)?;
                let sum = self.write(Op::IAdd, ty.id, &[*a, *b]);
                let carry = self.is_less(ty, sum, *a);
                self.finish(old, [sum, carry]);
            }
            (Op::ISubBorrow, [a, b]) => {
                let ty = self.integers(old)?;
                let difference = self.write(Op::ISub, ty.id, &[*a, *b]);
                let borrow = self.is_less(ty, *a, *b);
                self.finish(old, [difference, borrow]);
            }
            (Op::UMulExtended, [a, b]) => {
                let ty = self.integers(old)?;
                let low = self.write(Op::IMul, ty.id, &[*a, *b]);
                let high = self.high_product(ty, [*a, *b]);
                self.finish(old, [low, high]);
            }
            (Op::SMulExtended, [a, b]) => {
                let ty = self.integers(old)?;
                let low = self.write(Op::IMul, ty.id, &[*a, *b]);
                let mut high = self.high_product(ty, [*a, *b]);
                // A negative factor counts as 2^32 more without a sign.
                for (factor, other) in [(*a, *b), (*b, *a)] {
                    let sign = self.constant(ty, 31);
                    let mask = self.write(Op::ShiftRightArithmetic, ty.id, &[factor, sign]);
                    let much = self.write(Op::BitwiseAnd, ty.id, &[mask, other]);
                    high = self.write(Op::ISub, ty.id, &[high, much]);
                }
                self.finish(old, [low, high]);
            }
            (Op::ExtInst, [set, value, pointer]) if is_modf(old) => {
                let ty = old.result_type?;
                let whole = fresh(self.module);
                let trunc = Operand::LiteralExtInstInteger(GlslStd450Op::Trunc as u32);
                let operands = vec![Operand::IdRef(*set), trunc, Operand::IdRef(*value)];
                self.code.push(Instruction::new(Op::ExtInst, Some(ty), Some(whole), operands));
                let operands = [*pointer, whole].map(Operand::IdRef).to_vec();
                self.code.push(Instruction::new(Op::Store, None, None, operands));
                let operands = [*value, whole].map(Operand::IdRef).to_vec();
                self.code.push(Instruction::new(Op::FSub, Some(ty), old.result_id, operands));
            }
            _ => return None,
        }
        Some(())
    }

    /// The type of both members of the result.
    fn integers(&self, old: &Instruction) -> Option<Integers> {
        let of = |id: u32| {
            let globals = self.module.types_global_values.iter();
            globals.clone().find(move |global| global.result_id == Some(id))
        };
        let id = crate::specialize::ids(of(old.result_type?)?).next()?;
        let ty = of(id)?;
        match (ty.class.opcode, ty.operands.as_slice()) {
            (Op::TypeInt, [Operand::LiteralBit32(32), _]) => {
                Some(Integers { id, size: 1, scalar: id })
            }
            (Op::TypeVector, [Operand::IdRef(scalar), Operand::LiteralBit32(size)]) => {
                let is_word = of(*scalar)?.operands.first() == Some(&Operand::LiteralBit32(32));
                is_word.then_some(Integers { id, size: *size, scalar: *scalar })
            }
            _ => None,
        }
    }

    fn write(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = fresh(self.module);
        let operands = operands.iter().map(|id| Operand::IdRef(*id)).collect();
        self.code.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// This number in every component.
    fn constant(&mut self, ty: Integers, value: u32) -> u32 {
        let operands = vec![Operand::LiteralBit32(value)];
        let scalar = global(self.module, Op::Constant, Some(ty.scalar), operands);
        if ty.size == 1 {
            return scalar;
        }
        let operands = vec![Operand::IdRef(scalar); ty.size as usize];
        global(self.module, Op::ConstantComposite, Some(ty.id), operands)
    }

    /// 1 where a is less than b, both without a sign, and 0 elsewhere.
    fn is_less(&mut self, ty: Integers, a: u32, b: u32) -> u32 {
        let mut bools = global(self.module, Op::TypeBool, None, Vec::new());
        if ty.size > 1 {
            let operands = vec![Operand::IdRef(bools), Operand::LiteralBit32(ty.size)];
            bools = global(self.module, Op::TypeVector, None, operands);
        }
        let is_less = self.write(Op::ULessThan, bools, &[a, b]);
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.write(Op::Select, ty.id, &[is_less, one, zero])
    }

    /// The upper 16 bits. What a shift of signed numbers brings in is cut off.
    fn upper_half(&mut self, ty: Integers, value: u32) -> u32 {
        let (half, mask) = (self.constant(ty, 16), self.constant(ty, 0xffff));
        let shifted = self.write(Op::ShiftRightLogical, ty.id, &[value, half]);
        self.write(Op::BitwiseAnd, ty.id, &[shifted, mask])
    }

    /// The upper half of a product without signs, from four products of halves.
    fn high_product(&mut self, ty: Integers, factors: [u32; 2]) -> u32 {
        let mask = self.constant(ty, 0xffff);
        let [[a_low, a_high], [b_low, b_high]] = factors.map(|factor| {
            [self.write(Op::BitwiseAnd, ty.id, &[factor, mask]), self.upper_half(ty, factor)]
        });
        let low = self.write(Op::IMul, ty.id, &[a_low, b_low]);
        let carried = self.upper_half(ty, low);
        let first = self.write(Op::IMul, ty.id, &[a_high, b_low]);
        let first = self.write(Op::IAdd, ty.id, &[first, carried]);
        let first_low = self.write(Op::BitwiseAnd, ty.id, &[first, mask]);
        let first_high = self.upper_half(ty, first);
        let second = self.write(Op::IMul, ty.id, &[a_low, b_high]);
        let second = self.write(Op::IAdd, ty.id, &[second, first_low]);
        let second_high = self.upper_half(ty, second);
        let high = self.write(Op::IMul, ty.id, &[a_high, b_high]);
        let high = self.write(Op::IAdd, ty.id, &[high, first_high]);
        self.write(Op::IAdd, ty.id, &[high, second_high])
    }

    /// Puts the two members together.
    fn finish(&mut self, old: &Instruction, members: [u32; 2]) {
        let operands = members.map(Operand::IdRef).to_vec();
        let op = Op::CompositeConstruct;
        self.code.push(Instruction::new(op, old.result_type, old.result_id, operands));
    }
}

fn is_modf(instruction: &Instruction) -> bool {
    let modf = Operand::LiteralExtInstInteger(GlslStd450Op::Modf as u32);
    instruction.operands.get(1) == Some(&modf)
}
