//! Checks of stage objects: `use` names existing ones, before anything is drawn.

use crate::read::reader::Reader;
use crate::read::stage_names;
use crate::state::StateChange;
use crate::{Action, Case, Setting, Step, UsedStages};
use ir::diagnostic::Diagnostic;
use ir::stage::ShaderStage;

/// Reports the first step that does not fit the stage objects: a `use` of a missing object, or a draw before the first
/// `use` if the stages have names.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    let mut is_used = !case.shaders.iter().any(|shader| shader.name.is_some());
    for step in &case.steps {
        let message = if let Step::Set(Setting::Use(stages)) = &step.value {
            is_used = true;
            match mistake(case, stages) {
                Some(message) => message,
                None => continue,
            }
        } else if matches!(step.value, Step::Set(Setting::State(StateChange::ActiveStage(_))))
            && !case.link.is_separable
        {
            "only `separable` stages are separate programs".to_owned()
        } else if matches!(step.value, Step::Run(Action::Draw(_))) && !is_used {
            "the stages have names, but no `use` has chosen any yet".to_owned()
        } else {
            continue;
        };
        reader.report(Diagnostic::error(step.span, message));
        return;
    }
}

/// The error in the names of a `use`.
fn mistake(case: &Case, stages: &UsedStages) -> Option<String> {
    let (vertex, names) = stage_names::split(stages);
    let mut first = case.shaders.iter().filter(|shader| shader.stage == ShaderStage::Vertex);
    if !first.any(|shader| shader.name.as_deref() == Some(vertex)) {
        return Some(stage_names::stages_of(case, vertex).first().map_or_else(
            || format!("there is no `[vertex shader {vertex}]`"),
            |stage| {
                let word = stage.name();
                format!("`{vertex}` is a {word} stage, but the first name must be a vertex stage")
            },
        ));
    }
    match stage_names::choices(case, &names).as_slice() {
        [] => Some(misplaced(case, &names)),
        [choice] => lonely(&names, choice),
        [_, _, ..] => names.into_iter().find_map(|name| ambiguous(case, name)),
    }
}

/// Checks that each stage has the one that must follow it, such as a control stage an evaluation stage for its patches
/// (GL 4.6, section 11.2).
fn lonely(names: &[&String], choice: &[ShaderStage]) -> Option<String> {
    names.iter().zip(choice).find_map(|(name, stage)| {
        let behind = stage.properties().followed_by.filter(|behind| !choice.contains(behind))?;
        let (own, behind) = (stage.name(), behind.name());
        Some(format!("`{name}` is a {own} stage, but no {behind} stage follows"))
    })
}

fn ambiguous(case: &Case, name: &str) -> Option<String> {
    let stages = stage_names::stages_of(case, name);
    let words: Vec<String> =
        stages.iter().map(|stage| format!("a {} stage", stage.name())).collect();
    (words.len() > 1).then(|| format!("`{name}` is {}: rename one", words.join(" and ")))
}

/// The first name that no stage has, or whose stages all precede that of the name before it.
fn misplaced(case: &Case, names: &[&String]) -> String {
    let is_tessellated = case.shaders.iter().any(|shader| shader.stage.has_patches());
    if !is_tessellated && names.len() < 3 {
        return missing(case, names);
    }
    let mut before: Option<(ShaderStage, &String)> = None;
    for name in names {
        let known = stage_names::stages_of(case, name);
        let next = known.iter().find(|next| before.is_none_or(|(last, _)| last < **next));
        match (next, known.first(), before) {
            (Some(next), _, _) => before = Some((*next, name)),
            (None, Some(own), Some((last, other))) => {
                let [own, last] = [own.name(), last.name()];
                return format!(
                    "`{name}` is a {own} stage, which cannot follow the {last} stage `{other}`"
                );
            }
            (None, _, _) => break,
        }
    }
    let unknown = names.iter().find(|name| stage_names::stages_of(case, name).is_empty());
    let name = unknown.map_or("", |name| name.as_str());
    format!("no stage after the vertex stage is called `{name}`")
}

/// The missing sections, if there are no tessellation stages.
fn missing(case: &Case, names: &[&String]) -> String {
    let is_geometry =
        |name: &str| stage_names::stages_of(case, name).contains(&ShaderStage::Geometry);
    match names {
        [name, _] if !is_geometry(name) => format!("there is no `[geometry shader {name}]`"),
        [_, name] => format!("there is no `[fragment shader {name}]`"),
        names => {
            let name = names.first().map_or("", |name| name.as_str());
            format!("there is no `[fragment shader {name}]` and no `[geometry shader {name}]`")
        }
    }
}
