//! Version-dependent grammar.

use crate::ast::{Extension, Version};

/// Extensions with attributes.
const ATTRIBUTES: [&str; 3] = [
    "GL_EXT_control_flow_attributes",
    "GL_EXT_maximal_reconvergence",
    "GL_EXT_subgroup_uniform_control_flow",
];

/// Grammar rules of one shader.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub(super) struct ParserRules {
    /// `%`, `~`, `&`, `|`, `^`, `<<`, `>>`.
    pub(super) has_integer_operators: bool,
    /// `array.length()`.
    pub(super) has_methods: bool,
    /// Arrays of arrays.
    pub(super) has_nested_arrays: bool,
    /// A struct defined as the type of another one's member.
    pub(super) has_nested_structs: bool,
    /// Qualifiers in any order, and several `layout(…)`.
    pub(super) has_free_qualifier_order: bool,
    /// Words in `layout(…)` differ by case (ES).
    pub(super) has_cases_in_layouts: bool,
    /// `[[…]]`.
    pub(super) has_attributes: bool,
}

impl ParserRules {
    /// The rules of a version with extensions.
    pub(super) fn new(version: Version, extensions: &[Extension]) -> Self {
        let is_from =
            |desktop: u16, es: u16| version.number >= if version.is_es { es } else { desktop };
        let enables = |name: &str| {
            extensions
                .iter()
                .any(|extension| extension.name == name && extension.behaviour != "disable")
        };
        Self {
            has_integer_operators: is_from(130, 300) || enables("GL_EXT_gpu_shader4"),
            has_methods: is_from(120, 300),
            has_nested_arrays: is_from(430, 310) || enables("GL_ARB_arrays_of_arrays"),
            has_nested_structs: !is_from(120, 100),
            has_free_qualifier_order: is_from(420, 310)
                || enables("GL_ARB_shading_language_420pack")
                || enables("GL_EXT_gpu_shader4"),
            has_cases_in_layouts: version.is_es,
            has_attributes: ATTRIBUTES.iter().any(|name| enables(name)),
        }
    }
}
