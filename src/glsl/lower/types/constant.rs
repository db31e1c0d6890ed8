//! Values known at compile time, and their representation in the module.

use std::rc::Rc;

use arithmetic::{Machine as _, Now};
use naga::{Expression, Handle, Literal};

use ir::source::Span;

use super::{Kind, Shape, Ty};
use crate::lower::{Result, Stage, wrong};

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) struct Constant {
    /// Type of the constant.
    pub(in crate::lower) ty: Ty,
    /// The bits of the scalars in declaration order; a `bool` is 0 or 1.
    pub(in crate::lower) bits: Rc<[u64]>,
}

impl Constant {
    /// A constant of type `ty` with these scalars.
    pub(in crate::lower) fn new(ty: Ty, bits: impl Into<Rc<[u64]>>) -> Self {
        Self { ty, bits: bits.into() }
    }
}

/// The literal of one scalar; `None` for an infinity or NaN, which naga's literals cannot represent.
#[expect(clippy::cast_possible_truncation, reason = "narrow kinds have the lower half")]
pub(in crate::lower) fn literal_of(kind: Kind, bits: u64) -> Option<Literal> {
    let word = bits as u32;
    match kind {
        Kind::Bool => Some(Literal::Bool(bits != 0)),
        Kind::Int => Some(Literal::I32(word.cast_signed())),
        Kind::Uint => Some(Literal::U32(word)),
        Kind::Float => Some(f32::from_bits(word)).filter(|v| v.is_finite()).map(Literal::F32),
        Kind::Int64 => Some(Literal::I64(bits.cast_signed())),
        Kind::Uint64 => Some(Literal::U64(bits)),
        Kind::Double => Some(f64::from_bits(bits)).filter(|v| v.is_finite()).map(Literal::F64),
    }
}

/// The kind and bits of a literal; `None` for a 16-bit literal.
pub(in crate::lower) fn literal_bits(literal: Literal) -> Option<(Kind, u64)> {
    let known = Now.literal(literal).ok()?;
    let kind = Kind::of(known.kind.scalar());
    (kind.arithmetic() == known.kind).then(|| (kind, known.bits()))
}

/// Converts `bits` of a scalar of kind `from` to `to`, as GLSL's constructors do.
pub(in crate::lower) fn convert_bits(from: Kind, to: Kind, bits: u64) -> u64 {
    from.known(bits).converted(to.arithmetic()).bits()
}

impl Stage<'_> {
    /// The direct part `idx` of a constant.
    pub(in crate::lower) fn constant_part(
        &mut self,
        whole: &Constant,
        idx: u32,
    ) -> Option<Constant> {
        if idx >= self.child_count(whole.ty) {
            return None;
        }
        let ty = self.child(whole.ty, idx);
        let start = if let Shape::Struct = self.shape(whole.ty) {
            let members = self.members(whole.ty).iter().take(idx as usize);
            members.map(|member| self.scalar_count(member.ty)).sum()
        } else {
            self.scalar_count(ty) * u64::from(idx)
        };
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(usize::try_from(self.scalar_count(ty)).ok()?)?;
        Some(Constant::new(ty, whole.bits.get(start..end)?))
    }

    /// A constant as an expression of the module, for the initial value of a global; `None` if it contains infinities
    /// or NaNs.
    pub(in crate::lower) fn module_constant(
        &mut self,
        constant: &Constant,
    ) -> Option<Handle<Expression>> {
        let expression = if let Shape::Scalar(kind) = self.shape(constant.ty) {
            Expression::Literal(literal_of(kind, *constant.bits.first()?)?)
        } else {
            let mut components = Vec::new();
            for idx in 0..self.child_count(constant.ty) {
                let part = self.constant_part(constant, idx)?;
                components.push(self.module_constant(&part)?);
            }
            Expression::Compose { ty: constant.ty, components }
        };
        Some(self.module.global_expressions.append(expression, naga::Span::UNDEFINED))
    }

    /// A constant as an integer.
    pub(in crate::lower) fn integer_of(&self, constant: &Constant, span: Span) -> Result<i64> {
        let Some(integer) = self.known_integer(constant) else {
            let name = self.type_name(constant.ty);
            return wrong(span, format!("expected an integer, found `{name}`"));
        };
        Ok(integer)
    }

    /// The value of a constant if it is an integer.
    pub(in crate::lower) fn known_integer(&self, constant: &Constant) -> Option<i64> {
        let bits = constant.bits.first().copied().unwrap_or(0);
        match self.shape(constant.ty) {
            Shape::Scalar(Kind::Int) => {
                u32::try_from(bits).ok().map(|word| i64::from(word.cast_signed()))
            }
            Shape::Scalar(Kind::Uint) => i64::try_from(bits).ok(),
            Shape::Scalar(Kind::Bool | Kind::Float | Kind::Int64 | Kind::Uint64 | Kind::Double)
            | Shape::Vector(..)
            | Shape::Matrix(..)
            | Shape::Array(..)
            | Shape::Struct => None,
        }
    }
}
