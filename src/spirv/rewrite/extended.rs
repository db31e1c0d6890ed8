//! Lowers GLSL.std.450 instructions whose operand or result types naga does not support: results in two members,
//! scalars where naga requires vectors, exponents of other types, and doubles as pairs of words.

use rspirv::dr::Instruction;
use rspirv::spirv::{GlslStd450Op, Op};

use super::code::{Scalar, Writer, extended};

/// Exponents beyond this number give infinity or zero, for doubles too.
const MAX_EXPONENT: u64 = 1 << 14;

impl Writer<'_> {
    /// Replaces GLSL.std.450 instructions that naga does not support with these types. Returns `None` if the
    /// instruction can stay.
    pub(super) fn replace_extended(&mut self, old: &Instruction) -> Option<()> {
        let ids: Vec<u32> = crate::specialize::ids(old).collect();
        match (old.class.opcode, &ids[..]) {
            (Op::Bitcast, [x]) => self.bitcast(old, *x),
            (Op::ExtInst, [_, x, rest @ ..]) => match (extended(old)?, rest) {
                (GlslStd450Op::ModfStruct, []) => {
                    let ty = self.type_of(*x)?;
                    let whole = self.extended(GlslStd450Op::Trunc, ty, &[*x]);
                    let fraction = self.write(Op::FSub, ty, &[*x, whole]);
                    self.finish(old, Op::CompositeConstruct, &[fraction, whole]);
                    Some(())
                }
                (GlslStd450Op::FrexpStruct, []) => {
                    let [_, exponents] = self.members(old.result_type?)[..] else { return None };
                    let (significand, exponent) = self.parts(*x, exponents)?;
                    self.finish(old, Op::CompositeConstruct, &[significand, exponent]);
                    Some(())
                }
                (GlslStd450Op::Frexp, [pointer]) => {
                    let pointer_type = self.declaration(self.type_of(*pointer)?)?;
                    let exponents = crate::specialize::ids(pointer_type).next()?;
                    let (significand, exponent) = self.parts(*x, exponents)?;
                    self.store(*pointer, exponent);
                    self.finish(old, Op::CopyObject, &[significand]);
                    Some(())
                }
                (GlslStd450Op::PackDouble2x32 | GlslStd450Op::UnpackDouble2x32, []) => {
                    self.finish(old, Op::Bitcast, &[*x]);
                    Some(())
                }
                // x · (1 - a) + y · a: naga mixes only 32-bit numbers.
                (GlslStd450Op::FMix, [y, a]) => {
                    let ty = self.shape(old.result_type?).filter(|shape| shape.width == 64)?;
                    let one = self.constant(ty, 1_f64.to_bits());
                    let rest = self.write(Op::FSub, ty.id, &[one, *a]);
                    let first = self.write(Op::FMul, ty.id, &[*x, rest]);
                    let second = self.write(Op::FMul, ty.id, &[*y, *a]);
                    self.finish(old, Op::FAdd, &[first, second]);
                    Some(())
                }
                (GlslStd450Op::Ldexp, [exponent]) => self.ldexp(old, *x, *exponent),
                (op, _) => self.scalar_geometry(old, op, &ids[1..]),
            },
            _ => None,
        }
    }

    /// Lowers a geometric operation on scalars, which naga has for vectors only.
    fn scalar_geometry(
        &mut self,
        old: &Instruction,
        op: GlslStd450Op,
        operands: &[u32],
    ) -> Option<()> {
        let ty = self.shape(old.result_type?).filter(|shape| shape.size == 1)?;
        let bools = self.with(ty, Scalar::Bool, 1);
        match (op, operands) {
            (GlslStd450Op::Normalize, [x]) => {
                let length = self.extended(GlslStd450Op::FAbs, ty.id, &[*x]);
                self.finish(old, Op::FDiv, &[*x, length]);
            }
            // I - 2 · N · I · N
            (GlslStd450Op::Reflect, [incident, normal]) => {
                let dot = self.write(Op::FMul, ty.id, &[*normal, *incident]);
                let twice = self.write(Op::FAdd, ty.id, &[dot, dot]);
                let much = self.write(Op::FMul, ty.id, &[twice, *normal]);
                self.finish(old, Op::FSub, &[*incident, much]);
            }
            // N if Nref · I < 0, otherwise -N.
            (GlslStd450Op::FaceForward, [normal, incident, reference]) => {
                let dot = self.write(Op::FMul, ty.id, &[*reference, *incident]);
                let zero = self.constant(ty, 0);
                let is_less = self.write(Op::FOrdLessThan, bools.id, &[dot, zero]);
                let other = self.write(Op::FNegate, ty.id, &[*normal]);
                self.finish(old, Op::Select, &[is_less, *normal, other]);
            }
            // k = 1 - eta · eta · (1 - (N · I)²); 0 if k < 0, otherwise eta · I - (eta · (N · I) + sqrt k) · N.
            (GlslStd450Op::Refract, [incident, normal, eta]) if ty.width == 32 => {
                let (zero, one) =
                    (self.constant(ty, 0), self.constant(ty, u64::from(1_f32.to_bits())));
                let dot = self.write(Op::FMul, ty.id, &[*normal, *incident]);
                let square = self.write(Op::FMul, ty.id, &[dot, dot]);
                let rest = self.write(Op::FSub, ty.id, &[one, square]);
                let ratio = self.write(Op::FMul, ty.id, &[*eta, *eta]);
                let much = self.write(Op::FMul, ty.id, &[ratio, rest]);
                let k = self.write(Op::FSub, ty.id, &[one, much]);
                let root = self.extended(GlslStd450Op::Sqrt, ty.id, &[k]);
                let along = self.write(Op::FMul, ty.id, &[*eta, dot]);
                let factor = self.write(Op::FAdd, ty.id, &[along, root]);
                let part = self.write(Op::FMul, ty.id, &[factor, *normal]);
                let straight = self.write(Op::FMul, ty.id, &[*eta, *incident]);
                let bent = self.write(Op::FSub, ty.id, &[straight, part]);
                let is_inside = self.write(Op::FOrdLessThan, bools.id, &[k, zero]);
                self.finish(old, Op::Select, &[is_inside, zero, bent]);
            }
            _ => return None,
        }
        Some(())
    }

    /// Significand and exponent of 32-bit floats, computed from their bits: x = significand · 2^exponent, where the
    /// significand is 0 or from 0.5 to 1. For infinity and NaN the significand is x.
    fn parts(&mut self, x: u32, exponents: u32) -> Option<(u32, u32)> {
        let floats = self.shape_of(x).filter(|shape| shape.width == 32)?;
        let words = self.like(floats, Scalar::Unsigned);
        let bools = self.with(floats, Scalar::Bool, 1);
        let exponents = self.shape(exponents).filter(|shape| shape.width == 32)?;
        let bits = self.write(Op::Bitcast, words.id, &[x]);
        let [magnitudes, first_normal, last_finite, zero] =
            [0x7fff_ffff, 0x0080_0000, 0x7f7f_ffff, 0].map(|bits| self.constant(words, bits));
        let magnitude = self.write(Op::BitwiseAnd, words.id, &[bits, magnitudes]);
        // Below the first normal number the magnitude counts steps of 2^-149.
        let is_small = self.write(Op::ULessThan, bools.id, &[magnitude, first_normal]);
        let counted = self.write(Op::ConvertUToF, floats.id, &[magnitude]);
        let counted = self.write(Op::Bitcast, words.id, &[counted]);
        let number = self.write(Op::Select, words.id, &[is_small, counted, magnitude]);
        let [normal_bias, small_bias, fraction, half, shift] =
            [126, 126 + 149, 0x007f_ffff, 0x3f00_0000, 23].map(|bits| self.constant(words, bits));
        let bias = self.write(Op::Select, words.id, &[is_small, small_bias, normal_bias]);
        let exponent = self.write(Op::ShiftRightLogical, words.id, &[number, shift]);
        let exponent = self.write(Op::ISub, words.id, &[exponent, bias]);
        let fraction = self.write(Op::BitwiseAnd, words.id, &[number, fraction]);
        let sign = self.constant(words, 0x8000_0000);
        let sign = self.write(Op::BitwiseAnd, words.id, &[bits, sign]);
        let significand = self.write(Op::BitwiseOr, words.id, &[fraction, half]);
        let significand = self.write(Op::BitwiseOr, words.id, &[significand, sign]);
        let is_zero = self.write(Op::IEqual, bools.id, &[magnitude, zero]);
        let is_none = self.write(Op::UGreaterThan, bools.id, &[magnitude, last_finite]);
        let is_kept = self.write(Op::LogicalOr, bools.id, &[is_zero, is_none]);
        let significand = self.write(Op::Select, words.id, &[is_kept, bits, significand]);
        let exponent = self.write(Op::Select, words.id, &[is_kept, zero, exponent]);
        let exponent = if exponents.scalar == Scalar::Unsigned {
            exponent
        } else {
            self.write(Op::Bitcast, exponents.id, &[exponent])
        };
        Some((self.write(Op::Bitcast, floats.id, &[significand]), exponent))
    }

    /// Lowers `ldexp` with exponents that are not signed 32-bit integers.
    fn ldexp(&mut self, old: &Instruction, x: u32, exponent: u32) -> Option<()> {
        let ty = self.shape_of(exponent)?;
        let mut signed = self.like(ty, Scalar::Signed);
        let mut exponent = match ty.scalar {
            Scalar::Unsigned => self.write(Op::Bitcast, signed.id, &[exponent]),
            Scalar::Signed if ty.width == 32 => return None,
            Scalar::Signed => exponent,
            Scalar::Bool | Scalar::Float => return None,
        };
        if ty.width == 64 {
            let most = self.constant(signed, MAX_EXPONENT);
            let least = self.constant(signed, MAX_EXPONENT.wrapping_neg());
            let limits = [exponent, least, most];
            exponent = self.extended(GlslStd450Op::SClamp, signed.id, &limits);
            signed = self.with(ty, Scalar::Signed, 32);
            exponent = self.write(Op::SConvert, signed.id, &[exponent]);
        }
        let scaled = self.extended(GlslStd450Op::Ldexp, old.result_type?, &[x, exponent]);
        self.finish(old, Op::CopyObject, &[scaled]);
        Some(())
    }

    /// Lowers a bitcast between a 64-bit number and a vector of two words. The first word is the lower half.
    fn bitcast(&mut self, old: &Instruction, x: u32) -> Option<()> {
        let (from, to) = (self.shape_of(x)?, self.shape(old.result_type?)?);
        let half = if from.width == 64 { from } else { to };
        let wide = self.with(half, Scalar::Unsigned, 64);
        match ((from.width, from.size), (to.width, to.size)) {
            ((64, 1), (32, 2)) => {
                let one = self.with(wide, Scalar::Unsigned, 32);
                let two = self.sized(one, 2);
                let bits = self.write(Op::Bitcast, wide.id, &[x]);
                let shift = self.constant(wide, 32);
                let high = self.write(Op::ShiftRightLogical, wide.id, &[bits, shift]);
                let words = [bits, high].map(|bits| self.write(Op::UConvert, one.id, &[bits]));
                let words = self.write(Op::CompositeConstruct, two.id, &words);
                self.finish(old, Op::Bitcast, &[words]);
            }
            ((32, 2), (64, 1)) => {
                let two = self.with(from, Scalar::Unsigned, 32);
                let one = self.sized(two, 1);
                let words = self.write(Op::Bitcast, two.id, &[x]);
                let halves = [0, 1].map(|idx| self.extract(one.id, words, idx));
                let [low, high] = halves.map(|half| self.write(Op::UConvert, wide.id, &[half]));
                let shift = self.constant(wide, 32);
                let high = self.write(Op::ShiftLeftLogical, wide.id, &[high, shift]);
                let bits = self.write(Op::BitwiseOr, wide.id, &[low, high]);
                self.finish(old, Op::Bitcast, &[bits]);
            }
            _ => return None,
        }
        Some(())
    }
}
