//! Moves the body of a function into a second function, which the first one calls with its arguments.

use naga::{Expression, Function, Module, Span, Statement};

use ir::builder::FunctionBuilder;

use crate::copy::Change;
use crate::random::Random;

/// The change.
#[derive(Debug)]
pub(crate) struct OwnFunction;

impl Change for OwnFunction {
    fn finished(
        &mut self,
        module: &mut Module,
        function: Function,
        random: &mut Random,
    ) -> Function {
        if !random.alters() {
            return function;
        }
        let (name, filter) = (function.name.clone(), function.diagnostic_filter_leaf);
        let (arguments, result) = (function.arguments.clone(), function.result.clone());
        let has_result = result.is_some();
        let inner = module.functions.append(function, Span::UNDEFINED);
        let mut builder = FunctionBuilder::new(module);
        let count = u32::try_from(arguments.len()).unwrap_or(u32::MAX);
        builder.function.arguments = arguments;
        builder.function.result = result;
        builder.function.name = name;
        builder.function.diagnostic_filter_leaf = filter;
        let given = (0..count).map(|idx| builder.emit(Expression::FunctionArgument(idx))).collect();
        let value = if has_result {
            Some(builder.call_for_result(inner, given))
        } else {
            builder.call(inner, given);
            None
        };
        builder.push(Statement::Return { value });
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_function_calls_its_body() {
        let text = "fn f(x: f32) -> f32 { return x * 2.0; }
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { return vec4f(f(a.x)); }";
        check(&mut OwnFunction, text, &["fn f(x: f32)", "fn f_1(x_1: f32)", "= f(x_1)"]);
    }
}
