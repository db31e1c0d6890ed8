//! Lowers statements.

pub(super) mod switch;

use naga::{Block, Statement as Ir};

use crate::ast::{Condition, Declaration, Expr, Ident, Qualifiers, Statement, StatementKind};
use ir::source::Span;

use super::body::Body;
use super::scope::{Constancy, Symbol};
use super::{Result, wrong};

impl Body<'_, '_> {
    /// Lowers statements in the current scope.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<()> {
        for statement in statements {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        self.stage.enter(statement.span)?;
        let lowered = self.statement_kind(statement);
        self.stage.leave();
        lowered
    }

    fn statement_kind(&mut self, statement: &Statement) -> Result<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty => Ok(()),
            StatementKind::Block(block) => {
                self.open_scope();
                self.statements(&block.statements)?;
                self.close_scope();
                Ok(())
            }
            StatementKind::Declaration(declaration) => self.local_declaration(declaration, span),
            StatementKind::Expr(expr) => self.discard_value(expr),
            StatementKind::If { condition, accept, reject } => {
                self.if_statement(condition, accept, reject.as_deref(), span)
            }
            StatementKind::Switch { selector, body } => self.switch(selector, body, span),
            StatementKind::While { condition, body } => {
                self.open_scope();
                self.for_loop(Some(condition), None, body, span)?;
                self.close_scope();
                Ok(())
            }
            StatementKind::DoWhile { body, condition } => self.do_while(body, condition, span),
            StatementKind::For { init, condition, step, body } => {
                self.open_scope();
                self.statement(init)?;
                self.for_loop(condition.as_ref(), step.as_ref(), body, span)?;
                self.close_scope();
                Ok(())
            }
            StatementKind::Continue if self.loops == 0 => {
                wrong(span, "`continue` is only allowed in a loop")
            }
            StatementKind::Break if self.loops + self.switches == 0 => {
                wrong(span, "`break` is only allowed in a loop or `switch`")
            }
            StatementKind::Continue => {
                self.push(Ir::Continue, span);
                Ok(())
            }
            StatementKind::Break => {
                self.push(Ir::Break, span);
                Ok(())
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Discard => self.discard(span),
        }
    }

    /// Lowers a statement with its own scope into its own block.
    pub(super) fn nested(&mut self, statement: &Statement) -> Result<Block> {
        self.code.open_block();
        self.open_scope();
        self.statement(statement)?;
        self.close_scope();
        Ok(self.code.close_block())
    }

    fn if_statement(
        &mut self,
        condition: &Expr,
        accept: &Statement,
        reject: Option<&Statement>,
        span: Span,
    ) -> Result<()> {
        let value = self.rvalue(condition)?;
        let value = self.condition(value, condition.span)?;
        let known = self.evaluate(value.handle).map(|known| known.bits.first() == Some(&1));
        let accept = self.unless(known == Some(false), |body| body.nested(accept))?;
        let reject = self.unless(known == Some(true), |body| {
            reject.map_or(Ok(Block::new()), |reject| body.nested(reject))
        })?;
        match known {
            Some(true) => self.code.append(accept),
            Some(false) => self.code.append(reject),
            None => self.push_if(value.handle, accept, reject, span),
        }
        Ok(())
    }

    /// Lowers code that is unreachable if `is_unreachable` is true. Functions that unreachable code calls need not be
    /// defined.
    pub(super) fn unless<T>(
        &mut self,
        is_unreachable: bool,
        lower: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = self.stage.is_unreachable;
        self.stage.is_unreachable |= is_unreachable;
        let lowered = lower(self);
        self.stage.is_unreachable = before;
        lowered
    }

    /// Lowers `for` and `while`: the condition is tested before every iteration, and the step runs even after
    /// `continue`. The body opens no scope, so it cannot redeclare a variable of the head (GLSL 4.60 section 4.2.2).
    fn for_loop(
        &mut self,
        condition: Option<&Condition>,
        step: Option<&Expr>,
        statement: &Statement,
        span: Span,
    ) -> Result<()> {
        self.code.open_block();
        if let Some(condition) = condition {
            self.leave_unless(condition)?;
        }
        // The step does not see the variables of the body.
        self.code.open_block();
        if let Some(step) = step {
            self.discard_value(step)?;
        }
        let continuing = self.code.close_block();
        self.loops += 1;
        if let StatementKind::Block(block) = &statement.kind {
            self.statements(&block.statements)?;
        } else {
            self.statement(statement)?;
        }
        self.loops -= 1;
        let body = self.code.close_block();
        self.push(Ir::Loop { body, continuing, break_if: None }, span);
        Ok(())
    }

    /// Emits `if (!condition) break;`
    fn leave_unless(&mut self, condition: &Condition) -> Result<()> {
        let (value, span) = match condition {
            Condition::Expr(expr) => {
                (self.rvalue(expr).and_then(|value| self.condition(value, expr.span))?, expr.span)
            }
            Condition::Declaration(ty, name, expr) => {
                let value = self.rvalue(expr)?;
                let declared = self.declared_type(&ty.ty, &[])?;
                let declared = self.sized(&declared, ty.ty.span)?;
                let value = self.implicit(value, declared, expr.span)?;
                let pointer = self.local(&name.name, declared, name.span);
                self.store_pointer(pointer, value.handle, name.span);
                self.declare(
                    name,
                    Symbol::Local { pointer, ty: declared, constancy: Constancy::Variable },
                )?;
                (self.condition(value, expr.span)?, expr.span)
            }
        };
        self.code.open_block();
        self.push(Ir::Break, span);
        let leave = self.code.close_block();
        self.push_if(value.handle, Block::new(), leave, span);
        Ok(())
    }

    /// Lowers `do … while`: the condition is tested after every iteration, including after `continue`.
    fn do_while(&mut self, statement: &Statement, condition: &Expr, span: Span) -> Result<()> {
        self.loops += 1;
        let body = self.nested(statement)?;
        self.loops -= 1;
        self.code.open_block();
        let value = self.rvalue(condition)?;
        let value = self.condition(value, condition.span)?;
        let done = self.not(value, condition.span);
        let continuing = self.code.close_block();
        self.push(Ir::Loop { body, continuing, break_if: Some(done.handle) }, span);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) -> Result<()> {
        let value = match (value, self.result) {
            (None, None) => None,
            (Some(expr), Some(ty)) => {
                let value = self.rvalue(expr)?;
                self.check_returned(value, ty, expr.span)?;
                Some(self.implicit(value, ty, expr.span)?.handle)
            }
            (Some(expr), None) => {
                return wrong(expr.span, "a `void` function cannot return a value");
            }
            (None, Some(ty)) => {
                let name = self.type_name(ty);
                return wrong(span, format!("this function must return a `{name}`"));
            }
        };
        self.push(Ir::Return { value }, span);
        Ok(())
    }

    fn discard(&mut self, span: Span) -> Result<()> {
        if self.stage.stage != ir::stage::ShaderStage::Fragment {
            return wrong(span, "`discard` is only allowed in the fragment stage");
        }
        self.push(Ir::Kill, span);
        Ok(())
    }

    /// Lowers `precise a, b;`, the only qualifier that variables can get in a function (GLSL 4.60 section 4.14).
    fn requalify_locals(
        &mut self,
        qualifiers: &Qualifiers,
        names: &[Ident],
        span: Span,
    ) -> Result<()> {
        let precise = Qualifiers { is_precise: true, ..Qualifiers::none(qualifiers.span) };
        if *qualifiers != precise || names.is_empty() {
            return wrong(
                span,
                "qualifiers other than `precise` cannot be redeclared in a function",
            );
        }
        match names.iter().find(|name| self.find(&name.name).is_none()) {
            Some(name) => wrong(name.span, format!("`{}` is not declared", name.name)),
            None => Ok(()),
        }
    }

    fn local_declaration(&mut self, declaration: &Declaration, span: Span) -> Result<()> {
        match declaration {
            Declaration::Variables { ty, declarators } => {
                Self::check_local_qualifiers(ty)?;
                if declarators.is_empty() {
                    return self.specified_type(&ty.ty).map(|_| ());
                }
                let specified = self.specified_type(&ty.ty)?;
                for declarator in declarators {
                    self.local_variable(ty, &specified, declarator)?;
                }
                Ok(())
            }
            Declaration::Precision { .. } => Ok(()),
            Declaration::Block(block) => {
                wrong(block.span, "a block cannot be declared in a function")
            }
            Declaration::Requalify { qualifiers, names, .. } => {
                self.requalify_locals(qualifiers, names, span)
            }
        }
    }
}
