//! Checks syntax that the parser accepts in every version although only some versions have it: array constructors,
//! initialiser lists, instance names, and names in places where only another version allows them.
//!
//! If the specification and Mesa differ, Mesa is followed: 1.10 has separate name spaces for functions and variables,
//! and functions may return arrays.

use std::collections::HashSet;

use crate::ast::{
    BlockDeclaration, Declaration, Declarator, ExprKind, Initializer, Item, Prototype,
    QualifiedType, Statement, StatementKind,
};
use crate::scan::{self, visit_statements};
use ir::source::Span;

use super::{Checker, NEVER, is_opaque};

const PACK: &str = "GL_ARB_shading_language_420pack";

impl<'a> Checker<'a> {
    /// Checks the whole shader for syntax that its version does not have.
    pub(super) fn check_later(&mut self) {
        let unit = self.unit;
        self.check_array_constructors();
        let mut variables = HashSet::new();
        let mut prototypes: Vec<&Prototype> = Vec::new();
        for item in &unit.items {
            match item {
                Item::Function(prototype, body) => {
                    self.check_later_function(prototype, &variables);
                    visit_statements(body, &mut |statement| self.check_later_statement(statement));
                }
                Item::Prototype(prototype) => {
                    self.check_later_function(prototype, &variables);
                    self.check_prototype_twice(prototype, &prototypes);
                    prototypes.push(prototype);
                }
                Item::Declaration(Declaration::Variables { ty, declarators }) => {
                    self.check_binding_owner(ty);
                    self.check_captured_size(ty, declarators);
                    variables.extend(declarators.iter().map(|declarator| &*declarator.name.name));
                    self.check_lists(declarators);
                }
                Item::Declaration(Declaration::Block(block)) => self.check_instance_name(block),
                Item::Declaration(
                    Declaration::Precision { .. } | Declaration::Requalify { .. },
                ) => {}
            }
        }
    }

    fn check_array_constructors(&mut self) {
        if self.is_from(120, 300) {
            return;
        }
        let mut found: Vec<Span> = Vec::new();
        scan::visit_unit(self.unit, &mut |expr| {
            if let ExprKind::Construct(ty, _) = &expr.kind
                && !ty.array.is_empty()
            {
                found.push(ty.span);
            }
        });
        for span in found {
            self.complain(span, "array constructors are not available in this version");
        }
    }

    fn check_later_function(&mut self, prototype: &Prototype, variables: &HashSet<&str>) {
        let name = &prototype.name;
        if variables.contains(&*name.name) && self.is_from(120, 100) {
            self.complain(name.span, format!("`{}` is already the name of a variable", name.name));
        }
        if let Some(size) = prototype.result.ty.array.first()
            && !self.is_from(110, 300)
        {
            self.complain(size.span, "a function cannot return an array in this version");
        }
    }

    /// Checks that in ES 1.00 a function is declared once (section 6.1).
    fn check_prototype_twice(&mut self, prototype: &Prototype, others: &[&Prototype]) {
        if self.is_from(110, 300) {
            return;
        }
        let types = |prototype: &Prototype| -> Vec<_> {
            let parameters = prototype.parameters.iter();
            parameters
                .map(|parameter| (parameter.ty.ty.kind.clone(), parameter.array.len()))
                .collect()
        };
        let name = &prototype.name;
        let mut alike = others.iter().filter(|other| other.name.name == name.name);
        if alike.any(|other| types(other) == types(prototype)) {
            self.complain(name.span, format!("`{}` is declared twice", name.name));
        }
    }

    fn check_later_statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => {
                if let Declaration::Variables { declarators, .. } = &**declaration {
                    self.check_lists(declarators);
                }
            }
            StatementKind::Empty
            | StatementKind::Block(_)
            | StatementKind::Expr(_)
            | StatementKind::If { .. }
            | StatementKind::Switch { .. }
            | StatementKind::For { .. }
            | StatementKind::While { .. }
            | StatementKind::DoWhile { .. }
            | StatementKind::Continue
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Discard => {}
        }
    }

    /// Checks `= { … }` (GLSL 4.60 section 4.1.11).
    fn check_lists(&mut self, declarators: &[Declarator]) {
        if self.is_from(420, NEVER) || self.enables(&[PACK]) {
            return;
        }
        for declarator in declarators {
            if let Some(Initializer::List(_, span)) = &declarator.initializer {
                self.complain(*span, "initialiser lists are not available in this version");
            }
        }
    }

    /// Checks that only variables and blocks backed from outside the shader have a binding, that only atomic counters have
    /// an offset, and that they have no location (GLSL 4.60 sections 4.4.3 and 4.4.6).
    fn check_binding_owner(&mut self, ty: &QualifiedType) {
        let is_counter = self.contains(&ty.ty, &|name| name == "atomic_uint");
        let is_opaque = self.contains(&ty.ty, &is_opaque);
        for entry in &ty.qualifiers.layout {
            let message = match &*entry.name.name {
                "binding" if !is_opaque => {
                    "only samplers, images, atomic counters and blocks can have a `binding`"
                }
                "offset" if !is_counter => "only atomic counters can have an `offset`",
                "location" if is_counter => "an atomic counter cannot have a `location`",
                _ => continue,
            };
            self.complain(entry.name.span, message);
        }
    }

    /// Checks that a transform feedback output has a known size (GLSL 4.60 section 4.4.2.1).
    fn check_captured_size(&mut self, ty: &QualifiedType, declarators: &[Declarator]) {
        if !ty.qualifiers.layout.iter().any(|entry| entry.name.name == "xfb_offset") {
            return;
        }
        for declarator in declarators {
            let mut sizes = ty.ty.array.iter().chain(&declarator.array);
            if let Some(open) = sizes.find(|size| size.size.is_none()) {
                let message = format!(
                    "the array `{}` has an `xfb_offset` and needs a size",
                    declarator.name.name
                );
                self.complain(open.span, message);
            }
        }
    }

    fn check_instance_name(&mut self, block: &BlockDeclaration) {
        if let Some((instance, _)) = &block.instance
            && !self.is_from(150, 300)
        {
            self.complain(instance.span, "a block cannot have an instance name in this version");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use ir::stage::ShaderStage::{Fragment, Vertex};

    #[test]
    fn arrays_are_values_from_120_on() {
        let text = "void f() { float x = float[2](1.0, 2.0)[0]; }";
        check("110", Vertex, text, "array constructors are not available in this version [float]");
        check("100", Vertex, text, "array constructors are not available in this version [float]");
        check("120", Vertex, text, "");
        check("300 es", Vertex, text, "");
        let text = "float[2] f();";
        check("100", Vertex, text, "a function cannot return an array in this version [[2]]");
        check("110", Vertex, text, "");
    }

    #[test]
    fn lists_of_initialisers_came_with_420() {
        let text = "void f() { vec2 a = { 1.0, 2.0 }; }";
        check(
            "410",
            Vertex,
            text,
            "initialiser lists are not available in this version [{ 1.0, 2.0 }]",
        );
        check(
            "320 es",
            Vertex,
            text,
            "initialiser lists are not available in this version [{ 1.0, 2.0 }]",
        );
        check("420", Vertex, text, "");
        let text = format!("#extension GL_ARB_shading_language_420pack : enable\n{text}");
        check("130", Vertex, &text, "");
    }

    #[test]
    fn instance_names_came_with_150() {
        let text = "uniform B { float a; } b;";
        check("140", Vertex, text, "a block cannot have an instance name in this version [b]");
        check("150", Vertex, text, "");
        check("300 es", Vertex, text, "");
        check("140", Vertex, "uniform B { float a; };", "");
    }

    #[test]
    fn a_name_is_one_thing() {
        check(
            "120",
            Vertex,
            "float n; float n() { return 1.0; }",
            "`n` is already the name of a variable [n]",
        );
        check("110", Vertex, "float n; float n() { return 1.0; }", "");
        check("100", Vertex, "float n(); float n();", "`n` is declared twice [n]");
        check("300 es", Vertex, "float n(); float n();", "");
        check("100", Vertex, "float n(float a); float n(vec2 a);", "");
        check("330", Vertex, "struct S { float gl_a; };", "the name `gl_a` is reserved [gl_a]");
    }

    #[test]
    fn what_is_inside_has_no_binding() {
        let message =
            "only samplers, images, atomic counters and blocks can have a `binding` [binding]";
        check("420", Vertex, "layout(binding = 1) uniform float n;", message);
        check("420", Vertex, "layout(binding = 1) uniform sampler2D n[2];", "");
    }

    #[test]
    fn captures_have_sizes() {
        let text = "layout(xfb_offset = 0) out float n[];";
        check("440", Vertex, text, "the array `n` has an `xfb_offset` and needs a size [[]]");
        check("440", Vertex, "layout(xfb_offset = 0) out float n[2];", "");
    }

    #[test]
    fn old_words_make_no_blocks() {
        let message = "a block must be `in`, `out`, `uniform` or `buffer` [varying]";
        check("110", Vertex, "varying B { float a; };", message);
    }

    #[test]
    fn counters_have_bindings() {
        check("420", Fragment, "uniform atomic_uint n;", "an atomic counter needs a `binding` [n]");
        check("420", Fragment, "layout(binding = 0) uniform atomic_uint n;", "");
    }
}
