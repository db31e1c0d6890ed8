//! Reads bindings of resources: `3`, or `2:3` for `@group(2) @binding(3)` of WGSL.

use crate::read::line::{Words, wrong};
use crate::read::problem::Parsed;
use ir::vulkan::{MAX_SET, point};

/// Reads a binding, up to `most`. `2:3` is `@group(2) @binding(3)` of WGSL; in group 0 it is the binding alone.
pub(in crate::read) fn read_point(words: &mut Words<'_>, what: &str, most: u32) -> Parsed<u32> {
    let pair = words.peek().and_then(|word| Some((word, word.text.split_once(':')?)));
    let Some((word, (group, binding))) = pair else { return words.integer(what, 0..=most) };
    words.skip(1);
    let number = |text: &str, most: u32| text.parse().ok().filter(|number| *number <= most);
    match (number(group, MAX_SET), number(binding, most)) {
        (Some(0), Some(binding)) => {
            Err(wrong(word, format!("omit the number of group 0: write `{binding}`")))
        }
        (Some(group), Some(binding)) => Ok(point(group, binding)),
        (Some(_) | None, _) => {
            let message = format!(
                "{what} is BINDING or GROUP:BINDING, with a group up to {MAX_SET} and a binding up to {most}, not `{}`",
                word.text
            );
            Err(wrong(word, message))
        }
    }
}
