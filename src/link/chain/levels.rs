//! Tessellation levels that are constants, so that nobody needs to run the control stage to learn them.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "other expressions are no constants and lead nowhere"
)]

use naga::{Block, Expression, Function, GlobalVariable, Handle, Literal, Statement};

use ir::operands;
use ir::stage_module::StageModule;
use ir::tessellation::{INNER_LEVELS, OUTER_LEVELS, TessellationLevels};

/// The levels, if all that the stage ever writes to each is the same constant. What it never writes is zero.
pub(super) fn constant(stage: &StageModule) -> Option<TessellationLevels> {
    stage.control()?;
    let outer = array(stage, OUTER_LEVELS)?;
    let inner = array(stage, INNER_LEVELS)?;
    Some(TessellationLevels { outer, inner })
}

/// The elements of an array of levels. `None` if one may be anything.
fn array<const N: usize>(stage: &StageModule, name: &str) -> Option<[f32; N]> {
    let mut found = [None; N];
    let known = stage.outputs.iter().find(|output| output.name == name);
    if let Some(place) = known.and_then(|output| output.place.as_ref()) {
        for (_, function) in stage.module.functions.iter() {
            block(function, place.global, &function.body, &mut found)?;
        }
    }
    Some(found.map(Option::unwrap_or_default))
}

/// Notes what the statements store there.
fn block(
    function: &Function,
    array: Handle<GlobalVariable>,
    statements: &Block,
    found: &mut [Option<f32>],
) -> Option<()> {
    for statement in statements {
        match statement {
            Statement::Emit(_) => {}
            Statement::Block(inner) => block(function, array, inner, found)?,
            Statement::If { accept, reject, .. } => {
                block(function, array, accept, found)?;
                block(function, array, reject, found)?;
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    block(function, array, &case.body, found)?;
                }
            }
            Statement::Loop { body, continuing, .. } => {
                block(function, array, body, found)?;
                block(function, array, continuing, found)?;
            }
            Statement::Store { pointer, value } => {
                if root(function, *pointer) == Some(array) {
                    note(function, (*pointer, *value), found)?;
                }
            }
            other => {
                let mut is_named = false;
                let one = Block::from_vec(vec![other.clone()]);
                operands::read_by_block(&one, |operand| {
                    is_named |= root(function, operand) == Some(array);
                });
                if is_named {
                    return None;
                }
            }
        }
    }
    Some(())
}

/// Notes a store of constants. `None` if they are none, or others than those before.
fn note(
    function: &Function,
    (pointer, value): (Handle<Expression>, Handle<Expression>),
    found: &mut [Option<f32>],
) -> Option<()> {
    let is_whole = |base: Handle<Expression>| {
        matches!(function.expressions[base], Expression::GlobalVariable(_))
    };
    let first = match function.expressions[pointer] {
        Expression::AccessIndex { base, index } if is_whole(base) => usize::try_from(index).ok()?,
        Expression::Access { base, index } if is_whole(base) => number(function, index)?,
        _ if is_whole(pointer) => 0,
        _ => return None,
    };
    for (idx, value) in (first..).zip(floats(function, value)?) {
        let known = found.get_mut(idx)?.get_or_insert(value);
        if known.to_bits() != value.to_bits() {
            return None;
        }
    }
    Some(())
}

/// The global that a pointer leads to.
fn root(function: &Function, pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
    match function.expressions[pointer] {
        Expression::GlobalVariable(global) => Some(global),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            root(function, base)
        }
        _ => None,
    }
}

fn number(function: &Function, index: Handle<Expression>) -> Option<usize> {
    match function.expressions[index] {
        Expression::Literal(Literal::I32(number)) => usize::try_from(number).ok(),
        Expression::Literal(Literal::U32(number)) => usize::try_from(number).ok(),
        _ => None,
    }
}

/// The values of a constant float, or of an array of them.
fn floats(function: &Function, value: Handle<Expression>) -> Option<Vec<f32>> {
    match &function.expressions[value] {
        Expression::Literal(Literal::F32(number)) => Some(vec![*number]),
        Expression::Compose { components, .. } => {
            let parts = components.iter().map(|part| floats(function, *part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}
