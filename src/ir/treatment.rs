//! Treatment of words that change the meaning of a declaration: qualifiers, layout words, execution modes, decorations.
//!
//! Each reader has a table of all words that its language knows. A word without a row is an error of the shader, so no
//! word is silently dropped.

/// Treatment of a word at a place where the language allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The meaning of the word reaches this part of the [`StageModule`](crate::stage::stage_module::StageModule).
    Carried(&'static str),
    /// The word changes nothing that a case can observe, for this reason.
    NoEffect(&'static str),
    /// The word is valid but not supported: compilation ends with its name.
    Unsupported,
}
