//! Lowers the operations that are implemented on words: bitwise operations, shifts by whole words, and equality.

use naga::{BinaryOperator as Binary, Expression, Handle, Literal, UnaryOperator};

use super::constant;
use super::rewriting::Rewriting;
use ir::interface::{ScalarKind, Type};

/// Mask of the bits of a high word without the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
/// The high word of infinity.
const INFINITY: u32 = 0x7ff0_0000;

impl Rewriting<'_> {
    /// Lowers a unary operation: the complement of an integer, or the negation of a constant. Returns `None` for
    /// operations that are not implemented on words.
    pub(super) fn unary(
        &mut self,
        old: Handle<Expression>,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let ty = self.wide(operand)?;
        match op {
            UnaryOperator::BitwiseNot => {
                let pairs = self.scalars(operand).into_iter();
                let pairs = pairs.map(|expr| self.builder.emit(Expression::Unary { op, expr }));
                let pairs = pairs.collect();
                Some(self.whole(&ty, pairs))
            }
            UnaryOperator::Negate | UnaryOperator::LogicalNot => self.constant(old, &ty),
        }
    }

    /// Lowers a binary operation. Returns `None` for operations that are not implemented on words.
    pub(super) fn binary(
        &mut self,
        op: Binary,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let ty = self.wide(left)?;
        let is_integer = is_integer(scalar_of(&ty)?);
        match op {
            Binary::Equal | Binary::NotEqual => Some(self.equality(&ty, op, [left, right])),
            Binary::And | Binary::ExclusiveOr | Binary::InclusiveOr if is_integer => {
                let [lefts, rights] = [left, right].map(|operand| self.scalars(operand));
                let pairs = lefts.into_iter().zip(rights);
                let pairs = pairs.map(|(left, right)| self.bitwise(op, left, right)).collect();
                Some(self.whole(&ty, pairs))
            }
            Binary::ShiftLeft | Binary::ShiftRight => self.shift(&ty, op, left, right),
            Binary::And
            | Binary::ExclusiveOr
            | Binary::InclusiveOr
            | Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Modulo
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::LogicalAnd
            | Binary::LogicalOr => None,
        }
    }

    /// Lowers a bitwise operation. Words that are known to be zero are omitted, so that `high << 32 | low` simply
    /// becomes the pair of the two words.
    fn bitwise(
        &mut self,
        op: Binary,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let has_identity = matches!(op, Binary::InclusiveOr | Binary::ExclusiveOr);
        let [low, high] = [0, 1].map(|idx| {
            let [left, right] = [left, right].map(|pair| self.part(pair, idx, 2));
            if has_identity && self.is_zero(left) {
                right
            } else if has_identity && self.is_zero(right) {
                left
            } else {
                self.builder.binary(op, left, right)
            }
        });
        self.pair(low, high)
    }

    /// Lowers a shift by a constant 0 or 32 bits.
    fn shift(
        &mut self,
        ty: &Type,
        op: Binary,
        left: Handle<Expression>,
        amount: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let amounts = constant::literals(self.old, self.expressions, amount)?;
        let is_signed = scalar_of(ty) == Some(ScalarKind::I64);
        let mut pairs = Vec::new();
        for (pair, amount) in self.scalars(left).into_iter().zip(amounts) {
            pairs.push(if amount == Literal::U32(0) {
                pair
            } else if amount == Literal::U32(32) {
                self.shift_by_a_word(op, pair, is_signed)
            } else {
                return None;
            });
        }
        Some(self.whole(ty, pairs))
    }

    fn shift_by_a_word(
        &mut self,
        op: Binary,
        pair: Handle<Expression>,
        is_signed: bool,
    ) -> Handle<Expression> {
        let [low, high] = self.words(pair);
        if op == Binary::ShiftLeft {
            let zero = self.builder.uint(0);
            return self.pair(zero, low);
        }
        let rest = if is_signed {
            let signed = self.builder.bitcast(high, ScalarKind::U32, ScalarKind::I32);
            self.sign(signed)
        } else {
            self.builder.uint(0)
        };
        self.pair(high, rest)
    }

    /// The high word of a 32-bit `int` that is extended to 64 bits: its sign in every bit.
    pub(super) fn sign(&mut self, int: Handle<Expression>) -> Handle<Expression> {
        let amount = self.builder.uint(31);
        let sign = self.builder.binary(Binary::ShiftRight, int, amount);
        self.builder.bitcast(sign, ScalarKind::I32, ScalarKind::U32)
    }

    fn equality(
        &mut self,
        ty: &Type,
        op: Binary,
        operands: [Handle<Expression>; 2],
    ) -> Handle<Expression> {
        let is_double = scalar_of(ty) == Some(ScalarKind::F64);
        let [lefts, rights] = operands.map(|operand| self.scalars(operand));
        let mut results = Vec::new();
        for (left, right) in lefts.into_iter().zip(rights) {
            let mut result = if is_double {
                self.equal_doubles(left, right)
            } else {
                self.equal_integers(left, right)
            };
            if op == Binary::NotEqual {
                let op = UnaryOperator::LogicalNot;
                result = self.builder.emit(Expression::Unary { op, expr: result });
            }
            results.push(result);
        }
        self.joined(results, ScalarKind::Bool)
    }

    fn equal_integers(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let difference = self.builder.binary(Binary::ExclusiveOr, left, right);
        let [low, high] = self.words(difference);
        let any = self.builder.binary(Binary::InclusiveOr, low, high);
        self.is_word_zero(any)
    }

    /// Compares doubles for equality. Two doubles are equal if their bits are equal and they are not NaN, or if both
    /// are zero, whatever their signs (IEEE 754, 5.11).
    fn equal_doubles(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        let is_same = self.equal_integers(left, right);
        let is_number = self.is_number(left);
        let is_same = self.builder.binary(Binary::LogicalAnd, is_same, is_number);
        let union = self.builder.binary(Binary::InclusiveOr, left, right);
        let is_zero = self.is_double_zero(union);
        self.builder.binary(Binary::LogicalOr, is_same, is_zero)
    }

    /// Tests whether a double is not NaN: without its sign it is at most infinity.
    fn is_number(&mut self, pair: Handle<Expression>) -> Handle<Expression> {
        let [low, high] = self.words(pair);
        let is_low_zero = self.is_word_zero(low);
        let (zero, one) = (self.builder.uint(0), self.builder.uint(1));
        let has_low = self.builder.select(is_low_zero, zero, one);
        let magnitude = self.builder.uint(MAGNITUDE);
        let magnitude = self.builder.binary(Binary::And, high, magnitude);
        let magnitude = self.builder.binary(Binary::InclusiveOr, magnitude, has_low);
        let infinity = self.builder.uint(INFINITY);
        self.builder.binary(Binary::LessEqual, magnitude, infinity)
    }

    /// Tests whether all bits of a pair except the sign of the double are zero.
    pub(super) fn is_double_zero(&mut self, pair: Handle<Expression>) -> Handle<Expression> {
        let [low, high] = self.words(pair);
        let magnitude = self.builder.uint(MAGNITUDE);
        let magnitude = self.builder.binary(Binary::And, high, magnitude);
        let any = self.builder.binary(Binary::InclusiveOr, low, magnitude);
        self.is_word_zero(any)
    }

    fn is_word_zero(&mut self, word: Handle<Expression>) -> Handle<Expression> {
        let zero = self.builder.uint(0);
        self.builder.binary(Binary::Equal, word, zero)
    }
}

/// Kind of the scalars of a scalar or vector; `None` for a matrix.
const fn scalar_of(ty: &Type) -> Option<ScalarKind> {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => Some(*scalar),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => None,
    }
}

const fn is_integer(scalar: ScalarKind) -> bool {
    matches!(scalar, ScalarKind::I64 | ScalarKind::U64)
}
