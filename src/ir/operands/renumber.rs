//! Renumbers the expressions of a function, in its expressions and statements.

use naga::{Expression, Function, Handle, Module, Range, Type, UniqueArena};

use super::{Operand, of_block, of_expression};

/// `module` with its functions replaced by the results of `replace`, which returns `Some(None)` for a function that
/// stays unchanged. Returns `None` if all stay unchanged or `replace` fails for one.
pub fn with_functions(
    module: &Module,
    replace: impl Fn(&Function, &mut UniqueArena<Type>) -> Option<Option<Function>>,
) -> Option<Module> {
    let mut result = module.clone();
    let mut has_some = false;
    let functions = result.functions.iter_mut().map(|(_, function)| function);
    let entries = result.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in functions.chain(entries) {
        if let Some(new) = replace(function, &mut result.types)? {
            *function = new;
            has_some = true;
        }
    }
    has_some.then_some(result)
}

/// A map from the expressions of one arena to another. Each old expression becomes one or several consecutive new ones,
/// in the same order.
#[derive(Debug, Default)]
pub struct Renumbering {
    /// For each old expression, by index: its first new expression, and the last one, which has its value.
    moved: Vec<(Handle<Expression>, Handle<Expression>)>,
}

impl Renumbering {
    /// Records the replacement of the next old expression.
    pub fn note(&mut self, first: Handle<Expression>, last: Handle<Expression>) {
        self.moved.push((first, last));
    }

    /// The new expression that has the value of `old`.
    pub fn of(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.moved[old.index()].1
    }

    /// Renumbers the operands of `expression`.
    pub fn expression(&self, expression: &mut Expression) {
        for operand in of_expression(expression) {
            *operand = self.of(*operand);
        }
    }

    /// Renumbers the references to expressions in the statements and elsewhere in `function`.
    pub fn rest(&self, function: &mut Function) {
        for (_, local) in function.local_variables.iter_mut() {
            local.init = local.init.map(|init| self.of(init));
        }
        let named = std::mem::take(&mut function.named_expressions).into_iter();
        function.named_expressions = named.map(|(handle, name)| (self.of(handle), name)).collect();
        for found in of_block(&mut function.body) {
            match found {
                Operand::Emitted(range) => *range = self.range(range),
                Operand::Read(handle) | Operand::Stored(handle) | Operand::Result(handle) => {
                    *handle = self.of(*handle);
                }
            }
        }
    }

    fn range(&self, range: &Range<Expression>) -> Range<Expression> {
        let Some((first, last)) = range.first_and_last() else { return range.clone() };
        Range::new_from_bounds(self.moved[first.index()].0, self.of(last))
    }
}
