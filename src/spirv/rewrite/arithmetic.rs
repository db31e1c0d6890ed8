//! Lowers operations that naga does not read to others: sums with a carry, products of twice the width, remainders with
//! the sign of the divisor, outer products, and `modf`.

use rspirv::dr::Instruction;
use rspirv::spirv::{GlslStd450Op, Op};

use super::code::{Scalar, Shape, Writer, extended};

impl Writer<'_> {
    /// Replaces integer arithmetic and `modf` that naga does not read. Returns `None` if the instruction can stay.
    pub(super) fn replace_arithmetic(&mut self, old: &Instruction) -> Option<()> {
        let ids: Vec<u32> = crate::specialize::ids(old).collect();
        match (old.class.opcode, &ids[..]) {
            (Op::IAddCarry, [a, b]) => {
                let ty = self.integers(old)?;
                let sum = self.write(Op::IAdd, ty.id, &[*a, *b]);
                let carry = self.is_less(ty, sum, *a);
                self.finish(old, Op::CompositeConstruct, &[sum, carry]);
            }
            (Op::ISubBorrow, [a, b]) => {
                let ty = self.integers(old)?;
                let difference = self.write(Op::ISub, ty.id, &[*a, *b]);
                let borrow = self.is_less(ty, *a, *b);
                self.finish(old, Op::CompositeConstruct, &[difference, borrow]);
            }
            (Op::UMulExtended, [a, b]) => {
                let ty = self.integers(old)?;
                let low = self.write(Op::IMul, ty.id, &[*a, *b]);
                let high = self.high_product(ty, [*a, *b]);
                self.finish(old, Op::CompositeConstruct, &[low, high]);
            }
            (Op::SMulExtended, [a, b]) => {
                let ty = self.integers(old)?;
                let low = self.write(Op::IMul, ty.id, &[*a, *b]);
                let mut high = self.high_product(ty, [*a, *b]);
                // Read as unsigned, a negative factor is greater by 2^32 (or 2^64).
                for (factor, other) in [(*a, *b), (*b, *a)] {
                    let sign = self.constant(ty, u64::from(ty.width - 1));
                    let mask = self.write(Op::ShiftRightArithmetic, ty.id, &[factor, sign]);
                    let much = self.write(Op::BitwiseAnd, ty.id, &[mask, other]);
                    high = self.write(Op::ISub, ty.id, &[high, much]);
                }
                self.finish(old, Op::CompositeConstruct, &[low, high]);
            }
            (Op::OuterProduct, [column, row]) => self.outer_product(old, *column, *row)?,
            (Op::SRem, [a, b]) => {
                let quotient = self.write(Op::SDiv, old.result_type?, &[*a, *b]);
                let product = self.write(Op::IMul, old.result_type?, &[quotient, *b]);
                self.finish(old, Op::ISub, &[*a, product]);
            }
            // The remainder with the sign of the second operand.
            (Op::SMod, [a, b]) => {
                let ty = self.shape(old.result_type?)?;
                let bools = self.with(ty, Scalar::Bool, 1);
                let rest = self.rest(ty.id, *a, *b);
                let zero = self.constant(ty, 0);
                let is_rest = self.write(Op::INotEqual, bools.id, &[rest, zero]);
                let signs = self.write(Op::BitwiseXor, ty.id, &[rest, *b]);
                let is_other = self.write(Op::SLessThan, bools.id, &[signs, zero]);
                let is_wrong = self.write(Op::LogicalAnd, bools.id, &[is_rest, is_other]);
                let sum = self.write(Op::IAdd, ty.id, &[rest, *b]);
                self.finish(old, Op::Select, &[is_wrong, sum, rest]);
            }
            (Op::ExtInst, [_, value, pointer]) if extended(old) == Some(GlslStd450Op::Modf) => {
                let ty = old.result_type?;
                let whole = self.extended(GlslStd450Op::Trunc, ty, &[*value]);
                self.store(*pointer, whole);
                self.finish(old, Op::FSub, &[*value, whole]);
            }
            _ => return None,
        }
        Some(())
    }

    /// A product of the column and each number of the row. naga takes an outer product for the transposed matrix.
    fn outer_product(&mut self, old: &Instruction, column: u32, row: u32) -> Option<()> {
        let (ty, row_type) = (self.type_of(column)?, self.shape_of(row)?);
        let scalar = self.sized(row_type, 1);
        let mut columns = Vec::new();
        for number in 0..row_type.size {
            let factor = self.extract(scalar.id, row, number);
            columns.push(self.write(Op::VectorTimesScalar, ty, &[column, factor]));
        }
        self.finish(old, Op::CompositeConstruct, &columns);
        Some(())
    }

    /// The remainder with the sign of `a`. naga's `%` is not used, because GLSL leaves it undefined for negative
    /// operands.
    fn rest(&mut self, ty: u32, a: u32, b: u32) -> u32 {
        let quotient = self.write(Op::SDiv, ty, &[a, b]);
        let product = self.write(Op::IMul, ty, &[quotient, b]);
        self.write(Op::ISub, ty, &[a, product])
    }

    /// The type of both members of the result, if it consists of 32-bit or 64-bit integers.
    fn integers(&self, old: &Instruction) -> Option<Shape> {
        let member = self.members(old.result_type?).first().copied()?;
        self.shape(member).filter(|shape| shape.is_integer() && matches!(shape.width, 32 | 64))
    }

    /// 1 where `a` is less than `b`, compared as unsigned numbers, and 0 elsewhere.
    fn is_less(&mut self, ty: Shape, a: u32, b: u32) -> u32 {
        let bools = self.like(ty, Scalar::Bool);
        let is_less = self.write(Op::ULessThan, bools.id, &[a, b]);
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.write(Op::Select, ty.id, &[is_less, one, zero])
    }

    /// The upper half of the bits. The mask removes the sign bits that a shift of signed numbers brings in.
    fn upper_half(&mut self, ty: Shape, value: u32) -> u32 {
        let (half, mask) =
            (self.constant(ty, u64::from(ty.width / 2)), self.constant(ty, lower_half(ty)));
        let shifted = self.write(Op::ShiftRightLogical, ty.id, &[value, half]);
        self.write(Op::BitwiseAnd, ty.id, &[shifted, mask])
    }

    /// The upper half of an unsigned product, computed from four products of halves.
    fn high_product(&mut self, ty: Shape, factors: [u32; 2]) -> u32 {
        let mask = self.constant(ty, lower_half(ty));
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
}

/// A mask of the lower half of the bits.
const fn lower_half(ty: Shape) -> u64 {
    (1 << (ty.width / 2)) - 1
}
