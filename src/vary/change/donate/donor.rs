//! What can be computed at another place.
//!
//! Donors depend on their operands alone, and have a value for all operands. Divisions and shifts of integers are donated
//! only by constants, conversions of floats to integers not at all: GLSL and SPIR-V leave their results undefined for
//! some operands. Nothing loops, and functions that are called load and store only their own variables.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions and statements have dozens of variants of which a few are donated"
)]

use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, MathFunction, ScalarKind, Statement,
};

use ir::operands::{blocks, of_expression};

use crate::change::values::Shape;
use crate::copy::Copy;
use crate::facts::{Facts, is_plain, size};

use super::value::{Value, is_given};

/// Number of donors that are tried for a place.
const ATTEMPTS: usize = 6;

/// Minimum and maximum number of operations of a donor.
const OPERATIONS: std::ops::RangeInclusive<usize> = 2..=16;

/// Maximum size of a function that is called.
const MAX_SIZE: usize = 120;

/// A computation of an old function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Donor<'a> {
    function: &'a Function,
    facts: &'a Facts,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// An operation with its operands.
    Operation(Handle<Expression>),
    /// A call of the function.
    Call(Handle<Function>),
}

impl<'a> Donor<'a> {
    /// A computation of any function; `None` if there is none among those that were tried.
    pub(super) fn choose(copy: &mut Copy<'a>) -> Option<Self> {
        (0..ATTEMPTS).find_map(|_| Self::attempt(copy))
    }

    fn attempt(copy: &mut Copy<'a>) -> Option<Self> {
        let functions = &copy.scene.source.functions;
        let chosen = copy.random.index(functions.len() + 1);
        let other = functions.iter().nth(chosen).map(|(handle, _)| handle);
        let (function, facts) =
            other.map_or((copy.old, copy.facts), |other| copy.scene.function(other));
        let call = other.filter(|_| copy.random.coin()).filter(|other| copy.is_before(*other));
        if let Some(other) = call {
            let donor = Self { function, facts, what: What::Call(other) };
            return Some(donor).filter(|donor| donor.is_callable(copy));
        }
        let count = function.expressions.len();
        let chosen = copy.random.index(count);
        let (root, _) = function.expressions.iter().nth(chosen)?;
        let donor = Self { function, facts, what: What::Operation(root) };
        let fits = !facts.is_constant(root)
            && donor.shape(copy, root).is_some()
            && OPERATIONS.contains(&donor.operations(copy, root));
        fits.then_some(donor)
    }

    /// The shape of an expression whose type can be donated.
    fn shape(&self, copy: &Copy<'_>, expression: Handle<Expression>) -> Option<Shape> {
        let inner = self.facts.inner(expression, &copy.new.module.types);
        let (size, scalar) = inner.vector_size_and_scalar().filter(|_| is_plain(inner))?;
        is_given(scalar).then_some(Shape { size, scalar })
    }

    /// True if the expression is an operation that is copied, rather than a value that is replaced.
    fn is_copied(&self, copy: &Copy<'_>, expression: Handle<Expression>) -> bool {
        let mut operation = self.function.expressions[expression].clone();
        let is_total = is_total(self.function, &operation, |operand| {
            self.shape(copy, operand).is_some_and(|shape| shape.scalar.kind == ScalarKind::Float)
        });
        let mut operands = of_expression(&mut operation).into_iter();
        is_total && operands.all(|operand| self.shape(copy, *operand).is_some())
    }

    /// Number of operations of an expression; more than the maximum if there are too many.
    fn operations(&self, copy: &Copy<'_>, expression: Handle<Expression>) -> usize {
        let mut operation = self.function.expressions[expression].clone();
        if operation.needs_pre_emit() || !self.is_copied(copy, expression) {
            return 0;
        }
        let mut all = 1;
        for operand in of_expression(&mut operation) {
            if all > *OPERATIONS.end() {
                break;
            }
            all += self.operations(copy, *operand);
        }
        all
    }

    /// True if the function can be called from anywhere.
    fn is_callable(&self, copy: &Copy<'_>) -> bool {
        let Function { arguments, result, body, expressions, .. } = self.function;
        let types = &copy.new.module.types;
        let is_given = |ty: Handle<naga::Type>| {
            let inner = &types[ty].inner;
            is_plain(inner) && inner.scalar().is_some_and(is_given)
        };
        let has_shape = result.as_ref().is_some_and(|result| is_given(result.ty))
            && arguments.iter().all(|argument| is_given(argument.ty));
        let is_float =
            |operand| self.facts.inner(operand, types).scalar_kind() == Some(ScalarKind::Float);
        let is_pure = |expression: &Expression| {
            matches!(
                expression,
                Expression::FunctionArgument(_)
                    | Expression::LocalVariable(_)
                    | Expression::Load { .. }
            ) || is_total(self.function, expression, is_float)
        };
        let mut all = expressions.iter().map(|(_, expression)| expression);
        has_shape && size(body) <= MAX_SIZE && ends(body) && all.all(is_pure)
    }

    /// Computes the donor here, with bits of `host` for what it loads or is given.
    pub(super) fn copied(&self, copy: &mut Copy<'_>, host: Value) -> Option<Value> {
        match self.what {
            What::Operation(root) => {
                let shape = self.shape(copy, root)?;
                Some(Value { new: self.operation(copy, host, root)?, shape })
            }
            What::Call(function) => {
                let mut given = Vec::new();
                for argument in &self.function.arguments {
                    let shape = shape_of(copy, argument.ty)?;
                    given.push(copy.like(host, shape)?.new);
                }
                let shape = shape_of(copy, self.function.result.as_ref()?.ty)?;
                let function = copy.copy_of(function);
                Some(Value { new: copy.new.call_for_result(function, given), shape })
            }
        }
    }

    fn operation(
        &self,
        copy: &mut Copy<'_>,
        host: Value,
        expression: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        if !self.is_copied(copy, expression) {
            let shape = self.shape(copy, expression)?;
            return Some(copy.like(host, shape)?.new);
        }
        let mut operation = self.function.expressions[expression].clone();
        for operand in of_expression(&mut operation) {
            *operand = self.operation(copy, host, *operand)?;
        }
        Some(copy.new.emit(operation))
    }
}

/// The shape of values of a type.
fn shape_of(copy: &Copy<'_>, ty: Handle<naga::Type>) -> Option<Shape> {
    let (size, scalar) = copy.new.module.types[ty].inner.vector_size_and_scalar()?;
    Some(Shape { size, scalar })
}

/// True if all statements end without a loop, and do no more than to store and return values.
fn ends(statements: &[Statement]) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Emit(_)
        | Statement::Store { .. }
        | Statement::Return { .. }
        | Statement::Break => true,
        Statement::Block(_) | Statement::If { .. } | Statement::Switch { .. } => {
            blocks(statement).into_iter().all(|block| ends(block))
        }
        _ => false,
    })
}

/// True if an operation of `function` has a value for all operands, which depends on them alone. `is_float` says whether an
/// operand consists of floats.
fn is_total(
    function: &Function,
    operation: &Expression,
    is_float: impl Fn(Handle<Expression>) -> bool,
) -> bool {
    let literal = |operand: Handle<Expression>| match function.expressions[operand] {
        Expression::Literal(literal) => Some(literal),
        _ => None,
    };
    match *operation {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::ZeroValue(_)
        | Expression::Compose { .. }
        | Expression::Splat { .. }
        | Expression::Swizzle { .. }
        | Expression::AccessIndex { .. }
        | Expression::Unary { .. }
        | Expression::Relational { .. }
        | Expression::Select { .. } => true,
        Expression::Binary { op, left, right } => match op {
            BinaryOperator::Divide | BinaryOperator::Modulo => {
                is_float(left) || literal(right).is_some_and(divides)
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => literal(right).is_some(),
            _ => true,
        },
        Expression::As { expr, kind, convert, .. } => {
            let is_integer = matches!(kind, ScalarKind::Sint | ScalarKind::Uint);
            !(is_integer && convert.is_some() && is_float(expr))
        }
        Expression::Math { fun, .. } => is_defined(fun),
        _ => false,
    }
}

/// True if all integers can be divided by the number.
const fn divides(number: Literal) -> bool {
    match number {
        Literal::U32(number) => number != 0,
        Literal::I32(number) => number != 0 && number != -1,
        _ => false,
    }
}

/// True if a function has a value for all operands.
const fn is_defined(function: MathFunction) -> bool {
    !matches!(
        function,
        MathFunction::ExtractBits
            | MathFunction::InsertBits
            | MathFunction::Pack4x8snorm
            | MathFunction::Pack4x8unorm
            | MathFunction::Pack2x16snorm
            | MathFunction::Pack2x16unorm
    )
}
