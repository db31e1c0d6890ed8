//! Array sizes, and comma operators that are not allowed in constant expressions (GLSL 4.60 section 4.3.3, ES 3.00
//! section 12.43).

use crate::ast::{ArraySize, Declarator, Expr, ExprKind, Initializer, QualifiedType};
use crate::scan;

use super::{Checker, is_vertex_array};

impl Checker<'_> {
    /// Checks that array sizes are constants.
    pub(super) fn check_sizes(&mut self, sizes: &[ArraySize]) {
        for size in sizes.iter().filter_map(|size| size.size.as_ref()) {
            self.check_constant(size);
        }
    }

    /// Checks that an array in ES has a size, or an initialiser that gives it one (GLSL ES 3.20 section 4.1.9).
    pub(super) fn check_es_size(&mut self, ty: &QualifiedType, declarator: &Declarator) {
        let is_vertex_array = is_vertex_array(self.stage, &ty.qualifiers);
        let sizes = declarator.array.iter().chain(&ty.ty.array);
        let mut sizes = sizes.skip(usize::from(is_vertex_array));
        let is_open = sizes.any(|size| size.size.is_none());
        if self.version.is_es && is_open && declarator.initializer.is_none() {
            let message = format!("the array `{}` needs a size in GLSL ES", declarator.name.name);
            self.complain(declarator.name.span, message);
        }
    }

    /// Checks that in ES 3.00 the initialiser of a global, or of a constant, has no comma operator.
    pub(super) fn check_sequence(&mut self, initializer: Option<&Initializer>) {
        let is_checked = self.version.is_es && self.version.number >= 300;
        if let (true, Some(Initializer::Expr(expr))) = (is_checked, initializer) {
            self.check_constant(expr);
        }
    }

    /// Checks that no part of a constant is a comma operator or an assignment.
    pub(super) fn check_constant(&mut self, expr: &Expr) {
        let has_sequences = self.version.is_es && self.version.number < 300;
        let mut found = None;
        scan::visit_expr(expr, &mut |part| {
            let has_effect = matches!(part.kind, ExprKind::Assign(..) | ExprKind::Increment { .. });
            let is_wrong = has_effect || matches!(part.kind, ExprKind::Comma(..)) && !has_sequences;
            if is_wrong {
                found.get_or_insert(part.span);
            }
        });
        if let Some(span) = found {
            self.complain(span, "this is not a constant expression");
        }
    }
}
