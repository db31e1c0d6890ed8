//! Compiles stages of cases for tests.

use case::Dialect;
use case::gl::limit::Limits;
use case::parse::parse;
use ir::diagnostic::CompileError;

/// The first error of the stages of a case with these sections and a fragment stage, all in this version of GLSL; empty
/// if there is none.
pub(crate) fn first_error(version: &str, sections: &[&str]) -> String {
    let (major, minor) = version.split_at(1);
    let text = format!(
        "[require]\nGLSL >= {major}.{minor}\n{}[fragment shader]\n#version {version}\nvoid main() {{}}\n\
         [test]\nlink success\n",
        sections.concat()
    );
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.expect("a right file");
    match crate::compile(&case, &Limits::guaranteed(&case.link.limits)) {
        Ok(_) => String::new(),
        Err(CompileError::Unsupported { word, .. }) => format!("unsupported: {word}"),
        Err(CompileError::Diagnostics(errors)) => format!("compile: {}", errors[0].message),
        Err(CompileError::Link(errors)) => format!("link: {}", errors[0].message),
    }
}
