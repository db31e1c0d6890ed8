//! The parts of an interface, of which each crosses by itself: what there is for each vertex, and what for each patch.

use crate::geometry::built_in;
use ir::interface::Variable;
use ir::tessellation::{INNER_LEVELS, OUTER_LEVELS};

/// True for the built-in variables that hold the levels of a patch.
pub(crate) fn is_level(name: &str) -> bool {
    [OUTER_LEVELS, INNER_LEVELS].contains(&name)
}

/// The variables for matching: what is not of this kind, and what crosses as a built-in, counts as unused, has no place,
/// and meets nothing.
pub(super) fn only(variables: &[Variable], is_patch: bool, side: &str) -> Vec<Variable> {
    let shown = |variable: &Variable| {
        if variable.is_patch == is_patch && !is_level(&variable.name) {
            return built_in::hidden(variable);
        }
        Variable {
            name: format!("other {side} {}", variable.name),
            location: None,
            component: None,
            is_used: false,
            is_statically_used: false,
            is_block_member: false,
            ..variable.clone()
        }
    };
    variables.iter().map(shown).collect()
}
