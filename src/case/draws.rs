//! State that all draws of a case share, because the program is linked once.

use crate::patch::PatchState;
use crate::state::output::OutputState;
use crate::state::{Capability, ClampedStage, StateChange};
use crate::{Action, Case, Step};
use ir::diagnostic::Unsupported;
use ir::format::FormatClass;
use ir::options::{ColorState, DRAW_BUFFERS};

/// Format class of each draw buffer over all draws of `case`, for the linker, which links a program once. Without a
/// draw, the classes are those of the initial state.
///
/// # Errors
/// The base type of a draw buffer changes between draws; the text names the unsupported change.
pub fn draw_buffer_classes(case: &Case) -> Result<Vec<Option<FormatClass>>, Unsupported> {
    let mut state = OutputState::default();
    let mut found: Option<[Option<FormatClass>; DRAW_BUFFERS]> = None;
    for step in &case.steps {
        if let Some(StateChange::Output(change)) = step.value.state() {
            state.apply(change);
        }
        if !matches!(step.value, Step::Run(Action::Draw(_))) {
            continue;
        }
        let all = found.get_or_insert_default();
        for (known, class) in all.iter_mut().zip(classes(case, &state)) {
            if let (Some(one), Some(other)) = (*known, class)
                && one != other
            {
                let word = "draw buffers whose base type changes between draws";
                return Err(Unsupported::from(word));
            }
            *known = known.or(class);
        }
    }
    let all = found.unwrap_or_else(|| classes(case, &OutputState::default()));
    let count = all.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    Ok(all[..count].to_vec())
}

fn classes(case: &Case, state: &OutputState) -> [Option<FormatClass>; DRAW_BUFFERS] {
    state.targets().map(|target| {
        let declared = case.render_targets.iter().find(|known| Some(known.index) == target);
        declared.map(|known| known.format.class())
    })
}

/// Number of clip planes: one more than the highest that `case` ever enables.
pub fn clip_planes(case: &Case) -> u32 {
    let enabled = case.state_changes().filter_map(|change| {
        let StateChange::Switch { capability: Capability::ClipPlane(plane), is_enabled: true } =
            change
        else {
            return None;
        };
        Some(u32::from(*plane) + 1)
    });
    enabled.max().unwrap_or(0)
}

/// Maximum number of vertices of a patch in any draw of `case`; without a draw, that of GL's initial state.
pub fn patch_vertices(case: &Case) -> u32 {
    let mut state = PatchState::default();
    let drawn = case.steps.iter().filter_map(|step| {
        state.apply(&step.value);
        step.value.draw().map(|_| state.vertices)
    });
    drawn.max().unwrap_or(PatchState::default().vertices)
}

/// True if `case` ever enables `GL_PROGRAM_POINT_SIZE`.
pub fn is_point_size_enabled(case: &Case) -> bool {
    let capability = Capability::ProgramPointSize;
    let enable = StateChange::Switch { capability, is_enabled: true };
    case.state_changes().any(|change| *change == enable)
}

/// Colour state of the draws of `case`; without a draw, the state after the last step.
///
/// The program is linked once, so draws with different states are an error; the text names what is unsupported.
pub fn color_state(case: &Case) -> Result<ColorState, Unsupported> {
    let mut now = ColorState::default();
    let mut drawn = None;
    for step in &case.steps {
        match step.value.state() {
            Some(StateChange::Switch { capability: Capability::TwoSide, is_enabled }) => {
                now.is_two_sided = *is_enabled;
            }
            Some(StateChange::ShadeModel(model)) => now.shade_model = *model,
            Some(StateChange::ClampColor { stage, is_on }) => match stage {
                ClampedStage::Vertex => now.is_vertex_unclamped = !is_on,
                ClampedStage::Fragment => now.is_fragment_clamped = *is_on,
            },
            Some(_) | None => {}
        }
        let is_draw = matches!(step.value, Step::Run(Action::Draw(_)));
        if is_draw && *drawn.get_or_insert(now) != now {
            return Err(Unsupported::from(
                "a change of shade model, sides or clamping between draws",
            ));
        }
    }
    Ok(drawn.unwrap_or(now))
}

#[cfg(test)]
mod tests {
    use crate::read::parse::parse;
    use crate::{Dialect, Draw, DrawShape, Setting};
    use ir::source::{Span, Spanned};

    use super::*;
    use crate::state::PatchChange;
    use crate::state::output::OutputChange;

    fn change(change: OutputChange) -> Step {
        Step::Set(Setting::State(StateChange::Output(change)))
    }

    fn map(targets: &[Option<u32>]) -> Step {
        change(OutputChange::DrawBuffers(targets.to_vec()))
    }

    fn draw() -> Step {
        Step::Run(Action::Draw(Draw::once(DrawShape::Rect([-1.0, -1.0, 2.0, 2.0]))))
    }

    /// A case with a float target 0 and an integer target 1.
    fn case(steps: Vec<Step>) -> Case {
        let text = "[render targets]\n0 rgba8unorm\n1 r32uint\n[test]\nlink success\n";
        let parsed = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        let mut case = parsed.result.expect("a right case");
        case.steps = steps.into_iter().map(|step| Spanned::new(step, Span::new(0, 0))).collect();
        case
    }

    /// Checks the draw buffer classes of [`case`].
    #[track_caller]
    fn check(steps: Vec<Step>, expected: &[Option<FormatClass>]) {
        assert_eq!(draw_buffer_classes(&case(steps)), Ok(expected.to_vec()));
    }

    #[test]
    fn draw_buffers_are_the_targets_of_the_same_number_until_they_are_mapped() {
        let (float, uint) = (Some(FormatClass::Float), Some(FormatClass::Uint));
        check(vec![], &[float, uint]);
        check(vec![draw()], &[float, uint]);
        check(vec![map(&[None, Some(0), Some(1)]), draw()], &[None, float, uint]);
        check(vec![map(&[Some(1)]), draw()], &[uint]);
        check(vec![map(&[None]), draw()], &[]);
    }

    #[test]
    fn draws_with_different_maps_join_but_cannot_change_a_type() {
        let float = Some(FormatClass::Float);
        let steps = vec![map(&[Some(0)]), draw(), map(&[None, None, Some(0)]), draw()];
        check(steps, &[float, None, float]);
        let mut steps = vec![map(&[Some(0)]), draw(), map(&[Some(1)]), draw()];
        let mut case = case(steps.clone());
        assert!(draw_buffer_classes(&case).is_err());
        // No draw uses the first map, so it has no effect.
        steps.remove(1);
        case.steps.remove(1);
        check(steps, &[Some(FormatClass::Uint)]);
    }

    #[test]
    fn patches_are_as_large_as_those_of_the_largest_draw() {
        let patches = |vertices| Step::Set(Setting::State(StateChange::Patch(vertices)));
        let patches = |vertices| patches(PatchChange::Vertices(vertices));
        assert_eq!(patch_vertices(&case(Vec::new())), 3);
        assert_eq!(patch_vertices(&case(vec![patches(9)])), 3);
        let steps = vec![patches(2), draw(), patches(1), draw(), patches(9)];
        assert_eq!(patch_vertices(&case(steps)), 2);
    }
}
