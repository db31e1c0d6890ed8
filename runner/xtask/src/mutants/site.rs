//! Places where a file's code can be mutated, one mutant each.
//!
//! A mutant is text around a piece of the file: `a < b` becomes `(if IS { (a <= b) } else { (a < b) })`, where `IS`
//! tests whether the mutant is selected. So one build contains any number of mutants, which may be nested. Those that
//! do not compile (a swapped `+` of strings, say) are found by compiling.
//!
//! Excluded are test modules, constants and constant functions (nothing can be selected there at run time), patterns,
//! types, attributes, and code inside macros.

mod body;
mod expression;
#[cfg(test)]
mod tests;

use std::ops::Range;

use proc_macro2::Span;
use structure::source::is_for_tests;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Stmt};

/// Placeholder for the condition in [`Site::before`].
pub(crate) const IS: &str = "\u{1}";

/// Placeholder for the path of the module that selects mutants.
pub(crate) const SELECTOR: &str = "\u{2}";

/// One mutant of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// Byte range in the file; empty for an insertion.
    pub(crate) bytes: Range<usize>,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The function that contains it, after the type that it belongs to, if any.
    pub(crate) within: String,
    /// Kind of change.
    pub(crate) kind: &'static str,
    /// Original code, for people.
    pub(crate) original: String,
    /// Mutated code, for people.
    pub(crate) mutated: String,
    /// Text before and after, with [`IS`] for the condition.
    pub(crate) before: String,
    pub(crate) behind: String,
}

/// All sites in `text`, and the modules that it declares outside tests.
pub(crate) fn find(text: &str) -> Result<(Vec<Site>, Vec<String>), String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut finder = Finder { text, sites: Vec::new(), modules: Vec::new(), within: Vec::new() };
    finder.visit_file(&file);
    Ok((finder.sites, finder.modules))
}

struct Finder<'a> {
    text: &'a str,
    sites: Vec<Site>,
    modules: Vec<String>,
    /// Names of the enclosing types and functions.
    within: Vec<String>,
}

impl Finder<'_> {
    fn slice(&self, span: Span) -> &str {
        self.text.get(span.byte_range()).unwrap_or_default()
    }

    /// Replaces an expression by another one.
    fn replace(&mut self, kind: &'static str, span: Span, mutated: String) {
        let before = format!("(if {IS} {{ ({mutated}) }} else {{ (");
        self.around(kind, span, mutated, before, ") })");
    }

    /// Adds text before and after a span.
    fn around(&mut self, kind: &'static str, span: Span, to: String, before: String, behind: &str) {
        self.sites.push(Site {
            bytes: span.byte_range(),
            line: span.start().line,
            within: self.within.join("::"),
            kind,
            original: one_line(self.slice(span)),
            mutated: one_line(&to),
            before,
            behind: behind.to_owned(),
        });
    }

    /// Mutates a function's body, and the function as a whole.
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        self.within.push(signature.ident.to_string());
        self.body(signature, block);
        self.visit_block(block);
        self.within.pop();
    }

    /// Negates a condition, unless it binds names.
    fn negate(&mut self, kind: &'static str, condition: &Expr) {
        if binds(condition) {
            return;
        }
        let span = condition.span();
        let to = format!("!({})", self.slice(span));
        self.around(kind, span, to, format!("({IS} != ("), "))");
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        if item.content.is_none() {
            self.modules.push(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() && !is_for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() && !is_for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            let name = one_line(self.slice(item.self_ty.span()));
            self.within.push(name);
            visit::visit_item_impl(self, item);
            self.within.pop();
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.statement(stmt);
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.expression(expr);
        visit::visit_expr(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.negate("guard", guard);
        }
        visit::visit_arm(self, arm);
    }

    /// Visits only the element: the length is a constant.
    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
}

/// True if an operand of `&&` is a `let`.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
