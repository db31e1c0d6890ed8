//! Draws operations on integers and booleans, guarded so that they are defined in every language.

use super::super::operation::{Op, Row, Shape};
use super::super::tree::{BOOL, Bits, Expression, Literal, Scalar, Type, UINT};
use super::Drawer;
use crate::programs::Language;

/// A vector with as many components as `ty` of another scalar.
fn like(ty: Type, scalar: Scalar) -> Type {
    match ty {
        Type::Value(_, count) => Type::Value(scalar, count),
        Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => Type::Value(scalar, 1),
    }
}

impl Drawer<'_> {
    /// An operation of a class that is no float. Its result has the type `ty`.
    pub(super) fn discrete(
        &mut self,
        row: &Row,
        class: Scalar,
        ty: Type,
        depth: usize,
    ) -> Expression {
        let of_class = like(ty, class);
        let value = |drawer: &mut Self| drawer.wide_value(of_class, depth);
        let built = match row.shape {
            Shape::Same(count) => return self.same(row.op, ty, count, depth),
            Shape::Compare | Shape::ReduceTwo | Shape::Words => {
                let of = if let Shape::ReduceTwo = row.shape {
                    Type::Value(class, self.rng.u8(2..=4))
                } else if let Shape::Words = row.shape {
                    UINT
                } else {
                    of_class
                };
                vec![self.wide_value(of, depth), self.wide_value(of, depth)]
            }
            Shape::ToInt => vec![value(self)],
            Shape::Shift => {
                let first = value(self);
                vec![first, self.amount(ty, depth)]
            }
            Shape::Select => {
                let (first, second) = (value(self), value(self));
                let condition = self.wide_value(like(ty, Scalar::Bool), depth);
                vec![first, second, condition]
            }
            Shape::Reduce => {
                let count = self.rng.u8(2..=4);
                vec![self.wide_value(Type::Value(class, count), depth)]
            }
            Shape::Pack => vec![self.wide_value(Type::Value(class, 4), depth)],
            Shape::UnpackInts => vec![self.wide_value(UINT, depth)],
            Shape::Extract => [vec![value(self)], self.field()].concat(),
            Shape::Insert => [vec![value(self), value(self)], self.field()].concat(),
            Shape::Three
            | Shape::Vectors(_)
            | Shape::PackFloats(_)
            | Shape::Unpack(_)
            | Shape::FloatToInt
            | Shape::Scale
            | Shape::Own => return self.own(row.op, class, ty, depth),
        };
        Expression::op(ty, row.op, built).with(Bits::normal(ty))
    }

    /// An operation whose operands have the type of the result.
    fn same(&mut self, op: Op, ty: Type, operands: u8, depth: usize) -> Expression {
        let first = self.wide_value(ty, depth);
        let (scalar, count) = first.scalar();
        let number = |number| Expression::numbers(scalar, count, number);
        match op {
            Op::Divide => {
                let (first, divisor) = (first, self.divisor(ty, depth));
                first.then(op, vec![divisor])
            }
            Op::Remainder => {
                // GLSL leaves remainders of negative numbers undefined.
                let is_guarded = self.recipe.is_for(Language::Glsl) && scalar.is_signed();
                let first =
                    if is_guarded { first.then(Op::And, vec![number(0x7fff_ffff)]) } else { first };
                let divisor = if is_guarded {
                    self.masked(ty, 15, depth).then(Op::Add, vec![number(1)])
                } else {
                    self.divisor(ty, depth)
                };
                first.then(op, vec![divisor])
            }
            // The absolute value of the least number is not defined everywhere.
            Op::Abs if scalar.is_signed() => {
                first.then(Op::Or, vec![number(1)]).then(op, Vec::new())
            }
            Op::Clamp => {
                let (a, b) = (self.leaf(ty), self.leaf(ty));
                if a.is_constant && b.is_constant {
                    // WGSL checks the order of constant bounds.
                    let (low, high) = (self.rng.i32(0..20), self.rng.i32(20..40));
                    return first.then(op, vec![number(low), number(high)]);
                }
                let low = a.clone().then(Op::Min, vec![b.clone()]);
                first.then(op, vec![low, a.then(Op::Max, vec![b])])
            }
            _ => {
                let others = (1..operands).map(|_| self.wide_value(ty, depth)).collect();
                first.then(op, others)
            }
        }
    }

    /// A positive number, or a constant that compilers replace by a product.
    fn divisor(&mut self, ty: Type, depth: usize) -> Expression {
        let (scalar, count) = match ty {
            Type::Value(scalar, count) => (scalar, count),
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => (Scalar::Int, 1),
        };
        if self.rng.bool() {
            let number = self.pick(&[2, 3, 5, 7, 8, 10, 11, 100, 641, 65536]);
            return Expression::numbers(scalar, count, number);
        }
        let small = self.masked(ty, 15, depth);
        small.then(Op::Add, vec![Expression::numbers(scalar, count, 1)])
    }

    /// An amount of a shift.
    fn amount(&mut self, ty: Type, depth: usize) -> Expression {
        let Type::Value(scalar, count) = ty else { return self.leaf(UINT) };
        let most: i32 = if scalar.is_wide() { 63 } else { 31 };
        if self.rng.bool() {
            let number = self.rng.i32(0..=most);
            return Expression::numbers(Scalar::Uint, count, number);
        }
        let mask = self.pick(&[3, 7, most]);
        self.masked(Type::Value(Scalar::Uint, count), mask, depth)
    }

    /// An offset and a width within a word.
    fn field(&mut self) -> Vec<Expression> {
        let offset = self.rng.i32(0..31);
        let width = self.rng.i32(1..=32 - offset);
        vec![Expression::number(Scalar::Uint, offset), Expression::number(Scalar::Uint, width)]
    }

    fn own(&mut self, op: Op, class: Scalar, ty: Type, depth: usize) -> Expression {
        let (scalar, count) = match ty {
            Type::Value(scalar, count) => (scalar, count),
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => (class, 1),
        };
        match op {
            Op::Cast if scalar.is_exact() => {
                // Six bits are left, so that the float has room.
                let small = if class == Scalar::Bool {
                    self.wide_value(like(ty, class), depth)
                } else {
                    self.masked(like(ty, class), 63, depth)
                };
                small.cast(scalar).with(Bits { before: 6, behind: 0 })
            }
            Op::Cast => self.wide_value(like(ty, class), depth).cast(scalar),
            Op::Bits => Expression::op(ty, op, vec![self.wide_value(like(ty, class), depth)]),
            Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => {
                // The second operand may not be evaluated, so no call stands before it.
                let first = self.wide_value(BOOL, depth);
                let had = std::mem::replace(&mut self.has_no_calls, true);
                let second = self.wide_value(BOOL, depth);
                self.has_no_calls = had;
                first.then(op, vec![second])
            }
            _ => Expression::literal(scalar, Literal::Int(0)).splat(count),
        }
    }
}
