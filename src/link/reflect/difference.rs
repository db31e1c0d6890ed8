//! How two declarations of one block differ. Names of members count only where both have them, so they do not count here.

use super::leaf::{ActiveVariable, Expansion, LeafPlace, leaves};
use crate::layout::BlockLayout;
use crate::link::interface::Type;

/// The first difference, with the member and the property; `None` when the stages can share the block.
pub fn first_difference(
    earlier: (&Type, &BlockLayout),
    here: (&Type, &BlockLayout),
) -> Option<String> {
    let list = |(ty, layout)| leaves("", ty, Some(layout), Expansion::Full);
    let (earlier, here) = (list(earlier), list(here));
    if earlier.len() != here.len() {
        let (first, second) = (earlier.len(), here.len());
        return Some(format!("it has {second} variables here but {first} in an earlier stage"));
    }
    earlier.iter().zip(&here).find_map(|(first, second)| difference_of(first, second))
}

fn difference_of(first: &ActiveVariable, second: &ActiveVariable) -> Option<String> {
    let place = |variable: &ActiveVariable| variable.place.unwrap_or_default();
    let numbers = |variable: &ActiveVariable| {
        let LeafPlace { offset, array_stride, matrix_stride, is_row_major } = place(variable);
        [
            ("type", variable.gl_type),
            ("length", variable.size),
            ("Offset", offset),
            ("ArrayStride", array_stride),
            ("MatrixStride", matrix_stride),
            ("RowMajor", u32::from(is_row_major)),
        ]
    };
    let mut pairs = numbers(first).into_iter().zip(numbers(second));
    let (property, one, two) = pairs
        .find_map(|((property, one), (_, two))| (one != two).then_some((property, one, two)))?;
    let name = &second.name;
    Some(match property {
        "type" => format!("`{name}` has another type in an earlier stage"),
        _ => format!("the {property} of `{name}` is {two} here but {one} in an earlier stage"),
    })
}
