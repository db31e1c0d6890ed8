//! Adds statements behind a condition that is never true.
//!
//! They are a copy of the statements that follow. Half of their stores go to fresh variables, the others to the variables
//! of the original: compilers must keep both, because they cannot know the condition. A jump may end them, unless
//! invocations act together anywhere in the module: after the jump, compilers must assume that some are missing.

use naga::{Block, Expression, ShaderStage, Statement};

use crate::copy::{Change, Copy, Done};
use crate::facts::Jumps;

use super::lists;

/// The change.
#[derive(Debug)]
pub(crate) struct DeadCode {
    /// True while statements that never run are copied.
    is_dead: bool,
    /// True if the stores of these statements go to fresh variables.
    is_redirected: bool,
}

impl DeadCode {
    /// The change.
    pub(crate) const fn new() -> Self {
        Self { is_dead: false, is_redirected: false }
    }

    /// Adds the statements, or a jump alone.
    fn add(&mut self, copy: &mut Copy<'_>, statements: &[Statement]) {
        let Some(condition) = copy.never() else { return };
        self.is_dead = true;
        self.is_redirected = copy.random.coin();
        let accept = copy.dead(self, statements);
        self.is_dead = false;
        copy.new.reopen_block(accept);
        if !copy.scene.collective.is_anywhere && copy.random.coin() {
            jump(copy);
        }
        let accept = copy.new.close_block();
        copy.new.push(Statement::If { condition, accept, reject: Block::new() });
    }
}

/// Ends the current block with a jump.
fn jump(copy: &mut Copy<'_>) {
    match copy.random.below(3) {
        0 if copy.breakable > 0 => copy.new.push(Statement::Break),
        1 if copy.scene.stage == ShaderStage::Fragment => copy.new.push(Statement::Kill),
        _ => {
            let ty = copy.old.result.as_ref().map(|result| result.ty);
            let value = ty.map(|ty| copy.new.emit(Expression::ZeroValue(ty)));
            copy.new.push(Statement::Return { value });
        }
    }
}

impl Change for DeadCode {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let Statement::Store { value, .. } = statement else { return Done::No };
        let is_kept = !self.is_dead || !self.is_redirected || !copy.is_storable(*value);
        if is_kept {
            return Done::No;
        }
        let fresh = copy.variable_for(*value);
        let value = copy.of(*value);
        copy.new.store(fresh, value);
        Done::Replaced
    }

    fn block(&mut self, copy: &mut Copy<'_>, block: &[Statement]) -> Done {
        if self.is_dead || copy.scene.zero.is_none() {
            return Done::No;
        }
        let fits = |copy: &Copy<'_>, list: &[Statement]| {
            let leaves = Jumps::of(list) != Jumps::default();
            lists::is_copyable(copy, list) && !(leaves && copy.scene.collective.is_anywhere)
        };
        let Some(list) = lists::choose(copy, block, fits) else { return Done::No };
        copy.statements(self, &block[..list.start]);
        self.add(copy, &block[list.clone()]);
        copy.statements(self, &block[list.start..]);
        Done::Replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_copy_of_statements_never_runs() {
        let text = "var<private> p: f32;
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            p = a.x; p = p + a.y; return vec4f(p); }";
        check(&mut DeadCode::new(), text, &["if (", "vary_zero"]);
    }

    /// Derivatives are undefined if neighbours may have left.
    #[test]
    fn nothing_leaves_a_stage_with_derivatives() {
        let text = "var<private> p: f32;
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            p = a.x; p = p + a.y; return dpdx(a) + p; }";
        let mut all = 0;
        for seed in 0..16 {
            let (module, places) = crate::tests::varied_by(&mut DeadCode::new(), text, seed);
            let text = crate::tests::text(&module);
            assert_eq!(text.matches("return").count(), 1, "{text}");
            assert!(!text.contains("discard"), "{text}");
            all += places;
        }
        assert!(all > 0);
    }
}
