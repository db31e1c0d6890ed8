//! Compiles stages and prints link maps, for tests of the linker.

use case::Dialect;
use case::parse::parse;
use check::verdict::Verdict;
use glsl::{Hints, ParseOptions};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// Compiles a GLSL stage. Panics if the text is invalid.
pub(crate) fn stage(stage: ShaderStage, text: &str) -> StageModule {
    let unit = glsl::parse(text, 0, &ParseOptions::default()).expect("the test's GLSL is right");
    glsl::compile(&[unit], stage, &Hints::default()).expect("the test's GLSL is right")
}

/// The link map of a pair of GLSL stages, or the verdict that ended linking. `link` is the case's `[link]` section. The
/// stages declare `interface`, in which `VARYING` stands for the direction. The vertex stage runs `vertex`, the
/// fragment stage outputs `color`.
pub(crate) fn map_of_glsl(link: &str, interface: &str, vertex: &str, color: &str) -> String {
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

/// The link map of the case `text`, or its error.
pub(crate) fn map_of_case(text: &str) -> String {
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.expect("a right case");
    match prepare::linked_program(&case, prepare::AdapterRules::default()) {
        Ok(program) => program.map.to_string(),
        Err(Verdict::Fail(failures)) => {
            let details = failures.iter().flat_map(|failure| &failure.details);
            details.flat_map(|line| [line.as_str(), "\n"]).collect()
        }
        Err(verdict) => format!("{verdict:?}"),
    }
}
