//! Compiles statements.

use naga::{AtomicFunction, Block, Expression, Handle, Statement, SwitchCase, SwitchValue};

use super::function::{FunctionCompiler, Value};
use super::words::{kind_of, words_of};
use super::{Result, not_implemented};
use crate::code::{Case, Node, Op};

/// Maximum depth of calls. Valid modules have no recursion.
const MAX_CALLS: usize = 64;

impl FunctionCompiler<'_, '_> {
    pub(super) fn statements(&mut self, block: &Block) -> Result<()> {
        self.compiler.enter()?;
        block.iter().try_for_each(|statement| self.statement(statement))?;
        self.compiler.nesting -= 1;
        Ok(())
    }

    /// Compiles statements into a separate block.
    fn nested(&mut self, block: &Block) -> Result<Vec<Node>> {
        self.compiler.blocks.push(Vec::new());
        self.conditions += 1;
        self.statements(block)?;
        self.conditions -= 1;
        Ok(self.compiler.blocks.pop().unwrap_or_default())
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let value = self.evaluate(expression)?;
                    self.set(expression, value);
                }
                Ok(())
            }
            Statement::Block(block) => self.statements(block),
            Statement::If { condition, accept, reject } => {
                let condition = self.register(*condition)?;
                let (accept, reject) = (self.nested(accept)?, self.nested(reject)?);
                self.compiler.node(Node::If { condition, accept, reject })
            }
            Statement::Switch { selector, cases } => self.switch(*selector, cases),
            Statement::Loop { body, continuing, break_if } => {
                self.repeat(body, continuing, *break_if)
            }
            Statement::Break => self.compiler.node(Node::Break),
            Statement::Continue => self.compiler.node(Node::Continue),
            Statement::Kill => self.compiler.node(Node::Kill),
            Statement::Return { value } => {
                if let (Some(value), Some(to)) = (value, self.result) {
                    let from = self.register(*value)?;
                    let words = self.words_of(*value)?;
                    self.compiler.emit_body(Op::Store { to, from, words })?;
                }
                self.has_returned = true;
                self.compiler.node(Node::Return)
            }
            Statement::ControlBarrier(_) => self.barrier(false),
            Statement::MemoryBarrier(_) => self.barrier(true),
            Statement::Store { pointer, value } => {
                let from = self.register(*value)?;
                self.store(*pointer, from)
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.uniform_load(*pointer, *result)
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(*pointer, *fun, *value, *result)
            }
            Statement::Call { function, arguments, result } => {
                self.call(*function, arguments, *result)
            }
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                self.image_statement(statement)
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => self.subgroup(statement),
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                not_implemented("rays")
            }
            Statement::CooperativeStore { .. } => not_implemented("cooperative matrices"),
        }
    }

    fn barrier(&mut self, is_of_memory: bool) -> Result<()> {
        self.compiler.emit_body(Op::Barrier { is_of_memory })
    }

    /// Compiles a load with a barrier before and after it (WGSL, `workgroupUniformLoad`).
    fn uniform_load(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        self.barrier(false)?;
        let at = self.loaded(pointer)?;
        self.set(result, Value::Registers(at));
        self.barrier(false)
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &[SwitchCase]) -> Result<()> {
        let selector = self.register(selector)?;
        let mut all: Vec<Case> = Vec::new();
        for case in cases {
            let (values, is_default) = match case.value {
                SwitchValue::I32(value) => (vec![value.cast_unsigned()], false),
                SwitchValue::U32(value) => (vec![value], false),
                SwitchValue::Default => (Vec::new(), true),
            };
            let body = self.nested(&case.body)?;
            all.push(Case { values, is_default, body, falls_through: case.fall_through });
        }
        self.compiler.node(Node::Switch { selector, cases: all })
    }

    fn repeat(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        let body = self.nested(body)?;
        let continuing = self.nested(continuing)?;
        let break_if = break_if.map(|condition| self.register(condition)).transpose()?;
        self.compiler.node(Node::Loop { body, continuing, break_if })
    }

    fn call(
        &mut self,
        callee: Handle<naga::Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        if self.compiler.depth >= MAX_CALLS {
            return not_implemented("calls as deep as this");
        }
        let arguments: Result<Vec<_>> =
            arguments.iter().map(|argument| self.value(*argument)).collect();
        let arguments = arguments?;
        let stream = arguments.first().and_then(|first| match first {
            Value::Registers(at) => Some(*at),
            Value::Place(_) | Value::Resource(_) => None,
        });
        if self.compiler.emission_call(callee, stream)? {
            return Ok(());
        }
        let callee = &self.compiler.module.functions[callee];
        let at = match &callee.result {
            Some(result) => {
                let words = words_of(self.compiler.module, result.ty)?;
                Some(self.compiler.allocate(words)?)
            }
            None => None,
        };
        self.compiler.blocks.push(Vec::new());
        self.compiler.depth += 1;
        FunctionCompiler::new(self.compiler, callee, arguments, at)?.body()?;
        self.compiler.depth -= 1;
        let body = self.compiler.blocks.pop().unwrap_or_default();
        self.compiler.node(Node::Call(body))?;
        if let (Some(result), Some(at)) = (result, at) {
            self.set(result, Value::Registers(at));
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let kind = match *self.type_of(value) {
            naga::TypeInner::Scalar(scalar) => kind_of(scalar)?,
            _ => return not_implemented("atomics of this type"),
        };
        let Value::Place(place) = self.value(pointer)? else {
            return not_implemented("atomics on this");
        };
        let Some(address) = place.address() else {
            return not_implemented("atomics on private variables");
        };
        let value = self.register(value)?;
        let compare = match function {
            AtomicFunction::Exchange { compare: Some(compare) } => Some(self.register(compare)?),
            _ => None,
        };
        let is_struct = result
            .is_some_and(|result| matches!(self.type_of(result), naga::TypeInner::Struct { .. }));
        let words = kind.words() + usize::from(is_struct);
        let at = match result {
            Some(result) => {
                let at = self.compiler.allocate(words)?;
                self.set(result, Value::Registers(at));
                Some(at)
            }
            None => None,
        };
        self.compiler.emit_body(Op::Atomic {
            address,
            function,
            kind,
            value,
            compare,
            result: at,
            tells_exchange: is_struct,
        })
    }
}
