//! Visits the parts of a stage.

use super::tree::{Argument, Expression, Place, Stage, Statement, Step, Value};

/// A part that a walk meets.
pub(super) enum Part<'a> {
    Statement(&'a Statement),
    Expression(&'a Expression),
    Place(&'a Place),
}

/// Visits all statements, expressions and places of a stage.
pub(super) fn stage<'a>(stage: &'a Stage, visit: &mut dyn FnMut(Part<'a>)) {
    for (_, value) in &stage.privates {
        expression(value, visit);
    }
    for function in &stage.functions {
        statements(&function.body, visit);
    }
    parts(&stage.body, &stage.results, visit);
}

/// Visits all parts of statements, then of expressions.
pub(super) fn parts<'a>(
    body: &'a [Statement],
    values: &'a [Expression],
    visit: &mut dyn FnMut(Part<'a>),
) {
    statements(body, visit);
    for value in values {
        expression(value, visit);
    }
}

fn statements<'a>(all: &'a [Statement], visit: &mut dyn FnMut(Part<'a>)) {
    for statement in all {
        visit(Part::Statement(statement));
        match statement {
            Statement::Declare(_, value) | Statement::Paint(value) => expression(value, visit),
            Statement::Assign(at, value)
            | Statement::AssignThrough(at, _, value)
            | Statement::Update(at, _, value) => {
                place(at, visit);
                expression(value, visit);
            }
            Statement::Atomic(atomic) => {
                place(&atomic.place, visit);
                for operand in &atomic.operands {
                    expression(operand, visit);
                }
            }
            Statement::Call(_, list) => arguments(list, visit),
            Statement::If(condition, first, second) => {
                expression(condition, visit);
                statements(first, visit);
                statements(second, visit);
            }
            Statement::Loop(repeat) => {
                statements(&repeat.body, visit);
                statements(&repeat.continuing, visit);
            }
            Statement::Switch(choice, cases) => {
                expression(choice, visit);
                for case in cases {
                    statements(&case.body, visit);
                }
            }
            Statement::Return(value) => {
                if let Some(value) = value {
                    expression(value, visit);
                }
            }
            Statement::Break
            | Statement::BreakLoop
            | Statement::Continue
            | Statement::Discard
            | Statement::Barrier => {}
        }
    }
}

fn arguments<'a>(list: &'a [Argument], visit: &mut dyn FnMut(Part<'a>)) {
    for argument in list {
        match argument {
            Argument::Value(value) => expression(value, visit),
            Argument::Changed(at) => place(at, visit),
        }
    }
}

fn place<'a>(at: &'a Place, visit: &mut dyn FnMut(Part<'a>)) {
    visit(Part::Place(at));
    for step in &at.steps {
        if let Step::At(index) = step {
            expression(index, visit);
        }
    }
}

fn expression<'a>(value: &'a Expression, visit: &mut dyn FnMut(Part<'a>)) {
    visit(Part::Expression(value));
    match &value.value {
        Value::Literal(_) | Value::Painted => {}
        Value::Load(at) => place(at, visit),
        Value::Compose(parts) | Value::Op(_, parts) | Value::Lookup(_, parts) => {
            for part in parts {
                expression(part, visit);
            }
        }
        Value::Part(inner, _) | Value::Swizzle(inner, _) | Value::Rough(inner) => {
            expression(inner, visit);
        }
        Value::Call(_, list) => arguments(list, visit),
    }
}
