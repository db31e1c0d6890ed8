//! Versions and extensions that have a feature.

use crate::ast::Version;
use crate::target::VULKAN;

/// Version number of features that no version has; an extension may still add them.
pub(crate) const NEVER: u16 = u16::MAX;

/// Versions and extensions that have a feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Availability {
    /// First version of desktop GLSL.
    desktop_from: u16,
    /// Last version of desktop GLSL's core profile; the compatibility profile keeps it.
    core_until: u16,
    /// First version of GLSL ES.
    es_from: u16,
    /// Last version of GLSL ES.
    es_until: u16,
    /// Extensions of which each adds the feature to any version.
    extensions: &'static [&'static str],
    /// True if shaders for Vulkan do not have the feature.
    is_opengl_only: bool,
}

/// Version and extensions of a shader object.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The version in `#version`.
    pub(crate) version: Version,
    /// True if the shader may use features that were removed from the core profile.
    pub(crate) has_legacy: bool,
    /// Returns true if the shader enables one of the given extensions.
    pub(crate) enables: &'a dyn Fn(&[&str]) -> bool,
}

/// The storage qualifiers `attribute` and `varying`.
pub(crate) const LEGACY_STORAGE: Availability = since(0, 0).until(410, 100);

/// Available from these versions on; [`NEVER`] means in no version.
pub(crate) const fn since(desktop: u16, es: u16) -> Availability {
    Availability {
        desktop_from: desktop,
        core_until: NEVER,
        es_from: es,
        es_until: NEVER,
        extensions: &[],
        is_opengl_only: false,
    }
}

/// Available only with one of these extensions.
pub(super) const fn by_extension(extensions: &'static [&'static str]) -> Availability {
    since(NEVER, NEVER).or_with(extensions)
}

impl Availability {
    /// Available in every version.
    pub(crate) const ALWAYS: Self = since(0, 0);

    /// Sets the last versions that have the feature: `core` of the core profile, and `es` of ES.
    pub(super) const fn until(mut self, core: u16, es: u16) -> Self {
        (self.core_until, self.es_until) = (core, es);
        self
    }

    /// Adds availability in any version with one of these extensions.
    pub(crate) const fn or_with(mut self, extensions: &'static [&'static str]) -> Self {
        self.extensions = extensions;
        self
    }

    /// Excludes shaders for Vulkan.
    pub(super) const fn not_in_vulkan(mut self) -> Self {
        self.is_opengl_only = true;
        self
    }

    /// True if a shader object in this context has the feature.
    pub(crate) fn is_met(&self, context: Context<'_>) -> bool {
        if self.is_opengl_only && (context.enables)(&[VULKAN]) {
            return false;
        }
        let number = context.version.number;
        let is_in_version = if context.version.is_es {
            (self.es_from..=self.es_until).contains(&number)
        } else {
            number >= self.desktop_from && (number <= self.core_until || context.has_legacy)
        };
        is_in_version && number < NEVER || (context.enables)(self.extensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(what: Availability, number: u16, is_es: bool, enabled: &str, expected: bool) {
        let version = Version { number, is_es, is_compatibility: false };
        let enables = |names: &[&str]| names.contains(&enabled);
        let context = Context { version, has_legacy: enabled == "legacy", enables: &enables };
        assert_eq!(what.is_met(context), expected, "{number} {is_es} {enabled}");
    }

    #[test]
    fn versions_profiles_and_extensions_are_three_ways() {
        let what = since(130, 300).until(410, 310).or_with(&["GL_X"]);
        check(what, 120, false, "", false);
        check(what, 130, false, "", true);
        check(what, 410, false, "", true);
        check(what, 420, false, "", false);
        check(what, 420, false, "legacy", true);
        check(what, 120, false, "GL_X", true);
        check(what, 100, true, "", false);
        check(what, 310, true, "", true);
        check(what, 320, true, "", false);
        check(by_extension(&["GL_X"]), 460, false, "", false);
        check(by_extension(&["GL_X"]), 100, true, "GL_X", true);
        check(what.not_in_vulkan(), 130, false, "", true);
        check(what.not_in_vulkan(), 130, false, VULKAN, false);
    }
}
