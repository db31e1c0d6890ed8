//! Converts a script to a case file, for users who want to continue with it in interstage's own format.
//!
//! The text is written from the translated case, so it describes what ran. Case files have OpenGL's conventions; a
//! script whose meaning would change is rejected.

mod shader;
mod step;

use std::fmt::Write as _;

use case::parse::CaseError;
use case::{Case, DeviceRequirement, Requirement};
use ir::source::Span;

use step::Steps;

/// Result of writing part of a case file.
type Written<T> = Result<T, CaseError>;

/// Converts a script to a case file, or reports the part that a case file cannot express.
///
/// # Errors
/// The script has something that case files lack, or that has a different meaning in them.
pub fn to_case_file(case: &Case) -> Written<String> {
    check(case)?;
    let steps = Steps::of(case)?;
    let mut text = comment(case);
    text += &requirements(case)?;
    for shader in &case.shaders {
        text += &shader::section(case, shader)?;
    }
    text += &steps.vertex_data();
    text += &render_targets(case)?;
    let _ = write!(text, "[test]\n{}", steps.text);
    Ok(text)
}

/// Rejects a case that no case file can express.
fn check(case: &Case) -> Written<()> {
    if let Some(program) = case.further_programs.first() {
        let header = program.shaders.first().map_or_else(start, |shader| shader.header);
        return Err(unsupported(header, "a further program"));
    }
    if let Some(constant) = case.specializations.first() {
        return Err(unsupported(constant.span, "specialisation constants"));
    }
    if let Some(textures) = case.settings().find(|setting| setting.value.is_framebuffer()) {
        return Err(unsupported(textures.span, "images that are textures"));
    }
    if case.depth_format.is_some() || case.samples != 1 {
        return Err(unsupported(start(), "depth buffers, and several samples for each pixel"));
    }
    Ok(())
}

/// The comments at the top of the script, without the line that names its language.
fn comment(case: &Case) -> String {
    let text = case.source.text();
    let lines = text.lines().skip_while(|line| line.starts_with("#!"));
    let lines = lines.take_while(|line| line.starts_with('#') || line.trim().is_empty());
    let lines = lines.fold(String::new(), |all, line| all + line.trim_end() + "\n");
    format!("{}\n\n", lines.trim())
}

fn requirements(case: &Case) -> Written<String> {
    let mut lines = String::new();
    for line in &case.requirements {
        let Requirement::Device(DeviceRequirement::Feature(name)) = &line.value else {
            return Err(unsupported(line.span, "such a requirement"));
        };
        let _ = writeln!(lines, "feature {name}");
    }
    if !case.render_targets.is_empty() {
        let [width, height] = case.size;
        let _ = writeln!(lines, "size {width} {height}");
    }
    if lines.is_empty() { Ok(lines) } else { Ok(format!("[require]\n{lines}\n")) }
}

fn render_targets(case: &Case) -> Written<String> {
    let mut lines = String::new();
    for target in &case.render_targets {
        if target.clear.is_some() {
            return Err(unsupported(target.span.unwrap_or_else(start), "targets with a content"));
        }
        let _ = writeln!(lines, "{} {}", target.index, target.format.name());
    }
    if lines.is_empty() { Ok(lines) } else { Ok(format!("[render targets]\n{lines}\n")) }
}

/// The position of errors about the whole script.
const fn start() -> Span {
    Span::new(0, 0)
}

fn unsupported(span: Span, word: impl Into<String>) -> CaseError {
    CaseError::Unsupported { word: word.into(), span }
}
