//! Mutants of whole functions, which return at once, and of statements, which are removed.

use syn::spanned::Spanned;
use syn::{Block, Expr, ReturnType, Signature, Stmt, Type};

use crate::mutants::site::{Finder, IS, Site, one_line};

impl Finder<'_> {
    /// Makes the function return a simple value at once.
    pub(super) fn body(&mut self, signature: &Signature, block: &Block) {
        let start = block.brace_token.span.open().byte_range().end;
        if block.stmts.is_empty() {
            return;
        }
        for value in simple_values(&signature.output) {
            let statement = format!("return {value};").replace(" ;", ";");
            self.sites.push(Site {
                bytes: start..start,
                line: signature.span().start().line,
                within: self.within.join("::"),
                kind: "body",
                original: one_line(self.slice(signature.span())),
                mutated: statement.clone(),
                before: format!(" if {IS} {{ {statement} }}"),
                behind: String::new(),
            });
        }
    }

    /// Removes the statement.
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        let Stmt::Expr(expr, Some(_)) = stmt else { return };
        if has_only_effects(expr) {
            let before = format!("if !{IS} {{ ");
            self.around("statement", stmt.span(), "left out".to_owned(), before, " }");
        }
    }
}

/// Simple values that a function of this type can return.
fn simple_values(output: &ReturnType) -> Vec<&'static str> {
    let ReturnType::Type(_, output) = output else { return vec![""] };
    let Type::Path(path) = &**output else { return Vec::new() };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let is_result_of_nothing = || {
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
        let first = arguments.args.first();
        matches!(first, Some(syn::GenericArgument::Type(Type::Tuple(unit))) if unit.elems.is_empty())
    };
    match last.ident.to_string().as_str() {
        "bool" => vec!["true", "false"],
        "Option" => vec!["None"],
        "Vec" | "BTreeMap" | "BTreeSet" | "HashMap" | "HashSet" | "String" => {
            vec!["Default::default()"]
        }
        "usize" | "u8" | "u32" | "u64" | "i32" | "i64" => vec!["0", "1"],
        "Result" if is_result_of_nothing() => vec!["Ok(())"],
        _ => Vec::new(),
    }
}

fn has_only_effects(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Continue(_) => true,
        Expr::Break(expr) => expr.expr.is_none(),
        Expr::Binary(expr) => super::expression::is_assignment(&expr.op),
        Expr::Try(expr) => has_only_effects(&expr.expr),
        _ => false,
    }
}
