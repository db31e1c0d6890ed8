//! Chooses statements of a block to be replaced together.

use std::ops::Range;

use naga::Statement;

use crate::copy::Copy;
use crate::facts::{Jumps, size};

/// Maximum size of statements that are copied a second time.
pub(super) const MAX_SIZE: usize = 120;

/// Chooses a list of at least one statement of `block` for which `fits` is true; `None` if the block stays as it is. The
/// last statement of an entry point's body is never chosen.
pub(super) fn choose(
    copy: &mut Copy<'_>,
    block: &[Statement],
    fits: impl Fn(&Copy<'_>, &[Statement]) -> bool,
) -> Option<Range<usize>> {
    let is_body = copy.is_entry && std::ptr::eq(block, copy.old.body.as_ref());
    let end = if is_body { block.len().saturating_sub(1) } else { block.len() };
    if end == 0 {
        return None;
    }
    // A few attempts at random: most lists of most blocks fit.
    for _ in 0..4 {
        let start = copy.random.index(end);
        let list = start..start + 1 + copy.random.index(end - start);
        let statements = &block[list.clone()];
        if has_effect(statements) && fits(copy, statements) {
            return copy.random.alters().then_some(list);
        }
    }
    None
}

/// True if the list does more than to evaluate expressions or to jump.
fn has_effect(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| {
        !matches!(
            statement,
            Statement::Emit(_)
                | Statement::Return { .. }
                | Statement::Break
                | Statement::Continue
                | Statement::Kill
        )
    })
}

/// True if the list can be copied a second time: it is small, and invocations do not act together in it.
pub(super) fn is_copyable(copy: &Copy<'_>, statements: &[Statement]) -> bool {
    size(statements) <= MAX_SIZE && !copy.acts_together(statements)
}

/// True if the list can be put into a `switch`, where a `break` would have another meaning.
pub(super) fn is_switchable(copy: &Copy<'_>, statements: &[Statement]) -> bool {
    !Jumps::of(statements).breaks && !copy.acts_together(statements) && copy.can_enclose(statements)
}
