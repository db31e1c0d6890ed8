//! The case file parser: [`parse`] splits a file into sections, and [`section`] has a module for each of them.

mod checks;
pub mod commands;
mod elsewhere;
pub(crate) mod line;
mod number;
pub(crate) mod once;
pub mod outline;
mod parameters;
pub mod parse;
mod point;
pub(crate) mod problem;
pub(crate) mod reader;
pub(crate) mod section;
mod stage_names;
mod value;
pub mod vocabulary;

/// Every keyword that the parser knows, section by section, for comparison with the format's reference. Words that
/// form one command (`vertex shader`, `draw rect`) are one entry.
pub fn known_words() -> Vec<&'static str> {
    section::known_words()
        .chain(section::spirv::known_words())
        .chain(section::require::known_words())
        .chain(section::varyings::known_words())
        .chain(section::targets::known_words())
        .chain(section::link::known_words())
        .chain(section::capture::known_words())
        .chain(commands::known_words())
        .chain(section::expected::known_words())
        .collect()
}
