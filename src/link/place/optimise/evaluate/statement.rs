//! Evaluates the effects of statements on memory.

use std::collections::BTreeSet;
use std::rc::Rc;

use naga::{Block, Expression, Function, Handle, Statement};

use crate::table::facts::shape;
use ir::operands;

use super::{Evaluator, Frame, Memory, Node, Pointer, TrackedVariable, Value, ValueId};

/// Maximum depth of nested calls that are followed.
const MAX_DEPTH: u32 = 64;

impl Evaluator<'_> {
    /// The memory after `block`; `None` if the block always returns.
    pub(super) fn block(
        &mut self,
        frame: &mut Frame<'_>,
        block: &Block,
        memory: Memory,
    ) -> Option<Memory> {
        let mut memory = memory;
        for statement in block {
            if !self.spend() {
                return Some(memory);
            }
            memory = self.statement(frame, statement, memory)?;
        }
        Some(memory)
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'_>,
        statement: &Statement,
        mut memory: Memory,
    ) -> Option<Memory> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let value = self.expression(frame, handle, &memory);
                    frame.known.insert(handle, value);
                }
            }
            Statement::Block(block) => return self.block(frame, block, memory),
            Statement::If { condition, accept, reject } => {
                let condition = self.scalar(frame, *condition, &memory);
                let accepted = self.block(frame, accept, memory.clone());
                let rejected = self.block(frame, reject, memory);
                return match (accepted, rejected) {
                    (Some(accepted), Some(rejected)) => {
                        Some(self.choose(condition, accepted, rejected))
                    }
                    (one, other) => one.or(other),
                };
            }
            Statement::Store { pointer, value } => {
                let value = self.value(frame, *value, &memory);
                let pointer = self.value(frame, *pointer, &memory);
                self.store(&mut memory, &pointer, value);
            }
            Statement::Return { value } => {
                let value = match value {
                    Some(value) => self.value(frame, *value, &memory),
                    None => Value::Other,
                };
                frame.exits.push((memory, value));
                return None;
            }
            Statement::Call { function, arguments, result } => {
                let arguments =
                    arguments.iter().map(|argument| self.value(frame, *argument, &memory));
                let arguments = arguments.collect();
                let (value, after) = self.call_or_forget(*function, arguments, memory);
                memory = after;
                if let Some(result) = result {
                    frame.known.insert(*result, value);
                }
            }
            Statement::Kill => return None,
            // Results of statements that are not followed are unknown when an expression uses them.
            other => self.forget_all(frame, other, &mut memory),
        }
        Some(memory)
    }

    fn call_or_forget(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> (Value, Memory) {
        if self.depth < MAX_DEPTH && self.spend() {
            return self.call(function, arguments, memory);
        }
        // An exhausted budget ends the analysis without an outcome, so memory does not matter.
        self.budget = 0;
        (Value::Other, memory)
    }

    fn store(&mut self, memory: &mut Memory, pointer: &Value, value: Value) {
        let Value::Pointer(Pointer { root, start, count }) = *pointer else { return };
        let Some(scalars) = memory.0.get_mut(&root) else { return };
        let scalars = Rc::make_mut(scalars);
        let target = start.and_then(|start| scalars.get_mut(start..start + count));
        match (target, value) {
            (Some(target), Value::Scalars(value)) if value.len() == target.len() => {
                target.copy_from_slice(&value);
            }
            (Some(target), _) => {
                for scalar in target {
                    *scalar = self.values.unknown();
                }
            }
            (None, _) => {
                for scalar in scalars {
                    *scalar = self.values.unknown();
                }
            }
        }
    }

    /// The memory after an `if`.
    fn choose(&mut self, condition: ValueId, accepted: Memory, rejected: Memory) -> Memory {
        let mut chosen = accepted;
        for (root, scalars) in &mut chosen.0 {
            let Some(other) = rejected.0.get(root) else { continue };
            if Rc::ptr_eq(scalars, other) {
                continue;
            }
            let merged = scalars.iter().zip(other.iter()).map(|(accept, reject)| {
                if accept == reject {
                    return *accept;
                }
                self.values.number(Node::Choice { condition, values: [*accept, *reject] })
            });
            *scalars = Rc::new(merged.collect());
        }
        chosen
    }

    /// Makes everything unknown that `statement` may write. A return inside it may leave the function with this memory.
    fn forget_all(&mut self, frame: &mut Frame<'_>, statement: &Statement, memory: &mut Memory) {
        let mut written = WrittenHandles::default();
        written.statement(statement);
        for pointer in &written.pointers {
            if let Some(root) = root(frame, *pointer) {
                self.forget(memory, root);
            }
        }
        if !written.functions.is_empty() {
            // A callee may write any global, and the target of any pointer argument.
            let roots: Vec<TrackedVariable> = memory.0.keys().copied().collect();
            for root in roots {
                self.forget_if_global(memory, root);
            }
        }
        if written.has_return {
            let value = frame.function.result.as_ref().map_or(Value::Other, |result| {
                let inner = &self.module.types[result.ty].inner;
                shape::scalar_count(self.module, inner)
                    .map_or(Value::Other, |count| Value::Scalars(self.unknowns(count)))
            });
            frame.exits.push((memory.clone(), value));
        }
    }

    fn forget_if_global(&mut self, memory: &mut Memory, root: TrackedVariable) {
        let is_changeable = match root {
            TrackedVariable::Global(global) => {
                self.module.global_variables[global].space == naga::AddressSpace::Private
            }
            TrackedVariable::Local { .. } => false,
        };
        if is_changeable {
            self.forget(memory, root);
        }
    }

    fn forget(&mut self, memory: &mut Memory, root: TrackedVariable) {
        if let Some(scalars) = memory.0.get_mut(&root) {
            *scalars = Rc::new(self.unknowns(scalars.len()));
        }
    }
}

/// The variable at the base of a pointer; the pointer may not have been evaluated.
fn root(frame: &Frame<'_>, pointer: Handle<Expression>) -> Option<TrackedVariable> {
    match &frame.function.expressions[pointer] {
        Expression::GlobalVariable(global) => Some(TrackedVariable::Global(*global)),
        Expression::LocalVariable(variable) => {
            Some(TrackedVariable::Local { call: frame.call, variable: *variable })
        }
        Expression::FunctionArgument(idx) => match frame.arguments.get(*idx as usize) {
            Some(Value::Pointer(pointer)) => Some(pointer.root),
            Some(Value::Scalars(_) | Value::Other) | None => None,
        },
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            root(frame, *base)
        }
        _ => None,
    }
}

/// Everything that a statement that is not followed may write.
#[derive(Default)]
struct WrittenHandles {
    pointers: BTreeSet<Handle<Expression>>,
    functions: BTreeSet<Handle<Function>>,
    has_return: bool,
}

impl WrittenHandles {
    fn block(&mut self, block: &Block) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => {
                self.pointers.insert(*pointer);
            }
            Statement::Call { function, arguments, .. } => {
                self.functions.insert(*function);
                self.pointers.extend(arguments);
            }
            Statement::Return { .. } => self.has_return = true,
            other => operands::blocks(other).into_iter().for_each(|block| self.block(block)),
        }
    }
}
