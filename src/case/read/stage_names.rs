//! Names of stage objects that are used together, in `use` and `pair`.

use crate::read::line::Words;
use crate::read::problem::Parsed;
use crate::{Case, LinkExpectation, Setting, Step, UsedStages};
use ir::stage::ShaderStage;

/// The stages that may follow the vertex stage, in pipeline order.
const LATER: &[ShaderStage] = ShaderStage::OF_DRAWS.split_at(1).1;

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
    let count = names.len();
    let is_guessed = |stage: &&ShaderStage| match stage.properties().family {
        Some(_) if stage.has_patches() => count > 2,
        Some(_) => count == 2 || count > 3,
        None => true,
    };
    let guess = LATER.iter().filter(is_guessed).copied();
    Ok(UsedStages::new(vertex, guess.zip(names)))
}

/// The name of the vertex stage, and those of the later stages, in pipeline order.
pub(super) fn split(stages: &UsedStages) -> (&str, Vec<&String>) {
    let mut names = stages.names().present().map(|(_, name)| name);
    (names.next().map_or("", |name| name), names.collect())
}

/// The later stages that have an object of this name.
pub(super) fn stages_of(case: &Case, name: &str) -> Vec<ShaderStage> {
    let has = |stage: &ShaderStage| {
        let mut own = case.shaders.iter().filter(|shader| shader.stage == *stage);
        own.any(|shader| shader.name.as_deref() == Some(name))
    };
    LATER.iter().copied().filter(has).collect()
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
        let (vertex, names) = split(stages);
        let choices = choices(case, &names);
        let [choice] = choices.as_slice() else { return stages.clone() };
        let later = choice.iter().copied().zip(names.into_iter().cloned());
        UsedStages::new(vertex.to_owned(), later)
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
