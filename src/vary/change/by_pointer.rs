//! Loads and stores local variables in functions that get a pointer to them.
//!
//! Only whole variables are passed, because drivers and back ends refuse pointers to their parts.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga has dozens of expressions and statements of which two are replaced"
)]

use naga::{
    AddressSpace, Expression, Function, FunctionArgument, Handle, Module, Span, Statement, Type,
    TypeInner,
};

use ir::builder::FunctionBuilder;

use crate::copy::{Change, Copy, Done};

/// The change.
#[derive(Debug)]
pub(crate) struct ByPointer;

impl Change for ByPointer {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        let (&Expression::Load { pointer }, &Expression::Load { pointer: from }) =
            (&copy.old.expressions[old], new)
        else {
            return None;
        };
        if !is_variable(copy, pointer) || !copy.is_storable(old) || !copy.random.alters() {
            return None;
        }
        let ty = copy.type_of(old);
        let function = load(copy.new.module, ty);
        let function = copy.new.module.functions.append(function, Span::UNDEFINED);
        Some(copy.new.call_for_result(function, vec![from]))
    }

    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let &Statement::Store { pointer, value } = statement else { return Done::No };
        if !is_variable(copy, pointer) || !copy.is_storable(value) || !copy.random.alters() {
            return Done::No;
        }
        let ty = variable_type(copy, pointer);
        let function = store(copy.new.module, ty);
        let function = copy.new.module.functions.append(function, Span::UNDEFINED);
        let arguments = [pointer, value].map(|operand| copy.of(operand)).to_vec();
        copy.new.call(function, arguments);
        Done::Replaced
    }
}

/// True for a pointer to a whole local variable.
fn is_variable(copy: &Copy<'_>, pointer: Handle<Expression>) -> bool {
    matches!(copy.old.expressions[pointer], Expression::LocalVariable(_))
}

/// The type of the local variable.
fn variable_type(copy: &mut Copy<'_>, pointer: Handle<Expression>) -> Handle<Type> {
    match copy.old.expressions[pointer] {
        Expression::LocalVariable(variable) => copy.old.local_variables[variable].ty,
        _ => copy.type_of(pointer),
    }
}

fn pointer_argument(
    builder: &mut FunctionBuilder<&mut Module>,
    ty: Handle<Type>,
) -> Handle<Expression> {
    let pointer = TypeInner::Pointer { base: ty, space: AddressSpace::Function };
    let ty = builder.insert_type(pointer);
    builder.argument(FunctionArgument { name: None, ty, binding: None })
}

/// The function that loads through its argument.
fn load(module: &mut Module, ty: Handle<Type>) -> Function {
    let mut builder = FunctionBuilder::new(module);
    let pointer = pointer_argument(&mut builder, ty);
    let value = builder.load(pointer);
    builder.finish_with(ty, value)
}

/// The function that stores its second argument through the first.
fn store(module: &mut Module, ty: Handle<Type>) -> Function {
    let mut builder = FunctionBuilder::new(module);
    let pointer = pointer_argument(&mut builder, ty);
    let value = builder.argument(FunctionArgument { name: None, ty, binding: None });
    builder.store(pointer, value);
    builder.push(Statement::Return { value: None });
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, varied};

    #[test]
    fn variables_are_passed() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = 1.0; v = a.x; return vec4f(v); }";
        let parts = ["param: ptr<function, f32>", "function_((&v), ", "function_1((&v))"];
        check(&mut ByPointer, text, &parts);
    }

    #[test]
    fn parts_are_not_passed() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v: array<f32, 2>; v[1] = a.x; return vec4f(v[1]); }";
        assert_eq!(varied(&mut ByPointer, text).1, 0);
    }
}
