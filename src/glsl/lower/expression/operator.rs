//! Operators on values: operand types, implicit conversions, and operations that naga's own operators lack.

use naga::{BinaryOperator, Expression, Literal, UnaryOperator};

use crate::ast::{BinaryOp, UnaryOp};
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::{Kind, MAX_UNROLLED_SCALARS, Shape};
use crate::lower::{Result, unsupported, wrong};

impl Body<'_, '_> {
    /// Lowers `op operand`.
    pub(in crate::lower) fn unary(
        &mut self,
        op: UnaryOp,
        operand: Value,
        span: Span,
    ) -> Result<Value> {
        let shape = self.shape(operand.ty);
        match (op, shape.kind()) {
            (UnaryOp::Plus, Some(kind)) if kind.is_number() => Ok(operand),
            (UnaryOp::Minus, Some(kind)) if kind.is_number() => Ok(self.negate(operand, span)),
            (UnaryOp::Not, Some(Kind::Bool)) if shape == Shape::Scalar(Kind::Bool) => {
                Ok(self.not(operand, span))
            }
            (UnaryOp::BitNot, Some(kind)) if kind.is_integer() => {
                let op = UnaryOperator::BitwiseNot;
                let not = Expression::Unary { op, expr: operand.handle };
                Ok(self.value(not, operand.ty, span))
            }
            (UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::BitNot, _) => {
                let name = self.type_name(operand.ty);
                wrong(span, format!("`{}` is not defined on `{name}`", unary_sign(op)))
            }
        }
    }

    /// Lowers `!operand`, also component-wise.
    pub(in crate::lower) fn not(&mut self, operand: Value, span: Span) -> Value {
        let op = UnaryOperator::LogicalNot;
        self.value(Expression::Unary { op, expr: operand.handle }, operand.ty, span)
    }

    /// Lowers `-operand`. naga negates neither unsigned integers nor matrices.
    pub(in crate::lower) fn negate(&mut self, operand: Value, span: Span) -> Value {
        if let Expression::Literal(literal) = self.code.function.expressions[operand.handle]
            && let Some(negated) = negated_literal(literal)
        {
            return self.literal(negated, span);
        }
        match self.shape(operand.ty) {
            Shape::Matrix(..) => {
                let columns = self.parts(operand, span);
                let negated: Vec<_> =
                    columns.into_iter().map(|column| self.negate(column, span)).collect();
                self.compose(operand.ty, &negated, span)
            }
            Shape::Scalar(Kind::Uint | Kind::Uint64)
            | Shape::Vector(_, Kind::Uint | Kind::Uint64) => {
                let zero = self.value(Expression::ZeroValue(operand.ty), operand.ty, span);
                self.plain(BinaryOperator::Subtract, zero, operand, span)
            }
            Shape::Scalar(_) | Shape::Vector(..) | Shape::Array(..) | Shape::Struct => {
                let op = UnaryOperator::Negate;
                self.value(Expression::Unary { op, expr: operand.handle }, operand.ty, span)
            }
        }
    }

    /// Lowers `left op right`; both are evaluated.
    pub(in crate::lower) fn binary(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Result<Value> {
        if self.stage.scalar_count(left.ty) > MAX_UNROLLED_SCALARS {
            let word = format!("an operation on more than {MAX_UNROLLED_SCALARS} scalars");
            return unsupported(span, word);
        }
        let result = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                self.arithmetic(op, left, right, span)
            }
            BinaryOp::Mod | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => {
                self.integer_operation(op, left, right, span)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, span),
            BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => {
                self.order(op, left, right, span)
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                self.check_array_value(left.ty, span)?;
                let equal = self.equal_operands(left, right, span);
                equal.map(|equal| if op == BinaryOp::Equal { equal } else { self.not(equal, span) })
            }
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor => {
                self.logical(op, left, right, span)
            }
        };
        if let Some(value) = result {
            return Ok(value);
        }
        let (left, right) = (self.type_name(left.ty), self.type_name(right.ty));
        let sign = sign(op);
        wrong(span, format!("`{sign}` is not defined between `{left}` and `{right}`"))
    }

    /// Converts both operands to their common kind.
    pub(in crate::lower) fn unify(
        &mut self,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<(Value, Value, Kind)> {
        let (from, to) = (self.shape(left.ty).kind()?, self.shape(right.ty).kind()?);
        let kind = self.common_kind(from, to)?;
        Some((self.convert(left, kind, span), self.convert(right, kind, span), kind))
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let (left, right, kind) = self.unify(left, right, span)?;
        if !kind.is_number() {
            return None;
        }
        let shapes = (self.shape(left.ty), self.shape(right.ty));
        let is_product = op == BinaryOp::Mul;
        match shapes {
            (Shape::Matrix(columns, rows, _), Shape::Vector(size, _)) if is_product => {
                let ty = self.stage.vector(rows, kind);
                (columns == size).then(|| self.product(left, right, ty, span))
            }
            (Shape::Vector(size, _), Shape::Matrix(columns, rows, _)) if is_product => {
                let ty = self.stage.vector(columns, kind);
                (rows == size).then(|| self.product(left, right, ty, span))
            }
            (Shape::Matrix(inner, rows, _), Shape::Matrix(columns, other, _)) if is_product => {
                let ty = self.stage.matrix(columns, rows, kind);
                (inner == other).then(|| self.product(left, right, ty, span))
            }
            (Shape::Matrix(..), Shape::Scalar(_)) if is_product => {
                Some(self.product(left, right, left.ty, span))
            }
            (Shape::Scalar(_), Shape::Matrix(..)) if is_product => {
                Some(self.product(left, right, right.ty, span))
            }
            (Shape::Matrix(..), Shape::Matrix(..)) if left.ty != right.ty => None,
            (Shape::Matrix(..), Shape::Matrix(..) | Shape::Scalar(_))
            | (Shape::Scalar(_), Shape::Matrix(..)) => self.by_columns(op, left, right, span),
            _ => {
                let (left, right) = self.same_size(left, right, span)?;
                Some(self.plain_or_zero(arithmetic_operator(op)?, left, right, span))
            }
        }
    }

    fn product(
        &mut self,
        left: Value,
        right: Value,
        ty: crate::lower::types::Ty,
        span: Span,
    ) -> Value {
        let op = BinaryOperator::Multiply;
        let product = Expression::Binary { op, left: left.handle, right: right.handle };
        self.value(product, ty, span)
    }

    /// Lowers a component-wise operation with at least one matrix operand column by column.
    fn by_columns(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let is_matrix =
            |body: &Self, value: Value| matches!(body.shape(value.ty), Shape::Matrix(..));
        let ty = if is_matrix(self, left) { left.ty } else { right.ty };
        let mut columns = Vec::new();
        for idx in 0..self.stage.child_count(ty) {
            let a = if is_matrix(self, left) { self.part(left, idx, span) } else { left };
            let b = if is_matrix(self, right) { self.part(right, idx, span) } else { right };
            columns.push(self.arithmetic(op, a, b, span)?);
        }
        Some(self.compose(ty, &columns, span))
    }

    /// Repeats a scalar operand to the size of a vector operand. Two vectors must have the same size.
    fn same_size(&mut self, left: Value, right: Value, span: Span) -> Option<(Value, Value)> {
        let (m, n) = (self.shape(left.ty).components()?, self.shape(right.ty).components()?);
        match (m, n) {
            _ if m == n => Some((left, right)),
            (1, _) => Some((self.splat(left, n, span), right)),
            (_, 1) => Some((left, self.splat(right, m, span))),
            _ => None,
        }
    }

    /// Emits an operation on operands of the same type, which is also the type of the result.
    pub(in crate::lower) fn plain(
        &mut self,
        op: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Value {
        let operation = Expression::Binary { op, left: left.handle, right: right.handle };
        self.value(operation, left.ty, span)
    }

    /// Like [`Self::plain`], except that an integer division by a constant zero, which GLSL leaves undefined and naga
    /// rejects, gives zero.
    fn plain_or_zero(
        &mut self,
        op: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Value {
        let is_division = matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo);
        if is_division
            && self.shape(right.ty).kind().is_some_and(Kind::is_integer)
            && self.evaluate(right.handle).is_some_and(|divisor| divisor.bits.contains(&0))
        {
            return self.value(Expression::ZeroValue(left.ty), left.ty, span);
        }
        self.plain(op, left, right, span)
    }

    fn integer_operation(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<Value> {
        let (left, right, kind) = self.unify(left, right, span)?;
        if !kind.is_integer() {
            return None;
        }
        let (left, right) = self.same_size(left, right, span)?;
        Some(self.plain_or_zero(arithmetic_operator(op)?, left, right, span))
    }

    fn shift(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let (from, by) = (self.shape(left.ty), self.shape(right.ty));
        if !from.kind()?.is_integer() || !by.kind()?.is_integer() {
            return None;
        }
        let (size, count) = (from.components()?, by.components()?);
        let most = u64::from(from.kind()?.bytes() * 8 - 1);
        let amount = match self.evaluate(right.handle) {
            // A shift by the width or more is undefined in GLSL and rejected by naga.
            Some(constant) => {
                let bits: Vec<u64> = constant.bits.iter().map(|bits| bits & most).collect();
                let ty = self.stage.vector(count, Kind::Uint);
                self.materialize(&crate::lower::types::constant::Constant::new(ty, bits), span)
            }
            None => self.convert(right, Kind::Uint, span),
        };
        let amount = match (size, count) {
            _ if size == count => amount,
            (_, 1) => self.splat(amount, size, span),
            _ => return None,
        };
        let op = if op == BinaryOp::Shl {
            BinaryOperator::ShiftLeft
        } else {
            BinaryOperator::ShiftRight
        };
        Some(self.plain(op, left, amount, span))
    }

    /// Lowers `<`, `>`, `<=`, `>=`, defined on scalars.
    fn order(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let (left, right, kind) = self.unify(left, right, span)?;
        let is_scalar = self.shape(left.ty) == Shape::Scalar(kind) && left.ty == right.ty;
        if !is_scalar || !kind.is_number() {
            return None;
        }
        Some(self.compare(order_operator(op)?, left, right, span))
    }

    /// Compares two numbers or vectors of the same type, component-wise.
    pub(in crate::lower) fn compare(
        &mut self,
        op: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Value {
        let size = self.shape(left.ty).components().unwrap_or(1);
        let ty = self.stage.vector(size, Kind::Bool);
        self.value(Expression::Binary { op, left: left.handle, right: right.handle }, ty, span)
    }

    /// Lowers `&&`, `||`, `^^` of two evaluated operands.
    fn logical(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        let bool_ty = self.stage.scalar(Kind::Bool);
        if left.ty != bool_ty || right.ty != bool_ty {
            return None;
        }
        let op = if op == BinaryOp::LogicalAnd {
            BinaryOperator::LogicalAnd
        } else if op == BinaryOp::LogicalOr {
            BinaryOperator::LogicalOr
        } else {
            BinaryOperator::NotEqual
        };
        Some(self.plain(op, left, right, span))
    }

    /// The number one with the type of a scalar or vector, for `++` and `--`. For a matrix it has the type of its
    /// scalars.
    pub(in crate::lower) fn one(&mut self, of: Value, span: Span) -> Option<Value> {
        let kind = self.shape(of.ty).kind().filter(|kind| kind.is_number())?;
        let size = self.shape(of.ty).components().unwrap_or(1);
        let one = self.literal(kind.small(1), span);
        Some(self.splat(one, size, span))
    }

    /// Tests whether all components of a boolean vector are true; a scalar is unchanged.
    pub(in crate::lower) fn all(&mut self, vector: Value, span: Span) -> Value {
        if matches!(self.shape(vector.ty), Shape::Scalar(_)) {
            return vector;
        }
        let ty = self.stage.scalar(Kind::Bool);
        let fun = naga::RelationalFunction::All;
        self.value(Expression::Relational { fun, argument: vector.handle }, ty, span)
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the other literals have no sign")]
fn negated_literal(literal: Literal) -> Option<Literal> {
    match literal {
        Literal::F32(value) => Some(Literal::F32(-value)),
        Literal::I32(value) => Some(Literal::I32(value.wrapping_neg())),
        Literal::F64(value) => Some(Literal::F64(-value)),
        Literal::I64(value) => Some(Literal::I64(value.wrapping_neg())),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the other operators are no arithmetic")]
const fn arithmetic_operator(op: BinaryOp) -> Option<BinaryOperator> {
    match op {
        BinaryOp::Add => Some(BinaryOperator::Add),
        BinaryOp::Sub => Some(BinaryOperator::Subtract),
        BinaryOp::Mul => Some(BinaryOperator::Multiply),
        BinaryOp::Div => Some(BinaryOperator::Divide),
        BinaryOp::Mod => Some(BinaryOperator::Modulo),
        BinaryOp::BitAnd => Some(BinaryOperator::And),
        BinaryOp::BitXor => Some(BinaryOperator::ExclusiveOr),
        BinaryOp::BitOr => Some(BinaryOperator::InclusiveOr),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the other operators do not order")]
const fn order_operator(op: BinaryOp) -> Option<BinaryOperator> {
    match op {
        BinaryOp::Less => Some(BinaryOperator::Less),
        BinaryOp::Greater => Some(BinaryOperator::Greater),
        BinaryOp::LessEqual => Some(BinaryOperator::LessEqual),
        BinaryOp::GreaterEqual => Some(BinaryOperator::GreaterEqual),
        _ => None,
    }
}

const fn unary_sign(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
    }
}

/// The operator as written in GLSL.
pub(in crate::lower) const fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalXor => "^^",
        BinaryOp::LogicalOr => "||",
    }
}
