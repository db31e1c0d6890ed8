//! Splits operations on whole structs and arrays into operations on their parts: selections, and copies between types
//! that differ only in layout. Also lowers `OpQuantizeToF16`.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

use super::code::{Scalar, Shape, Writer};

/// Maximum number of parts of a type that is split.
const MAX_PARTS: u32 = 256;

impl Writer<'_> {
    /// Replaces operations on whole composites, and `OpQuantizeToF16`. Returns `None` if the instruction can stay, or
    /// if the type has too many parts.
    pub(super) fn replace_composite(&mut self, old: &Instruction) -> Option<()> {
        let ids: Vec<u32> = crate::specialize::ids(old).collect();
        let ty = old.result_type?;
        match (old.class.opcode, &ids[..]) {
            (Op::Select, [condition, yes, no]) => {
                if let Some(shape) = self.shape(ty) {
                    return self.select_vector(old, shape, [*condition, *yes, *no]);
                }
                let mut selected = Vec::new();
                for (idx, part) in (0..).zip(self.parts_of(ty)?) {
                    let [yes, no] = [*yes, *no].map(|whole| self.extract(part, whole, idx));
                    selected.push(self.write(Op::Select, part, &[*condition, yes, no]));
                }
                self.finish(old, Op::CompositeConstruct, &selected);
            }
            (Op::CopyLogical, [whole]) => {
                let (to, from) = (self.parts_of(ty)?, self.parts_of(self.type_of(*whole)?)?);
                let mut copied = Vec::new();
                for (idx, (to, from)) in (0..).zip(to.into_iter().zip(from)) {
                    let part = self.extract(from, *whole, idx);
                    let is_same = to == from;
                    copied.push(if is_same {
                        part
                    } else {
                        self.write(Op::CopyLogical, to, &[part])
                    });
                }
                self.finish(old, Op::CompositeConstruct, &copied);
            }
            (Op::QuantizeToF16, [x]) => self.quantize(old, *x)?,
            _ => return None,
        }
        Some(())
    }

    /// Selects a vector by a single condition, which is copied to every component because naga requires a vector of
    /// conditions.
    fn select_vector(
        &mut self,
        old: &Instruction,
        shape: Shape,
        [condition, yes, no]: [u32; 3],
    ) -> Option<()> {
        let bools = self.shape_of(condition)?;
        if bools.size == shape.size {
            return None;
        }
        let all = self.sized(bools, shape.size);
        let conditions = vec![condition; shape.size as usize];
        let conditions = self.write(Op::CompositeConstruct, all.id, &conditions);
        self.finish(old, Op::Select, &[conditions, yes, no]);
        Some(())
    }

    /// Types of the parts of a composite.
    fn parts_of(&self, ty: u32) -> Option<Vec<u32>> {
        let declared = self.declaration(ty)?;
        let first = crate::specialize::ids(declared).next()?;
        if declared.class.opcode == Op::TypeStruct {
            return Some(self.members(ty));
        }
        let count = match (declared.class.opcode, declared.operands.get(1)?) {
            (Op::TypeVector | Op::TypeMatrix, Operand::LiteralBit32(count)) => *count,
            (Op::TypeArray, Operand::IdRef(length)) => {
                match self.declaration(*length)?.operands.first()? {
                    Operand::LiteralBit32(length) if *length <= MAX_PARTS => *length,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(vec![first; count as usize])
    }

    /// Converts a number to 16 bits and back. A number below the smallest normal 16-bit number becomes zero (SPIR-V
    /// 1.6, 3.52.11).
    fn quantize(&mut self, old: &Instruction, x: u32) -> Option<()> {
        let ty = self.shape(old.result_type?).filter(|shape| shape.width == 32)?;
        let one = self.sized(ty, 1);
        let (pair, word) = (self.sized(one, 2), self.with(one, Scalar::Unsigned, 32));
        let zero = self.constant(one, 0);
        let mut parts = Vec::new();
        for idx in 0..ty.size {
            let part = if ty.size == 1 { x } else { self.extract(one.id, x, idx) };
            let both = self.write(Op::CompositeConstruct, pair.id, &[part, zero]);
            let half = self.extended(GlslStd450Op::PackHalf2x16, word.id, &[both]);
            let both = self.extended(GlslStd450Op::UnpackHalf2x16, pair.id, &[half]);
            parts.push(self.extract(one.id, both, 0));
        }
        let whole = match parts[..] {
            [part] => part,
            _ => self.write(Op::CompositeConstruct, ty.id, &parts),
        };
        let (words, bools) = (self.like(ty, Scalar::Unsigned), self.with(ty, Scalar::Bool, 1));
        let bits = self.write(Op::Bitcast, words.id, &[whole]);
        let [magnitudes, sign, least] =
            [0x7fff_ffff, 0x8000_0000, 0x3880_0000].map(|bits| self.constant(words, bits));
        let magnitude = self.write(Op::BitwiseAnd, words.id, &[bits, magnitudes]);
        let is_small = self.write(Op::ULessThan, bools.id, &[magnitude, least]);
        let zeros = self.write(Op::BitwiseAnd, words.id, &[bits, sign]);
        let bits = self.write(Op::Select, words.id, &[is_small, zeros, bits]);
        self.finish(old, Op::Bitcast, &[bits]);
        Some(())
    }
}
