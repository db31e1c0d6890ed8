//! Draws inexact floats: continuous functions of values within ±64, with results within ±64.

use super::super::operation::{Op, ROWS, Row, Shape};
use super::super::tree::{Expression, Scalar, Type, Value, Varying};
use super::Drawer;

const fn of(count: u8) -> Type {
    Type::Value(Scalar::Rough, count)
}

impl Drawer<'_> {
    /// Inexact floats.
    pub(super) fn rough(&mut self, count: u8, depth: usize) -> Expression {
        match self.rng.u8(0..10) {
            _ if depth == 0 => self.rough_leaf(count),
            0 => self.rough_leaf(count),
            1 if count > 1 => self.compose(of(count), depth - 1),
            2 => self.call_or_leaf(of(count), depth - 1),
            3 if count > 1 => {
                let from = self.rng.u8(2..=4);
                let whole = Box::new(self.rough(from, depth - 1));
                let parts = (0..count).map(|_| self.rng.u8(0..from)).collect();
                Expression::new(of(count), Value::Swizzle(whole, parts))
            }
            4 if count == 4 => self.filtered(depth - 1).unwrap_or_else(|| self.rough_leaf(count)),
            _ => self.rough_operation(count, depth - 1),
        }
    }

    /// A variable, or an exact float.
    fn rough_leaf(&mut self, count: u8) -> Expression {
        if self.rng.bool() {
            return self.leaf(of(count));
        }
        let exact = self.value(Type::Value(Scalar::Float, count), 1);
        let is_constant = exact.is_constant;
        let value = Value::Rough(Box::new(exact));
        Expression { is_constant, ..Expression::new(of(count), value) }
    }

    fn rough_operation(&mut self, count: u8, depth: usize) -> Expression {
        let is_fitting = |row: &&Row| {
            self.recipe.has(row, Scalar::Rough)
                && (!row.op.is_derivative() || self.has_derivatives())
                && match row.shape {
                    Shape::Same(_) | Shape::Select => true,
                    Shape::Reduce | Shape::ReduceTwo => count == 1,
                    Shape::Three => count == 3,
                    Shape::Vectors(_) => count > 1,
                    Shape::Unpack(size) => count == size,
                    _ => false,
                }
        };
        let fitting: Vec<_> = ROWS.iter().filter(is_fitting).collect();
        let row = self.pick(&fitting);
        let built = self.rough_row(row, count, depth);
        if built.is_constant { self.rough_leaf(count) } else { built }
    }

    fn rough_row(&mut self, row: &Row, count: u8, depth: usize) -> Expression {
        let ty = of(count);
        let operands = match row.shape {
            Shape::Select => {
                let (a, b) = (self.rough(count, depth), self.rough(count, depth));
                let condition = self.wide_value(Type::Value(Scalar::Bool, count), depth);
                vec![a, b, condition]
            }
            Shape::Reduce => vec![self.rough_vector(depth)],
            Shape::ReduceTwo => {
                let first = self.rough_vector(depth);
                let (_, size) = first.scalar();
                vec![first, self.rough(size, depth)]
            }
            Shape::Unpack(_) => return self.unpacked(row.op, ty, depth),
            Shape::Three => vec![self.rough(3, depth), self.rough(3, depth)],
            Shape::Vectors(_) => return self.directions(row.op, count, depth),
            _ if row.op.is_derivative() => {
                let operand = self.smooth(count);
                return limited(operand.then(row.op, Vec::new()), 64.0);
            }
            _ => return self.rough_same(row.op, count, depth),
        };
        let value = Expression::op(ty, row.op, operands);
        match row.op {
            Op::Dot | Op::Cross => limited(value, 64.0),
            // Its derivative is not bounded at 0.
            Op::Length | Op::Distance => value.then(Op::Max, vec![float(1, 0.5)]),
            _ => value,
        }
    }

    fn rough_vector(&mut self, depth: usize) -> Expression {
        let size = self.rng.u8(2..=4);
        self.rough(size, depth)
    }

    fn unpacked(&mut self, op: Op, ty: Type, depth: usize) -> Expression {
        let word = self.wide_value(super::super::tree::UINT, depth);
        // No NaN, no infinity, no denormal number.
        let word = if op == Op::UnpackHalf {
            let mask = [Op::And, Op::Or].into_iter().zip([0x3fff_3fff, 0x2000_2000]);
            mask.fold(word, |word, (op, bits)| {
                word.then(op, vec![Expression::number(Scalar::Uint, bits)])
            })
        } else {
            word
        };
        Expression::op(ty, op, vec![word])
    }

    /// Functions of directions, away from where they are not continuous.
    fn directions(&mut self, op: Op, count: u8, depth: usize) -> Expression {
        let value = self.rough(count, depth);
        let direction = above(value, 0.5).then(Op::Normalize, Vec::new());
        match op {
            Op::Reflect => {
                let incident = self.rough(count, depth);
                limited(incident.then(op, vec![direction]), 64.0)
            }
            Op::Refract => {
                let incident = self.rough(count, depth);
                let incident = above(incident, 0.5).then(Op::Normalize, Vec::new());
                incident.then(op, vec![direction, float(1, 0.5)])
            }
            Op::FaceForward => {
                let (incident, reference) = (float(count, 1.0), float(count, -0.5));
                direction.then(op, vec![incident, reference])
            }
            _ => direction,
        }
    }

    /// A function of each component, with operands for which it is continuous and bounded.
    fn rough_same(&mut self, op: Op, count: u8, depth: usize) -> Expression {
        let a = self.rough(count, depth);
        let mut other = || self.rough(count, depth);
        match op {
            Op::Add | Op::Subtract => {
                a.then(op, vec![other()]).then(Op::Multiply, vec![float(count, 0.5)])
            }
            Op::Multiply => limited(a.then(op, vec![other()]), 64.0),
            Op::Divide => {
                let divisor = above(other(), 0.5);
                limited(a.then(op, vec![divisor]), 64.0)
            }
            Op::Min | Op::Max => a.then(op, vec![other()]),
            Op::Clamp => limited(a, 3.0),
            Op::Fma => {
                let (b, c) = (other(), other());
                limited(a.then(op, vec![b, c]), 64.0)
            }
            Op::Sqrt | Op::InverseSqrt | Op::Log | Op::Log2 => above(a, 0.5).then(op, Vec::new()),
            Op::Tan => limited(a, 1.0).then(op, Vec::new()),
            Op::Asin | Op::Acos | Op::Atanh => limited(a, 0.75).then(op, Vec::new()),
            Op::Atan2 => {
                let x = above(other(), 0.5);
                a.then(op, vec![x])
            }
            // Vulkan bounds the errors of sine and cosine from -π to π. A hyperbolic tangent may be a quotient that overflows.
            Op::Sin | Op::Cos | Op::Sinh | Op::Cosh | Op::Tanh | Op::Exp | Op::Exp2 => {
                limited(a, 3.0).then(op, Vec::new())
            }
            Op::Acosh => above(a, 1.5).then(op, Vec::new()),
            Op::Pow => {
                let exponent = limited(other(), 2.0);
                limited(above(a, 0.5).then(op, vec![exponent]), 64.0)
            }
            Op::Mix => {
                let (b, weight) = (other(), other());
                a.then(op, vec![b, limited(weight, 1.0)])
                    .then(Op::Multiply, vec![float(count, 0.25)])
            }
            Op::SmoothStep => {
                let edges = [-1.0, 1.5].map(|edge| float(count, edge));
                let [low, high] = edges;
                low.then(op, vec![high, a])
            }
            Op::Degrees => limited(a.then(op, Vec::new()), 64.0),
            _ => a.then(op, Vec::new()),
        }
    }

    /// Floats that change little from pixel to pixel: implementations choose the pixels of a derivative.
    fn smooth(&mut self, count: u8) -> Expression {
        let is_rough =
            |varying: &&Varying| matches!(varying.variable.ty, Type::Value(Scalar::Rough, _));
        let all: Vec<_> = self.program.varyings.iter().filter(is_rough).copied().collect();
        let value = Expression::variable(self.pick(&all).variable);
        let (_, size) = value.scalar();
        let part = value.component(self.rng.u8(0..size)).splat(count);
        match self.rng.u8(0..3) {
            0 => part,
            1 => limited(part, 3.0).then(Op::Sin, Vec::new()),
            _ => part.then(Op::Multiply, vec![float(count, -0.5)]),
        }
    }

    fn call_or_leaf(&mut self, ty: Type, depth: usize) -> Expression {
        self.call(ty, depth).unwrap_or_else(|| self.leaf(ty))
    }
}

pub(super) fn float(count: u8, value: f64) -> Expression {
    Expression::floats(Scalar::Rough, count, value)
}

/// The value, within ±`most`.
pub(super) fn limited(value: Expression, most: f64) -> Expression {
    let (_, count) = value.scalar();
    value.then(Op::Clamp, vec![float(count, -most), float(count, most)])
}

/// The absolute value, plus a number.
fn above(value: Expression, least: f64) -> Expression {
    let (_, count) = value.scalar();
    value.then(Op::Abs, Vec::new()).then(Op::Add, vec![float(count, least)])
}
