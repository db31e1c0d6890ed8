//! Compiles and links a case without a device, and classifies unsupported constructs.

use interstage::case::{Case, Expectation, ProgramExpectation, Step};
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::ir::source::{Source, Span};
use interstage::run_case;

/// Verdict of a case without a device. Unsupported constructs are prefixed with their kind: `built-in: gl_PointCoord`.
pub fn compile_and_link(case: &Case) -> Verdict {
    let mut case = case.clone();
    case.steps.retain(|step| is_about_linking(&step.value));
    match run_case(&case, None, &Goldens::default()).verdict {
        Verdict::Unsupported(word) => {
            Verdict::Unsupported(format!("{}: {word}", kind_of_construct(&word)))
        }
        verdict @ (Verdict::Pass
        | Verdict::Fail(_)
        | Verdict::Skip(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_)) => verdict,
    }
}

fn is_about_linking(step: &Step) -> bool {
    matches!(
        step,
        Step::Expect(Expectation::Program(
            ProgramExpectation::LinkSuccess
                | ProgramExpectation::LinkError(_)
                | ProgramExpectation::CompileSuccess
                | ProgramExpectation::CompileError(_)
                | ProgramExpectation::CompileOrLinkError
        ))
    )
}

/// Kind of the text at `span`, which is not part of a shader.
pub fn kind_at(source: &Source, span: Span) -> &'static str {
    let line = source.line_index(span.start);
    let header = (0..=line).rev().map(|idx| source.slice(source.line_span(idx)));
    let Some((distance, header)) = header.enumerate().find(|(_, text)| text.starts_with('['))
    else {
        return "text";
    };
    match header {
        _ if distance == 0 => "section",
        "[require]" => "requirement",
        "[test]" => "command",
        "[link]" => "link line",
        "[vertex data]" => "vertex data",
        _ => "line",
    }
}

/// Kind of a construct in a shader, by its name.
fn kind_of_construct(word: &str) -> &'static str {
    if word.starts_with("gl_") {
        "built-in"
    } else if word.starts_with("GL_") {
        "extension"
    } else {
        "shader"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, word: &str, expected: &str) {
        let start = text.find(word).expect("the text has the word");
        assert_eq!(kind_at(&Source::new("a", text), Span::new(start, start)), expected);
    }

    #[test]
    fn a_thing_outside_shader_text_is_what_its_section_holds() {
        check("[require]\nGLSL < 1.30\n", "GLSL", "requirement");
        check("[require]\n[geometry shader]\n", "geometry", "section");
        check("[require]\n[test]\ntexture rgbw 0\n", "texture", "command");
        check("lost\n", "lost", "text");
    }
}
