//! GLSL 1.10 to 4.60 and ES 1.00 to 3.20: tokens, tree, and lowering to naga's IR.

pub mod ast;

use crate::case::ShaderStage;
use crate::diagnostic::Diagnostic;
use crate::frontend::{CompileError, StageModule};
use ast::{TranslationUnit, Version};

/// What the text itself does not say.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// The version of a text without `#version`.
    pub default_version: Version,
}

/// stub
pub fn parse(
    text: &str,
    base: usize,
    options: &ParseOptions,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let _ = (text, base, options);
    Ok(TranslationUnit::default())
}

/// stub
pub fn compile(
    objects: &[TranslationUnit],
    stage: ShaderStage,
) -> Result<StageModule, CompileError> {
    let _ = (objects, stage);
    Err(CompileError::Unsupported { word: "GLSL".into(), span: crate::source::Span::default() })
}
