//! Gives the first iteration of a loop its own copy of the body: a condition chooses the copy.
//!
//! Large bodies, and those in which invocations act together, are left alone.

use naga::{Expression, Statement};

use crate::copy::{Change, Copy, Done, Rest};

use crate::change::lists;

/// The change.
#[derive(Debug)]
pub(crate) struct Peel;

impl Change for Peel {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let Statement::Loop { body, continuing, break_if } = statement else { return Done::No };
        let fits = lists::is_copyable(copy, body) && copy.can_enclose(body);
        if !fits || !copy.random.alters() {
            return Done::No;
        }
        let is_first = copy.flag(true);
        copy.breakable += 1;
        copy.new.open_block();
        let condition = copy.new.emit(Expression::Load { pointer: is_first });
        copy.set(is_first, false);
        let first = copy.enclose(self, body);
        let others = copy.enclose_again(self, body, &first);
        copy.new.push(Statement::If { condition, accept: first.block, reject: others });
        let body = copy.new.close_block();
        copy.breakable -= 1;
        let rest = Rest { continuing, break_if: *break_if, is_over: None };
        copy.repeat(self, body, first.escaping, &rest);
        Done::Replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, varied};

    #[test]
    fn the_body_is_there_twice() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = a.x; loop { if v > 9.0 { break; } v = v * 1.5; continuing { break if v < 0.5; } }
            return vec4f(v); }";
        let (module, places) = varied(&mut Peel, text);
        assert_eq!(places, 1);
        assert_eq!(crate::tests::text(&module).matches("* 1.5f").count(), 2);
        check(&mut Peel, text, &["local = true;", "local = false;"]);
    }

    #[test]
    fn barriers_stay_single() {
        let text = "@compute @workgroup_size(4) fn main() {
            for (var i = 0; i < 4; i++) { workgroupBarrier(); } }";
        assert_eq!(varied(&mut Peel, text).1, 0);
    }
}
