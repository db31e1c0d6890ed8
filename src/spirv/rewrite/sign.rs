//! Signedness of integers. In SPIR-V the operation determines it, in naga the type. Bitcasts give the operands and
//! results of an operation the signedness that it needs.

use ir::diagnostic::Unsupported;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

use super::code::{Scalar, Writer, extended};

/// Checks that the signedness of atomic minima and maxima is that of the memory, as in naga.
///
/// # Errors
/// The unsupported operation.
pub(super) fn check_atomics(module: &rspirv::dr::Module) -> Result<(), Unsupported> {
    let is_signed = |ty: u32| {
        let all = &module.types_global_values;
        let found = all.iter().find(|known| known.result_id == Some(ty))?;
        (found.class.opcode == Op::TypeInt)
            .then(|| found.operands.get(1) == Some(&Operand::LiteralBit32(1)))
    };
    for instruction in module.all_inst_iter() {
        let wants_sign = match instruction.class.opcode {
            Op::AtomicSMin | Op::AtomicSMax => true,
            Op::AtomicUMin | Op::AtomicUMax => false,
            _ => continue,
        };
        if instruction.result_type.and_then(is_signed).is_some_and(|sign| sign != wants_sign) {
            let name = instruction.class.opname;
            return Err(Unsupported(format!("Op{name} on integers of the other sign")));
        }
    }
    Ok(())
}

/// The signedness that an operation gives its integers.
#[derive(Clone, Copy)]
struct Wanted {
    /// Signedness of the first `count` operands; `None` means that of the result.
    operands: Option<Scalar>,
    count: usize,
    /// Signedness of the result; `None` if either is allowed.
    result: Option<Scalar>,
}

impl Writer<'_> {
    /// Inserts bitcasts around an operation. Returns `None` if all integers have the signedness that naga needs.
    pub(super) fn replace_signs(&mut self, old: &Instruction) -> Option<()> {
        let wanted = wanted(old)?;
        let result = self.shape(old.result_type?)?;
        let result_sign = wanted.result.filter(|_| result.is_integer()).unwrap_or(result.scalar);
        let skipped = usize::from(old.class.opcode == Op::ExtInst);
        let mut operands = old.operands.clone();
        let mut is_changed = result_sign != result.scalar;
        let ids = operands.iter_mut().filter(|operand| matches!(operand, Operand::IdRef(_)));
        for operand in ids.skip(skipped).take(wanted.count) {
            let Operand::IdRef(id) = operand else { continue };
            let Some(shape) = self.shape_of(*id).filter(|shape| shape.is_integer()) else {
                continue;
            };
            let sign = wanted.operands.unwrap_or(result_sign);
            if shape.scalar != sign {
                let ty = self.like(shape, sign);
                *id = self.write(Op::Bitcast, ty.id, &[*id]);
                is_changed = true;
            }
        }
        if !is_changed {
            return None;
        }
        if result_sign == result.scalar {
            self.finish_with(old, old.class.opcode, operands);
        } else {
            let ty = self.like(result, result_sign);
            let value = self.push(old.class.opcode, ty.id, operands);
            self.finish(old, Op::Bitcast, &[value]);
        }
        Some(())
    }
}

fn wanted(old: &Instruction) -> Option<Wanted> {
    let both = |sign, count| Some(Wanted { operands: Some(sign), count, result: Some(sign) });
    let operand = |sign| Some(Wanted { operands: Some(sign), count: 1, result: None });
    let as_result = |count| Some(Wanted { operands: None, count, result: None });
    match old.class.opcode {
        Op::UDiv | Op::UMod | Op::ShiftRightLogical => both(Scalar::Unsigned, 2),
        Op::SDiv | Op::SRem | Op::SMod => both(Scalar::Signed, 2),
        // The second operand of a shift is unsigned in both.
        Op::SNegate | Op::ShiftRightArithmetic | Op::BitFieldSExtract | Op::SConvert => {
            both(Scalar::Signed, 1)
        }
        Op::BitFieldUExtract | Op::UConvert => both(Scalar::Unsigned, 1),
        Op::ConvertUToF => operand(Scalar::Unsigned),
        Op::ConvertSToF => operand(Scalar::Signed),
        Op::ConvertFToU => {
            Some(Wanted { operands: None, count: 0, result: Some(Scalar::Unsigned) })
        }
        Op::ConvertFToS => Some(Wanted { operands: None, count: 0, result: Some(Scalar::Signed) }),
        Op::Not | Op::BitReverse | Op::BitCount | Op::ShiftLeftLogical => as_result(1),
        Op::BitFieldInsert => as_result(2),
        Op::ExtInst => match extended(old)? {
            GlslStd450Op::UMin | GlslStd450Op::UMax => both(Scalar::Unsigned, 2),
            GlslStd450Op::SMin | GlslStd450Op::SMax => both(Scalar::Signed, 2),
            GlslStd450Op::UClamp => both(Scalar::Unsigned, 3),
            GlslStd450Op::SClamp => both(Scalar::Signed, 3),
            GlslStd450Op::SAbs | GlslStd450Op::SSign | GlslStd450Op::FindSMsb => {
                both(Scalar::Signed, 1)
            }
            GlslStd450Op::FindUMsb => both(Scalar::Unsigned, 1),
            GlslStd450Op::FindILsb => as_result(1),
            _ => None,
        },
        _ => None,
    }
}
