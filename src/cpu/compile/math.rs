//! Built-in functions.

use naga::{Expression, Handle, MathFunction};

use super::expression::Vector;
use super::function::FunctionCompiler;
use super::{Result, not_implemented};
use crate::code::{Op, Register};
use crate::kernel::{BinaryFunction, Kind, Operand, PackFunction, UnaryFunction};

/// The function of each component, if it is one.
const fn unary(function: MathFunction) -> Option<UnaryFunction> {
    use MathFunction as F;
    use UnaryFunction as U;
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

/// The function of each pair of components, if it is one.
const fn binary(function: MathFunction) -> Option<BinaryFunction> {
    use BinaryFunction as B;
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

impl FunctionCompiler<'_, '_> {
    pub(super) fn math(
        &mut self,
        function: MathFunction,
        first: Handle<Expression>,
        others: &[Handle<Expression>],
    ) -> Result<Register> {
        use MathFunction as F;
        match function {
            F::Transpose => return self.transpose(first),
            F::Determinant => return self.determinant(first),
            F::Inverse => return self.inverse(first),
            F::Modf | F::Frexp => return self.decomposed(function, first),
            _ => {}
        }
        let x = self.vector(first)?;
        if let Some(function) = unary(function) {
            return Ok(self.one(function, x)?.at);
        }
        if let Some(pack) = PackFunction::of(function) {
            return self.pack(pack, x);
        }
        let others = others.iter().map(|other| self.vector(*other)).collect::<Result<Vec<_>>>()?;
        if let (Some(function), [y]) = (binary(function), &others[..]) {
            return Ok(self.two(function, x, *y)?.at);
        }
        match (function, &others[..]) {
            (F::Saturate, []) => {
                let (zero, one) = (self.real(x.kind, 0.0)?, self.real(x.kind, 1.0)?);
                self.clamp(x, zero, one)
            }
            (F::Clamp, &[low, high]) => self.clamp(x, low, high),
            (F::Fma, &[b, c]) => self.fma([x, b, c]),
            (F::Mix, &[y, weight]) => self.mix(x, y, weight),
            (F::SmoothStep, &[high, at]) => self.smooth_step(x, high, at),
            (F::Length, []) => Ok(self.length_of(x)?.at),
            (F::ExtractBits, &[offset, count]) => self.extract_bits(x, offset, count),
            (F::InsertBits, &[new, offset, count]) => self.insert_bits(x, new, offset, count),
            (F::Dot4I8Packed, &[y]) => self.packed_dot(F::Unpack4xI8, Kind::I32, x, y),
            (F::Dot4U8Packed, &[y]) => self.packed_dot(F::Unpack4xU8, Kind::U32, x, y),
            (_, others) => self.geometric(function, x, others),
        }
    }

    fn geometric(
        &mut self,
        function: MathFunction,
        x: Vector,
        others: &[Vector],
    ) -> Result<Register> {
        use BinaryFunction as B;
        use MathFunction as F;
        match (function, others) {
            (F::Dot, &[y]) => Ok(self.dot(x, y)?.at),
            (F::Outer, &[y]) => self.outer(x, y),
            (F::Cross, &[y]) => self.cross(x, y),
            (F::Distance, &[y]) => {
                let difference = self.two(B::Subtract, x, y)?;
                Ok(self.length_of(difference)?.at)
            }
            (F::Normalize, []) => {
                let length = self.length_of(x)?;
                Ok(self.two(B::Divide, x, length)?.at)
            }
            // n if dot(i, reference) is below 0, else -n.
            (F::FaceForward, &[incident, reference]) => {
                let dot = self.dot(incident, reference)?;
                let zero = self.real(x.kind, 0.0)?;
                let is_front = self.two(B::Less, dot, zero)?;
                let turned = self.one(UnaryFunction::Negate, x)?;
                let condition = Vector { kind: Kind::Bool, count: 1, ..is_front };
                self.choose(condition, [x.at, turned.at], x.count * x.kind.words())
            }
            // i - 2 × dot(n, i) × n
            (F::Reflect, &[normal]) => {
                let dot = self.dot(normal, x)?;
                let two = self.real(x.kind, 2.0)?;
                let twice = self.two(B::Multiply, two, dot)?;
                let along = self.two(B::Multiply, normal, twice)?;
                Ok(self.two(B::Subtract, x, along)?.at)
            }
            (F::Refract, &[normal, ratio]) => self.refract(x, normal, ratio),
            _ => not_implemented(format!("function {function:?}")),
        }
    }

    /// A constant.
    pub(super) fn real(&mut self, kind: Kind, value: f64) -> Result<Vector> {
        #[expect(clippy::cast_possible_truncation, reason = "they are small whole numbers")]
        let at = match kind {
            Kind::F64 => self.compiler.literal(naga::Literal::F64(value))?,
            _ => self.compiler.literal(naga::Literal::F32(value as f32))?,
        };
        Ok(Vector { at, kind, count: 1 })
    }

    fn whole(&mut self, value: u32) -> Result<Vector> {
        Ok(Vector { at: self.compiler.word(value)?, kind: Kind::U32, count: 1 })
    }

    fn clamp(&mut self, x: Vector, low: Vector, high: Vector) -> Result<Register> {
        let least = self.two(BinaryFunction::Max, x, low)?;
        Ok(self.two(BinaryFunction::Min, least, high)?.at)
    }

    fn fma(&mut self, [a, b, c]: [Vector; 3]) -> Result<Register> {
        if !a.kind.is_float() {
            return not_implemented("fused products of integers");
        }
        let count = a.count.max(b.count).max(c.count);
        let words = a.kind.words();
        let to = self.compiler.allocate(count * words)?;
        let operands: [Operand; 3] = [a, b, c].map(Vector::operand);
        let is_once =
            operands.iter().all(|operand| self.compiler.is_operand_once(*operand, words, count));
        let [first, second, third] = operands;
        let op = Op::Fma { kind: a.kind, to, a: first, b: second, c: third, count };
        self.compiler.push(op, is_once)?;
        self.compiler.mark(to, count * words, is_once);
        Ok(to)
    }

    /// x × (1 − weight) + y × weight
    fn mix(&mut self, x: Vector, y: Vector, weight: Vector) -> Result<Register> {
        use BinaryFunction as B;
        let one = self.real(x.kind, 1.0)?;
        let rest = self.two(B::Subtract, one, weight)?;
        let (first, second) = (self.two(B::Multiply, x, rest)?, self.two(B::Multiply, y, weight)?);
        Ok(self.two(B::Add, first, second)?.at)
    }

    /// t × t × (3 − 2 × t) of t = (x − low) / (high − low) from 0 to 1.
    fn smooth_step(&mut self, low: Vector, high: Vector, x: Vector) -> Result<Register> {
        use BinaryFunction as B;
        let (part, whole) = (self.two(B::Subtract, x, low)?, self.two(B::Subtract, high, low)?);
        let ratio = self.two(B::Divide, part, whole)?;
        let (zero, one) = (self.real(x.kind, 0.0)?, self.real(x.kind, 1.0)?);
        let t = Vector { at: self.clamp(ratio, zero, one)?, ..ratio };
        let (two, three) = (self.real(x.kind, 2.0)?, self.real(x.kind, 3.0)?);
        let twice = self.two(B::Multiply, two, t)?;
        let slope = self.two(B::Subtract, three, twice)?;
        let square = self.two(B::Multiply, t, t)?;
        Ok(self.two(B::Multiply, square, slope)?.at)
    }

    fn length_of(&mut self, x: Vector) -> Result<Vector> {
        if x.count == 1 {
            return self.one(UnaryFunction::Abs, x);
        }
        let square = self.dot(x, x)?;
        self.one(UnaryFunction::Sqrt, square)
    }

    fn cross(&mut self, x: Vector, y: Vector) -> Result<Register> {
        use BinaryFunction as B;
        let mut parts = Vec::new();
        for index in 0..3 {
            let (next, last) = ((index + 1) % 3, (index + 2) % 3);
            let first = self.two(B::Multiply, x.component(next), y.component(last))?;
            let second = self.two(B::Multiply, x.component(last), y.component(next))?;
            parts.push(self.two(B::Subtract, first, second)?);
        }
        self.joined(&parts)
    }

    /// GLSL 4.60, 8.5: with k = 1 − ratio² × (1 − dot(n, i)²), 0 if k is below 0, else
    /// ratio × i − (ratio × dot(n, i) + √k) × n.
    fn refract(&mut self, x: Vector, normal: Vector, ratio: Vector) -> Result<Register> {
        use BinaryFunction as B;
        let (zero, one) = (self.real(x.kind, 0.0)?, self.real(x.kind, 1.0)?);
        let dot = self.dot(normal, x)?;
        let square = self.two(B::Multiply, dot, dot)?;
        let rest = self.two(B::Subtract, one, square)?;
        let ratio_square = self.two(B::Multiply, ratio, ratio)?;
        let lost = self.two(B::Multiply, ratio_square, rest)?;
        let k = self.two(B::Subtract, one, lost)?;
        let is_none = self.two(B::Less, k, zero)?;
        let root = self.one(UnaryFunction::Sqrt, k)?;
        let scaled = self.two(B::Multiply, ratio, dot)?;
        let along = self.two(B::Add, scaled, root)?;
        let (first, second) =
            (self.two(B::Multiply, x, ratio)?, self.two(B::Multiply, normal, along)?);
        let result = self.two(B::Subtract, first, second)?;
        let nothing = self.joined(&vec![zero; x.count])?;
        let condition = Vector { kind: Kind::Bool, count: 1, ..is_none };
        self.choose(condition, [nothing, result.at], x.count * x.kind.words())
    }

    fn pack(&mut self, function: PackFunction, x: Vector) -> Result<Register> {
        let [takes, gives] = function.words();
        if x.count * x.kind.words() != takes {
            return not_implemented("packing of this type");
        }
        let to = self.compiler.allocate(gives)?;
        let is_once = self.compiler.are_once(x.at, takes);
        self.compiler.push(Op::Pack { function, to, from: x.at }, is_once)?;
        self.compiler.mark(to, gives, is_once);
        Ok(to)
    }

    fn packed_dot(
        &mut self,
        unpack: MathFunction,
        kind: Kind,
        x: Vector,
        y: Vector,
    ) -> Result<Register> {
        let Some(function) = PackFunction::of(unpack) else {
            return not_implemented("packed products");
        };
        let (left, right) = (self.pack(function, x)?, self.pack(function, y)?);
        let vector = |at| Vector { at, kind, count: 4 };
        Ok(self.dot(vector(left), vector(right))?.at)
    }

    /// `modf` and `frexp`: a structure of two vectors.
    fn decomposed(
        &mut self,
        function: MathFunction,
        first: Handle<Expression>,
    ) -> Result<Register> {
        let x = self.vector(first)?;
        let parts = if function == MathFunction::Modf {
            let whole = self.one(UnaryFunction::Trunc, x)?;
            [self.two(BinaryFunction::Subtract, x, whole)?, whole]
        } else {
            let exponent = self.one(UnaryFunction::Exponent, x)?;
            let exponent = Vector { kind: Kind::I32, ..exponent };
            [self.one(UnaryFunction::Mantissa, x)?, exponent]
        };
        self.joined(&parts)
    }

    /// Least of `offset` and 32, and of `count` and what is left.
    fn bit_range(&mut self, offset: Vector, count: Vector) -> Result<[Vector; 2]> {
        use BinaryFunction as B;
        let bits = self.whole(32)?;
        let offset = self.two(B::Min, Vector { kind: Kind::U32, ..offset }, bits)?;
        let left = self.two(B::Subtract, bits, offset)?;
        let count = self.two(B::Min, Vector { kind: Kind::U32, ..count }, left)?;
        Ok([offset, count])
    }

    /// Moves the bits to the top and back, with the sign or without; 0 if there are none.
    fn extract_bits(&mut self, x: Vector, offset: Vector, count: Vector) -> Result<Register> {
        use BinaryFunction as B;
        let [offset, count] = self.bit_range(offset, count)?;
        let bits = self.whole(32)?;
        let end = self.two(B::Add, offset, count)?;
        let up = self.two(B::Subtract, bits, end)?;
        let down = self.two(B::Subtract, bits, count)?;
        let top = self.two(B::ShiftLeft, x, up)?;
        let result = self.two(B::ShiftRight, top, down)?;
        let zero = self.whole(0)?;
        let is_none = self.two(B::Equal, count, zero)?;
        let nothing = self.joined(&vec![zero; x.count])?;
        let condition = Vector { kind: Kind::Bool, ..is_none };
        self.choose(condition, [nothing, result.at], x.count)
    }

    fn insert_bits(
        &mut self,
        x: Vector,
        new: Vector,
        offset: Vector,
        count: Vector,
    ) -> Result<Register> {
        use BinaryFunction as B;
        let [offset, count] = self.bit_range(offset, count)?;
        let (bits, all, zero) = (self.whole(32)?, self.whole(u32::MAX)?, self.whole(0)?);
        let down = self.two(B::Subtract, bits, count)?;
        let low = self.two(B::ShiftRight, all, down)?;
        let mask = self.two(B::ShiftLeft, low, offset)?;
        let moved = self.two(B::ShiftLeft, Vector { kind: Kind::U32, ..new }, offset)?;
        let inside = self.two(B::And, moved, mask)?;
        let rest = self.one(UnaryFunction::Not, mask)?;
        let outside = self.two(B::And, Vector { kind: Kind::U32, ..x }, rest)?;
        let result = self.two(B::InclusiveOr, inside, outside)?;
        let is_none = self.two(B::Equal, count, zero)?;
        let condition = Vector { kind: Kind::Bool, ..is_none };
        self.choose(condition, [x.at, result.at], x.count)
    }
}
