//! Adds noise to the results of operations.

use std::ops::RangeInclusive;

use half::f16;
use naga::DerivativeControl;

use super::Lanes;
use crate::code::{IntegerRules, Op, Register};
use crate::noise::allowance::{DOUBLE, HALF, SINGLE, of_one, of_sum, of_two};
use crate::noise::{Neighbours, Noise};
use crate::numbers::narrow;
use arithmetic::{BinaryFunction, Kind, Known, Operand};

/// One scalar of an operation, in one lane.
#[derive(Clone, Copy)]
struct At {
    /// Index of the scalar among those of the operation.
    item: usize,
    lane: usize,
    /// A value that distinguishes the scalar from others.
    salt: u32,
    /// Errors of the run.
    noise: Noise,
}

/// The scalars that an operation wrote.
#[derive(Clone, Copy)]
struct Written {
    /// Kind of the scalars.
    kind: Kind,
    /// First register of the scalars.
    to: Register,
    /// Number of scalars.
    count: usize,
}

impl Lanes<'_> {
    /// Perturbs the results of `op` within the permitted error. Operations on uniforms have the same error in all
    /// lanes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are exact")]
    pub(super) fn disturb(&mut self, op: &Op, noise: Noise) {
        match *op {
            Op::Unary { function, kind, to, from, count }
                if kind.is_float() && function.result(kind) == kind =>
            {
                self.each(to, count, noise, |lanes, at| {
                    let x = lanes.float(kind, from, at);
                    let result = lanes.float(kind, to, at);
                    let allowance = of_one(function, x, result, unit(kind));
                    lanes.move_float(kind, to, at, allowance);
                });
            }
            Op::Convert { from_kind, to_kind, to, from, count }
                if from_kind.is_float() || to_kind.is_float() =>
            {
                self.each(to, count, noise, |lanes, at| {
                    lanes.disturb_conversion([from_kind, to_kind], [to, from], at);
                });
            }
            Op::Binary { function, kind, to, left, right, count } => {
                self.disturb_binary(function, Written { kind, to, count }, [left, right], noise);
            }
            Op::Fma { kind, to, a, b, c, count } => {
                self.each(to, count, noise, |lanes, at| {
                    let first = At { item: 0, ..at };
                    let [a, b, c] = [a, b, c].map(|operand| {
                        lanes.float(kind, operand.at + at.item * operand.step, first)
                    });
                    let (product, unit) = (a * b, unit(kind));
                    let rounded = rounded(kind, product);
                    let of_product = of_two(BinaryFunction::Multiply, [a, b], rounded, unit);
                    let of_sum = of_sum([product, c], lanes.float(kind, to, at), unit);
                    lanes.move_float(kind, to, at, of_product + of_sum);
                });
            }
            Op::Clamped { kind, to, low, high, count } => {
                self.disturb_clamped(Written { kind, to, count }, [low, high], noise);
            }
            Op::Index { to, element } => {
                self.each(to, 1, noise, |lanes, at| {
                    let word = |register: Register| lanes.words(register)[at.lane];
                    let length = element.length(word);
                    if word(element.index) >= length {
                        let any = noise.beyond(length, at.salt);
                        let offset = any.map_or(u32::MAX, |any| any.saturating_mul(element.stride));
                        let base = element.base.map_or(0, word);
                        lanes.words_mut(to)[at.lane] = base.saturating_add(offset);
                    }
                });
            }
            Op::Derivative { axis, control, to, from, count } => {
                let neighbours = match control {
                    DerivativeControl::Fine => Neighbours::Own,
                    DerivativeControl::Coarse | DerivativeControl::None => noise.neighbours(),
                };
                self.derivative(axis, neighbours, [to, from, count]);
            }
            _ => {}
        }
    }

    /// Makes the result of a `clamp` arbitrary if its bounds are out of order.
    fn disturb_clamped(&mut self, written: Written, bounds: [Operand; 2], noise: Noise) {
        let Written { kind, to, count } = written;
        self.each(to, count, noise, |lanes, at| {
            let first = At { item: 0, ..at };
            let [low, high] =
                bounds.map(|operand| lanes.float(kind, operand.at + at.item * operand.step, first));
            if low > high {
                lanes.move_float(kind, to, at, f64::INFINITY);
            }
        });
    }

    fn disturb_binary(
        &mut self,
        function: BinaryFunction,
        written: Written,
        operands: [Operand; 2],
        noise: Noise,
    ) {
        use BinaryFunction as F;
        let Written { kind, to, count } = written;
        let own = |at: At| operands.map(|operand| operand.at + at.item * operand.step);
        if kind.is_float() && function.result(kind) == kind {
            self.each(to, count, noise, |lanes, at| {
                let first = At { item: 0, ..at };
                let values = own(at).map(|register| lanes.float(kind, register, first));
                let result = lanes.float(kind, to, at);
                let allowance = of_two(function, values, result, unit(kind));
                lanes.move_float(kind, to, at, allowance);
            });
        } else if self.code.integers == IntegerRules::Open
            && matches!(function, F::Divide | F::Modulo | F::ShiftLeft | F::ShiftRight)
        {
            let (words, bits) = (kind.words(), u32::from(kind.scalar().width) * 8);
            self.each(to, count, noise, |lanes, at| {
                if lanes.is_undefined(function, kind, own(at), at.lane) {
                    for word in 0..words {
                        let any = noise.word(at.salt) >> 32_u32.saturating_sub(bits);
                        lanes.words_mut(to + at.item * words + word)[at.lane] = any;
                    }
                }
            });
        }
    }

    /// A value that distinguishes this execution of an operation from others.
    pub(super) fn salt(&self, to: Register) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "any bits do")]
        let salt = (self.steps as u32).wrapping_mul(0x0100_0193) ^ (to as u32) << 8;
        salt
    }

    fn each(
        &mut self,
        to: Register,
        count: usize,
        noise: Noise,
        mut disturb: impl FnMut(&mut Self, At),
    ) {
        let first = self.salt(to);
        let own = u32::from(self.steps > 0);
        for item in 0..count {
            for (lane, number) in (0..self.width).zip(0_u32..) {
                let salt = first.wrapping_add((number * own) << 20) ^ self.batch;
                let salt = salt.wrapping_add(u32::try_from(item).unwrap_or(0));
                disturb(self, At { item, lane, salt, noise });
            }
        }
    }

    fn float(&self, kind: Kind, register: Register, at: At) -> f64 {
        if kind == Kind::F64 {
            let word = |word| u64::from(self.words(register + at.item * 2 + word)[at.lane]);
            return f64::from_bits(word(0) | word(1) << 32);
        }
        let word = self.words(register + at.item)[at.lane];
        if kind == Kind::F16 {
            return half(word).to_f64();
        }
        f64::from(f32::from_bits(word))
    }

    fn move_float(&mut self, kind: Kind, to: Register, at: At, allowance: f64) {
        let At { noise, .. } = at;
        let result = self.float(kind, to, at);
        if kind == Kind::F64 {
            let bits = noise.moved(result, allowance, at.salt).to_bits();
            #[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
            let halves = [bits as u32, (bits >> 32) as u32];
            self.words_mut(to + at.item * 2)[at.lane] = halves[0];
            self.words_mut(to + at.item * 2 + 1)[at.lane] = halves[1];
        } else if kind == Kind::F16 {
            let moved = noise.moved_half(result, allowance, at.salt);
            self.words_mut(to + at.item)[at.lane] = u32::from(moved.to_bits());
        } else {
            let moved = noise.moved_single(narrow(result), allowance, at.salt);
            self.words_mut(to + at.item)[at.lane] = moved.to_bits();
        }
    }

    /// True for divisions by zero or beyond the range of the kind, and for shifts by too many bits.
    fn is_undefined(
        &self,
        function: BinaryFunction,
        kind: Kind,
        [left, right]: [Register; 2],
        lane: usize,
    ) -> bool {
        let bits = u32::from(kind.scalar().width) * 8;
        let wide = |register: Register| -> u64 {
            let word = |word: usize| u64::from(self.words(register + word)[lane]);
            if kind.words() == 1 { word(0) } else { word(0) | word(1) << 32 }
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are defined")]
        match function {
            BinaryFunction::Divide | BinaryFunction::Modulo => {
                let is_signed = matches!(kind, Kind::I16 | Kind::I32 | Kind::I64);
                let (least, minus_one) = (1 << (bits - 1), u64::MAX >> (64 - bits));
                wide(right) == 0 || is_signed && wide(left) == least && wide(right) == minus_one
            }
            BinaryFunction::ShiftLeft | BinaryFunction::ShiftRight => {
                self.words(right)[lane] >= bits
            }
            _ => false,
        }
    }

    /// Makes numbers that do not fit an integer arbitrary, unless the language defines them, and replaces inexact floats
    /// by either neighbour. A zero that was a float may become −0 again.
    fn disturb_conversion(
        &mut self,
        [from_kind, to_kind]: [Kind; 2],
        [to, from]: [Register; 2],
        at: At,
    ) {
        let At { noise, .. } = at;
        let word = self.words(from + at.item)[at.lane];
        let (exact, range) = match (from_kind, to_kind) {
            (Kind::Bool | Kind::I64 | Kind::U64, _) => return,
            (Kind::I16 | Kind::I32, _) => (f64::from(signed_word(from_kind, word)), None),
            (Kind::U16 | Kind::U32, _) => (f64::from(word), None),
            (Kind::F16 | Kind::F32 | Kind::F64, to) => (self.float(from_kind, from, at), range(to)),
        };
        if let Some(range) = range {
            let is_defined = self.code.integers == IntegerRules::Defined && !exact.is_nan();
            if !is_defined && !range.contains(&exact.trunc()) {
                let any = Known::new(Kind::U32, noise.word(at.salt)).converted(to_kind);
                self.words_mut(to + at.item)[at.lane] = any.words[0];
            }
        } else if self.code.has_rounding
            && to_kind == Kind::F32
            && !from_kind.is_float()
            && exact == 0.0
        {
            let zero = if noise.is_opposite() { -0.0_f32 } else { 0.0 };
            self.words_mut(to + at.item)[at.lane] = zero.to_bits();
        } else if to_kind.is_float() {
            let error = self.float(to_kind, to, at) - exact;
            self.move_float(to_kind, to, at, 2.0 * error.abs());
        }
    }
}

/// Interprets a word as a signed integer.
const fn signed_word(kind: Kind, word: u32) -> i32 {
    if matches!(kind, Kind::I16) {
        half(word).to_bits().cast_signed() as i32
    } else {
        word.cast_signed()
    }
}

/// The range of an integer kind of up to 32 bits.
fn range(kind: Kind) -> Option<RangeInclusive<f64>> {
    Some(match kind {
        Kind::I16 => f64::from(i16::MIN)..=f64::from(i16::MAX),
        Kind::U16 => 0.0..=f64::from(u16::MAX),
        Kind::I32 => f64::from(i32::MIN)..=f64::from(i32::MAX),
        Kind::U32 => 0.0..=f64::from(u32::MAX),
        Kind::Bool | Kind::F16 | Kind::F32 | Kind::I64 | Kind::U64 | Kind::F64 => return None,
    })
}

const fn unit(kind: Kind) -> f64 {
    if matches!(kind, Kind::F64) {
        DOUBLE
    } else if matches!(kind, Kind::F16) {
        HALF
    } else {
        SINGLE
    }
}

/// The nearest number of a kind.
fn rounded(kind: Kind, value: f64) -> f64 {
    if kind == Kind::F64 {
        value
    } else if kind == Kind::F16 {
        f16::from_f64(value).to_f64()
    } else {
        f64::from(narrow(value))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the high half is 0")]
const fn half(word: u32) -> f16 {
    f16::from_bits(word as u16)
}
