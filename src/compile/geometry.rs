//! The geometry stage of a case, and what it asks of the vertex stage before linking.

use std::collections::BTreeSet;

use case::{Case, ShaderSource};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::options::PerVertexRule;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

use super::compile_stage;

/// Compiles the geometry stage, if there is one, which needs a vertex shader (GL 4.6 compatibility profile, section
/// 7.3).
pub(super) fn compile(
    case: &Case,
    sections: &[&ShaderSource],
    vertex: &[&ShaderSource],
) -> Result<Option<StageModule>, CompileError> {
    let Some(first) = sections.first() else { return Ok(None) };
    let stage = compile_stage(case, ShaderStage::Geometry, sections)?;
    if vertex.is_empty() && case.link.per_vertex != PerVertexRule::Redeclared {
        let message = "a geometry shader must be linked with a vertex shader";
        return Err(CompileError::Link(vec![Diagnostic::error(first.header, message)]));
    }
    Ok(Some(stage))
}

/// Checks that `gl_PerVertex` between two stages is redeclared by both in the same way, or by none of those that use it
/// (GLSL 4.60 section 7.1).
pub(super) fn check_per_vertex(
    producer: &StageModule,
    consumer: &StageModule,
) -> Result<(), CompileError> {
    let (given, taken) = (&producer.per_vertex, &consumer.per_vertex);
    let (before, after) = (name(producer.stage), name(consumer.stage));
    let found = match (&given.output, &taken.input) {
        (Some(out), Some(input)) if out.members != input.members => {
            let message = format!("`gl_PerVertex` is redeclared differently in the {before} stage");
            Some(Diagnostic::error(input.span, message))
        }
        (Some(_), None) => taken.unredeclared_input.map(|span| {
            let message = format!(
                "`gl_in` is used without the redeclaration of `gl_PerVertex` that the {before} stage has"
            );
            Diagnostic::error(span, message)
        }),
        (None, Some(_)) => producer.unredeclared_member.as_ref().map(|(name, span)| {
            let message = format!(
                "`{name}` is used without the redeclaration of `gl_PerVertex` that the {after} stage has"
            );
            Diagnostic::error(*span, message)
        }),
        (Some(_), Some(_)) | (None, None) => None,
    };
    found.map_or(Ok(()), |error| Err(CompileError::Link(vec![error])))
}

/// Name of a stage in messages.
const fn name(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vertex",
        ShaderStage::TessellationControl => "tessellation control",
        ShaderStage::TessellationEvaluation => "tessellation evaluation",
        ShaderStage::Geometry => "geometry",
        ShaderStage::Fragment => "fragment",
        ShaderStage::Compute => "compute",
    }
}

/// Checks that stages that are programs of their own can be linked as one: a uniform or resource of one of them is
/// another one than that of the same name in the next.
pub(super) fn check_joined(stages: &[&StageModule]) -> Result<(), CompileError> {
    let names = |stage: &StageModule| -> Vec<(String, Option<Span>)> {
        let uniforms = stage.uniforms.iter().map(|uniform| (uniform.name.clone(), uniform.span));
        let resources = stage.resources.iter();
        uniforms.chain(resources.map(|resource| (resource.name.clone(), resource.span))).collect()
    };
    let mut known: BTreeSet<String> = BTreeSet::new();
    for stage in stages {
        let own = names(stage);
        if let Some((_, span)) = own.iter().find(|(name, _)| known.contains(name)) {
            let word = "separable geometry stages whose uniforms have equal names";
            return Err(CompileError::unsupported(word, *span));
        }
        known.extend(own.into_iter().map(|(name, _)| name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;

    use super::*;

    const VERTEX: &str = "[vertex shader]\n#version 150\n";
    const GEOMETRY: &str = "[geometry shader]\n#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;\n";
    const OUT: &str = "out gl_PerVertex { vec4 gl_Position; };\n";
    const IN: &str = "in gl_PerVertex { vec4 gl_Position; } gl_in[];\n";
    const WRITE: &str = "void main() { gl_Position = vec4(0.0); }\n";
    const READ: &str = "void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n";

    /// Checks the first error of the stages of a case.
    #[track_caller]
    fn check(sections: &[&str], expected: &str) {
        let text = format!(
            "[require]\nGLSL >= 1.50\n{}[fragment shader]\n#version 150\nvoid main() {{}}\n[test]\nlink success\n",
            sections.concat()
        );
        let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
        let found = match crate::compile(&case.result.expect("a right file")) {
            Ok(_) => String::new(),
            Err(CompileError::Unsupported { word, .. }) => format!("unsupported: {word}"),
            Err(CompileError::Diagnostics(errors)) => format!("compile: {}", errors[0].message),
            Err(CompileError::Link(errors)) => format!("link: {}", errors[0].message),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_geometry_stage_needs_a_vertex_shader_in_the_same_language() {
        check(&[VERTEX, WRITE, GEOMETRY, READ], "");
        check(&[GEOMETRY, READ], "link: a geometry shader must be linked with a vertex shader");
        let wgsl = "[geometry shader wgsl]\n@vertex fn main() {}\n";
        check(&[VERTEX, WRITE, wgsl], "compile: WGSL has no geometry stages");
        let spirv = "[geometry shader spirv]\nOpCapability Geometry\n";
        let word = "unsupported: geometry stages in SPIR-V, which naga's reader does not know";
        check(&[VERTEX, WRITE, spirv], word);
    }

    #[test]
    fn the_block_between_the_stages_is_redeclared_alike() {
        check(&[VERTEX, OUT, WRITE, GEOMETRY, IN, READ], "");
        let other = "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };\n";
        check(
            &[VERTEX, other, WRITE, GEOMETRY, IN, READ],
            "link: `gl_PerVertex` is redeclared differently in the vertex stage",
        );
        check(
            &[VERTEX, OUT, WRITE, GEOMETRY, READ],
            "link: `gl_in` is used without the redeclaration of `gl_PerVertex` that the vertex stage has",
        );
        check(
            &[VERTEX, WRITE, GEOMETRY, IN, READ],
            "link: `gl_Position` is used without the redeclaration of `gl_PerVertex` that the geometry stage has",
        );
    }
}
