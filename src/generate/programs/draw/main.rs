//! Draws the main function of a stage.

use super::super::operation::Op;
use super::super::tree::{
    Expression, FLOAT, INPUTS, INVOCATIONS, Kind, Literal, OUTPUTS, OWN_OUTPUTS, Place, ROUGH,
    Scalar, Stage, StageKind, Statement, Step, Type, UINT, Value, Variable,
};
use super::fold::{HASH, SUM};
use super::{Around, Drawer, INPUT, INPUT_ARRAY, Scope};

/// The number of a vertex; that of an invocation in its workgroup.
pub(super) const FIRST_BUILT_IN: Variable = Variable { number: 0, ty: UINT, kind: Kind::BuiltIn };

/// The number of the workgroup.
pub(super) const WORKGROUP: Variable = Variable { number: 1, ty: UINT, kind: Kind::BuiltIn };

/// The coordinates of a pixel.
pub(super) const PIXEL: Variable =
    Variable { number: 0, ty: Type::Value(Scalar::Int, 2), kind: Kind::BuiltIn };

const VERTEX: Variable =
    Variable { number: 0, ty: Type::Value(Scalar::Float, 4), kind: Kind::Attribute };

impl Drawer<'_> {
    pub(super) fn main(mut self) -> Stage {
        self.scope = Scope::Main;
        self.around = Around { is_uniform: true, ..Around::default() };
        self.variables.clear();
        self.unread.clear();
        self.uniforms();
        self.variables.extend(self.privates.iter().skip(2).map(|(variable, _)| *variable));
        (self.cost, self.size) = (0, 0);
        let mut body = Vec::new();
        let results = match self.kind {
            StageKind::Vertex => self.vertex(&mut body),
            StageKind::Control | StageKind::Evaluation | StageKind::Geometry => {
                self.middle(&mut body)
            }
            StageKind::Fragment => self.fragment(&mut body),
            StageKind::Compute => self.compute(&mut body),
        };
        let Self { kind, privates, functions, .. } = self;
        Stage { kind, privates, functions, body, results }
    }

    /// Folds what commands set, so that every program has it.
    fn resources(&mut self, body: &mut Vec<Statement>) {
        for (number, scalar) in [(0, Scalar::Int), (1, Scalar::Uint), (2, Scalar::Float)] {
            let ty = Type::Value(scalar, 4);
            self.fold(Variable { number, ty, kind: Kind::Uniform }, body);
        }
        self.textures(body);
        if self.recipe.allows("16 elements of a storage buffer") {
            let place = Place::whole(INPUT).part(self.rng.u8(0..INPUTS), UINT);
            self.mix_in(Expression::load(place), body);
        }
    }

    /// Calls the functions that nothing calls.
    fn call_all(&mut self, body: &mut Vec<Statement>) {
        for number in (0..self.functions.len()).rev() {
            if !self.called.contains(&number) {
                self.call_as_statement(number, body);
            }
        }
    }

    /// Folds all that is left: locals, and private variables.
    fn settle(&mut self, body: &mut Vec<Statement>) {
        if self.kind != StageKind::Vertex {
            self.resources(body);
        }
        self.picture(body);
        self.call_all(body);
        self.leave(0, body);
        for (variable, _) in self.privates.clone().into_iter().skip(2) {
            let variable = if variable.kind == Kind::Table {
                self.declare(Expression::variable(variable), body)
            } else {
                variable
            };
            self.fold(variable, body);
        }
    }

    fn vertex(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        // Positions of the rectangle are quarters.
        self.variables.extend([FIRST_BUILT_IN, VERTEX]);
        self.statements(8, body);
        for varying in self.program.varyings.iter().skip(2) {
            let ty = varying.variable.ty;
            let value = self.value(ty, 3);
            self.flush(body);
            body.push(Statement::Assign(Place::whole(varying.variable), value));
        }
        self.settle(body);
        self.slope(body);
        self.hand_on(body);
        let w = match self.rng.u8(0..4) {
            0 => {
                let x = Expression::load(Place::whole(VERTEX).part(0, FLOAT));
                let half = |value| Expression::literal(Scalar::Float, Literal::Float(value));
                x.then(Op::Multiply, vec![half(0.5)]).then(Op::Add, vec![half(1.0)])
            }
            1 => Expression::number(Scalar::Float, 2),
            _ => Expression::number(Scalar::Float, 1),
        };
        vec![Expression::variable(VERTEX).then(Op::Multiply, vec![w.splat(4)])]
    }

    /// Adds the position to the sum, so that it has derivatives along both axes.
    fn slope(&mut self, body: &mut Vec<Statement>) {
        for axis in 0..2 {
            // A steep one would make derivatives depend on which pixels an implementation compares.
            let factor = (f64::from(self.rng.i8(-4..=4)) + 0.5) / 8.0;
            let part = Expression::variable(VERTEX).component(axis);
            let value = Expression::new(ROUGH, Value::Rough(Box::new(part)));
            let factor = Expression::floats(Scalar::Rough, 1, factor);
            self.add(value.then(Op::Multiply, vec![factor]), body);
        }
    }

    /// Writes the hash and the sum into the first outputs.
    fn hand_on(&self, body: &mut Vec<Statement>) {
        for (variable, varying) in [HASH, SUM].into_iter().zip(&self.program.varyings) {
            let place = Place::whole(self.output(varying.variable));
            body.push(Statement::Assign(place, Expression::variable(variable)));
        }
    }

    /// The stage's output that corresponds to a varying.
    const fn output(&self, varying: Variable) -> Variable {
        let kind = if self.kind.is_middle() { Kind::Emitted } else { Kind::Varying };
        Variable { kind, ..varying }
    }

    /// A stage between the vertex and the fragment stage. It has no results: each has its own way to place a vertex.
    fn middle(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        self.turns = if self.kind == StageKind::Geometry { 3 } else { 1 };
        self.variables.push(FIRST_BUILT_IN);
        self.varyings();
        self.statements(4, body);
        for varying in self.program.varyings.iter().skip(2) {
            let ty = varying.variable.ty;
            let value = if self.rng.bool() {
                Expression::variable(varying.variable)
            } else {
                self.value(ty, 3)
            };
            self.flush(body);
            body.push(Statement::Assign(Place::whole(self.output(varying.variable)), value));
        }
        for varying in &self.program.varyings {
            self.fold(varying.variable, body);
        }
        self.settle(body);
        self.hand_on(body);
        Vec::new()
    }

    /// Makes the varyings readable.
    fn varyings(&mut self) {
        for varying in &self.program.varyings {
            self.variables.push(varying.variable);
            self.unread.insert(varying.variable);
        }
    }

    fn fragment(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        self.variables.push(PIXEL);
        self.varyings();
        self.statements(8, body);
        // They are the subject, so each reaches every output.
        for varying in &self.program.varyings {
            self.fold(varying.variable, body);
        }
        if self.once_in(5) {
            self.discard(body);
            self.around.is_uniform = false;
            self.statements(2, body);
        }
        let words: Vec<_> = (0..3).map(|_| self.value(UINT, 3)).collect();
        let rough: Vec<_> = (0..3).map(|_| self.rough(1, 3)).collect();
        self.flush(body);
        let mut hold = |value: Expression| {
            let variable = self.fresh(value.ty, Kind::Local);
            body.push(Statement::Declare(variable, value));
            Expression::variable(variable)
        };
        let words: Vec<_> = words.into_iter().map(&mut hold).collect();
        let rough: Vec<_> = rough.into_iter().map(&mut hold).collect();
        self.settle(body);
        let hash = Expression::variable(HASH);
        let words = words.into_iter().map(|word| word.then(Op::Xor, vec![hash.clone()]));
        let sum = Expression::variable(SUM);
        let rough = rough.into_iter().map(|part| part.then(Op::Add, vec![sum.clone()]));
        let words: Vec<_> = std::iter::once(hash.clone()).chain(words).collect();
        let rough: Vec<_> = std::iter::once(sum.clone()).chain(rough).collect();
        let vector = |scalar, parts| Expression::new(Type::Value(scalar, 4), Value::Compose(parts));
        vec![vector(Scalar::Uint, words), vector(Scalar::Rough, rough)]
    }

    fn compute(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        self.variables.extend([FIRST_BUILT_IN, WORKGROUP]);
        self.statements(6, body);
        for _ in 0..self.rng.usize(0..=2) {
            self.exchange(body);
            self.statements(3, body);
        }
        for _ in 0..self.rng.usize(0..=3) {
            self.count(body);
        }
        let words: Vec<_> = (1..OWN_OUTPUTS).map(|_| self.value(UINT, 3)).collect();
        self.flush(body);
        for (number, word) in (1..).zip(words) {
            body.push(Statement::Assign(own_output(number), word));
        }
        self.settle(body);
        body.push(Statement::Assign(own_output(0), Expression::variable(HASH)));
        vec![Expression::variable(SUM)]
    }
}

/// An element of the buffer that stages write.
fn output(index: Expression) -> Place {
    let variable = Variable { number: OUTPUTS, ty: Type::Array(INPUT_ARRAY), kind: Kind::Output };
    Place { variable, steps: vec![Step::At(Box::new(index))], ty: UINT }
}

/// An element that belongs to the invocation.
fn own_output(number: i32) -> Place {
    let times = |value: Expression, factor: u8| {
        value.then(Op::Multiply, vec![Expression::number(Scalar::Uint, factor.into())])
    };
    let group = times(Expression::variable(WORKGROUP), INVOCATIONS);
    let invocation = group.then(Op::Add, vec![Expression::variable(FIRST_BUILT_IN)]);
    let first = times(invocation, OWN_OUTPUTS);
    output(first.then(Op::Add, vec![Expression::number(Scalar::Uint, number)]))
}
