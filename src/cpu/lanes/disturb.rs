//! Noise in the results of operations.

use naga::{DerivativeAxis, DerivativeControl};

use super::Lanes;
use crate::code::{Length, Op, Register};
use crate::noise::Noise;
use crate::noise::allowance::{DOUBLE, SINGLE, of_one, of_two};
use crate::numbers::narrow;
use arithmetic::{BinaryFunction, Kind, Operand};

/// One scalar of an operation, in one lane.
#[derive(Clone, Copy)]
struct At {
    item: usize,
    lane: usize,
    salt: u32,
}

impl Lanes<'_> {
    /// Moves the results of `op` within what is allowed. Operations on uniforms err alike in all lanes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are exact")]
    pub(super) fn disturb(&mut self, op: &Op, noise: Noise) {
        match *op {
            Op::Unary { function, kind, to, from, count } if kind.is_float() => {
                self.each(to, count, |lanes, at| {
                    let x = lanes.float(kind, from, at);
                    let result = lanes.float(kind, to, at);
                    let allowance = of_one(function, x, result, unit(kind));
                    lanes.move_float(kind, to, at, (noise, allowance));
                });
            }
            Op::Convert { from_kind, to_kind, to, from, count }
                if from_kind.is_float() || to_kind.is_float() =>
            {
                self.each(to, count, |lanes, at| {
                    lanes.disturb_conversion([from_kind, to_kind], [to, from], at, noise);
                });
            }
            Op::Binary { function, kind, to, left, right, count } => {
                self.disturb_binary((function, kind), (to, count), [left, right], noise);
            }
            Op::Fma { kind, to, a, b, c: _, count } => {
                self.each(to, count, |lanes, at| {
                    let first = At { item: 0, ..at };
                    let factors = [a, b].map(|operand| {
                        lanes.float(kind, operand.at + at.item * operand.step, first)
                    });
                    let product = factors[0] * factors[1];
                    let rounded =
                        if kind == Kind::F64 { product } else { f64::from(narrow(product)) };
                    let allowance = of_two(BinaryFunction::Multiply, factors, rounded, unit(kind));
                    lanes.move_float(kind, to, at, (noise, allowance));
                });
            }
            Op::Index { to, base, index, length: Length::Constant(length), stride } => {
                self.each(to, 1, |lanes, at| {
                    if lanes.words(index)[at.lane] >= length && length > 0 {
                        let any = noise.word(at.salt) % length * stride;
                        let base = base.map_or(0, |base| lanes.words(base)[at.lane]);
                        lanes.words_mut(to)[at.lane] = base.saturating_add(any);
                    }
                });
            }
            Op::Derivative { axis, control: DerivativeControl::None, to, from, count }
                // Either way is allowed.
                if axis != DerivativeAxis::Width && noise.word(self.salt(to)) & 1 == 0 =>
            {
                self.derivative(axis, DerivativeControl::Fine, [to, from, count]);
            }
            _ => {}
        }
    }

    fn disturb_binary(
        &mut self,
        (function, kind): (BinaryFunction, Kind),
        (to, count): (Register, usize),
        operands: [Operand; 2],
        noise: Noise,
    ) {
        use BinaryFunction as F;
        let own = |at: At| operands.map(|operand| operand.at + at.item * operand.step);
        if kind.is_float() && function.result(kind) == kind {
            self.each(to, count, |lanes, at| {
                let first = At { item: 0, ..at };
                let values = own(at).map(|register| lanes.float(kind, register, first));
                let result = lanes.float(kind, to, at);
                let allowance = of_two(function, values, result, unit(kind));
                lanes.move_float(kind, to, at, (noise, allowance));
            });
        } else if matches!(function, F::Divide | F::Modulo | F::ShiftLeft | F::ShiftRight) {
            self.each(to, count, |lanes, at| {
                lanes.disturb_integer((function, kind), to, own(at), (at, noise));
            });
        }
    }

    /// Something that tells this execution of an operation from others.
    pub(super) fn salt(&self, to: Register) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "any bits do")]
        let salt = (self.steps as u32).wrapping_mul(0x0100_0193) ^ (to as u32) << 8;
        salt
    }

    fn each(&mut self, to: Register, count: usize, mut disturb: impl FnMut(&mut Self, At)) {
        let first = self.salt(to);
        let own = u32::from(self.steps > 0);
        for item in 0..count {
            for (lane, number) in (0..self.width).zip(0_u32..) {
                let salt = first.wrapping_add((number * own) << 20) ^ self.batch;
                let salt = salt.wrapping_add(u32::try_from(item).unwrap_or(0));
                disturb(self, At { item, lane, salt });
            }
        }
    }

    fn float(&self, kind: Kind, register: Register, at: At) -> f64 {
        if kind == Kind::F64 {
            let word = |word| u64::from(self.words(register + at.item * 2 + word)[at.lane]);
            return f64::from_bits(word(0) | word(1) << 32);
        }
        f64::from(f32::from_bits(self.words(register + at.item)[at.lane]))
    }

    fn move_float(&mut self, kind: Kind, to: Register, at: At, (noise, allowance): (Noise, f64)) {
        let result = self.float(kind, to, at);
        if kind == Kind::F64 {
            let bits = noise.moved(result, allowance, at.salt).to_bits();
            #[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
            let halves = [bits as u32, (bits >> 32) as u32];
            self.words_mut(to + at.item * 2)[at.lane] = halves[0];
            self.words_mut(to + at.item * 2 + 1)[at.lane] = halves[1];
        } else {
            let moved = noise.moved_single(narrow(result), allowance, at.salt);
            self.words_mut(to + at.item)[at.lane] = moved.to_bits();
        }
    }

    /// Division by zero and shifts by too many bits give any number.
    fn disturb_integer(
        &mut self,
        (function, kind): (BinaryFunction, Kind),
        to: Register,
        [left, right]: [Register; 2],
        (at, noise): (At, Noise),
    ) {
        let words = kind.words();
        let wide = |register: Register| -> u64 {
            let word = |word: usize| u64::from(self.words(register + word)[at.lane]);
            if words == 1 { word(0) } else { word(0) | word(1) << 32 }
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are defined")]
        let is_undefined = match function {
            BinaryFunction::Divide | BinaryFunction::Modulo => {
                let least = if words == 1 { 1 << 31 } else { 1 << 63 };
                let is_signed = matches!(kind, Kind::I32 | Kind::I64);
                let minus_one = if words == 1 { u64::from(u32::MAX) } else { u64::MAX };
                wide(right) == 0 || is_signed && wide(left) == least && wide(right) == minus_one
            }
            BinaryFunction::ShiftLeft | BinaryFunction::ShiftRight => {
                self.words(right)[at.lane] as usize >= 32 * words
            }
            _ => false,
        };
        if is_undefined {
            for word in 0..words {
                self.words_mut(to + at.item * words + word)[at.lane] = noise.word(at.salt);
            }
        }
    }

    /// Numbers that do not fit an integer give any, and inexact floats may be either neighbour.
    fn disturb_conversion(
        &mut self,
        [from_kind, to_kind]: [Kind; 2],
        [to, from]: [Register; 2],
        at: At,
        noise: Noise,
    ) {
        match (from_kind, to_kind) {
            (Kind::F32 | Kind::F64, Kind::I32 | Kind::U32) => {
                let value = self.float(from_kind, from, at).trunc();
                let range = if to_kind == Kind::I32 {
                    f64::from(i32::MIN)..=f64::from(i32::MAX)
                } else {
                    0.0..=f64::from(u32::MAX)
                };
                if !range.contains(&value) {
                    self.words_mut(to + at.item)[at.lane] = noise.word(at.salt);
                }
            }
            (Kind::I32 | Kind::U32, Kind::F32) => {
                let word = self.words(from + at.item)[at.lane];
                let exact = if from_kind == Kind::I32 {
                    f64::from(word.cast_signed())
                } else {
                    f64::from(word)
                };
                let error = self.float(to_kind, to, at) - exact;
                self.move_float(to_kind, to, at, (noise, 2.0 * error.abs()));
            }
            (Kind::F64, Kind::F32) => {
                let error = self.float(to_kind, to, at) - self.float(from_kind, from, at);
                self.move_float(to_kind, to, at, (noise, 2.0 * error.abs()));
            }
            _ => {}
        }
    }
}

const fn unit(kind: Kind) -> f64 {
    match kind {
        Kind::F64 => DOUBLE,
        Kind::Bool | Kind::I32 | Kind::U32 | Kind::I64 | Kind::U64 | Kind::F32 => SINGLE,
    }
}
