//! A valid WGSL file, and how its programs draw.

use naga::Module;
use naga::valid::ModuleInfo;

use crate::settings::Settings;

/// A valid file.
pub(super) struct File<'a> {
    pub(super) source: &'a str,
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) settings: &'a Settings,
    /// True if the last entry point was generated to call a function.
    pub(super) is_call: bool,
}

/// The render targets of a program.
#[derive(Default)]
pub(super) struct Targets {
    /// Locations and formats.
    pub(super) formats: Vec<(u32, &'static str)>,
    pub(super) blending: Blending,
    /// True if the fragment stage writes the depth.
    pub(super) has_depth: bool,
}

impl Targets {
    /// True if a draw shows nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.formats.is_empty() && !self.has_depth
    }
}

/// How a program draws.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Blending {
    #[default]
    None,
    /// The outputs are a colour and a factor for the target's value.
    TwoSources,
}

impl Blending {
    /// Lines of `[require]`, and commands before the draw.
    pub(super) const fn lines(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("", ""),
            // The colour, plus the target's value multiplied by the second source, so that both sources affect the
            // result.
            Self::TwoSources => (
                "feature DUAL_SOURCE_BLENDING\n",
                "enable GL_BLEND\nblendfunc GL_ONE GL_SRC1_COLOR\n",
            ),
        }
    }
}
