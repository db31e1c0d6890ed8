//! Compiles the stages of a case, in whatever language, to one shape: [`StageModule`].
//!
//! There are three seams on the way from GLSL text: *tokens* (`glsl/preprocess`), *tree* ([`glsl::ast`]) and
//! *stage module*. WGSL and SPIR-V are read by naga and meet GLSL at the last one.

pub mod glsl;
pub mod stage_module;
pub mod wgsl;

pub use stage_module::StageModule;

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why a stage does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The shader's: it is wrong. All errors that were found.
    Refused(Vec<Diagnostic>),
    /// Ours: it is right, but uses something that cannot be compiled yet.
    Unsupported {
        /// The construct (`sampler2D`, `double`).
        word: String,
        /// Where it stands.
        span: Span,
    },
}
