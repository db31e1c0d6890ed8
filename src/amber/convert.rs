//! A script as a case file, for people who want to go on with it in interstage's own format.
//!
//! The text is written from the translated case, so it says what ran. The conventions of case files are OpenGL's; what
//! would mean something else there is refused.

mod shader;
mod step;

use std::fmt::Write as _;

use case::parse::CaseError;
use case::{Case, Requirement};
use ir::source::Span;

use step::Steps;

/// Result of writing a part.
type Written<T> = Result<T, CaseError>;

/// Writes a script as a case file, or tells what of it such a file cannot say.
///
/// # Errors
/// The script has something that case files lack, or that means something else there.
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

/// Refuses what no part of a case file says.
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

/// The comments at the script's top, without the line that tells its language.
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
        let Requirement::Feature(name) = &line.value else {
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

/// The script as a whole.
const fn start() -> Span {
    Span::new(0, 0)
}

fn unsupported(span: Span, word: impl Into<String>) -> CaseError {
    CaseError::Unsupported { word: word.into(), span }
}
