//! Compiles expressions.

use arithmetic::{BinaryFunction, Kind, Machine, Operand, UnaryFunction};
use naga::{BinaryOperator, Expression, Handle, RelationalFunction, ScalarKind, TypeInner};

use super::function::{FunctionCompiler, Value};
use super::words::{self, Layout, count, kind_of, words_of_inner};
use super::{Result, not_implemented};
use crate::code::{Element, Length, Op, Register};

/// A scalar or vector in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) at: Register,
    pub(super) kind: Kind,
    pub(super) count: usize,
}

impl Vector {
    /// The components as consecutive scalars; a scalar is repeated for every component of a vector.
    pub(super) const fn operand(self) -> Operand {
        Operand { at: self.at, step: if self.count == 1 { 0 } else { self.kind.words() } }
    }

    pub(super) const fn component(self, index: usize) -> Self {
        Self { at: self.at + index * self.kind.words(), count: 1, ..self }
    }

    /// Part of the vector.
    pub(super) const fn slice(self, start: usize, count: usize) -> Self {
        Self { at: self.at + start * self.kind.words(), count, ..self }
    }
}

impl<'a> FunctionCompiler<'a, '_> {
    /// Scalar kind and number of scalars of a scalar, vector or matrix.
    pub(super) fn shape(inner: &TypeInner) -> Result<(Kind, usize)> {
        Ok(match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => (kind_of(scalar)?, 1),
            TypeInner::Vector { size, scalar } => (kind_of(scalar)?, count(size)),
            TypeInner::Matrix { columns, rows, scalar } => {
                (kind_of(scalar)?, count(columns) * count(rows))
            }
            _ => return not_implemented("arithmetic on this type"),
        })
    }

    pub(super) fn vector(&mut self, expression: Handle<Expression>) -> Result<Vector> {
        let (kind, count) = Self::shape(self.type_of(expression))?;
        Ok(Vector { at: self.register(expression)?, kind, count })
    }

    pub(super) fn words_of(&self, expression: Handle<Expression>) -> Result<usize> {
        words_of_inner(self.compiler.module, self.type_of(expression))
    }

    pub(super) fn evaluate(&mut self, handle: Handle<Expression>) -> Result<Value<'a>> {
        let at = match self.function.expressions[handle] {
            Expression::Access { base, index } => return self.access(base, index),
            Expression::AccessIndex { base, index } => return self.access_index(base, index),
            Expression::Load { pointer } => self.loaded(pointer)?,
            Expression::Compose { ref components, .. } => self.composed(components)?,
            Expression::Splat { size, value } => {
                let part = (self.register(value)?, self.words_of(value)?);
                self.compiler.compose(&vec![part; count(size)])?
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.vector(vector)?;
                let parts: Vec<_> = pattern[..count(size)]
                    .iter()
                    .map(|part| (vector.component(*part as usize).at, vector.kind.words()))
                    .collect();
                self.compiler.compose(&parts)?
            }
            Expression::Unary { op, expr } => {
                let Vector { at, kind, count } = self.vector(expr)?;
                self.compiler.unary(op.into(), kind, [at, count])?
            }
            Expression::Binary { op, left, right } => self.operator(op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                self.select(condition, accept, reject)?
            }
            Expression::Relational { fun, argument } => self.relational(fun, argument)?,
            Expression::As { expr, kind, convert } => self.conversion(expr, kind, convert)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let others: Vec<_> = [arg1, arg2, arg3].into_iter().flatten().collect();
                self.math(fun, arg, &others)?
            }
            Expression::Derivative { axis, ctrl, expr } => {
                let Vector { at: from, kind, count } = self.vector(expr)?;
                if kind != Kind::F32 {
                    return not_implemented("derivatives of doubles");
                }
                let to = self.compiler.allocate(count)?;
                self.compiler
                    .push(Op::Derivative { axis, control: ctrl, to, from, count }, false)?;
                to
            }
            Expression::ArrayLength(array) => self.array_length(array)?,
            Expression::ImageSample { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageQuery { .. } => self.image_expression(handle)?,
            ref other => return not_implemented(name_of(other)),
        };
        Ok(Value::Registers(at))
    }

    fn composed(&mut self, components: &[Handle<Expression>]) -> Result<Register> {
        let mut parts = Vec::new();
        for component in components {
            parts.push((self.register(*component)?, self.words_of(*component)?));
        }
        self.compiler.compose(&parts)
    }

    fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Value<'a>> {
        let index = self.register(index)?;
        match self.value(base)? {
            Value::Place(place) => {
                let inner = self.pointee(base)?;
                Ok(Value::Place(self.element(place, &inner, index)?))
            }
            Value::Registers(from) => {
                let inner = self.type_of(base).clone();
                let parts = words::elements(self.compiler.module, &inner, Layout::Packed)?;
                let length = Length::Constant(parts.length.unwrap_or(1));
                let element = Element { base: None, index, length, stride: parts.stride };
                let index = self.compiler.index(element)?;
                let words = parts.stride as usize;
                let to = self.compiler.allocate(words)?;
                let total = words_of_inner(self.compiler.module, &inner)?;
                let is_once =
                    self.compiler.are_once(from, total) && self.compiler.are_once(index, 1);
                self.compiler.push(Op::LoadIndexed { to, from, index, words }, is_once)?;
                self.compiler.mark(to, words, is_once);
                Ok(Value::Registers(to))
            }
            Value::Resource(_) => not_implemented("arrays of resources"),
        }
    }

    fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Result<Value<'a>> {
        match self.value(base)? {
            Value::Place(place) => {
                let inner = self.pointee(base)?;
                Ok(Value::Place(self.part(place, &inner, index)?))
            }
            Value::Registers(at) => {
                let module = self.compiler.module;
                let offset = match self.type_of(base) {
                    TypeInner::Struct { members, .. } => {
                        words::member_offset(module, members, index as usize, Layout::Packed)?
                    }
                    inner => words::elements(module, inner, Layout::Packed)?.stride * index,
                };
                Ok(Value::Registers(at + offset as usize))
            }
            Value::Resource(_) => not_implemented("arrays of resources"),
        }
    }

    fn array_length(&mut self, array: Handle<Expression>) -> Result<Register> {
        let inner = self.pointee(array)?;
        match self.value(array)? {
            Value::Place(place) => match self.parts(place, &inner)?.length {
                Some(length) => self.compiler.word(length),
                None => self.length(place, &inner),
            },
            Value::Registers(_) | Value::Resource(_) => not_implemented("lengths of this"),
        }
    }

    fn operator(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Register> {
        let is_matrix = |it: &Self, side| matches!(it.type_of(side), TypeInner::Matrix { .. });
        if op == BinaryOperator::Multiply && (is_matrix(self, left) || is_matrix(self, right)) {
            return self.matrix_product(left, right);
        }
        let (left, right) = (self.vector(left)?, self.vector(right)?);
        Ok(self.two(op.into(), left, right)?.at)
    }

    fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Result<Register> {
        let condition = self.vector(condition)?;
        let total = self.words_of(accept)?;
        let (accept, reject) = (self.register(accept)?, self.register(reject)?);
        self.selected(condition, [accept, reject], total)
    }

    /// Compiles a selection by a boolean, or by a vector of booleans.
    fn selected(
        &mut self,
        condition: Vector,
        [accept, reject]: [Register; 2],
        total: usize,
    ) -> Result<Register> {
        let count = condition.count;
        let words = total / count.max(1);
        let to = self.compiler.allocate(total)?;
        let is_once = self.compiler.are_once(condition.at, count)
            && self.compiler.are_once(accept, total)
            && self.compiler.are_once(reject, total);
        let condition = condition.operand();
        self.compiler.push(Op::Select { to, condition, accept, reject, words, count }, is_once)?;
        self.compiler.mark(to, total, is_once);
        Ok(to)
    }

    fn relational(
        &mut self,
        function: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<Register> {
        let argument = self.vector(argument)?;
        let fold = match function {
            RelationalFunction::IsNan => return Ok(self.one(UnaryFunction::IsNan, argument)?.at),
            RelationalFunction::IsInf => return Ok(self.one(UnaryFunction::IsInf, argument)?.at),
            RelationalFunction::All => BinaryFunction::And,
            RelationalFunction::Any => BinaryFunction::InclusiveOr,
        };
        let mut all = argument.component(0);
        for index in 1..argument.count {
            all = self.two(fold, all, argument.component(index))?;
        }
        Ok(all.at)
    }

    fn conversion(
        &mut self,
        expression: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Result<Register> {
        let from = self.vector(expression)?;
        let Some(width) = convert else { return Ok(from.at) };
        let kind = kind_of(naga::Scalar { kind, width })?;
        if kind == from.kind {
            return Ok(from.at);
        }
        self.compiler.convert([from.kind, kind], [from.at, from.count])
    }
}

impl Machine for FunctionCompiler<'_, '_> {
    type Value = Vector;
    type Error = super::NotImplemented;

    fn kind(&self, of: Vector) -> Kind {
        of.kind
    }

    fn reinterpreted(&self, value: Vector, kind: Kind) -> Vector {
        Vector { kind, ..value }
    }

    fn literal(&mut self, literal: naga::Literal) -> Result<Vector> {
        let (kind, count) = Self::shape(&literal.ty_inner())?;
        Ok(Vector { at: self.compiler.literal(literal)?, kind, count })
    }

    fn one(&mut self, function: UnaryFunction, x: Vector) -> Result<Vector> {
        let at = self.compiler.unary(function, x.kind, [x.at, x.count])?;
        Ok(Vector { at, kind: function.result(x.kind), ..x })
    }

    fn two(&mut self, function: BinaryFunction, x: Vector, y: Vector) -> Result<Vector> {
        let count = x.count.max(y.count);
        let at = self.compiler.binary(function, x.kind, [x.operand(), y.operand()], count)?;
        Ok(Vector { at, kind: function.result(x.kind), count })
    }

    fn fused(&mut self, [first, second]: [Vector; 2], added: Vector) -> Result<Vector> {
        let kind = first.kind;
        if !kind.is_float() {
            return not_implemented("fused products of integers");
        }
        let count = first.count.max(second.count).max(added.count);
        let words = kind.words();
        let to = self.compiler.allocate(count * words)?;
        let [a, b, c] = [first, second, added].map(Vector::operand);
        let is_once = |operand| self.compiler.is_operand_once(operand, words, count);
        let is_once = [a, b, c].into_iter().all(is_once);
        self.compiler.push(Op::Fma { kind, to, a, b, c, count }, is_once)?;
        self.compiler.mark(to, count * words, is_once);
        Ok(Vector { at: to, kind, count })
    }

    fn told_clamp(&mut self, x: Vector, low: Vector, high: Vector) -> Result<Vector> {
        let result = self.clamp(x, low, high)?;
        let Vector { at: to, kind, count } = result;
        if kind.is_float() {
            let [low, high] = [low, high].map(Vector::operand);
            let words = kind.words();
            let is_once =
                [low, high].into_iter().all(|one| self.compiler.is_operand_once(one, words, count));
            let is_once = is_once && self.compiler.are_once(to, count * words);
            self.compiler.push(Op::Clamped { kind, to, low, high, count }, is_once)?;
        }
        Ok(result)
    }

    fn choose(&mut self, condition: Vector, [accept, reject]: [Vector; 2]) -> Result<Vector> {
        let count = condition.count.max(accept.count).max(reject.count);
        let Vector { kind, .. } = accept;
        let mut all = |value: Vector| match value.count {
            1 => self.joined(&vec![value; count]),
            _ => Ok(value.at),
        };
        let values = [all(accept)?, all(reject)?];
        let at = self.selected(condition, values, count * kind.words())?;
        Ok(Vector { at, kind, count })
    }
}

/// Name of the kind of an expression, for a message.
fn name_of(expression: &Expression) -> String {
    let text = format!("{expression:?}");
    let end = text.find([' ', '(', '{']).unwrap_or(text.len());
    format!("expressions of the kind {}", &text[..end])
}
