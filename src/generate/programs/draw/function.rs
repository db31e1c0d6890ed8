//! Draws functions.

use super::super::tree::{Expression, Function, Kind, Scalar, Statement, Type, UINT, Variable};
use super::{Around, Drawer, Scope};

impl Drawer<'_> {
    /// A function, which may call earlier ones. A third are pure; the others may change their first parameter.
    pub(super) fn function(&mut self) -> Function {
        let is_pure = self.once_in(3);
        let result = loop {
            let ty = self.ty();
            let is_plain = matches!(ty, Type::Value(scalar, _) if scalar != Scalar::Rough);
            if !is_pure || is_plain {
                break ty;
            }
        };
        let changes = !is_pure && self.rng.bool();
        let result = (is_pure || !changes || self.rng.bool()).then_some(result);
        let hash = self.fresh(UINT, Kind::Local);
        self.scope = match result {
            Some(result) if is_pure => Scope::Pure { hash, result },
            _ => Scope::Impure { result },
        };
        let mut parameters = Vec::new();
        for number in 0..self.rng.usize(1..=3) {
            let is_changed = changes && number == 0;
            let ty = if is_changed { self.changed_type() } else { self.ty() };
            let kind = if is_changed { Kind::Changed } else { Kind::Parameter };
            parameters.push(self.fresh(ty, kind));
        }
        self.variables.clone_from(&parameters);
        self.unread = parameters.iter().copied().collect();
        self.uniforms();
        let globals = self.privates.iter().skip(2).map(|(variable, _)| *variable);
        self.variables.extend(globals.filter(|one| !is_pure || one.kind == Kind::Table));
        (self.cost, self.size) = (0, 0);
        self.around = Around::default();
        let mut body = Vec::new();
        if is_pure {
            let value = self.constant(UINT);
            body.push(Statement::Declare(hash, value));
        }
        self.statements(4, &mut body);
        if let Some(first) = parameters.first().filter(|first| first.kind == Kind::Changed) {
            self.change_parameter(*first, &mut body);
        }
        self.end(result, &mut body);
        let (cost, size) = (self.cost + 1, self.size + 1);
        self.scope = Scope::Main;
        let number = self.functions.len();
        Function { number, parameters, body, result, cost, size, is_pure }
    }

    /// Folds what is left, and returns.
    fn end(&mut self, result: Option<Type>, body: &mut Vec<Statement>) {
        let value = result.map(|ty| self.value(ty, 2));
        self.flush(body);
        let held = value.map(|value| {
            let variable = self.fresh(value.ty, Kind::Local);
            body.push(Statement::Declare(variable, value));
            Expression::variable(variable)
        });
        self.leave(0, body);
        let held = held.map(|value| self.returned(value));
        self.flush(body);
        if held.is_some() {
            body.push(Statement::Return(held));
        }
    }

    /// The value that a function returns.
    pub(super) fn returned(&mut self, value: Expression) -> Expression {
        match self.scope {
            Scope::Pure { hash, .. } => {
                let blended = self.blended(value, hash);
                self.normal(blended)
            }
            Scope::Main | Scope::Impure { .. } => value,
        }
    }

    /// Variables that every function may read.
    pub(super) fn uniforms(&mut self) {
        let uniform =
            |number, scalar| Variable { number, ty: Type::Value(scalar, 4), kind: Kind::Uniform };
        self.variables.extend([
            uniform(0, Scalar::Int),
            uniform(1, Scalar::Uint),
            uniform(2, Scalar::Float),
        ]);
        if self.recipe.allows("16 elements of a storage buffer") {
            self.variables.push(super::INPUT);
        }
    }
}
