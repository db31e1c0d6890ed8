//! The rules for matching two stages, which depend on the language version, as in Mesa.

use crate::LinkOptions;
use ir::interface::Interpolation;
use ir::stage_module::{LanguageRules, StageModule};

/// The rules by which a pair of stages is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct LinkRules {
    /// Name of the producer's stage in messages.
    pub producer: &'static str,
    /// Name of the consumer's stage in messages.
    pub consumer: &'static str,
    /// GLSL version times 100; 460 if a stage is not GLSL.
    pub version: u16,
    /// True if the program is ES.
    pub is_es: bool,
    /// True if the languages differ or are WGSL, where an input without an output is an error.
    pub has_wgsl: bool,
    /// True if both stages are WGSL: variables that match by location follow WebGPU's rules for interfaces.
    pub is_wgsl: bool,
    /// True if both stages are for Vulkan: an input without an output is undefined, and an output vector may be wider
    /// than the input.
    pub is_vulkan: bool,
    /// True if the producer is GL's fixed-function vertex stage, which has no user outputs to match.
    pub is_fixed_function: bool,
    /// True if locations are labels, of which there may be more than locations.
    pub has_labels: bool,
    /// True if the locations of variables that no code names count, as in GLSL. In other modules these variables may
    /// belong to another entry point.
    pub do_declarations_count: bool,
}

impl LinkRules {
    /// The rules for two stages. The newest version in their program applies.
    pub(crate) fn of(
        producer: &StageModule,
        consumer: &StageModule,
        options: &LinkOptions,
    ) -> Self {
        let own = Self::of_languages(producer.rules, consumer.rules);
        Self {
            version: own.version.max(options.rules.newest_version),
            producer: producer.stage.name(),
            consumer: consumer.stage.name(),
            ..own
        }
    }

    /// The rules for stages in two languages. The newer version applies.
    pub(crate) fn of_languages(producer: LanguageRules, consumer: LanguageRules) -> Self {
        match (producer, consumer) {
            (
                LanguageRules::Glsl { version: first, is_es: first_es },
                LanguageRules::Glsl { version: second, is_es: second_es },
            ) => Self {
                version: first.max(second),
                is_es: first_es && second_es,
                do_declarations_count: true,
                ..Self::of_modules()
            },
            (LanguageRules::FixedFunction, LanguageRules::Glsl { version, is_es }) => Self {
                version,
                is_es,
                is_fixed_function: true,
                do_declarations_count: true,
                ..Self::of_modules()
            },
            (LanguageRules::Spirv, LanguageRules::Spirv) => Self::of_modules(),
            (LanguageRules::Wgsl, LanguageRules::Wgsl) => {
                Self { version: 460, has_wgsl: true, is_wgsl: true, ..Self::of_modules() }
            }
            // Vulkan's rules for interfaces are those of SPIR-V in GL, except for cases that Vulkan leaves undefined or
            // allows.
            (LanguageRules::Vulkan, LanguageRules::Vulkan) => {
                Self { is_vulkan: true, ..Self::of_modules() }
            }
            (
                LanguageRules::FixedFunction
                | LanguageRules::Spirv
                | LanguageRules::Vulkan
                | LanguageRules::Glsl { .. },
                LanguageRules::Wgsl,
            )
            | (
                LanguageRules::Wgsl
                | LanguageRules::FixedFunction
                | LanguageRules::Spirv
                | LanguageRules::Vulkan
                | LanguageRules::Glsl { .. },
                LanguageRules::FixedFunction,
            )
            | (
                LanguageRules::Wgsl | LanguageRules::Spirv | LanguageRules::Vulkan,
                LanguageRules::Glsl { .. },
            )
            | (
                LanguageRules::Wgsl
                | LanguageRules::FixedFunction
                | LanguageRules::Vulkan
                | LanguageRules::Glsl { .. },
                LanguageRules::Spirv,
            )
            | (
                LanguageRules::Wgsl
                | LanguageRules::FixedFunction
                | LanguageRules::Spirv
                | LanguageRules::Glsl { .. },
                LanguageRules::Vulkan,
            ) => Self { version: 460, has_wgsl: true, ..Self::of_modules() },
        }
    }

    /// The rules for two SPIR-V modules.
    const fn of_modules() -> Self {
        Self {
            version: 450,
            is_es: false,
            has_wgsl: false,
            is_wgsl: false,
            is_vulkan: false,
            is_fixed_function: false,
            has_labels: false,
            do_declarations_count: false,
            producer: "vertex",
            consumer: "fragment",
        }
    }

    pub(crate) const fn must_interpolation_match(self) -> bool {
        self.is_es || self.version < 440
    }

    pub(super) const fn must_used_input_be_declared(self) -> bool {
        let is_old_or_new = self.version <= 120 || self.version >= 420;
        (self.is_es || self.has_wgsl || is_old_or_new) && !self.is_fixed_function
    }

    pub(super) const fn must_used_input_be_written(self) -> bool {
        !self.is_es && self.version <= 120
    }

    pub(super) const fn must_invariance_match(self) -> bool {
        self.version < if self.is_es { 300 } else { 420 }
    }

    pub(super) const fn must_block_centroid_match(self) -> bool {
        !(self.is_es && self.version >= 310)
    }

    /// True if the two interpolation qualifiers mean the same.
    pub(crate) fn same_interpolation(self, first: Interpolation, second: Interpolation) -> bool {
        let normalise = |interpolation| match interpolation {
            Interpolation::Unqualified if self.is_es => Interpolation::Smooth,
            other @ (Interpolation::Unqualified
            | Interpolation::Smooth
            | Interpolation::Flat
            | Interpolation::NoPerspective) => other,
        };
        normalise(first) == normalise(second)
    }
}
