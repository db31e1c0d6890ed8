//! The numbers that `let` lines compute, and the filters of `only` lines.

use std::collections::BTreeSet;

use crate::read::parameters::expression::{Expression, UnknownName, Value};
use crate::read::parameters::{ByteBudget, Parameters, expand};
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::Span;

/// The expression of a `let` or `only` line.
pub(super) struct Formula<'a> {
    /// Name that the result gets; empty for `only`.
    name: &'a str,
    text: &'a str,
    span: Span,
    expression: Expression,
}

impl<'a> Formula<'a> {
    fn parse(name: &'a str, text: &'a str, start: usize) -> Result<Self, Diagnostic> {
        let expression = Expression::parse(text, start)?;
        Ok(Self { name, text, span: Span::new(start, start + text.len()), expression })
    }
}

/// The parsed `let` and `only` lines.
pub(super) struct Computed<'a> {
    /// Names of the parameters, then those of the derived numbers.
    names: &'a [&'a str],
    derived: Vec<Formula<'a>>,
    only: Vec<Formula<'a>>,
    /// All values of parameters.
    words: BTreeSet<&'a str>,
}

impl<'a> Computed<'a> {
    /// Parses the expressions. `words` are all values of parameters.
    pub(super) fn parse(
        parameters: &'a Parameters,
        names: &'a [&'a str],
        words: BTreeSet<&'a str>,
    ) -> Result<Self, Diagnostic> {
        let derived = parameters.derived.iter();
        let derived =
            derived.map(|derived| Formula::parse(&derived.name, &derived.text, derived.start));
        let only = parameters.only.iter().map(|(text, start)| Formula::parse("", text, *start));
        let derived = derived.collect::<Result<_, _>>()?;
        Ok(Self { names, derived, only: only.collect::<Result<_, _>>()?, words })
    }

    /// Names and values of the `let` lines; a comparison is 1 or 0.
    pub(super) fn derive(
        &self,
        chosen: &[(&str, &str)],
        budget: &mut ByteBudget,
    ) -> Result<Vec<(&'a str, String)>, Diagnostic> {
        let mut numbers: Vec<(&str, String)> = Vec::new();
        for Formula { name, text, span, expression } in &self.derived {
            if !budget.charge(text.len()) {
                return Err(expand::too_much(*span));
            }
            let known = numbers.iter().map(|(name, number)| (*name, number.as_str()));
            let values: Vec<_> = chosen.iter().copied().chain(known).collect();
            let value = expression.evaluate(&|name| self.look_up(&values, name))?;
            let Some(number) = value.number() else {
                let message = format!("`{}` is not an integer", text.trim());
                return Err(Diagnostic::error(*span, message));
            };
            numbers.push((name, number.to_string()));
        }
        Ok(numbers)
    }

    /// True if every `only` line is true.
    pub(super) fn is_wanted(
        &self,
        values: &[(&str, &str)],
        budget: &mut ByteBudget,
    ) -> Result<bool, Diagnostic> {
        for Formula { text, span, expression, .. } in &self.only {
            if !budget.charge(text.len()) {
                return Err(expand::too_much(*span));
            }
            match expression.evaluate(&|name| self.look_up(values, name))? {
                Value::Truth(true) => {}
                Value::Truth(false) => return Ok(false),
                Value::Integer(_) | Value::Word(_) => {
                    return Err(Diagnostic::error(*span, "`only` needs a comparison"));
                }
            }
        }
        Ok(true)
    }

    /// The value of a name. A word that is not a parameter must be a value of one.
    fn look_up(&self, values: &[(&str, &str)], name: &str) -> Result<Value, UnknownName> {
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            return Ok(Value::from_text(value));
        }
        if self.words.contains(name) {
            return Ok(Value::Word(name.to_owned()));
        }
        let names = self.names.iter().copied().filter(|known| *known != name);
        let nearest = nearest_word(name, self.words.iter().copied().chain(names));
        let hint = nearest.map_or(String::new(), |known| format!(", did you mean `{known}`?"));
        Err(UnknownName(format!("`{name}` is neither a parameter nor a value of one{hint}")))
    }
}
