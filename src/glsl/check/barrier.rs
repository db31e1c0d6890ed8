//! Checks where `barrier()` is called in a tessellation control stage (GLSL 4.60 section 8.16): only in `main`, outside
//! of any control flow, and before any `return`.

use crate::ast::{Block, ExprKind, Item, Prototype, Statement, StatementKind};
use crate::scan;
use ir::source::Span;
use ir::stage::ShaderStage;

use super::Checker;

impl Checker<'_> {
    /// Checks every `barrier()` of a function in a control stage.
    pub(super) fn check_barriers(&mut self, prototype: &Prototype, body: &Block) {
        if self.stage != ShaderStage::TessellationControl || self.has_own_barrier() {
            return;
        }
        let is_main = prototype.name.name == "main";
        let (mut plain, mut all) = (Vec::new(), Vec::new());
        collect_plain(&body.statements, &mut plain);
        let mut first_return: Option<Span> = None;
        scan::visit_statements(body, &mut |statement| {
            if matches!(statement.kind, StatementKind::Return(_)) {
                first_return.get_or_insert(statement.span);
            }
            for part in scan::parts(statement) {
                if let scan::Part::Expr(expr) = part {
                    scan::visit_expr(expr, &mut |inner| {
                        if is_barrier(&inner.kind) {
                            all.push(inner.span);
                        }
                    });
                }
            }
        });
        for span in all {
            let is_late = first_return.is_some_and(|first| first.start < span.start);
            let message = if !is_main {
                "`barrier` is only allowed in `main`"
            } else if !plain.contains(&span) {
                "`barrier` is not allowed in control flow"
            } else if is_late {
                "`barrier` is not allowed after `return`"
            } else {
                continue;
            };
            self.complain(span, message);
        }
    }

    /// True if the shader declares its own function `barrier`, which hides the built-in one.
    fn has_own_barrier(&self) -> bool {
        self.unit.items.iter().any(|item| match item {
            Item::Function(prototype, _) | Item::Prototype(prototype) => {
                prototype.name.name == "barrier"
            }
            Item::Declaration(_) => false,
        })
    }
}

/// Collects the calls of `barrier` that are separate statements outside of any control flow.
fn collect_plain(statements: &[Statement], found: &mut Vec<Span>) {
    for statement in statements {
        if let StatementKind::Block(block) = &statement.kind {
            collect_plain(&block.statements, found);
        } else if let StatementKind::Expr(expr) = &statement.kind
            && is_barrier(&expr.kind)
        {
            found.push(expr.span);
        }
    }
}

fn is_barrier(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Call(name, arguments) if name.name == "barrier" && arguments.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use ir::stage::ShaderStage::{Compute, TessellationControl};

    #[test]
    fn barriers_of_a_control_stage_are_met_by_all() {
        let check_main = |body: &str, expected: &str| {
            let text = format!("layout(vertices = 3) out; void main() {{ {body} }}");
            check("400", TessellationControl, &text, expected);
        };
        check_main("barrier(); { barrier(); } return;", "");
        let flow = "`barrier` is not allowed in control flow [barrier()]";
        check_main("if (gl_InvocationID == 0) barrier();", flow);
        check_main("for (int i = 0; i < 2; ++i) { barrier(); }", flow);
        check_main("switch (1) { case 1: barrier(); }", flow);
        let late = "`barrier` is not allowed after `return` [barrier()]";
        check_main("if (gl_InvocationID == 0) return; barrier();", late);
        let text = "layout(vertices = 3) out; void f() { barrier(); } void main() { f(); }";
        let outside = "`barrier` is only allowed in `main` [barrier()]";
        check("400", TessellationControl, text, outside);
        let own =
            "layout(vertices = 3) out; void barrier() {} void main() { if (true) barrier(); }";
        check("400", TessellationControl, own, "");
        check("430", Compute, "void f() { if (true) barrier(); }", "");
    }
}
