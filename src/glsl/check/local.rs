//! Checks declarations inside functions.

use std::collections::HashSet;

use crate::ast::{
    Block, Condition, Declaration, Declarator, ExprKind, QualifiedType, Qualifiers, StatementKind,
};
use crate::scan::{self, visit_statements};

use super::Checker;
use super::site::Site;

impl<'a> Checker<'a> {
    /// Checks every declaration in a function's body.
    pub(super) fn check_locals(&mut self, body: &'a Block) {
        visit_statements(body, &mut |statement| {
            if let StatementKind::While { condition: Condition::Declaration(ty, ..), .. }
            | StatementKind::For { condition: Some(Condition::Declaration(ty, ..)), .. } =
                &statement.kind
            {
                self.check_local(ty);
            }
            if let StatementKind::Declaration(declaration) = &statement.kind
                && let Declaration::Variables { ty, declarators } = &**declaration
            {
                self.check_local(ty);
                self.check_nameless(ty, declarators);
                self.check_sizes(&ty.ty.array);
                for declarator in declarators {
                    self.check_sizes(&declarator.array);
                    let name = &declarator.name;
                    if self.holds_opaque(&ty.ty) {
                        let message =
                            "samplers, images and atomic counters must be uniforms or parameters";
                        self.complain(name.span, message);
                    }
                    if self.version.is_es && declarator.initializer.is_none() {
                        self.check_local_size(ty, declarator);
                    }
                }
            }
        });
    }

    /// Checks that a declaration without names has no array without a size in GLSL ES, where every array has one (GLSL ES
    /// 3.20 section 4.1.9).
    pub(super) fn check_nameless(&mut self, ty: &QualifiedType, declarators: &[Declarator]) {
        let open = ty.ty.array.iter().find(|size| size.size.is_none());
        if let Some(open) = open.filter(|_| self.version.is_es && declarators.is_empty()) {
            self.complain(open.span, "the array of a declaration without names needs a size");
        }
    }

    /// Checks that a variable becomes `precise` in a function before it is used (GLSL 4.60 section 4.14).
    pub(super) fn check_late_precision(&mut self, body: &'a Block) {
        let mut used: HashSet<&str> = HashSet::new();
        visit_statements(body, &mut |statement| {
            scan::visit_own(statement, &mut |expr| {
                if let ExprKind::Variable(name) = &expr.kind {
                    used.insert(name);
                }
            });
            let StatementKind::Declaration(declaration) = &statement.kind else { return };
            match &**declaration {
                Declaration::Variables { declarators, .. } => {
                    for declarator in declarators {
                        used.remove(&*declarator.name.name);
                    }
                }
                Declaration::Requalify { names, .. } => {
                    if let Some(name) = names.iter().find(|name| used.contains(&*name.name)) {
                        let message =
                            format!("`{}` is used before it is declared `precise`", name.name);
                        self.complain(name.span, message);
                    }
                }
                Declaration::Block(_) | Declaration::Precision { .. } => {}
            }
        });
    }

    fn check_local(&mut self, ty: &QualifiedType) {
        self.check_local_qualifiers(&ty.qualifiers);
        self.check_layout(&ty.qualifiers, Site::Local);
        self.check_type_qualifiers(ty);
        if ty.qualifiers.is_invariant {
            self.complain(ty.qualifiers.span, "only global variables can be invariant");
        }
        self.check_words(&ty.qualifiers, Site::Local);
    }

    /// Checks that arrays in ES have a size.
    fn check_local_size(&mut self, ty: &QualifiedType, declarator: &Declarator) {
        let sizes = ty.ty.array.iter().chain(&declarator.array);
        if let Some(open) = sizes.into_iter().find(|size| size.size.is_none()) {
            self.complain(open.span, format!("the array `{}` needs a size", declarator.name.name));
        }
    }

    /// Checks that locals and parameters have no interpolation or auxiliary qualifiers.
    pub(super) fn check_local_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.interpolation.is_some() || qualifiers.is_centroid || qualifiers.is_sample {
            self.complain(
                qualifiers.span,
                "only varyings can have interpolation or auxiliary storage qualifiers",
            );
        }
    }
}
