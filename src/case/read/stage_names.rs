//! Names of stage objects that are used together, in `use` and `pair`.

use crate::UsedStages;
use crate::read::line::Words;
use crate::read::problem::Parsed;

/// Reads the names: the vertex stage's, the geometry stage's if there are three, and the fragment stage's.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<UsedStages> {
    let vertex = words.need("the name of a vertex stage")?.text.to_owned();
    let second = words.need("the name of a fragment stage")?.text.to_owned();
    let (geometry, fragment) = match words.take_word() {
        Some(third) => (Some(second), third.text.to_owned()),
        None => (None, second),
    };
    Ok(UsedStages { vertex, geometry, fragment })
}
