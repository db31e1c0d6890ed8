//! Evaluates constant scalars and vectors, with exact results of conversions.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not known")]

use naga::{
    Arena, Expression, Handle, Literal, Module, Scalar, ScalarKind as Kind, TypeInner,
    UnaryOperator,
};

/// The scalars of an expression of `module`, or of one of its functions; `None` if they are not constant.
pub(super) fn literals(
    module: &Module,
    expressions: &Arena<Expression>,
    handle: Handle<Expression>,
) -> Option<Vec<Literal>> {
    let of = |operand| literals(module, expressions, operand);
    match expressions[handle] {
        Expression::Literal(literal) => Some(vec![literal]),
        Expression::Constant(constant) => {
            let init = module.constants[constant].init;
            literals(module, &module.global_expressions, init)
        }
        Expression::ZeroValue(ty) => zeros(&module.types[ty].inner),
        Expression::Compose { ty, ref components } => match module.types[ty].inner {
            TypeInner::Vector { .. } => {
                let parts = components.iter().map(|part| of(*part)).collect::<Option<Vec<_>>>()?;
                Some(parts.concat())
            }
            _ => None,
        },
        Expression::Splat { size, value } => Some(of(value)?.repeat(size as usize)),
        Expression::As { expr, kind, convert } => {
            let change = |literal: Literal| match convert {
                Some(width) => converted(literal, Scalar { kind, width }),
                None => cast(literal, kind),
            };
            of(expr)?.into_iter().map(change).collect()
        }
        Expression::Unary { op: UnaryOperator::Negate, expr } => {
            of(expr)?.into_iter().map(negated).collect()
        }
        _ => None,
    }
}

/// The bits of a 64-bit scalar.
pub(super) const fn bits(literal: Literal) -> Option<u64> {
    match literal {
        Literal::F64(value) => Some(value.to_bits()),
        Literal::I64(value) => Some(value.cast_unsigned()),
        Literal::U64(value) => Some(value),
        _ => None,
    }
}

fn zeros(ty: &TypeInner) -> Option<Vec<Literal>> {
    match *ty {
        TypeInner::Scalar(scalar) => Some(vec![Literal::zero(scalar)?]),
        TypeInner::Vector { size, scalar } => Some(vec![Literal::zero(scalar)?; size as usize]),
        _ => None,
    }
}

const fn negated(literal: Literal) -> Option<Literal> {
    match literal {
        Literal::F32(value) => Some(Literal::F32(-value)),
        Literal::F64(value) => Some(Literal::F64(-value)),
        Literal::I32(value) => Some(Literal::I32(value.wrapping_neg())),
        Literal::I64(value) => Some(Literal::I64(value.wrapping_neg())),
        _ => None,
    }
}

/// A 64-bit literal of another kind with the same bits.
fn cast(literal: Literal, kind: Kind) -> Option<Literal> {
    let bits = bits(literal)?;
    match kind {
        Kind::Float => Some(Literal::F64(f64::from_bits(bits))),
        Kind::Sint => Some(Literal::I64(bits.cast_signed())),
        Kind::Uint => Some(Literal::U64(bits)),
        Kind::Bool | Kind::AbstractInt | Kind::AbstractFloat => None,
    }
}

/// A number of any kind, which represents every literal exactly.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Integer(i128),
}

/// Converts a literal to another kind. Floats are rounded to nearest, integers lose their high bits, and floats beyond
/// an integer's range are clamped to its limit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "conversions of shading languages do that"
)]
fn converted(literal: Literal, to: Scalar) -> Option<Literal> {
    use Number::{Float, Integer};
    let number = match literal {
        Literal::F32(value) => Float(value.into()),
        Literal::F64(value) => Float(value),
        Literal::I32(value) => Integer(value.into()),
        Literal::U32(value) => Integer(value.into()),
        Literal::I64(value) => Integer(value.into()),
        Literal::U64(value) => Integer(value.into()),
        Literal::Bool(value) => Integer(value.into()),
        _ => return None,
    };
    Some(match (to.kind, to.width, number) {
        (Kind::Float, 8, Float(value)) => Literal::F64(value),
        (Kind::Float, 8, Integer(value)) => Literal::F64(value as f64),
        (Kind::Float, 4, Float(value)) => Literal::F32(value as f32),
        (Kind::Float, 4, Integer(value)) => Literal::F32(value as f32),
        (Kind::Sint, 8, Float(value)) => Literal::I64(value as i64),
        (Kind::Sint, 8, Integer(value)) => Literal::I64(value as i64),
        (Kind::Uint, 8, Float(value)) => Literal::U64(value as u64),
        (Kind::Uint, 8, Integer(value)) => Literal::U64(value as u64),
        (Kind::Sint, 4, Float(value)) => Literal::I32(value as i32),
        (Kind::Sint, 4, Integer(value)) => Literal::I32(value as i32),
        (Kind::Uint, 4, Float(value)) => Literal::U32(value as u32),
        (Kind::Uint, 4, Integer(value)) => Literal::U32(value as u32),
        (Kind::Bool, _, Float(value)) => Literal::Bool(value != 0.0),
        (Kind::Bool, _, Integer(value)) => Literal::Bool(value != 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: Scalar = Scalar::F32;
    const F64: Scalar = Scalar::F64;

    #[test]
    fn constants_convert_exactly() {
        let check = |from, to, expected| assert_eq!(converted(from, to), Some(expected));
        check(Literal::F32(0.1), F64, Literal::F64(f64::from(0.1_f32)));
        // A number halfway between two floats rounds to the even one.
        check(Literal::F64(16_777_217.0), F32, Literal::F32(16_777_216.0));
        check(Literal::F64(1e300), F32, Literal::F32(f32::INFINITY));
        check(Literal::U64(u64::MAX), F64, Literal::F64(18_446_744_073_709_551_616.0));
        check(Literal::U64(0x1_0000_0002), Scalar::U32, Literal::U32(2));
        check(Literal::I64(-1), Scalar::U64, Literal::U64(u64::MAX));
        check(Literal::U32(u32::MAX), Scalar::I64, Literal::I64(0xffff_ffff));
        check(Literal::I32(-1), Scalar::U64, Literal::U64(u64::MAX));
        check(Literal::F64(-1.5), Scalar::I32, Literal::I32(-1));
        check(Literal::F64(f64::NAN), Scalar::BOOL, Literal::Bool(true));
        check(Literal::F64(-0.0), Scalar::BOOL, Literal::Bool(false));
        assert_eq!(converted(Literal::U32(1), Scalar::F16), None);
    }

    #[test]
    fn casts_keep_the_bits() {
        let bits = 0x7ff8_0000_dead_beef;
        let Some(Literal::F64(float)) = cast(Literal::U64(bits), Kind::Float) else {
            panic!("a float")
        };
        assert_eq!(float.to_bits(), bits);
        assert_eq!(cast(Literal::U64(u64::MAX), Kind::Sint), Some(Literal::I64(-1)));
        assert_eq!(cast(Literal::U32(1), Kind::Float), None);
    }
}
