//! Tests the linker with the stages and the options of cases, which the linker does not know.

mod debug_names;
mod language;
mod optimise;
mod pair;
mod slots;
mod varying;

use case::Dialect;
use case::parse::parse;
use check::verdict::Verdict;
use link::program::LinkedProgram;

use super::{AdapterRules, linked_program};

/// The link map of a pair of GLSL stages, or the verdict that ended linking. `link` is the case's `[link]` section. The
/// stages declare `interface`, in which `VARYING` stands for the direction. The vertex stage runs `vertex`, the
/// fragment stage outputs `color`.
fn map_of_glsl(link: &str, interface: &str, vertex: &str, color: &str) -> String {
    let text = format!(
        "[require]\nGLSL >= 4.50\n\
         [vertex shader]\nin vec4 position;\nuniform vec4 u;\nuniform float k[2];\nuniform bool on;\n{}\n\
         void helper(out float target, float value) {{ target = value; }}\n\
         void main() {{ gl_Position = position;\n{vertex}\n}}\n\
         [fragment shader]\n{}\nout vec4 color;\nvec4 pass(vec4 value) {{ return value; }}\n\
         void main() {{ color = {color}; }}\n\
         [link]\n{link}\n[test]\nlink success\n",
        interface.replace("VARYING", "out"),
        interface.replace("VARYING", "in"),
    );
    map_of_case(&text)
}

/// The linked program of the case `text`, or the verdict that ended linking.
fn program_of(text: &str) -> Result<LinkedProgram, Verdict> {
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    linked_program(&case.result.expect("a right case"), AdapterRules::default())
}

/// The link map of the case `text`, or its error.
fn map_of_case(text: &str) -> String {
    match program_of(text) {
        Ok(program) => program.map.to_string(),
        Err(Verdict::Fail(failures)) => {
            let details = failures.iter().flat_map(|failure| &failure.details);
            details.flat_map(|line| [line.as_str(), "\n"]).collect()
        }
        Err(verdict) => format!("{verdict:?}"),
    }
}
