//! Compiles the stages of a case, in whatever language, to one shape: [`StageModule`].
//!
//! There are three seams on the way from GLSL text: *tokens* (`glsl/preprocess`), *tree* ([`glsl::ast`]) and
//! *stage module*. WGSL and SPIR-V are read by naga and meet GLSL at the last one.

pub mod glsl;
pub mod stage_module;
pub mod wgsl;

pub use stage_module::StageModule;

use crate::case::{Case, Dialect, Language, Requirement, ShaderSource, ShaderStage};
use crate::diagnostic::Diagnostic;
use crate::link::Stages;
use crate::source::Span;
use glsl::ast::Version;
use stage_module::LanguageRules;

/// Why a stage does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The shader's: it is wrong. All errors that were found.
    Diagnostics(Vec<Diagnostic>),
    /// Ours: it is right, but uses something that cannot be compiled yet.
    Unsupported {
        /// The construct (`sampler2D`, `double`).
        word: String,
        /// Where it stands.
        span: Span,
    },
}

/// Compiles every stage of `case`.
pub fn compile(case: &Case) -> Result<Stages, CompileError> {
    let vertex = sections(case, ShaderStage::Vertex);
    let fragment = sections(case, ShaderStage::Fragment);
    let compute = sections(case, ShaderStage::Compute);
    if !compute.is_empty() {
        if let Some(other) = vertex.first().or(fragment.first()) {
            let message = "a compute shader cannot be in one case with vertex or fragment shaders";
            return Err(wrong(other.header, message));
        }
        return Ok(Stages::Compute(compile_stage(case, ShaderStage::Compute, &compute)?));
    }
    let fragment_stage = if fragment.is_empty() {
        None
    } else {
        Some(compile_stage(case, ShaderStage::Fragment, &fragment)?)
    };
    let Some(first) = vertex.first() else {
        let span = fragment.first().map_or(Span::default(), |section| section.header);
        let word = "fixed-function vertex stage".to_owned();
        return Err(CompileError::Unsupported { word, span });
    };
    let vertex_stage = match first.language {
        Language::Passthrough => {
            let rules = fragment_stage.as_ref().map(|stage| stage.rules);
            wgsl::passthrough(rules.unwrap_or(LanguageRules::Glsl { version: 450, is_es: false }))
        }
        Language::Glsl | Language::Wgsl | Language::SpirvAssembly => {
            compile_stage(case, ShaderStage::Vertex, &vertex)?
        }
    };
    Ok(Stages::Render { vertex: vertex_stage, fragment: fragment_stage })
}

fn sections(case: &Case, stage: ShaderStage) -> Vec<&ShaderSource> {
    case.shaders.iter().filter(|shader| shader.stage == stage).collect()
}

fn compile_stage(
    case: &Case,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let first = sections[0];
    if let Some(other) = sections.iter().find(|section| section.language != first.language) {
        return Err(wrong(other.header, "the shader objects of one stage must be in one language"));
    }
    match first.language {
        Language::Glsl => compile_glsl(case, stage, sections),
        Language::Wgsl | Language::Passthrough if sections.len() > 1 => {
            Err(wrong(sections[1].header, "a stage in this language is one section"))
        }
        Language::Wgsl => wgsl::compile(case.source.text(), first.text, stage, &case.varyings),
        Language::Passthrough => {
            Err(wrong(first.header, "only a vertex shader can be passthrough"))
        }
        Language::SpirvAssembly => {
            Err(CompileError::Unsupported { word: "SPIR-V".to_owned(), span: first.header })
        }
    }
}

fn compile_glsl(
    case: &Case,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let mut units = Vec::new();
    let mut errors = Vec::new();
    for section in sections {
        let options = glsl::ParseOptions {
            default_version: default_version(case, section),
            ..glsl::ParseOptions::default()
        };
        match glsl::parse(case.source.slice(section.text), section.text.start, &options) {
            Ok(unit) => units.push(unit),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        glsl::compile(&units, stage, &glsl::Hints::of(case))
    } else {
        Err(CompileError::Diagnostics(errors))
    }
}

/// The version of a section without `#version`. As in piglit, the one of `[require]` counts only when no `#version`
/// follows in the rest of the file.
fn default_version(case: &Case, section: &ShaderSource) -> Version {
    let required = case.requirements.iter().find_map(|requirement| {
        let Requirement::Glsl { is_es, version } = requirement.value else { return None };
        Some(Version { number: version, is_es, is_compatibility: !is_es && version < 140 })
    });
    let rest = case.source.text().get(section.text.start..).unwrap_or("");
    let is_alone = !rest.contains("#version");
    match (required, case.dialect) {
        (Some(version), _) if is_alone => version,
        (None, Dialect::Interstage) => {
            Version { number: 450, is_es: false, is_compatibility: false }
        }
        (Some(_) | None, _) => Version::default(),
    }
}

fn wrong(span: Span, message: &str) -> CompileError {
    CompileError::Diagnostics(vec![Diagnostic::error(span, message)])
}
