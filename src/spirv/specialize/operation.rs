//! `OpSpecConstantOp`: operations on constants of 32-bit integers and booleans.

use std::collections::BTreeMap;

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;

use super::{ids, truth};
use ir::diagnostic::Unsupported;

/// Values of the constants so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    /// Bits of scalars; booleans are 0 or 1.
    scalars: BTreeMap<u32, u32>,
    /// Constituents of composites.
    composites: BTreeMap<u32, Vec<u32>>,
    /// Boolean types and 32-bit integer types.
    types: BTreeMap<u32, Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
}

impl Constants {
    /// Records a type or constant.
    pub(super) fn remember(&mut self, instruction: &Instruction) {
        let Some(id) = instruction.result_id else { return };
        match (instruction.class.opcode, instruction.operands.first()) {
            (Op::TypeBool, _) => drop(self.types.insert(id, Kind::Boolean)),
            (Op::TypeInt, Some(Operand::LiteralBit32(32))) => {
                self.types.insert(id, Kind::Integer);
            }
            (Op::ConstantTrue, _) => drop(self.scalars.insert(id, 1)),
            (Op::ConstantFalse | Op::ConstantNull, _) => drop(self.scalars.insert(id, 0)),
            (Op::Constant, Some(Operand::LiteralBit32(bits))) => {
                self.scalars.insert(id, *bits);
            }
            (Op::ConstantComposite, _) => {
                self.composites.insert(id, ids(instruction).collect());
            }
            _ => {}
        }
    }

    /// Evaluates an `OpSpecConstantOp` and returns the resulting constant. The error names an unsupported operation.
    pub(super) fn evaluate(
        &self,
        instruction: &Instruction,
    ) -> Result<(Op, Vec<Operand>), Unsupported> {
        let Some(Operand::LiteralSpecConstantOpInteger(op)) = instruction.operands.first() else {
            return Err(Unsupported("OpSpecConstantOp without an operation".to_owned()));
        };
        let unknown = || Unsupported(format!("OpSpecConstantOp {op:?} with these operands"));
        if let Some(found) = self.composite(*op, instruction) {
            return Ok(found);
        }
        let operands: Option<Vec<u32>> =
            ids(instruction).map(|id| self.scalars.get(&id).copied()).collect();
        let operands = operands.ok_or_else(unknown)?;
        let bits = scalar(*op, &operands).ok_or_else(unknown)?;
        self.constant(instruction, bits).ok_or_else(unknown)
    }

    /// The constant with these bits, of the type of the instruction.
    fn constant(&self, instruction: &Instruction, bits: u32) -> Option<(Op, Vec<Operand>)> {
        Some(match self.types.get(&instruction.result_type?)? {
            Kind::Boolean => (truth(bits), Vec::new()),
            Kind::Integer => (Op::Constant, vec![Operand::LiteralBit32(bits)]),
        })
    }

    /// Evaluates `CompositeExtract` of a scalar and `CompositeInsert` into a vector.
    fn composite(&self, op: Op, instruction: &Instruction) -> Option<(Op, Vec<Operand>)> {
        let all: Vec<u32> = ids(instruction).collect();
        let index = match instruction.operands.as_slice() {
            [.., Operand::IdRef(_), Operand::LiteralBit32(index)] => *index as usize,
            _ => return None,
        };
        match (op, all.as_slice()) {
            (Op::CompositeExtract, [whole]) => {
                let part = self.composites.get(whole)?.get(index)?;
                self.constant(instruction, *self.scalars.get(part)?)
            }
            (Op::CompositeInsert, [part, whole]) => {
                let mut parts = self.composites.get(whole)?.clone();
                *parts.get_mut(index)? = *part;
                Some((Op::ConstantComposite, parts.into_iter().map(Operand::IdRef).collect()))
            }
            _ => None,
        }
    }
}

/// Evaluates an operation on bits. Returns `None` if the result is undefined or the operation is not supported.
fn scalar(op: Op, operands: &[u32]) -> Option<u32> {
    match *operands {
        [value] => unary(op, value),
        [left, right] => {
            binary(op, left, right).or_else(|| comparison(op, left, right).map(u32::from))
        }
        [condition, yes, no] if op == Op::Select => Some(if condition == 0 { no } else { yes }),
        _ => None,
    }
}

fn unary(op: Op, value: u32) -> Option<u32> {
    match op {
        Op::SNegate => Some(value.wrapping_neg()),
        Op::Not => Some(!value),
        Op::LogicalNot => Some(u32::from(value == 0)),
        Op::UConvert | Op::SConvert | Op::Bitcast => Some(value),
        _ => None,
    }
}

fn binary(op: Op, left: u32, right: u32) -> Option<u32> {
    let signed = (left.cast_signed(), right.cast_signed());
    let is_shift_defined = right < 32;
    Some(match op {
        Op::IAdd => left.wrapping_add(right),
        Op::ISub => left.wrapping_sub(right),
        Op::IMul => left.wrapping_mul(right),
        Op::UDiv => left.checked_div(right)?,
        Op::UMod => left.checked_rem(right)?,
        Op::SDiv => signed.0.checked_div(signed.1)?.cast_unsigned(),
        Op::SRem => signed.0.checked_rem(signed.1)?.cast_unsigned(),
        // The result has the sign of the second operand.
        Op::SMod => {
            let rest = signed.0.checked_rem(signed.1)?;
            let is_other_sign = rest != 0 && (rest < 0) != (signed.1 < 0);
            (if is_other_sign { rest + signed.1 } else { rest }).cast_unsigned()
        }
        Op::ShiftLeftLogical if is_shift_defined => left << right,
        Op::ShiftRightLogical if is_shift_defined => left >> right,
        Op::ShiftRightArithmetic if is_shift_defined => (signed.0 >> right).cast_unsigned(),
        Op::BitwiseAnd | Op::LogicalAnd => left & right,
        Op::BitwiseOr | Op::LogicalOr => left | right,
        Op::BitwiseXor => left ^ right,
        _ => return None,
    })
}

fn comparison(op: Op, left: u32, right: u32) -> Option<bool> {
    let (first, second) = (left.cast_signed(), right.cast_signed());
    Some(match op {
        Op::IEqual | Op::LogicalEqual => left == right,
        Op::INotEqual | Op::LogicalNotEqual => left != right,
        Op::ULessThan => left < right,
        Op::ULessThanEqual => left <= right,
        Op::UGreaterThan => left > right,
        Op::UGreaterThanEqual => left >= right,
        Op::SLessThan => first < second,
        Op::SLessThanEqual => first <= second,
        Op::SGreaterThan => first > second,
        Op::SGreaterThanEqual => first >= second,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_the_specification() {
        let minus = |value: i32| value.cast_unsigned();
        for (op, operands, expect) in [
            (Op::IAdd, vec![u32::MAX, 2], Some(1)),
            (Op::SMod, vec![minus(-7), 3], Some(2)),
            (Op::SRem, vec![minus(-7), 3], Some(minus(-1))),
            (Op::UDiv, vec![7, 0], None),
            (Op::SDiv, vec![minus(i32::MIN), minus(-1)], None),
            (Op::ShiftRightArithmetic, vec![minus(-8), 1], Some(minus(-4))),
            (Op::ShiftLeftLogical, vec![1, 32], None),
            (Op::SLessThan, vec![minus(-1), 0], Some(1)),
            (Op::ULessThan, vec![minus(-1), 0], Some(0)),
            (Op::Select, vec![0, 5, 6], Some(6)),
            (Op::LogicalNot, vec![0], Some(1)),
            (Op::FAdd, vec![0, 0], None),
        ] {
            assert_eq!(scalar(op, &operands), expect, "{op:?} {operands:?}");
        }
    }
}
