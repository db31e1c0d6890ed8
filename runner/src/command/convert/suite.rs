//! Cases of conformance suites as case files: expected errors get the text of the error that was found.

use std::fmt::Write as _;

use anyhow::bail;
use interstage::case::gl::Api;
use interstage::case::gl::limit::Limits;
use interstage::case::{Case, Dialect, GlRequirement, ProgramExpectation, Requirement};
use interstage::ir::diagnostic::{CompileError, Diagnostic};
use interstage::link::{AdapterRules, LinkError};
use interstage::prepare::{Compiled, Linking, compile_stages, first_profile};

use crate::command::inspect::describe_verdict;

/// Result of compiling and linking a case; errors have the text of the first one.
enum Outcome {
    Links,
    CompileError(String),
    LinkError(String),
}

/// The text of the case file for a case of a conformance suite.
///
/// # Errors
/// The case is unsupported, or its expectation does not hold, so that there is no text of an error; or a case file
/// cannot say what it expects.
pub(super) fn text_of(case: &Case) -> anyhow::Result<String> {
    let outcome = outcome(case)?;
    let line = match &outcome {
        Outcome::Links => "link success".to_owned(),
        Outcome::CompileError(message) => format!("compile error \"{message}\""),
        Outcome::LinkError(message) => format!("link error \"{message}\""),
    };
    if case.dialect == Dialect::Vulkan {
        bail!("case files have OpenGL's conventions");
    }
    let expects = |of: &dyn Fn(&ProgramExpectation) -> bool| {
        case.program_expectations().any(|wanted| of(wanted.value))
    };
    let only_compiles = |wanted: &ProgramExpectation| *wanted == ProgramExpectation::CompileSuccess;
    if expects(&only_compiles) && matches!(outcome, Outcome::LinkError(_)) {
        bail!("case files cannot say that a shader compiles and does not link (`{line}`)");
    }
    let expects_error = expects(&ProgramExpectation::is_error);
    if expects_error == matches!(outcome, Outcome::Links) {
        bail!("its own expectation does not hold: the outcome is `{line}`");
    }
    Ok(if case.dialect == Dialect::ShaderLibrary {
        with_outcome(case.source.text(), &line)
    } else {
        written(case, &line)?
    })
}

/// Compiles and links the case without an adapter.
fn outcome(case: &Case) -> anyhow::Result<Outcome> {
    let limits = Limits::guaranteed(&case.link.limits);
    let compiled = match compile_stages(case, &limits) {
        Ok(Compiled::Unlinked) => return Ok(Outcome::Links),
        Ok(compiled) => compiled,
        Err(CompileError::Diagnostics(errors)) => {
            return Ok(Outcome::CompileError(first(&errors)));
        }
        Err(CompileError::Link(errors)) => return Ok(Outcome::LinkError(first(&errors))),
        Err(CompileError::Unsupported { word, .. }) => bail!("unsupported: {word}"),
    };
    match compiled.link(case, AdapterRules::default(), first_profile(case)) {
        Ok(Linking::Done(_)) => Ok(Outcome::Links),
        Ok(Linking::Failed(LinkError::Refused(errors) | LinkError::Forbidden(errors))) => {
            Ok(Outcome::LinkError(first(&errors)))
        }
        Ok(Linking::Failed(other)) => bail!("{other}"),
        Err(verdict) => bail!("{}", describe_verdict(case, verdict).0.trim_end()),
    }
}

/// The message of the first error, as far as it can stand in quotation marks.
fn first(errors: &[Diagnostic]) -> String {
    let message = errors.first().map_or("", |error| error.message.as_str());
    message.split(['"', '\n']).max_by_key(|part| part.len()).unwrap_or("").to_owned()
}

/// A composed case with `line` in place of an expected error.
fn with_outcome(text: &str, line: &str) -> String {
    let errors = ["compile error", "link error", "compile or link error"];
    let lines = text.lines().map(|own| if errors.contains(&own) { line } else { own });
    lines.fold(String::new(), |text, own| text + own + "\n")
}

/// The case file of a parser test.
fn written(case: &Case, line: &str) -> anyhow::Result<String> {
    let mut text = "[require]\n".to_owned();
    for requirement in &case.requirements {
        let Requirement::Gl(requirement) = &requirement.value else {
            bail!("a requirement that is not one of GL");
        };
        let _ = writeln!(text, "{}", required(requirement)?);
    }
    let is_es = interstage::case::gl::api(case) == Api::Es;
    if case.shaders.iter().any(|shader| !case.source.slice(shader.text).contains("#version")) {
        // The version of shaders that give none.
        text += if is_es { "GLSL ES >= 1.00\n" } else { "GLSL >= 1.10\n" };
    }
    for shader in &case.shaders {
        let source = case.source.slice(shader.text);
        let header = shader.stage.properties().header;
        let _ = write!(text, "\n[{header}]\n{}\n", source.trim_end());
    }
    let _ = write!(text, "\n[test]\n{line}\n");
    Ok(text)
}

fn required(requirement: &GlRequirement) -> anyhow::Result<String> {
    Ok(match requirement {
        GlRequirement::Version { is_es, version, profile } => {
            let es = if *is_es { "ES " } else { "" };
            let profile = profile.as_ref().map_or_else(String::new, |word| format!(" {word}"));
            format!("GL {es}>= {}.{}{profile}", version / 10, version % 10)
        }
        GlRequirement::Extension { name, is_wanted: true } => name.clone(),
        GlRequirement::Extension { name, is_wanted: false } => format!("!{name}"),
        GlRequirement::Glsl { .. } | GlRequirement::Limit { .. } => bail!("a limit of GL"),
    })
}
