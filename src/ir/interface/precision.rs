//! Precision qualifiers of GLSL.

/// A precision qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's keywords")]
pub enum Precision {
    Low,
    Medium,
    High,
}

impl Precision {
    /// GLSL's keyword.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "lowp",
            Self::Medium => "mediump",
            Self::High => "highp",
        }
    }
}
