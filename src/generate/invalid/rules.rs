//! The table of rules, a module for each topic.

pub mod arrays;
pub mod blocks;
pub mod built_ins;
pub mod control;
pub mod expressions;
pub mod functions;
pub mod interface;
pub mod keywords;
pub mod limits;
pub mod locations;
pub mod names;
pub mod outputs;
pub mod preprocessor;
pub mod qualifiers;
pub mod redeclaration;
pub mod shared;
pub mod stages;
pub mod textures;
pub mod types;
pub mod uniforms;
pub mod wide;
pub mod xfb;

use crate::invalid::rule::Rule;

const TOPICS: [&[Rule]; 22] = [
    qualifiers::RULES,
    types::RULES,
    arrays::RULES,
    interface::RULES,
    blocks::RULES,
    locations::RULES,
    uniforms::RULES,
    shared::RULES,
    stages::RULES,
    built_ins::RULES,
    textures::RULES,
    redeclaration::RULES,
    outputs::RULES,
    functions::RULES,
    expressions::RULES,
    control::RULES,
    names::RULES,
    keywords::RULES,
    preprocessor::RULES,
    xfb::RULES,
    limits::RULES,
    wide::RULES,
];

/// All rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TOPICS.into_iter().flatten()
}
