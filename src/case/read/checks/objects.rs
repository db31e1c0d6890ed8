//! Checks of stage objects: `use` names those that there are, before anything is drawn, and every geometry stage. Other
//! stages may be there only for the labels of their varyings.

use crate::read::reader::Reader;
use crate::state::StateChange;
use crate::{Action, Case, Setting, Step, UsedStages};
use ir::diagnostic::Diagnostic;
use ir::stage::ShaderStage;

/// Reports the first step that does not suit the stage objects, and geometry stages that no `use` names.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    check_steps(reader, case);
    check_geometry(reader, case);
}

/// Checks that `use` names existing stage objects, and precedes the first draw if there are several.
fn check_steps(reader: &mut Reader<'_>, case: &Case) {
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
            "only `separable` stages are programs of their own".to_owned()
        } else if matches!(step.value, Step::Run(Action::Draw(_))) && !is_used {
            "stages have names, and no `use` chose any yet".to_owned()
        } else {
            continue;
        };
        reader.report(Diagnostic::error(step.span, message));
        return;
    }
}

/// What is wrong with the names of a `use`.
fn mistake(case: &Case, stages: &UsedStages) -> Option<String> {
    let has = |stage: ShaderStage, name: &str| {
        let mut own = case.shaders.iter().filter(|shader| shader.stage == stage);
        own.any(|shader| shader.name.as_deref() == Some(name))
    };
    let UsedStages { vertex, geometry, fragment } = stages;
    if !has(ShaderStage::Vertex, vertex) {
        let later = [ShaderStage::Geometry, ShaderStage::Fragment];
        let known = later.into_iter().find(|stage| has(*stage, vertex));
        return Some(known.map_or_else(
            || format!("there is no `[vertex shader {vertex}]`"),
            |stage| {
                let word = stage.name();
                format!("`{vertex}` is a {word} stage, and the first name is a vertex stage's")
            },
        ));
    }
    if let Some(name) = geometry.as_ref().filter(|name| !has(ShaderStage::Geometry, name)) {
        return Some(format!("there is no `[geometry shader {name}]`"));
    }
    let name = fragment.as_ref()?;
    match (has(ShaderStage::Fragment, name), geometry.is_none()) {
        (true, true) if has(ShaderStage::Geometry, name) => {
            Some(format!("`{name}` is a geometry stage and a fragment stage: rename one"))
        }
        (true, true | false) => None,
        (false, true) => Some(format!(
            "there is no `[fragment shader {name}]` and no `[geometry shader {name}]`"
        )),
        (false, false) => Some(format!("there is no `[fragment shader {name}]`")),
    }
}

/// Reports geometry stages that no `use` names, where there are any `use` lines.
fn check_geometry(reader: &mut Reader<'_>, case: &Case) {
    let used = case.settings().filter_map(|setting| {
        let Setting::Use(stages) = setting.value else { return None };
        Some(stages.geometry.as_deref())
    });
    let used: Vec<Option<&str>> = used.collect();
    let stages = case.shaders.iter().filter(|shader| shader.stage == ShaderStage::Geometry);
    for shader in stages.filter(|_| !used.is_empty()) {
        let is_named = shader.name.is_some() && used.contains(&shader.name.as_deref());
        if !is_named {
            let message = format!("`{}` is never used", reader.source.slice(shader.header));
            let error = Diagnostic::error(shader.header, message);
            reader.report(error.with_help("no `use` names it"));
        }
    }
}
