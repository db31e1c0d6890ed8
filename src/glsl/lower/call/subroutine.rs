//! Subroutines (`GL_ARB_shader_subroutine`): uniforms that select the function to call.
//!
//! Three declarations belong together: a *subroutine type*, which is a function prototype; the functions declared with
//! that type; and *subroutine uniforms* of that type. A subroutine uniform is lowered to the index of a function among
//! those of its type, and a call to a `switch` over the index.

use std::collections::{BTreeMap, HashMap};

use naga::{GlobalVariable, Handle, Statement, SwitchCase, SwitchValue};

use crate::ast::{Declarator, Expr, Ident, Prototype, QualifiedType, Storage, TypeName};
use ir::interface::Place as TablePlace;
use ir::source::Span;
use ir::stage_module::{UniformKind, UniformVariable};
use ir::uniform::subroutine_name;

use super::argument::Argument;
use super::function::ParameterType;
use crate::lower::body::Body;
use crate::lower::global::{GlobalInfo, Role};
use crate::lower::operand::{Operand, Place, Value};
use crate::lower::qualifier::At;
use crate::lower::scope::Symbol;
use crate::lower::types::{Kind, Shape, Ty};
use crate::lower::{Result, Stage, mismatch, wrong};

/// All subroutines of a stage.
#[derive(Debug, Default)]
pub(in crate::lower) struct Subroutines {
    types: BTreeMap<String, SubroutineType>,
    /// Type of each subroutine uniform.
    uniforms: HashMap<Handle<GlobalVariable>, String>,
    /// Functions of the stage by their `layout(index = …)`.
    indices: BTreeMap<u32, usize>,
    /// Subroutine uniforms with `layout(location = …)`.
    located: Vec<Located>,
}

/// Minimum value of `GL_MAX_SUBROUTINES`, which is also Mesa's value.
const MAX_SUBROUTINES: u32 = 256;

/// Minimum value of `GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS`, which is also Mesa's value.
const MAX_LOCATIONS: u32 = 1024;

/// A subroutine uniform at the locations from `first` up to `end`.
#[derive(Debug)]
struct Located {
    first: u32,
    end: u32,
    name: String,
}

/// A subroutine type: a function prototype, and the functions declared with it.
#[derive(Clone, Debug)]
struct SubroutineType {
    parameters: Vec<ParameterType>,
    result: Option<Ty>,
    /// Indices into the stage's functions, in declaration order.
    functions: Vec<usize>,
}

/// True if a declaration has the `subroutine` qualifier.
pub(in crate::lower) fn is_subroutine(ty: &QualifiedType) -> bool {
    ty.qualifiers.storage.iter().any(|(storage, _)| *storage == Storage::Subroutine)
}

impl<'a> Stage<'a> {
    /// Declares `subroutine float name(…);`, or the function with index `function`, which has subroutine types.
    pub(in crate::lower) fn declare_subroutine(
        &mut self,
        at: At,
        prototype: &'a Prototype,
        function: usize,
    ) -> Result<()> {
        let Some(own) = self.functions.get(function) else { return Ok(()) };
        for name in &prototype.result.qualifiers.subroutines {
            let Some(known) = self.subroutines.types.get_mut(&name.name) else {
                return wrong(name.span, format!("`{}` is not a subroutine type", name.name));
            };
            if known.parameters != own.parameters || known.result != own.result {
                let (function, name) = (&prototype.name, &name.name);
                let message = format!(
                    "the return type or parameters of `{}` differ from those of the subroutine type `{name}`",
                    function.name
                );
                return wrong(function.span, message);
            }
            if !known.functions.contains(&function) {
                known.functions.push(function);
            }
        }
        self.check_subroutine_index(at, prototype, function)
    }

    /// Checks that `layout(index = …)` of a function is below the limit and that no other function has it (GLSL 4.60
    /// section 4.4.4).
    fn check_subroutine_index(
        &mut self,
        at: At,
        prototype: &Prototype,
        function: usize,
    ) -> Result<()> {
        let qualifiers = &prototype.result.qualifiers;
        let Some(index) = self.layout_value(at, qualifiers, "index")? else { return Ok(()) };
        if index >= MAX_SUBROUTINES {
            let last = MAX_SUBROUTINES - 1;
            let message = format!("there is no subroutine {index}; the last is {last}");
            return wrong(qualifiers.span, message);
        }
        if *self.subroutines.indices.entry(index).or_insert(function) != function {
            let name = &prototype.name;
            let message = format!("another function than `{}` has the index {index}", name.name);
            return wrong(name.span, message);
        }
        Ok(())
    }

    /// Checks that `layout(location = …)` of a subroutine uniform with `count` elements is below the limit, and that no
    /// other subroutine uniform is there (GLSL 4.60 section 4.4.3).
    fn check_subroutine_location(
        &mut self,
        at: At,
        ty: &QualifiedType,
        name: &Ident,
        count: u32,
    ) -> Result<()> {
        let Some(first) = self.layout_value(at, &ty.qualifiers, "location")? else { return Ok(()) };
        let end = first.saturating_add(count);
        if end > MAX_LOCATIONS {
            let message = format!(
                "`{}` goes beyond location {}, the last of subroutine uniforms",
                name.name,
                MAX_LOCATIONS - 1
            );
            return wrong(name.span, message);
        }
        let mut others = self.subroutines.located.iter();
        if let Some(other) = others.find(|other| first < other.end && other.first < end) {
            let message = format!(
                "the locations of subroutine uniforms `{}` and `{}` overlap",
                other.name, name.name
            );
            return wrong(name.span, message);
        }
        self.subroutines.located.push(Located { first, end, name: name.name.clone() });
        Ok(())
    }

    /// Declares the type `subroutine float name(…);`.
    pub(in crate::lower) fn declare_subroutine_type(
        &mut self,
        at: At,
        prototype: &'a Prototype,
    ) -> Result<()> {
        let (parameters, result) = self.signature(at.object, at.position, prototype)?;
        let name = &prototype.name;
        let known = self.subroutines.types.get(&name.name);
        if known.is_some_and(|known| known.parameters != parameters || known.result != result) {
            return wrong(name.span, format!("`{}` is declared twice", name.name));
        }
        let new = SubroutineType { parameters, result, functions: Vec::new() };
        self.subroutines.types.entry(name.name.clone()).or_insert(new);
        Ok(())
    }

    /// Declares `subroutine uniform type name[n];`.
    pub(in crate::lower) fn declare_subroutine_uniforms(
        &mut self,
        at: At,
        ty: &QualifiedType,
        declarators: &[Declarator],
    ) -> Result<()> {
        let known = match &ty.ty.kind {
            TypeName::Named(name) if self.subroutines.types.contains_key(name) => name.clone(),
            TypeName::Named(_) | TypeName::Struct(_) => {
                return wrong(ty.ty.span, "this is not a subroutine type");
            }
        };
        for declarator in declarators {
            let name = &declarator.name;
            let index = self.scalar(Kind::Uint);
            let mut body = Body::new(self, at.object, at.position);
            let declared = body.subroutine_array(index, ty, declarator)?;
            let plain = body.sized(&declared, name.span)?;
            self.check_interface_size(plain, name.span)?;
            if self.existing(at, name, plain, Role::Uniform)?.is_some() {
                continue;
            }
            let count = self.interface_type(plain).leaves().len();
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            self.check_subroutine_location(at, ty, name, count)?;
            let global = self.add_private(name, GlobalInfo::new(plain, Role::Uniform, at.object));
            self.shared.insert(name.name.clone(), global);
            self.subroutines.uniforms.insert(global, known.clone());
            self.uniforms.push(UniformVariable {
                kind: UniformKind::Subroutine { functions: Vec::new() },
                span: Some(name.span),
                ..UniformVariable::loose(
                    subroutine_name(self.stage, &name.name),
                    self.interface_type(plain),
                    TablePlace::whole(global),
                )
            });
            self.declare_symbol(at, name, Symbol::Global(global))?;
        }
        Ok(())
    }

    /// Checks that no function with a subroutine type shares its name with another definition (GLSL 4.60 section 6.1.2).
    pub(in crate::lower) fn check_subroutine_names(&self) -> Result<()> {
        let all = self.subroutines.types.values().flat_map(|ty| &ty.functions);
        for (idx, own) in all.filter_map(|idx| Some((*idx, self.functions.get(*idx)?))) {
            let mut others = self.functions.iter().enumerate();
            let other = others.find_map(|(other, function)| {
                let is_other = other != idx && function.name == own.name;
                self.definition_of(other).filter(|_| is_other)
            });
            if let Some(span) = other {
                let message = format!(
                    "`{}` has a subroutine type, so no other function has its name",
                    own.name
                );
                return mismatch(span, message);
            }
        }
        Ok(())
    }

    /// Gives every subroutine uniform the names of its functions, after all functions are declared.
    pub(in crate::lower) fn name_subroutines(&mut self) {
        for uniform in &mut self.uniforms {
            let ty = self.subroutines.uniforms.get(&uniform.place.global);
            let Some(known) = ty.and_then(|ty| self.subroutines.types.get(ty)) else { continue };
            let all = known.functions.iter().filter_map(|idx| self.functions.get(*idx));
            let functions = all.map(|function| function.name.clone()).collect();
            uniform.kind = UniformKind::Subroutine { functions };
        }
    }
}

impl Body<'_, '_> {
    /// True for a subroutine uniform, which is not a value.
    pub(in crate::lower) fn is_subroutine_place(&self, place: &Place) -> bool {
        let uniforms = &self.stage.subroutines.uniforms;
        place.root.is_some_and(|root| uniforms.contains_key(&root.global))
    }

    /// The subroutine uniform of this name.
    pub(in crate::lower) fn subroutine_uniform(&mut self, name: &Ident) -> Option<Place> {
        let symbol = self.find(&name.name)?;
        let Symbol::Global(global) = symbol else { return None };
        if !self.stage.subroutines.uniforms.contains_key(&global) {
            return None;
        }
        self.place_of(&symbol, name.span)
    }

    /// Lowers `subroutines[index](arguments)`.
    pub(in crate::lower) fn call_indexed(
        &mut self,
        callee: &Expr,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Operand> {
        match self.expression(callee)? {
            Operand::Place(place) if self.is_subroutine_place(&place) => {
                self.call_subroutine(&place, arguments, span)
            }
            Operand::Place(_) | Operand::Value(_) | Operand::Void => {
                wrong(callee.span, "only functions and types can be called")
            }
        }
    }

    /// Calls the function that a subroutine uniform selects. The arguments are evaluated once.
    pub(in crate::lower) fn call_subroutine(
        &mut self,
        place: &Place,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Operand> {
        let uniforms = &self.stage.subroutines.uniforms;
        let name = place.root.and_then(|root| uniforms.get(&root.global));
        let known = name.and_then(|name| self.stage.subroutines.types.get(name)).cloned();
        let Some(known) = known else { return Ok(Operand::Void) };
        if !matches!(self.shape(place.ty), Shape::Scalar(_)) {
            return wrong(span, "an array of subroutines cannot be called without an index");
        }
        let selector = self.load(place, span)?;
        let mut evaluated = Vec::new();
        for (idx, argument) in arguments.iter().enumerate() {
            let direction = known.parameters.get(idx).map(|parameter| parameter.direction);
            evaluated.push(self.argument(argument, direction)?);
        }
        if self.conversions(&known.parameters, &evaluated).is_none() {
            return wrong(span, "the arguments do not match the parameters of the subroutine");
        }
        self.switch_subroutine(&known, selector, &evaluated, span)
    }

    fn switch_subroutine(
        &mut self,
        known: &SubroutineType,
        selector: Value,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Operand> {
        let Some(last) = known.functions.len().checked_sub(1) else {
            return mismatch(span, "no function is associated with this subroutine type");
        };
        let result = known.result.map(|ty| (self.local("result", ty, span), ty));
        let mut cases = Vec::new();
        for (idx, function) in (0_u32..).zip(&known.functions) {
            self.code.open_block();
            let called = self.call_user(*function, arguments, span);
            if let (Ok(Operand::Value(value)), Some((result, _))) = (&called, result) {
                self.store_pointer(result, value.handle, span);
            }
            let body = self.code.close_block();
            called?;
            let is_last = idx as usize == last;
            let value = if is_last { SwitchValue::Default } else { SwitchValue::U32(idx) };
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        self.push(Statement::Switch { selector: selector.handle, cases }, span);
        Ok(match result {
            Some((result, ty)) => Operand::Value(self.load_pointer(result, ty, span)),
            None => Operand::Void,
        })
    }
}
