//! `if (c) A else B` becomes `if (!c) B else A`.

use naga::{Expression, Statement, UnaryOperator};

use crate::copy::{Change, Copy, Done};

/// The change.
#[derive(Debug)]
pub(crate) struct Flip;

impl Change for Flip {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let Statement::If { condition, accept, reject } = statement else { return Done::No };
        if !copy.random.alters() {
            return Done::No;
        }
        let expr = copy.of(*condition);
        let op = UnaryOperator::LogicalNot;
        let condition = copy.new.emit(Expression::Unary { op, expr });
        let accept = copy.nested(self, accept);
        let reject = copy.nested(self, reject);
        copy.new.push(Statement::If { condition, accept: reject, reject: accept });
        Done::Replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn branches_are_exchanged() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = a; if a.x > 0.5 { v.x = 7.0; } else { v.y = 9.0; } return v; }";
        check(
            &mut Flip,
            text,
            &["if !((a.x > 0.5f)) {\n        v.y = 9f;", "else {\n        v.x = 7f;"],
        );
    }
}
