//! Tells which variables of a program reach its outputs.
//!
//! The order of statements does not count: a variable reaches an output if some chain of assignments, calls and
//! conditions leads there.

use std::collections::{HashMap, HashSet};

use super::tree::{
    Argument, Atomic, Expression, Function, Kind, Place, Program, Stage, StageKind, Statement,
    Step, Value, Variable,
};

/// Counts over the stages of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Local variables and parameters.
    pub locals: usize,
    /// Those that reach no output.
    pub dead: usize,
    /// Components of the outputs of fragment stages.
    pub outputs: usize,
    /// Those that depend on a varying.
    pub varying: usize,
}

/// A source of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// The outputs of the stage, and its control flow.
    Outside,
    Variable(Variable),
    Picture,
    /// Result of a function.
    Result(usize),
}

/// The counts of a program.
pub(super) fn of(program: &Program) -> Reach {
    let mut reach = Reach::default();
    for stage in &program.stages {
        let graph = Graph::of(stage);
        let live = graph.reachable([Node::Outside]);
        let declared: HashSet<_> = graph.declared.iter().copied().collect();
        reach.locals += declared.len();
        reach.dead += declared.iter().filter(|one| !live.contains(&Node::Variable(**one))).count();
        if stage.kind != StageKind::Fragment {
            continue;
        }
        for component in stage.results.iter().flat_map(parts) {
            reach.outputs += 1;
            let from = graph.reachable(reads(component, &stage.functions));
            let is_varying =
                |node: &Node| matches!(node, Node::Variable(Variable { kind: Kind::Varying, .. }));
            reach.varying += usize::from(from.iter().any(is_varying));
        }
    }
    reach
}

/// The components of an output.
fn parts(result: &Expression) -> &[Expression] {
    match &result.value {
        Value::Compose(parts) => parts,
        _ => std::slice::from_ref(result),
    }
}

/// The sources that an expression reads.
fn reads(value: &Expression, functions: &[Function]) -> Vec<Node> {
    match &value.value {
        Value::Literal(_) => Vec::new(),
        Value::Painted => vec![Node::Picture],
        Value::Load(place) => {
            let mut nodes = indices(place, functions);
            nodes.push(Node::Variable(place.variable));
            nodes
        }
        Value::Compose(parts) | Value::Op(_, parts) | Value::Lookup(_, parts) => {
            parts.iter().flat_map(|part| reads(part, functions)).collect()
        }
        Value::Part(inner, _) | Value::Swizzle(inner, _) | Value::Rough(inner) => {
            reads(inner, functions)
        }
        Value::Call(number, _) => vec![Node::Result(*number)],
    }
}

/// The sources that the indices of a place read.
fn indices(place: &Place, functions: &[Function]) -> Vec<Node> {
    let at = place.steps.iter().filter_map(|step| match step {
        Step::At(index) => Some(reads(index, functions)),
        Step::Part(_) => None,
    });
    at.flatten().collect()
}

/// For each node, what its value comes from.
struct Graph<'a> {
    functions: &'a [Function],
    from: HashMap<Node, Vec<Node>>,
    declared: Vec<Variable>,
}

impl<'a> Graph<'a> {
    fn of(stage: &'a Stage) -> Self {
        let functions = stage.functions.as_slice();
        let mut graph = Self { functions, from: HashMap::new(), declared: Vec::new() };
        for (number, function) in functions.iter().enumerate() {
            graph.declared.extend(&function.parameters);
            graph.statements(&function.body, &[], Node::Result(number));
        }
        graph.statements(&stage.body, &[], Node::Outside);
        for result in &stage.results {
            graph.value(result, &[]);
            graph.add(Node::Outside, reads(result, functions));
        }
        graph
    }

    fn add(&mut self, to: Node, from: Vec<Node>) {
        self.from.entry(to).or_default().extend(from);
    }

    fn reachable(&self, from: impl IntoIterator<Item = Node>) -> HashSet<Node> {
        let mut found = HashSet::new();
        let mut waiting: Vec<_> = from.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if found.insert(node) {
                waiting.extend(self.from.get(&node).into_iter().flatten());
            }
        }
        found
    }

    /// Adds the calls in an expression.
    fn value(&mut self, value: &Expression, conditions: &[Node]) {
        let calls = calls(value);
        for (number, arguments) in calls {
            self.call(number, arguments, conditions);
        }
    }

    fn call(&mut self, number: usize, arguments: &[Argument], conditions: &[Node]) {
        let functions = self.functions;
        let Some(function) = functions.get(number) else { return };
        self.add(Node::Result(number), conditions.to_vec());
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let parameter = Node::Variable(*parameter);
            match argument {
                Argument::Value(value) => {
                    self.value(value, conditions);
                    self.add(parameter, reads(value, functions));
                }
                Argument::Changed(place) => {
                    let variable = Node::Variable(place.variable);
                    let around = [indices(place, functions), conditions.to_vec()].concat();
                    self.add(parameter, [vec![variable], around.clone()].concat());
                    self.add(variable, [vec![parameter], around].concat());
                }
            }
        }
    }

    fn statements(&mut self, statements: &[Statement], conditions: &[Node], result: Node) {
        for statement in statements {
            self.statement(statement, conditions, result);
        }
    }

    fn statement(&mut self, statement: &Statement, conditions: &[Node], result: Node) {
        let functions = self.functions;
        match statement {
            Statement::Declare(variable, value) => {
                self.declared.push(*variable);
                self.assign(
                    &Place { variable: *variable, steps: Vec::new(), ty: value.ty },
                    value,
                    conditions,
                );
            }
            Statement::Assign(place, value)
            | Statement::AssignThrough(place, _, value)
            | Statement::Update(place, _, value) => {
                self.assign(place, value, conditions);
            }
            Statement::Atomic(atomic) => self.atomic(atomic, conditions),
            Statement::Paint(value) => {
                self.value(value, conditions);
                self.add(Node::Picture, [reads(value, functions), conditions.to_vec()].concat());
            }
            Statement::Call(number, arguments) => self.call(*number, arguments, conditions),
            Statement::If(condition, first, second) => {
                self.value(condition, conditions);
                let all = [conditions, &reads(condition, functions)].concat();
                self.statements(first, &all, result);
                self.statements(second, &all, result);
            }
            Statement::Loop(repeat) => {
                self.declared.push(repeat.counter);
                let limit = Node::Variable(repeat.limit);
                let counter = Node::Variable(repeat.counter);
                self.add(counter, vec![limit]);
                let all = [conditions, &[limit, counter]].concat();
                self.statements(&repeat.body, &all, result);
                self.statements(&repeat.continuing, &all, result);
            }
            Statement::Switch(choice, cases) => {
                self.value(choice, conditions);
                let all = [conditions, &reads(choice, functions)].concat();
                for case in cases {
                    self.statements(&case.body, &all, result);
                }
            }
            Statement::Break
            | Statement::BreakLoop
            | Statement::Continue
            | Statement::Discard
            | Statement::Barrier => {
                self.add(Node::Outside, conditions.to_vec());
            }
            Statement::Return(value) => {
                self.add(result, conditions.to_vec());
                if let Some(value) = value {
                    self.value(value, conditions);
                    self.add(result, reads(value, functions));
                }
            }
        }
    }

    fn atomic(&mut self, atomic: &Atomic, conditions: &[Node]) {
        for operand in &atomic.operands {
            self.assign(&atomic.place, operand, conditions);
            if let Some(result) = atomic.result {
                self.assign(&Place::whole(result), operand, conditions);
            }
        }
        self.declared.extend(atomic.result);
    }

    fn assign(&mut self, place: &Place, value: &Expression, conditions: &[Node]) {
        self.value(value, conditions);
        let is_outside =
            matches!(place.variable.kind, Kind::Output | Kind::Varying | Kind::Emitted);
        let to = if is_outside { Node::Outside } else { Node::Variable(place.variable) };
        let from =
            [reads(value, self.functions), indices(place, self.functions), conditions.to_vec()];
        self.add(to, from.concat());
    }
}

/// The calls in an expression.
fn calls(value: &Expression) -> Vec<(usize, &[Argument])> {
    match &value.value {
        Value::Literal(_) | Value::Load(_) | Value::Painted => Vec::new(),
        Value::Compose(parts) | Value::Op(_, parts) | Value::Lookup(_, parts) => {
            parts.iter().flat_map(calls).collect()
        }
        Value::Part(inner, _) | Value::Swizzle(inner, _) | Value::Rough(inner) => calls(inner),
        Value::Call(number, arguments) => vec![(*number, arguments.as_slice())],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Literal, UINT};
    use super::super::{Language, Recipe};
    use super::*;

    fn local(number: usize) -> Variable {
        Variable { number, ty: UINT, kind: Kind::Local }
    }

    fn one() -> Expression {
        Expression::literal(super::super::tree::Scalar::Uint, Literal::Uint(1))
    }

    #[test]
    fn what_nothing_reads_is_dead_and_so_is_what_only_that_reads() {
        let varying = Variable { number: 0, ty: UINT, kind: Kind::Varying };
        let declare = |number, value| Statement::Declare(local(number), value);
        let stage = Stage {
            kind: StageKind::Fragment,
            privates: Vec::new(),
            functions: Vec::new(),
            body: vec![
                declare(1, one()),
                declare(2, Expression::variable(local(1))),
                declare(3, Expression::variable(varying)),
                declare(4, one()),
                Statement::If(
                    Expression::variable(local(4)),
                    vec![Statement::Assign(Place::whole(local(3)), one())],
                    Vec::new(),
                ),
            ],
            results: vec![Expression::variable(local(3)), one()],
        };
        let mut program = super::super::draw::program(0, &Recipe::new(Language::Glsl));
        program.stages = vec![stage];
        assert_eq!(of(&program), Reach { locals: 4, dead: 2, outputs: 2, varying: 1 });
    }
}
