//! Folds values into the hash and the sum, so that they reach the outputs.

use super::super::operation::Op;
use super::super::tree::{
    Bits, Expression, Kind, Literal, Place, ROUGH, Scalar, Statement, Type, UINT, Variable,
};
use super::{Drawer, Scope};

/// The hash of the stage.
pub(super) const HASH: Variable = Variable { number: 0, ty: UINT, kind: Kind::Private };

/// The sum of inexact floats of the stage.
pub(super) const SUM: Variable = Variable { number: 1, ty: ROUGH, kind: Kind::Private };

/// Odd, and about half of its bits are set.
const FACTOR: u64 = 0x9e37_79b1;

impl Drawer<'_> {
    /// The hash of the current function.
    const fn hash(&self) -> Variable {
        match self.scope {
            Scope::Main | Scope::Impure { .. } => HASH,
            Scope::Pure { hash, .. } => hash,
        }
    }

    /// Folds what was declared since `start` and nothing has read, and forgets it.
    pub(super) fn leave(&mut self, start: usize, to: &mut Vec<Statement>) {
        let gone = self.variables.split_off(start);
        for variable in gone {
            if self.unread.remove(&variable) {
                self.fold(variable, to);
            }
        }
    }

    /// Folds a whole variable.
    pub(super) fn fold(&mut self, variable: Variable, to: &mut Vec<Statement>) {
        self.fold_place(&Place::whole(variable), to);
    }

    fn fold_place(&mut self, place: &Place, to: &mut Vec<Statement>) {
        match place.ty {
            Type::Value(Scalar::Rough, _) => self.add(Expression::load(place.clone()), to),
            Type::Value(..) => self.mix_in(Expression::load(place.clone()), to),
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => {
                for (number, part) in (0..).zip(self.types().parts(place.ty)) {
                    self.fold_place(&place.part(number, part), to);
                }
            }
        }
    }

    /// Folds an exact value into the hash.
    pub(super) fn mix_in(&mut self, value: Expression, to: &mut Vec<Statement>) {
        let hash = Place::whole(self.hash());
        let word = joined(value);
        let mixed = Expression::load(hash.clone()).then(Op::Xor, vec![word]);
        let factor = Expression::literal(Scalar::Uint, Literal::Uint(FACTOR));
        to.push(Statement::Assign(hash.clone(), mixed.then(Op::Multiply, vec![factor])));
        if self.once_in(4) {
            let amount = Expression::number(Scalar::Uint, 15);
            let high = Expression::load(hash.clone()).then(Op::ShiftRight, vec![amount]);
            to.push(Statement::Update(hash, Op::Xor, high));
        }
        self.cost += self.turns;
        self.size += 1;
    }

    /// Folds a number, so that it counts whether the statement runs.
    pub(super) fn mark(&mut self, to: &mut Vec<Statement>) {
        let number = Expression::number(Scalar::Uint, self.rng.i32(0..1000));
        self.mix_in(number, to);
    }

    /// Adds inexact floats to the sum, which stays bounded.
    pub(super) fn add(&mut self, value: Expression, to: &mut Vec<Statement>) {
        let (_, count) = value.scalar();
        let half = || Expression::literal(Scalar::Rough, Literal::Float(0.5));
        let parts = (0..count).map(|number| value.clone().component(number));
        let sum = parts
            .reduce(|sum, part| sum.then(Op::Add, vec![part]).then(Op::Multiply, vec![half()]));
        let Some(sum) = sum else { return };
        let place = Place::whole(SUM);
        let both = Expression::load(place.clone()).then(Op::Add, vec![sum]);
        to.push(Statement::Assign(place, both.then(Op::Multiply, vec![half()])));
        self.cost += self.turns;
    }

    /// The value, changed by the hash of a pure function.
    pub(super) fn blended(&mut self, value: Expression, hash: Variable) -> Expression {
        let (scalar, count) = value.scalar();
        let bits = |mask| {
            let mask = Expression::literal(Scalar::Uint, Literal::Uint(mask));
            Expression::variable(hash).then(Op::And, vec![mask])
        };
        match scalar {
            Scalar::Bool => {
                let zero = Expression::number(Scalar::Uint, 0);
                let flag = Expression::op(Type::Value(scalar, 1), Op::Equal, vec![bits(1), zero]);
                value.then(Op::NotEqual, vec![flag.splat(count)])
            }
            Scalar::Int | Scalar::Uint => {
                let word = Expression::variable(hash).cast(scalar).splat(count);
                value.then(Op::Xor, vec![word])
            }
            Scalar::Long | Scalar::Ulong => {
                value.then(Op::Add, vec![bits(0xffff).cast(scalar).splat(count)])
            }
            Scalar::Float | Scalar::Double | Scalar::Half => {
                let small = bits(7).cast(Scalar::Float).cast(scalar).splat(count);
                let sum = self.normal(value).then(Op::Add, vec![small]);
                let Bits { before, behind } = Bits::normal(sum.ty);
                self.normal(sum.with(Bits { before: before + 1, behind }))
            }
            Scalar::Rough => value,
        }
    }
}

/// All components of an exact value as one unsigned integer.
fn joined(value: Expression) -> Expression {
    let (scalar, count) = value.scalar();
    let words = (0..count).map(|number| word(value.clone().component(number), scalar));
    let rotated = words.reduce(|word, next| {
        let factor = Expression::number(Scalar::Uint, 31);
        word.then(Op::Multiply, vec![factor]).then(Op::Add, vec![next])
    });
    rotated.unwrap_or(value)
}

/// An exact scalar as an unsigned integer.
fn word(value: Expression, scalar: Scalar) -> Expression {
    match scalar {
        Scalar::Float | Scalar::Double => {
            let sixteen = Expression::literal(scalar, Literal::Float(16.0));
            value.then(Op::Multiply, vec![sixteen]).cast(Scalar::Int).cast(Scalar::Uint)
        }
        Scalar::Half => word(value.cast(Scalar::Float), Scalar::Float),
        Scalar::Long | Scalar::Ulong => {
            let amount = Expression::number(Scalar::Uint, 32);
            let high = value.clone().then(Op::ShiftRight, vec![amount]).cast(Scalar::Uint);
            value.cast(Scalar::Uint).then(Op::Xor, vec![high])
        }
        Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Rough => value.cast(Scalar::Uint),
    }
}
