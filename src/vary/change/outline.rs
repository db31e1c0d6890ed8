//! Moves an operation into a function of its own. The operands become the function's arguments.
//!
//! Only operations on numbers, vectors and matrices are moved that depend on their operands alone.

use naga::{Expression, Function, FunctionArgument, Handle, Module, Span, Type, TypeInner};

use ir::builder::FunctionBuilder;
use ir::operands::of_expression;

use crate::copy::{Change, Copy};

/// The change.
#[derive(Debug)]
pub(crate) struct Outline;

impl Change for Outline {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        copy.varying(old)?;
        let mut own = copy.old.expressions[old].clone();
        let own: Vec<_> = of_expression(&mut own).into_iter().map(|operand| *operand).collect();
        let all = own.iter().chain([&old]);
        if !is_operation(new) || !all.into_iter().all(|one| is_number(copy.inner(*one))) {
            return None;
        }
        if !copy.random.alters() {
            return None;
        }
        let types: Vec<_> = own.iter().map(|operand| copy.type_of(*operand)).collect();
        let result = copy.type_of(old);
        let function = function(copy.new.module, new, &types, result);
        let function = copy.new.module.functions.append(function, Span::UNDEFINED);
        let mut new = new.clone();
        let arguments = of_expression(&mut new).into_iter().map(|operand| *operand).collect();
        Some(copy.new.call_for_result(function, arguments))
    }
}

const fn is_number(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. })
}

/// True if the value depends on the operands alone. Indices stay, because a constant index is not an operand.
const fn is_operation(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Math { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::Compose { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::As { .. }
    )
}

/// The function that returns `operation` of its arguments.
fn function(
    module: &mut Module,
    operation: &Expression,
    types: &[Handle<Type>],
    result: Handle<Type>,
) -> Function {
    let mut builder = FunctionBuilder::new(module);
    let mut operation = operation.clone();
    for (operand, ty) in of_expression(&mut operation).into_iter().zip(types) {
        *operand = builder.argument(FunctionArgument { name: None, ty: *ty, binding: None });
    }
    let value = builder.emit(operation);
    builder.finish_with(result, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn operations_become_functions() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            return sqrt(a) * 2.0; }";
        let parts = ["return sqrt(param", "return (param_1 * param_2)", "= function_1("];
        check(&mut Outline, text, &parts);
    }
}
