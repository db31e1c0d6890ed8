//! Determines the value numbers of expressions.

use naga::{Expression, Handle, Literal, MathFunction, TypeInner, UnaryOperator};

use crate::table::facts::shape;

use super::{Evaluator, Frame, Memory, Node, Pointer, TrackedVariable, Value, ValueId};

impl Evaluator<'_> {
    /// The value of an expression that may not have been emitted: literals, arguments, variables.
    pub(super) fn value(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        memory: &Memory,
    ) -> Value {
        if let Some(known) = frame.known.get(&handle) {
            return known.clone();
        }
        let value = self.expression(frame, handle, memory);
        frame.known.insert(handle, value.clone());
        value
    }

    /// The only scalar of an expression.
    pub(super) fn scalar(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        memory: &Memory,
    ) -> ValueId {
        match self.value(frame, handle, memory) {
            Value::Scalars(scalars) if scalars.len() == 1 => scalars[0],
            Value::Scalars(_) | Value::Pointer(_) | Value::Other => self.values.unknown(),
        }
    }

    pub(super) fn expression(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        memory: &Memory,
    ) -> Value {
        if !self.spend() {
            return Value::Other;
        }
        let module = self.module;
        match &frame.function.expressions[handle] {
            Expression::GlobalVariable(global) => {
                let ty = module.global_variables[*global].ty;
                self.variable(TrackedVariable::Global(*global), &module.types[ty].inner)
            }
            Expression::LocalVariable(variable) => {
                let ty = frame.function.local_variables[*variable].ty;
                let root = TrackedVariable::Local { call: frame.call, variable: *variable };
                self.variable(root, &module.types[ty].inner)
            }
            Expression::FunctionArgument(idx) => {
                frame.arguments.get(*idx as usize).cloned().unwrap_or(Value::Other)
            }
            Expression::Constant(constant) => {
                let constant = &module.constants[*constant];
                self.constant_of(constant.init, &module.types[constant.ty].inner)
            }
            Expression::ZeroValue(ty) => self.zero(&module.types[*ty].inner),
            Expression::Load { pointer } => {
                let pointer = self.value(frame, *pointer, memory);
                self.load(frame, handle, &pointer, memory)
            }
            Expression::AccessIndex { base, index } => {
                let value = self.value(frame, *base, memory);
                let part =
                    shape::part(module, frame.info[*base].ty.inner_with(&module.types), *index);
                self.part(frame, handle, value, part)
            }
            Expression::Access { base, index } => {
                let index = self.scalar(frame, *index, memory);
                let value = self.value(frame, *base, memory);
                let inner = frame.info[*base].ty.inner_with(&module.types);
                match *self.values.node(index) {
                    Node::Constant(index) => {
                        let part = shape::part(module, inner, index);
                        self.part(frame, handle, value, part)
                    }
                    _ => self.part(frame, handle, value, None),
                }
            }
            _ => self.operation(frame, handle, memory),
        }
    }

    fn variable(&self, root: TrackedVariable, inner: &TypeInner) -> Value {
        match shape::scalar_count(self.module, inner) {
            Some(count) => Value::Pointer(Pointer { root, start: Some(0), count }),
            None => Value::Other,
        }
    }

    fn load(
        &mut self,
        frame: &Frame<'_>,
        handle: Handle<Expression>,
        pointer: &Value,
        memory: &Memory,
    ) -> Value {
        if let Value::Pointer(Pointer { root, start: Some(start), count }) = pointer
            && let Some(scalars) = memory.0.get(root)
            && let Some(scalars) = scalars.get(*start..start + count)
        {
            return Value::Scalars(scalars.to_vec());
        }
        self.unknown_of(frame, handle)
    }

    /// A part of a value or of a pointer's target. The index `None` means a dynamic index.
    fn part(
        &mut self,
        frame: &Frame<'_>,
        handle: Handle<Expression>,
        value: Value,
        part: Option<(usize, usize)>,
    ) -> Value {
        match (value, part) {
            (Value::Scalars(scalars), Some((start, count))) => {
                match scalars.get(start..start + count) {
                    Some(part) => Value::Scalars(part.to_vec()),
                    None => self.unknown_of(frame, handle),
                }
            }
            (Value::Pointer(pointer), Some((offset, count))) => {
                let start = pointer.start.map(|start| start + offset);
                Value::Pointer(Pointer { root: pointer.root, start, count })
            }
            (Value::Pointer(pointer), None) => Value::Pointer(Pointer { start: None, ..pointer }),
            (Value::Scalars(_), None) => self.unknown_of(frame, handle),
            (Value::Other, _) => Value::Other,
        }
    }

    /// As many unknown scalars as the expression's type has.
    fn unknown_of(&mut self, frame: &Frame<'_>, handle: Handle<Expression>) -> Value {
        let inner = frame.info[handle].ty.inner_with(&self.module.types);
        match shape::scalar_count(self.module, inner) {
            Some(count) => Value::Scalars(self.unknowns(count)),
            None => Value::Other,
        }
    }

    fn zero(&mut self, inner: &TypeInner) -> Value {
        match shape::scalar_count(self.module, inner) {
            Some(count) => Value::Scalars(vec![self.values.constant(0); count]),
            None => Value::Other,
        }
    }

    fn constant_of(&mut self, init: Handle<Expression>, inner: &TypeInner) -> Value {
        match shape::scalar_count(self.module, inner) {
            Some(count) => Value::Scalars(self.constant_expression(init, count)),
            None => Value::Other,
        }
    }

    /// The scalars of a constant expression of the module.
    pub(super) fn constant_expression(
        &mut self,
        handle: Handle<Expression>,
        count: usize,
    ) -> Vec<ValueId> {
        let scalars = self.constant_scalars(handle);
        scalars.filter(|scalars| scalars.len() == count).unwrap_or_else(|| self.unknowns(count))
    }

    fn constant_scalars(&mut self, handle: Handle<Expression>) -> Option<Vec<ValueId>> {
        let module = self.module;
        match &module.global_expressions[handle] {
            Expression::Literal(literal) => Some(vec![self.values.constant(bits(*literal)?)]),
            Expression::ZeroValue(ty) => {
                let count = shape::scalar_count(module, &module.types[*ty].inner)?;
                Some(vec![self.values.constant(0); count])
            }
            Expression::Constant(constant) => {
                self.constant_scalars(module.constants[*constant].init)
            }
            Expression::Splat { size, value } => {
                let value = self.constant_scalars(*value)?;
                Some(vec![*value.first()?; *size as usize])
            }
            Expression::Compose { components, .. } => {
                let parts = components.iter().map(|component| self.constant_scalars(*component));
                Some(parts.collect::<Option<Vec<_>>>()?.concat())
            }
            _ => None,
        }
    }

    fn operation(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        memory: &Memory,
    ) -> Value {
        let function = frame.function;
        let scalars = match &function.expressions[handle] {
            Expression::Literal(literal) => {
                bits(*literal).map(|bits| vec![self.values.constant(bits)])
            }
            Expression::Compose { components, .. } => {
                self.list(frame, components, memory).map(|parts| parts.concat())
            }
            Expression::Splat { size, value } => {
                let value = self.scalar(frame, *value, memory);
                Some(vec![value; *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                self.list(frame, &[*vector], memory).and_then(|parts| {
                    let pattern = pattern.iter().take(*size as usize);
                    pattern.map(|component| parts[0].get(*component as usize).copied()).collect()
                })
            }
            Expression::Unary { op: UnaryOperator::Negate, expr }
                if self.float_constants(frame, *expr, memory).is_some() =>
            {
                let constants = self.float_constants(frame, *expr, memory).unwrap_or_default();
                let negated = constants.into_iter().map(|bits| bits ^ 0x8000_0000);
                Some(negated.map(|bits| self.values.constant(bits)).collect())
            }
            Expression::Unary { op, expr } => {
                self.pure(frame, handle, &format!("{op:?}"), &[*expr], memory)
            }
            Expression::Binary { op, left, right } => {
                self.pure(frame, handle, &format!("{op:?}"), &[*left, *right], memory)
            }
            Expression::Select { condition, accept, reject } => {
                self.pure(frame, handle, "Select", &[*condition, *accept, *reject], memory)
            }
            Expression::Relational { fun, argument } => {
                self.pure(frame, handle, &format!("{fun:?}"), &[*argument], memory)
            }
            Expression::As { expr, convert: None, .. } => {
                self.list(frame, &[*expr], memory).map(|parts| parts.concat())
            }
            Expression::As { expr, kind, convert } => {
                self.pure(frame, handle, &format!("As {kind:?} {convert:?}"), &[*expr], memory)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let operands: Vec<_> =
                    [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().collect();
                self.pure(frame, handle, &format!("{fun:?}"), &operands, memory)
            }
            _ => None,
        };
        scalars.map_or_else(|| self.unknown_of(frame, handle), Value::Scalars)
    }

    /// The operands as scalars; `None` if one has none.
    fn list(
        &mut self,
        frame: &mut Frame<'_>,
        operands: &[Handle<Expression>],
        memory: &Memory,
    ) -> Option<Vec<Vec<ValueId>>> {
        let one = |operand: &Handle<Expression>| match self.value(frame, *operand, memory) {
            Value::Scalars(scalars) if !scalars.is_empty() => Some(scalars),
            Value::Scalars(_) | Value::Pointer(_) | Value::Other => None,
        };
        operands.iter().map(one).collect()
    }

    fn float_constants(
        &mut self,
        frame: &mut Frame<'_>,
        operand: Handle<Expression>,
        memory: &Memory,
    ) -> Option<Vec<u32>> {
        let inner = frame.info[operand].ty.inner_with(&self.module.types);
        let scalar = inner.scalar()?;
        if scalar != naga::Scalar::F32 {
            return None;
        }
        let parts = self.list(frame, &[operand], memory)?;
        let constant = |id: &ValueId| match self.values.node(*id) {
            Node::Constant(bits) => Some(*bits),
            _ => None,
        };
        parts.concat().iter().map(constant).collect()
    }

    /// The result of a pure operation. A componentwise operation is numbered component by component, any other on all
    /// scalars at once.
    fn pure(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        name: &str,
        operands: &[Handle<Expression>],
        memory: &Memory,
    ) -> Option<Vec<ValueId>> {
        let types = &self.module.types;
        let result = frame.info[handle].ty.inner_with(types).clone();
        let count = shape::scalar_count(self.module, &result)?;
        let inner = |operand: &Handle<Expression>| frame.info[*operand].ty.inner_with(types);
        let inners: Vec<&TypeInner> = operands.iter().map(inner).collect();
        let has_matrix = inners.iter().any(|inner| matches!(inner, TypeInner::Matrix { .. }));
        let scalars: Vec<_> = inners.iter().map(|inner| inner.scalar()).collect();
        let (one_tag, all_tag) = (
            format!("{name} {:?} {scalars:?}", result.scalar()),
            format!("{name} {result:?} {inners:?}"),
        );
        let parts = self.list(frame, operands, memory)?;
        let is_componentwise = is_componentwise(&frame.function.expressions[handle])
            && !has_matrix
            && parts.iter().all(|part| part.len() == 1 || part.len() == count);
        let scalar = |idx: usize| {
            if is_componentwise {
                let operands = parts.iter().map(|part| part[idx.min(part.len() - 1)]).collect();
                return Node::Operation { tag: one_tag.clone(), operands };
            }
            Node::Operation { tag: format!("{all_tag} {idx}"), operands: parts.concat() }
        };
        Some((0..count).map(|idx| self.values.number(scalar(idx))).collect())
    }
}

/// True if component `n` of the result depends only on the components `n` of the operands.
fn is_componentwise(expression: &Expression) -> bool {
    let Expression::Math { fun, .. } = expression else {
        return !matches!(expression, Expression::Relational { .. });
    };
    matches!(
        fun,
        MathFunction::Abs
            | MathFunction::Min
            | MathFunction::Max
            | MathFunction::Clamp
            | MathFunction::Saturate
            | MathFunction::Cos
            | MathFunction::Sin
            | MathFunction::Tan
            | MathFunction::Radians
            | MathFunction::Degrees
            | MathFunction::Ceil
            | MathFunction::Floor
            | MathFunction::Round
            | MathFunction::Fract
            | MathFunction::Trunc
            | MathFunction::Exp
            | MathFunction::Exp2
            | MathFunction::Log
            | MathFunction::Log2
            | MathFunction::Pow
            | MathFunction::Sign
            | MathFunction::Fma
            | MathFunction::Mix
            | MathFunction::Step
            | MathFunction::SmoothStep
            | MathFunction::Sqrt
            | MathFunction::InverseSqrt
    )
}

/// The bits of a 32-bit literal or a boolean.
const fn bits(literal: Literal) -> Option<u32> {
    match literal {
        Literal::F32(value) => Some(value.to_bits()),
        Literal::U32(value) => Some(value),
        Literal::I32(value) => Some(value.cast_unsigned()),
        Literal::Bool(value) => Some(value as u32),
        _ => None,
    }
}
