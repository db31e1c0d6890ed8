//! Operations on one value that give the same bits in every stage.

use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, MathFunction, Module, Scalar,
    ScalarKind, TypeInner, UnaryOperator, VectorSize,
};

use ir::builder::FunctionBuilder;
use ir::interface;

/// An operation whose other operand is constant.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    kind: Kind,
    /// The scalars of the other operand of a binary operation.
    other: Vec<Literal>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Unary(UnaryOperator),
    /// The constant is the right operand.
    Right(BinaryOperator),
    /// The constant is the left operand.
    Left(BinaryOperator),
    Math(MathFunction),
    /// Takes the bits as another kind.
    Bits(ScalarKind),
}

/// A 32-bit scalar, or a vector of some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) size: Option<VectorSize>,
    pub(super) scalar: Scalar,
}

impl Plain {
    /// The type of a number of 32 bits; `None` for all other types.
    pub(super) fn of(inner: &TypeInner) -> Option<Self> {
        let (size, scalar) = inner.vector_size_and_scalar()?;
        let is_one = [Scalar::I32, Scalar::U32, Scalar::F32].contains(&scalar);
        is_one.then_some(Self { size, scalar })
    }

    /// The type in tables.
    pub(super) fn ty(self) -> interface::Type {
        let kind = match self.scalar.kind {
            ScalarKind::Sint => interface::ScalarKind::I32,
            ScalarKind::Uint => interface::ScalarKind::U32,
            ScalarKind::Float
            | ScalarKind::Bool
            | ScalarKind::AbstractInt
            | ScalarKind::AbstractFloat => interface::ScalarKind::F32,
        };
        interface::Type::scalar_or_vector(self.size.map_or(1, |size| size as u8), kind)
    }

    /// The type in a module.
    pub(super) const fn inner(self) -> TypeInner {
        match self.size {
            Some(size) => TypeInner::Vector { size, scalar: self.scalar },
            None => TypeInner::Scalar(self.scalar),
        }
    }
}

/// The operand of an expression and what it does with it; `None` unless that is exact for operands of all values.
pub(super) fn of(
    function: &Function,
    expression: Handle<Expression>,
) -> Option<(Handle<Expression>, Operation)> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other expressions stay where they are")]
    let (operand, kind, other) = match function.expressions[expression] {
        Expression::Unary {
            op: op @ (UnaryOperator::Negate | UnaryOperator::BitwiseNot),
            expr,
        } => (expr, Kind::Unary(op), Vec::new()),
        Expression::Binary { op, left, right } => {
            match (constant(function, left), constant(function, right)) {
                (None, Some(other)) => (left, Kind::Right(op), other),
                (Some(other), None) => (right, Kind::Left(op), other),
                (None, None) | (Some(_), Some(_)) => return None,
            }
        }
        Expression::Math {
            fun: fun @ (MathFunction::Abs | MathFunction::CountOneBits | MathFunction::ReverseBits),
            arg,
            ..
        } => (arg, Kind::Math(fun), Vec::new()),
        Expression::As { expr, kind, convert: None } => (expr, Kind::Bits(kind), Vec::new()),
        _ => return None,
    };
    Some((operand, Operation { kind, other }))
}

/// The scalars of a constant number of 32 bits.
fn constant(function: &Function, expression: Handle<Expression>) -> Option<Vec<Literal>> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other expressions are no literals")]
    match &function.expressions[expression] {
        Expression::Literal(literal) => Some(vec![*literal]),
        Expression::Splat { size, value } => {
            let one = constant(function, *value)?;
            Some(one.repeat(*size as usize))
        }
        Expression::Compose { components, .. } => {
            let all = components.iter().map(|component| constant(function, *component));
            Some(all.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

impl Operation {
    /// The type of the result for an operand of this type; `None` if the operation is not exact for it.
    pub(super) fn result(&self, operand: Plain) -> Option<Plain> {
        let is_float = operand.scalar == Scalar::F32;
        let length = operand.size.map_or(1, |size| size as usize);
        match self.kind {
            Kind::Unary(UnaryOperator::Negate) | Kind::Math(MathFunction::Abs) => Some(operand),
            Kind::Unary(_) | Kind::Math(_) => (!is_float).then_some(operand),
            Kind::Bits(kind) => {
                let is_number =
                    matches!(kind, ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Float);
                let scalar = Scalar { kind, width: 4 };
                is_number.then_some(Plain { scalar, ..operand })
            }
            Kind::Left(op) | Kind::Right(op) => {
                let is_shift = matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
                let is_exact = matches!(
                    op,
                    BinaryOperator::Add
                        | BinaryOperator::Subtract
                        | BinaryOperator::Multiply
                        | BinaryOperator::And
                        | BinaryOperator::ExclusiveOr
                        | BinaryOperator::InclusiveOr
                );
                let fits = self.other.len() == length && !is_float;
                let shifts = is_shift && matches!(self.kind, Kind::Right(_));
                let is_amount = |one: &Literal| matches!(one, Literal::U32(0..32));
                let is_safe = is_exact || shifts && self.other.iter().all(is_amount);
                (fits && is_safe).then_some(operand)
            }
        }
    }

    /// Applies the operation to a value.
    pub(super) fn emit(
        &self,
        code: &mut FunctionBuilder<&mut Module>,
        value: Handle<Expression>,
    ) -> Handle<Expression> {
        match self.kind {
            Kind::Unary(op) => code.emit(Expression::Unary { op, expr: value }),
            Kind::Math(fun) => code.math(fun, &[value]),
            Kind::Bits(kind) => code.emit(Expression::As { expr: value, kind, convert: None }),
            Kind::Right(op) => {
                let other = self.other(code);
                code.binary(op, value, other)
            }
            Kind::Left(op) => {
                let other = self.other(code);
                code.binary(op, other, value)
            }
        }
    }

    fn other(&self, code: &mut FunctionBuilder<&mut Module>) -> Handle<Expression> {
        let all: Vec<_> = self.other.iter().map(|literal| code.literal(*literal)).collect();
        let (Some(first), Some(size)) = (self.other.first(), ir::builder::vector_size(all.len()))
        else {
            return all[0];
        };
        let ty = code.insert_type(TypeInner::Vector { size, scalar: first.scalar() });
        code.compose(ty, all)
    }
}
