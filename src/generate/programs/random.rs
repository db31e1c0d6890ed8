//! Draws a program.

use fastrand::Rng;

use super::Language;
use super::tree::{
    Builtin, ELEMENTS, Expression, Function, Interpolation, Kind, Operator, Program, Stage,
    Statement, Type, Value, Variable, Varying,
};

/// Types of what functions take and statements declare.
const TYPES: [Type; 9] = [
    Type::Float,
    Type::Float,
    Type::Int,
    Type::Vector(2),
    Type::Vector(3),
    Type::Vector(4),
    Type::Matrix(2),
    Type::Matrix(3),
    Type::Struct,
];

/// Maximum number of locations of the varyings; some adapters have no more.
const MOST_LOCATIONS: usize = 12;

/// The program of a seed in a language.
pub(super) fn program(seed: u64, language: Language) -> Program {
    let mut rng = Rng::with_seed(seed);
    let mut program = Program {
        members: (0..rng.usize(1..=3))
            .map(|_| *pick(&mut rng, &[Type::Float, Type::Vector(2), Type::Vector(3)]))
            .collect(),
        varyings: Vec::new(),
        block: 0,
        clip_distances: 0,
        vertex: Stage::default(),
        fragment: Stage::default(),
        uniforms: (f32::from(rng.u8(1..16)) / 16.0, i32::from(rng.u8(0..16))),
    };
    if language != Language::Wgsl && rng.u8(0..5) == 0 {
        program.clip_distances = rng.usize(1..=3);
    }
    varyings(&mut rng, language, &mut program);
    program.vertex = Writer::new(&mut rng, &program, true).stage();
    program.fragment = Writer::new(&mut rng, &program, false).stage();
    program
}

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.usize(0..from.len())]
}

fn varyings(rng: &mut Rng, language: Language, program: &mut Program) {
    let mut left = MOST_LOCATIONS;
    for number in 0..rng.usize(1..=5) {
        let mut ty = if rng.u8(0..8) == 0 { Type::Array } else { *pick(rng, &TYPES) };
        let is_plain = matches!(ty, Type::Float | Type::Int | Type::Vector(_));
        if (language == Language::Wgsl && !is_plain) || program.locations(ty) > left {
            ty = Type::Vector(rng.u8(2..=4));
        }
        left = left.saturating_sub(program.locations(ty));
        let ways = if program.clip_distances == 0 { 5 } else { 4 };
        let interpolation = match (ty, rng.u8(0..ways)) {
            (Type::Int, _) | (_, 2) => Interpolation::Flat,
            (_, 3) => Interpolation::Centroid,
            (_, 4) => Interpolation::Linear,
            _ => Interpolation::Perspective,
        };
        let variable = Variable { number, ty, kind: Kind::Varying };
        program.varyings.push(Varying { variable, interpolation });
    }
    if language == Language::Glsl && rng.u8(0..3) == 0 {
        program.block = rng.usize(1..=program.varyings.len());
    }
}

/// Draws one stage.
struct Writer<'a> {
    rng: &'a mut Rng,
    program: &'a Program,
    is_vertex: bool,
    scope: Vec<Variable>,
    functions: Vec<Function>,
    /// Number of variables so far.
    variables: usize,
    /// Depth of blocks.
    depth: usize,
    /// True in a fragment stage outside of branches, where derivatives are defined.
    has_derivatives: bool,
}

impl<'a> Writer<'a> {
    const fn new(rng: &'a mut Rng, program: &'a Program, is_vertex: bool) -> Self {
        Self {
            rng,
            program,
            is_vertex,
            scope: Vec::new(),
            functions: Vec::new(),
            variables: 0,
            depth: 0,
            has_derivatives: false,
        }
    }

    fn stage(mut self) -> Stage {
        for _ in 0..self.rng.usize(0..=3) {
            let function = self.function();
            self.functions.push(function);
        }
        self.scope.clear();
        self.uniforms();
        if self.is_vertex {
            let ty = Type::Vector(4);
            self.scope.push(Variable { number: 0, ty, kind: Kind::Attribute });
        } else {
            self.scope.extend(self.program.varyings.iter().map(|varying| varying.variable));
        }
        self.has_derivatives = !self.is_vertex;
        let mut body = self.statements(4);
        let result = if self.is_vertex { self.leave(&mut body) } else { self.color(&mut body) };
        Stage { functions: self.functions, body, result }
    }

    fn uniforms(&mut self) {
        let uniform = |number, ty| Variable { number, ty, kind: Kind::Uniform };
        self.scope.extend([uniform(0, Type::Float), uniform(1, Type::Int)]);
    }

    fn ty(&mut self) -> Type {
        *pick(self.rng, &TYPES)
    }

    fn fresh(&mut self, ty: Type, kind: Kind) -> Variable {
        self.variables += 1;
        Variable { number: self.variables, ty, kind }
    }

    /// A function that may call earlier ones. Every third changes its first parameter instead of returning a result.
    fn function(&mut self) -> Function {
        let changes = self.rng.u8(0..3) == 0;
        let mut parameters = Vec::new();
        for number in 0..self.rng.usize(1..=3) {
            let ty = self.ty();
            let kind = if changes && number == 0 { Kind::Changed } else { Kind::Parameter };
            parameters.push(self.fresh(ty, kind));
        }
        self.scope.clone_from(&parameters);
        self.uniforms();
        let mut body = self.statements(2);
        if changes {
            let value = self.expression(parameters[0].ty, 2);
            body.push(Statement::Assign(parameters[0], value));
            return Function { parameters, body, result: None };
        }
        let ty = self.ty();
        let result = Some(self.expression(ty, 2));
        Function { parameters, body, result }
    }

    /// Values of the varyings and clip distances, and a position whose w sometimes varies.
    fn leave(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        for varying in &self.program.varyings {
            let value = self.expression(varying.variable.ty, 3);
            body.push(Statement::Assign(varying.variable, value));
        }
        let vertex = Variable { number: 0, ty: Type::Vector(4), kind: Kind::Attribute };
        let part = |part| {
            Expression::new(Type::Float, Value::Part(Box::new(Expression::load(vertex)), part))
        };
        for number in 0..self.program.clip_distances {
            let (factor, offset) = (self.rng.i8(-4..=4), self.rng.u8(1..8));
            let distance = part(self.rng.usize(0..2))
                .binary(Operator::Multiply, Expression::float(f32::from(factor) * 0.25))
                .binary(Operator::Add, Expression::float(f32::from(offset) * 0.125));
            let variable = Variable { number, ty: Type::Float, kind: Kind::ClipDistance };
            body.push(Statement::Assign(variable, distance));
        }
        let w = match self.rng.u8(0..4) {
            0 => part(0)
                .binary(Operator::Multiply, Expression::float(0.5))
                .binary(Operator::Add, Expression::float(1.0)),
            1 => Expression::float(2.0),
            _ => Expression::float(1.0),
        };
        vec![Expression::load(vertex).binary(Operator::Multiply, w)]
    }

    /// The color's components. Every program uses both uniforms, which commands set.
    fn color(&mut self, body: &mut Vec<Statement>) -> Vec<Expression> {
        let mut values: Vec<_> = (0..4).map(|_| self.expression(Type::Float, 2)).collect();
        let float = Variable { number: 0, ty: Type::Float, kind: Kind::Uniform };
        let int = Variable { number: 1, ty: Type::Int, kind: Kind::Uniform };
        let product =
            Expression::load(float).binary(Operator::Multiply, to_float(Expression::load(int)));
        let last = values.remove(3);
        values.push(last.binary(Operator::Add, product));
        if self.rng.u8(0..6) == 0 {
            let condition = self.expression(Type::Int, 2);
            // Derivatives come before the discard, after which the values of helper invocations would be unreliable.
            for value in &mut values {
                let local = self.fresh(Type::Float, Kind::Local);
                let before = std::mem::replace(value, Expression::load(local));
                body.push(Statement::Declare(local, before));
            }
            body.push(Statement::Discard(condition));
        }
        values
    }

    fn statements(&mut self, count: usize) -> Vec<Statement> {
        let mut statements = Vec::new();
        for _ in 0..self.rng.usize(1..=count) {
            self.statement(&mut statements);
        }
        statements
    }

    fn statement(&mut self, to: &mut Vec<Statement>) {
        match self.rng.u8(0..11) {
            0 if self.depth < 2 => self.branch(to),
            1 if self.depth < 2 => self.repeat(to),
            2 if self.depth < 2 => self.switch(to),
            3 => self.element(to),
            4 | 5 => self.change(to),
            _ => {
                let ty = self.ty();
                let value = self.expression(ty, 3);
                self.declare(value, to);
            }
        }
    }

    /// A new variable.
    fn declare(&mut self, value: Expression, to: &mut Vec<Statement>) -> Variable {
        let variable = self.fresh(value.ty, Kind::Local);
        to.push(Statement::Declare(variable, value));
        self.scope.push(variable);
        variable
    }

    /// A new variable that a block then changes.
    fn changed(&mut self, to: &mut Vec<Statement>) -> Variable {
        let ty = self.ty();
        let value = self.expression(ty, 2);
        self.declare(value, to)
    }

    fn branch(&mut self, to: &mut Vec<Statement>) {
        let changed = self.changed(to);
        let condition = self.expression(Type::Int, 2);
        let (first, second) = (self.inside(changed), self.inside(changed));
        to.push(Statement::If(condition, first, second));
    }

    fn repeat(&mut self, to: &mut Vec<Statement>) {
        let changed = self.changed(to);
        let (counter, limit) = (self.fresh(Type::Int, Kind::Local), self.rng.u8(1..=4));
        let before = self.scope.len();
        self.scope.push(counter);
        let body = self.inside(changed);
        self.scope.truncate(before);
        to.push(Statement::Repeat(counter, limit, body));
    }

    fn switch(&mut self, to: &mut Vec<Statement>) {
        let changed = self.changed(to);
        let choice = self.expression(Type::Int, 2);
        let blocks = (0..self.rng.usize(2..=4)).map(|_| self.inside(changed)).collect();
        to.push(Statement::Switch(choice, blocks));
    }

    /// Statements of a block; the last one sets a variable from outside.
    fn inside(&mut self, changed: Variable) -> Vec<Statement> {
        let (before, had) = (self.scope.len(), self.has_derivatives);
        self.has_derivatives = false;
        self.depth += 1;
        let mut statements = self.statements(2);
        let value = self.expression(changed.ty, 2);
        statements.push(Statement::Assign(changed, value));
        self.depth -= 1;
        self.scope.truncate(before);
        self.has_derivatives = had;
        statements
    }

    /// Declares an array, vector or matrix, and sets and reads an element at indices that are known only at run time.
    fn element(&mut self, to: &mut Vec<Statement>) {
        let ty = *pick(self.rng, &[Type::Array, Type::Array, Type::Vector(4), Type::Matrix(2)]);
        let (part, mask) = match ty {
            Type::Matrix(_) => (Type::Vector(2), 1),
            Type::Float | Type::Int | Type::Vector(_) | Type::Array | Type::Struct => {
                (Type::Float, 3)
            }
        };
        let whole = self.expression(ty, 3);
        let variable = self.declare(whole, to);
        let index = |writer: &mut Self| {
            writer.expression(Type::Int, 2).binary(Operator::And, Expression::int(mask))
        };
        let (set, read) = (index(self), index(self));
        let value = self.expression(part, 1);
        to.push(Statement::AssignAt(variable, set, value));
        self.declare(Expression::new(part, Value::At(variable, Box::new(read))), to);
    }

    /// A call of a function that changes a variable.
    fn change(&mut self, to: &mut Vec<Statement>) {
        let changing: Vec<_> = (0..self.functions.len())
            .filter(|number| self.functions[*number].result.is_none())
            .collect();
        if changing.is_empty() {
            return;
        }
        let number = *pick(self.rng, &changing);
        let parameters = self.functions[number].parameters.clone();
        let first = self.expression(parameters[0].ty, 2);
        let variable = self.declare(first, to);
        let others =
            parameters[1..].iter().map(|parameter| self.expression(parameter.ty, 2)).collect();
        to.push(Statement::Change(number, variable, others));
    }

    fn expression(&mut self, ty: Type, depth: usize) -> Expression {
        let choice = self.rng.u8(0..10);
        if depth > 0
            && choice < 2
            && let Some(call) = self.call(ty, depth)
        {
            return call;
        }
        if depth == 0 || choice < 4 {
            return self.leaf(ty);
        }
        match ty {
            Type::Int => self.integer(depth - 1),
            Type::Float => self.float(depth - 1),
            Type::Vector(size) => self.vector(size, depth - 1),
            Type::Matrix(_) => self.matrix(ty, depth - 1),
            Type::Array | Type::Struct => self.compose(ty, depth - 1),
        }
    }

    /// Types of the parts of a value.
    fn parts(&self, ty: Type) -> Vec<Type> {
        match ty {
            Type::Float | Type::Int => vec![ty],
            Type::Vector(size) => vec![Type::Float; usize::from(size)],
            Type::Matrix(size) => vec![Type::Vector(size); usize::from(size)],
            Type::Array => vec![Type::Float; ELEMENTS],
            Type::Struct => self.program.members.clone(),
        }
    }

    fn compose(&mut self, ty: Type, depth: usize) -> Expression {
        let parts = self.parts(ty).into_iter().map(|part| self.expression(part, depth)).collect();
        Expression::new(ty, Value::Compose(parts))
    }

    fn call(&mut self, ty: Type, depth: usize) -> Option<Expression> {
        let has_type =
            |function: &Function| function.result.as_ref().is_some_and(|result| result.ty == ty);
        let fitting: Vec<_> =
            (0..self.functions.len()).filter(|number| has_type(&self.functions[*number])).collect();
        if fitting.is_empty() {
            return None;
        }
        let number = *pick(self.rng, &fitting);
        let types: Vec<_> =
            self.functions[number].parameters.iter().map(|parameter| parameter.ty).collect();
        let arguments = types.into_iter().map(|ty| self.expression(ty, depth - 1)).collect();
        Some(Expression::new(ty, Value::Call(number, arguments)))
    }

    /// A variable or a constant.
    fn leaf(&mut self, ty: Type) -> Expression {
        let fitting: Vec<_> =
            self.scope.iter().copied().filter(|variable| variable.ty == ty).collect();
        if !fitting.is_empty() && self.rng.u8(0..4) > 0 {
            return Expression::load(*pick(self.rng, &fitting));
        }
        match ty {
            Type::Int => Expression::int(i32::from(self.rng.u8(0..8))),
            Type::Float => Expression::float(f32::from(self.rng.u8(1..32)) / 16.0),
            Type::Vector(_) | Type::Matrix(_) | Type::Array | Type::Struct => {
                let parts = self.parts(ty).into_iter().map(|part| self.leaf(part)).collect();
                Expression::new(ty, Value::Compose(parts))
            }
        }
    }

    fn integer(&mut self, depth: usize) -> Expression {
        let (a, b) = (self.expression(Type::Int, depth), self.expression(Type::Int, depth));
        let operator = match self.rng.u8(0..6) {
            0 => Operator::Add,
            1 => Operator::Subtract,
            2 => Operator::Multiply,
            3 => Operator::ExclusiveOr,
            4 => return Expression::new(Type::Int, Value::Builtin(Builtin::Min, vec![a, b])),
            _ => {
                let bits = b.binary(Operator::And, Expression::int(7));
                return a.binary(Operator::ShiftLeft, bits);
            }
        };
        a.binary(operator, b)
    }

    fn float(&mut self, depth: usize) -> Expression {
        let a = self.expression(Type::Float, depth);
        let (function, others) = match self.rng.u8(0..10) {
            0 => {
                let sum = a.binary(Operator::Add, self.expression(Type::Float, depth));
                return builtin(Builtin::Fract, vec![sum]);
            }
            1 => {
                let right = self.expression(Type::Float, depth);
                return a.binary(Operator::Multiply, Expression::float(0.5)).binary(
                    Operator::Subtract,
                    right.binary(Operator::Multiply, Expression::float(0.25)),
                );
            }
            2 => (Builtin::Max, vec![self.expression(Type::Float, depth)]),
            3 => (Builtin::Sin, Vec::new()),
            4 | 5 => return self.part(Type::Float, depth),
            6 => {
                let number = self.expression(Type::Int, depth);
                let small = to_float(number.binary(Operator::And, Expression::int(15)));
                return small.binary(Operator::Multiply, Expression::float(0.125));
            }
            7 => (Builtin::Clamp, vec![Expression::float(-1.0), Expression::float(1.0)]),
            8 if self.has_derivatives => {
                (*pick(self.rng, &[Builtin::DerivativeX, Builtin::DerivativeY]), Vec::new())
            }
            _ => (Builtin::Abs, Vec::new()),
        };
        builtin(function, [vec![a], others].concat())
    }

    /// A part of a larger value.
    fn part(&mut self, ty: Type, depth: usize) -> Expression {
        let from: &[Type] = match ty {
            Type::Vector(2) => &[Type::Matrix(2), Type::Struct],
            Type::Vector(3) => &[Type::Matrix(3), Type::Struct],
            Type::Float
            | Type::Int
            | Type::Vector(_)
            | Type::Matrix(_)
            | Type::Array
            | Type::Struct => &[Type::Vector(2), Type::Vector(4), Type::Array, Type::Struct],
        };
        let from = *pick(self.rng, from);
        let fitting: Vec<_> = self
            .parts(from)
            .into_iter()
            .enumerate()
            .filter_map(|(number, part)| (part == ty).then_some(number))
            .collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        let number = *pick(self.rng, &fitting);
        let whole = self.expression(from, depth);
        Expression::new(ty, Value::Part(Box::new(whole), number))
    }

    fn vector(&mut self, size: u8, depth: usize) -> Expression {
        let ty = Type::Vector(size);
        match self.rng.u8(0..7) {
            0 => {
                let sum =
                    self.expression(ty, depth).binary(Operator::Add, self.expression(ty, depth));
                builtin(Builtin::Fract, vec![sum])
            }
            1 => {
                let (a, b) = (self.expression(ty, depth), self.expression(Type::Float, depth));
                a.binary(Operator::Multiply, b)
            }
            2 => {
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                builtin(Builtin::Mix, vec![a, b, Expression::float(0.25)])
            }
            3 => {
                let from = self.rng.u8(2..=4);
                let whole = self.expression(Type::Vector(from), depth);
                let parts = (0..size).map(|_| self.rng.u8(0..from)).collect();
                Expression::new(ty, Value::Swizzle(Box::new(whole), parts))
            }
            4 if size < 4 => {
                let matrix = self.expression(Type::Matrix(size), depth);
                let vector = self.expression(ty, depth);
                let product = Value::Binary(Operator::Multiply, Box::new(matrix), Box::new(vector));
                Expression::new(ty, product)
            }
            5 if size < 4 => self.part(ty, depth),
            _ => self.compose(ty, depth),
        }
    }

    fn matrix(&mut self, ty: Type, depth: usize) -> Expression {
        match self.rng.u8(0..3) {
            0 => {
                let (a, b) = (self.expression(ty, depth), self.expression(Type::Float, depth));
                a.binary(Operator::Multiply, b)
            }
            1 => {
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                a.binary(Operator::Add, b)
            }
            _ => self.compose(ty, depth),
        }
    }
}

/// A function whose result has the type of its first argument.
fn builtin(function: Builtin, arguments: Vec<Expression>) -> Expression {
    Expression::new(arguments[0].ty, Value::Builtin(function, arguments))
}

fn to_float(int: Expression) -> Expression {
    Expression::new(Type::Float, Value::ToFloat(Box::new(int)))
}
