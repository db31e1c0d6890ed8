//! Puts statements into a `switch`.
//!
//! They become the `default` or the case of a selector that compilers cannot know. Another case, which never runs, has a
//! copy of them or nothing. Statements with a `break`, or in which invocations act together, are left alone.

use naga::{Block, Statement, SwitchCase, SwitchValue};

use crate::copy::{Change, Copy, Done};

use super::lists;

/// The change.
#[derive(Debug)]
pub(crate) struct Switch;

impl Change for Switch {
    fn block(&mut self, copy: &mut Copy<'_>, block: &[Statement]) -> Done {
        if copy.scene.zero.is_none() || copy.scene.collective.is_anywhere {
            return Done::No;
        }
        let Some(list) = lists::choose(copy, block, lists::is_switchable) else {
            return Done::No;
        };
        copy.statements(self, &block[..list.start]);
        let statements = &block[list.clone()];
        let Some(selector) = copy.zero() else { return Done::No };
        copy.breakable += 1;
        let live = copy.enclose(self, statements);
        let has_copy = copy.random.coin() && lists::is_copyable(copy, statements);
        let dead = if has_copy { copy.dead(self, statements) } else { Block::new() };
        copy.breakable -= 1;
        let is_default = copy.random.coin();
        let (chosen, other) = (live.block, dead);
        let number = if is_default { 1 + copy.random.below(9) } else { 0 };
        let (case, default) = if is_default { (other, chosen) } else { (chosen, other) };
        let case = SwitchCase { value: SwitchValue::U32(number), body: case, fall_through: false };
        let default =
            SwitchCase { value: SwitchValue::Default, body: default, fall_through: false };
        let is_first = copy.random.coin();
        let cases = if is_first { vec![case, default] } else { vec![default, case] };
        copy.new.push(Statement::Switch { selector, cases });
        copy.release(live.escaping);
        copy.statements(self, &block[list.end..]);
        Done::Replaced
    }
}

#[cfg(test)]
mod tests {
    use ir::operands::blocks;

    use super::*;
    use crate::tests::check;

    #[test]
    fn statements_are_in_a_switch() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = a; v.x = v.y * 2.0; let b = v.x + v.z; v = vec4f(b); return v; }";
        check(&mut Switch, text, &["switch _", "default: {"]);
    }

    /// True if a `switch` in `block` has a `break` of its own.
    fn has_break(block: &[Statement], is_switch: bool) -> bool {
        block.iter().any(|statement| {
            let is_loop = matches!(statement, Statement::Loop { .. });
            let is_switch =
                !is_loop && (is_switch || matches!(statement, Statement::Switch { .. }));
            let breaks = is_switch && matches!(statement, Statement::Break);
            breaks || blocks(statement).into_iter().any(|block| has_break(block, is_switch))
        })
    }

    #[test]
    fn a_break_stays_in_its_loop() {
        let text = "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
            var n = i; loop { n = n + 1u; if n > 3u { n = 0u; break; } n = n + 1u; } }";
        for seed in 0..16 {
            let (module, _) = crate::tests::varied_by(&mut Switch, text, seed);
            assert!(!has_break(&module.entry_points[0].function.body, false), "{seed}");
        }
    }
}
