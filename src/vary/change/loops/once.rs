//! Puts statements into a loop that runs once.
//!
//! The loop ends with `break`, or stops because of a condition that is always true. Statements with a `break` or
//! `continue` of an outer loop are left alone. So are those in which invocations act together, except in a loop that
//! ends with `break`, because its control flow is the same.

use ir::builder::ends_in_jump;
use naga::{Expression, Handle, Literal, Statement};

use crate::copy::{Change, Copy, Done};
use crate::facts::Jumps;

use crate::change::lists;

/// The change.
#[derive(Debug)]
pub(crate) struct Once;

impl Change for Once {
    fn block(&mut self, copy: &mut Copy<'_>, block: &[Statement]) -> Done {
        let Some(list) = lists::choose(copy, block, |copy, list| {
            let jumps = Jumps::of(list);
            !jumps.breaks && !jumps.continues && copy.can_enclose(list)
        }) else {
            return Done::No;
        };
        copy.statements(self, &block[..list.start]);
        copy.breakable += 1;
        let enclosed = copy.enclose(self, &block[list.clone()]);
        copy.breakable -= 1;
        let acts = copy.acts_together(&block[list.clone()]);
        let is_left = ends_in_jump(&enclosed.block);
        // The condition is evaluated where it is used: naga's writers take no values there from the body.
        copy.new.open_block();
        let break_if = if acts || is_left { None } else { end(copy) };
        let continuing = copy.new.close_block();
        copy.new.reopen_block(enclosed.block);
        if break_if.is_none() {
            copy.new.push(Statement::Break);
        }
        let body = copy.new.close_block();
        copy.new.push(Statement::Loop { body, continuing, break_if });
        copy.release(enclosed.escaping);
        copy.statements(self, &block[list.end..]);
        Done::Replaced
    }
}

/// A condition for the end of the loop; `None` for a `break`.
fn end(copy: &mut Copy<'_>) -> Option<Handle<Expression>> {
    match copy.random.below(3) {
        0 => None,
        1 => Some(copy.new.literal(Literal::Bool(true))),
        _ => copy.always(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    const TEXT: &str = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
        var v = a; v.x = v.y * 2.0; let b = v.x + v.z; v = vec4f(b); return v; }";

    #[test]
    fn statements_are_in_a_loop_that_ends() {
        check(&mut Once, TEXT, &["loop {", "break"]);
    }

    /// A `break` would leave another loop.
    #[test]
    fn jumps_of_an_outer_loop_stay_there() {
        let text = "@compute @workgroup_size(1) fn main() { loop { break; } }";
        let (_, places) = crate::tests::varied(&mut Once, text);
        assert_eq!(places, 1, "only the whole loop");
    }
}
