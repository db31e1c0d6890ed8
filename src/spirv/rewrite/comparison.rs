//! Comparisons with NaN. naga has only one kind of each comparison, which is false for NaN; whether `!=` is true for
//! NaN depends on naga's back end. Tests for NaN and infinity look at the bits, since drivers may assume that floats
//! are never NaN or infinite.

use rspirv::dr::Instruction;
use rspirv::spirv::{GlslStd450Op, Op};

use super::code::{Scalar, Shape, Writer, extended};

impl Writer<'_> {
    /// Replaces comparisons, `min` and `max` whose result for NaN naga does not keep. Returns `None` if the instruction
    /// can stay.
    pub(super) fn replace_comparison(&mut self, old: &Instruction) -> Option<()> {
        let ids: Vec<u32> = crate::specialize::ids(old).collect();
        let bools = self.shape(old.result_type?);
        match (old.class.opcode, &ids[..], bools) {
            // naga has these operations for scalars only.
            (Op::LogicalOr, [_, _], Some(Shape { size: 2.., .. })) => {
                self.finish(old, Op::BitwiseOr, &ids);
            }
            (Op::LogicalAnd, [_, _], Some(Shape { size: 2.., .. })) => {
                self.finish(old, Op::BitwiseAnd, &ids);
            }
            (Op::IsNan, [x], Some(bools)) => {
                let (magnitude, infinity) = self.magnitude(*x, bools)?;
                self.finish(old, Op::UGreaterThan, &[magnitude, infinity]);
            }
            (Op::IsInf, [x], Some(_)) => {
                let (magnitude, infinity) = self.magnitude(*x, bools?)?;
                self.finish(old, Op::IEqual, &[magnitude, infinity]);
            }
            (Op::FUnordNotEqual, [a, b], Some(bools)) => {
                let is_equal = self.write(Op::FOrdEqual, bools.id, &[*a, *b]);
                self.finish(old, Op::LogicalNot, &[is_equal]);
            }
            (Op::FOrdNotEqual | Op::LessOrGreater, [a, b], Some(bools)) => {
                let is_less = self.write(Op::FOrdLessThan, bools.id, &[*a, *b]);
                let is_greater = self.write(Op::FOrdGreaterThan, bools.id, &[*a, *b]);
                self.finish(old, Op::LogicalOr, &[is_less, is_greater]);
            }
            (Op::Unordered, [a, b], Some(bools)) => {
                let is_unordered = [*a, *b].map(|x| self.write(Op::IsNan, bools.id, &[x]));
                self.finish(old, Op::LogicalOr, &is_unordered);
            }
            (Op::Ordered, [a, b], Some(bools)) => {
                let is_unordered = self.write(Op::Unordered, bools.id, &[*a, *b]);
                self.finish(old, Op::LogicalNot, &[is_unordered]);
            }
            (op, [a, b], Some(bools)) if let Some(ordered) = ordered(op) => {
                let is_so = self.write(ordered, bools.id, &[*a, *b]);
                let is_unordered = self.write(Op::Unordered, bools.id, &[*a, *b]);
                self.finish(old, Op::LogicalOr, &[is_so, is_unordered]);
            }
            (Op::ExtInst, [_, a, b], Some(_)) => {
                let op = match extended(old)? {
                    GlslStd450Op::NMin => GlslStd450Op::FMin,
                    GlslStd450Op::NMax => GlslStd450Op::FMax,
                    _ => return None,
                };
                self.number_of_two(old, op, [*a, *b])?;
            }
            (Op::ExtInst, [_, x, low, high], _) if extended(old)? == GlslStd450Op::NClamp => {
                let ty = old.result_type?;
                let lower = self.extended(GlslStd450Op::NMax, ty, &[*x, *low]);
                self.number_of_two(old, GlslStd450Op::FMin, [lower, *high])?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Lowers `min` or `max` of two numbers. If one operand is NaN, the result is the other.
    fn number_of_two(
        &mut self,
        old: &Instruction,
        op: GlslStd450Op,
        [a, b]: [u32; 2],
    ) -> Option<()> {
        let ty = self.shape(old.result_type?)?;
        let bools = self.with(ty, Scalar::Bool, 1);
        let of_both = self.extended(op, ty.id, &[a, b]);
        let [is_a, is_b] = [a, b].map(|x| self.write(Op::IsNan, bools.id, &[x]));
        let without_b = self.write(Op::Select, ty.id, &[is_b, a, of_both]);
        self.finish(old, Op::Select, &[is_a, b, without_b]);
        Some(())
    }

    /// The bits of `x` without the sign, and the bits of infinity, for 32-bit and 64-bit floats.
    fn magnitude(&mut self, x: u32, bools: Shape) -> Option<(u32, u32)> {
        let floats = self.shape_of(x).filter(|shape| shape.size == bools.size)?;
        let (mask, infinity) = match floats.width {
            32 => (u64::from(u32::MAX >> 1), u64::from(f32::INFINITY.to_bits())),
            64 => (u64::MAX >> 1, f64::INFINITY.to_bits()),
            _ => return None,
        };
        let ty = self.like(floats, Scalar::Unsigned);
        let bits = self.write(Op::Bitcast, ty.id, &[x]);
        let mask = self.constant(ty, mask);
        let magnitude = self.write(Op::BitwiseAnd, ty.id, &[bits, mask]);
        Some((magnitude, self.constant(ty, infinity)))
    }
}

/// The comparison that is false for NaN, given the one that is true for NaN.
const fn ordered(op: Op) -> Option<Op> {
    Some(match op {
        Op::FUnordEqual => Op::FOrdEqual,
        Op::FUnordLessThan => Op::FOrdLessThan,
        Op::FUnordLessThanEqual => Op::FOrdLessThanEqual,
        Op::FUnordGreaterThan => Op::FOrdGreaterThan,
        Op::FUnordGreaterThanEqual => Op::FOrdGreaterThanEqual,
        _ => return None,
    })
}
