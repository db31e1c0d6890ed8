//! Messages for operations that are not implemented on words, with GLSL's names of operations.

#![expect(clippy::wildcard_enum_match_arm, reason = "the rest have plain names")]

use naga::{
    AtomicFunction, BinaryOperator as Binary, DerivativeAxis, Expression, Handle,
    MathFunction as Math, RelationalFunction, Scalar, Statement, TypeInner, UnaryOperator,
};

use crate::LinkError;
use ir::interface::Type;
use ir::layout::natural;
use ir::source::Span;

/// The error for `what`, an operation or value of a 64-bit type. Names in backquotes are GLSL's.
pub(super) fn refused(what: &str, at: naga::Span) -> LinkError {
    let word = format!("{what}, which this adapter has only as words");
    LinkError::NoWideTypes { operation: word, span: span_of(at) }
}

/// Converts naga's span to a position in the case.
pub(super) fn span_of(span: naga::Span) -> Option<Span> {
    span.to_range().map(|range| Span::new(range.start, range.end))
}

/// The name of an expression's operation on a value of type `wide`. `ty` returns the types of its operands.
pub(super) fn operation<'a>(
    expression: &Expression,
    wide: &Type,
    ty: &dyn Fn(Handle<Expression>) -> &'a TypeInner,
) -> String {
    let name = match *expression {
        Expression::Binary { op, left, .. } => {
            let is_vector = matches!(ty(left), TypeInner::Vector { .. });
            binary(op, is_vector).to_owned()
        }
        Expression::Unary { op, .. } => unary(op).to_owned(),
        Expression::Math { fun, .. } => math(fun),
        Expression::Derivative { axis, .. } => derivative(axis).to_owned(),
        Expression::Relational { fun, .. } => relational(fun).to_owned(),
        Expression::ImageLoad { .. } => "imageLoad".to_owned(),
        Expression::As { expr, kind, convert } => return conversion(ty(expr), kind, convert),
        _ => return format!("an operation on `{wide}`"),
    };
    format!("`{name}` on `{wide}`")
}

/// The name of a statement's operation on a value of type `wide`.
pub(super) fn statement(statement: &Statement, wide: &Type) -> String {
    let name = match statement {
        Statement::Atomic { fun, .. } => format!("`atomic{}`", atomic(*fun)),
        Statement::ImageAtomic { fun, .. } => format!("`imageAtomic{}`", atomic(*fun)),
        Statement::ImageStore { .. } => "`imageStore`".to_owned(),
        Statement::SubgroupGather { .. } | Statement::SubgroupCollectiveOperation { .. } => {
            "a subgroup operation".to_owned()
        }
        _ => "a statement".to_owned(),
    };
    format!("{name} on `{wide}`")
}

const fn binary(op: Binary, is_vector: bool) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less if is_vector => "lessThan",
        Binary::Less => "<",
        Binary::LessEqual if is_vector => "lessThanEqual",
        Binary::LessEqual => "<=",
        Binary::Greater if is_vector => "greaterThan",
        Binary::Greater => ">",
        Binary::GreaterEqual if is_vector => "greaterThanEqual",
        Binary::GreaterEqual => ">=",
        Binary::And => "&",
        Binary::ExclusiveOr => "^",
        Binary::InclusiveOr => "|",
        Binary::LogicalAnd => "&&",
        Binary::LogicalOr => "||",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
    }
}

const fn unary(op: UnaryOperator) -> &'static str {
    match op {
        UnaryOperator::Negate => "-",
        UnaryOperator::LogicalNot => "!",
        UnaryOperator::BitwiseNot => "~",
    }
}

const fn derivative(axis: DerivativeAxis) -> &'static str {
    match axis {
        DerivativeAxis::X => "dFdx",
        DerivativeAxis::Y => "dFdy",
        DerivativeAxis::Width => "fwidth",
    }
}

const fn relational(fun: RelationalFunction) -> &'static str {
    match fun {
        RelationalFunction::All => "all",
        RelationalFunction::Any => "any",
        RelationalFunction::IsNan => "isnan",
        RelationalFunction::IsInf => "isinf",
    }
}

const fn atomic(fun: AtomicFunction) -> &'static str {
    match fun {
        AtomicFunction::Add | AtomicFunction::Subtract => "Add",
        AtomicFunction::And => "And",
        AtomicFunction::ExclusiveOr => "Xor",
        AtomicFunction::InclusiveOr => "Or",
        AtomicFunction::Min => "Min",
        AtomicFunction::Max => "Max",
        AtomicFunction::Exchange { compare: None } => "Exchange",
        AtomicFunction::Exchange { compare: Some(_) } => "CompSwap",
    }
}

/// The name of a function: GLSL's name for functions of 64-bit types, else naga's name in lower case.
fn math(fun: Math) -> String {
    let name = match fun {
        Math::Saturate => "clamp",
        Math::Round => "roundEven",
        Math::Outer => "outerProduct",
        Math::CountOneBits => "bitCount",
        Math::ReverseBits => "bitfieldReverse",
        Math::ExtractBits => "bitfieldExtract",
        Math::InsertBits => "bitfieldInsert",
        Math::FirstTrailingBit | Math::CountTrailingZeros => "findLSB",
        Math::FirstLeadingBit | Math::CountLeadingZeros => "findMSB",
        other => return format!("{other:?}").to_lowercase(),
    };
    name.to_owned()
}

fn conversion(from: &TypeInner, kind: naga::ScalarKind, width: Option<u8>) -> String {
    let (from_scalar, size) = match *from {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as u8),
        _ => return "a conversion".to_owned(),
    };
    let name = |scalar| {
        let kind = natural::scalar_kind(scalar);
        kind.map(|kind| Type::scalar_or_vector(size, kind).to_string())
    };
    let to = Scalar { kind, width: width.unwrap_or(from_scalar.width) };
    match name(from_scalar).zip(name(to)) {
        Some((from, to)) => format!("a conversion from `{from}` to `{to}`"),
        None => "a conversion".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use naga::{Arena, DerivativeControl, Literal};

    use super::*;
    use ir::interface::ScalarKind;

    /// naga's WGSL front end does not build these operations for 64-bit types.
    #[test]
    fn operations_have_the_names_of_glsl() {
        let mut arena = Arena::new();
        let value = arena.append(Expression::Literal(Literal::F64(1.0)), naga::Span::UNDEFINED);
        let double = TypeInner::Scalar(Scalar::F64);
        let check = |expression: Expression, expected: &str| {
            let wide = Type::Scalar(ScalarKind::F64);
            let found = operation(&expression, &wide, &|_| &double);
            assert_eq!(found, format!("`{expected}` on `double`"));
        };
        let derivative = |axis| {
            let ctrl = DerivativeControl::None;
            Expression::Derivative { axis, ctrl, expr: value }
        };
        check(derivative(DerivativeAxis::X), "dFdx");
        check(derivative(DerivativeAxis::Y), "dFdy");
        check(derivative(DerivativeAxis::Width), "fwidth");
        let relational = |fun| Expression::Relational { fun, argument: value };
        check(relational(RelationalFunction::IsNan), "isnan");
        check(relational(RelationalFunction::IsInf), "isinf");
        let math = |fun| Expression::Math { fun, arg: value, arg1: None, arg2: None, arg3: None };
        check(math(Math::InverseSqrt), "inversesqrt");
        check(math(Math::FirstLeadingBit), "findMSB");
        check(math(Math::Outer), "outerProduct");
        let (image, coordinate) = (value, value);
        let load = Expression::ImageLoad {
            image,
            coordinate,
            array_index: None,
            sample: None,
            level: None,
        };
        check(load, "imageLoad");
    }

    #[test]
    fn statements_have_the_names_of_glsl() {
        let mut arena = Arena::new();
        let value = arena.append(Expression::Literal(Literal::U64(1)), naga::Span::UNDEFINED);
        let check = |found: Statement, expected: &str| {
            let wide = Type::Scalar(ScalarKind::U64);
            assert_eq!(statement(&found, &wide), format!("`{expected}` on `uint64_t`"));
        };
        let (image, coordinate, array_index) = (value, value, None);
        check(Statement::ImageStore { image, coordinate, array_index, value }, "imageStore");
        let atomic = |fun| Statement::Atomic { pointer: value, fun, value, result: None };
        check(atomic(AtomicFunction::Add), "atomicAdd");
        check(atomic(AtomicFunction::ExclusiveOr), "atomicXor");
        check(atomic(AtomicFunction::Exchange { compare: None }), "atomicExchange");
        check(atomic(AtomicFunction::Exchange { compare: Some(value) }), "atomicCompSwap");
        let fun = AtomicFunction::Max;
        let atomic = Statement::ImageAtomic { image, coordinate, array_index, fun, value };
        check(atomic, "imageAtomicMax");
    }
}
