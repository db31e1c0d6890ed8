//! Draws arguments of calls, and what called functions change.

use super::super::tree::{
    Argument, Expression, Function, Kind, Place, Statement, Type, Types, Value, Variable,
};
use super::Drawer;
use crate::programs::Language;

/// Maximum number of steps to a part of a variable that a function changes.
const MOST_STEPS: usize = 3;

impl Drawer<'_> {
    /// Arguments of a call. What the function changes is a variable or a part of one, or a new variable. Later statements
    /// may read it.
    pub(super) fn arguments(&mut self, number: usize, depth: usize) -> Vec<Argument> {
        let parameters = self.functions[number].parameters.clone();
        let mut arguments = Vec::new();
        for Variable { ty, kind, .. } in parameters {
            let existing = if kind == Kind::Changed { self.lent(ty) } else { None };
            arguments.push(if let Some(place) = existing {
                Argument::Changed(place)
            } else if kind == Kind::Changed {
                let value = self.value(ty, depth);
                let variable = self.fresh(ty, Kind::Local);
                self.pending.push(Statement::Declare(variable, value));
                Argument::Changed(Place::whole(variable))
            } else {
                Argument::Value(self.value(ty, depth))
            });
        }
        arguments
    }

    /// A place of the type that a called function may change: often of the current function's own changed parameter. No
    /// function has two such arguments, and none is of a private variable, which the called function may change as well.
    fn lent(&mut self, ty: Type) -> Option<Place> {
        let places = self.lendable(ty);
        if places.is_empty() || self.once_in(4) {
            return None;
        }
        let is_own = |place: &&Place| place.variable.kind == Kind::Changed;
        let own: Vec<_> = places.iter().filter(is_own).cloned().collect();
        let from = if own.is_empty() || self.once_in(4) { places } else { own };
        let mut place = from[self.rng.usize(0..from.len())].clone();
        if self.rng.bool() && self.recipe.allows("assignment to an element at run time") {
            self.make_dynamic(&mut place);
        }
        self.unread.insert(place.variable);
        Some(place)
    }

    /// The places of the type that a called function may change.
    fn lendable(&self, ty: Type) -> Vec<Place> {
        let has_parts = self.recipe.allows("changed part of a variable");
        let has_own = self.recipe.allows("changed parameter passed on");
        let mut places = Vec::new();
        for variable in &self.variables {
            let is_local = variable.kind == Kind::Local && !self.counters.contains(variable);
            if is_local || (has_own && variable.kind == Kind::Changed) {
                self.places(&Place::whole(*variable), ty, MOST_STEPS, &mut places);
            }
        }
        let is_wgsl = self.recipe.is_for(Language::Wgsl);
        places.retain(|place| {
            (has_parts || place.steps.is_empty()) && !(is_wgsl && is_component(self.types(), place))
        });
        places
    }

    /// The type of a parameter that a function changes: often one that an earlier function changes, or that of a part of
    /// an array or structure.
    pub(super) fn changed_type(&mut self) -> Type {
        let changed = self.functions.iter().filter_map(Function::changed);
        let mut types: Vec<_> = changed.map(|parameter| parameter.ty).collect();
        if types.is_empty() || self.rng.bool() {
            let whole =
                self.pick(&[Type::Array(0), Type::Array(1), Type::Struct(0), Type::Struct(1)]);
            types = self.types().parts(whole);
        }
        if self.once_in(4) { self.ty() } else { self.pick(&types) }
    }

    /// Changes the function's own parameter at its end: hands it on, or sets it.
    pub(super) fn change_parameter(&mut self, own: Variable, body: &mut Vec<Statement>) {
        let all = self.functions.iter().enumerate();
        let fitting: Vec<_> = all
            .filter(|(_, function)| function.changed().is_some_and(|one| one.ty == own.ty))
            .map(|(number, _)| number)
            .filter(|number| self.can_call(*number))
            .collect();
        let may_pass_on = self.recipe.allows("changed parameter passed on");
        if may_pass_on && !fitting.is_empty() && !self.once_in(3) {
            let number = self.pick(&fitting);
            self.pass_on(number, own, body);
            return;
        }
        let value = self.value(own.ty, 2);
        self.flush(body);
        if self.unread.remove(&own) {
            self.fold(own, body);
        }
        body.push(Statement::Assign(Place::whole(own), value));
    }

    /// Calls a function that changes the current function's own parameter.
    fn pass_on(&mut self, number: usize, own: Variable, body: &mut Vec<Statement>) {
        let mut arguments = vec![Argument::Changed(Place::whole(own))];
        for parameter in self.functions[number].parameters.clone().into_iter().skip(1) {
            arguments.push(Argument::Value(self.value(parameter.ty, 2)));
        }
        self.unread.remove(&own);
        self.call_with(number, arguments, body);
        // The caller reads it.
        self.unread.remove(&own);
    }

    /// Calls a function, and declares what it returns.
    pub(super) fn call_with(
        &mut self,
        number: usize,
        arguments: Vec<Argument>,
        to: &mut Vec<Statement>,
    ) {
        self.pay(number);
        if let Some(ty) = self.functions[number].result {
            let value = Value::Call(number, arguments);
            self.declare(Expression::new(ty, value), to);
        } else {
            self.flush(to);
            to.push(Statement::Call(number, arguments));
        }
    }
}

/// True for a component of a vector, to which WGSL has no pointers.
fn is_component(types: &Types, place: &Place) -> bool {
    let Some((_, before)) = place.steps.split_last() else { return false };
    matches!(types.after(place.variable.ty, before), Type::Value(..))
}

#[cfg(test)]
mod tests {
    use super::super::super::Recipe;
    use super::super::super::tree::{Program, Stage};
    use super::super::super::walk::{self, Part};
    use super::super::program;
    use super::*;

    /// Programs of a language.
    fn programs(language: Language) -> Vec<Program> {
        (0..200).map(|seed| program(seed, &Recipe::new(language))).collect()
    }

    /// The places that calls in these statements change, each with the number of the called function.
    fn changed(body: &[Statement]) -> Vec<(usize, Place)> {
        let mut found = Vec::new();
        let mut add = |number: usize, arguments: &[Argument]| {
            found.extend(arguments.iter().filter_map(|argument| match argument {
                Argument::Changed(place) => Some((number, place.clone())),
                Argument::Value(_) => None,
            }));
        };
        walk::parts(body, &[], &mut |part| match part {
            Part::Statement(Statement::Call(number, arguments)) => add(*number, arguments),
            Part::Expression(Expression { value: Value::Call(number, arguments), .. }) => {
                add(*number, arguments);
            }
            Part::Statement(_) | Part::Expression(_) | Part::Place(_) => {}
        });
        found
    }

    /// Number of functions that one of these calls after the other with the first one's changed parameter.
    fn levels(stage: &Stage) -> usize {
        let mut all: Vec<usize> = Vec::new();
        for function in &stage.functions {
            let calls = changed(&function.body).into_iter();
            let own = calls.filter(|(_, place)| place.variable.kind == Kind::Changed);
            all.push(1 + own.map(|(number, _)| all[number]).max().unwrap_or(0));
        }
        all.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn changed_parameters_are_handed_on_more_than_once() {
        for language in Language::ALL {
            let mut programs = (0..600).map(|seed| program(seed, &Recipe::new(language)));
            let is_deep = |program: Program| program.stages.iter().any(|stage| levels(stage) >= 3);
            assert!(programs.any(is_deep), "{language:?}");
        }
    }

    #[test]
    fn calls_change_what_the_language_permits() {
        for language in Language::ALL {
            let (mut parts, mut components) = (0, 0);
            for program in programs(language) {
                for stage in &program.stages {
                    let bodies = stage.functions.iter().map(|function| &function.body);
                    for (_, place) in bodies.chain([&stage.body]).flat_map(|body| changed(body)) {
                        assert!(matches!(place.variable.kind, Kind::Local | Kind::Changed));
                        parts += usize::from(!place.steps.is_empty());
                        components += usize::from(is_component(&program.types, &place));
                    }
                }
            }
            assert_eq!(parts > 0, language != Language::Spirv, "{language:?}");
            assert_eq!(components > 0, language == Language::Glsl, "{language:?}");
        }
    }

    #[test]
    fn loops_keep_their_counters_and_limits() {
        for program in programs(Language::Glsl) {
            for stage in &program.stages {
                for body in stage.functions.iter().map(|one| &one.body).chain([&stage.body]) {
                    let changed: Vec<_> =
                        changed(body).into_iter().map(|(_, place)| place.variable).collect();
                    walk::parts(body, &[], &mut |part| {
                        if let Part::Statement(Statement::Loop(repeat)) = part {
                            assert!(!changed.contains(&repeat.counter));
                            assert!(!changed.contains(&repeat.limit));
                        }
                    });
                }
            }
        }
    }
}
