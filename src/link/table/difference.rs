//! Finds differences between two declarations of the same block.

use ir::diagnostic::counted;
use ir::interface::Type;
use ir::layout::{BlockLayout, natural};
use ir::stage_module::{ResourceVariable, StageModule};

use crate::table::leaf::{ActiveVariable, Expansion, LeafPlace, leaves};

/// Significance of member names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberNames {
    /// GLSL and WGSL: names identify a block and its members.
    Count,
    /// SPIR-V: its binding identifies a block, and names are only for people.
    AreIgnored,
}

/// The first difference, with the member and the property; `None` if the stages can share the block.
pub fn first_difference(
    earlier: (&Type, &BlockLayout),
    here: (&Type, &BlockLayout),
    names: MemberNames,
) -> Option<String> {
    let list = |(ty, layout)| leaves("", ty, Some(layout), Expansion::Full);
    let (earlier, here) = (list(earlier), list(here));
    if names == MemberNames::Count
        && let Some(difference) = difference_of_names(&earlier, &here)
    {
        return Some(difference);
    }
    if earlier.len() != here.len() {
        let (first, second) = (earlier.len(), counted(here.len(), "variable"));
        return Some(format!("it has {second} here but {first} in an earlier stage"));
    }
    earlier.iter().zip(&here).find_map(|(first, second)| difference_of(first, second))
}

fn difference_of_names(earlier: &[ActiveVariable], here: &[ActiveVariable]) -> Option<String> {
    let has = |list: &[ActiveVariable], name: &str| list.iter().any(|known| known.name == name);
    // In WGSL a buffer need not be a struct; its only variable then has no name.
    match [earlier, here].map(is_plain) {
        [true, true] => return None,
        [false, true] => return Some("it is not a struct here".to_owned()),
        [true, false] => return Some("it is not a struct in an earlier stage".to_owned()),
        [false, false] => {}
    }
    if let Some(new) = here.iter().find(|variable| !has(earlier, &variable.name)) {
        return Some(format!("an earlier stage has no `{}`", bare(new)));
    }
    if let Some(missing) = earlier.iter().find(|variable| !has(here, &variable.name)) {
        return Some(format!("`{}` of an earlier stage is missing here", bare(missing)));
    }
    let mut pairs = earlier.iter().zip(here);
    let (first, second) = pairs.find(|(first, second)| first.name != second.name)?;
    Some(format!("`{}` is here where an earlier stage has `{}`", bare(second), bare(first)))
}

fn difference_of(first: &ActiveVariable, second: &ActiveVariable) -> Option<String> {
    let numbers = |variable: &ActiveVariable| {
        let LeafPlace { offset, array_stride, matrix_stride, is_row_major, .. } =
            variable.place.unwrap_or_default();
        [
            ("type", variable.gl_type),
            ("length", variable.size),
            ("RowMajor", u32::from(is_row_major)),
            ("MatrixStride", matrix_stride),
            ("ArrayStride", array_stride),
            ("Offset", offset),
        ]
    };
    let mut pairs = numbers(first).into_iter().zip(numbers(second));
    let (property, one, two) = pairs
        .find_map(|((property, one), (_, two))| (one != two).then_some((property, one, two)))?;
    let name = match bare(second) {
        "" => "it".to_owned(),
        name => format!("`{name}`"),
    };
    Some(match property {
        "type" => format!("{name} has another type in an earlier stage"),
        _ => format!("the {property} of {name} is {two} here but {one} in an earlier stage"),
    })
}

fn is_plain(variables: &[ActiveVariable]) -> bool {
    matches!(variables, [only] if bare(only).is_empty())
}

/// The name without GL's `[0]` after arrays.
fn bare(variable: &ActiveVariable) -> &str {
    variable.name.strip_suffix("[0]").unwrap_or(&variable.name)
}

/// Type and layout of a storage block as the shader declares them.
pub(crate) fn described_block(
    stage: &StageModule,
    resource: &ResourceVariable,
) -> Option<(Type, BlockLayout)> {
    if let Some(described) = &resource.described {
        return Some(described.clone());
    }
    let ty = stage.module.global_variables[resource.global].ty;
    let (ty, own) = natural::open_block(&stage.module, ty)?;
    Some((ty, resource.layout.clone().unwrap_or(own)))
}
