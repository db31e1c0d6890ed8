//! State of patches: number of vertices, and levels without a control stage (OpenGL 4.6, section 10.1.15).

use ir::tessellation::TessellationLevels;

use crate::Step;
use crate::state::{PatchChange, StateChange};

/// State of patches at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchState {
    /// Vertices of a patch.
    pub vertices: u32,
    /// Levels of patches without a control stage.
    pub levels: TessellationLevels,
}

impl Default for PatchState {
    /// GL's initial state: patches of three vertices, and levels of 1.
    fn default() -> Self {
        Self { vertices: 3, levels: TessellationLevels::default() }
    }
}

/// Vertices of the patch that `draw rect patch` draws.
pub const RECT_VERTICES: u32 = 4;

impl PatchState {
    /// Applies the changes of a step. Applied to all steps up to a draw and to the draw itself, it gives the state of
    /// the draw: `draw rect patch` sets the number of vertices, and as in piglit later draws keep it.
    pub fn apply(&mut self, step: &Step) {
        match step.state() {
            Some(StateChange::Patch(PatchChange::Vertices(vertices))) => self.vertices = *vertices,
            Some(StateChange::Patch(PatchChange::OuterLevels(outer))) => self.levels.outer = *outer,
            Some(StateChange::Patch(PatchChange::InnerLevels(inner))) => self.levels.inner = *inner,
            Some(_) | None => {}
        }
        if step.draw().is_some_and(|draw| draw.is_patch) {
            self.vertices = RECT_VERTICES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Draw, DrawShape, Setting};

    #[test]
    fn a_rect_as_a_patch_sets_the_number_of_vertices() {
        let mut state = PatchState::default();
        let change = |change| Step::Set(Setting::State(StateChange::Patch(change)));
        state.apply(&change(PatchChange::InnerLevels([2.0, 3.0])));
        state.apply(&change(PatchChange::Vertices(7)));
        let rect = Draw::once(DrawShape::Rect([0.0; 4]));
        state.apply(&Step::Run(Action::Draw(rect.clone())));
        assert_eq!((state.vertices, state.levels.inner), (7, [2.0, 3.0]));
        state.apply(&Step::Run(Action::Draw(Draw { is_patch: true, ..rect })));
        assert_eq!((state.vertices, state.levels.outer), (4, [1.0; 4]));
    }
}
