//! Checks the combinations of languages and versions of the stages of a program.
//!
//! Versions of desktop GLSL may be mixed, and the rules of the highest apply; a version of ES links only with itself
//! (GLSL 4.60 section 3.3, GLSL ES 3.20 section 3.4).
//!
//! GL links SPIR-V stages only with each other (`GL_ARB_gl_spirv`: all shaders of a program have the same
//! `SPIR_V_BINARY` state). A case may allow mixing with GLSL; varyings are then matched by location, as SPIR-V's always
//! are.

use std::collections::BTreeMap;

use crate::table::binding::Sharing;
use crate::{LinkError, LinkOptions, ProgramRules};
use ir::diagnostic::Diagnostic;
use ir::source::Span;
use ir::stage_module::{LanguageRules, ResourceKind, StageModule, UniformKind, version_name};

/// The options for a program of these stages, with the version whose rules apply to it.
pub(crate) fn options_for<'a>(
    stages: impl Iterator<Item = &'a StageModule>,
    options: &LinkOptions,
) -> LinkOptions {
    let version = |stage: &StageModule| match stage.rules {
        LanguageRules::Glsl { version, is_es: false } => version,
        LanguageRules::Glsl { is_es: true, .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => 0,
    };
    let newest_version = match options.labels.sharing() {
        Sharing::ByName => stages.map(version).max().unwrap_or(0),
        Sharing::Apart => 0,
    };
    let rules = ProgramRules { newest_version, ..options.rules.clone() };
    LinkOptions { rules, ..options.clone() }
}

/// Rejects two neighbouring stages whose languages or versions do not link. The versions of separable programs may
/// differ.
pub(crate) fn check(
    producer: &StageModule,
    consumer: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    match options.labels.sharing() {
        Sharing::ByName => check_versions(producer, consumer)?,
        Sharing::Apart => {}
    }
    check_mix(producer, consumer, &options.rules)
}

/// Rejects ES combined with desktop GLSL, and two versions of ES.
fn check_versions(producer: &StageModule, consumer: &StageModule) -> Result<(), LinkError> {
    let (
        LanguageRules::Glsl { version: first, is_es: first_es },
        LanguageRules::Glsl { version: second, is_es: second_es },
    ) = (producer.rules, consumer.rules)
    else {
        return Ok(());
    };
    if (first_es, second_es) == (false, false) || (first, first_es) == (second, second_es) {
        return Ok(());
    }
    let message = format!(
        "the {} stage is in {} but the {} stage is in {}",
        producer.stage.name(),
        version_name(first, first_es),
        consumer.stage.name(),
        version_name(second, second_es)
    );
    let place = consumer.place.or(producer.place);
    Err(LinkError::Refused(vec![Diagnostic::error(place, message)]))
}

/// Rejects a SPIR-V stage combined with a GLSL stage, unless the case mixes them.
fn check_mix(
    vertex: &StageModule,
    fragment: &StageModule,
    rules: &ProgramRules,
) -> Result<(), LinkError> {
    let is_mixed = is_spirv(vertex) && is_glsl(fragment) || is_glsl(vertex) && is_spirv(fragment);
    if !is_mixed {
        return Ok(());
    }
    if !rules.mixes_languages {
        let message = "a SPIR-V stage cannot be linked with a GLSL one";
        let place = fragment.place.or(vertex.place);
        return Err(LinkError::Refused(vec![Diagnostic::error(place, message)]));
    }
    // One resource is identified by name and the other by location or binding, so it is unknown whether they are the
    // same.
    let known = places(vertex);
    let mut both = places(fragment).into_iter().filter(|(place, _)| known.contains_key(place));
    both.next().map_or(Ok(()), |(place, span)| {
        let word = format!(
            "{place} in both a SPIR-V stage, where this identifies it, and a GLSL stage, where its name does"
        );
        Err(LinkError::Unsupported { word, span })
    })
}

fn is_spirv(stage: &StageModule) -> bool {
    stage.rules == LanguageRules::Spirv
}

fn is_glsl(stage: &StageModule) -> bool {
    matches!(stage.rules, LanguageRules::Glsl { .. } | LanguageRules::FixedFunction)
}

/// Locations and bindings of the stage's uniforms and buffers, with the positions of their declarations.
fn places(stage: &StageModule) -> BTreeMap<String, Option<Span>> {
    let uniforms = stage.uniforms.iter().filter_map(|uniform| {
        let place = match &uniform.kind {
            UniformKind::Loose { location } => format!("uniform location {}", (*location)?),
            UniformKind::Block { binding, .. } => {
                format!("uniform block binding {}", binding.unwrap_or(0))
            }
            UniformKind::Subroutine { .. } => return None,
        };
        Some((place, uniform.span))
    });
    let resources = stage.resources.iter().filter_map(|resource| {
        let kind = match resource.kind {
            ResourceKind::StorageBuffer { .. } => "storage block",
            ResourceKind::UniformBuffer => "uniform block",
            ResourceKind::AtomicCounters => "atomic counter",
            // The first three may share units without being the same resource; immediates have no place.
            ResourceKind::Texture
            | ResourceKind::Sampler
            | ResourceKind::Image
            | ResourceKind::Immediates => return None,
        };
        Some((format!("{kind} binding {}", resource.binding.unwrap_or(0)), resource.span))
    });
    uniforms.chain(resources).collect()
}
