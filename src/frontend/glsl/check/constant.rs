//! Where the comma operator makes an expression no constant (GLSL 4.60 section 4.3.3, ES 3.00 section 12.43).

use super::Checker;
use crate::frontend::glsl::ast::{ArraySize, Expr, ExprKind};
use crate::frontend::glsl::scan;

impl Checker<'_> {
    /// Sizes of arrays are constants.
    pub(super) fn check_sizes<'e>(&mut self, sizes: impl Iterator<Item = &'e ArraySize>) {
        for size in sizes.filter_map(|size| size.size.as_ref()) {
            self.check_constant(size);
        }
    }

    /// No part of a constant is a sequence or an assignment.
    pub(super) fn check_constant(&mut self, expr: &Expr) {
        let mut found = None;
        scan::visit_expr(expr, &mut |part| {
            let is_wrong = matches!(
                part.kind,
                ExprKind::Comma(..) | ExprKind::Assign(..) | ExprKind::Increment { .. }
            );
            if is_wrong {
                found.get_or_insert(part.span);
            }
        });
        if let Some(span) = found {
            self.complain(span, "this is no constant expression");
        }
    }
}
