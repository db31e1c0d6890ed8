//! Compiles the stages of a case, in any language, to [`StageModule`]s.
//!
//! Compiling GLSL has three interfaces: *tokens* (`glsl/preprocess`), *syntax tree* ([`glsl::ast`]) and *stage module*.
//! WGSL and SPIR-V are parsed by naga and join GLSL at the last one.

mod emulated;
mod hints;
mod name_order;
mod newer;
pub mod objects;
mod orientation;
mod row;
#[cfg(test)]
mod testing;

use case::gl::{self, limit::Limits};
use case::{Case, Dialect, GlRequirement, IncludeSource, Language, ShaderSource};
use glsl::ast::Version;
use ir::diagnostic::{CompileError, Diagnostic, Unsupported};
use ir::options::PerVertexRule;
use ir::source::Span;
use ir::stage::{PerStage, ShaderStage, Specialization};
use ir::stage_module::{LanguageRules, Stages, version_name};

pub use ir::stage_module::StageModule;

pub use objects::{Objects, compile_alone, compile_objects, has_objects};

/// Compiles every stage of `case`. `limits` are the values of GLSL's constants.
pub fn compile(case: &Case, limits: &Limits) -> Result<Stages, CompileError> {
    if let Some(named) = case.shaders.iter().find(|shader| shader.name.is_some()) {
        return Err(CompileError::unsupported("separable programs", named.header));
    }
    let sections = PerStage::from_fn(|stage| sections(case, stage));
    let optional = |stage| optional_stage(case, limits, stage, &sections);
    if !sections[ShaderStage::Compute].is_empty() {
        let is_other = |section: &&ShaderSource| section.stage != ShaderStage::Compute;
        if let Some(other) = case.shaders.iter().find(is_other) {
            let message = "a case cannot have both a compute shader and shaders of other stages";
            return Err(CompileError::Link(vec![Diagnostic::error(other.header, message)]));
        }
        return program(optional(ShaderStage::Compute)?);
    }
    let fragment = optional(ShaderStage::Fragment)?;
    let vertex = &sections[ShaderStage::Vertex];
    if vertex.is_empty() && case.link.per_vertex == PerVertexRule::Redeclared {
        // A separable program without a vertex stage has no fixed-function one: it links without it.
        let place = case.shaders.first().map(|section| section.header);
        return Err(CompileError::unsupported("a separable program without a vertex stage", place));
    }
    let emulated = emulated::compile(case, limits, &sections)?;
    let vertex = match &fragment {
        Some(own) if vertex.is_empty() => fixed_vertex(&sections[ShaderStage::Fragment], own)?,
        Some(_) | None => compile_vertex(case, limits, vertex, fragment.as_ref())?,
    };
    let mut all: Vec<_> = std::iter::once(vertex).chain(emulated).collect();
    let draws = case.rasterised_draws().next().is_some();
    let fixed = || all.last().filter(|_| draws).and_then(glsl::fixed_function::fragment);
    let fragment = fragment.or_else(fixed);
    all.extend(fragment);
    program(all)
}

/// Compiles every program of `case`: first that of its shaders, then the further ones in order.
pub fn compile_all(case: &Case, limits: &Limits) -> Result<Vec<Stages>, CompileError> {
    let further = case.further_programs.iter().map(|program| {
        let program = Case {
            shaders: program.shaders.clone(),
            specializations: program.specializations.clone(),
            ..case.clone()
        };
        compile(&program, limits)
    });
    std::iter::once(compile(case, limits)).chain(further).collect()
}

/// Compiles the vertex stage from its sections, or makes the pass-through stage.
fn compile_vertex(
    case: &Case,
    limits: &Limits,
    sections: &[&ShaderSource],
    fragment: Option<&StageModule>,
) -> Result<StageModule, CompileError> {
    let Some(first) = sections.first() else {
        return Err(no_fixed_function(None));
    };
    match first.language {
        Language::Passthrough => {
            // Has the version of the fragment stage, so that both link, but always GL's rules.
            let rules =
                fragment.map(|stage| stage.rules).filter(|rules| *rules != LanguageRules::Wgsl);
            let own = match case.dialect {
                Dialect::Vulkan => LanguageRules::Vulkan,
                Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Piglit => {
                    rules.unwrap_or(LanguageRules::Glsl { version: 450, is_es: false })
                }
            };
            let mut stage = wgsl::passthrough(own);
            if own == LanguageRules::Vulkan {
                // In Vulkan attributes have no names.
                stage.inputs[0].location = Some(0);
            }
            // piglit writes the pass-through stage in GLSL, without redeclaring `gl_PerVertex`.
            stage.unredeclared_member =
                (case.dialect == Dialect::Piglit).then(|| ("gl_Position".to_owned(), first.header));
            Ok(stage)
        }
        Language::Glsl | Language::Wgsl | Language::SpirvAssembly => {
            compile_stage(case, limits, ShaderStage::Vertex, sections)
        }
    }
}

/// The fixed-function vertex stage for a case without a vertex stage.
fn fixed_vertex(
    sections: &[&ShaderSource],
    fragment: &StageModule,
) -> Result<StageModule, CompileError> {
    let made = match fragment.rules {
        LanguageRules::Glsl { .. } => glsl::fixed_function::vertex(fragment),
        LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => None,
    };
    let span = sections.first().map(|section| section.header);
    made.ok_or_else(|| no_fixed_function(span))
}

fn no_fixed_function(span: Option<Span>) -> CompileError {
    CompileError::unsupported("fixed-function vertex stage", span)
}

/// The program of these stages.
fn program(stages: impl IntoIterator<Item = StageModule>) -> Result<Stages, CompileError> {
    Stages::new(stages).map_err(|Unsupported(word)| CompileError::unsupported(word, None))
}

fn sections(case: &Case, stage: ShaderStage) -> Vec<&ShaderSource> {
    case.shaders.iter().filter(|shader| shader.stage == stage).collect()
}

/// Compiles a stage if it has sections.
fn optional_stage(
    case: &Case,
    limits: &Limits,
    stage: ShaderStage,
    sections: &PerStage<Vec<&ShaderSource>>,
) -> Result<Option<StageModule>, CompileError> {
    let own = &sections[stage];
    if own.is_empty() { Ok(None) } else { compile_stage(case, limits, stage, own).map(Some) }
}

fn compile_stage(
    case: &Case,
    limits: &Limits,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let mut compiled = compile_sections(case, limits, stage, sections)?;
    row::straighten(&mut compiled);
    Ok(compiled)
}

fn compile_sections(
    case: &Case,
    limits: &Limits,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let mut compiled = compile_language(case, limits, stage, sections)?;
    compiled.place = Some(sections[0].header);
    if case.dialect == Dialect::Vulkan {
        orientation::turn(&mut compiled);
    }
    Ok(compiled)
}

/// Compiles a stage according to the rules of its language.
fn compile_language(
    case: &Case,
    limits: &Limits,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let first = sections[0];
    if let Some(other) = sections.iter().find(|section| section.language != first.language) {
        return Err(wrong(other.header, "the shader objects of one stage must be in one language"));
    }
    match first.language {
        Language::Glsl => compile_glsl(case, limits, stage, sections),
        Language::Wgsl | Language::Passthrough | Language::SpirvAssembly if sections.len() > 1 => {
            Err(wrong(sections[1].header, "a stage in this language must be a single section"))
        }
        Language::Wgsl if let Some(word) = stage.properties().family => {
            Err(wrong(first.header, &format!("WGSL has no {word} stages")))
        }
        Language::SpirvAssembly if let Some(word) = stage.properties().family => {
            let word = format!("{word} stages in SPIR-V, which naga's reader does not know");
            Err(CompileError::unsupported(word, first.header))
        }
        Language::Wgsl => wgsl::compile(&wgsl::Input {
            source: case.source.text(),
            text: first.text,
            stage,
            entry: first.entry.as_ref(),
            varyings: &case.varyings,
            values: &specializations(case, stage),
        }),
        Language::Passthrough => {
            Err(wrong(first.header, "only a vertex shader can be passthrough"))
        }
        Language::SpirvAssembly => {
            let values = specializations(case, stage);
            spirv::compile(&spirv_input(case, first), stage, &values)
        }
    }
}

/// Input of the SPIR-V front end for a section.
fn spirv_input<'a>(case: &'a Case, shader: &'a ShaderSource) -> spirv::Input<'a> {
    let form = match &shader.file {
        None => spirv::Form::Assembly { source: case.source.text(), text: shader.text },
        Some(file) => spirv::Form::Binary {
            content: file.content.as_deref().map_err(String::as_str),
            span: file.path.span,
        },
    };
    let conventions = match case.dialect {
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Piglit => {
            spirv::Conventions::OpenGl
        }
        Dialect::Vulkan => spirv::Conventions::Vulkan,
    };
    spirv::Input { form, entry: shader.entry.as_ref(), conventions }
}

fn specializations(case: &Case, stage: ShaderStage) -> Vec<Specialization> {
    case.specializations.iter().filter(|value| value.stage == stage).cloned().collect()
}

fn compile_glsl(
    case: &Case,
    limits: &Limits,
    stage: ShaderStage,
    sections: &[&ShaderSource],
) -> Result<StageModule, CompileError> {
    let mut units = Vec::new();
    let mut errors = Vec::new();
    for section in sections {
        let options = glsl::ParseOptions {
            default_version: default_version(case, section),
            includes: includes(case),
            include_folders: case.include_folders.clone(),
            target: match case.dialect {
                Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Piglit => {
                    if case.is_only_compiled() {
                        glsl::Target::CheckedOpenGl
                    } else {
                        glsl::Target::OpenGl
                    }
                }
                Dialect::Vulkan => glsl::Target::Vulkan,
            },
        };
        match glsl::parse(case.source.slice(section.text), section.text.start, &options) {
            Ok(mut unit) => {
                if gl::api(case) == gl::Api::Es && !unit.version.is_es {
                    errors.push(desktop_in_es(case, section, unit.version));
                }
                if options.target == glsl::Target::Vulkan {
                    glsl::specialize(&mut unit, &specializations(case, stage))?;
                }
                units.push(unit);
            }
            Err(CompileError::Diagnostics(found)) => errors.extend(found),
            Err(other @ (CompileError::Link(_) | CompileError::Unsupported { .. })) => {
                return Err(other);
            }
        }
    }
    if errors.is_empty() {
        let compiled = glsl::compile(&units, stage, &hints::of(case, limits));
        compiled.map_err(|error| {
            let versions = sections.iter().zip(&units).map(|(own, unit)| (own.text, unit.version));
            at_section(with_versions(error, &versions.collect::<Vec<_>>()), sections[0].header)
        })
    } else {
        Err(CompileError::Diagnostics(errors))
    }
}

/// The error for a stage in a desktop version of GLSL, which a GL ES context does not compile.
fn desktop_in_es(case: &Case, section: &ShaderSource, version: Version) -> Diagnostic {
    let (text, start) = (case.source.slice(section.text), section.text.start);
    let directive = text.find("#version").map(|at| {
        let length = text[at..].lines().next().map_or(0, |line| line.trim_end().len());
        Span::new(start + at, start + at + length)
    });
    let name = version_name(version.number, version.is_es);
    let message = format!("`[require]` asks for GL ES, which has no {name}");
    let help = "GL ES has GLSL ES, such as `#version 300 es` or `GLSL ES >= 3.00` in `[require]`";
    Diagnostic::error(directive.unwrap_or(section.header), message).with_help(help)
}

/// Names the version in messages about what "this version" lacks. `versions` are those of the stage's texts.
fn with_versions(error: CompileError, versions: &[(Span, Version)]) -> CompileError {
    let CompileError::Diagnostics(found) = error else { return error };
    let named = |one: Diagnostic| {
        let is_in = |(text, _): &&(Span, Version)| {
            one.span.is_some_and(|span| text.start <= span.start && span.end <= text.end)
        };
        let Some((_, version)) = versions.iter().find(is_in) else { return one };
        let has_profiles = !version.is_es && version.number >= 150;
        let profile = if has_profiles && !version.is_compatibility { " core" } else { "" };
        let name = version_name(version.number, version.is_es);
        let one = newer::with_replacement(one);
        let message = one.message.replace("in this version", &format!("in {name}{profile}"));
        Diagnostic { message, ..one }
    };
    CompileError::Diagnostics(found.into_iter().map(named).collect())
}

/// Moves messages about a stage as a whole to the header of its first section.
fn at_section(error: CompileError, header: Span) -> CompileError {
    let place = |found: Vec<Diagnostic>| {
        let placed = |one: Diagnostic| Diagnostic { span: one.span.or(Some(header)), ..one };
        found.into_iter().map(placed).collect()
    };
    match error {
        CompileError::Diagnostics(found) => CompileError::Diagnostics(place(found)),
        CompileError::Link(found) => CompileError::Link(place(found)),
        other @ CompileError::Unsupported { .. } => other,
    }
}

fn includes(case: &Case) -> Vec<glsl::Include> {
    let include = |source: &IncludeSource| glsl::Include {
        path: source.path.clone(),
        text: case.source.slice(source.text).to_owned(),
        base: source.text.start,
    };
    case.includes.iter().map(include).collect()
}

/// The GLSL version of a section without `#version`. As in piglit, the version of `[require]` applies only if no
/// `#version` follows in the rest of the file; otherwise the default of the language applies, which depends on the
/// context: 1.10, or ES 1.00.
fn default_version(case: &Case, section: &ShaderSource) -> Version {
    let required = case.gl_requirements().find_map(|requirement| {
        let GlRequirement::Glsl { is_es, version } = *requirement else { return None };
        // GLSL 1.40 has no profile keyword: the context decides.
        let is_compatibility = version < 140 || version == 140 && asks_for_compatibility(case);
        Some(Version { number: version, is_es, is_compatibility: !is_es && is_compatibility })
    });
    let rest = case.source.text().get(section.text.start..).unwrap_or("");
    let is_alone = !rest.contains("#version");
    match (required, case.dialect) {
        // In the shader library the line names the context of GL, whose default applies.
        (Some(version), dialect) if is_alone && dialect != Dialect::ShaderLibrary => version,
        (None, Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan) => {
            Version { number: 450, is_es: false, is_compatibility: false }
        }
        (Some(_) | None, _) if gl::api(case) == gl::Api::Es => {
            Version { number: 100, is_es: true, is_compatibility: false }
        }
        (Some(_) | None, _) => Version::default(),
    }
}

/// True if `[require]` has `GL COMPAT`.
fn asks_for_compatibility(case: &Case) -> bool {
    case.gl_requirements().any(|requirement| {
        let GlRequirement::Version { profile, .. } = requirement else { return false };
        profile.as_deref() == Some("COMPAT")
    })
}

fn wrong(span: Span, message: &str) -> CompileError {
    CompileError::Diagnostics(vec![Diagnostic::error(span, message)])
}
