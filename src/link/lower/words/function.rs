//! Rewrites functions to use words instead of 64-bit values.

use naga::{Block, Expression, Function, Handle, Module, Range, Statement, SwitchCase};

use super::refusal;
use super::rewriting::Rewriting;
use super::types::WordTypes;
use crate::LinkError;
use ir::operands::{self, Operand};

/// Rewrites the function `function` of the module `old` for the module `new`.
pub(super) fn rewritten(
    old: &Module,
    types: &WordTypes,
    function: &Function,
    new: &mut Module,
) -> Result<Function, LinkError> {
    let variables = (&function.local_variables, &function.arguments[..]);
    let mut rewriting = Rewriting::new(old, types, &function.expressions, variables, new)?;
    rewriting.declarations(function)?;
    rewriting.needed = needed(function);
    rewriting.block(&function.body)?;
    let named = function.named_expressions.iter();
    let named = named.filter(|(handle, _)| rewriting.is_moved(**handle));
    let named = named.map(|(handle, name)| (rewriting.of(*handle), name.clone())).collect();
    let mut function = rewriting.builder.finish();
    function.named_expressions = named;
    Ok(function)
}

/// For each expression, whether a statement needs its value. Constant evaluation leaves intermediate expressions in the
/// function, and unsupported operations among them must not cause an error.
fn needed(function: &Function) -> Vec<bool> {
    let mut is_needed = vec![false; function.expressions.len()];
    for operand in operands::of_block(&mut function.body.clone()) {
        if let Operand::Read(handle) | Operand::Stored(handle) = operand {
            is_needed[handle.index()] = true;
        }
    }
    // Operands come before the expressions that use them.
    let expressions: Vec<_> = function.expressions.iter().collect();
    for (handle, expression) in expressions.into_iter().rev() {
        if is_needed[handle.index()] {
            for operand in operands::of_expression(&mut expression.clone()) {
                is_needed[operand.index()] = true;
            }
        }
    }
    is_needed
}

impl Rewriting<'_> {
    /// Rewrites everything before the body, and the expressions that need no evaluation because they have no operands.
    fn declarations(&mut self, function: &Function) -> Result<(), LinkError> {
        let new = &mut self.builder.function;
        new.name.clone_from(&function.name);
        new.diagnostic_filter_leaf = function.diagnostic_filter_leaf;
        new.arguments.clone_from(&function.arguments);
        new.result.clone_from(&function.result);
        let arguments = new.arguments.iter_mut().map(|argument| &mut argument.ty);
        for ty in arguments.chain(new.result.iter_mut().map(|result| &mut result.ty)) {
            *ty = self.types.of(*ty);
        }
        for (handle, expression) in function.expressions.iter() {
            if operands::of_expression(&mut expression.clone()).is_empty() {
                self.rewrite(handle)?;
            }
        }
        for (handle, variable) in function.local_variables.iter() {
            let mut variable = variable.clone();
            variable.ty = self.types.of(variable.ty);
            if let Some(init) = &mut variable.init {
                self.rewrite_with_operands(*init)?;
                *init = self.of(*init);
            }
            let span = function.local_variables.get_span(handle);
            self.builder.function.local_variables.append(variable, span);
        }
        Ok(())
    }

    /// Rewrites an initial value, which no statement evaluates.
    fn rewrite_with_operands(&mut self, old: Handle<Expression>) -> Result<(), LinkError> {
        if self.is_moved(old) {
            return Ok(());
        }
        for operand in operands::of_expression(&mut self.expressions[old].clone()) {
            self.rewrite_with_operands(*operand)?;
        }
        self.rewrite(old)
    }

    fn block(&mut self, block: &Block) -> Result<(), LinkError> {
        for (statement, span) in block.span_iter() {
            if let Statement::Emit(range) = statement {
                self.evaluated(range)?;
            } else {
                let statement = self.statement(statement, *span)?;
                self.builder.at(*span).push(statement);
            }
        }
        Ok(())
    }

    /// Rewrites the expressions that a statement evaluates and some statement needs.
    fn evaluated(&mut self, range: &Range<Expression>) -> Result<(), LinkError> {
        for handle in range.clone() {
            if self.needed[handle.index()] && !self.is_moved(handle) {
                self.rewrite(handle)?;
            }
        }
        Ok(())
    }

    fn nested(&mut self, block: &Block) -> Result<Block, LinkError> {
        self.builder.open_block();
        self.block(block)?;
        Ok(self.builder.close_block())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no other statement has a block inside")]
    fn statement(&mut self, old: &Statement, span: naga::Span) -> Result<Statement, LinkError> {
        Ok(match old {
            Statement::Block(block) => Statement::Block(self.nested(block)?),
            Statement::If { condition, accept, reject } => Statement::If {
                condition: self.of(*condition),
                accept: self.nested(accept)?,
                reject: self.nested(reject)?,
            },
            Statement::Switch { selector, cases } => {
                let case = |case: &SwitchCase| {
                    let body = self.nested(&case.body)?;
                    Ok(SwitchCase { body, ..case.clone() })
                };
                let cases = cases.iter().map(case).collect::<Result<_, LinkError>>()?;
                Statement::Switch { selector: self.of(*selector), cases }
            }
            Statement::Loop { body, continuing, break_if } => Statement::Loop {
                body: self.nested(body)?,
                continuing: self.nested(continuing)?,
                break_if: break_if.map(|condition| self.of(condition)),
            },
            other => self.simple(other, span)?,
        })
    }

    /// Rewrites a statement that contains no blocks.
    fn simple(&mut self, old: &Statement, span: naga::Span) -> Result<Statement, LinkError> {
        let is_move = matches!(
            old,
            Statement::Store { .. }
                | Statement::Call { .. }
                | Statement::Return { .. }
                | Statement::WorkGroupUniformLoad { .. }
        );
        let mut block = Block::from_vec(vec![old.clone()]);
        for operand in operands::of_block(&mut block) {
            match operand {
                Operand::Read(operand) | Operand::Stored(operand) | Operand::Result(operand) => {
                    if let (false, Some(ty)) = (is_move, self.wide(*operand)) {
                        return Err(refusal::refused(&refusal::statement(old, &ty), span));
                    }
                    *operand = self.of(*operand);
                }
                Operand::Emitted(_) => {}
            }
        }
        Ok(block[0].clone())
    }
}
