//! The APIs that shaders are written for. The language for Vulkan is defined by `GL_KHR_vulkan_glsl` and differs in its
//! resources.
//!
//! A shader for Vulkan has this extension enabled from the start, so features of the language for Vulkan are tested
//! like those of any extension.

use ir::source::Span;

use crate::ast::{Extension, TranslationUnit};

/// The API that a shader is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// OpenGL and OpenGL ES.
    #[default]
    OpenGl,
    /// OpenGL and OpenGL ES, where only the verdict about the shader counts. Extensions whose rules are known may then be
    /// used although nothing can run what they add.
    CheckedOpenGl,
    /// Vulkan.
    Vulkan,
}

/// The extension that all shaders for Vulkan have, and only these.
pub(crate) const VULKAN: &str = "GL_KHR_vulkan_glsl";

impl Target {
    /// The extension that marks a shader as written for this API, with a position at `start`; `None` for OpenGL.
    pub(crate) fn extension(self, start: usize) -> Option<Extension> {
        let span = Span::new(start, start);
        match self {
            Self::OpenGl | Self::CheckedOpenGl => None,
            Self::Vulkan => Some(Extension {
                name: VULKAN.to_owned(),
                behaviour: "require".to_owned(),
                is_provided: true,
                span,
            }),
        }
    }
}

impl TranslationUnit {
    /// The API that the shader is for.
    pub fn target(&self) -> Target {
        let is_vulkan = self.extensions.iter().any(|extension| extension.name == VULKAN);
        if is_vulkan { Target::Vulkan } else { Target::OpenGl }
    }
}

/// Extensions of which each includes `GL_KHR_shader_subgroup_basic`.
pub(crate) const SUBGROUP_EXTENSIONS: &[&str] = &[
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_vote",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{ParseOptions, parse};

    fn target_of(text: &str, target: Target) -> Target {
        let options = ParseOptions { target, ..ParseOptions::default() };
        parse(text, 0, &options).expect("it is right").target()
    }

    #[test]
    fn no_directive_changes_the_target() {
        for target in [Target::OpenGl, Target::Vulkan] {
            assert_eq!(target_of("#version 450\n", target), target);
            for behaviour in ["enable", "disable"] {
                let text = format!("#version 450\n#extension GL_KHR_vulkan_glsl : {behaviour}\n");
                assert_eq!(target_of(&text, target), target, "{behaviour}");
            }
        }
    }

    #[test]
    fn a_shader_sees_its_target() {
        let text = "#version 450\n#ifdef VULKAN\nint a[VULKAN == 100 && GL_KHR_vulkan_glsl == 1 ? 2 : 3];\n#endif\n";
        let count = |target| {
            let options = ParseOptions { target, ..ParseOptions::default() };
            parse(text, 0, &options).expect("it is right").items.len()
        };
        assert_eq!([count(Target::OpenGl), count(Target::Vulkan)], [0, 1]);
    }
}
