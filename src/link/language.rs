//! Which languages the stages of a program may be in.
//!
//! GL links SPIR-V stages only with one another (`GL_ARB_gl_spirv`: all shaders of a program have `SPIR_V_BINARY` alike).
//! A case may ask for more; then varyings meet by location, as SPIR-V's do in any case.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::frontend::stage_module::{LanguageRules, ResourceKind, UniformKind};
use crate::link::{LinkError, LinkOptions};
use crate::source::Span;

/// Refuses a SPIR-V stage beside a GLSL one, unless the case mixes them.
pub(super) fn check(
    vertex: &StageModule,
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let is_mixed = is_spirv(vertex) && is_glsl(fragment) || is_glsl(vertex) && is_spirv(fragment);
    if !is_mixed {
        return Ok(());
    }
    if !options.mixes_languages {
        let message = "a SPIR-V stage cannot be linked with a GLSL one";
        return Err(LinkError::Refused(vec![Diagnostic::error(Span::default(), message)]));
    }
    // One of them is known by its name and the other by its place, so nobody can say whether they are one.
    match places(vertex).intersection(&places(fragment)).next() {
        None => Ok(()),
        Some(place) => {
            let word = format!("{place} in both a SPIR-V and a GLSL stage");
            Err(LinkError::Unsupported { word, span: Span::default() })
        }
    }
}

fn is_spirv(stage: &StageModule) -> bool {
    stage.rules == LanguageRules::Spirv
}

fn is_glsl(stage: &StageModule) -> bool {
    matches!(stage.rules, LanguageRules::Glsl { .. } | LanguageRules::FixedFunction)
}

/// Where the stage's uniforms and buffers are.
fn places(stage: &StageModule) -> BTreeSet<String> {
    let uniforms = stage.uniforms.iter().filter_map(|uniform| match &uniform.kind {
        UniformKind::Loose { location } => {
            location.map(|location| format!("uniform location {location}"))
        }
        UniformKind::Block { binding, .. } => {
            Some(format!("uniform block binding {}", binding.unwrap_or(0)))
        }
        UniformKind::Subroutine { .. } => None,
    });
    let resources = stage.resources.iter().filter_map(|resource| {
        let kind = match resource.kind {
            ResourceKind::StorageBuffer { .. } => "storage block",
            ResourceKind::UniformBuffer => "uniform block",
            ResourceKind::AtomicCounters => "atomic counter",
            // These share units without sharing anything else.
            ResourceKind::Texture | ResourceKind::Sampler | ResourceKind::Image => return None,
        };
        Some(format!("{kind} binding {}", resource.binding.unwrap_or(0)))
    });
    uniforms.chain(resources).collect()
}
