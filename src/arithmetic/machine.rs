//! Functions of shaders, built from functions of scalars.

use naga::{BinaryOperator, Literal, MathFunction, UnaryOperator};

use crate::{BinaryFunction as B, Kind, UnaryFunction as U};

/// The scalar function that a componentwise function of one operand applies.
const fn unary(function: MathFunction) -> Option<U> {
    use MathFunction as F;
    Some(match function {
        F::Abs => U::Abs,
        F::Cos => U::Cos,
        F::Cosh => U::Cosh,
        F::Sin => U::Sin,
        F::Sinh => U::Sinh,
        F::Tan => U::Tan,
        F::Tanh => U::Tanh,
        F::Acos => U::Acos,
        F::Asin => U::Asin,
        F::Atan => U::Atan,
        F::Asinh => U::Asinh,
        F::Acosh => U::Acosh,
        F::Atanh => U::Atanh,
        F::Radians => U::Radians,
        F::Degrees => U::Degrees,
        F::Ceil => U::Ceil,
        F::Floor => U::Floor,
        F::Round => U::Round,
        F::Fract => U::Fract,
        F::Trunc => U::Trunc,
        F::Exp => U::Exp,
        F::Exp2 => U::Exp2,
        F::Log => U::Log,
        F::Log2 => U::Log2,
        F::Sign => U::Sign,
        F::Sqrt => U::Sqrt,
        F::InverseSqrt => U::InverseSqrt,
        F::QuantizeToF16 => U::QuantizeToF16,
        F::CountTrailingZeros => U::CountTrailingZeros,
        F::CountLeadingZeros => U::CountLeadingZeros,
        F::CountOneBits => U::CountOneBits,
        F::ReverseBits => U::ReverseBits,
        F::FirstTrailingBit => U::FirstTrailingBit,
        F::FirstLeadingBit => U::FirstLeadingBit,
        _ => return None,
    })
}

/// The scalar function that a componentwise function of two operands applies.
const fn binary(function: MathFunction) -> Option<B> {
    use MathFunction as F;
    Some(match function {
        F::Min => B::Min,
        F::Max => B::Max,
        F::Pow => B::Pow,
        F::Atan2 => B::Atan2,
        F::Step => B::Step,
        F::Ldexp => B::Ldexp,
        _ => return None,
    })
}

impl From<UnaryOperator> for U {
    fn from(operator: UnaryOperator) -> Self {
        match operator {
            UnaryOperator::Negate => Self::Negate,
            UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => Self::Not,
        }
    }
}

impl From<BinaryOperator> for B {
    fn from(operator: BinaryOperator) -> Self {
        match operator {
            BinaryOperator::Add => Self::Add,
            BinaryOperator::Subtract => Self::Subtract,
            BinaryOperator::Multiply => Self::Multiply,
            BinaryOperator::Divide => Self::Divide,
            BinaryOperator::Modulo => Self::Modulo,
            BinaryOperator::Equal => Self::Equal,
            BinaryOperator::NotEqual => Self::NotEqual,
            BinaryOperator::Less => Self::Less,
            BinaryOperator::LessEqual => Self::LessEqual,
            BinaryOperator::Greater => Self::Greater,
            BinaryOperator::GreaterEqual => Self::GreaterEqual,
            BinaryOperator::And | BinaryOperator::LogicalAnd => Self::And,
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => Self::InclusiveOr,
            BinaryOperator::ExclusiveOr => Self::ExclusiveOr,
            BinaryOperator::ShiftLeft => Self::ShiftLeft,
            BinaryOperator::ShiftRight => Self::ShiftRight,
        }
    }
}

impl U {
    /// Kind of the function's result for an operand of kind `of`.
    #[inline]
    pub const fn result(self, of: Kind) -> Kind {
        match self {
            Self::IsNan | Self::IsInf => Kind::Bool,
            Self::Exponent => Kind::I32,
            _ => of,
        }
    }
}

impl B {
    /// Kind of the function's result for operands of kind `of`.
    #[inline]
    pub const fn result(self, of: Kind) -> Kind {
        match self {
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => Kind::Bool,
            _ => of,
        }
    }

    /// Registers of the second operand, if the first is of kind `of`.
    pub const fn second_words(self, of: Kind) -> usize {
        match self {
            Self::ShiftLeft | Self::ShiftRight | Self::Ldexp => 1,
            _ => of.words(),
        }
    }
}

/// A machine that computes, at once or later. Its values are scalars and vectors; a scalar combined with a vector acts
/// as a vector with that value in every component.
pub trait Machine {
    /// A scalar or vector.
    type Value: Copy;
    /// The reason why the machine cannot compute something.
    type Error;

    /// Kind of the scalars of a value.
    fn kind(&self, of: Self::Value) -> Kind;
    /// Reinterprets the words of a value as another kind of the same size.
    fn reinterpreted(&self, value: Self::Value, kind: Kind) -> Self::Value;
    /// Makes a constant.
    fn literal(&mut self, literal: Literal) -> Result<Self::Value, Self::Error>;
    /// Applies a function of one operand.
    fn one(&mut self, function: U, x: Self::Value) -> Result<Self::Value, Self::Error>;
    /// Applies a function of two operands.
    fn two(
        &mut self,
        function: B,
        x: Self::Value,
        y: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
    /// x × y + z, rounded once.
    fn fused(
        &mut self,
        factors: [Self::Value; 2],
        z: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
    /// Selects the first value where the condition is true, otherwise the second.
    fn choose(
        &mut self,
        condition: Self::Value,
        values: [Self::Value; 2],
    ) -> Result<Self::Value, Self::Error>;

    /// Applies a componentwise function. `None` if `function` is not componentwise.
    fn componentwise(
        &mut self,
        function: MathFunction,
        arguments: &[Self::Value],
    ) -> Result<Option<Self::Value>, Self::Error> {
        use MathFunction as F;
        Ok(Some(match (function, arguments) {
            (F::Saturate, &[x]) => {
                let kind = self.kind(x);
                let (zero, one) = (self.real(kind, 0.0)?, self.real(kind, 1.0)?);
                self.clamp(x, zero, one)?
            }
            (F::Clamp, &[x, low, high]) => self.told_clamp(x, low, high)?,
            (F::Fma, &[x, y, z]) => self.fused([x, y], z)?,
            (F::Mix, &[x, y, weight]) => self.mix(x, y, weight)?,
            (F::SmoothStep, &[low, high, x]) => self.smooth_step(low, high, x)?,
            (F::ExtractBits, &[x, offset, count]) if self.is_word(x) => {
                self.extract_bits(x, offset, count)?
            }
            (F::InsertBits, &[x, new, offset, count]) if self.is_word(x) => {
                self.insert_bits(x, new, offset, count)?
            }
            _ => match (unary(function), binary(function), arguments) {
                (Some(function), _, &[x]) => self.one(function, x)?,
                (_, Some(function), &[x, y]) => self.two(function, x, y)?,
                _ => return Ok(None),
            },
        }))
    }

    /// True for a value of 32-bit integers.
    fn is_word(&self, value: Self::Value) -> bool {
        matches!(self.kind(value), Kind::I32 | Kind::U32)
    }

    /// Makes a float from a small whole number.
    fn real(&mut self, kind: Kind, value: f32) -> Result<Self::Value, Self::Error> {
        self.literal(match kind {
            Kind::F64 => Literal::F64(f64::from(value)),
            Kind::F16 => Literal::F16(half::f16::from_f32(value)),
            _ => Literal::F32(value),
        })
    }

    /// Performs a clamp that the program asks for. The result is undefined if its bounds are out of order (GLSL 4.60
    /// section 8.3).
    fn told_clamp(
        &mut self,
        x: Self::Value,
        low: Self::Value,
        high: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        self.clamp(x, low, high)
    }

    /// min(max(x, low), high)
    fn clamp(
        &mut self,
        x: Self::Value,
        low: Self::Value,
        high: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let least = self.two(B::Max, x, low)?;
        self.two(B::Min, least, high)
    }

    /// x × (1 − weight) + y × weight
    fn mix(
        &mut self,
        x: Self::Value,
        y: Self::Value,
        weight: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let one = self.real(self.kind(x), 1.0)?;
        let rest = self.two(B::Subtract, one, weight)?;
        let (first, second) = (self.two(B::Multiply, x, rest)?, self.two(B::Multiply, y, weight)?);
        self.two(B::Add, first, second)
    }

    /// t × t × (3 − 2 × t), where t = (x − low) / (high − low), clamped to 0 to 1
    fn smooth_step(
        &mut self,
        low: Self::Value,
        high: Self::Value,
        x: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let kind = self.kind(x);
        let (part, whole) = (self.two(B::Subtract, x, low)?, self.two(B::Subtract, high, low)?);
        let ratio = self.two(B::Divide, part, whole)?;
        let (zero, one) = (self.real(kind, 0.0)?, self.real(kind, 1.0)?);
        let t = self.clamp(ratio, zero, one)?;
        let (two, three) = (self.real(kind, 2.0)?, self.real(kind, 3.0)?);
        let twice = self.two(B::Multiply, two, t)?;
        let slope = self.two(B::Subtract, three, twice)?;
        let square = self.two(B::Multiply, t, t)?;
        self.two(B::Multiply, square, slope)
    }

    /// Clamps `offset` to 32, and `count` to the number of bits from `offset` on.
    fn bit_range(
        &mut self,
        offset: Self::Value,
        count: Self::Value,
    ) -> Result<[Self::Value; 2], Self::Error> {
        let [offset, count] = [offset, count].map(|value| self.reinterpreted(value, Kind::U32));
        let bits = self.literal(Literal::U32(32))?;
        let offset = self.two(B::Min, offset, bits)?;
        let left = self.two(B::Subtract, bits, offset)?;
        Ok([offset, self.two(B::Min, count, left)?])
    }

    /// Extracts bits by shifting them to the top and back, with sign extension or without; 0 if `count` is 0.
    fn extract_bits(
        &mut self,
        x: Self::Value,
        offset: Self::Value,
        count: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let [offset, count] = self.bit_range(offset, count)?;
        let (bits, zero) = (self.literal(Literal::U32(32))?, self.literal(Literal::U32(0))?);
        let end = self.two(B::Add, offset, count)?;
        let up = self.two(B::Subtract, bits, end)?;
        let down = self.two(B::Subtract, bits, count)?;
        let top = self.two(B::ShiftLeft, x, up)?;
        let result = self.two(B::ShiftRight, top, down)?;
        let is_none = self.two(B::Equal, count, zero)?;
        let nothing = self.reinterpreted(zero, self.kind(x));
        self.choose(is_none, [nothing, result])
    }

    /// Replaces `count` bits of `x` from `offset` on with the lowest bits of `new`.
    fn insert_bits(
        &mut self,
        x: Self::Value,
        new: Self::Value,
        offset: Self::Value,
        count: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let [offset, count] = self.bit_range(offset, count)?;
        let [base, new] = [x, new].map(|value| self.reinterpreted(value, Kind::U32));
        let mut number = |value| self.literal(Literal::U32(value));
        let (bits, all, zero) = (number(32)?, number(u32::MAX)?, number(0)?);
        let down = self.two(B::Subtract, bits, count)?;
        let low = self.two(B::ShiftRight, all, down)?;
        let mask = self.two(B::ShiftLeft, low, offset)?;
        let moved = self.two(B::ShiftLeft, new, offset)?;
        let inside = self.two(B::And, moved, mask)?;
        let rest = self.one(U::Not, mask)?;
        let outside = self.two(B::And, base, rest)?;
        let result = self.two(B::InclusiveOr, inside, outside)?;
        let is_none = self.two(B::Equal, count, zero)?;
        let result = self.reinterpreted(result, self.kind(x));
        self.choose(is_none, [x, result])
    }
}
