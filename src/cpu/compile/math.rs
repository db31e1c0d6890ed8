//! Compiles built-in functions.

use arithmetic::{BinaryFunction, Machine, PackFunction, UnaryFunction};
use naga::{Expression, Handle, MathFunction};

use super::expression::Vector;
use super::function::FunctionCompiler;
use super::{Result, not_implemented};
use crate::code::{Op, Register};

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
        if let Some(pack) = PackFunction::of(function) {
            return Ok(self.pack(pack, x)?.at);
        }
        let mut arguments = vec![x];
        for other in others {
            arguments.push(self.vector(*other)?);
        }
        if let Some(result) = self.componentwise(function, &arguments)? {
            return Ok(result.at);
        }
        match (function, &arguments[1..]) {
            (F::Length, []) => Ok(self.length_of(x)?.at),
            (F::Dot4I8Packed, &[y]) => self.packed_dot(F::Unpack4xI8, x, y),
            (F::Dot4U8Packed, &[y]) => self.packed_dot(F::Unpack4xU8, x, y),
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
            // n if dot(i, reference) is below 0, otherwise -n.
            (F::FaceForward, &[incident, reference]) => {
                let dot = self.dot(incident, reference)?;
                let zero = self.real(x.kind, 0.0)?;
                let is_front = self.two(B::Less, dot, zero)?;
                let turned = self.one(UnaryFunction::Negate, x)?;
                Ok(self.choose(is_front, [x, turned])?.at)
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

    /// Compiles `refract` (GLSL 4.60, 8.5): with k = 1 − ratio² × (1 − dot(n, i)²), the result is 0 if k is below 0,
    /// otherwise ratio × i − (ratio × dot(n, i) + √k) × n.
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
        Ok(self.choose(is_none, [zero, result])?.at)
    }

    fn pack(&mut self, function: PackFunction, x: Vector) -> Result<Vector> {
        let [takes, gives] = function.words();
        if x.count * x.kind.words() != takes {
            return not_implemented("packing of this type");
        }
        let to = self.compiler.allocate(gives)?;
        let is_once = self.compiler.are_once(x.at, takes);
        self.compiler.push(Op::Pack { function, to, from: x.at }, is_once)?;
        self.compiler.mark(to, gives, is_once);
        Ok(Vector { at: to, kind: function.result(), count: gives })
    }

    fn packed_dot(&mut self, unpack: MathFunction, x: Vector, y: Vector) -> Result<Register> {
        let Some(function) = PackFunction::of(unpack) else {
            return not_implemented("packed products");
        };
        let (left, right) = (self.pack(function, x)?, self.pack(function, y)?);
        Ok(self.dot(left, right)?.at)
    }

    /// Compiles `modf` and `frexp`, which return a structure of two vectors.
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
            [self.one(UnaryFunction::Mantissa, x)?, self.one(UnaryFunction::Exponent, x)?]
        };
        self.joined(&parts)
    }
}
