//! Replaces integer divisions that GLSL leaves undefined: by zero, of the least number by −1, and remainders of
//! negative numbers. naga and WGSL define them (WGSL, section 8.7), but naga writes them as GLSL's operators.
//!
//! `functions.wgsl` has the replacements.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions and literals have dozens of variants of which a few are divisions"
)]

use naga::compact::{KeepUnused, compact};
use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, BinaryOperator, Expression, Function, Handle, Literal, Module, Scalar, ScalarKind,
};

use super::function::{Call, Operand, Part, body, with_bodies};
use ir::operands::renumber::with_functions;

/// `module` with its undefined divisions replaced; `None` if all its divisions are defined.
pub(super) fn with_defined_divisions(module: &Module) -> Option<Module> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    let is_division = |expression: &Expression| division(expression).is_some();
    if !functions.any(|function| function.expressions.iter().any(|(_, own)| is_division(own))) {
        return None;
    }
    // Unused expressions are removed first: naga does not write them, but would write their replacements.
    let mut module = module.clone();
    compact(&mut module, KeepUnused::Yes);
    with_functions(&module, |old, types| {
        let calls = calls(&module, old)?;
        let has_some = calls.iter().any(Option::is_some);
        Some(if has_some { Some(with_bodies(old, calls, types)?) } else { None })
    })
}

/// If the expression is a division: the name of its replacement, and its operands.
fn division(expression: &Expression) -> Option<(&'static str, [Handle<Expression>; 2])> {
    match *expression {
        Expression::Binary { op: BinaryOperator::Divide, left, right } => {
            Some(("Divide", [left, right]))
        }
        Expression::Binary { op: BinaryOperator::Modulo, left, right } => {
            Some(("Modulo", [left, right]))
        }
        _ => None,
    }
}

/// For each expression, the call that replaces it if it is a division of integers that may be undefined.
fn calls(module: &Module, function: &Function) -> Option<Vec<Option<Call>>> {
    let locals = (&function.local_variables, &function.arguments);
    let context = ResolveContext::with_locals(module, locals.0, locals.1);
    let mut typifier = Typifier::new();
    let mut calls = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        typifier.grow(handle, &function.expressions, &context).ok()?;
        let call = division(expression).and_then(|(name, operands)| {
            let inner = typifier.get(handle, &module.types);
            let (_, Scalar { kind, width: 4 }) = inner.vector_size_and_scalar()? else {
                return None;
            };
            let is_defined = is_harmless(&function.expressions, operands[1]);
            if is_defined && (name, kind) != ("Modulo", ScalarKind::Sint) {
                return None;
            }
            let operand = |value| {
                let (size, scalar) = typifier.get(value, &module.types).vector_size_and_scalar()?;
                Some(Operand { value, scalar, is_vector: size.is_some() })
            };
            let arguments = operands.into_iter().map(operand).collect::<Option<Vec<_>>>()?;
            let part = Part::new(body(&format!("{name}{kind:?}"))?, inner.clone());
            Some(Call { arguments, whole: None, parts: vec![part] })
        });
        calls.push(call);
    }
    Some(calls)
}

/// True if a divisor is a constant by which every number can be divided: neither 0 nor −1.
fn is_harmless(expressions: &Arena<Expression>, divisor: Handle<Expression>) -> bool {
    match expressions[divisor] {
        Expression::Splat { value, .. } => is_harmless(expressions, value),
        Expression::Literal(Literal::I32(value)) => !matches!(value, 0 | -1),
        Expression::Literal(Literal::U32(value)) => value != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::old_language::tests::written;

    use super::*;

    /// The GLSL, after the replacement, of a stage that assigns an expression of `i` and `u`.
    fn replaced(expression: &str) -> Option<String> {
        let text = format!(
            "@fragment fn main(@location(0) @interpolate(flat) i: vec4i, @location(1) @interpolate(flat) u: vec4u)
                -> @location(0) vec4i {{ return vec4i({expression}); }}"
        );
        with_defined_divisions(&fixture::module(&text)).map(|module| written(&module))
    }

    #[test]
    fn only_divisions_that_may_be_undefined_are_replaced() {
        for kept in ["i + 1", "i / 7", "i / vec4i(-2)", "u % 3u", "u / 9u"] {
            assert_eq!(replaced(kept), None, "{kept}");
        }
        for undefined in ["i / i.wzyx", "i / 0 * i.x", "u / u.x", "u % u.wzyx", "i.x / -1"] {
            assert!(replaced(undefined).is_some(), "{undefined}");
        }
    }

    #[test]
    fn no_remainder_of_signed_numbers_is_left() {
        for expression in ["i % i.wzyx", "i.x % 700", "i % vec4i(3)", "i.x % i.y"] {
            let text = replaced(expression).expect("it is replaced");
            assert!(!text.contains('%'), "{expression}: {text}");
        }
    }
}
