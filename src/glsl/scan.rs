//! Analyses of the syntax tree before lowering: side effects, highest indices, atomics.

use crate::ast::{
    Block, BlockDeclaration, Condition, Declaration, Expr, ExprKind, Initializer, Item, Statement,
    StatementKind, Storage, SwitchItem, TranslationUnit,
};

/// True if evaluating the expression may have side effects. `is_pure` returns true for functions without side effects.
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
            | ExprKind::Int64(_)
            | ExprKind::Uint64(_)
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
            let declarator = declarators.iter().find(|declarator| declarator.name.name == name)?;
            declarator.array.first().or(ty.ty.array.first())
        }
        Declaration::Block(block) if is_input_per_vertex(block) && !is_instance(block, name) => {
            return None;
        }
        Declaration::Block(block) => match &block.instance {
            Some((instance, array)) if instance.name == name => array.first(),
            _ => {
                let member = block.members.iter().find(|member| member.name.name == name)?;
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
            let declarator = declarators.iter().find(|declarator| declarator.name.name == name)?;
            let dimension = declarator.array.first().or(ty.ty.array.first());
            (dimension, declarator.initializer.is_some())
        }
        Declaration::Block(block) if is_input_per_vertex(block) => return None,
        Declaration::Block(block) => {
            let member = block.members.iter().find(|member| member.name.name == name)?;
            (member.array.first().or(member.ty.ty.array.first()), false)
        }
        Declaration::Precision { .. } | Declaration::Requalify { .. } => return None,
    };
    Some(has_initializer || dimension?.size.is_some())
}

/// True for a declaration of the size of workgroups, `layout(local_size_x = …) in;`.
pub(super) fn has_workgroup_size(item: &Item) -> bool {
    let Item::Declaration(Declaration::Requalify { qualifiers, .. }) = item else { return false };
    qualifiers.layout.iter().any(|entry| entry.name.name.starts_with("local_size_"))
}

/// True for `in gl_PerVertex`, whose members are not variables of the stage.
pub(super) fn is_input_per_vertex(block: &BlockDeclaration) -> bool {
    let mut storage = block.qualifiers.storage.iter();
    block.name.name == "gl_PerVertex" && storage.any(|(word, _)| *word == Storage::In)
}

fn is_instance(block: &BlockDeclaration, name: &str) -> bool {
    block.instance.as_ref().is_some_and(|(instance, _)| instance.name == name)
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
        Item::Function(_, body) => visit_body(body, visit),
        Item::Declaration(declaration) => {
            for expr in initial_values(declaration) {
                visit_expr(expr, visit);
            }
        }
        Item::Prototype(_) => {}
    }
}

/// Calls `visit` with every expression of a function's body.
pub(super) fn visit_body<'a>(body: &'a Block, visit: &mut dyn FnMut(&'a Expr)) {
    visit_statements(body, &mut |statement| visit_own(statement, visit));
}

/// Calls `visit` with every expression of a statement, without those of the statements in it.
pub(super) fn visit_own<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expr)) {
    for part in parts(statement) {
        if let Part::Expr(expr) = part {
            visit_expr(expr, visit);
        }
    }
}

/// Calls `visit` with every statement of a block, nested ones included, in order.
pub(super) fn visit_statements<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Statement)) {
    for statement in &block.statements {
        visit_statement(statement, visit);
    }
}

fn visit_statement<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Statement)) {
    visit(statement);
    for part in parts(statement) {
        if let Part::Statement(inner) = part {
            visit_statement(inner, visit);
        }
    }
}

/// A direct part of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    Expr(&'a Expr),
    Statement(&'a Statement),
}

/// The direct parts of a statement, in order.
pub(super) fn parts(statement: &Statement) -> Vec<Part<'_>> {
    match &statement.kind {
        StatementKind::Empty
        | StatementKind::Continue
        | StatementKind::Break
        | StatementKind::Discard
        | StatementKind::Return(None) => Vec::new(),
        StatementKind::Block(block) => block.statements.iter().map(Part::Statement).collect(),
        StatementKind::Declaration(declaration) => {
            initial_values(declaration).into_iter().map(Part::Expr).collect()
        }
        StatementKind::Expr(expr) | StatementKind::Return(Some(expr)) => vec![Part::Expr(expr)],
        StatementKind::If { condition, accept, reject } => {
            let reject = reject.iter().map(|reject| Part::Statement(reject));
            [Part::Expr(condition), Part::Statement(accept)].into_iter().chain(reject).collect()
        }
        StatementKind::Switch { selector, body } => {
            let items = body.iter().filter_map(|item| match item {
                SwitchItem::Case(expr) => Some(Part::Expr(expr)),
                SwitchItem::Default(_) => None,
                SwitchItem::Statement(statement) => Some(Part::Statement(statement)),
            });
            std::iter::once(Part::Expr(selector)).chain(items).collect()
        }
        StatementKind::While { condition, body } => {
            vec![Part::Expr(value_of(condition)), Part::Statement(body)]
        }
        StatementKind::DoWhile { body, condition } => {
            vec![Part::Statement(body), Part::Expr(condition)]
        }
        StatementKind::For { init, condition, step, body } => {
            let head = condition.as_ref().map(value_of).into_iter().chain(step);
            let mut all = vec![Part::Statement(init)];
            all.extend(head.map(Part::Expr));
            all.push(Part::Statement(body));
            all
        }
    }
}

const fn value_of(condition: &Condition) -> &Expr {
    match condition {
        Condition::Expr(expr) | Condition::Declaration(_, _, expr) => expr,
    }
}

/// The expressions in the initialisers of a declaration.
fn initial_values(declaration: &Declaration) -> Vec<&Expr> {
    let Declaration::Variables { declarators, .. } = declaration else { return Vec::new() };
    declarators
        .iter()
        .filter_map(|declarator| declarator.initializer.as_ref())
        .flat_map(values)
        .collect()
}

fn values(initializer: &Initializer) -> Vec<&Expr> {
    match initializer {
        Initializer::Expr(expr) => vec![expr],
        Initializer::List(list, _) => list.iter().flat_map(values).collect(),
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
        | ExprKind::Int64(_)
        | ExprKind::Uint64(_)
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
