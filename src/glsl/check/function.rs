//! Function prototypes (GLSL 4.60 section 6.1).

use crate::ast::{Block, Parameter, Prototype, StatementKind, Storage, TypeName};
use crate::scan::visit_statements;
use crate::target::VULKAN;

use super::site::Site;
use super::{Checker, has_storage};

impl Checker<'_> {
    /// Checks name, result and parameters.
    pub(super) fn check_function(&mut self, prototype: &Prototype) {
        let name = &prototype.name;
        if name.name == "main" && !prototype.parameters.is_empty() {
            self.complain(name.span, "`main` cannot have parameters");
        }
        let result = &prototype.result;
        if self.holds_opaque(&result.ty) {
            self.complain(
                result.ty.span,
                "a function cannot return samplers, images or atomic counters",
            );
        }
        self.check_type_qualifiers(result);
        let is_subroutine = has_storage(&result.qualifiers, Storage::Subroutine);
        let site = if is_subroutine { Site::Subroutine } else { Site::Function };
        self.check_layout(&result.qualifiers, site);
        self.check_words(&result.qualifiers, site);
        if self.structs.contains_key(&*name.name) {
            self.complain(name.span, format!("`{}` is already the name of a struct", name.name));
        }
        for parameter in &prototype.parameters {
            self.check_parameter(parameter);
        }
    }

    /// Checks that the parameters of a function with a body have names. Compilers for Vulkan accept others.
    pub(super) fn check_parameter_names(&mut self, prototype: &Prototype) {
        let unnamed = prototype.parameters.iter().find(|parameter| parameter.name.is_none());
        if let Some(unnamed) = unnamed.filter(|_| !self.enables(&[VULKAN])) {
            self.complain(unnamed.ty.ty.span, "a parameter of a function with a body needs a name");
        }
    }

    /// Checks that a subroutine type has no body: only the functions with this type have bodies (GLSL 4.60 section
    /// 6.1.2).
    pub(super) fn check_subroutine(&mut self, prototype: &Prototype) {
        let qualifiers = &prototype.result.qualifiers;
        if has_storage(qualifiers, Storage::Subroutine) && qualifiers.subroutines.is_empty() {
            let name = &prototype.name;
            let message = format!("the `subroutine` type `{}` cannot have a body", name.name);
            self.complain(name.span, message);
        }
    }

    /// Checks that only the definition of a function names its subroutine types (GLSL 4.60 section 6.1.2).
    pub(super) fn check_subroutine_prototype(&mut self, prototype: &Prototype) {
        if let Some(ty) = prototype.result.qualifiers.subroutines.first() {
            let message = format!("a prototype cannot have the `subroutine` type `{}`", ty.name);
            self.complain(ty.span, message);
        }
    }

    /// Checks that a function with a result returns one somewhere.
    pub(super) fn check_return(&mut self, prototype: &Prototype, body: &Block) {
        let is_void = matches!(&prototype.result.ty.kind, TypeName::Named(name) if name == "void");
        let mut has_return = false;
        visit_statements(body, &mut |statement| {
            has_return |= matches!(statement.kind, StatementKind::Return(_));
        });
        if !is_void && !has_return {
            let name = &prototype.name;
            self.complain(
                name.span,
                format!("`{}` must return a value but has no `return`", name.name),
            );
        }
    }

    fn check_parameter(&mut self, parameter: &Parameter) {
        let qualifiers = &parameter.ty.qualifiers;
        self.check_directions(parameter);
        self.check_layout(qualifiers, Site::Parameter);
        self.check_local_qualifiers(qualifiers);
        self.check_type_qualifiers(&parameter.ty);
        self.check_words(qualifiers, Site::Parameter);
        self.check_one_way(&parameter.ty);
        let is_written =
            has_storage(qualifiers, Storage::Out) || has_storage(qualifiers, Storage::InOut);
        let ty = &parameter.ty.ty;
        if is_written && self.holds_opaque(ty) {
            self.complain(
                ty.span,
                "samplers, images and atomic counters cannot be `out` or `inout` parameters",
            );
        }
        let is_array = !(ty.array.is_empty() && parameter.array.is_empty());
        if is_written && is_array && !self.is_from(120, 100) {
            self.complain(
                ty.span,
                "an array cannot be an `out` or `inout` parameter in this version",
            );
        }
    }

    /// Checks that a parameter has one direction, and `const` only for `in`.
    fn check_directions(&mut self, parameter: &Parameter) {
        let words = &parameter.ty.qualifiers.storage;
        let is_const = |word: &Storage| *word == Storage::Const;
        let directions: Vec<_> = words.iter().filter(|(word, _)| !is_const(word)).collect();
        let constants: Vec<_> = words.iter().filter(|(word, _)| is_const(word)).collect();
        // Compilers for Vulkan treat `in` and `out` together as `inout`.
        let is_both = matches!(
            &*directions,
            [(Storage::In, _), (Storage::Out, _)] | [(Storage::Out, _), (Storage::In, _)]
        );
        let directions = if is_both && self.enables(&[VULKAN]) {
            directions.into_iter().filter(|(word, _)| *word == Storage::Out).collect()
        } else {
            directions
        };
        if let Some((_, span)) = directions.get(1).or(constants.get(1)).copied() {
            self.complain(
                *span,
                "a parameter can have one of `in`, `out` and `inout`, and `const` once",
            );
        } else if let (Some((_, span)), Some((Storage::Out | Storage::InOut, _))) =
            (constants.first(), directions.first())
        {
            self.complain(*span, "a `const` parameter cannot be `out` or `inout`");
        } else if let [(_, _), (Storage::Const, span)] = &**words
            && !self.is_from(420, 310)
            && !self.enables(&["GL_ARB_shading_language_420pack"])
        {
            self.complain(*span, "`const` must come before `in` in this version");
        }
        if let TypeName::Struct(_) = parameter.ty.ty.kind {
            self.complain(parameter.ty.ty.span, "a struct cannot be defined in a parameter");
        }
    }
}
