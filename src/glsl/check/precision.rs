//! Checks default precisions (GLSL ES 3.20 section 4.7.4), and declarations without a precision.

use crate::ast::{
    Block, Declaration, Ident, Item, MemberDeclaration, Parameter, QualifiedType, Statement,
    StatementKind, TypeName,
};
use crate::scan::{self, Part};
use ir::stage::ShaderStage;

use super::{Checker, is_bool, is_integer, is_opaque};

/// Types with a default precision in every scope, innermost last.
type Scopes = Vec<Vec<String>>;

impl<'a> Checker<'a> {
    /// Checks `precision …;` statements, and in ES every declaration that needs a precision.
    pub(super) fn check_precision(&mut self) {
        let mut scopes: Scopes = vec![self.language_defaults()];
        for item in &self.unit.items {
            match item {
                Item::Function(prototype, body) => {
                    self.need(&prototype.result, &scopes);
                    self.need_parameters(&prototype.parameters, &scopes);
                    self.block_precision(body, &mut scopes);
                }
                Item::Prototype(prototype) => {
                    self.need(&prototype.result, &scopes);
                    self.need_parameters(&prototype.parameters, &scopes);
                }
                Item::Declaration(declaration) => {
                    self.declaration_precision(declaration, &mut scopes);
                }
            }
        }
    }

    /// Types for which the language defines a default precision in this stage.
    fn language_defaults(&self) -> Vec<String> {
        let mut names = vec!["int", "sampler2D", "samplerCube", "atomic_uint"];
        if self.stage != ShaderStage::Fragment {
            names.push("float");
        }
        names.into_iter().map(str::to_owned).collect()
    }

    fn block_precision(&mut self, block: &'a Block, scopes: &mut Scopes) {
        scopes.push(Vec::new());
        for statement in &block.statements {
            self.statement_precision(statement, scopes);
        }
        scopes.pop();
    }

    fn statement_precision(&mut self, statement: &'a Statement, scopes: &mut Scopes) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => {
                self.declaration_precision(declaration, scopes);
            }
            StatementKind::Block(block) => self.block_precision(block, scopes),
            StatementKind::Empty
            | StatementKind::Expr(_)
            | StatementKind::If { .. }
            | StatementKind::Switch { .. }
            | StatementKind::While { .. }
            | StatementKind::DoWhile { .. }
            | StatementKind::For { .. }
            | StatementKind::Continue
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Discard => {
                for part in scan::parts(statement) {
                    if let Part::Statement(inner) = part {
                        self.statement_precision(inner, scopes);
                    }
                }
            }
        }
    }

    fn declaration_precision(&mut self, declaration: &'a Declaration, scopes: &mut Scopes) {
        match declaration {
            Declaration::Precision { type_name, .. } => {
                self.check_default(type_name);
                if let Some(scope) = scopes.last_mut() {
                    scope.push(type_name.name.clone());
                }
            }
            Declaration::Variables { ty, .. } => self.need(ty, scopes),
            Declaration::Block(block) => {
                if !block.name.name.starts_with("gl_") {
                    self.need_members(&block.members, scopes);
                }
            }
            Declaration::Requalify { .. } => {}
        }
    }

    /// Checks that a `precision` statement names `float`, `int` or an opaque type.
    fn check_default(&mut self, name: &Ident) {
        if !["float", "int"].contains(&&*name.name) && !is_opaque(&name.name) {
            let message = format!("the default precision of `{}` cannot be set", name.name);
            self.complain(name.span, message);
        }
    }

    fn need_parameters(&mut self, parameters: &'a [Parameter], scopes: &Scopes) {
        for parameter in parameters {
            self.need(&parameter.ty, scopes);
        }
    }

    fn need_members(&mut self, members: &'a [MemberDeclaration], scopes: &Scopes) {
        for member in members {
            self.need(&member.ty, scopes);
        }
    }

    /// Checks that a declaration in ES has a precision or a default.
    fn need(&mut self, ty: &'a QualifiedType, scopes: &Scopes) {
        if !self.version.is_es || ty.qualifiers.precision.is_some() {
            return;
        }
        let name = match &ty.ty.kind {
            TypeName::Struct(definition) => return self.need_members(&definition.members, scopes),
            TypeName::Named(name) => &**name,
        };
        if name == "void" || is_bool(name) || self.structs.contains_key(name) {
            return;
        }
        let keyword = match name {
            _ if is_integer(name) => "int",
            _ if is_opaque(name) => name,
            "float" => "float",
            _ if name.starts_with("vec") || name.starts_with("mat") => "float",
            _ => return,
        };
        let has_default = scopes.iter().flatten().any(|known| known == keyword);
        if !has_default {
            let message =
                format!("`{keyword}` has no default precision here; add a precision qualifier");
            self.complain(ty.ty.span, message);
        }
    }
}
