//! Leaves out what nothing reads: variables and their assignments, functions, varyings, and barriers without memory.

use std::collections::{BTreeSet, HashSet};

use super::super::tree::{Argument, Kind, Program, Stage, StageKind, Statement, Value, Variable};
use super::super::walk::{self, Part};

/// The program without the variables, functions and varyings that nothing reads.
pub(in super::super) fn without_unused(mut program: Program) -> Program {
    loop {
        let mut changed = false;
        let varyings = read_varyings(&program);
        for stage in &mut program.stages {
            changed |= drop_functions(stage);
            let read = read(stage);
            let is_read = |variable: &Variable| match variable.kind {
                Kind::Local | Kind::Private | Kind::Table | Kind::Shared => read.contains(variable),
                Kind::Varying | Kind::Emitted => {
                    varyings.contains(&Variable { kind: Kind::Varying, ..*variable })
                }
                _ => true,
            };
            if !read.iter().any(|variable| variable.kind == Kind::Shared) {
                let before = stage.body.len();
                stage.body.retain(|statement| !matches!(statement, Statement::Barrier));
                changed |= stage.body.len() != before;
            }
            stage.privates.retain(|(variable, _)| is_read(variable));
            let functions = stage.functions.iter_mut().map(|function| &mut function.body);
            for body in functions.chain([&mut stage.body]) {
                changed |= drop_stores(body, &is_read);
            }
        }
        changed |= drop_varyings(&mut program, &varyings);
        if !changed {
            return program;
        }
    }
}

/// The variables that a stage reads.
fn read(stage: &Stage) -> HashSet<Variable> {
    let mut read = HashSet::new();
    walk::stage(stage, &mut |part| match part {
        Part::Expression(value) => match &value.value {
            Value::Load(place) => {
                read.insert(place.variable);
            }
            Value::Call(_, arguments) => add_changed(arguments, &mut read),
            _ => {}
        },
        Part::Statement(Statement::Call(_, arguments)) => add_changed(arguments, &mut read),
        Part::Statement(Statement::Loop(repeat)) => {
            read.extend([repeat.counter, repeat.limit]);
        }
        Part::Statement(_) | Part::Place(_) => {}
    });
    read
}

fn add_changed(arguments: &[Argument], read: &mut HashSet<Variable>) {
    for argument in arguments {
        if let Argument::Changed(place) = argument {
            read.insert(place.variable);
        }
    }
}

/// The varyings that a later stage than the vertex stage reads.
fn read_varyings(program: &Program) -> HashSet<Variable> {
    let later = program.stages.iter().filter(|stage| stage.kind != StageKind::Vertex);
    let mut all: HashSet<_> = later.flat_map(read).collect();
    all.extend(&program.captured);
    all.retain(|variable| variable.kind == Kind::Varying);
    all
}

/// Leaves out the declarations and assignments of variables that are not read. True if there were any.
fn drop_stores(body: &mut Vec<Statement>, is_read: &dyn Fn(&Variable) -> bool) -> bool {
    let before = body.len();
    body.retain(|statement| match statement {
        Statement::Declare(variable, _) => is_read(variable),
        Statement::Assign(place, _)
        | Statement::AssignThrough(place, ..)
        | Statement::Update(place, ..) => is_read(&place.variable),
        Statement::If(_, first, second) => !first.is_empty() || !second.is_empty(),
        _ => true,
    });
    let mut changed = body.len() != before;
    for statement in body {
        match statement {
            Statement::Atomic(atomic) => atomic.result = atomic.result.filter(is_read),
            Statement::If(_, first, second) => {
                changed |= drop_stores(first, is_read) | drop_stores(second, is_read);
            }
            Statement::Loop(repeat) => {
                changed |= drop_stores(&mut repeat.body, is_read);
                changed |= drop_stores(&mut repeat.continuing, is_read);
            }
            Statement::Switch(_, cases) => {
                for case in cases {
                    changed |= drop_stores(&mut case.body, is_read);
                }
            }
            _ => {}
        }
    }
    changed
}

/// Leaves out the functions that `main` does not reach. True if there were any.
fn drop_functions(stage: &mut Stage) -> bool {
    let mut called = BTreeSet::new();
    let mut waiting = calls(&stage.body, &stage.results);
    while let Some(number) = waiting.pop() {
        let function = stage.functions.iter().find(|function| function.number == number);
        if let Some(function) = function.filter(|_| called.insert(number)) {
            waiting.extend(calls(&function.body, &[]));
        }
    }
    let before = stage.functions.len();
    stage.functions.retain(|function| called.contains(&function.number));
    stage.functions.len() != before
}

/// The functions that statements and expressions call.
fn calls(body: &[Statement], results: &[super::super::tree::Expression]) -> Vec<usize> {
    let mut found = Vec::new();
    walk::parts(body, results, &mut |part| match part {
        Part::Statement(Statement::Call(number, _)) => found.push(*number),
        Part::Expression(value) => {
            if let Value::Call(number, _) = &value.value {
                found.push(*number);
            }
        }
        Part::Statement(_) | Part::Place(_) => {}
    });
    found
}

/// Leaves out the varyings that are not read. True if there were any.
fn drop_varyings(program: &mut Program, read: &HashSet<Variable>) -> bool {
    let loose = program.varyings.len() - program.block;
    let before = program.varyings.len();
    let in_block = program.varyings[loose..].iter().filter(|one| read.contains(&one.variable));
    program.block = in_block.count();
    program.varyings.retain(|varying| read.contains(&varying.variable));
    program.varyings.len() != before
}
