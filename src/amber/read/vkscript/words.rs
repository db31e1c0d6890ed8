//! Words of `VkScript` that select one of several values: those of Vulkan and of OpenGL.

use crate::read::text::at::At;
use crate::read::text::problem::{Parsed, Problem};
use crate::read::words::TOPOLOGIES;
use crate::syntax::pipeline::LogicOp;
use case::Topology;
use case::output::BlendEquation;

/// Topologies by OpenGL's names.
const GL_TOPOLOGIES: [(&str, Topology); 11] = [
    ("GL_POINTS", Topology::Points),
    ("GL_LINES", Topology::Lines),
    ("GL_LINES_ADJACENCY", Topology::LinesAdjacency),
    ("GL_LINE_STRIP", Topology::LineStrip),
    ("GL_LINE_STRIP_ADJACENCY", Topology::LineStripAdjacency),
    ("GL_TRIANGLES", Topology::Triangles),
    ("GL_TRIANGLES_ADJACENCY", Topology::TrianglesAdjacency),
    ("GL_TRIANGLE_STRIP", Topology::TriangleStrip),
    ("GL_TRIANGLE_STRIP_ADJACENCY", Topology::TriangleStripAdjacency),
    ("GL_TRIANGLE_FAN", Topology::TriangleFan),
    ("GL_PATCHES", Topology::Patches),
];

/// Blend operations.
pub(super) const BLEND_OPS: [(&str, BlendEquation); 5] = [
    ("add", BlendEquation::Add),
    ("subtract", BlendEquation::Subtract),
    ("reverse_subtract", BlendEquation::ReverseSubtract),
    ("min", BlendEquation::Min),
    ("max", BlendEquation::Max),
];

/// Logical operations.
pub(super) const LOGIC_OPS: [(&str, LogicOp); 16] = [
    ("clear", LogicOp::Clear),
    ("and", LogicOp::And),
    ("and_reverse", LogicOp::AndReverse),
    ("copy", LogicOp::Copy),
    ("and_inverted", LogicOp::AndInverted),
    ("no_op", LogicOp::NoOp),
    ("xor", LogicOp::Xor),
    ("or", LogicOp::Or),
    ("nor", LogicOp::Nor),
    ("equivalent", LogicOp::Equivalent),
    ("invert", LogicOp::Invert),
    ("or_reverse", LogicOp::OrReverse),
    ("copy_inverted", LogicOp::CopyInverted),
    ("or_inverted", LogicOp::OrInverted),
    ("nand", LogicOp::Nand),
    ("set", LogicOp::Set),
];

/// The topology of a draw, by Vulkan's name without its prefix or by OpenGL's name.
pub(super) fn topology(word: At<&str>) -> Parsed<Topology> {
    let all = || TOPOLOGIES.iter().chain(&GL_TOPOLOGIES);
    let found = all().find(|(known, _)| *known == word.value);
    found
        .map(|(_, topology)| *topology)
        .ok_or_else(|| Problem::unknown("topology", word, all().map(|(known, _)| *known)))
}

/// The value of a Vulkan constant: `start`, followed by a word of the table in capital letters.
pub(super) fn vulkan_word<T: Copy>(
    what: &str,
    start: &str,
    table: &[(&str, T)],
    word: At<&str>,
) -> Parsed<T> {
    let rest = word.value.strip_prefix(start).filter(|rest| !has_small_letters(rest));
    let found =
        rest.and_then(|rest| table.iter().find(|(known, _)| known.eq_ignore_ascii_case(rest)));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let whole = |known: &str| format!("{start}{}", known.to_ascii_uppercase());
        let known: Vec<_> = table.iter().map(|(known, _)| whole(known)).collect();
        Problem::unknown(what, word, known.iter().map(String::as_str))
    })
}

fn has_small_letters(text: &str) -> bool {
    text.chars().any(|letter| letter.is_ascii_lowercase())
}
