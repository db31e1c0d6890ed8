//! A function under construction: its code, whose order of evaluation is the order of the lowering, and its scopes.

use std::collections::{HashMap, HashSet};

use naga::{Block, Expression, Function, GlobalVariable, Handle, Literal, Statement};

use crate::ast::{Ident, Version};
use ir::builder::FunctionBuilder;
use ir::operands::{self, Operand};
use ir::source::Span;

use super::operand::Value;
use super::scope::{LocalScope, Symbol};
use super::types::{Kind, Shape, Ty};
use super::{Result, Stage, naga_span, wrong};

/// A function under construction.
pub(super) struct Body<'s, 'a> {
    /// The stage that the function belongs to.
    pub(super) stage: &'s mut Stage<'a>,
    /// The shader object whose names are visible, up to item `position`.
    pub(super) object: usize,
    /// Index of the last item of `object` whose names are visible.
    pub(super) position: usize,
    /// The code of the function so far.
    pub(super) code: FunctionBuilder<()>,
    /// Type of the function's result.
    pub(super) result: Option<Ty>,
    /// Number of loops around the current statement.
    pub(super) loops: u32,
    /// Number of switches around the current statement.
    pub(super) switches: u32,
    /// The scopes around the current statement, from the outermost.
    pub(super) scopes: Vec<LocalScope>,
    /// Expressions of the globals used so far.
    globals: HashMap<Handle<GlobalVariable>, Handle<Expression>>,
}

impl<'s, 'a> Body<'s, 'a> {
    /// An empty function, for which the names of `object` up to item `position` are visible.
    pub(super) fn new(stage: &'s mut Stage<'a>, object: usize, position: usize) -> Self {
        Self {
            stage,
            object,
            position,
            code: FunctionBuilder::new(()),
            result: None,
            loops: 0,
            switches: 0,
            scopes: Vec::new(),
            globals: HashMap::new(),
        }
    }

    /// Language version of the function's object.
    pub(super) fn version(&self) -> Version {
        self.stage.version(self.object)
    }

    /// The finished function. The results of calls in removed code, which no call produces any more, become zeros that
    /// nothing reads.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other expression is a call's result")]
    pub(super) fn finish(self) -> Function {
        let mut function = self.code.finish();
        let uses = operands::of_block(&mut function.body).into_iter();
        let given: HashSet<_> = uses
            .filter_map(|found| match found {
                Operand::Result(handle) => Some(*handle),
                Operand::Emitted(_) | Operand::Read(_) | Operand::Stored(_) => None,
            })
            .collect();
        for (handle, expression) in function.expressions.iter_mut() {
            let ty = match *expression {
                Expression::CallResult(callee) => {
                    self.stage.module.functions[callee].result.as_ref().map(|result| result.ty)
                }
                Expression::AtomicResult { ty, .. } => Some(ty),
                _ => None,
            };
            if let Some(ty) = ty.filter(|_| !given.contains(&handle)) {
                *expression = Expression::ZeroValue(ty);
            }
        }
        function
    }

    /// Adds an expression and, if necessary, a statement that evaluates it here.
    pub(super) fn emit(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.code.at(naga_span(span)).emit(expression)
    }

    /// Adds an expression of known type.
    pub(super) fn value(&mut self, expression: Expression, ty: Ty, span: Span) -> Value {
        Value { handle: self.emit(expression, span), ty }
    }

    /// Adds a statement.
    pub(super) fn push(&mut self, statement: Statement, span: Span) {
        self.code.at(naga_span(span)).push(statement);
    }

    /// Adds a conditional statement.
    pub(super) fn push_if(
        &mut self,
        condition: Handle<Expression>,
        accept: Block,
        reject: Block,
        span: Span,
    ) {
        self.push(Statement::If { condition, accept, reject }, span);
    }

    /// Starts a scope of names.
    pub(super) fn open_scope(&mut self) {
        self.scopes.push(LocalScope::default());
    }

    /// Ends the innermost scope.
    pub(super) fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Declares a name in the innermost scope, or at global scope if there is none.
    pub(super) fn declare(&mut self, name: &Ident, symbol: Symbol) -> Result<()> {
        let position = self.position;
        let is_new = if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.name.clone(), symbol).is_none()
        } else {
            let object = self.stage.objects.get_mut(self.object);
            object.is_some_and(|object| object.declare(&name.name, symbol, position))
        };
        if is_new {
            return Ok(());
        }
        wrong(name.span, format!("`{}` is declared twice", name.name))
    }

    /// The symbol that a name has at this point.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        local
            .cloned()
            .or_else(|| self.stage.objects.get(self.object)?.find(name, self.position).cloned())
    }

    /// Adds a local variable and returns a pointer to it.
    pub(super) fn local(&mut self, name: &str, ty: Ty, span: Span) -> Handle<Expression> {
        self.code.at(naga_span(span)).local(name, ty)
    }

    /// A pointer to a global.
    pub(super) fn global(
        &mut self,
        global: Handle<GlobalVariable>,
        span: Span,
    ) -> Handle<Expression> {
        if let Some(handle) = self.globals.get(&global) {
            return *handle;
        }
        let handle = self.emit(Expression::GlobalVariable(global), span);
        self.globals.insert(global, handle);
        handle
    }

    /// Reads through a pointer at this point.
    pub(super) fn load_pointer(
        &mut self,
        pointer: Handle<Expression>,
        ty: Ty,
        span: Span,
    ) -> Value {
        self.value(Expression::Load { pointer }, ty, span)
    }

    /// Writes through a pointer at this point.
    pub(super) fn store_pointer(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        span: Span,
    ) {
        self.push(Statement::Store { pointer, value }, span);
    }

    /// A scalar literal.
    pub(super) fn literal(&mut self, literal: Literal, span: Span) -> Value {
        let ty = self.stage.scalar(Kind::of(literal.scalar()));
        self.value(Expression::Literal(literal), ty, span)
    }

    /// A boolean literal.
    pub(super) fn bool(&mut self, value: bool, span: Span) -> Value {
        self.literal(Literal::Bool(value), span)
    }

    /// Extracts part `idx` of a vector, matrix, array or struct.
    pub(super) fn part(&mut self, base: Value, idx: u32, span: Span) -> Value {
        let ty = self.stage.child(base.ty, idx);
        self.value(Expression::AccessIndex { base: base.handle, index: idx }, ty, span)
    }

    /// All direct parts of a composite value.
    pub(super) fn parts(&mut self, base: Value, span: Span) -> Vec<Value> {
        (0..self.stage.child_count(base.ty)).map(|idx| self.part(base, idx, span)).collect()
    }

    /// Composes a value of its direct parts (for a vector also of shorter vectors).
    pub(super) fn compose(&mut self, ty: Ty, parts: &[Value], span: Span) -> Value {
        let components = parts.iter().map(|part| part.handle).collect();
        self.value(Expression::Compose { ty, components }, ty, span)
    }

    /// Repeats a scalar to a vector of `size` components; returns it unchanged for size 1.
    pub(super) fn splat(&mut self, value: Value, size: u8, span: Span) -> Value {
        let Shape::Scalar(kind) = self.shape(value.ty) else { return value };
        if size < 2 {
            return value;
        }
        let ty = self.stage.vector(size, kind);
        let size = super::types::vector_size(size);
        self.value(Expression::Splat { size, value: value.handle }, ty, span)
    }

    /// Shape of a type.
    pub(super) fn shape(&self, ty: Ty) -> Shape {
        self.stage.shape(ty)
    }

    /// The type's name in GLSL.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        self.stage.type_name(ty)
    }
}
