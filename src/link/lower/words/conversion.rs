//! Lowers conversions that only move words, and evaluates those of constants.

use naga::{BinaryOperator as Binary, Expression, Handle, Literal, Scalar, ScalarKind as Kind};
use naga::{TypeInner, UnaryOperator};

use super::constant;
use super::is_wide;
use super::rewriting::Rewriting;
use ir::interface::ScalarKind;
use ir::layout::natural;

/// The high word of 1.0.
const ONE: u32 = 0x3ff0_0000;

impl Rewriting<'_> {
    /// Lowers the conversion `old` of `operand`, which without a width is a bitcast. Returns `None` for a conversion
    /// that is not implemented on words.
    pub(super) fn conversion(
        &mut self,
        old: Handle<Expression>,
        operand: Handle<Expression>,
        kind: Kind,
        width: Option<u8>,
    ) -> Option<Handle<Expression>> {
        if let Some(known) = self.known(old) {
            return Some(known);
        }
        let from = scalar_of(self.ty(operand))?;
        let to = Scalar { kind, width: width.unwrap_or(from.width) };
        let is_same_kind = (from.kind == Kind::Float) == (to.kind == Kind::Float);
        match (is_wide(from), is_wide(to)) {
            (true, true) if is_same_kind || width.is_none() => Some(self.of(operand)),
            (false, true) if width.is_some() => {
                let scalars = self.scalars(operand).into_iter();
                let pairs = scalars.map(|scalar| self.widened(scalar, from, to));
                let pairs = pairs.collect::<Option<_>>()?;
                let ty = self.wide(old)?;
                Some(self.whole(&ty, pairs))
            }
            (true, false) if width.is_some() => {
                let pairs = self.scalars(operand).into_iter();
                let scalars = pairs.map(|pair| self.narrowed(pair, from, to));
                let scalars = scalars.collect::<Option<_>>()?;
                Some(self.joined(scalars, natural::scalar_kind(to)?))
            }
            _ => None,
        }
    }

    /// The value of the expression, if it is constant.
    fn known(&mut self, old: Handle<Expression>) -> Option<Handle<Expression>> {
        if let Some(ty) = self.wide(old) {
            return self.constant(old, &ty);
        }
        let literals = constant::literals(self.old, self.expressions, old)?;
        let kind = natural::scalar_kind(literals.first()?.scalar())?;
        let scalar = |literal| {
            // A float may be infinite, but a literal cannot be.
            if let Literal::F32(value) = literal {
                self.builder.constant(value.to_bits(), kind)
            } else {
                self.builder.literal(literal)
            }
        };
        let scalars: Vec<_> = literals.into_iter().map(scalar).collect();
        Some(self.joined(scalars, kind))
    }

    /// Converts a 32-bit scalar to words.
    fn widened(
        &mut self,
        scalar: Handle<Expression>,
        from: Scalar,
        to: Scalar,
    ) -> Option<Handle<Expression>> {
        let zero = self.builder.uint(0);
        let (low, high) = match (from.kind, from.width, to.kind) {
            (Kind::Uint, 4, Kind::Sint | Kind::Uint) => (scalar, zero),
            (Kind::Sint, 4, Kind::Sint | Kind::Uint) => {
                let low = self.builder.bitcast(scalar, ScalarKind::I32, ScalarKind::U32);
                (low, self.sign(scalar))
            }
            (Kind::Bool, _, Kind::Sint | Kind::Uint) => {
                let one = self.builder.uint(1);
                (self.builder.select(scalar, one, zero), zero)
            }
            (Kind::Bool, _, Kind::Float) => {
                let one = self.builder.uint(ONE);
                (zero, self.builder.select(scalar, one, zero))
            }
            _ => return None,
        };
        Some(self.pair(low, high))
    }

    /// Converts a pair of words to a 32-bit scalar or a boolean.
    fn narrowed(
        &mut self,
        pair: Handle<Expression>,
        from: Scalar,
        to: Scalar,
    ) -> Option<Handle<Expression>> {
        let [low, high] = self.words(pair);
        match (from.kind, to.kind, to.width) {
            (Kind::Sint | Kind::Uint, Kind::Uint, 4) => Some(low),
            (Kind::Sint | Kind::Uint, Kind::Sint, 4) => {
                Some(self.builder.bitcast(low, ScalarKind::U32, ScalarKind::I32))
            }
            (Kind::Sint | Kind::Uint, Kind::Bool, _) => {
                let any = self.builder.binary(Binary::InclusiveOr, low, high);
                let zero = self.builder.uint(0);
                Some(self.builder.binary(Binary::NotEqual, any, zero))
            }
            (Kind::Float, Kind::Bool, _) => {
                let expr = self.is_double_zero(pair);
                let op = UnaryOperator::LogicalNot;
                Some(self.builder.emit(Expression::Unary { op, expr }))
            }
            _ => None,
        }
    }
}

/// The scalar of a scalar or vector type.
#[expect(clippy::wildcard_enum_match_arm, reason = "words have no conversions of other types")]
const fn scalar_of(ty: &TypeInner) -> Option<Scalar> {
    match *ty {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => Some(scalar),
        _ => None,
    }
}
