//! Checks for reserved names, and for names with two meanings (GLSL 4.60 sections 3.7 and 4.2.2).

use std::collections::{HashMap, HashSet};

use crate::ast::{Declaration, Ident, Item, StatementKind, TypeName};
use crate::scan::visit_statements;

use super::Checker;
use crate::target::VULKAN;

impl<'a> Checker<'a> {
    /// Checks for reserved names, and for blocks that share their name with another declaration.
    pub(super) fn check_names(&mut self) {
        for name in given_names(&self.unit.items) {
            if name.name.starts_with("gl_") {
                self.complain(name.span, format!("the name `{}` is reserved", name.name));
            }
        }
        self.check_array_redeclarations();
        let blocks: HashMap<&str, &'a Ident> =
            self.unit.items.iter().filter_map(block_name).collect();
        for name in self.unit.items.iter().flat_map(other_names) {
            if blocks.contains_key(&*name.name) {
                self.complain(name.span, format!("`{}` is also the name of a block", name.name));
            }
        }
        self.check_instances(&blocks);
    }
}

impl Checker<'_> {
    /// Checks that no instance of a block has the name of a block or function (GLSL 4.60 section 4.3.9). Compilers for
    /// Vulkan accept the name of a block.
    fn check_instances(&mut self, blocks: &HashMap<&str, &Ident>) {
        let unit = self.unit;
        for item in &unit.items {
            let Item::Declaration(Declaration::Block(block)) = item else { continue };
            let Some((name, _)) = &block.instance else { continue };
            let is_function = |item: &Item| {
                matches!(item, Item::Function(prototype, _) | Item::Prototype(prototype)
                    if prototype.name.name == name.name)
            };
            if blocks.contains_key(&*name.name) && !self.enables(&[VULKAN]) {
                self.complain(name.span, format!("`{}` is also the name of a block", name.name));
            } else if unit.items.iter().any(is_function) {
                self.complain(name.span, format!("`{}` is also the name of a function", name.name));
            }
        }
    }

    /// Checks that an array is redeclared only to give it a missing size (GLSL 4.60 section 4.1.9).
    fn check_array_redeclarations(&mut self) {
        let mut sized: HashSet<&str> = HashSet::new();
        let unit = self.unit;
        for item in &unit.items {
            let Item::Declaration(Declaration::Variables { ty, declarators }) = item else {
                continue;
            };
            for declarator in declarators {
                let name = &declarator.name;
                let mut sizes = declarator.array.iter().chain(&ty.ty.array).peekable();
                let is_sized = sizes.peek().is_some() && sizes.all(|size| size.size.is_some());
                if !is_sized || name.name.starts_with("gl_") {
                    continue;
                }
                if !sized.insert(&name.name) {
                    self.complain(name.span, format!("`{}` is declared twice", name.name));
                }
            }
        }
    }
}

fn block_name(item: &Item) -> Option<(&str, &Ident)> {
    let Item::Declaration(Declaration::Block(block)) = item else { return None };
    Some((&*block.name.name, &block.name))
}

/// Names at global scope except those of blocks and their instances: of functions, variables and structs.
fn other_names(item: &Item) -> Vec<&Ident> {
    match item {
        Item::Function(prototype, _) | Item::Prototype(prototype) => vec![&prototype.name],
        Item::Declaration(Declaration::Variables { ty, declarators }) => {
            let mut names: Vec<_> = declarators.iter().map(|declarator| &declarator.name).collect();
            if let TypeName::Struct(definition) = &ty.ty.kind {
                names.extend(&definition.name);
            }
            names
        }
        Item::Declaration(
            Declaration::Block(_) | Declaration::Precision { .. } | Declaration::Requalify { .. },
        ) => Vec::new(),
    }
}

/// Names declared by the shader, except redeclarations of built-ins.
fn given_names(items: &[Item]) -> Vec<&Ident> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Function(prototype, body) => {
                names.push(&prototype.name);
                names.extend(
                    prototype.parameters.iter().filter_map(|parameter| parameter.name.as_ref()),
                );
                visit_statements(body, &mut |statement| {
                    if let StatementKind::Declaration(declaration) = &statement.kind
                        && let Declaration::Variables { declarators, .. } = &**declaration
                    {
                        names.extend(declarators.iter().map(|declarator| &declarator.name));
                    }
                });
            }
            Item::Prototype(prototype) => names.push(&prototype.name),
            Item::Declaration(Declaration::Variables { ty, .. }) => {
                if let TypeName::Struct(definition) = &ty.ty.kind {
                    names.extend(&definition.name);
                    names.extend(definition.members.iter().map(|member| &member.name));
                }
            }
            Item::Declaration(Declaration::Block(block)) => {
                if !["gl_PerVertex", "gl_PerFragment"].contains(&&*block.name.name) {
                    names.push(&block.name);
                    names.extend(block.instance.as_ref().map(|(name, _)| name));
                    names.extend(block.members.iter().map(|member| &member.name));
                }
            }
            Item::Declaration(Declaration::Precision { .. } | Declaration::Requalify { .. }) => {}
        }
    }
    names
}
