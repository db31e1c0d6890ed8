//! Functions: the prototypes and definitions of all objects. A function is lowered at its first call.

use naga::{AddressSpace, FunctionArgument, FunctionResult, Handle, Statement, TypeInner};

use crate::ast::{Block, Parameter, Prototype, Storage};
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::qualifier::At;
use crate::lower::scope::{Constancy, Symbol};
use crate::lower::type_specifier::is_void;
use crate::lower::types::{Shape, Ty};
use crate::lower::{Fault, Result, Stage, mismatch, naga_span, wrong};

/// A function of the stage, defined in any of its objects.
pub(in crate::lower) struct FunctionEntry<'a> {
    /// Name of the function.
    pub(in crate::lower) name: String,
    /// Parameters of the function.
    pub(in crate::lower) parameters: Vec<ParameterType>,
    /// Type of the result; `None` for `void`.
    pub(in crate::lower) result: Option<Ty>,
    /// The body, if one was found.
    definition: Option<Definition<'a>>,
    state: State,
}

/// Type and direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) struct ParameterType {
    /// Type of the parameter.
    pub(in crate::lower) ty: Ty,
    /// Direction of the parameter.
    pub(in crate::lower) direction: Direction,
    /// True for a `const` parameter.
    pub(in crate::lower) is_const: bool,
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Direction {
    /// `in`: copied before the call.
    In,
    /// `out`: copied after the call.
    Out,
    /// `inout`: copied before and after the call.
    InOut,
    /// Not copied: the function accesses the memory itself (only built-in atomic functions).
    Memory,
}

#[derive(Clone, Copy)]
struct Definition<'a> {
    object: usize,
    position: usize,
    prototype: &'a Prototype,
    body: &'a Block,
}

#[derive(Clone, Debug)]
enum State {
    Waiting,
    Underway,
    Done(Handle<naga::Function>),
    Failed(Fault),
}

impl<'a> Stage<'a> {
    /// Declares a function in an object, with its body if it has one.
    pub(in crate::lower) fn declare_function(
        &mut self,
        object: usize,
        position: usize,
        prototype: &'a Prototype,
        body: Option<&'a Block>,
    ) -> Result<()> {
        let name = &prototype.name;
        let (parameters, result) = self.signature(object, position, prototype)?;
        self.check_redefinition(object, name, &parameters)?;
        let types = |parameters: &[ParameterType]| -> Vec<Ty> {
            parameters.iter().map(|parameter| parameter.ty).collect()
        };
        let known = self.functions.iter().position(|function| {
            function.name == name.name && types(&function.parameters) == types(&parameters)
        });
        let idx = known.unwrap_or(self.functions.len());
        if known.is_none() {
            self.functions.push(FunctionEntry {
                name: name.name.clone(),
                parameters: parameters.clone(),
                result,
                definition: None,
                state: State::Waiting,
            });
        }
        let Some(entry) = self.functions.get_mut(idx) else { return Ok(()) };
        if entry.result != result || entry.parameters != parameters {
            let message = format!(
                "`{}` was declared with a different return type or different qualifiers",
                name.name
            );
            return wrong(name.span, message);
        }
        if let Some(body) = body {
            if entry.definition.is_some() {
                return wrong(name.span, format!("`{}` is defined twice", name.name));
            }
            entry.definition = Some(Definition { object, position, prototype, body });
        }
        if let Some(object) = self.objects.get_mut(object) {
            object.declare_function(&name.name, idx, position);
        }
        self.declare_subroutine(At { object, position }, prototype, idx)
    }

    /// Parameters and result of a function prototype.
    pub(in crate::lower) fn signature(
        &mut self,
        object: usize,
        position: usize,
        prototype: &Prototype,
    ) -> Result<(Vec<ParameterType>, Option<Ty>)> {
        let mut body = Body::new(self, object, position);
        let mut parameters = Vec::new();
        for parameter in &prototype.parameters {
            let declared = body.declared_type(&parameter.ty.ty, &parameter.array)?;
            let ty = body.sized(&declared, parameter.ty.ty.span)?;
            let mut storage = parameter.ty.qualifiers.storage.iter();
            let is_const = storage.any(|(word, _)| *word == Storage::Const);
            parameters.push(ParameterType { ty, direction: direction_of(parameter), is_const });
        }
        let result = &prototype.result.ty;
        if is_void(result) {
            return Ok((parameters, None));
        }
        if prototype.name.name == "main" {
            return wrong(result.span, "`main` must return `void`");
        }
        let declared = body.declared_type(result, &[])?;
        let ty = body.sized(&declared, result.span)?;
        let is_array = |part: Ty| matches!(self.shape(part), Shape::Array(..));
        let version = self.version(object);
        if version.is_es && version.number == 100 && self.contains(ty, &is_array) {
            // GLSL ES 1.00 section 6.1.
            return wrong(result.span, "a function cannot return an array in this version");
        }
        Ok((parameters, Some(ty)))
    }

    /// Lowers `main` and all functions reachable from it.
    pub(in crate::lower) fn lower_main(&mut self) -> Option<Handle<naga::Function>> {
        let (main, span) = self.functions.iter().enumerate().find_map(|(idx, function)| {
            let is_main = function.name == "main" && function.parameters.is_empty();
            Some((idx, function.definition.filter(|_| is_main)?.prototype.name.span))
        })?;
        let lowered = self.lower_function(main, span);
        self.note(lowered)
    }

    /// Lowers the functions that `main` does not reach, to find their errors.
    pub(in crate::lower) fn lower_uncalled(&mut self) {
        let waiting = self.functions.iter().enumerate().filter_map(|(idx, function)| {
            let is_waiting = matches!(function.state, State::Waiting);
            Some((idx, function.definition.filter(|_| is_waiting)?.prototype.name.span))
        });
        let waiting: Vec<(usize, Span)> = waiting.collect();
        if waiting.is_empty() {
            return;
        }
        let reached = self.module.functions.clone();
        let uses = self.uses.clone();
        for (idx, span) in waiting {
            if let Err(fault @ (Fault::Wrong(_) | Fault::Mismatch(_))) =
                self.lower_function(idx, span)
            {
                self.faults.push(fault);
            }
        }
        self.module.functions = reached;
        self.uses = uses;
    }

    /// Position of a function's name in its definition, if it has one.
    pub(in crate::lower) fn definition_of(&self, idx: usize) -> Option<Span> {
        Some(self.functions.get(idx)?.definition?.prototype.name.span)
    }

    /// True if a function is declared but not defined.
    pub(in crate::lower) fn is_undefined(&self, idx: usize) -> bool {
        self.functions.get(idx).is_some_and(|function| function.definition.is_none())
    }

    /// True if one shader object defines all functions between the function `idx`, which calls itself, and the current
    /// one. The cycle is then found without linking.
    fn is_cycle_of_one_object(&self, idx: usize) -> bool {
        let cycle = self.underway.iter().skip_while(|own| **own != idx);
        let mut objects =
            cycle.filter_map(|own| Some(self.functions.get(*own)?.definition?.object));
        let first = objects.next();
        objects.all(|object| Some(object) == first)
    }

    /// Lowers a function unless it was lowered before. `call` is the position of the call.
    pub(in crate::lower) fn lower_function(
        &mut self,
        idx: usize,
        call: Span,
    ) -> Result<Handle<naga::Function>> {
        let Some(entry) = self.functions.get_mut(idx) else {
            return wrong(call, "this function is not declared");
        };
        let definition = match (&entry.state, entry.definition) {
            (State::Done(handle), _) => return Ok(*handle),
            (State::Failed(fault), _) => return Err(fault.clone()),
            (State::Underway, _) => {
                let message = format!("`{}` calls itself, directly or indirectly", entry.name);
                let is_own = self.is_cycle_of_one_object(idx);
                return if is_own { wrong(call, message) } else { mismatch(call, message) };
            }
            (State::Waiting, None) => {
                return mismatch(call, format!("`{}` is declared but not defined", entry.name));
            }
            (State::Waiting, Some(definition)) => definition,
        };
        entry.state = State::Underway;
        self.underway.push(idx);
        // Reachable code may call the function too.
        let is_unreachable = std::mem::replace(&mut self.is_unreachable, false);
        let function = self.lower_definition(idx, definition);
        self.is_unreachable = is_unreachable;
        self.underway.pop();
        let (result, state) = match function {
            Ok(function) => {
                let span = naga_span(definition.prototype.name.span);
                let handle = self.module.functions.append(function, span);
                (Ok(handle), State::Done(handle))
            }
            Err(fault) => (Err(fault.clone()), State::Failed(fault)),
        };
        if let Some(entry) = self.functions.get_mut(idx) {
            entry.state = state;
        }
        result
    }

    fn lower_definition(
        &mut self,
        idx: usize,
        definition: Definition<'a>,
    ) -> Result<naga::Function> {
        let Some(entry) = self.functions.get(idx) else { return Ok(naga::Function::default()) };
        let (name, parameters, result) =
            (entry.name.clone(), entry.parameters.clone(), entry.result);
        let is_main = name == "main" && parameters.is_empty();
        let pending = if is_main { std::mem::take(&mut self.pending) } else { Vec::new() };
        let mut body = Body::new(self, definition.object, definition.position);
        body.code.function.name = Some(name);
        body.result = result;
        body.code.function.result = result.map(|ty| FunctionResult { ty, binding: None });
        for pending in &pending {
            body.run_pending(pending)?;
        }
        body.object = definition.object;
        body.position = definition.position;
        body.open_scope();
        for (declared, ty) in definition.prototype.parameters.iter().zip(&parameters) {
            body.declare_parameter(declared, *ty)?;
        }
        // The body's block opens no further scope, so a local cannot redeclare a parameter; in GLSL ES 1.00 it does.
        if !body.is_from(110, 300) {
            body.open_scope();
        }
        body.statements(&definition.body.statements)?;
        body.close_scope();
        body.return_at_end(definition.body.span);
        Ok(body.finish())
    }
}

impl Body<'_, '_> {
    /// Adds an argument. An argument that is passed by value becomes a local variable.
    fn declare_parameter(&mut self, declared: &Parameter, parameter: ParameterType) -> Result<()> {
        let span = declared.name.as_ref().map_or(declared.ty.ty.span, |name| name.span);
        let is_by_value = parameter.direction == Direction::In;
        let ty = if is_by_value {
            parameter.ty
        } else {
            let space = AddressSpace::Function;
            self.stage.add_type(None, TypeInner::Pointer { base: parameter.ty, space })
        };
        let name = declared.name.as_ref().map(|name| name.name.clone());
        let argument = FunctionArgument { name, ty, binding: None };
        let argument = self.code.at(naga_span(span)).argument(argument);
        let Some(name) = &declared.name else { return Ok(()) };
        let pointer = if is_by_value {
            let copy = self.local(&name.name, parameter.ty, span);
            self.store_pointer(copy, argument, span);
            copy
        } else {
            argument
        };
        let is_const = parameter.is_const;
        let constancy = if is_const { Constancy::Parameter } else { Constancy::Variable };
        self.declare(name, Symbol::Local { pointer, ty: parameter.ty, constancy })
    }

    /// Ends the function. Without a `return` its result, which GLSL leaves undefined, is zero.
    fn return_at_end(&mut self, span: Span) {
        let end = Span::new(span.end.saturating_sub(1), span.end);
        let value = self.result.map(|ty| self.zero(ty, end).handle);
        self.push(Statement::Return { value }, end);
    }
}

fn direction_of(parameter: &Parameter) -> Direction {
    let has =
        |word: Storage| parameter.ty.qualifiers.storage.iter().any(|(storage, _)| *storage == word);
    if has(Storage::InOut) || has(Storage::In) && has(Storage::Out) {
        Direction::InOut
    } else if has(Storage::Out) {
        Direction::Out
    } else {
        Direction::In
    }
}
