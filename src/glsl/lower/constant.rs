//! Values known at compile time, and their representation in the module.

use std::rc::Rc;

use naga::{Expression, Handle, Literal};

use ir::source::Span;

use super::types::{Kind, Shape, Ty};
use super::{Result, Stage, wrong};

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// Its type.
    pub(super) ty: Ty,
    /// The bits of its scalars in declaration order; a bool is 0 or 1.
    pub(super) bits: Rc<[u32]>,
}

impl Constant {
    /// A constant of these scalars.
    pub(super) fn new(ty: Ty, bits: impl Into<Rc<[u32]>>) -> Self {
        Self { ty, bits: bits.into() }
    }
}

/// The literal of one scalar; none for an infinity or NaN, which naga's literals cannot represent.
pub(super) fn literal_of(kind: Kind, bits: u32) -> Option<Literal> {
    match kind {
        Kind::Bool => Some(Literal::Bool(bits != 0)),
        Kind::Int => Some(Literal::I32(bits.cast_signed())),
        Kind::Uint => Some(Literal::U32(bits)),
        Kind::Float => Some(f32::from_bits(bits)).filter(|v| v.is_finite()).map(Literal::F32),
    }
}

/// The kind and bits of a 32-bit or boolean literal.
pub(super) fn literal_bits(literal: Literal) -> Option<(Kind, u32)> {
    if let Literal::F32(value) = literal {
        return Some((Kind::Float, value.to_bits()));
    }
    if let Literal::I32(value) = literal {
        return Some((Kind::Int, value.cast_unsigned()));
    }
    if let Literal::U32(value) = literal {
        return Some((Kind::Uint, value));
    }
    if let Literal::Bool(value) = literal { Some((Kind::Bool, u32::from(value))) } else { None }
}

/// Converts `bits` of a scalar of kind `from` to `to`, as GLSL's constructors do.
pub(super) fn convert_bits(from: Kind, to: Kind, bits: u32) -> u32 {
    from.known(bits).converted(to.known(0).kind).words[0]
}

impl Stage<'_> {
    /// The direct part `idx` of a constant.
    pub(super) fn constant_part(&mut self, whole: &Constant, idx: u32) -> Option<Constant> {
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

    /// A constant as an expression of the module, for a global's initial value; none if it has infinities or NaNs.
    pub(super) fn module_constant(&mut self, constant: &Constant) -> Option<Handle<Expression>> {
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
    pub(super) fn integer_of(&self, constant: &Constant, span: Span) -> Result<i64> {
        let Some(integer) = self.known_integer(constant) else {
            let name = self.type_name(constant.ty);
            return wrong(span, format!("expected an integer, found `{name}`"));
        };
        Ok(integer)
    }

    /// A constant as an integer, if it is one.
    pub(super) fn known_integer(&self, constant: &Constant) -> Option<i64> {
        let bits = constant.bits.first().copied().unwrap_or(0);
        match self.shape(constant.ty) {
            Shape::Scalar(Kind::Int) => Some(i64::from(bits.cast_signed())),
            Shape::Scalar(Kind::Uint) => Some(i64::from(bits)),
            Shape::Scalar(Kind::Bool | Kind::Float)
            | Shape::Vector(..)
            | Shape::Matrix(..)
            | Shape::Array(..)
            | Shape::Struct => None,
        }
    }
}
