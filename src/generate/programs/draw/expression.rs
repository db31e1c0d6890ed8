//! Draws expressions of any type.

use super::super::operation::{Op, ROWS, Row, Shape};
use super::super::tree::{
    Bits, Expression, Function, INT, Kind, Literal, Place, Scalar, StageKind, Statement, Step,
    Type, UINT, Value, Variable,
};
use super::{Drawer, Scope};
use crate::programs::Language;

impl Expression {
    pub(super) fn new(ty: Type, value: Value) -> Self {
        Self { ty, value, bits: Bits::normal(ty), is_constant: false }
    }

    pub(super) fn with(self, bits: Bits) -> Self {
        Self { bits, ..self }
    }

    pub(in super::super) fn literal(scalar: Scalar, literal: Literal) -> Self {
        let ty = Type::Value(scalar, 1);
        Self { is_constant: true, ..Self::new(ty, Value::Literal(literal)) }
    }

    /// The number as a scalar of any kind but a boolean.
    pub(super) fn number(scalar: Scalar, number: i32) -> Self {
        let literal = match scalar {
            Scalar::Bool => Literal::Bool(number != 0),
            Scalar::Int | Scalar::Long => Literal::Int(number.into()),
            Scalar::Uint | Scalar::Ulong => Literal::Uint(number.unsigned_abs().into()),
            Scalar::Float | Scalar::Rough | Scalar::Double | Scalar::Half => {
                Literal::Float(number.into())
            }
        };
        Self::literal(scalar, literal)
    }

    /// The float in every component.
    pub(super) fn floats(scalar: Scalar, count: u8, value: f64) -> Self {
        Self::literal(scalar, Literal::Float(value)).splat(count)
    }

    /// The number in every component.
    pub(in super::super) fn numbers(scalar: Scalar, count: u8, number: i32) -> Self {
        Self::number(scalar, number).splat(count)
    }

    /// The scalar in every component.
    pub(in super::super) fn splat(self, count: u8) -> Self {
        let Type::Value(scalar, _) = self.ty else { return self };
        if count == 1 {
            return self;
        }
        let (bits, is_constant) = (self.bits, self.is_constant);
        let parts = vec![self; usize::from(count)];
        Self { ty: Type::Value(scalar, count), value: Value::Compose(parts), bits, is_constant }
    }

    /// The value of these parts.
    pub(in super::super) fn composed(ty: Type, parts: Vec<Self>) -> Self {
        let is_constant = parts.iter().all(|part| part.is_constant);
        Self { is_constant, ..Self::new(ty, Value::Compose(parts)) }
    }

    pub(in super::super) const fn load(place: Place) -> Self {
        let (ty, bits) = (place.ty, Bits::normal(place.ty));
        Self { ty, value: Value::Load(place), bits, is_constant: false }
    }

    pub(in super::super) fn variable(variable: Variable) -> Self {
        Self::load(Place::whole(variable))
    }

    /// An operation whose result has another type.
    pub(super) fn op(ty: Type, op: Op, operands: Vec<Self>) -> Self {
        let bits = operands.first().map_or(Bits::normal(ty), |first| first.bits);
        let is_constant = operands.iter().all(|operand| operand.is_constant);
        Self { ty, value: Value::Op(op, operands), bits, is_constant }
    }

    /// An operation whose result has the type of this operand.
    pub(in super::super) fn then(self, op: Op, others: Vec<Self>) -> Self {
        let ty = self.ty;
        Self::op(ty, op, std::iter::once(self).chain(others).collect())
    }

    pub(super) fn cast(self, scalar: Scalar) -> Self {
        let Type::Value(from, count) = self.ty else { return self };
        if from == scalar {
            self
        } else {
            Self::op(Type::Value(scalar, count), Op::Cast, vec![self])
        }
    }

    /// A component of a vector, or the scalar itself.
    pub(super) fn component(self, number: u8) -> Self {
        let Type::Value(scalar, count) = self.ty else { return self };
        if count == 1 {
            return self;
        }
        let (bits, is_constant) = (self.bits, self.is_constant);
        let value = Value::Part(Box::new(self), number);
        Self { ty: Type::Value(scalar, 1), value, bits, is_constant }
    }

    pub(in super::super) fn scalar(&self) -> (Scalar, u8) {
        match self.ty {
            Type::Value(scalar, count) => (scalar, count),
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => (Scalar::Float, 1),
        }
    }
}

impl Place {
    pub(in super::super) const fn whole(variable: Variable) -> Self {
        Self { variable, steps: Vec::new(), ty: variable.ty }
    }

    /// A part of this place.
    pub(super) fn part(&self, number: u8, ty: Type) -> Self {
        let mut steps = self.steps.clone();
        steps.push(Step::Part(number));
        Self { variable: self.variable, steps, ty }
    }
}

impl Drawer<'_> {
    /// An expression of any type, which may hold more bits than a variable.
    pub(super) fn wide_value(&mut self, ty: Type, depth: usize) -> Expression {
        let Type::Value(scalar, count) = ty else { return self.composite(ty, depth) };
        if scalar == Scalar::Rough {
            return self.rough(count, depth);
        }
        match self.rng.u8(0..12) {
            0 | 1 => self.leaf(ty),
            _ if depth == 0 => self.leaf(ty),
            2 if count > 1 => self.compose(ty, depth - 1),
            3 if count > 1 => self.swizzle(scalar, count, depth - 1),
            4 => self.call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            5 => match self.lookup(ty, depth - 1) {
                Some(found) => found,
                None => self.operation(scalar, count, depth - 1),
            },
            _ => self.operation(scalar, count, depth - 1),
        }
    }

    /// An expression that a variable can hold.
    pub(super) fn value(&mut self, ty: Type, depth: usize) -> Expression {
        let value = self.wide_value(ty, depth);
        self.normal(value)
    }

    /// A value of several parts that is no vector, or a call, or a variable.
    fn composite(&mut self, ty: Type, depth: usize) -> Expression {
        if let Type::Matrix(columns, rows) = ty
            && depth > 0
            && self.rng.bool()
        {
            return self.matrix(columns, rows, depth - 1);
        }
        match self.rng.u8(0..3) {
            0 if depth > 0 => self.call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            1 => self.compose(ty, depth.saturating_sub(2)),
            _ => self.leaf(ty),
        }
    }

    pub(super) fn compose(&mut self, ty: Type, depth: usize) -> Expression {
        let parts = self.types().parts(ty).into_iter().map(|part| self.value(part, depth));
        Expression::composed(ty, parts.collect())
    }

    fn swizzle(&mut self, scalar: Scalar, count: u8, depth: usize) -> Expression {
        let from = self.rng.u8(2..=4);
        let whole = self.wide_value(Type::Value(scalar, from), depth);
        let (bits, is_constant) = (whole.bits, whole.is_constant);
        let parts = (0..count).map(|_| self.rng.u8(0..from)).collect();
        let value = Value::Swizzle(Box::new(whole), parts);
        Expression { ty: Type::Value(scalar, count), value, bits, is_constant }
    }

    /// An integer of which only the bits of the mask are left.
    pub(super) fn masked(&mut self, ty: Type, mask: i32, depth: usize) -> Expression {
        let value = self.wide_value(ty, depth);
        let (scalar, count) = value.scalar();
        value.then(Op::And, vec![Expression::numbers(scalar, count, mask)])
    }

    /// A constant.
    pub(super) fn constant(&mut self, ty: Type) -> Expression {
        let Type::Value(scalar, count) = ty else {
            let parts =
                self.types().parts(ty).into_iter().map(|part| self.constant(part)).collect();
            return Expression { is_constant: true, ..Expression::new(ty, Value::Compose(parts)) };
        };
        let mut component = || {
            let literal = match scalar {
                Scalar::Bool => Literal::Bool(self.rng.bool()),
                Scalar::Int | Scalar::Long => Literal::Int(self.integer().into()),
                Scalar::Uint | Scalar::Ulong => Literal::Uint(self.integer().unsigned_abs().into()),
                Scalar::Float | Scalar::Rough | Scalar::Double => {
                    Literal::Float(f64::from(self.rng.i16(-256..=256)) / 16.0)
                }
                Scalar::Half => Literal::Float(f64::from(self.rng.i16(-32..=32)) / 4.0),
            };
            Expression::literal(scalar, literal)
        };
        if count == 1 {
            return component();
        }
        let parts = (0..count).map(|_| component()).collect();
        Expression { is_constant: true, ..Expression::new(ty, Value::Compose(parts)) }
    }

    /// A small number, a power of two, one beside it, or any.
    fn integer(&mut self) -> i32 {
        match self.rng.u8(0..6) {
            0..=2 => self.rng.i32(-4..=16),
            3 => 1 << self.rng.u8(0..31),
            4 => (1 << self.rng.u8(0..31)) - self.rng.i32(0..=1),
            _ => self.rng.i32(-0x7fff_ffff..=0x7fff_ffff),
        }
    }

    /// A variable, a part of one, or a constant.
    pub(super) fn leaf(&mut self, ty: Type) -> Expression {
        if !self.once_in(6)
            && let Some(place) = self.readable(ty)
        {
            return Expression::load(place);
        }
        match ty {
            Type::Value(..) => self.constant(ty),
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => self.compose(ty, 0),
        }
    }

    /// A place of the type that may be read. What nothing has read yet comes first.
    fn readable(&mut self, ty: Type) -> Option<Place> {
        let mut places = Vec::new();
        for variable in self.variables.clone() {
            self.places(&Place::whole(variable), ty, 2, &mut places);
        }
        places.retain(|place| !self.is_constant(place.variable) || place.steps.len() == 1);
        let is_new = |place: &&Place| self.unread.contains(&place.variable);
        let new: Vec<_> = places.iter().filter(is_new).cloned().collect();
        let from = if new.is_empty() || self.once_in(3) { places } else { new };
        if from.is_empty() {
            return None;
        }
        let mut place = from[self.rng.usize(0..from.len())].clone();
        self.unread.remove(&place.variable);
        let is_constant = self.is_constant(place.variable);
        if is_constant || self.rng.bool() {
            self.make_dynamic(&mut place);
        }
        let is_dynamic = matches!(place.steps.last(), Some(Step::At(_)));
        (!is_constant || is_dynamic).then_some(place)
    }

    /// True for a variable whose parts a compiler computes with, which then must not overflow.
    fn is_constant(&self, variable: Variable) -> bool {
        variable.kind == Kind::Table && self.recipe.is_for(Language::Wgsl)
    }

    /// The parts of a place, up to a depth, that have a type.
    pub(super) fn places(&self, place: &Place, ty: Type, depth: usize, found: &mut Vec<Place>) {
        if place.ty == ty {
            found.push(place.clone());
            return;
        }
        if depth == 0 || matches!(place.ty, Type::Value(_, 1)) {
            return;
        }
        for (number, part) in (0..).zip(self.types().parts(place.ty)) {
            self.places(&place.part(number, part), ty, depth - 1, found);
        }
    }

    /// Selects the last part at run time if that is possible.
    pub(super) fn make_dynamic(&mut self, place: &mut Place) {
        let mut whole = place.variable.ty;
        for step in place.steps.iter().take(place.steps.len().saturating_sub(1)) {
            let Step::Part(number) = step else { return };
            whole = self.types().parts(whole)[usize::from(*number)];
        }
        let count = match whole {
            Type::Array(number) => self.types().arrays[usize::from(number)].1,
            Type::Value(_, count @ (2 | 4)) | Type::Matrix(count @ (2 | 4), _) => count,
            Type::Value(..) | Type::Matrix(..) | Type::Struct(_) => return,
        };
        // A parameter by value is no place in memory in every language.
        if place.steps.is_empty() || place.variable.kind == Kind::Parameter {
            return;
        }
        let ty = self.pick(&[INT, UINT]);
        let had = std::mem::replace(&mut self.has_no_calls, true);
        let index = self.masked(ty, i32::from(count) - 1, 1);
        self.has_no_calls = had;
        // Compilers refuse some constant indices.
        if index.is_constant {
            return;
        }
        if let Some(last) = place.steps.last_mut() {
            *last = Step::At(Box::new(index));
        }
    }

    /// A call of a function with the result, before the current statement unless it is pure.
    pub(super) fn call(&mut self, ty: Type, depth: usize) -> Option<Expression> {
        let is_fitting = |function: &&Function| function.result == Some(ty);
        if self.has_no_calls || !self.functions.iter().any(|function| is_fitting(&function)) {
            return None;
        }
        let all = self.functions.iter().enumerate();
        let fitting: Vec<_> =
            all.filter(|(_, own)| is_fitting(own)).map(|(number, _)| number).collect();
        let number = self.pick(&fitting);
        let is_pure = self.functions[number].is_pure;
        let is_allowed = is_pure || !matches!(self.scope, Scope::Pure { .. });
        if !is_allowed || !self.can_call(number) {
            return None;
        }
        self.pay(number);
        let arguments = self.arguments(number, depth);
        let value = Expression::new(ty, Value::Call(number, arguments));
        if is_pure {
            return Some(value);
        }
        Some(self.held(value))
    }

    /// The value in a new variable, which is declared before the current statement.
    pub(super) fn held(&mut self, value: Expression) -> Expression {
        let (variable, bits) = (self.fresh(value.ty, Kind::Local), value.bits);
        self.pending.push(Statement::Declare(variable, value));
        Expression::variable(variable).with(bits)
    }

    /// An operation with a result of the type.
    fn operation(&mut self, scalar: Scalar, count: u8, depth: usize) -> Expression {
        let (program, recipe) = (self.program, self.recipe);
        let fitting = self.fitting.entry((scalar, count)).or_insert_with(|| {
            let classes = ROWS.iter().flat_map(|row| Scalar::ALL.map(|class| (row, class)));
            let is_fitting = |(row, class): &(&Row, Scalar)| {
                program.widths.has(*class)
                    && recipe.has(row, *class)
                    && gives(row, *class, scalar, count)
            };
            classes.filter(is_fitting).collect()
        });
        if fitting.is_empty() {
            return self.leaf(Type::Value(scalar, count));
        }
        let (row, class) = *super::pick(self.rng, fitting);
        let ty = Type::Value(scalar, count);
        let built = if class.is_exact() {
            self.exact(row, class, ty, depth)
        } else {
            self.discrete(row, class, ty, depth)
        };
        self.not_constant(built)
    }

    /// The operation with its first operand replaced by a variable if a compiler would compute it: WGSL forbids
    /// overflow there.
    fn not_constant(&mut self, built: Expression) -> Expression {
        if !built.is_constant {
            return built;
        }
        let ty = built.ty;
        let places = self.readable(ty);
        places.map_or_else(|| self.constant(ty), Expression::load)
    }

    /// Booleans for a selection.
    pub(super) fn condition(&mut self, depth: usize) -> Expression {
        let value = self.value(Type::Value(Scalar::Bool, 1), depth);
        if !value.is_constant {
            return value;
        }
        let low = self.masked(UINT, 1, 0);
        Expression::op(
            Type::Value(Scalar::Bool, 1),
            Op::Equal,
            vec![low, Expression::number(Scalar::Uint, 0)],
        )
    }

    /// True if a call of the function fits into the current one.
    pub(super) fn can_call(&self, number: usize) -> bool {
        let Function { cost, size, .. } = self.functions[number];
        self.can_pay(cost) && self.size + size <= super::MOST_SIZE
    }

    /// Counts a call of the function.
    pub(super) fn pay(&mut self, number: usize) {
        self.cost += self.functions[number].cost * self.turns;
        self.size += self.functions[number].size;
        self.called.insert(number);
    }

    /// True if statements of this cost may run here.
    pub(super) const fn can_pay(&self, cost: usize) -> bool {
        let most = match self.scope {
            Scope::Main => super::MOST_COST,
            Scope::Pure { .. } | Scope::Impure { .. } => super::MOST_COST / 20,
        };
        self.cost + cost * self.turns <= most
    }

    /// True in stages that have derivatives, where all invocations of a quad are.
    pub(super) const fn has_derivatives(&self) -> bool {
        matches!(self.kind, StageKind::Fragment)
            && matches!(self.scope, Scope::Main)
            && self.around.is_uniform
    }
}

/// True if the operation of a class gives a scalar or vector of this kind and size.
fn gives(row: &Row, class: Scalar, scalar: Scalar, count: u8) -> bool {
    let is_scalar = count == 1;
    match row.shape {
        Shape::Same(_)
        | Shape::Shift
        | Shape::Select
        | Shape::Extract
        | Shape::Insert
        | Shape::Scale => class == scalar,
        Shape::Compare => scalar == Scalar::Bool,
        Shape::ToInt | Shape::FloatToInt => scalar == Scalar::Int,
        Shape::Reduce | Shape::ReduceTwo | Shape::Words => is_scalar && class == scalar,
        Shape::Three => count == 3 && class == scalar,
        Shape::Vectors(_) => count > 1 && class == scalar,
        Shape::Pack | Shape::PackFloats(_) => is_scalar && scalar == Scalar::Uint,
        Shape::UnpackInts => count == 4 && class == scalar,
        Shape::Unpack(size) => count == size && scalar == Scalar::Rough,
        Shape::Own => own_gives(row.op, class, scalar, count),
    }
}

/// True if a conversion or another operation of its own kind gives a scalar or vector of this kind and size.
pub(in super::super) fn own_gives(op: Op, class: Scalar, scalar: Scalar, count: u8) -> bool {
    match op {
        Op::Cast => {
            let is_long = |one: Scalar| matches!(one, Scalar::Long | Scalar::Ulong);
            // Languages differ in what they convert to and from 64-bit types.
            class != scalar
                && scalar != Scalar::Rough
                && (!is_long(class)
                    || is_long(scalar)
                    || matches!(scalar, Scalar::Int | Scalar::Uint))
                && (!is_long(scalar)
                    || is_long(class)
                    || matches!(class, Scalar::Int | Scalar::Uint))
                && (class != Scalar::Double || matches!(scalar, Scalar::Int | Scalar::Float))
                && (scalar != Scalar::Double || matches!(class, Scalar::Int | Scalar::Float))
                && (scalar != Scalar::Half || !class.is_wide())
                && (class != Scalar::Half || !scalar.is_wide())
        }
        Op::Bits => {
            matches!(
                (class, scalar),
                (Scalar::Int | Scalar::Float, Scalar::Uint) | (Scalar::Uint, Scalar::Int)
            )
        }
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => scalar == Scalar::Bool && count == 1,
        Op::TimesVector | Op::VectorTimes => scalar == Scalar::Float && count > 1,
        Op::Determinant => scalar == Scalar::Float && count == 1,
        _ => false,
    }
}
