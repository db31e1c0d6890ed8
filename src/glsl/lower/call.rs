//! Calls: constructors, built-in functions, and user functions with overloads and copy-in, copy-out.

pub(super) mod argument;
pub(super) mod builtin;
pub(super) mod function;
pub(super) mod overload_rank;
mod redefinition;
pub(super) mod subroutine;

use naga::{Expression, Statement};

use crate::ast::{Expr, Ident};
use ir::source::Span;

use super::body::Body;
use super::operand::{Operand, Value};
use super::scope::Symbol;
use super::type_specifier::Declared;
use super::types::{Shape, Ty, is_unsupported_type};
use super::{Result, unsupported, wrong};
use argument::Argument;
use function::Direction;
use overload_rank::Conversion;

/// The function that marks an index as non-uniform between invocations. No index needs this mark here.
const NON_UNIFORM: &str = "nonuniformEXT";

impl Body<'_, '_> {
    /// Lowers `name(arguments)`.
    pub(super) fn call(&mut self, name: &Ident, arguments: &[Expr], span: Span) -> Result<Operand> {
        if let Some(operand) = self.combined_sampler(name, arguments, span)? {
            return Ok(operand);
        }
        if let (NON_UNIFORM, [only]) = (&*name.name, arguments)
            && self.enables(&["GL_EXT_nonuniform_qualifier"])
        {
            return self.expression(only);
        }
        if let Some(ty) = self.constructed_type(name)? {
            let values = self.arguments(arguments)?;
            return self.construct(ty, &values, span).map(Operand::Value);
        }
        if let Some(place) = self.subroutine_uniform(name) {
            return self.call_subroutine(&place, arguments, span);
        }
        if self.hides_functions(&name.name) {
            return wrong(name.span, format!("`{}` is a variable, not a function", name.name));
        }
        let candidates = self.candidates(&name.name);
        let directions = self.argument_directions(&name.name, &candidates, arguments.len());
        let mut evaluated = Vec::new();
        for (idx, argument) in arguments.iter().enumerate() {
            let direction = directions.get(idx).copied().unwrap_or(None);
            evaluated.push(self.argument(argument, direction)?);
        }
        if let Some(function) = self.overload(name, &candidates, &evaluated)? {
            return self.call_user(function, &evaluated, span);
        }
        if !candidates.is_empty() && !self.version().is_es {
            // A function hides the built-in ones of its name; in GLSL ES it is a further overload.
            return self.no_match(name, &evaluated);
        }
        self.check_function_version(name)?;
        self.check_argument_kinds(name, arguments)?;
        if let Some(operand) = self.call_opaque(name, &evaluated, span)? {
            return Ok(operand);
        }
        if builtin::is_name(&name.name) {
            return self.call_builtin(name, &evaluated, span);
        }
        if let Some(word) = builtin::unsupported_word(&name.name)
            && self.stage.has_unknown_extension(self.object)
        {
            return unsupported(name.span, word);
        }
        if candidates.is_empty() {
            return wrong(name.span, format!("`{}` is not declared", name.name));
        }
        self.no_match(name, &evaluated)
    }

    /// True if a variable called `name` hides the functions of that name. GLSL 1.10 has separate name spaces (section
    /// 4.2.6).
    fn hides_functions(&self, name: &str) -> bool {
        let has_one_space = self.is_from(120, 100);
        has_one_space && !matches!(self.find(name), Some(Symbol::Type(_)) | None)
    }

    /// True if calling `name` has no side effects.
    pub(super) fn is_pure_call(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Symbol::Type(_)))
            || self.candidates(name).is_empty() && builtin::is_pure(name)
    }

    /// The type that `name(…)` constructs, if any.
    fn constructed_type(&mut self, name: &Ident) -> Result<Option<Ty>> {
        if let Some(symbol) = self.find(&name.name) {
            return Ok(if let Symbol::Type(ty) = symbol { Some(ty) } else { None });
        }
        if is_unsupported_type(&name.name) {
            self.check_constructible(name)?;
            return unsupported(name.span, &*name.name);
        }
        Ok(self.stage.keyword_type(&name.name))
    }

    /// Lowers `T[n](…)`; without n the size is the number of arguments.
    pub(super) fn construct_array(
        &mut self,
        mut declared: Declared,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Value> {
        if let Some(outer @ None) = declared.dims.first_mut() {
            *outer = Some(u32::try_from(arguments.len()).unwrap_or(u32::MAX).max(1));
        }
        // In `float[][](float[2](…), …)` the inner sizes come from the arguments.
        if let Some((first, _)) = arguments.first()
            && declared.dims.len() > 1
            && declared.dims.contains(&None)
        {
            let mut ty = first.ty;
            for dim in declared.dims.iter_mut().skip(1) {
                if let Shape::Array(element, length) = self.shape(ty) {
                    *dim = dim.or(length);
                    ty = element;
                }
            }
        }
        let ty = self.sized(&declared, span)?;
        self.construct(ty, arguments, span)
    }

    pub(super) fn candidates(&self, name: &str) -> Vec<usize> {
        self.stage
            .objects
            .get(self.object)
            .map_or_else(Vec::new, |object| object.functions(name, self.position))
    }

    /// For every argument, the direction that all functions of this name have in common.
    fn argument_directions(
        &self,
        name: &str,
        candidates: &[usize],
        count: usize,
    ) -> Vec<Option<Direction>> {
        let mut directions = vec![None; count];
        let mut signatures: Vec<Vec<Direction>> = candidates
            .iter()
            .filter_map(|idx| self.stage.functions.get(*idx))
            .map(|function| {
                function.parameters.iter().map(|parameter| parameter.direction).collect()
            })
            .filter(|signature: &Vec<Direction>| signature.len() == count)
            .collect();
        signatures.extend(builtin::directions(name, count));
        for (idx, direction) in directions.iter_mut().enumerate() {
            let mut all = signatures.iter().filter_map(|signature| signature.get(idx).copied());
            let first = all.next();
            *direction = first.filter(|first| all.all(|other| other == *first));
        }
        directions
    }

    /// The function that these arguments select: an exact match, else the one that is better than all others.
    fn overload(
        &self,
        name: &Ident,
        candidates: &[usize],
        arguments: &[Argument],
    ) -> Result<Option<usize>> {
        let mut fitting = Vec::new();
        for candidate in candidates {
            let Some(function) = self.stage.functions.get(*candidate) else { continue };
            let Some(conversions) = self.conversions(&function.parameters, arguments) else {
                continue;
            };
            if overload_rank::count(&conversions) == 0 {
                return Ok(Some(*candidate));
            }
            fitting.push((*candidate, conversions));
        }
        let is_best = |(idx, (_, own)): &(usize, &(usize, Vec<Conversion>))| {
            let mut others = fitting.iter().enumerate().filter(|(other, _)| other != idx);
            others.all(|(_, (_, other))| overload_rank::is_better(own, other))
        };
        match fitting.iter().enumerate().find(is_best) {
            Some((_, (best, _))) => Ok(Some(*best)),
            None if fitting.is_empty() => Ok(None),
            None => wrong(name.span, format!("the call of `{}` is ambiguous", name.name)),
        }
    }

    /// Calls a user function: copies in, calls, copies out from left to right.
    pub(super) fn call_user(
        &mut self,
        function: usize,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Operand> {
        if self.stage.is_unreachable && self.stage.is_undefined(function) {
            let result = self.stage.functions.get(function).and_then(|function| function.result);
            let value = result.map(|ty| self.zero(ty, span));
            return Ok(value.map_or(Operand::Void, Operand::Value));
        }
        let handle = self.stage.lower_function(function, span)?;
        let Some(entry) = self.stage.functions.get(function) else { return Ok(Operand::Void) };
        let (parameters, result) = (entry.parameters.clone(), entry.result);
        let (mut handles, mut copies) = (Vec::new(), Vec::new());
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if parameter.direction == Direction::In {
                let value = self.argument_value(argument)?;
                handles.push(self.implicit(value, parameter.ty, argument.span)?.handle);
                continue;
            }
            let Some(place) = &argument.place else {
                return wrong(
                    argument.span,
                    "the argument of an `out` or `inout` parameter must be a variable",
                );
            };
            self.check_writable(place, argument.span)?;
            let copy = self.local("copy", parameter.ty, argument.span);
            if parameter.direction == Direction::InOut {
                let value = self.load(place, argument.span)?;
                let value = self.implicit(value, parameter.ty, argument.span)?;
                self.store_pointer(copy, value.handle, argument.span);
            }
            handles.push(copy);
            copies.push((copy, parameter.ty, place.clone(), argument.span));
        }
        let given = result.map(|ty| self.value(Expression::CallResult(handle), ty, span));
        let call = Statement::Call {
            function: handle,
            arguments: handles,
            result: given.map(|value| value.handle),
        };
        self.push(call, span);
        for (copy, ty, place, at) in copies {
            let value = self.load_pointer(copy, ty, at);
            let value = self.implicit(value, place.ty, at)?;
            self.store(&place, value, at)?;
        }
        Ok(given.map_or(Operand::Void, Operand::Value))
    }
}
