//! Languages of external programs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A language that programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// The binary format of Vulkan.
    Spirv,
    /// The language of WebGPU.
    Wgsl,
    /// The language of Direct3D.
    Hlsl,
    /// GLSL 4.50, or ES 3.10 for what 4.50 lacks.
    Glsl,
}

impl Language {
    /// All languages, with their names in options.
    pub const ALL: [(&'static str, Self); 4] =
        [("spirv", Self::Spirv), ("wgsl", Self::Wgsl), ("hlsl", Self::Hlsl), ("glsl", Self::Glsl)];

    /// Extension of a file. Programs of several languages tell them apart by it.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Spirv => "spv",
            Self::Wgsl => "wgsl",
            Self::Hlsl => "hlsl",
            Self::Glsl => "glsl",
        }
    }

    /// Name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spirv => "spirv",
            Self::Wgsl => "wgsl",
            Self::Hlsl => "hlsl",
            Self::Glsl => "glsl",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
