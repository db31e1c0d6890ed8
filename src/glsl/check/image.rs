//! Images that are arguments of calls (GLSL 4.60 section 4.10).

use std::collections::HashMap;

use crate::ast::{
    Block, Declaration, Expr, ExprKind, Ident, Item, MemoryWord, Parameter, Prototype,
    QualifiedType, TypeName,
};
use crate::scan;
use ir::source::Span;

use super::{Checker, is_image};

/// Memory qualifiers that a parameter cannot leave out, with their words.
const KEPT: [(MemoryWord, &str); 4] = [
    (MemoryWord::Coherent, "coherent"),
    (MemoryWord::Volatile, "volatile"),
    (MemoryWord::ReadOnly, "readonly"),
    (MemoryWord::WriteOnly, "writeonly"),
];

/// The images of a shader by name, and its functions by name.
struct Images<'a> {
    globals: HashMap<&'a str, &'a QualifiedType>,
    functions: HashMap<&'a str, Vec<&'a Prototype>>,
}

/// A memory qualifier that an image loses as an argument.
struct Loss {
    span: Span,
    image: String,
    word: &'static str,
}

impl Checker<'_> {
    /// Checks that no image loses a memory qualifier as the argument of a function. If functions of one name differ,
    /// the call is wrong only if all that accept an image of this type leave out the qualifier.
    pub(super) fn check_image_arguments(&mut self) {
        let unit = self.unit;
        let images = Images::of(&unit.items);
        let mut lost = Vec::new();
        for item in &unit.items {
            if let Item::Function(prototype, body) = item {
                images.visit(prototype, body, self.kept(), &mut lost);
            }
        }
        for Loss { span, image, word } in lost {
            let message = format!("the image `{image}` is `{word}` and the parameter is not");
            self.complain(span, message);
        }
    }

    /// The memory qualifiers that a parameter must keep. Newer versions let it leave out `restrict`.
    fn kept(&self) -> Vec<(MemoryWord, &'static str)> {
        let restrict = (MemoryWord::Restrict, "restrict");
        let is_kept = !self.is_from(440, 100);
        KEPT.into_iter().chain(is_kept.then_some(restrict)).collect()
    }
}

impl<'a> Images<'a> {
    fn of(items: &'a [Item]) -> Self {
        let mut found = Self { globals: HashMap::new(), functions: HashMap::new() };
        for item in items {
            match item {
                Item::Function(prototype, _) | Item::Prototype(prototype) => {
                    found.functions.entry(&*prototype.name.name).or_default().push(prototype);
                }
                Item::Declaration(Declaration::Variables { ty, declarators }) => {
                    let names = declarators.iter().map(|declarator| &*declarator.name.name);
                    found.globals.extend(names.map(|name| (name, ty)));
                }
                Item::Declaration(
                    Declaration::Block(_)
                    | Declaration::Precision { .. }
                    | Declaration::Requalify { .. },
                ) => {}
            }
        }
        found
    }

    /// Finds the losses in a function.
    fn visit(
        &self,
        prototype: &Prototype,
        body: &Block,
        kept: Vec<(MemoryWord, &'static str)>,
        lost: &mut Vec<Loss>,
    ) {
        scan::visit_body(body, &mut |expr| {
            let ExprKind::Call(name, arguments) = &expr.kind else { return };
            for (idx, argument) in arguments.iter().enumerate() {
                let Some((image, ty)) = self.image(prototype, argument) else { continue };
                let parameters = self.parameters(name, idx, arguments.len(), ty);
                let is_lost = |(word, _): &&(MemoryWord, &str)| {
                    ty.qualifiers.memory.contains(word)
                        && !parameters.is_empty()
                        && parameters.iter().all(|own| !own.ty.qualifiers.memory.contains(word))
                };
                if let Some((_, word)) = kept.iter().find(is_lost) {
                    lost.push(Loss { span: argument.span, image: image.to_owned(), word });
                }
            }
        });
    }

    /// The image that an argument names, or one of whose elements it names.
    fn image<'e>(
        &'e self,
        within: &'e Prototype,
        argument: &'e Expr,
    ) -> Option<(&'e str, &'e QualifiedType)> {
        let mut expr = argument;
        while let ExprKind::Index(base, _) = &expr.kind {
            expr = base;
        }
        let ExprKind::Variable(name) = &expr.kind else { return None };
        let is_it = |own: &&Parameter| own.name.as_ref().is_some_and(|own| own.name == *name);
        let parameter = within.parameters.iter().find(is_it).map(|own| &own.ty);
        let ty = parameter.or_else(|| self.globals.get(&**name).copied())?;
        matches!(&ty.ty.kind, TypeName::Named(word) if is_image(word)).then_some((&**name, ty))
    }

    /// The parameters with this index of all functions of this name that accept the image.
    fn parameters(
        &self,
        name: &Ident,
        idx: usize,
        count: usize,
        ty: &QualifiedType,
    ) -> Vec<&'a Parameter> {
        let all = self.functions.get(&*name.name).into_iter().flatten();
        let fitting = all.filter(|function| function.parameters.len() == count);
        let parameters = fitting.filter_map(|function| function.parameters.get(idx));
        parameters.filter(|own| own.ty.ty.kind == ty.ty.kind).collect()
    }
}
