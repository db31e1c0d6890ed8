//! The shader sections of a case.

use std::sync::Arc;

use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;

/// The language of a shader section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL or GLSL ES; the version is in the text or in `[require]`.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    SpirvAssembly,
    /// No text: the pass-through vertex shader, which copies the attribute `piglit_vertex` to the position.
    Passthrough,
}

/// One shader section.
#[derive(Clone, Debug)]
pub struct ShaderSource {
    /// Stage of the section.
    pub stage: ShaderStage,
    /// Language of the section.
    pub language: Language,
    /// The object's name for separable programs (`[vertex shader NAME]`).
    pub name: Option<String>,
    /// The header line.
    pub header: Span,
    /// The shader text, as a span of the case's source.
    pub text: Span,
    /// `entry = "name"`: entry point of a SPIR-V or WGSL module.
    pub entry: Option<Spanned<String>>,
    /// `file = "path"`: the file with the SPIR-V module; the section has no text.
    pub file: Option<BinaryFile>,
}

/// A binary file that a case names. The parser does no I/O: callers load the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryFile {
    /// Path relative to the case's folder, and inside it.
    pub path: Spanned<String>,
    /// The bytes, or the error message of the load.
    pub content: Result<Arc<[u8]>, String>,
}

/// One `[shader include]` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeSource {
    /// Path for `#include`: the first line of the section.
    pub path: String,
    /// The text below the first line.
    pub text: Span,
}
