//! The size and the arguments of functions.

use std::path::PathBuf;

use syn::spanned::Spanned as _;
use syn::visit::Visit;

use crate::source::{Source, is_for_tests};

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Its file, relative to the folder of its package.
    pub file: PathBuf,
    /// The line of its name, from 1.
    pub line: usize,
    /// Number of lines from `fn` to the closing brace, with comments and empty ones.
    pub lines: usize,
    /// Number of arguments. `self` is one, and a tuple as many as it has elements.
    pub arguments: usize,
    /// True if an argument is a tuple or a reference to one.
    pub has_tuple: bool,
}

/// The functions of a file that are not for tests, without closures.
pub(crate) fn functions(source: &Source) -> Vec<Function> {
    let mut found = Found { file: source.path.clone(), functions: Vec::new() };
    if !source.is_for_tests {
        found.visit_file(&source.syntax);
    }
    found.functions
}

#[derive(Default)]
struct Found {
    file: PathBuf,
    functions: Vec<Function>,
}

impl Found {
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let types = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Receiver(_) => None,
            syn::FnArg::Typed(input) => Some(&*input.ty),
        });
        let types: Vec<_> = types.collect();
        let receivers = signature.inputs.len() - types.len();
        self.functions.push(Function {
            name: signature.ident.to_string(),
            file: self.file.clone(),
            line: signature.ident.span().start().line,
            lines: body.span().end().line - signature.span().start().line + 1,
            arguments: receivers + types.iter().copied().map(values).sum::<usize>(),
            has_tuple: types.into_iter().any(is_tuple),
        });
    }
}

/// Number of values in an argument of a type.
fn values(of: &syn::Type) -> usize {
    if let syn::Type::Reference(reference) = of {
        return values(&reference.elem);
    }
    if let syn::Type::Tuple(tuple) = of { tuple.elems.iter().map(values).sum() } else { 1 }
}

fn is_tuple(of: &syn::Type) -> bool {
    if let syn::Type::Reference(reference) = of {
        return is_tuple(&reference.elem);
    }
    matches!(of, syn::Type::Tuple(tuple) if !tuple.elems.is_empty())
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.add(&item.sig, &item.block);
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.add(&item.sig, &item.block);
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Function> {
        let mut found = Found::default();
        found.visit_file(&syn::parse_file(text).expect("it is Rust"));
        found.functions
    }

    #[test]
    fn a_tuple_counts_as_its_elements() {
        let text = "impl A {\n    fn f(&self, (a, b): &(X, Y), c: (Z, (Z, Z)), d: &[(X, Y)]) {\n    }\n}\n\
                    fn g(a: (), b: [X; 2]) {}\n";
        let [f, g] = &found(text)[..] else { panic!("it has two functions") };
        assert_eq!((f.arguments, f.has_tuple, f.line, f.lines), (7, true, 2, 2));
        assert_eq!((g.arguments, g.has_tuple, g.line, g.lines), (1, false, 5, 1));
    }

    #[test]
    fn tests_and_declarations_are_not_counted() {
        let text = "#[cfg(test)] mod t { fn a() {} } #[test] fn b() {} #[cfg(test)] impl A { fn c() {} }\n\
                    trait T { fn d(); fn e() {} } fn f() { fn g() {} }";
        let names: Vec<_> = found(text).into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["e", "f", "g"]);
    }
}
