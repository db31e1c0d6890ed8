//! Mutants of expressions: operators, literals, conditions, and methods that have an opposite.

use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprMethodCall, Lit, UnOp};

use crate::mutants::site::{Finder, IS, SELECTOR, binds};

/// Methods and their opposites, which have the same type.
const OPPOSITES: [(&str, &str); 10] = [
    ("min", "max"),
    ("min_by_key", "max_by_key"),
    ("min_by", "max_by"),
    ("any", "all"),
    ("first", "last"),
    ("is_some_and", "is_none_or"),
    ("next", "last"),
    ("position", "rposition"),
    ("floor", "ceil"),
    ("union", "intersection"),
];

/// Methods with a predicate; a predicate that is always true selects everything.
const FILTERS: [&str; 8] = [
    "filter",
    "retain",
    "find",
    "take_while",
    "skip_while",
    "position",
    "partition",
    "is_some_and",
];

/// Methods with a Boolean result, besides those that begin with `is_`.
const QUESTIONS: [&str; 6] = ["contains", "contains_key", "starts_with", "ends_with", "any", "all"];

impl Finder<'_> {
    pub(super) fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(binary) => {
                let [left, right] =
                    [&binary.left, &binary.right].map(|side| self.slice(side.span()));
                if let Some((kind, other)) = opposite(&binary.op).filter(|_| !binds(expr)) {
                    let mutated = format!("{left} {other} {right}");
                    self.replace(kind, expr.span(), mutated);
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let mutated = self.slice(unary.expr.span()).to_owned();
                self.replace("not", expr.span(), mutated);
            }
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::If(expr) => self.negate("condition", &expr.cond),
            Expr::While(expr) => self.negate("condition", &expr.cond),
            Expr::MethodCall(call) => {
                self.opposite_method(call);
                self.argument(call);
            }
            Expr::Call(call) => {
                if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) {
                    self.replace("some", call.span(), "None".to_owned());
                }
            }
            _ => {}
        }
    }

    fn literal(&mut self, literal: &Lit) {
        match literal {
            Lit::Bool(literal) => {
                let other = if literal.value { "false" } else { "true" };
                self.replace("boolean", literal.span, other.to_owned());
            }
            Lit::Int(literal) => {
                let Ok(value) = literal.base10_parse::<u64>() else { return };
                let others = [value.checked_add(1), value.checked_sub(1)];
                for other in others.into_iter().flatten() {
                    self.replace("number", literal.span(), format!("{other}{}", literal.suffix()));
                }
            }
            _ => {}
        }
    }

    /// Replaces the method by its opposite, or negates its result.
    fn opposite_method(&mut self, call: &ExprMethodCall) {
        let (name, span) = (call.method.to_string(), call.span());
        let receiver = self.slice(call.receiver.span());
        let rest = self.text.get(call.method.span().byte_range().end..span.byte_range().end);
        let rest = rest.unwrap_or_default();
        let pair = OPPOSITES.iter().find(|(one, other)| *one == name || *other == name);
        if let Some((one, other)) = pair {
            let other = if *one == name { other } else { one };
            self.replace("opposite", span, format!("{receiver}.{other}{rest}"));
        }
        if name.starts_with("is_") || QUESTIONS.contains(&name.as_str()) {
            let to = format!("!{}", self.slice(span));
            self.around("question", span, to, format!("({IS} != "), ")");
        }
    }

    /// Changes an argument of a method.
    fn argument(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        match call.args.first() {
            Some(Expr::Closure(closure)) if FILTERS.contains(&name.as_str()) => {
                if matches!(closure.output, syn::ReturnType::Default) {
                    let before = format!("({IS} || (");
                    self.around("filter", closure.body.span(), "true".to_owned(), before, "))");
                }
            }
            Some(chained) if name == "chain" => {
                let before = "(IntoIterator::into_iter(".to_owned();
                let behind = format!(").take(if {IS} {{ 0 }} else {{ usize::MAX }}))");
                self.around("chain", chained.span(), "nothing".to_owned(), before, &behind);
            }
            None if name == "rev" => {
                // Reversing twice changes nothing.
                let span = call.receiver.span();
                let to = format!("{}.rev()", self.slice(span));
                let before = format!("{SELECTOR}::reversed_if({IS}, ");
                self.around("rev", span, to, before, ")");
            }
            Some(_) | None => {}
        }
    }
}

/// Replacement for an operator, with the kind of change.
fn opposite(operator: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        BinOp::Lt(_) => ("comparison", "<="),
        BinOp::Le(_) => ("comparison", "<"),
        BinOp::Gt(_) => ("comparison", ">="),
        BinOp::Ge(_) => ("comparison", ">"),
        BinOp::Eq(_) => ("comparison", "!="),
        BinOp::Ne(_) => ("comparison", "=="),
        BinOp::Add(_) => ("arithmetic", "-"),
        BinOp::Sub(_) => ("arithmetic", "+"),
        BinOp::Div(_) => ("arithmetic", "*"),
        BinOp::Mul(_) | BinOp::Rem(_) => ("arithmetic", "/"),
        BinOp::And(_) => ("logic", "||"),
        BinOp::Or(_) => ("logic", "&&"),
        BinOp::BitAnd(_) | BinOp::BitXor(_) => ("bits", "|"),
        BinOp::BitOr(_) => ("bits", "&"),
        BinOp::Shl(_) => ("bits", ">>"),
        BinOp::Shr(_) => ("bits", "<<"),
        BinOp::AddAssign(_) => ("arithmetic", "-="),
        BinOp::SubAssign(_) => ("arithmetic", "+="),
        BinOp::MulAssign(_) => ("arithmetic", "/="),
        BinOp::DivAssign(_) => ("arithmetic", "*="),
        BinOp::BitOrAssign(_) => ("bits", "&="),
        BinOp::BitAndAssign(_) => ("bits", "|="),
        _ => return None,
    })
}

/// True for a compound assignment.
pub(super) fn is_assignment(operator: &BinOp) -> bool {
    use BinOp::{AddAssign, BitAndAssign, BitOrAssign, DivAssign, MulAssign, SubAssign};
    matches!(
        operator,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | BitOrAssign(_)
            | BitAndAssign(_)
    )
}
