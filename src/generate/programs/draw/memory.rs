//! Draws what stages do with memory that they share: workgroup memory, atomic operations, and a storage texture.

use super::super::operation::Op;
use super::super::tree::{
    Atomic, CELLS, COUNTED, COUNTERS, Change, Expression, INT, INVOCATIONS, Kind, PIXELS, Place,
    SIGNED_CELLS, Scalar, StageKind, Statement, Step, Type, UINT, Value, Variable,
};
use super::main::{FIRST_BUILT_IN, PIXEL, WORKGROUP};
use super::{Drawer, INPUT_ARRAY, Scope};

impl Drawer<'_> {
    /// Writes an element of the workgroup's memory, and reads that of another invocation.
    pub(super) fn exchange(&mut self, body: &mut Vec<Statement>) {
        let value = self.value(UINT, 3);
        self.flush(body);
        let own = Expression::variable(FIRST_BUILT_IN);
        body.push(Statement::Assign(shared(own.clone()), value));
        body.push(Statement::Barrier);
        let number = |number| Expression::number(Scalar::Uint, number);
        let distance = self.rng.i32(1..i32::from(INVOCATIONS));
        let other = own
            .then(Op::Add, vec![number(distance)])
            .then(Op::And, vec![number(i32::from(INVOCATIONS) - 1)]);
        self.declare(Expression::load(shared(other)), body);
        body.push(Statement::Barrier);
    }

    /// Changes a counter, always by the same operation.
    pub(super) fn count(&mut self, body: &mut Vec<Statement>) {
        let number = self.rng.usize(0..usize::from(COUNTERS));
        let value = self.value(UINT, 2);
        self.flush(body);
        let steps = vec![Step::Part(u8::try_from(number).unwrap_or(0))];
        let place = Place { variable: buffer(COUNTED, Type::Array(INPUT_ARRAY)), steps, ty: UINT };
        let change = Change::ALL[number];
        body.push(Statement::Atomic(Atomic { change, place, operands: vec![value], result: None }));
    }

    /// True where the invocation knows its number.
    fn has_number(&self) -> bool {
        matches!(self.kind, StageKind::Fragment | StageKind::Compute) && self.scope == Scope::Main
    }

    /// Changes the invocation's own cell, and declares what was there.
    pub(super) fn own_cell(&mut self, to: &mut Vec<Statement>) {
        if !self.has_number() || !self.recipe.allows("result of an atomic operation") {
            return;
        }
        let all: Vec<_> =
            Change::ALL.into_iter().filter(|one| self.recipe.allows(one.name())).collect();
        let change = self.pick(&all);
        let (number, ty) = self.pick(&[(CELLS, UINT), (SIGNED_CELLS, INT)]);
        let count = change.operands();
        let mut operands: Vec<_> = (0..count).map(|_| self.value(ty, 2)).collect();
        // An element is often zero.
        if count == 2 && self.rng.bool() {
            let (scalar, _) = operands[0].scalar();
            operands[0] = Expression::number(scalar, 0);
        }
        self.flush(to);
        let place = Place {
            variable: buffer(number, ty),
            steps: vec![Step::At(Box::new(self.own_number()))],
            ty,
        };
        let result = (change != Change::Store).then(|| self.fresh(ty, Kind::Local));
        to.push(Statement::Atomic(Atomic { change, place, operands, result }));
        self.variables.extend(result);
        self.unread.extend(result);
    }

    /// The invocation's number among all.
    fn own_number(&self) -> Expression {
        let (row, column, size) = if self.kind == StageKind::Compute {
            let [group, own] = [WORKGROUP, FIRST_BUILT_IN].map(Expression::variable);
            (group, own, INVOCATIONS)
        } else {
            let part = |number| Expression::variable(PIXEL).component(number);
            (part(1).cast(Scalar::Uint), part(0).cast(Scalar::Uint), PIXELS)
        };
        let size = Expression::number(Scalar::Uint, size.into());
        row.then(Op::Multiply, vec![size]).then(Op::Add, vec![column])
    }

    /// Sets the invocation's own pixel of the picture, or reads it into a new variable.
    pub(super) fn paint(&mut self, to: &mut Vec<Statement>) {
        if !self.has_number() || !self.recipe.allows("storage texture") {
            return;
        }
        let value = self.value(UINT, 3);
        self.flush(to);
        to.push(Statement::Paint(value));
        self.is_painted = true;
        if self.rng.bool() {
            self.declare(Expression::new(UINT, Value::Painted), to);
        }
    }

    /// Folds the invocation's own pixel.
    pub(super) fn picture(&mut self, body: &mut Vec<Statement>) {
        if self.is_painted {
            self.mix_in(Expression::new(UINT, Value::Painted), body);
        }
    }
}

/// A buffer that stages write. One with an element for each invocation may have the type of an element: nothing asks for
/// that of the whole.
const fn buffer(number: usize, ty: Type) -> Variable {
    Variable { number, ty, kind: Kind::Output }
}

/// An element of the workgroup's memory.
fn shared(index: Expression) -> Place {
    let ty = Type::Array(super::SHARED_ARRAY);
    let variable = Variable { number: 0, ty, kind: Kind::Shared };
    Place { variable, steps: vec![Step::At(Box::new(index))], ty: UINT }
}
