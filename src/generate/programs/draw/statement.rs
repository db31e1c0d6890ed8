//! Draws statements.

use super::super::operation::Op;
use super::super::tree::{
    Argument, BOOL, Case, Expression, Form, INT, Kind, Literal, Loop, Place, Scalar, Statement,
    Type, UINT, Variable,
};
use super::{Around, Drawer, Exits, Scope};
use crate::programs::Language;

/// Maximum number of blocks around a statement.
const MOST_DEPTH: usize = 5;

impl Drawer<'_> {
    /// Appends up to `count` statements and what they need.
    pub(super) fn statements(&mut self, count: usize, to: &mut Vec<Statement>) {
        for _ in 0..self.rng.usize(1..=count) {
            if !self.can_pay(4) || self.size > super::MOST_SIZE {
                return;
            }
            self.cost += self.turns;
            self.size += 1;
            self.statement(to);
        }
    }

    /// Appends the calls and values that the current statement needs. The values may be read later.
    pub(super) fn flush(&mut self, to: &mut Vec<Statement>) {
        to.append(&mut self.pending);
    }

    fn statement(&mut self, to: &mut Vec<Statement>) {
        let is_shallow = self.around.depth < MOST_DEPTH;
        match self.rng.u8(0..20) {
            0 | 1 if is_shallow => self.branch(to),
            2 if is_shallow && self.turns < 64 => self.repeat(to),
            3 if is_shallow => self.switch(to),
            4..=6 => self.assign(to),
            7 | 8 => self.update(to),
            9 | 10 => self.change(to),
            11 if self.around.depth > 0 => self.leave_early(to),
            12 | 13 => self.element(to),
            14 if self.once_in(2) => self.own_cell(to),
            14 => self.paint(to),
            _ => {
                let ty = self.ty();
                let value = self.value(ty, 3);
                self.declare(value, to);
            }
        }
    }

    /// A new variable.
    pub(super) fn declare(&mut self, value: Expression, to: &mut Vec<Statement>) -> Variable {
        self.flush(to);
        let variable = self.fresh(value.ty, Kind::Local);
        to.push(Statement::Declare(variable, value));
        self.variables.push(variable);
        self.unread.insert(variable);
        variable
    }

    /// A variable that statements may change.
    fn changeable(&mut self) -> Option<Variable> {
        let is_changeable = |variable: &&Variable| {
            matches!(variable.kind, Kind::Local | Kind::Private | Kind::Changed)
                && !self.counters.contains(variable)
        };
        let found: Vec<_> = self.variables.iter().filter(is_changeable).copied().collect();
        (!found.is_empty()).then(|| self.pick(&found))
    }

    /// Sets a variable, which keeps what nothing has read: it is folded first, or else used in the new value.
    fn assign(&mut self, to: &mut Vec<Statement>) {
        let Some(variable) = self.changeable() else { return };
        let value = self.value(variable.ty, 3);
        self.flush(to);
        if self.unread.contains(&variable) {
            self.fold(variable, to);
        }
        to.push(Statement::Assign(Place::whole(variable), value));
        self.unread.insert(variable);
    }

    /// Changes a scalar or vector by an operation with its old value.
    fn update(&mut self, to: &mut Vec<Statement>) {
        let Some(variable) = self.changeable() else { return };
        let Type::Value(scalar, count) = variable.ty else { return self.element(to) };
        let op = match scalar {
            Scalar::Int | Scalar::Uint | Scalar::Long | Scalar::Ulong => {
                self.pick(&[Op::Add, Op::Subtract, Op::Multiply, Op::Xor, Op::Or, Op::And])
            }
            Scalar::Bool | Scalar::Float | Scalar::Rough | Scalar::Double | Scalar::Half => {
                return self.assign(to);
            }
        };
        let value = self.wide_value(Type::Value(scalar, count), 3);
        self.flush(to);
        to.push(Statement::Update(Place::whole(variable), op, value));
        self.unread.insert(variable);
    }

    /// Sets a part of a variable, often at an index that is known at run time only.
    fn element(&mut self, to: &mut Vec<Statement>) {
        let Some(variable) = self.changeable() else { return };
        let mut place = Place::whole(variable);
        while !matches!(place.ty, Type::Value(_, 1)) {
            let parts = self.types().parts(place.ty);
            let number = self.rng.usize(0..parts.len());
            place = place.part(u8::try_from(number).unwrap_or(0), parts[number]);
            if self.once_in(3) {
                break;
            }
        }
        if place.steps.is_empty() {
            return;
        }
        if self.recipe.allows("assignment to an element at run time") {
            self.make_dynamic(&mut place);
        }
        let value = self.value(place.ty, 2);
        self.flush(to);
        to.push(if self.recipe.allows("assignment through a pointer") && self.once_in(3) {
            let steps = self.rng.usize(0..place.steps.len());
            Statement::AssignThrough(place, steps, value)
        } else {
            Statement::Assign(place, value)
        });
        self.unread.insert(variable);
    }

    /// Calls a function that has an effect.
    fn change(&mut self, to: &mut Vec<Statement>) {
        if matches!(self.scope, Scope::Pure { .. }) {
            return;
        }
        let all = self.functions.iter().enumerate();
        let fitting: Vec<_> = all
            .filter(|(number, function)| !function.is_pure && self.can_call(*number))
            .map(|(number, _)| number)
            .collect();
        if fitting.is_empty() {
            return;
        }
        let number = self.pick(&fitting);
        self.call_as_statement(number, to);
    }

    /// Calls a function, and declares what it changes and returns.
    pub(super) fn call_as_statement(&mut self, number: usize, to: &mut Vec<Statement>) {
        let arguments = self.arguments(number, 2);
        let changed = arguments.iter().find_map(|argument| match argument {
            Argument::Changed(place) => Some(place.variable),
            Argument::Value(_) => None,
        });
        self.call_with(number, arguments, to);
        if let Some(variable) = changed {
            if !self.variables.contains(&variable) {
                self.variables.push(variable);
            }
            self.unread.insert(variable);
        }
    }

    fn branch(&mut self, to: &mut Vec<Statement>) {
        let condition = self.condition(3);
        self.flush(to);
        let mut first = self.inside(self.around, 3);
        self.mark(&mut first);
        let second = if self.rng.bool() { self.inside(self.around, 3) } else { Vec::new() };
        to.push(Statement::If(condition, first, second));
    }

    /// A block. What it declares is folded at its end.
    fn inside(&mut self, around: Around, count: usize) -> Vec<Statement> {
        let start = self.variables.len();
        let had = std::mem::replace(
            &mut self.around,
            Around { depth: around.depth + 1, is_uniform: false, ..around },
        );
        let mut statements = Vec::new();
        self.statements(count, &mut statements);
        self.leave(start, &mut statements);
        self.around = had;
        statements
    }

    fn repeat(&mut self, to: &mut Vec<Statement>) {
        let most = self.masked(INT, 3, 2);
        let most = most.then(Op::Add, vec![Expression::number(Scalar::Int, 1)]);
        let limit = self.declare(most, to);
        self.unread.remove(&limit);
        let counter = self.fresh(INT, Kind::Local);
        self.counters.extend([limit, counter]);
        let start = self.variables.len();
        self.variables.push(counter);
        self.turns *= 4;
        let exits = Exits { in_loop: true, can_break: true, in_inner_switch: false };
        let around = Around { exits, ..self.around };
        let mut body = self.inside(around, 4);
        self.mix_in(Expression::variable(counter), &mut body);
        let form = self.pick(&[Form::For, Form::For, Form::While, Form::DoWhile]);
        let continuing = if form == Form::DoWhile { self.continuing() } else { Vec::new() };
        self.turns /= 4;
        self.variables.truncate(start);
        to.push(Statement::Loop(Loop { form, counter, limit, body, continuing }));
    }

    /// Statements between two iterations of a loop. They cannot leave the loop.
    fn continuing(&mut self) -> Vec<Statement> {
        if !self.recipe.allows("continuing") || self.rng.bool() {
            return Vec::new();
        }
        let around = Around { exits: Exits::default(), in_continuing: true, ..self.around };
        let mut continuing = self.inside(around, 2);
        self.mark(&mut continuing);
        continuing
    }

    fn switch(&mut self, to: &mut Vec<Statement>) {
        let ty = self.pick(&[INT, UINT]);
        let mask = self.pick(&[3, 7]);
        let choice = self.masked(ty, mask, 3);
        let choice = if choice.is_constant { self.masked_variable(ty, mask) } else { choice };
        self.flush(to);
        let in_loop = self.around.exits.in_loop;
        let exits = Exits { in_loop, can_break: true, in_inner_switch: in_loop };
        let around = Around { exits, ..self.around };
        let mut labels: Vec<u8> = (0..=u8::try_from(mask).unwrap_or(3)).collect();
        self.rng.shuffle(&mut labels);
        let mut cases = Vec::new();
        for number in 0..self.rng.usize(1..=3) {
            let own =
                labels.split_off(labels.len().saturating_sub(1 + usize::from(self.rng.bool())));
            if own.is_empty() {
                break;
            }
            let mut body = self.inside(around, 2);
            self.mark(&mut body);
            let falls = number > 0 && self.recipe.allows("fall-through") && self.once_in(4);
            cases.push(Case { labels: own, body, falls });
        }
        cases.push(Case { labels: Vec::new(), body: self.inside(around, 2), falls: false });
        to.push(Statement::Switch(choice, cases));
    }

    /// Bits of a uniform.
    fn masked_variable(&mut self, ty: Type, mask: i32) -> Expression {
        let (number, scalar) = if ty == INT { (0, Scalar::Int) } else { (1, Scalar::Uint) };
        let variable = Variable { number, ty: Type::Value(scalar, 4), kind: Kind::Uniform };
        let place = Place::whole(variable).part(self.rng.u8(0..4), ty);
        Expression::load(place).then(Op::And, vec![Expression::number(scalar, mask)])
    }

    /// Leaves a loop, a switch or a function under a condition, or in one of two ways.
    fn leave_early(&mut self, to: &mut Vec<Statement>) {
        let condition = self.condition(2);
        self.flush(to);
        let Some(first) = self.way_out() else { return };
        // SPIR-V wants the end of a continue construct behind all of its blocks, also behind those that nothing reaches.
        let leaves_both = !self.around.in_continuing && self.once_in(4);
        let second = if leaves_both { self.way_out() } else { None };
        to.push(Statement::If(condition, first, second.unwrap_or_default()));
    }

    /// Statements that leave a loop, a switch or a function, if there is one.
    fn way_out(&mut self) -> Option<Vec<Statement>> {
        let mut ways = Vec::new();
        if self.around.exits.can_break {
            ways.push(Statement::Break);
        }
        if self.around.exits.in_loop {
            ways.push(Statement::Continue);
        }
        let feature = "break out of a loop and a switch";
        let may_break_both = self.recipe.allows(feature);
        if self.around.exits.in_inner_switch && may_break_both {
            ways.push(Statement::BreakLoop);
        }
        if self.scope != Scope::Main && !self.around.in_continuing {
            ways.push(Statement::Return(None));
        }
        if ways.is_empty() {
            return None;
        }
        let way = ways.swap_remove(self.rng.usize(0..ways.len()));
        if !matches!(way, Statement::Return(_)) {
            return Some(vec![way]);
        }
        let result = match self.scope {
            Scope::Pure { result, .. } => Some(result),
            Scope::Impure { result } => result,
            Scope::Main => None,
        };
        let value = result.map(|ty| {
            let value = self.value(ty, 1);
            self.returned(value)
        });
        let mut inner = Vec::new();
        self.flush(&mut inner);
        inner.push(Statement::Return(value));
        Some(inner)
    }

    /// Ends the fragment under a condition.
    pub(super) fn discard(&mut self, to: &mut Vec<Statement>) {
        let condition = self.condition(3);
        let rare = self.masked_variable(UINT, 3);
        let wanted = Expression::number(Scalar::Uint, self.rng.i32(0..4));
        let rare = Expression::op(BOOL, Op::Equal, vec![rare, wanted]);
        let both = if self.rng.bool() {
            if self.recipe.shared.len() > 1 {
                // The languages have no common operation for both of two booleans.
                let no = Expression::literal(Scalar::Bool, Literal::Bool(false));
                no.then(Op::Select, vec![rare, condition])
            } else if self.recipe.is_for(Language::Spirv) {
                condition.then(Op::BothTrue, vec![rare])
            } else {
                condition.then(Op::LogicalAnd, vec![rare])
            }
        } else {
            condition
        };
        self.flush(to);
        to.push(Statement::If(both, vec![Statement::Discard], Vec::new()));
    }
}
