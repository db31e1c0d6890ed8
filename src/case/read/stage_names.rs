//! Names of stage objects that are used together, in `use` and `pair`.

use crate::read::line::Words;
use crate::read::problem::Parsed;
use crate::{Case, LinkExpectation, Setting, Step, UsedStages};
use ir::stage::ShaderStage;

/// The stages that may follow the vertex stage, in pipeline order.
pub(super) const LATER: [ShaderStage; 4] = [
    ShaderStage::TessellationControl,
    ShaderStage::TessellationEvaluation,
    ShaderStage::Geometry,
    ShaderStage::Fragment,
];

/// Reads the name of the vertex stage and those of later stages, each of which may be missing. The stages of the later
/// names are guessed from their number until [`resolve`] knows all stages.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<UsedStages> {
    let vertex = words.need("the name of a vertex stage")?.text.to_owned();
    let mut names = Vec::new();
    while names.len() < LATER.len()
        && let Some(word) = words.take_word()
    {
        names.push(word.text.to_owned());
    }
    let [control, evaluation, geometry, fragment] = LATER;
    let guess: &[ShaderStage] = match names.len() {
        0 | 1 => &[fragment],
        2 => &[geometry, fragment],
        3 => &[control, evaluation, fragment],
        _ => &[control, evaluation, geometry, fragment],
    };
    let vertex = UsedStages { vertex, ..UsedStages::default() };
    Ok(guess.iter().zip(names).fold(vertex, |stages, (stage, name)| with(stages, *stage, name)))
}

fn with(mut stages: UsedStages, stage: ShaderStage, name: String) -> UsedStages {
    let place = match stage {
        ShaderStage::TessellationControl => &mut stages.control,
        ShaderStage::TessellationEvaluation => &mut stages.evaluation,
        ShaderStage::Geometry => &mut stages.geometry,
        ShaderStage::Fragment => &mut stages.fragment,
        ShaderStage::Vertex | ShaderStage::Compute => return stages,
    };
    *place = Some(name);
    stages
}

/// The later stages that have an object of this name.
pub(super) fn stages_of(case: &Case, name: &str) -> Vec<ShaderStage> {
    let has = |stage: &ShaderStage| {
        let mut own = case.shaders.iter().filter(|shader| shader.stage == *stage);
        own.any(|shader| shader.name.as_deref() == Some(name))
    };
    LATER.into_iter().filter(has).collect()
}

/// Every assignment of stages to the names such that the objects exist and are in pipeline order.
pub(super) fn choices(case: &Case, names: &[&String]) -> Vec<Vec<ShaderStage>> {
    names.iter().fold(vec![Vec::new()], |choices, name| {
        let known = stages_of(case, name);
        let longer = |choice: &Vec<ShaderStage>| {
            let last = choice.last().copied();
            let next = known.iter().filter(|next| last.is_none_or(|last| last < **next));
            next.map(|next| [choice.as_slice(), &[*next]].concat()).collect::<Vec<_>>()
        };
        choices.iter().flat_map(longer).collect()
    })
}

/// Assigns each name the stage that has an object of that name, if the assignment is unique.
pub(super) fn resolve(case: &mut Case) {
    let resolved = |stages: &UsedStages| {
        let names: Vec<&String> = stages.later().collect();
        let choices = choices(case, &names);
        let [choice] = choices.as_slice() else { return stages.clone() };
        let vertex = UsedStages { vertex: stages.vertex.clone(), ..UsedStages::default() };
        let named = choice.iter().zip(names);
        named.fold(vertex, |stages, (stage, name)| with(stages, *stage, name.clone()))
    };
    let mut steps = Vec::new();
    for (idx, step) in case.steps.iter().enumerate() {
        if let Step::Set(Setting::Use(stages)) = &step.value {
            steps.push((idx, resolved(stages)));
        }
    }
    let mut lines = Vec::new();
    for (idx, line) in case.link.expectations.iter().enumerate() {
        if let LinkExpectation::OfPair { pair, .. } = &line.value {
            lines.push((idx, resolved(pair)));
        }
    }
    for (idx, stages) in steps {
        case.steps[idx].value = Step::Set(Setting::Use(stages));
    }
    for (idx, stages) in lines {
        if let LinkExpectation::OfPair { pair, .. } = &mut case.link.expectations[idx].value {
            *pair = stages;
        }
    }
}
