//! Values that several changes need.

use naga::{
    BinaryOperator, Expression, Handle, Literal, Scalar, ScalarKind, TypeInner, UnaryOperator,
    VectorSize,
};

use crate::copy::Copy;

/// Shape and scalar of a number, a boolean, or a vector of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of components of a vector.
    pub(super) size: Option<VectorSize>,
    pub(super) scalar: Scalar,
}

impl Shape {
    /// The shape of a value that is not constant and has a type of this kind of scalar.
    pub(super) fn of(copy: &Copy<'_>, old: Handle<Expression>) -> Option<Self> {
        let (size, scalar) = copy.varying(old)?.vector_size_and_scalar()?;
        Some(Self { size, scalar })
    }

    /// True for 32-bit integers.
    pub(super) fn is_integer(self) -> bool {
        [Scalar::I32, Scalar::U32].contains(&self.scalar)
    }

    /// The type of a vector of this shape, or of its scalar.
    pub(super) const fn inner(self) -> TypeInner {
        match self.size {
            Some(size) => TypeInner::Vector { size, scalar: self.scalar },
            None => TypeInner::Scalar(self.scalar),
        }
    }
}

impl Copy<'_> {
    /// `number` in every component of this shape: a constant, or a value that compilers cannot know.
    pub(super) fn spread(&mut self, number: u8, shape: Shape) -> Option<Handle<Expression>> {
        let known = match shape.scalar {
            Scalar::U32 => Literal::U32(number.into()),
            Scalar::I32 => Literal::I32(number.into()),
            Scalar::F32 => Literal::F32(number.into()),
            _ => return None,
        };
        let known = self.new.literal(known);
        let zero = if self.random.coin() { self.zero() } else { None };
        let value = match zero {
            None => known,
            Some(zero) => {
                let kind = shape.scalar.kind;
                let convert = (kind == ScalarKind::Float).then_some(4);
                let zero = if kind == ScalarKind::Uint {
                    zero
                } else {
                    self.new.emit(Expression::As { expr: zero, kind, convert })
                };
                if number == 0 { zero } else { self.new.binary(BinaryOperator::Add, known, zero) }
            }
        };
        Some(match shape.size {
            None => value,
            Some(size) => self.new.emit(Expression::Splat { size, value }),
        })
    }

    /// A unary operation.
    pub(super) fn unary(
        &mut self,
        op: UnaryOperator,
        expr: Handle<Expression>,
    ) -> Handle<Expression> {
        self.new.emit(Expression::Unary { op, expr })
    }
}
