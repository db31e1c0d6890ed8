//! Names of stage objects that are used together, in `use` and `pair`.

use crate::read::line::Words;
use crate::read::problem::Parsed;
use crate::{Case, LinkExpectation, Setting, Step, UsedStages};
use ir::stage::ShaderStage;

/// Reads the names: the vertex stage's, then the geometry stage's and the fragment stage's, of which each may be missing.
/// The second of two names counts as a fragment stage's until [`resolve`] has seen the stages.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<UsedStages> {
    let vertex = words.need("the name of a vertex stage")?.text.to_owned();
    let second = words.take_word().map(|word| word.text.to_owned());
    Ok(match words.take_word() {
        Some(third) => {
            UsedStages { vertex, geometry: second, fragment: Some(third.text.to_owned()) }
        }
        None => UsedStages { vertex, geometry: None, fragment: second },
    })
}

/// Makes the second of two names a geometry stage's, where only such a stage is called so.
pub(super) fn resolve(case: &mut Case) {
    let names = |stage: ShaderStage| {
        let own = case.shaders.iter().filter(move |shader| shader.stage == stage);
        own.filter_map(|shader| shader.name.clone()).collect::<Vec<String>>()
    };
    let (geometry, fragment) = (names(ShaderStage::Geometry), names(ShaderStage::Fragment));
    let resolve_one = |stages: &mut UsedStages| {
        let is_it = |name: &mut String| geometry.contains(name) && !fragment.contains(name);
        if stages.geometry.is_none() {
            stages.geometry = stages.fragment.take_if(is_it);
        }
    };
    for step in &mut case.steps {
        if let Step::Set(Setting::Use(stages)) = &mut step.value {
            resolve_one(stages);
        }
    }
    for line in &mut case.link.expectations {
        if let LinkExpectation::OfPair { pair, .. } = &mut line.value {
            resolve_one(pair);
        }
    }
}
