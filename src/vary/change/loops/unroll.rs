//! Two iterations of a loop become one: the body is there twice, with what continues the loop between.
//!
//! A condition that ends the loop becomes a `break` between the two. If the body has a `continue`, or ends in a jump, the
//! first copy is a loop that runs once: `continue` becomes its `break`, and a `break` also sets a flag.
//!
//! Large loops, and those in which invocations act together, are left alone. So are loops with a `continue` inside a
//! `switch`, and those with a `return` where invocations act together later.

use ir::builder::ends_in_jump;
use ir::operands::blocks;
use naga::{Block, Expression, Handle, Statement};

use crate::change::lists;
use crate::copy::{Change, Copy, Done, Rest};
use crate::facts::Jumps;

/// The change.
#[derive(Debug)]
pub(crate) struct Unroll {
    /// The first copy of a body, which is a loop of its own.
    first: Option<First>,
}

/// A body that is a loop that runs once.
#[derive(Clone, Copy, Debug)]
struct First {
    /// Number of loops and switches around its statements.
    depth: usize,
    /// The flag: whether the original loop ended.
    is_over: Handle<Expression>,
}

impl Unroll {
    /// The change.
    pub(crate) const fn new() -> Self {
        Self { first: None }
    }

    /// Copies the first body. Leaves the loop around it where the original does.
    fn write_first(&mut self, copy: &mut Copy<'_>, body: &Block) {
        if !needs_loop(body) {
            copy.block(self, body);
            return;
        }
        let is_over = copy.flag(false);
        copy.breakable += 1;
        let before = self.first.replace(First { depth: copy.breakable, is_over });
        let enclosed = copy.enclose(self, body);
        self.first = before;
        copy.breakable -= 1;
        copy.new.reopen_block(enclosed.block);
        copy.new.push(Statement::Break);
        let body = copy.new.close_block();
        copy.new.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        let is_over = copy.new.load(is_over);
        copy.break_if(is_over);
        copy.release(enclosed.escaping);
    }

    /// Replaces a jump out of a body that is a loop.
    fn jump(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let Some(first) = self.first.filter(|first| copy.breakable == first.depth) else {
            return Done::No;
        };
        if matches!(statement, Statement::Break) {
            copy.set(first.is_over, true);
        }
        copy.new.push(Statement::Break);
        Done::Replaced
    }
}

impl Change for Unroll {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        if matches!(statement, Statement::Break | Statement::Continue) {
            return self.jump(copy, statement);
        }
        let Statement::Loop { body, continuing, break_if } = statement else { return Done::No };
        if !fits(copy, statement, body) || !copy.random.alters() {
            return Done::No;
        }
        copy.breakable += 1;
        copy.new.open_block();
        self.write_first(copy, body);
        copy.block(self, continuing);
        if let Some(condition) = break_if {
            let condition = copy.of(*condition);
            copy.break_if(condition);
        }
        copy.block(self, body);
        let body = copy.new.close_block();
        copy.breakable -= 1;
        let rest = Rest { continuing, break_if: *break_if, is_over: None };
        copy.repeat(self, body, Vec::new(), &rest);
        Done::Replaced
    }
}

/// True if control does not always reach the end of the body.
fn needs_loop(body: &Block) -> bool {
    Jumps::of(body).continues || ends_in_jump(body)
}

/// True if the loop can be unrolled.
fn fits(copy: &Copy<'_>, whole: &Statement, body: &Block) -> bool {
    let list = std::slice::from_ref(whole);
    let leaves = Jumps::of(list).returns && copy.scene.collective.is_anywhere;
    let may_loop = || !continues_from_switch(body) && copy.can_enclose(body);
    lists::is_copyable(copy, list) && !leaves && (!needs_loop(body) || may_loop())
}

/// True if a `switch` has a `continue` of a loop around it. A `break` there would leave the `switch` only.
fn continues_from_switch(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| {
        if matches!(statement, Statement::Switch { .. }) {
            return Jumps::of(std::slice::from_ref(statement)).continues;
        }
        let is_loop = matches!(statement, Statement::Loop { .. });
        !is_loop && blocks(statement).into_iter().any(|block| continues_from_switch(block))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{text, varied};

    /// A stage with this loop.
    fn stage(text: &str) -> String {
        format!(
            "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {{
             var v = a.x; {text} return vec4f(v); }}"
        )
    }

    #[track_caller]
    fn unrolled(wgsl: &str) -> String {
        let (module, places) = varied(&mut Unroll::new(), &stage(wgsl));
        let text = text(&module);
        assert_eq!(places, 1, "{text}");
        text
    }

    #[test]
    fn an_iteration_has_the_body_twice() {
        let text = unrolled(
            "loop { if v > 9.0 { break; } v = v * 1.5; continuing { v = v + 0.25; break if v < 0.5; } }",
        );
        assert_eq!(text.matches("* 1.5f").count(), 2, "{text}");
        assert_eq!(text.matches("+ 0.25f").count(), 2, "{text}");
        assert_eq!(text.matches("loop {").count(), 1, "{text}");
        assert_eq!(text.matches("break if").count(), 1, "{text}");
        assert_eq!(text.matches("break;").count(), 3, "{text}");
    }

    #[test]
    fn the_first_continue_leaves_a_loop_of_its_own() {
        let text = unrolled(
            "loop { v = v * 1.5; if v > 9.0 { break; } if v > 5.0 { continue; } v = v + 1.0; }",
        );
        assert_eq!(text.matches("loop {").count(), 2, "{text}");
        assert_eq!(text.matches("continue;").count(), 1, "{text}");
        assert_eq!(text.matches("local = true;").count(), 1, "{text}");
        assert_eq!(text.matches("* 1.5f").count(), 2, "{text}");
    }

    /// A `break` there would leave the `switch` only.
    #[test]
    fn a_continue_inside_a_switch_stays() {
        let wgsl = stage(
            "loop { switch i32(v) { case 1: { v += 2.0; continue; } default: {} } if v > 9.0 { break; } v *= 2.0; }",
        );
        assert_eq!(varied(&mut Unroll::new(), &wgsl).1, 0);
    }

    #[test]
    fn barriers_stay_single() {
        let wgsl = "@compute @workgroup_size(4) fn main() {
            for (var i = 0; i < 4; i++) { workgroupBarrier(); } }";
        assert_eq!(varied(&mut Unroll::new(), wgsl).1, 0);
    }
}
