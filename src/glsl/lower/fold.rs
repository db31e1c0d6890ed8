//! Evaluates expressions that turn out to be constant.
//!
//! It works on the lowered expressions, where types are settled and conversions explicit. What it does not know
//! (loads of variables, calls, rare functions) is simply not constant.

use naga::{BinaryOperator, Expression, Handle, MathFunction, RelationalFunction, UnaryOperator};

use super::body::Body;
use super::constant::{Constant, convert_bits, literal_bits};
use super::packing;
use super::types::{Kind, Shape};

/// Limit on the depth; deeper expressions are not constant.
const MAX_DEPTH: u32 = 100;

impl Body<'_, '_> {
    /// The value of an expression of this function, if it is constant.
    pub(super) fn evaluate(&mut self, handle: Handle<Expression>) -> Option<Constant> {
        self.evaluate_at(handle, 0)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in functions of their own")]
    fn evaluate_at(&mut self, handle: Handle<Expression>, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let deeper = depth + 1;
        match self.code.function.expressions[handle].clone() {
            Expression::Literal(literal) => {
                let (kind, bits) = literal_bits(literal)?;
                Some(Constant::new(self.stage.scalar(kind), [bits]))
            }
            Expression::ZeroValue(ty) => {
                let count = usize::try_from(self.stage.scalar_count(ty)).ok()?;
                Some(Constant::new(ty, vec![0; count]))
            }
            Expression::AccessIndex { base, index } => {
                let base = self.evaluate_base(base, deeper)?;
                self.stage.constant_part(&base, index)
            }
            Expression::Access { base, index } => {
                let index = self.evaluate_at(index, deeper)?;
                let base = self.evaluate_base(base, deeper)?;
                self.stage.constant_part(&base, *index.bits.first()?)
            }
            Expression::Load { pointer } => self.evaluate_base(pointer, deeper),
            Expression::Compose { .. } | Expression::Splat { .. } | Expression::Swizzle { .. } => {
                self.evaluate_composition(handle, deeper)
            }
            _ => self.evaluate_operation(handle, deeper),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only compositions come here")]
    fn evaluate_composition(
        &mut self,
        handle: Handle<Expression>,
        deeper: u32,
    ) -> Option<Constant> {
        match self.code.function.expressions[handle].clone() {
            Expression::Compose { ty, components } => {
                let mut bits = Vec::new();
                for component in components {
                    bits.extend_from_slice(&self.evaluate_at(component, deeper)?.bits);
                }
                Some(Constant::new(ty, bits))
            }
            Expression::Splat { size, value } => {
                let value = self.evaluate_at(value, deeper)?;
                let kind = self.shape(value.ty).kind()?;
                let ty = self.stage.vector(size as u8, kind);
                Some(Constant::new(ty, vec![*value.bits.first()?; size as usize]))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.evaluate_at(vector, deeper)?;
                let kind = self.shape(vector.ty).kind()?;
                let chosen = pattern.iter().take(size as usize);
                let bits = chosen.map(|idx| vector.bits.get(*idx as usize).copied());
                let bits = bits.collect::<Option<Vec<u32>>>()?;
                Some(Constant::new(self.stage.vector(size as u8, kind), bits))
            }
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "every other expression is not constant")]
    fn evaluate_operation(&mut self, handle: Handle<Expression>, deeper: u32) -> Option<Constant> {
        match self.code.function.expressions[handle].clone() {
            Expression::Unary { op, expr } => {
                let operand = self.evaluate_at(expr, deeper)?;
                let kind = self.shape(operand.ty).kind()?;
                let bits = operand.bits.iter().map(|bits| unary(op, kind, *bits));
                Some(Constant::new(operand.ty, bits.collect::<Option<Vec<u32>>>()?))
            }
            Expression::Binary { op, left, right } => {
                let (left, right) =
                    (self.evaluate_at(left, deeper)?, self.evaluate_at(right, deeper)?);
                self.evaluate_binary(op, &left, &right)
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.evaluate_at(condition, deeper)?;
                let (accept, reject) =
                    (self.evaluate_at(accept, deeper)?, self.evaluate_at(reject, deeper)?);
                let bits = (0..accept.bits.len()).map(|idx| {
                    let chosen = condition.bits.get(idx).or(condition.bits.first())?;
                    let from = if *chosen != 0 { &accept } else { &reject };
                    from.bits.get(idx).copied()
                });
                Some(Constant::new(accept.ty, bits.collect::<Option<Vec<u32>>>()?))
            }
            Expression::As { expr, kind, convert } => {
                self.evaluate_as(expr, kind, convert.is_some(), deeper)
            }
            Expression::Relational { fun, argument } => {
                let argument = self.evaluate_at(argument, deeper)?;
                let is_true = match fun {
                    RelationalFunction::All => argument.bits.iter().all(|bits| *bits != 0),
                    RelationalFunction::Any => argument.bits.iter().any(|bits| *bits != 0),
                    RelationalFunction::IsNan | RelationalFunction::IsInf => return None,
                };
                Some(Constant::new(self.stage.scalar(Kind::Bool), [u32::from(is_true)]))
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut arguments = vec![self.evaluate_at(arg, deeper)?];
                for argument in [arg1, arg2, arg3].into_iter().flatten() {
                    arguments.push(self.evaluate_at(argument, deeper)?);
                }
                self.evaluate_math(fun, &arguments)
            }
            _ => None,
        }
    }

    /// The value behind a pointer into a constant global, or of an ordinary constant expression.
    fn evaluate_base(&mut self, base: Handle<Expression>, depth: u32) -> Option<Constant> {
        if let Expression::GlobalVariable(global) = self.code.function.expressions[base] {
            return self.stage.globals.get(&global)?.constant.clone();
        }
        self.evaluate_at(base, depth)
    }

    fn evaluate_as(
        &mut self,
        expr: Handle<Expression>,
        kind: naga::ScalarKind,
        is_conversion: bool,
        depth: u32,
    ) -> Option<Constant> {
        let operand = self.evaluate_at(expr, depth)?;
        let shape = self.shape(operand.ty);
        let from = shape.kind()?;
        let to = Kind::of(naga::Scalar { kind, width: 4 });
        let convert =
            |bits: &u32| if is_conversion { convert_bits(from, to, *bits) } else { *bits };
        let ty = self.stage.vector(shape.components()?, to);
        Some(Constant::new(ty, operand.bits.iter().map(convert).collect::<Vec<u32>>()))
    }

    fn evaluate_binary(
        &mut self,
        op: BinaryOperator,
        left: &Constant,
        right: &Constant,
    ) -> Option<Constant> {
        let (left_shape, right_shape) = (self.shape(left.ty), self.shape(right.ty));
        if matches!(left_shape, Shape::Matrix(..)) || matches!(right_shape, Shape::Matrix(..)) {
            let is_product = op == BinaryOperator::Multiply;
            return is_product.then(|| self.evaluate_product(left, right)).flatten();
        }
        let kind = left_shape.kind()?;
        let count = left.bits.len().max(right.bits.len());
        let component = |of: &Constant, idx: usize| of.bits.get(idx).or(of.bits.first()).copied();
        let bits = (0..count)
            .map(|idx| binary(op, kind, component(left, idx)?, component(right, idx)?))
            .collect::<Option<Vec<u32>>>()?;
        let size = u8::try_from(count).ok()?;
        let result = if is_comparison(op) { Kind::Bool } else { kind };
        Some(Constant::new(self.stage.vector(size, result), bits))
    }

    fn evaluate_math(&mut self, fun: MathFunction, arguments: &[Constant]) -> Option<Constant> {
        let first = arguments.first()?;
        let kind = self.shape(first.ty).kind()?;
        if matches!(self.shape(first.ty), Shape::Matrix(..)) {
            return None;
        }
        if let Some((kind, bits)) = packing::fold(fun, &first.bits) {
            let size = u8::try_from(bits.len()).ok()?;
            return Some(Constant::new(self.stage.vector(size, kind), bits));
        }
        if let (MathFunction::Ldexp, [x, power]) = (fun, arguments) {
            let scaled = x.bits.iter().zip(&*power.bits);
            let bits = scaled.map(|(x, power)| scale(f32::from_bits(*x), power.cast_signed()));
            return Some(Constant::new(first.ty, bits.map(f32::to_bits).collect::<Vec<_>>()));
        }
        let bits = (0..first.bits.len())
            .map(|idx| {
                // Numbers of bits may be scalars beside vectors.
                let component = |of: &Constant| of.bits.get(idx).or(of.bits.first()).copied();
                let scalars: Option<Vec<u32>> = arguments.iter().map(component).collect();
                math(fun, kind, &scalars?)
            })
            .collect::<Option<Vec<u32>>>()?;
        Some(Constant::new(first.ty, bits))
    }
}

const fn is_comparison(op: BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
    )
}

fn unary(op: UnaryOperator, kind: Kind, bits: u32) -> Option<u32> {
    match (op, kind) {
        (UnaryOperator::Negate, Kind::Float) => Some((-f32::from_bits(bits)).to_bits()),
        (UnaryOperator::Negate, Kind::Int) => Some(bits.wrapping_neg()),
        (UnaryOperator::LogicalNot, Kind::Bool) => Some(bits ^ 1),
        (UnaryOperator::BitwiseNot, Kind::Int | Kind::Uint) => Some(!bits),
        _ => None,
    }
}

fn binary(op: BinaryOperator, kind: Kind, left: u32, right: u32) -> Option<u32> {
    match kind {
        Kind::Float => float_binary(op, f32::from_bits(left), f32::from_bits(right)),
        Kind::Int => int_binary(op, left.cast_signed(), right.cast_signed()),
        Kind::Uint => uint_binary(op, left, right),
        Kind::Bool => bool_binary(op, left != 0, right != 0).map(u32::from),
    }
}

#[expect(clippy::float_cmp, reason = "GLSL's own exact comparison")]
#[expect(clippy::wildcard_enum_match_arm, reason = "not defined on floats")]
fn float_binary(op: BinaryOperator, left: f32, right: f32) -> Option<u32> {
    let value = match op {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide => left / right,
        BinaryOperator::Equal => return Some(u32::from(left == right)),
        BinaryOperator::NotEqual => return Some(u32::from(left != right)),
        BinaryOperator::Less => return Some(u32::from(left < right)),
        BinaryOperator::LessEqual => return Some(u32::from(left <= right)),
        BinaryOperator::Greater => return Some(u32::from(left > right)),
        BinaryOperator::GreaterEqual => return Some(u32::from(left >= right)),
        _ => return None,
    };
    Some(value.to_bits())
}

/// Division by zero is undefined in GLSL; it is left to run time.
fn int_binary(op: BinaryOperator, left: i32, right: i32) -> Option<u32> {
    let compared = match op {
        BinaryOperator::Less => Some(left < right),
        BinaryOperator::LessEqual => Some(left <= right),
        BinaryOperator::Greater => Some(left > right),
        BinaryOperator::GreaterEqual => Some(left >= right),
        BinaryOperator::Divide => return left.checked_div(right).map(i32::cast_unsigned),
        BinaryOperator::Modulo => return left.checked_rem(right).map(i32::cast_unsigned),
        BinaryOperator::ShiftRight => {
            return Some(left.wrapping_shr(right.cast_unsigned()).cast_unsigned());
        }
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::And
        | BinaryOperator::ExclusiveOr
        | BinaryOperator::InclusiveOr
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr
        | BinaryOperator::ShiftLeft => None,
    };
    compared.map(u32::from).or_else(|| uint_binary(op, left.cast_unsigned(), right.cast_unsigned()))
}

fn uint_binary(op: BinaryOperator, left: u32, right: u32) -> Option<u32> {
    Some(match op {
        BinaryOperator::Add => left.wrapping_add(right),
        BinaryOperator::Subtract => left.wrapping_sub(right),
        BinaryOperator::Multiply => left.wrapping_mul(right),
        BinaryOperator::Divide => left.checked_div(right)?,
        BinaryOperator::Modulo => left.checked_rem(right)?,
        BinaryOperator::Equal => u32::from(left == right),
        BinaryOperator::NotEqual => u32::from(left != right),
        BinaryOperator::Less => u32::from(left < right),
        BinaryOperator::LessEqual => u32::from(left <= right),
        BinaryOperator::Greater => u32::from(left > right),
        BinaryOperator::GreaterEqual => u32::from(left >= right),
        BinaryOperator::And => left & right,
        BinaryOperator::ExclusiveOr => left ^ right,
        BinaryOperator::InclusiveOr => left | right,
        BinaryOperator::ShiftLeft => left.wrapping_shl(right),
        BinaryOperator::ShiftRight => left.wrapping_shr(right),
        BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => return None,
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "not defined on booleans")]
const fn bool_binary(op: BinaryOperator, left: bool, right: bool) -> Option<bool> {
    match op {
        BinaryOperator::Equal => Some(left == right),
        BinaryOperator::NotEqual => Some(left != right),
        BinaryOperator::LogicalAnd | BinaryOperator::And => Some(left && right),
        BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => Some(left || right),
        _ => None,
    }
}

fn math(fun: MathFunction, kind: Kind, arguments: &[u32]) -> Option<u32> {
    match kind {
        Kind::Float => {
            let arguments: Vec<f32> = arguments.iter().map(|bits| f32::from_bits(*bits)).collect();
            float_math(fun, &arguments).map(f32::to_bits)
        }
        Kind::Int => {
            let arguments: Vec<i32> = arguments.iter().map(|bits| bits.cast_signed()).collect();
            int_math(fun, &arguments).map(i32::cast_unsigned)
        }
        Kind::Uint => match (fun, arguments) {
            (MathFunction::Min, [a, b]) => Some(*a.min(b)),
            (MathFunction::Max, [a, b]) => Some(*a.max(b)),
            (MathFunction::Clamp, [x, low, high]) => Some(*x.max(low).min(high)),
            (MathFunction::CountOneBits, [x]) => Some(x.count_ones()),
            (MathFunction::ReverseBits, [x]) => Some(x.reverse_bits()),
            (MathFunction::FirstTrailingBit, [x]) => Some(lowest_bit(*x)),
            (MathFunction::FirstLeadingBit, [x]) => Some(highest_bit(*x)),
            (MathFunction::ExtractBits, [x, offset, count]) => {
                Some((x & field_mask(*offset, *count)?).checked_shr(*offset).unwrap_or(0))
            }
            (MathFunction::InsertBits, [x, new, offset, count]) => {
                insert_bits(*x, *new, *offset, *count)
            }
            _ => None,
        },
        Kind::Bool => None,
    }
}

fn float_math(fun: MathFunction, arguments: &[f32]) -> Option<f32> {
    Some(match (fun, arguments) {
        (MathFunction::Abs, [x]) => x.abs(),
        (MathFunction::Sign, [x]) => {
            if *x == 0.0 {
                0.0
            } else {
                x.signum()
            }
        }
        (MathFunction::Floor, [x]) => x.floor(),
        (MathFunction::Ceil, [x]) => x.ceil(),
        (MathFunction::Trunc, [x]) => x.trunc(),
        (MathFunction::Round, [x]) => x.round_ties_even(),
        (MathFunction::Fract, [x]) => x - x.floor(),
        (MathFunction::Sqrt, [x]) => x.sqrt(),
        (MathFunction::InverseSqrt, [x]) => x.sqrt().recip(),
        (MathFunction::Sin, [x]) => x.sin(),
        (MathFunction::Cos, [x]) => x.cos(),
        (MathFunction::Tan, [x]) => x.tan(),
        (MathFunction::Asin, [x]) => x.asin(),
        (MathFunction::Acos, [x]) => x.acos(),
        (MathFunction::Atan, [x]) => x.atan(),
        (MathFunction::Atan2, [y, x]) => y.atan2(*x),
        (MathFunction::Exp, [x]) => x.exp(),
        (MathFunction::Exp2, [x]) => x.exp2(),
        (MathFunction::Log, [x]) => x.ln(),
        (MathFunction::Log2, [x]) => x.log2(),
        (MathFunction::Radians, [x]) => x.to_radians(),
        (MathFunction::Degrees, [x]) => x.to_degrees(),
        (MathFunction::Pow, [x, y]) => x.powf(*y),
        (MathFunction::Min, [x, y]) => x.min(*y),
        (MathFunction::Max, [x, y]) => x.max(*y),
        (MathFunction::Step, [edge, x]) => f32::from(u8::from(x >= edge)),
        (MathFunction::Clamp, [x, low, high]) => x.max(*low).min(*high),
        (MathFunction::Sinh, [x]) => x.sinh(),
        (MathFunction::Cosh, [x]) => x.cosh(),
        (MathFunction::Tanh, [x]) => x.tanh(),
        (MathFunction::Asinh, [x]) => x.asinh(),
        (MathFunction::Acosh, [x]) => x.acosh(),
        (MathFunction::Atanh, [x]) => x.atanh(),
        (MathFunction::Fma, [x, y, z]) => x * y + z,
        (MathFunction::SmoothStep, [low, high, x]) => {
            let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        (MathFunction::Mix, [x, y, a]) => x * (1.0 - a) + y * a,
        _ => return None,
    })
}

/// `x` times two to the power `power`, rounded once; results below the normal range become zero, as on GPUs.
#[expect(clippy::cast_possible_truncation, reason = "the one rounding there is")]
fn scale(x: f32, power: i32) -> f32 {
    // With these powers every float but zero already leaves the range of floats, but not that of doubles.
    let scaled = (f64::from(x) * f64::from(power.clamp(-400, 400)).exp2()) as f32;
    if scaled.is_subnormal() { 0.0_f32.copysign(scaled) } else { scaled }
}

fn int_math(fun: MathFunction, arguments: &[i32]) -> Option<i32> {
    match (fun, arguments) {
        (MathFunction::Abs, [x]) => Some(x.wrapping_abs()),
        (MathFunction::Sign, [x]) => Some(x.signum()),
        (MathFunction::Min, [a, b]) => Some(*a.min(b)),
        (MathFunction::Max, [a, b]) => Some(*a.max(b)),
        (MathFunction::Clamp, [x, low, high]) => Some(*x.max(low).min(high)),
        (MathFunction::CountOneBits, [x]) => i32::try_from(x.count_ones()).ok(),
        (MathFunction::ReverseBits, [x]) => Some(x.reverse_bits()),
        (MathFunction::FirstTrailingBit, [x]) => Some(lowest_bit(x.cast_unsigned()).cast_signed()),
        (MathFunction::ExtractBits, [_, _, 0]) => Some(0),
        (MathFunction::ExtractBits, [x, offset, count]) => {
            let (offset, count) = (offset.cast_unsigned(), count.cast_unsigned());
            field_mask(offset, count)?;
            Some((x << (32 - offset - count)) >> (32 - count))
        }
        (MathFunction::InsertBits, [x, new, offset, count]) => {
            let (x, new) = (x.cast_unsigned(), new.cast_unsigned());
            insert_bits(x, new, offset.cast_unsigned(), count.cast_unsigned()).map(u32::cast_signed)
        }
        // For a negative number, the highest bit that is 0.
        (MathFunction::FirstLeadingBit, [x]) => {
            Some(highest_bit((x ^ (x >> 31)).cast_unsigned()).cast_signed())
        }
        _ => None,
    }
}

/// `count` ones from bit `offset` on; none if they do not fit, which is undefined in GLSL.
fn field_mask(offset: u32, count: u32) -> Option<u32> {
    let ones = u32::MAX.checked_shr(32_u32.checked_sub(count)?).unwrap_or(0);
    let is_inside = offset.checked_add(count).is_some_and(|end| end <= 32);
    is_inside.then(|| ones.checked_shl(offset).unwrap_or(0))
}

fn insert_bits(base: u32, new: u32, offset: u32, count: u32) -> Option<u32> {
    let mask = field_mask(offset, count)?;
    Some((base & !mask) | (new.checked_shl(offset).unwrap_or(0) & mask))
}

/// Position of the lowest bit that is 1; all bits set if there is none.
fn lowest_bit(bits: u32) -> u32 {
    if bits == 0 { u32::MAX } else { bits.trailing_zeros() }
}

/// Position of the highest bit that is 1; all bits set if there is none.
fn highest_bit(bits: u32) -> u32 {
    bits.checked_ilog2().unwrap_or(u32::MAX)
}
