//! Draws operations on exact floats, and keeps count of their bits.

use super::super::operation::{Op, Row, Shape};
use super::super::tree::{Bits, Expression, Literal, Scalar, Type, Value};
use super::Drawer;

impl Bits {
    const fn new(before: u8, behind: u8) -> Self {
        Self { before, behind }
    }

    fn max(self, other: Self) -> Self {
        Self::new(self.before.max(other.before), self.behind.max(other.behind))
    }

    /// Those of exact floats in variables.
    pub(super) const fn normal(ty: Type) -> Self {
        match ty {
            Type::Value(Scalar::Half, _) => Self::new(3, 2),
            Type::Value(..) | Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => {
                Self::new(6, 4)
            }
        }
    }

    /// True if a sum of such numbers leaves two bits free, so that no order of summands rounds.
    const fn fits(self, scalar: Scalar) -> bool {
        let most = match scalar {
            Scalar::Double => 45,
            Scalar::Half => 8,
            _ => 21,
        };
        self.before + self.behind <= most
    }

    /// True if a product with such bits is a number of the kind. Halves have no room for sums of whole products.
    const fn holds_product(self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::Half => self.before + self.behind <= 10,
            _ => self.fits(scalar),
        }
    }

    /// Those of a sum of up to 2^`doublings` such numbers.
    const fn summed(self, doublings: u8) -> Self {
        Self::new(self.before + doublings, self.behind)
    }

    /// Those of a product.
    const fn times(self, other: Self) -> Self {
        Self::new(self.before + other.before, self.behind + other.behind)
    }
}

/// The absolute value, or a sixteenth where it is zero, whose sign implementations may ignore.
fn positive(value: Expression) -> Expression {
    let (scalar, count) = value.scalar();
    let least = Expression::floats(scalar, count, 1.0 / 16.0);
    value.then(Op::Abs, Vec::new()).then(Op::Max, vec![least])
}

impl Drawer<'_> {
    /// The value, with no more bits than a variable holds if it is an exact float.
    pub(super) fn normal(&mut self, value: Expression) -> Expression {
        let Type::Value(scalar, count) = value.ty else { return value };
        if !scalar.is_exact() {
            return value;
        }
        let floats = |value| Expression::floats(scalar, count, value);
        let Bits { before, behind } = value.bits;
        let most = Bits::normal(value.ty);
        let [range, parts] = [most.before, most.behind].map(|bits| f64::from(1_u32 << bits));
        let value = if behind > most.behind {
            let scaled = value.then(Op::Multiply, vec![floats(parts)]);
            let whole = self.pick(&[Op::Floor, Op::Truncate, Op::Ceil]);
            scaled.then(whole, Vec::new()).then(Op::Multiply, vec![floats(1.0 / parts)])
        } else {
            value
        };
        let value = if before <= most.before {
            value
        } else if self.rng.bool() {
            value.then(Op::Clamp, vec![floats(-range), floats(range)])
        } else {
            let small = value.then(Op::Multiply, vec![floats(1.0 / range)]);
            small.then(Op::Fract, Vec::new()).then(Op::Multiply, vec![floats(range)])
        };
        value.with(most)
    }

    /// One of the factors of products that are added. That of halves is a small whole number, so that the sum has room.
    fn factor(&mut self, ty: Type, depth: usize) -> Expression {
        let value = self.tame(ty, depth);
        let (scalar, count) = value.scalar();
        if scalar != Scalar::Half {
            return value;
        }
        let quarter = Expression::floats(scalar, count, 0.25);
        value.then(Op::Multiply, vec![quarter]).then(Op::Floor, Vec::new()).with(Bits::new(1, 0))
    }

    /// An exact float that a variable can hold.
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
                Expression::op(ty, row.op, operands).with(Bits::normal(ty))
            }
            Shape::Select => {
                let (a, b) = (self.wide_value(ty, depth), self.wide_value(ty, depth));
                let bits = a.bits.max(b.bits);
                let condition = self.wide_value(Type::Value(Scalar::Bool, count), depth);
                Expression::op(ty, row.op, vec![a, b, condition]).with(bits)
            }
            Shape::ReduceTwo => {
                let of = Type::Value(class, self.rng.u8(2..=4));
                let (a, b) = (self.factor(of, depth), self.tame(of, depth));
                let bits = a.bits.times(b.bits).summed(2);
                Expression::op(ty, row.op, vec![a, b]).with(bits)
            }
            Shape::Three => {
                let (a, b) = (self.factor(ty, depth), self.tame(ty, depth));
                let bits = a.bits.times(b.bits).summed(1);
                Expression::op(ty, row.op, vec![a, b]).with(bits)
            }
            Shape::PackFloats(count) => {
                let value = self.tame(Type::Value(class, count), depth);
                let value = if row.op == Op::PackHalf {
                    positive(value)
                } else {
                    // No such number is halfway between two results.
                    let whole = value.then(Op::Floor, Vec::new());
                    whole.then(Op::Add, vec![Expression::floats(class, count, 0.25)])
                };
                Expression::op(ty, row.op, vec![value]).with(Bits::normal(ty))
            }
            Shape::FloatToInt => {
                let value = self.tame(of_class, depth);
                Expression::op(ty, row.op, vec![value]).with(Bits::normal(ty))
            }
            Shape::Scale => {
                let exponent = self.rng.i32(-3..=3);
                let exponent = Expression::literal(Scalar::Int, Literal::Int(exponent.into()));
                let operands = vec![self.tame(ty, depth), exponent.splat(count)];
                let Bits { before, behind } = Bits::normal(ty);
                Expression::op(ty, row.op, operands).with(Bits::new(before + 3, behind + 3))
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
            | Shape::Unpack(_)
            | Shape::UnpackInts => self.leaf(ty),
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
            Op::Fract | Op::ModfFraction | Op::Saturate => {
                a.then(op, Vec::new()).with(Bits::new(0, behind))
            }
            Op::Sign => a.then(op, Vec::new()).with(Bits::new(0, 0)),
            Op::Significand => {
                let Bits { before, behind } = Bits::normal(ty);
                self.normal(a).then(op, Vec::new()).with(Bits::new(0, before + behind + 2))
            }
            Op::Fma => {
                let a = self.normal(a);
                let (b, c) = (self.factor(ty, depth), self.tame(ty, depth));
                let bits = a.bits.times(b.bits).max(c.bits).summed(1);
                a.then(op, vec![b, c]).with(bits)
            }
            Op::Multiply => {
                let mut b = self.wide_value(ty, depth);
                if !a.bits.times(b.bits).holds_product(scalar) {
                    (a, b) = (self.normal(a), self.normal(b));
                }
                let bits = a.bits.times(b.bits);
                a.then(op, vec![b]).with(bits)
            }
            Op::Clamp => {
                let most = if scalar == Scalar::Half { 6 } else { 40 };
                let (low, high) = (self.rng.i32(-most..0), self.rng.i32(0..most));
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
                let sum = |a: &Expression, b: &Expression| a.bits.max(b.bits).summed(1);
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
                // A half has room for all bits of a float in a variable.
                let bits = if scalar.is_exact() { value.bits } else { Bits::normal(ty) };
                value.cast(scalar).with(bits)
            }
            Op::Bits => {
                let value = self.tame(Type::Value(class, count), depth);
                Expression::op(ty, op, vec![positive(value)]).with(Bits::normal(ty))
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

#[cfg(test)]
mod tests {
    use super::super::super::walk::{self, Part};
    use super::super::super::{Language, Recipe};
    use super::super::program;
    use super::*;

    /// The operations on halves of many programs, with the bits of their results.
    fn of_halves() -> Vec<(Op, Bits)> {
        let mut found = Vec::new();
        for seed in 0..200 {
            for stage in &program(seed, &Recipe::new(Language::Wgsl)).stages {
                walk::stage(stage, &mut |part| {
                    if let Part::Expression(value) = part
                        && let Value::Op(op, _) = value.value
                        && value.scalar().0 == Scalar::Half
                    {
                        found.push((op, value.bits));
                    }
                });
            }
        }
        found
    }

    #[test]
    fn sums_of_halves_leave_two_bits_free() {
        let sums = [Op::Add, Op::Subtract, Op::Fma, Op::Dot, Op::Cross];
        let all: Vec<_> = of_halves().into_iter().filter(|(op, _)| sums.contains(op)).collect();
        assert!(sums.iter().all(|sum| all.iter().any(|(op, _)| op == sum)));
        assert!(all.iter().all(|(_, bits)| bits.before + bits.behind <= 8), "{all:?}");
    }

    #[test]
    fn a_half_has_room_for_a_product_of_two_variables_and_a_sum_of_products_has_none() {
        let normal = Bits::normal(Type::Value(Scalar::Half, 1));
        let product = normal.times(normal);
        assert!(product.holds_product(Scalar::Half) && !product.fits(Scalar::Half));
        assert!(!product.times(normal).holds_product(Scalar::Half));
        assert!(normal.summed(1).fits(Scalar::Half));
        assert!(product.summed(1).fits(Scalar::Float));
    }
}
