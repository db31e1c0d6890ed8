//! Determines which programs draw points that are not single pixels.

use case::state::{Capability, StateChange};
use case::{Case, LinkSection, draws};
use ir::interface::Variable;
use ir::semantic::Semantic;
use ir::stage_module::{Direction, LanguageRules, StageModule};
use naga::BuiltIn;

use super::interface::has_label;
use super::wires::{builtin, distances};

/// Requirements of a program's points.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// For each step, true if draws there use the vertex stage's size.
    pub(super) are_sized: Vec<bool>,
    /// True if t increases upwards in replaced varyings.
    pub(super) is_lower_left: bool,
    /// Labels of replaced varyings.
    labels: Vec<Semantic>,
    section: LinkSection,
}

impl Wanted {
    /// The first component of (s, t, 0, 1) that replaces a varying; `None` for a varying that is not replaced.
    pub(super) fn start_of(&self, input: &Variable) -> Option<usize> {
        let is_own = self.labels.iter().any(|label| has_label(&self.section, input, *label));
        is_own.then(|| input.component.unwrap_or(0) as usize)
    }
}

/// The requirements of a program's points; `None` if they are single pixels.
pub(super) fn of(
    case: &Case,
    vertex: &StageModule,
    fragment: Option<&StageModule>,
) -> Option<Wanted> {
    let is_always = match vertex.rules {
        LanguageRules::Glsl { is_es, .. } => is_es,
        LanguageRules::Vulkan => true,
        LanguageRules::Wgsl | LanguageRules::Spirv | LanguageRules::FixedFunction => false,
    };
    let has_points = match vertex.primitive_vertices() {
        Some(vertices) => vertices == 1,
        None => case.rasterised_draws().any(|draw| draw.shape.is_of_points()),
    };
    let has_size = builtin(vertex, BuiltIn::PointSize, Direction::Output).is_some()
        && (is_always || draws::is_point_size_enabled(case));
    let has_place = fragment
        .is_some_and(|stage| builtin(stage, BuiltIn::PointCoord, Direction::Input).is_some());
    let is_culled = distances(vertex, BuiltIn::CullDistance, Direction::Output).is_some();
    let labels: Vec<_> = case.link.sprite.labels.iter().map(|label| label.value).collect();
    let is_seen = has_size || has_place || is_culled || !labels.is_empty();
    (has_points && is_seen).then(|| Wanted {
        are_sized: are_sized(case, is_always),
        is_lower_left: case.link.sprite.is_lower_left,
        labels,
        section: case.link.clone(),
    })
}

/// For each step, true if sizes are used: always in OpenGL ES, and in OpenGL while `GL_PROGRAM_POINT_SIZE` is enabled.
fn are_sized(case: &Case, is_always: bool) -> Vec<bool> {
    let mut is_on = is_always;
    let state = |step: &case::Step| {
        if let Some(StateChange::Switch { capability: Capability::ProgramPointSize, is_enabled }) =
            step.state()
        {
            is_on = is_always || *is_enabled;
        }
        is_on
    };
    case.steps.iter().map(|step| &step.value).map(state).collect()
}
