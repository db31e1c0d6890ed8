//! Analyses of the syntax tree before lowering: side effects, highest indices, atomics.

use crate::ast::{
    Block, Condition, Declaration, Expr, ExprKind, Initializer, Item, Statement, StatementKind,
    SwitchItem, TranslationUnit,
};

/// True if evaluating the expression may have side effects. `is_pure` is true for functions without any.
pub(super) fn has_effects(expr: &Expr, is_pure: &dyn Fn(&str) -> bool) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |inner| {
        found |= match &inner.kind {
            ExprKind::Increment { .. } | ExprKind::Assign(..) | ExprKind::CallIndexed(..) => true,
            ExprKind::Call(name, _) => !is_pure(&name.name),
            ExprKind::Variable(_)
            | ExprKind::Int(_)
            | ExprKind::Uint(_)
            | ExprKind::Float(_)
            | ExprKind::Double(_)
            | ExprKind::Bool(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(..)
            | ExprKind::Comma(..)
            | ExprKind::Construct(..)
            | ExprKind::Method(..)
            | ExprKind::Field(..)
            | ExprKind::Index(..) => false,
        };
    });
    found
}

/// The outermost array size in an item's declaration of a global (or member of a built-in block) called `name`.
pub(super) fn declared_size<'a>(item: &'a Item, name: &str) -> Option<&'a Expr> {
    let Item::Declaration(declaration) = item else { return None };
    let sizes = match declaration {
        Declaration::Variables { ty, declarators } => {
            let declarator = declarators.iter().find(|it| it.name.name == name)?;
            declarator.array.first().or(ty.ty.array.first())
        }
        Declaration::Block(block) => match &block.instance {
            Some((instance, array)) if instance.name == name => array.first(),
            _ => {
                let member = block.members.iter().find(|it| it.name.name == name)?;
                member.array.first().or(member.ty.ty.array.first())
            }
        },
        Declaration::Precision { .. } | Declaration::Requalify { .. } => None,
    };
    sizes?.size.as_ref()
}

/// True if an item that declares a global array called `name` gives it a size; `None` for any other item.
pub(super) fn has_size(item: &Item, name: &str) -> Option<bool> {
    let Item::Declaration(declaration) = item else { return None };
    let (dimension, has_initializer) = match declaration {
        Declaration::Variables { ty, declarators } => {
            let declarator = declarators.iter().find(|it| it.name.name == name)?;
            let dimension = declarator.array.first().or(ty.ty.array.first());
            (dimension, declarator.initializer.is_some())
        }
        Declaration::Block(block) => {
            let member = block.members.iter().find(|it| it.name.name == name)?;
            (member.array.first().or(member.ty.ty.array.first()), false)
        }
        Declaration::Precision { .. } | Declaration::Requalify { .. } => return None,
    };
    Some(has_initializer || dimension?.size.is_some())
}

/// Calls `visit` with every expression of every function body and initialiser of a unit.
pub(super) fn visit_unit<'a>(unit: &'a TranslationUnit, visit: &mut dyn FnMut(&'a Expr)) {
    for item in &unit.items {
        visit_item(item, visit);
    }
}

/// Calls `visit` with every expression of a function's body, or of a declaration's initialisers.
pub(super) fn visit_item<'a>(item: &'a Item, visit: &mut dyn FnMut(&'a Expr)) {
    match item {
        Item::Function(_, body) => visit_block(body, visit),
        Item::Declaration(declaration) => visit_declaration(declaration, visit),
        Item::Prototype(_) => {}
    }
}

fn visit_block<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Expr)) {
    for statement in &block.statements {
        visit_statement(statement, visit);
    }
}

fn visit_declaration<'a>(declaration: &'a Declaration, visit: &mut dyn FnMut(&'a Expr)) {
    if let Declaration::Variables { declarators, .. } = declaration {
        for initializer in declarators.iter().filter_map(|it| it.initializer.as_ref()) {
            visit_initializer(initializer, visit);
        }
    }
}

fn visit_initializer<'a>(initializer: &'a Initializer, visit: &mut dyn FnMut(&'a Expr)) {
    match initializer {
        Initializer::Expr(expr) => visit_expr(expr, visit),
        Initializer::List(list, _) => {
            for initializer in list {
                visit_initializer(initializer, visit);
            }
        }
    }
}

fn visit_statement<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expr)) {
    match &statement.kind {
        StatementKind::Empty
        | StatementKind::Continue
        | StatementKind::Break
        | StatementKind::Discard
        | StatementKind::Return(None) => {}
        StatementKind::Block(block) => visit_block(block, visit),
        StatementKind::Declaration(declaration) => visit_declaration(declaration, visit),
        StatementKind::Expr(expr) | StatementKind::Return(Some(expr)) => visit_expr(expr, visit),
        StatementKind::If { condition, accept, reject } => {
            visit_expr(condition, visit);
            visit_statement(accept, visit);
            if let Some(reject) = reject {
                visit_statement(reject, visit);
            }
        }
        StatementKind::Switch { selector, body } => {
            visit_expr(selector, visit);
            for item in body {
                match item {
                    SwitchItem::Case(expr) => visit_expr(expr, visit),
                    SwitchItem::Default(_) => {}
                    SwitchItem::Statement(statement) => visit_statement(statement, visit),
                }
            }
        }
        StatementKind::While { condition, body } => {
            visit_condition(condition, visit);
            visit_statement(body, visit);
        }
        StatementKind::DoWhile { body, condition } => {
            visit_statement(body, visit);
            visit_expr(condition, visit);
        }
        StatementKind::For { init, condition, step, body } => {
            visit_statement(init, visit);
            if let Some(condition) = condition {
                visit_condition(condition, visit);
            }
            if let Some(step) = step {
                visit_expr(step, visit);
            }
            visit_statement(body, visit);
        }
    }
}

fn visit_condition<'a>(condition: &'a Condition, visit: &mut dyn FnMut(&'a Expr)) {
    match condition {
        Condition::Expr(expr) | Condition::Declaration(_, _, expr) => visit_expr(expr, visit),
    }
}

/// Calls `visit` with an expression and everything inside it.
pub(super) fn visit_expr<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Variable(_)
        | ExprKind::Int(_)
        | ExprKind::Uint(_)
        | ExprKind::Float(_)
        | ExprKind::Double(_)
        | ExprKind::Bool(_) => {}
        ExprKind::Unary(_, operand)
        | ExprKind::Increment { operand, .. }
        | ExprKind::Field(operand, _) => visit_expr(operand, visit),
        ExprKind::Binary(_, left, right)
        | ExprKind::Assign(_, left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::Index(left, right) => {
            visit_expr(left, visit);
            visit_expr(right, visit);
        }
        ExprKind::Select(condition, accept, reject) => {
            visit_expr(condition, visit);
            visit_expr(accept, visit);
            visit_expr(reject, visit);
        }
        ExprKind::Call(_, arguments) | ExprKind::Construct(_, arguments) => {
            for argument in arguments {
                visit_expr(argument, visit);
            }
        }
        ExprKind::Method(base, _, arguments) | ExprKind::CallIndexed(base, arguments) => {
            visit_expr(base, visit);
            for argument in arguments {
                visit_expr(argument, visit);
            }
        }
    }
}
