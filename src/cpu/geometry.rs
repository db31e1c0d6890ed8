//! Wired tessellation and geometry stages, which run before each draw.

mod strip;
pub(crate) mod wired;

use case::Case;
use case::state::{ProvokingVertex, StateChange};

pub(crate) use wired::{Draw, Emitted, WiredStages, rows};

/// Base vertex and base instance of the draw of a step.
pub(crate) fn bases(case: &Case, step: Option<usize>) -> [u32; 2] {
    let step = step.and_then(|step| case.steps.get(step));
    let draw = step.and_then(|step| step.value.draw());
    draw.map_or([0; 2], |draw| [draw.base_vertex.cast_unsigned(), draw.first_instance])
}

/// The provoking vertex that a case chose before a step.
pub(crate) fn chosen(case: &Case, step: usize) -> Option<ProvokingVertex> {
    let before = case.steps.iter().take(step).rev();
    let mut changes = before.filter_map(|step| match step.value.state() {
        Some(StateChange::ProvokingVertex(vertex)) => Some(*vertex),
        Some(_) | None => None,
    });
    changes.next()
}
