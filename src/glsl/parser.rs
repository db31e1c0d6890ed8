//! Parser from GLSL text to syntax tree: recursive descent over preprocessed tokens.
//!
//! Trees are shallow by construction, so that they can be walked recursively: statements, braces and operands nest at
//! most [`MAX_NESTING`] deep, and an expression is at most [`MAX_EXPRESSION_DEPTH`] nodes deep, including chains of
//! left-associative operators. Deeper nesting is unsupported, at the position where it becomes too deep.

mod cursor;
mod declaration;
mod expression;
mod order;
mod rules;
mod scope;
mod statement;
mod types;

use ir::diagnostic::{CompileError, Diagnostic};

use self::cursor::{Parser, Unsupported};
use self::rules::ParserRules;
use super::ast::{TranslationUnit, Version};
use super::preprocess::{self, Library, MAX_ERRORS, Preprocessed, Spliced};
use super::target::Target;
use super::word::Vocabulary;

pub use super::preprocess::Include;

/// Maximum nesting depth of statements, braces, parentheses and operands.
pub const MAX_NESTING: usize = 100;
/// Maximum depth of an expression's tree.
pub const MAX_EXPRESSION_DEPTH: usize = 320;

/// Settings from outside the text.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Version of shaders without `#version`.
    pub default_version: Version,
    /// Texts that `#include` can name.
    pub includes: Vec<Include>,
    /// Folders of the include tree in which relative paths are looked up, in order.
    pub include_folders: Vec<String>,
    /// The API that the shader is for.
    pub target: Target,
}

/// Parses one shader object. `text` begins at byte `base` of the case's source, and all spans of the tree and of the
/// errors are positions in that source.
pub fn parse(
    text: &str,
    base: usize,
    options: &ParseOptions,
) -> Result<TranslationUnit, CompileError> {
    let wrong = |errors| CompileError::Diagnostics(first_errors(errors));
    let spliced = Spliced::new(text, base);
    let library = Library::new(&options.includes, &options.include_folders);
    let mut preprocessed =
        preprocess::preprocess(&spliced, &library, options.default_version, options.target)
            .map_err(wrong)?;
    if let Some((word, span)) = preprocessed.unsupported.take() {
        return Err(CompileError::Unsupported { word, span: Some(span) });
    }
    let mut extensions = std::mem::take(&mut preprocessed.extensions);
    extensions.extend(options.target.extension(base));
    let vocabulary = Vocabulary::new(preprocessed.version, &extensions);
    let lexemes =
        cursor::classify(preprocessed.tokens, &vocabulary, base + text.len()).map_err(wrong)?;
    let mut parser = Parser::new(&lexemes, ParserRules::new(preprocessed.version, &extensions));
    let items = parser.items();
    if !parser.errors.is_empty() {
        return Err(CompileError::Diagnostics(parser.errors));
    }
    if let Some(Unsupported { word, span }) = parser.unsupported {
        return Err(CompileError::unsupported(word, span));
    }
    let Preprocessed { version, invariant_all, .. } = preprocessed;
    Ok(TranslationUnit { version, extensions, invariant_all, items })
}

fn first_errors(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.truncate(MAX_ERRORS);
    errors
}

#[cfg(test)]
mod tests;
