//! Expressions: variables, members, indices, assignments, and their evaluation order.

pub(super) mod compare;
pub(super) mod constant_expression;
pub(super) mod constructor;
pub(super) mod conversion;
pub(super) mod fold;
pub(super) mod lvalue;
pub(super) mod open_array;
pub(super) mod operator;
pub(super) mod product;
pub(super) mod version;

use naga::{Block, Expression, Literal};

use crate::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use ir::source::Span;

use super::body::Body;
use super::operand::{Operand, Place, Value};
use super::scope::Symbol;
use super::tessellation::element_access;
use super::types::{Kind, Shape, Ty};
use super::{Result, mismatch, scan, wrong};
use lvalue::swizzle_components;
use open_array::check_open_index;

impl Body<'_, '_> {
    /// Evaluates an expression to a value.
    pub(super) fn rvalue(&mut self, expr: &Expr) -> Result<Value> {
        let operand = self.expression(expr)?;
        self.value_of(&operand, expr.span)
    }

    /// The value of an operand, read at this point if it is in memory.
    pub(super) fn value_of(&mut self, operand: &Operand, span: Span) -> Result<Value> {
        match operand {
            Operand::Value(value) => Ok(*value),
            Operand::Place(place) if place.is_block => {
                wrong(span, "a block cannot be used as a value")
            }
            Operand::Place(place) if self.is_subroutine_place(place) => {
                wrong(span, "a subroutine cannot be used as a value")
            }
            Operand::Place(place) if matches!(self.shape(place.ty), Shape::Array(_, None)) => {
                wrong(span, "an array without a size cannot be used as a value")
            }
            Operand::Place(place) if place.is_open => {
                wrong(span, "an array without a size cannot be used as a value")
            }
            Operand::Place(place) => self.load(place, span),
            Operand::Void => wrong(span, "the call of a `void` function has no value"),
        }
    }

    /// The place that an expression denotes; an error if it is not an l-value.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<Place> {
        match self.expression(expr)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) | Operand::Void => wrong(expr.span, "this cannot be assigned to"),
        }
    }

    /// Evaluates an expression. Memory that it denotes is not read yet.
    pub(super) fn expression(&mut self, expr: &Expr) -> Result<Operand> {
        self.stage.enter(expr.span)?;
        let operand = self.expression_kind(expr);
        self.stage.leave();
        operand
    }

    fn expression_kind(&mut self, expr: &Expr) -> Result<Operand> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Variable(name) => self.variable(name, span),
            ExprKind::Int(value) => Ok(self.literal_operand(Literal::I32(*value), span)),
            ExprKind::Uint(value) => Ok(self.literal_operand(Literal::U32(*value), span)),
            ExprKind::Float(value) => {
                Ok(Operand::Value(self.real(Kind::Float, value.to_bits().into(), span)))
            }
            ExprKind::Double(value) => {
                self.check_type_version("double", span)?;
                Ok(Operand::Value(self.real(Kind::Double, value.to_bits(), span)))
            }
            ExprKind::Int64(value) => {
                self.check_type_version("int64_t", span)?;
                Ok(self.literal_operand(Literal::I64(*value), span))
            }
            ExprKind::Uint64(value) => {
                self.check_type_version("uint64_t", span)?;
                Ok(self.literal_operand(Literal::U64(*value), span))
            }
            ExprKind::Bool(value) => Ok(self.literal_operand(Literal::Bool(*value), span)),
            ExprKind::Unary(op, operand) => self.unary_expression(*op, operand, span),
            ExprKind::Increment { operand, is_increment, is_prefix } => {
                self.increment(operand, *is_increment, *is_prefix, span)
            }
            ExprKind::Binary(op, left, right) => {
                self.binary_expression(*op, left, right, span).map(Operand::Value)
            }
            ExprKind::Assign(op, left, right) => {
                self.assign(*op, left, right, span).map(Operand::Value)
            }
            ExprKind::Select(condition, accept, reject) => {
                self.select_expression(condition, accept, reject, span)
            }
            ExprKind::Comma(left, right) => {
                self.discard_value(left)?;
                self.expression(right).and_then(|operand| self.read_operand(operand, span))
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::CallIndexed(callee, arguments) => self.call_indexed(callee, arguments, span),
            ExprKind::Construct(ty, arguments) => {
                let (values, declared) = (self.arguments(arguments)?, self.declared_type(ty, &[])?);
                self.construct_array(declared, &values, span).map(Operand::Value)
            }
            ExprKind::Method(base, method, arguments) => {
                self.method(base, method, arguments, span).map(Operand::Value)
            }
            ExprKind::Field(base, field) => self.field(base, field, span),
            ExprKind::Index(base, index) => self.index(base, index, span),
        }
    }

    /// Evaluates an expression for its side effects.
    pub(super) fn discard_value(&mut self, expr: &Expr) -> Result<()> {
        let operand = self.expression(expr)?;
        self.read_operand(operand, expr.span).map(|_| ())
    }

    /// Reads an operand in memory, so that the result is not an l-value. `void` is unchanged.
    fn read_operand(&mut self, operand: Operand, span: Span) -> Result<Operand> {
        match operand {
            Operand::Place(_) => self.value_of(&operand, span).map(Operand::Value),
            Operand::Value(_) | Operand::Void => Ok(operand),
        }
    }

    fn literal_operand(&mut self, literal: Literal, span: Span) -> Operand {
        Operand::Value(self.literal(literal, span))
    }

    /// A literal of a floating-point kind, which may be infinite.
    fn real(&mut self, kind: Kind, bits: u64, span: Span) -> Value {
        let ty = self.stage.scalar(kind);
        self.materialize(&super::types::constant::Constant::new(ty, [bits]), span)
    }

    fn variable(&mut self, name: &str, span: Span) -> Result<Operand> {
        if let Some(symbol) = self.find(name) {
            if let Symbol::Constant(constant) = &symbol {
                return Ok(Operand::Value(self.materialize(constant, span)));
            }
            return match self.place_of(&symbol, span) {
                Some(place) => Ok(Operand::Place(self.opened(place, name, &symbol))),
                None => wrong(span, format!("`{name}` is not a variable")),
            };
        }
        if let Some(operand) = self.builtin_variable(name, span)? {
            return Ok(operand);
        }
        wrong(span, format!("`{name}` is not declared"))
    }

    fn unary_expression(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> Result<Operand> {
        let value = self.rvalue(operand)?;
        self.unary(op, value, span).map(Operand::Value)
    }

    /// Lowers `++` and `--`: the place is evaluated once.
    fn increment(
        &mut self,
        operand: &Expr,
        is_increment: bool,
        is_prefix: bool,
        span: Span,
    ) -> Result<Operand> {
        let place = self.place(operand)?;
        let old = self.load(&place, span)?;
        let Some(one) = self.one(old, span) else {
            let name = self.type_name(old.ty);
            return wrong(span, format!("`++` and `--` are not defined on `{name}`"));
        };
        let op = if is_increment { BinaryOp::Add } else { BinaryOp::Sub };
        let new = self.binary(op, old, one, span)?;
        self.store(&place, new, span)?;
        Ok(Operand::Value(if is_prefix { new } else { old }))
    }

    fn binary_expression(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Value> {
        let is_short = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
        let left_value = self.rvalue(left)?;
        if is_short && scan::has_effects(right, &|name| self.is_pure_call(name)) {
            let left = self.condition(left_value, left.span)?;
            return self.short_circuit(op, left, right, span);
        }
        let right_value = self.rvalue(right)?;
        self.binary(op, left_value, right_value, span)
    }

    /// Lowers `&&` and `||` if the right side has side effects: it is evaluated only if it decides the result.
    fn short_circuit(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: &Expr,
        span: Span,
    ) -> Result<Value> {
        let result = self.local("decided", left.ty, span);
        self.store_pointer(result, left.handle, span);
        self.code.open_block();
        let right_value = self.rvalue(right).and_then(|value| self.condition(value, right.span))?;
        self.store_pointer(result, right_value.handle, span);
        let decides = self.code.close_block();
        if op == BinaryOp::LogicalAnd {
            self.push_if(left.handle, decides, Block::new(), span);
        } else {
            self.push_if(left.handle, Block::new(), decides, span);
        }
        Ok(self.load_pointer(result, left.ty, span))
    }

    /// Lowers `left = right` and `left op= right`: the place is evaluated once, before the right side.
    fn assign(
        &mut self,
        op: Option<BinaryOp>,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Value> {
        let place = self.place(left)?;
        self.check_writable(&place, left.span)?;
        if place.is_block {
            return wrong(left.span, "a block cannot be assigned to");
        }
        if place.is_open {
            return wrong(left.span, "an array without a size cannot be assigned to");
        }
        let mut value = self.rvalue(right)?;
        if let Some(op) = op {
            let old = self.load(&place, left.span)?;
            value = self.binary(op, old, value, span)?;
        }
        self.check_array_value(place.ty, span)?;
        let value = self.implicit(value, place.ty, right.span)?;
        self.store(&place, value, span)?;
        Ok(value)
    }

    /// Lowers `condition ? accept : reject`; only the selected side has its side effects.
    fn select_expression(
        &mut self,
        condition: &Expr,
        accept: &Expr,
        reject: &Expr,
        span: Span,
    ) -> Result<Operand> {
        let test =
            self.rvalue(condition).and_then(|value| self.condition(value, condition.span))?;
        if let Some(known) = self.evaluate(test.handle) {
            return self.select_known(known.bits.first() == Some(&1), accept, reject, span);
        }
        self.code.open_block();
        let accepted = self.expression(accept).and_then(|operand| self.read_operand(operand, span));
        let accept_block = self.code.close_block();
        self.code.open_block();
        let rejected = self.expression(reject).and_then(|operand| self.read_operand(operand, span));
        let reject_block = self.code.close_block();
        let (Operand::Value(accepted), Operand::Value(rejected)) = (accepted?, rejected?) else {
            self.push_if(test.handle, accept_block, reject_block, span);
            return Ok(Operand::Void);
        };
        let ty = self.common_type(accepted.ty, rejected.ty, span)?;
        let result = self.local("chosen", ty, span);
        let mut sides = Vec::new();
        for (block, value) in [(accept_block, accepted), (reject_block, rejected)] {
            self.code.reopen_block(block);
            let value = self.implicit(value, ty, span)?;
            self.store_pointer(result, value.handle, span);
            sides.push(self.code.close_block());
        }
        let reject_block = sides.pop().unwrap_or_default();
        let accept_block = sides.pop().unwrap_or_default();
        self.push_if(test.handle, accept_block, reject_block, span);
        Ok(Operand::Value(self.load_pointer(result, ty, span)))
    }

    /// Selects at compile time; both sides are still checked.
    fn select_known(
        &mut self,
        is_accepted: bool,
        accept: &Expr,
        reject: &Expr,
        span: Span,
    ) -> Result<Operand> {
        let (chosen, other) = if is_accepted { (accept, reject) } else { (reject, accept) };
        self.code.open_block();
        let unused = self.expression(other).and_then(|operand| self.read_operand(operand, span));
        self.code.close_block();
        let operand =
            self.expression(chosen).and_then(|operand| self.read_operand(operand, span))?;
        let (Operand::Value(value), Operand::Value(unused)) = (&operand, unused?) else {
            return Ok(operand);
        };
        let ty = self.common_type(value.ty, unused.ty, span)?;
        self.implicit(*value, ty, span).map(Operand::Value)
    }

    fn common_type(&self, left: Ty, right: Ty, span: Span) -> Result<Ty> {
        self.check_array_value(left, span)?;
        if self.stage.has_opaque(left) {
            return wrong(span, "`?:` cannot choose between samplers, images or atomic counters");
        }
        if self.is_type_convertible(left, right) {
            Ok(right)
        } else if self.is_type_convertible(right, left) {
            Ok(left)
        } else {
            let (left, right) = (self.type_name(left), self.type_name(right));
            wrong(span, format!("`?:` cannot choose between `{left}` and `{right}`"))
        }
    }

    /// Length of the runtime-sized array at the end of a storage block.
    fn open_length(&mut self, place: &Place, span: Span) -> Result<Value> {
        if place.pieces.is_some() {
            let signed = self.stage.scalar(Kind::Int);
            return self
                .read_chosen(place, signed, span, |body, part| body.open_length(part, span));
        }
        self.record(place, false);
        let unsigned = self.stage.scalar(Kind::Uint);
        let length = self.value(Expression::ArrayLength(place.pointer), unsigned, span);
        Ok(self.convert(length, Kind::Int, span))
    }

    /// Lowers `a.length()`.
    fn method(
        &mut self,
        base: &Expr,
        method: &Ident,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Value> {
        if method.name != "length" || !arguments.is_empty() {
            return wrong(method.span, "the only method is `length()`");
        }
        let operand = self.expression(base)?;
        let (ty, place) = match &operand {
            Operand::Value(value) => (value.ty, None),
            Operand::Place(place) => {
                self.check_open_length(place, span)?;
                self.check_patch_length(place, base)?;
                (place.ty, Some(place))
            }
            Operand::Void => return wrong(base.span, "a `void` function has no length"),
        };
        match (self.shape(ty), place) {
            (Shape::Array(_, None), Some(place)) => {
                let place = place.clone();
                self.open_length(&place, span)
            }
            (Shape::Array(..) | Shape::Vector(..) | Shape::Matrix(..), _) => {
                self.check_length_version(ty, span)?;
                let length = i32::try_from(self.stage.child_count(ty)).unwrap_or(i32::MAX);
                Ok(self.literal(Literal::I32(length), span))
            }
            _ => {
                let name = self.type_name(ty);
                wrong(base.span, format!("`{name}` has no length"))
            }
        }
    }

    /// Lowers `base.field`: a struct's member or a vector's components.
    fn field(&mut self, base: &Expr, field: &Ident, span: Span) -> Result<Operand> {
        let operand = self.expression(base)?;
        let ty = match &operand {
            Operand::Value(value) => value.ty,
            Operand::Place(place) => place.ty,
            Operand::Void => return wrong(base.span, "a `void` function has no members"),
        };
        match self.shape(ty) {
            Shape::Struct => {
                let Some((idx, _)) = self.stage.member(ty, &field.name) else {
                    let (name, field_name) = (self.type_name(ty), &field.name);
                    return wrong(field.span, format!("`{name}` has no member `{field_name}`"));
                };
                Ok(self.known_part(operand, idx, span))
            }
            Shape::Vector(size, _) => {
                let components = swizzle_components(field, size)?;
                Ok(match operand {
                    Operand::Place(place) => Operand::Place(self.select(place, &components, span)),
                    Operand::Value(value) => Operand::Value(self.swizzle(value, &components, span)),
                    Operand::Void => Operand::Void,
                })
            }
            Shape::Scalar(_) => {
                self.check_scalar_components(field)?;
                let components = swizzle_components(field, 1)?;
                if let ([_], Operand::Place(place)) = (&*components, &operand) {
                    return Ok(Operand::Place(place.clone()));
                }
                let value = self.value_of(&operand, base.span)?;
                let size = u8::try_from(components.len()).unwrap_or(4);
                Ok(Operand::Value(self.splat(value, size, span)))
            }
            Shape::Matrix(..) | Shape::Array(..) => {
                let (name, field_name) = (self.type_name(ty), &field.name);
                wrong(field.span, format!("`{name}` has no member `{field_name}`"))
            }
        }
    }

    /// Lowers `base[index]`.
    fn index(&mut self, base: &Expr, index: &Expr, span: Span) -> Result<Operand> {
        if let Some(block) = self.indexed_block(base, index, span)? {
            return Ok(block);
        }
        let mut operand = self.expression(base)?;
        let subscript = self.subscript(index)?;
        let ty = match &operand {
            Operand::Value(value) => value.ty,
            Operand::Place(place) => place.ty,
            Operand::Void => return wrong(base.span, "a `void` function cannot be indexed"),
        };
        let length = match self.shape(ty) {
            Shape::Array(_, length) => length,
            Shape::Vector(..) | Shape::Matrix(..) => Some(self.stage.child_count(ty)),
            Shape::Scalar(_) | Shape::Struct => {
                let name = self.type_name(ty);
                return wrong(base.span, format!("`{name}` cannot be indexed"));
            }
        };
        if let Operand::Place(place) = &mut operand {
            place.access = element_access(place.access, index);
        }
        let Some(known) = self.known_index(subscript) else {
            check_open_index(&operand, index.span)?;
            self.check_dynamic_index(&operand, index.span)?;
            return Ok(self.index_dynamic(operand, subscript, span));
        };
        let Some(idx) = u32::try_from(known).ok().filter(|idx| length.is_none_or(|n| *idx < n))
        else {
            let name = self.type_name(ty);
            let message = format!("index {known} is out of bounds for `{name}`");
            if self.is_sized_elsewhere(&operand, base, known) {
                return mismatch(index.span, message);
            }
            return wrong(index.span, message);
        };
        self.note_open_index(base, idx);
        Ok(self.known_part(operand, idx, span))
    }

    /// The direct part `idx` of an operand.
    fn known_part(&mut self, operand: Operand, idx: u32, span: Span) -> Operand {
        match operand {
            Operand::Place(place) => Operand::Place(self.step(place, idx, span)),
            Operand::Value(value) => Operand::Value(self.part(value, idx, span)),
            Operand::Void => Operand::Void,
        }
    }

    /// Lowers an index, which is an integer.
    pub(super) fn subscript(&mut self, index: &Expr) -> Result<Value> {
        let subscript = self.rvalue(index)?;
        if !matches!(self.shape(subscript.ty), Shape::Scalar(Kind::Int | Kind::Uint)) {
            let name = self.type_name(subscript.ty);
            return wrong(index.span, format!("an index must be `int` or `uint`, not `{name}`"));
        }
        Ok(subscript)
    }

    fn index_dynamic(&mut self, operand: Operand, index: Value, span: Span) -> Operand {
        let value = match operand {
            Operand::Place(place) => return Operand::Place(self.step_dynamic(place, index, span)),
            Operand::Value(value) => value,
            Operand::Void => return Operand::Void,
        };
        let ty = self.stage.child(value.ty, 0);
        let base = if matches!(self.shape(value.ty), Shape::Vector(..)) {
            value.handle
        } else {
            let spilled = self.local("indexed", value.ty, span);
            self.store_pointer(spilled, value.handle, span);
            spilled
        };
        let part = self.value(Expression::Access { base, index: index.handle }, ty, span);
        if base == value.handle {
            return Operand::Value(part);
        }
        Operand::Value(self.load_pointer(part.handle, ty, span))
    }
}
