//! Variables of a stage: their declarations, and the statements that write or compare every part of them.

use std::fmt::Write as _;

use super::varyings::{Leaf, Plain, Type, Varying};

/// Use of an output in the next stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The next stage compares it.
    Compared,
    /// The next stage declares it, but does not read it.
    Declared,
    /// The next stage has no such input.
    Missing,
}

/// `flat out ivec4 stamp;`: tells the next stage which values to expect.
pub(super) fn stamp() -> Varying {
    let plain = Plain { columns: 1, rows: 4, prefix: "i" };
    Varying { name: "stamp".to_owned(), ty: Type::Plain(plain), qualifiers: "flat", location: None }
}

/// A variable in a stage.
pub(super) struct Placed<'a> {
    pub(super) varying: &'a Varying,
    /// The variable's name, and the expression for it.
    pub(super) name: String,
    pub(super) path: String,
    /// Value of its first component.
    pub(super) first: u32,
}

/// Statements that give the parts of a variable their values for a vertex with the number `step`, a float, of 256ths.
pub(super) fn writes(placed: &Placed<'_>, step: &str) -> String {
    parts(placed, &placed.path, |leaf, value| format!("    {} = {};\n", leaf.path, value(step)))
}

/// Statements that compare the parts of a variable, which is at `path`.
pub(super) fn compares(placed: &Placed<'_>, path: &str, step: &str) -> String {
    parts(placed, path, |leaf, value| {
        let (path, value) = (&leaf.path, value(step));
        let difference = format!("abs({path} - ({value}))");
        let is_right = match (leaf.plain.prefix, leaf.plain.rows) {
            ("", 1) => format!("{difference} < 0.25"),
            ("", rows) => format!("all(lessThan({difference}, vec{rows}(0.25)))"),
            _ => format!("{path} == {value}"),
        };
        format!("    right = right && {is_right};\n")
    })
}

/// Applies `of` to every scalar and vector of a variable and its value for a step, and joins the results.
fn parts(
    placed: &Placed<'_>,
    path: &str,
    of: impl Fn(&Leaf, &dyn Fn(&str) -> String) -> String,
) -> String {
    let (mut text, mut first) = (String::new(), placed.first);
    for leaf in placed.varying.leaves_of(path) {
        let numbers = first..first + leaf.plain.rows;
        first = numbers.end;
        if !leaf.plain.is_wide() {
            let (ty, list) =
                (leaf.plain.name(), numbers.map(|n| n.to_string()).collect::<Vec<_>>());
            let value = |step: &str| format!("{ty}({}) + {ty}({step})", list.join(", "));
            text += &of(&leaf, &value);
            continue;
        }
        let pack = match leaf.plain.prefix {
            "d" => "packDouble2x32(uvec2",
            "i64" => "packInt2x32(ivec2",
            _ => "packUint2x32(uvec2",
        };
        for (letter, number) in "xyzw".chars().zip(numbers) {
            let part = if leaf.plain.rows == 1 { String::new() } else { format!(".{letter}") };
            let (low, high) = (number.wrapping_mul(0x9e37_79b1), 0x4000_0000 + number);
            let value = |step: &str| format!("{pack}(uvec2({low}u + uint({step}), {high}u)))");
            let mut plain = leaf.plain;
            plain.rows = 1;
            text += &of(&Leaf { path: format!("{}{part}", leaf.path), plain }, &value);
        }
    }
    text
}

/// The block of an interface.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Name of its instance.
    pub(super) name: &'static str,
    /// Number of variables, the last of the interface, that are its members.
    pub(super) members: usize,
}

/// Declarations of variables, the last of which are members of a block.
pub(super) fn declarations(
    all: &[Placed<'_>],
    direction: &str,
    block: Block,
    array: &str,
) -> String {
    let name = block.name;
    let (loose, members) = all.split_at(all.len().saturating_sub(block.members));
    let mut text: String = all.iter().map(|placed| placed.varying.structure()).collect();
    for placed in loose {
        text += &placed.varying.declaration(direction, &format!("{}{array}", placed.name));
    }
    if !members.is_empty() {
        let upper = name.to_uppercase();
        let _ = writeln!(text, "{direction} {upper} {{");
        for placed in members {
            text += &placed.varying.declaration("", &placed.name);
        }
        let _ = writeln!(text, "}} {name}{array};");
    }
    text
}

/// Variables with their places; the last of them are members of a block.
pub(super) fn placed<'a>(
    varyings: impl ExactSizeIterator<Item = &'a Varying>,
    block: Block,
    mut first: u32,
) -> Vec<Placed<'a>> {
    let loose = varyings.len().saturating_sub(block.members);
    let place = |(idx, varying): (usize, &'a Varying)| {
        let name = varying.name.clone();
        let path = if idx < loose { name.clone() } else { format!("{}.{name}", block.name) };
        let rows: u32 = varying.leaves_of("").iter().map(|leaf| leaf.plain.rows).sum();
        first += rows;
        Placed { varying, name, path, first: first - rows }
    };
    varyings.enumerate().map(place).collect()
}

/// True if values differ between vertices, because nothing interpolates them.
pub(super) fn is_flat(varying: &Varying) -> bool {
    varying.qualifiers == "flat"
}
