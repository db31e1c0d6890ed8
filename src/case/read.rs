//! The case file parser: [`parse`] splits a file into sections, and each section has a module of the same name.

pub(crate) mod capture;
mod checks;
pub mod commands;
mod elsewhere;
pub(crate) mod expected;
mod expression;
mod include;
pub(crate) mod line;
pub(crate) mod link;
mod number;
pub(crate) mod once;
mod parameters;
pub mod parse;
pub(crate) mod problem;
pub(crate) mod reader;
pub(crate) mod require;
pub(crate) mod section;
mod specialization;
pub(crate) mod spirv;
mod stage_names;
pub(crate) mod targets;
mod value;
pub(crate) mod varyings;
mod vertex_data;

/// Every keyword that the parser knows, section by section, for comparison with the format's reference. Words that
/// form one command (`vertex shader`, `draw rect`) are one entry.
pub fn known_words() -> Vec<&'static str> {
    section::known_words()
        .chain(spirv::known_words())
        .chain(require::known_words())
        .chain(varyings::known_words())
        .chain(targets::known_words())
        .chain(link::known_words())
        .chain(capture::known_words())
        .chain(commands::known_words())
        .chain(expected::known_words())
        .collect()
}
