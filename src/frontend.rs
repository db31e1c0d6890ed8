//! Compiles the stages of a case, in whatever language, to one shape: [`StageModule`].
//!
//! There are three seams on the way from GLSL text: *tokens* (`glsl/preprocess`), *tree* ([`glsl::ast`]) and
//! *stage module*. WGSL and SPIR-V are read by naga and meet GLSL at the last one.

pub mod glsl;
pub mod stage_module;

pub use stage_module::StageModule;
