//! Rewrites expressions to use words instead of 64-bit values.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions have dozens of variants of which a few move values"
)]

use naga::{Expression, Handle, SwizzleComponent};

use super::constant;
use super::refusal;
use super::rewriting::{Rewriting, count};
use crate::LinkError;
use ir::interface::Type;
use ir::operands;

impl Rewriting<'_> {
    /// Rewrites one expression, whose operands are already rewritten, and emits it at this point.
    pub(super) fn rewrite(&mut self, old: Handle<Expression>) -> Result<(), LinkError> {
        self.builder.at(self.expressions.get_span(old));
        let new = self.expression(old)?;
        self.note(old, new);
        Ok(())
    }

    fn expression(&mut self, old: Handle<Expression>) -> Result<Handle<Expression>, LinkError> {
        let wide = self.wide(old);
        let expressions = self.expressions;
        match (&expressions[old], &wide) {
            (Expression::Literal(_) | Expression::Constant(_), Some(ty)) => {
                Ok(self.constant(old, ty).unwrap_or_else(|| self.copy(old)))
            }
            (Expression::Compose { components, .. }, Some(ty @ Type::Vector { .. })) => {
                let pairs = components.iter().flat_map(|part| self.scalars(*part)).collect();
                Ok(self.whole(ty, pairs))
            }
            (Expression::Splat { size, value }, Some(ty)) => {
                let pair = self.of(*value);
                Ok(self.whole(ty, vec![pair; *size as usize]))
            }
            (Expression::Swizzle { size, vector, pattern }, Some(ty)) => {
                Ok(self.swizzle(ty, *vector, &pattern[..*size as usize]))
            }
            (Expression::Select { condition, accept, reject }, Some(ty)) => {
                Ok(self.select(ty, *condition, [*accept, *reject]))
            }
            (Expression::Access { index, .. }, _) => match self.wide(*index) {
                Some(ty) => Err(self.refused(&format!("an index of `{ty}`"), old)),
                None => Ok(self.copy(old)),
            },
            (
                Expression::Compose { .. }
                | Expression::ZeroValue(_)
                | Expression::AccessIndex { .. }
                | Expression::FunctionArgument(_)
                | Expression::Load { .. }
                | Expression::CallResult(_)
                | Expression::AtomicResult { .. }
                | Expression::WorkGroupUniformLoadResult { .. }
                | Expression::SubgroupOperationResult { .. },
                _,
            ) => Ok(self.copy(old)),
            _ => self.operation(old, wide),
        }
    }

    /// Rewrites an operation that reads its operands as values.
    fn operation(
        &mut self,
        old: Handle<Expression>,
        wide: Option<Type>,
    ) -> Result<Handle<Expression>, LinkError> {
        let mut expression = self.expressions[old].clone();
        let mut operands = operands::of_expression(&mut expression).into_iter();
        let Some(ty) = operands.find_map(|operand| self.wide(*operand)).or(wide) else {
            return Ok(self.copy(old));
        };
        let found = match self.expressions[old] {
            Expression::Unary { op, expr } => self.unary(old, op, expr),
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::As { expr, kind, convert } => self.conversion(old, expr, kind, convert),
            _ => None,
        };
        found.ok_or_else(|| {
            let operation =
                refusal::operation(&self.expressions[old], &ty, &|operand| self.ty(operand));
            self.refused(&operation, old)
        })
    }

    /// The error for the operation or value `what`, at the position of an old expression.
    fn refused(&self, what: &str, at: Handle<Expression>) -> LinkError {
        refusal::refused(what, self.expressions.get_span(at))
    }

    /// Copies an expression with the new types and operands.
    fn copy(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        let mut expression = self.expressions[old].clone();
        match &mut expression {
            Expression::ZeroValue(ty)
            | Expression::Compose { ty, .. }
            | Expression::AtomicResult { ty, .. }
            | Expression::WorkGroupUniformLoadResult { ty }
            | Expression::SubgroupOperationResult { ty } => *ty = self.types.of(*ty),
            _ => {}
        }
        for operand in operands::of_expression(&mut expression) {
            *operand = self.of(*operand);
        }
        self.builder.emit(expression)
    }

    /// The words of a constant scalar or vector; `None` if it is not constant.
    pub(super) fn constant(
        &mut self,
        old: Handle<Expression>,
        ty: &Type,
    ) -> Option<Handle<Expression>> {
        let literals = constant::literals(self.old, self.expressions, old)?;
        let bits = literals.into_iter().map(constant::bits).collect::<Option<Vec<_>>>()?;
        let pairs = bits.into_iter().map(|bits| self.constant_pair(bits)).collect();
        Some(self.whole(ty, pairs))
    }

    fn swizzle(
        &mut self,
        ty: &Type,
        vector: Handle<Expression>,
        pattern: &[SwizzleComponent],
    ) -> Handle<Expression> {
        let count = count(self.ty(vector)).unwrap_or(1);
        let vector = self.of(vector);
        let pairs = pattern.iter().map(|index| self.part(vector, *index as u32, count)).collect();
        self.whole(ty, pairs)
    }

    /// Rewrites a selection. naga selects only scalars and vectors, so a vector of pairs is selected pair by pair.
    fn select(
        &mut self,
        ty: &Type,
        condition: Handle<Expression>,
        values: [Handle<Expression>; 2],
    ) -> Handle<Expression> {
        let [accepts, rejects] = values.map(|value| self.scalars(value));
        let conditions = self.scalars(condition);
        let conditions = conditions.iter().cycle();
        let parts = accepts.into_iter().zip(rejects).zip(conditions);
        let pairs = parts
            .map(|((accept, reject), condition)| self.builder.select(*condition, accept, reject));
        let pairs = pairs.collect();
        self.whole(ty, pairs)
    }
}
