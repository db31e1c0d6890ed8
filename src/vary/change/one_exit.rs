//! Gives a function one exit: returns inside become a `break` of a loop that runs once, and the result goes through a
//! variable.
//!
//! Functions that return from inside a loop or `switch`, or in which invocations act together, are left alone, as are
//! entry points with a result.

use naga::{Block, Expression, Handle, Statement};

use crate::copy::{Change, Copy, Done};
use crate::facts::{Jumps, is_storable};

/// The change.
#[derive(Debug)]
pub(crate) struct OneExit {
    /// The variable for the result of the current function.
    result: Option<Handle<Expression>>,
    /// True while the current function has one exit.
    is_active: bool,
}

impl OneExit {
    /// The change.
    pub(crate) const fn new() -> Self {
        Self { result: None, is_active: false }
    }
}

impl Change for OneExit {
    fn begin(&mut self, _copy: &mut Copy<'_>) {
        *self = Self::new();
    }

    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let (true, Statement::Return { value }) = (self.is_active, statement) else {
            return Done::No;
        };
        if let (Some(value), Some(result)) = (value, self.result) {
            let value = copy.of(*value);
            copy.new.store(result, value);
        }
        copy.new.push(Statement::Break);
        Done::Replaced
    }

    fn block(&mut self, copy: &mut Copy<'_>, block: &[Statement]) -> Done {
        let is_body = std::ptr::eq(block, copy.old.body.as_ref());
        if self.is_active || !is_body || !fits(copy, block) || !copy.random.alters() {
            return Done::No;
        }
        let ty = copy.old.result.as_ref().map(|result| result.ty);
        self.result = ty.map(|ty| copy.variable(ty));
        self.is_active = true;
        copy.breakable += 1;
        copy.new.open_block();
        copy.statements(self, block);
        copy.new.push(Statement::Break);
        let body = copy.new.close_block();
        copy.breakable -= 1;
        self.is_active = false;
        copy.new.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        let value = self.result.map(|result| copy.new.load(result));
        copy.new.push(Statement::Return { value });
        Done::Replaced
    }
}

/// True if the function can have one exit.
fn fits(copy: &Copy<'_>, body: &[Statement]) -> bool {
    let types = &copy.new.module.types;
    let result = copy.old.result.as_ref();
    let is_free =
        result.is_none_or(|result| !copy.is_entry && is_storable(&types[result.ty].inner, types));
    // The last return alone is one exit already.
    let early = body.len().saturating_sub(1);
    let jumps = Jumps::of(body);
    let is_early = Jumps::of(&body[..early]).returns;
    is_free && is_early && !jumps.returns_from_inside && !copy.acts_together(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, varied};

    #[test]
    fn returns_become_breaks() {
        let text = "fn f(x: f32) -> f32 { if x > 0.5 { return 2.0; } return x; }
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { return vec4f(f(a.x)); }";
        check(&mut OneExit::new(), text, &["loop {", "local = 2f;\n            break;"]);
    }

    /// A `break` there would leave the inner loop only.
    #[test]
    fn returns_inside_loops_stay() {
        let text = "fn f(x: f32) -> f32 { loop { if x > 0.5 { return 2.0; } break; } return x; }
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { return vec4f(f(a.x)); }";
        assert_eq!(varied(&mut OneExit::new(), text).1, 0);
    }
}
