//! Known objections that are not caused by the case, each with the party at fault.

use super::message::{Objection, Source};

/// A known objection, which is ignored.
#[derive(Debug)]
pub struct Known {
    /// The validator that reports it.
    pub source: Source,
    /// Name of the objection.
    pub id: &'static str,
    /// A part of the objection's text.
    pub text: &'static str,
    /// The condition on the case under which it is ignored.
    pub when: When,
    /// The party at fault and the reason.
    pub why: &'static str,
}

/// Condition on the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Holds for every case.
    Always,
    /// Holds if a draw has a stencil test that neither compares with the reference value nor writes it.
    StencilIgnoresReference,
}

/// Properties of a case that conditions refer to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Circumstances {
    /// True if the condition [`When::StencilIgnoresReference`] holds.
    pub(crate) stencil_ignores_reference: bool,
}

impl When {
    /// The condition in words, as printed in `docs/validation.md`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::StencilIgnoresReference => {
                "a stencil test neither compares with the reference value nor writes it"
            }
        }
    }

    const fn holds(self, case: Circumstances) -> bool {
        match self {
            Self::Always => true,
            Self::StencilIgnoresReference => case.stencil_ignores_reference,
        }
    }
}

const SAMPLE_MASK: &str = "naga 30 declares the mask as one number (gfx-rs/wgpu#7311); SPIR-V's validator says nothing \
                           more about such a module";
const POINT_SIZE: &str = "wgpu 30 gives every vertex stage a `PointSize`, and does not count it where it says how many \
                          inter-stage variables there are: 31 of them, a position and one more make 129 components";

/// All known objections, as listed in `docs/validation.md`.
pub const KNOWN: &[Known] = &[
    Known {
        source: Source::Vulkan,
        id: "VUID-vkCmdDrawIndexed-None-07839",
        text: "VK_DYNAMIC_STATE_STENCIL_REFERENCE state",
        when: When::StencilIgnoresReference,
        why: "wgpu 30 makes the reference dynamic in every pipeline and sets it only where a test needs it; Vulkan wants \
              it set where there is any test",
    },
    Known {
        source: Source::Vulkan,
        id: "VUID-vkCmdDrawIndexed-commandBuffer-02701",
        text: "VK_DYNAMIC_STATE_LINE_WIDTH state not set",
        when: When::StencilIgnoresReference,
        why: "the same of wgpu's; the layer of 1.3.239 gives it the name of another state, which wgpu never makes dynamic",
    },
    Known {
        source: Source::Vulkan,
        id: "VUID-SampleMask-SampleMask-04359",
        text: "BuiltIn SampleMask variable needs to be a 32-bit int array",
        when: When::Always,
        why: SAMPLE_MASK,
    },
    Known {
        source: Source::Vulkan,
        id: "UNASSIGNED-CoreValidation-Shader-InconsistentSpirv",
        text: "BuiltIn SampleMask variable needs to be a 32-bit int array",
        when: When::Always,
        why: SAMPLE_MASK,
    },
    Known {
        source: Source::Vulkan,
        id: "VUID-RuntimeSpirv-Location-06272",
        text: "along with 5 built-in components, exceeds component limit maxVertexOutputComponents (128)",
        when: When::Always,
        why: POINT_SIZE,
    },
    Known {
        source: Source::Vulkan,
        id: "VUID-RuntimeSpirv-Location-06272",
        text: "maxVertexOutputComponents of 128 components by 1 components",
        when: When::Always,
        why: POINT_SIZE,
    },
];

/// True if an objection is known and ignored for a case with these properties.
pub(crate) fn is_known(objection: &Objection, case: Circumstances) -> bool {
    KNOWN.iter().any(|known| {
        known.source == objection.source
            && known.id == objection.id
            && objection.text.contains(known.text)
            && known.when.holds(case)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_every_row() {
        let document = include_str!("../../../docs/validation.md");
        for known in KNOWN {
            let row = format!(
                "| {} | `{}` | `{}` | {} |",
                known.source.backend(),
                known.id,
                known.text,
                known.when.words()
            );
            assert!(document.contains(&row), "{row}");
        }
        let rows = document.lines().filter(|line| line.starts_with("| vulkan |")).count();
        assert_eq!(rows, KNOWN.len());
    }

    #[test]
    fn a_row_is_about_its_name_its_text_and_its_circumstances() {
        let known = &KNOWN[0];
        let objection = |id: &str, text: &str| Objection {
            source: known.source,
            id: id.to_owned(),
            text: format!("vkCmdDraw(): {text}, never"),
            scope: Vec::new(),
        };
        let case = Circumstances { stencil_ignores_reference: true };
        assert!(is_known(&objection(known.id, known.text), case));
        assert!(!is_known(&objection(known.id, known.text), Circumstances::default()));
        assert!(!is_known(&objection("VUID-vkCmdDraw-None-07839", known.text), case));
        assert!(!is_known(&objection(known.id, "VK_DYNAMIC_STATE_VIEWPORT state"), case));
        let foreign = Objection { source: Source::Gl, ..objection(known.id, known.text) };
        assert!(!is_known(&foreign, case));
    }
}
