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
    /// True if the operators `%`, `~`, `&`, `|`, `^`, `<<` and `>>` exist.
    pub(super) has_integer_operators: bool,
    /// True if `array.length()` exists.
    pub(super) has_methods: bool,
    /// True if arrays of arrays are allowed.
    pub(super) has_nested_arrays: bool,
    /// True if a struct may be defined as the type of another struct's member.
    pub(super) has_nested_structs: bool,
    /// True if qualifiers may be in any order, with several `layout(…)`.
    pub(super) has_free_qualifier_order: bool,
    /// True if words in `layout(…)` are case-sensitive (ES).
    pub(super) has_cases_in_layouts: bool,
    /// True if attributes, `[[…]]`, are allowed.
    pub(super) has_attributes: bool,
    /// True if functions may be declared in functions (GLSL 1.10).
    pub(super) has_local_prototypes: bool,
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
            has_local_prototypes: !is_from(120, 100),
            has_attributes: ATTRIBUTES.iter().any(|name| enables(name)),
        }
    }
}
