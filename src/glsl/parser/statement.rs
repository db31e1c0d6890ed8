//! Parses statements.

use crate::ast::{Block, Condition, QualifiedType, Statement, StatementKind, SwitchItem};

use super::cursor::{Class, Parsed, Parser};

/// Error for a switch that ends with a label.
const EMPTY_CASE: &str = "a statement must follow this label";

impl Parser<'_, '_> {
    /// Parses `{ … }` in the current scope.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.here();
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.is_at_end() {
                return Err(self.expected("`}`"));
            }
            match self.statement() {
                Ok(statement) => statements.push(*statement),
                Err(_) => self.recover(),
            }
        }
        Ok(Block { statements, span: start.to(self.last) })
    }

    /// Parses any statement; boxed, so that nested statements take little of the stack.
    pub(super) fn statement(&mut self) -> Parsed<Box<Statement>> {
        let start = self.here();
        let kind = self.nested(Self::statement_kind)?;
        Ok(Box::new(Statement { kind: *kind, span: start.to(self.last) }))
    }

    fn statement_kind(&mut self) -> Parsed<Box<StatementKind>> {
        self.attributes()?;
        if self.starts_local_prototype() {
            return self.local_prototype().map(|()| Box::new(StatementKind::Empty));
        }
        if self.starts_declaration() {
            return Ok(Box::new(StatementKind::Declaration(Box::new(self.local_declaration()?))));
        }
        let lexeme = self.peek(0);
        if lexeme.class == Class::Fixed
            && let Some(kind) = self.keyword_statement(&lexeme.text)
        {
            return kind;
        }
        let expr = self.expression()?;
        self.expect(";")?;
        Ok(Box::new(StatementKind::Expr(expr)))
    }

    /// Parses the statement that starts with `word`; `None` if it is an expression statement.
    fn keyword_statement(&mut self, word: &str) -> Option<Parsed<Box<StatementKind>>> {
        Some(match word {
            ";" => {
                self.take();
                Ok(Box::new(StatementKind::Empty))
            }
            "{" => self.scoped(|parser| Ok(Box::new(StatementKind::Block(parser.block()?)))),
            "if" => self.if_statement(),
            "switch" => self.switch_statement(),
            "while" => self.scoped(Self::while_statement),
            "do" => self.do_statement(),
            "for" => self.scoped(Self::for_statement),
            "return" => self.return_statement(),
            "continue" => self.jump(StatementKind::Continue),
            "break" => self.jump(StatementKind::Break),
            "discard" | "terminateInvocation" => self.jump(StatementKind::Discard),
            _ => return None,
        })
    }

    /// Parses any number of `[[…]]`, which some extensions have before a function's body and before statements. They
    /// are hints and have no effect here.
    pub(super) fn attributes(&mut self) -> Parsed<()> {
        while self.rules.has_attributes && self.is_at("[") && self.peek(1).is("[") {
            self.take();
            self.take();
            while !self.is_at("]") && !self.is_at_end() {
                self.take();
            }
            self.expect("]")?;
            self.expect("]")?;
        }
        Ok(())
    }

    fn scoped<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.enter();
        let result = production(self);
        self.scopes.leave();
        result
    }

    fn jump(&mut self, kind: StatementKind) -> Parsed<Box<StatementKind>> {
        self.take();
        self.expect(";")?;
        Ok(Box::new(kind))
    }

    fn return_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        let value = if self.is_at(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        Ok(Box::new(StatementKind::Return(value)))
    }

    fn if_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let accept = self.scoped(Self::statement)?;
        let reject = if self.eat("else") { Some(self.scoped(Self::statement)?) } else { None };
        Ok(Box::new(StatementKind::If { condition, accept, reject }))
    }

    fn switch_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        self.expect("(")?;
        let selector = self.expression()?;
        self.expect(")")?;
        let body = self.scoped(Self::switch_body)?;
        Ok(Box::new(StatementKind::Switch { selector, body }))
    }

    fn switch_body(&mut self) -> Parsed<Vec<SwitchItem>> {
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.eat("}") {
            if self.is_at_end() {
                return Err(self.expected("`}`"));
            }
            match self.switch_item() {
                Ok(item) => body.push(item),
                Err(_) => self.recover(),
            }
        }
        match body.last() {
            Some(SwitchItem::Case(label)) => self.note(label.span, EMPTY_CASE),
            Some(SwitchItem::Default(span)) => self.note(*span, EMPTY_CASE),
            Some(SwitchItem::Statement(_)) | None => {}
        }
        Ok(body)
    }

    fn switch_item(&mut self) -> Parsed<SwitchItem> {
        if self.eat("case") {
            let label = self.expression()?;
            self.expect(":")?;
            return Ok(SwitchItem::Case(label));
        }
        if self.eat("default") {
            let span = self.last;
            self.expect(":")?;
            return Ok(SwitchItem::Default(span));
        }
        Ok(SwitchItem::Statement(*self.statement()?))
    }

    fn while_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        self.expect("(")?;
        let condition = self.condition()?;
        self.expect(")")?;
        Ok(Box::new(StatementKind::While { condition, body: self.statement()? }))
    }

    fn do_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        let body = self.scoped(Self::statement)?;
        self.expect("while")?;
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        self.expect(";")?;
        Ok(Box::new(StatementKind::DoWhile { body, condition }))
    }

    fn for_statement(&mut self) -> Parsed<Box<StatementKind>> {
        self.take();
        self.expect("(")?;
        let init = self.statement()?;
        let is_clause = matches!(
            init.kind,
            StatementKind::Empty | StatementKind::Declaration(_) | StatementKind::Expr(_)
        );
        if !is_clause {
            return Err(self.fail(init.span, "expected a declaration or an expression"));
        }
        let condition = if self.is_at(";") { None } else { Some(self.condition()?) };
        self.expect(";")?;
        let step = if self.is_at(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(Box::new(StatementKind::For { init, condition, step, body: self.statement()? }))
    }

    /// Parses an expression, or `bool b = …`.
    fn condition(&mut self) -> Parsed<Condition> {
        if !self.starts_declaration() {
            return Ok(Condition::Expr(self.expression()?));
        }
        let ty = QualifiedType { qualifiers: self.qualifiers()?, ty: self.type_specifier()? };
        let name = self.name()?;
        self.expect("=")?;
        let value = self.assignment()?;
        self.scopes.declare_variable(&name.name);
        Ok(Condition::Declaration(ty, name, value))
    }

    /// True if a declaration follows, not an expression.
    fn starts_declaration(&self) -> bool {
        let lexeme = self.peek(0);
        match lexeme.class {
            Class::Type => !self.is_constructor(),
            Class::Name if self.peek(1).class == Class::Name => true,
            Class::Name => self.scopes.is_struct(&lexeme.text) && !self.is_constructor(),
            Class::Fixed => is_declaration_word(&lexeme.text),
            Class::Reserved | Class::Literal(_) | Class::End => false,
        }
    }

    /// True if a prototype follows, `float f(`, and the version has prototypes in functions.
    fn starts_local_prototype(&self) -> bool {
        let is_declared = self.starts_declaration() && self.peek(1).class == Class::Name;
        self.rules.has_local_prototypes && is_declared && self.peek(2).is("(")
    }

    /// True if the type at this position starts a constructor, `vec2(…)` or `float[2](…)`, and not a declaration.
    fn is_constructor(&self) -> bool {
        let mut distance = 1;
        let mut depth = 0_usize;
        loop {
            let lexeme = self.peek(distance);
            if lexeme.is("[") {
                depth += 1;
            } else if depth == 0 {
                return lexeme.is("(");
            } else if lexeme.is("]") {
                depth -= 1;
            } else if lexeme.class == Class::End {
                return false;
            }
            distance += 1;
        }
    }
}

/// True for keywords that only a declaration starts with.
fn is_declaration_word(word: &str) -> bool {
    matches!(
        word,
        "attribute"
            | "buffer"
            | "centroid"
            | "coherent"
            | "const"
            | "flat"
            | "highp"
            | "in"
            | "inout"
            | "invariant"
            | "layout"
            | "lowp"
            | "mediump"
            | "noperspective"
            | "out"
            | "patch"
            | "precise"
            | "precision"
            | "readonly"
            | "restrict"
            | "sample"
            | "shared"
            | "smooth"
            | "struct"
            | "subroutine"
            | "uniform"
            | "unsigned"
            | "varying"
            | "volatile"
            | "writeonly"
    )
}
