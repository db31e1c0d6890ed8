//! Draws operations on exact floats, and keeps count of their bits.

use super::super::operation::{Op, Row, Shape};
use super::super::tree::{Bits, Expression, Literal, Scalar, Type, Value};
use super::{Drawer, NORMAL};

impl Bits {
    const fn new(before: u8, behind: u8) -> Self {
        Self { before, behind }
    }

    fn max(self, other: Self) -> Self {
        Self::new(self.before.max(other.before), self.behind.max(other.behind))
    }

    /// True if a sum of such numbers leaves two bits free, so that no order of summands rounds.
    const fn fits(self, scalar: Scalar) -> bool {
        self.before + self.behind <= if matches!(scalar, Scalar::Double) { 45 } else { 21 }
    }
}

/// The absolute value, or a sixteenth where it is zero, whose sign implementations may ignore.
fn positive(value: Expression) -> Expression {
    let (scalar, count) = value.scalar();
    let least = Expression::floats(scalar, count, 1.0 / 16.0);
    value.then(Op::Abs, Vec::new()).then(Op::Max, vec![least])
}

impl Drawer<'_> {
    /// The value, with no more bits than [`NORMAL`] if it is an exact float.
    pub(super) fn normal(&mut self, value: Expression) -> Expression {
        let Type::Value(scalar, count) = value.ty else { return value };
        if !scalar.is_exact() {
            return value;
        }
        let floats = |value| Expression::floats(scalar, count, value);
        let Bits { before, behind } = value.bits;
        let value = if behind > NORMAL.behind {
            let scaled = value.then(Op::Multiply, vec![floats(16.0)]);
            let whole = self.pick(&[Op::Floor, Op::Truncate, Op::Ceil]);
            scaled.then(whole, Vec::new()).then(Op::Multiply, vec![floats(1.0 / 16.0)])
        } else {
            value
        };
        let value = if before <= NORMAL.before {
            value
        } else if self.rng.bool() {
            value.then(Op::Clamp, vec![floats(-64.0), floats(64.0)])
        } else {
            let parts = value.then(Op::Multiply, vec![floats(1.0 / 64.0)]);
            parts.then(Op::Fract, Vec::new()).then(Op::Multiply, vec![floats(64.0)])
        };
        value.with(NORMAL)
    }

    /// An exact float within [`NORMAL`].
    fn tame(&mut self, ty: Type, depth: usize) -> Expression {
        let value = self.wide_value(ty, depth);
        self.normal(value)
    }

    /// An operation on exact floats. Its result has the type `ty`.
    pub(super) fn exact(&mut self, row: &Row, class: Scalar, ty: Type, depth: usize) -> Expression {
        let Type::Value(_, count) = ty else { return self.leaf(ty) };
        let of_class = Type::Value(class, count);
        match row.shape {
            Shape::Same(operands) => self.same_floats(row.op, ty, operands, depth),
            Shape::Compare => {
                let operands =
                    vec![self.wide_value(of_class, depth), self.wide_value(of_class, depth)];
                Expression::op(ty, row.op, operands).with(NORMAL)
            }
            Shape::Select => {
                let (a, b) = (self.wide_value(ty, depth), self.wide_value(ty, depth));
                let bits = a.bits.max(b.bits);
                let condition = self.wide_value(Type::Value(Scalar::Bool, count), depth);
                Expression::op(ty, row.op, vec![a, b, condition]).with(bits)
            }
            Shape::ReduceTwo => {
                let of = Type::Value(class, self.rng.u8(2..=4));
                let operands = vec![self.tame(of, depth), self.tame(of, depth)];
                Expression::op(ty, row.op, operands).with(Bits::new(14, 8))
            }
            Shape::Three => {
                let operands = vec![self.tame(ty, depth), self.tame(ty, depth)];
                Expression::op(ty, row.op, operands).with(Bits::new(13, 8))
            }
            Shape::PackTwo => {
                let value = self.tame(Type::Value(class, 2), depth);
                Expression::op(ty, row.op, vec![positive(value)]).with(NORMAL)
            }
            Shape::FloatToInt => {
                Expression::op(ty, row.op, vec![self.tame(of_class, depth)]).with(NORMAL)
            }
            Shape::Scale => {
                let exponent = self.rng.i32(-3..=3);
                let exponent = Expression::literal(Scalar::Int, Literal::Int(exponent.into()));
                let operands = vec![self.tame(ty, depth), exponent.splat(count)];
                Expression::op(ty, row.op, operands).with(Bits::new(9, 7))
            }
            Shape::Own => self.own_float(row.op, class, ty, depth),
            Shape::ToInt
            | Shape::Shift
            | Shape::Reduce
            | Shape::Vectors(_)
            | Shape::Extract
            | Shape::Insert
            | Shape::Words
            | Shape::Pack
            | Shape::Unpack(_) => self.leaf(ty),
        }
    }

    /// An operation whose operands have the type of the result.
    fn same_floats(&mut self, op: Op, ty: Type, operands: u8, depth: usize) -> Expression {
        let mut a = self.wide_value(ty, depth);
        let Type::Value(scalar, count) = ty else { return a };
        let Bits { before, behind } = a.bits;
        match op {
            Op::Negate | Op::Abs => a.then(op, Vec::new()),
            Op::Floor | Op::Ceil | Op::Truncate | Op::Round | Op::ModfWhole => {
                a.then(op, Vec::new()).with(Bits::new(before, 0))
            }
            Op::Fract | Op::ModfFraction => a.then(op, Vec::new()).with(Bits::new(0, behind)),
            Op::Sign => a.then(op, Vec::new()).with(Bits::new(0, 0)),
            Op::Significand => self.normal(a).then(op, Vec::new()).with(Bits::new(0, 12)),
            Op::Fma => {
                let a = self.normal(a);
                let others = vec![self.tame(ty, depth), self.tame(ty, depth)];
                a.then(op, others).with(Bits::new(13, 8))
            }
            Op::Multiply => {
                let mut b = self.wide_value(ty, depth);
                let product = |a: &Expression, b: &Expression| {
                    Bits::new(a.bits.before + b.bits.before, a.bits.behind + b.bits.behind)
                };
                if !product(&a, &b).fits(scalar) {
                    (a, b) = (self.normal(a), self.normal(b));
                }
                let bits = product(&a, &b);
                a.then(op, vec![b]).with(bits)
            }
            Op::Clamp => {
                let (low, high) = (self.rng.i32(-40..0), self.rng.i32(0..40));
                let bounds = [low, high].map(|bound| Expression::numbers(scalar, count, bound));
                a.then(op, bounds.to_vec())
            }
            Op::Step => {
                let b = self.wide_value(ty, depth);
                a.then(op, vec![b]).with(Bits::new(0, 0))
            }
            Op::Min | Op::Max => {
                let b = self.wide_value(ty, depth);
                let bits = a.bits.max(b.bits);
                a.then(op, vec![b]).with(bits)
            }
            Op::Add | Op::Subtract => {
                let mut b = self.wide_value(ty, depth);
                let sum = |a: &Expression, b: &Expression| {
                    let most = a.bits.max(b.bits);
                    Bits::new(most.before + 1, most.behind)
                };
                if !sum(&a, &b).fits(scalar) {
                    (a, b) = (self.normal(a), self.normal(b));
                }
                let bits = sum(&a, &b);
                a.then(op, vec![b]).with(bits)
            }
            _ => {
                let others = (1..operands).map(|_| self.tame(ty, depth)).collect();
                self.normal(a).then(op, others)
            }
        }
    }

    fn own_float(&mut self, op: Op, class: Scalar, ty: Type, depth: usize) -> Expression {
        let Type::Value(scalar, count) = ty else { return self.leaf(ty) };
        match op {
            Op::Cast => {
                let value = self.tame(Type::Value(class, count), depth);
                // Negative floats have no unsigned integer.
                let is_unsigned = matches!(scalar, Scalar::Uint | Scalar::Ulong);
                let value = if is_unsigned { value.then(Op::Abs, Vec::new()) } else { value };
                value.cast(scalar).with(NORMAL)
            }
            Op::Bits => {
                let value = self.tame(Type::Value(class, count), depth);
                Expression::op(ty, op, vec![positive(value)]).with(NORMAL)
            }
            Op::TimesVector => {
                let columns = self.rng.u8(2..=4);
                let matrix = self.value(Type::Matrix(columns, count), depth);
                let vector = self.tame(Type::Value(Scalar::Float, columns), depth);
                Expression::op(ty, op, vec![matrix, vector]).with(Bits::new(14, 8))
            }
            Op::VectorTimes => {
                let rows = self.rng.u8(2..=4);
                let vector = self.tame(Type::Value(Scalar::Float, rows), depth);
                let matrix = self.value(Type::Matrix(count, rows), depth);
                Expression::op(ty, op, vec![vector, matrix]).with(Bits::new(14, 8))
            }
            Op::Determinant => {
                let matrix = self.value(Type::Matrix(2, 2), depth);
                Expression::op(ty, op, vec![matrix]).with(Bits::new(13, 8))
            }
            _ => self.leaf(ty),
        }
    }

    /// An operation with a matrix as its result. Its components are made normal column by column.
    pub(super) fn matrix(&mut self, columns: u8, rows: u8, depth: usize) -> Expression {
        let ty = Type::Matrix(columns, rows);
        let column = |count| Type::Value(Scalar::Float, count);
        let ops: Vec<_> = [
            Op::TimesScalar,
            Op::TimesMatrix,
            Op::MatrixSum,
            Op::MatrixDifference,
            Op::ByComponents,
            Op::Outer,
            Op::Transpose,
        ]
        .into_iter()
        .filter(|op| self.recipe.has(super::super::operation::row_of(*op), Scalar::Float))
        .collect();
        if ops.is_empty() {
            return self.leaf(ty);
        }
        let op = self.pick(&ops);
        let operands = match op {
            Op::TimesScalar => vec![self.value(ty, depth), self.tame(column(1), depth)],
            Op::TimesMatrix => {
                let inner = self.rng.u8(2..=4);
                let (left, right) = (Type::Matrix(inner, rows), Type::Matrix(columns, inner));
                vec![self.value(left, depth), self.value(right, depth)]
            }
            Op::Outer => vec![self.tame(column(rows), depth), self.tame(column(columns), depth)],
            Op::Transpose => {
                let matrix = self.value(Type::Matrix(rows, columns), depth);
                return Expression::op(ty, op, vec![matrix]);
            }
            _ => vec![self.value(ty, depth), self.value(ty, depth)],
        };
        let whole = self.held(Expression::op(ty, op, operands));
        let parts = (0..columns)
            .map(|number| {
                let value = Value::Part(Box::new(whole.clone()), number);
                self.normal(Expression::new(column(rows), value).with(Bits::new(14, 8)))
            })
            .collect();
        Expression::new(ty, Value::Compose(parts))
    }
}
