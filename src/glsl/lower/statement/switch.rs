//! Lowers `switch`, including fall-through.
//!
//! If every group of statements ends in a jump, the statement becomes naga's own `switch`. If control may fall through
//! from one group to the next, a first `switch` computes the number of the first group to execute. The groups follow in
//! order, each under a test of that number, inside a second `switch` that has only a default case and is the target of
//! `break`.

use naga::{BinaryOperator, Block, Expression, Literal, Statement, SwitchCase, SwitchValue};

use crate::ast::{Expr, SwitchItem};
use ir::builder::ends_in_jump;
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::{Kind, Shape};
use crate::lower::{Result, wrong};

/// A group of labels and the statements after them.
struct CaseGroup {
    labels: Vec<(SwitchValue, Span)>,
    body: Block,
}

impl Body<'_, '_> {
    /// Lowers `switch (selector) { body }`.
    pub(in crate::lower) fn switch(
        &mut self,
        selector: &Expr,
        body: &[SwitchItem],
        span: Span,
    ) -> Result<()> {
        let value = self.rvalue(selector)?;
        if !matches!(self.shape(value.ty), Shape::Scalar(Kind::Int | Kind::Uint)) {
            let name = self.type_name(value.ty);
            let message = format!("`switch` needs an `int` or `uint`, not `{name}`");
            return wrong(selector.span, message);
        }
        self.switches += 1;
        self.open_scope();
        let groups = self.groups(value, body)?;
        self.close_scope();
        self.switches -= 1;
        check_labels(&groups)?;
        let falls = groups.iter().rev().skip(1).any(|group| !ends_in_jump(&group.body));
        if falls {
            self.push_falling(value, groups, span);
        } else {
            self.push_plain(value, groups, span);
        }
        Ok(())
    }

    fn groups(&mut self, selector: Value, body: &[SwitchItem]) -> Result<Vec<CaseGroup>> {
        let mut groups: Vec<CaseGroup> = Vec::new();
        let mut is_open = false;
        for item in body {
            let label = match item {
                SwitchItem::Case(expr) => Some((self.case_label(selector, expr)?, expr.span)),
                SwitchItem::Default(span) => Some((SwitchValue::Default, *span)),
                SwitchItem::Statement(_) => None,
            };
            match (label, item) {
                (Some(label), _) if is_open => {
                    if let Some(group) = groups.last_mut() {
                        group.labels.push(label);
                    }
                }
                (Some(label), _) => {
                    groups.push(CaseGroup { labels: vec![label], body: Block::new() });
                    is_open = true;
                }
                (None, SwitchItem::Statement(statement)) => {
                    is_open = false;
                    let Some(mut group) = groups.pop() else {
                        return wrong(
                            statement.span,
                            "a statement in a `switch` must come after a `case` or `default` label",
                        );
                    };
                    self.code.reopen_block(group.body);
                    self.statements(std::slice::from_ref(statement))?;
                    group.body = self.code.close_block();
                    groups.push(group);
                }
                (None, SwitchItem::Case(_) | SwitchItem::Default(_)) => {}
            }
        }
        Ok(groups)
    }

    fn case_label(&mut self, selector: Value, expr: &Expr) -> Result<SwitchValue> {
        let constant = self.constant(expr)?;
        let value = self.stage.integer_of(&constant, expr.span)?;
        let converts = |from, to| self.is_type_convertible(from, to);
        if !converts(constant.ty, selector.ty) && !converts(selector.ty, constant.ty) {
            let (have, want) = (self.type_name(constant.ty), self.type_name(selector.ty));
            return wrong(
                expr.span,
                format!(
                    "the `case` label has the type `{have}`, but the `switch` expression has `{want}`"
                ),
            );
        }
        let is_signed = self.shape(selector.ty).kind() == Some(Kind::Int);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the label takes the selector's type, bit for bit"
        )]
        let label =
            if is_signed { SwitchValue::I32(value as i32) } else { SwitchValue::U32(value as u32) };
        Ok(label)
    }

    fn push_plain(&mut self, selector: Value, groups: Vec<CaseGroup>, span: Span) {
        let mut cases = Vec::new();
        for group in groups {
            let mut labels = group.labels;
            let last = labels.pop();
            cases.extend(labels.into_iter().map(|(value, _)| SwitchCase {
                value,
                body: Block::new(),
                fall_through: true,
            }));
            cases.extend(last.map(|(value, _)| SwitchCase {
                value,
                body: group.body,
                fall_through: false,
            }));
        }
        self.push_cases(selector, cases, span);
    }

    fn push_cases(&mut self, selector: Value, mut cases: Vec<SwitchCase>, span: Span) {
        if !cases.iter().any(|case| case.value == SwitchValue::Default) {
            cases.push(SwitchCase {
                value: SwitchValue::Default,
                body: Block::new(),
                fall_through: false,
            });
        }
        self.push(Statement::Switch { selector: selector.handle, cases }, span);
    }

    fn push_falling(&mut self, selector: Value, groups: Vec<CaseGroup>, span: Span) {
        let int = self.stage.scalar(Kind::Int);
        let start = self.local("start", int, span);
        let nowhere = i32::try_from(groups.len()).unwrap_or(i32::MAX);
        let value = self.literal(Literal::I32(nowhere), span);
        self.store_pointer(start, value.handle, span);
        let mut finders = Vec::new();
        for (number, group) in (0..).zip(&groups) {
            self.code.open_block();
            let value = self.literal(Literal::I32(number), span);
            self.store_pointer(start, value.handle, span);
            let body = self.code.close_block();
            finders.push(CaseGroup { labels: group.labels.clone(), body });
        }
        self.push_plain(selector, finders, span);
        self.code.open_block();
        for (number, group) in (0..).zip(groups) {
            let at = self.load_pointer(start, int, span);
            let number = self.literal(Literal::I32(number), span);
            let is_reached = self.compare(BinaryOperator::LessEqual, at, number, span);
            self.push_if(is_reached.handle, group.body, Block::new(), span);
        }
        let body = self.code.close_block();
        let only = SwitchCase { value: SwitchValue::Default, body, fall_through: false };
        let selector = self.emit(Expression::Literal(Literal::I32(0)), span);
        self.push(Statement::Switch { selector, cases: vec![only] }, span);
    }
}

fn check_labels(groups: &[CaseGroup]) -> Result<()> {
    let mut seen: Vec<SwitchValue> = Vec::new();
    for (value, span) in groups.iter().flat_map(|group| &group.labels) {
        if seen.contains(value) {
            return wrong(*span, "this label is repeated");
        }
        seen.push(*value);
    }
    Ok(())
}
