//! Compiles stages for tests of the linker.

pub(crate) mod combinations;
pub(crate) mod tests;

use glsl::{Hints, ParseOptions};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// Compiles a GLSL stage. Panics if the text is invalid.
pub(crate) fn stage(stage: ShaderStage, text: &str) -> StageModule {
    let unit = glsl::parse(text, 0, &ParseOptions::default()).expect("the test's GLSL is right");
    glsl::compile(&[unit], stage, &Hints::default()).expect("the test's GLSL is right")
}
