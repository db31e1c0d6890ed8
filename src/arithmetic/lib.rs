//! Arithmetic of shaders, shared by constant folding and the executor.
//!
//! In single precision `+ − × ÷ √` and fused multiply-add are exact IEEE 754. Other functions are computed in double
//! precision and rounded once, so they give the same bits on every platform.

mod known;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga and kinds have many other functions")]
mod machine;
#[expect(clippy::wildcard_enum_match_arm, reason = "naga has many other functions")]
mod packing;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "functions that a kind of number lacks are errors of the caller"
)]
mod scalar;

pub use known::{Known, Now};
pub use machine::Machine;
pub use packing::PackFunction;
pub use scalar::{Real, Word};

use naga::ScalarKind;

/// Type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Bool,
    I16,
    U16,
    F16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
}

impl Kind {
    /// The kind of a naga scalar, if there is one.
    pub fn of(scalar: naga::Scalar) -> Option<Self> {
        Some(match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) => Self::Bool,
            (ScalarKind::Sint, 2) => Self::I16,
            (ScalarKind::Uint, 2) => Self::U16,
            (ScalarKind::Float, 2) => Self::F16,
            (ScalarKind::Sint, 4) => Self::I32,
            (ScalarKind::Uint, 4) => Self::U32,
            (ScalarKind::Float, 4) => Self::F32,
            (ScalarKind::Sint, 8) => Self::I64,
            (ScalarKind::Uint, 8) => Self::U64,
            (ScalarKind::Float, 8) => Self::F64,
            _ => return None,
        })
    }

    /// The kind as a naga scalar.
    pub const fn scalar(self) -> naga::Scalar {
        match self {
            Self::Bool => naga::Scalar::BOOL,
            Self::I16 => naga::Scalar::I16,
            Self::U16 => naga::Scalar::U16,
            Self::F16 => naga::Scalar::F16,
            Self::I32 => naga::Scalar::I32,
            Self::U32 => naga::Scalar::U32,
            Self::F32 => naga::Scalar::F32,
            Self::I64 => naga::Scalar::I64,
            Self::U64 => naga::Scalar::U64,
            Self::F64 => naga::Scalar::F64,
        }
    }

    /// Registers of one scalar. A scalar of 16 bits is in the low half of its word, and the high half is 0.
    #[inline]
    pub const fn words(self) -> usize {
        if matches!(self, Self::I64 | Self::U64 | Self::F64) { 2 } else { 1 }
    }

    /// True for floats.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// A function of one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of naga's functions")]
pub enum UnaryFunction {
    Negate,
    Not,
    Abs,
    Sign,
    Ceil,
    Floor,
    Round,
    Trunc,
    Fract,
    Sqrt,
    InverseSqrt,
    Cos,
    Cosh,
    Sin,
    Sinh,
    Tan,
    Tanh,
    Acos,
    Asin,
    Atan,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Log,
    Log2,
    Radians,
    Degrees,
    QuantizeToF16,
    IsNan,
    IsInf,
    CountOneBits,
    ReverseBits,
    CountLeadingZeros,
    CountTrailingZeros,
    FirstLeadingBit,
    FirstTrailingBit,
    /// Mantissa that `frexp` returns.
    Mantissa,
    /// Exponent that `frexp` returns, as a 32-bit integer.
    Exponent,
}

/// A function of two scalars of one kind. Comparisons return a boolean; the second operand of shifts and `ldexp` is a
/// 32-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of naga's functions")]
pub enum BinaryFunction {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    ExclusiveOr,
    InclusiveOr,
    ShiftLeft,
    ShiftRight,
    Min,
    Max,
    Pow,
    Atan2,
    Step,
    Ldexp,
}

/// Consecutive scalars, which an operation reads one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// First register of the first scalar.
    pub at: usize,
    /// Registers from one scalar to the next; 0 if the operation reads the same scalar each time.
    pub step: usize,
}

/// Registers of an operation: it reads those below `to` and writes those from `to` on.
#[derive(Debug)]
pub struct Split<'a> {
    low: &'a [u32],
    high: &'a mut [u32],
    width: usize,
}

impl<'a> Split<'a> {
    /// Splits registers of `width` lanes at register `to`.
    pub fn new(file: &'a mut [u32], width: usize, to: usize) -> Self {
        let (low, high) = file.split_at_mut(to * width);
        Self { low, high, width }
    }

    fn unary<A: Word, R: Word>(&mut self, from: usize, count: usize, function: impl Fn(A) -> R) {
        let width = self.width;
        for item in 0..count {
            let source = &self.low[(from + item * A::WORDS) * width..][..A::WORDS * width];
            let target = &mut self.high[item * R::WORDS * width..][..R::WORDS * width];
            for lane in 0..width {
                function(A::read(source, lane, width)).write(target, lane, width);
            }
        }
    }

    fn binary<A: Word, B: Word, R: Word>(
        &mut self,
        [left, right]: [Operand; 2],
        count: usize,
        function: impl Fn(A, B) -> R,
    ) {
        let width = self.width;
        for item in 0..count {
            let first = &self.low[(left.at + item * left.step) * width..][..A::WORDS * width];
            let second = &self.low[(right.at + item * right.step) * width..][..B::WORDS * width];
            let target = &mut self.high[item * R::WORDS * width..][..R::WORDS * width];
            for lane in 0..width {
                let (a, b) = (A::read(first, lane, width), B::read(second, lane, width));
                function(a, b).write(target, lane, width);
            }
        }
    }

    /// Applies fused multiply-add to `count` scalars.
    pub fn fma<A: Real>(&mut self, [a, b, c]: [Operand; 3], count: usize) {
        let width = self.width;
        for item in 0..count {
            let source = |operand: Operand| {
                &self.low[(operand.at + item * operand.step) * width..][..A::WORDS * width]
            };
            let (a, b, c) = (source(a), source(b), source(c));
            let target = &mut self.high[item * A::WORDS * width..][..A::WORDS * width];
            for lane in 0..width {
                let read = |words| A::read(words, lane, width);
                read(a).fma(read(b), read(c)).write(target, lane, width);
            }
        }
    }
}
