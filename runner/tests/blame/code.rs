//! Faults in code.

use naga::{
    BinaryOperator, Block, Expression, Function, Literal, MathFunction, Module, Statement,
    SwizzleComponent, UnaryOperator,
};

/// Changes the expression with this number among those that `change` accepts: first in the entry point, then in all
/// functions.
fn expression(
    module: &mut Module,
    number: usize,
    change: impl Fn(&mut Expression) -> bool,
) -> bool {
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let all = entries.chain(functions).flat_map(|function| function.expressions.iter_mut());
    let mut changed = all.filter_map(|(_, expression)| {
        let mut own = expression.clone();
        change(&mut own).then_some((expression, own))
    });
    let Some((place, own)) = changed.nth(number) else { return false };
    *place = own;
    true
}

pub(crate) fn exchange_components(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::Compose { components, .. } if components.len() > 1 => {
            components.swap(0, 1);
            true
        }
        _ => false,
    })
}

pub(crate) fn shift_index(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::AccessIndex { index, .. } => {
            *index = if *index == 0 { 1 } else { *index - 1 };
            true
        }
        _ => false,
    })
}

pub(crate) fn turn_swizzle(module: &mut Module, number: usize) -> bool {
    use SwizzleComponent as S;
    expression(module, number, |expression| match expression {
        Expression::Swizzle { pattern, .. } => {
            pattern[0] = if pattern[0] == S::X { S::Y } else { S::X };
            true
        }
        _ => false,
    })
}

pub(crate) fn change_literal(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::Literal(Literal::F32(value)) => {
            *value = if *value == 0.0 { 0.25 } else { *value * 0.5 };
            true
        }
        Expression::Literal(Literal::Bool(value)) => {
            *value = !*value;
            true
        }
        _ => false,
    })
}

pub(crate) fn convert_bits(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::As { convert, .. } if convert.is_none() => {
            *convert = Some(4);
            true
        }
        _ => false,
    })
}

pub(crate) fn lose_sign(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::Unary { op: UnaryOperator::Negate, expr } => {
            *expression = Expression::Math {
                fun: MathFunction::Abs,
                arg: *expr,
                arg1: None,
                arg2: None,
                arg3: None,
            };
            true
        }
        _ => false,
    })
}

/// Replaces one operator by another.
fn operator(
    module: &mut Module,
    number: usize,
    change: fn(BinaryOperator) -> Option<BinaryOperator>,
) -> bool {
    expression(module, number, |expression| match expression {
        Expression::Binary { op, .. } => match change(*op) {
            Some(other) => {
                *op = other;
                true
            }
            None => false,
        },
        _ => false,
    })
}

pub(crate) fn subtract(module: &mut Module, number: usize) -> bool {
    operator(module, number, |op| (op == BinaryOperator::Add).then_some(BinaryOperator::Subtract))
}

pub(crate) fn add(module: &mut Module, number: usize) -> bool {
    operator(module, number, |op| (op == BinaryOperator::Multiply).then_some(BinaryOperator::Add))
}

pub(crate) fn turn_comparison(module: &mut Module, number: usize) -> bool {
    operator(module, number, |op| match op {
        BinaryOperator::Equal => Some(BinaryOperator::NotEqual),
        BinaryOperator::NotEqual => Some(BinaryOperator::Equal),
        BinaryOperator::Less | BinaryOperator::LessEqual => Some(BinaryOperator::Greater),
        BinaryOperator::Greater | BinaryOperator::GreaterEqual => Some(BinaryOperator::Less),
        _ => None,
    })
}

pub(crate) fn change_function(module: &mut Module, number: usize) -> bool {
    use MathFunction as F;
    expression(module, number, |expression| match expression {
        Expression::Math { fun, .. } => {
            let other = match *fun {
                F::Min => F::Max,
                F::Max => F::Min,
                F::Sin => F::Cos,
                F::Cos => F::Sin,
                F::Floor => F::Ceil,
                F::Ceil | F::Fract => F::Floor,
                F::Sqrt => F::InverseSqrt,
                F::Abs => F::Sign,
                F::Exp2 => F::Exp,
                _ => return false,
            };
            *fun = other;
            true
        }
        _ => false,
    })
}

pub(crate) fn turn_selection(module: &mut Module, number: usize) -> bool {
    expression(module, number, |expression| match expression {
        Expression::Select { accept, reject, .. } => {
            std::mem::swap(accept, reject);
            true
        }
        _ => false,
    })
}

/// Changes the statement with this number among those that `change` accepts.
fn statement(module: &mut Module, number: usize, change: fn(&mut Statement) -> bool) -> bool {
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let mut left = number;
    entries
        .chain(functions)
        .any(|function: &mut Function| in_block(&mut function.body, &mut left, change))
}

fn in_block(block: &mut Block, left: &mut usize, change: fn(&mut Statement) -> bool) -> bool {
    block.iter_mut().any(|statement| {
        let mut own = statement.clone();
        if change(&mut own) {
            if *left == 0 {
                *statement = own;
                return true;
            }
            *left -= 1;
        }
        match statement {
            Statement::Block(inner) => in_block(inner, left, change),
            Statement::If { accept, reject, .. } => {
                in_block(accept, left, change) || in_block(reject, left, change)
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().any(|case| in_block(&mut case.body, left, change))
            }
            Statement::Loop { body, continuing, .. } => {
                in_block(body, left, change) || in_block(continuing, left, change)
            }
            _ => false,
        }
    })
}

pub(crate) fn drop_store(module: &mut Module, number: usize) -> bool {
    statement(module, number, |statement| {
        let is_store = matches!(statement, Statement::Store { .. });
        if is_store {
            *statement = Statement::Block(Block::new());
        }
        is_store
    })
}

pub(crate) fn exchange_branches(module: &mut Module, number: usize) -> bool {
    statement(module, number, |statement| match statement {
        Statement::If { accept, reject, .. } => {
            std::mem::swap(accept, reject);
            true
        }
        _ => false,
    })
}
