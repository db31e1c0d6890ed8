//! Mesa's rule for varyings without locations between stages that are separate programs: each stage assigns slots to
//! its varyings in the order of their names, used or not, and varyings in the same slot match.
//!
//! If every input has an output of its name, GL defines the matches. If one has none, all inputs without a location are
//! undefined in GL, and piglit's files rely on Mesa's rule.

use ir::diagnostic::CompileError;
use ir::interface::{Type, Variable};
use ir::stage_module::StageModule;

/// Gives the varyings between two stages locations by Mesa's rule, if some input has no output of its name. Next to a
/// tessellation stage every output needs an input too, as GL requires: Mesa's slots are unknown there.
///
/// # Errors
/// Mesa's slots for the varyings are unknown: the case is unsupported.
pub(super) fn locate(
    producer: &mut StageModule,
    consumer: &mut StageModule,
) -> Result<(), CompileError> {
    let is_named = |output: &Variable, input: &Variable| {
        output.name == input.name && output.location.is_none() && output.is_patch == input.is_patch
    };
    let has_output =
        |input: &Variable| producer.outputs.iter().any(|output| is_named(output, input));
    let has_input = |output: &Variable| {
        consumer.inputs.iter().any(|input| is_named(output, input) && input.location.is_none())
    };
    let is_tessellated = producer.tessellation.is_some() || consumer.tessellation.is_some();
    let mut read = consumer.inputs.iter().filter(|input| input.is_used && is_open(input));
    let unread = producer.outputs.iter().find(|output| is_open(output) && !has_input(output));
    let unread = unread.filter(|_| is_tessellated);
    let unmatched = read.find(|input| !has_output(input)).or(unread);
    let Some(unmatched) = unmatched else { return Ok(()) };
    let (name, span) = (unmatched.name.clone(), unmatched.span);
    if is_tessellated {
        let word = format!("SSO with `{name}`, which one side of a tessellation stage lacks");
        return Err(CompileError::unsupported(&word, span));
    }
    let unknown = || {
        let word = format!("SSO with an input `{name}` that no output is called");
        CompileError::unsupported(&word, span)
    };
    let all = producer.outputs.iter().chain(&consumer.inputs);
    if !all.filter(|varying| !is_built_in(varying)).all(is_plain) {
        return Err(unknown());
    }
    place(&mut producer.outputs);
    place(&mut consumer.inputs);
    let meets = |input: &Variable| {
        let mut outputs = producer.outputs.iter();
        outputs.any(|output| output.location == input.location && output.ty == input.ty)
    };
    let mut read = consumer.inputs.iter().filter(|input| input.is_used && !is_built_in(input));
    if read.all(meets) { Ok(()) } else { Err(unknown()) }
}

fn is_built_in(varying: &Variable) -> bool {
    varying.name.starts_with("gl_")
}

/// True for a varying that can be matched only by its name.
fn is_open(varying: &Variable) -> bool {
    varying.location.is_none() && !is_built_in(varying)
}

/// True for a type that is known to take one slot per vector: no matrices, structures, blocks or 64-bit types.
fn is_plain(varying: &Variable) -> bool {
    let is_vector = match varying.ty.without_arrays() {
        Type::Scalar(_) | Type::Vector { .. } => !varying.ty.has_64_bit(),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => false,
    };
    is_vector && is_open(varying) && !varying.is_block_member
}

/// Assigns slots to varyings in the order of their names.
fn place(varyings: &mut [Variable]) {
    let mut open: Vec<&mut Variable> =
        varyings.iter_mut().filter(|varying| !is_built_in(varying)).collect();
    open.sort_by(|first, second| first.name.cmp(&second.name));
    let mut next = 0_u32;
    for varying in open {
        varying.location = Some(next);
        next = next.saturating_add(varying.ty.location_count(0));
    }
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;

    use super::*;
    use crate::compile_objects;
    use case::gl::limit::Limits;
    use ir::stage::ShaderStage;

    /// Checks the locations of the vertex stage's outputs and the fragment stage's inputs, or the unsupported
    /// construct.
    #[track_caller]
    fn check(outputs: &str, inputs: &str, read: &str, expected: &str) {
        let text = format!(
            "[require]\nGLSL >= 1.50\nSSO ENABLED\n\
             [vertex shader]\n#version 150\n#extension GL_ARB_separate_shader_objects : enable\n\
             {outputs}\nvoid main() {{ gl_Position = vec4(0.0); }}\n\
             [fragment shader]\n#version 150\n#extension GL_ARB_separate_shader_objects : enable\n\
             {inputs}\nout vec4 color;\nvoid main() {{ color = vec4({read}); }}\n[test]\nlink success\n"
        );
        let case = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        let found =
            match compile_objects(&case.result.expect("a right file"), &Limits::guaranteed(&[])) {
                Ok(objects) => {
                    let outputs = objects.stages[ShaderStage::Vertex][0].outputs.iter();
                    let all = outputs.chain(&objects.stages[ShaderStage::Fragment][0].inputs);
                    let shown = all.map(|varying| match varying.location {
                        Some(location) => format!("{} {location}", varying.name),
                        None => varying.name.clone(),
                    });
                    shown.collect::<Vec<_>>().join(", ")
                }
                Err(CompileError::Unsupported { word, .. }) => format!("unsupported: {word}"),
                Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                    errors[0].message.clone()
                }
            };
        assert_eq!(found, expected);
    }

    #[test]
    fn unmatched_names_meet_in_the_order_of_names() {
        check("out vec4 b; out vec2 a;", "in vec2 a; in vec4 b;", "b", "b, a, a, b");
        check("out vec4 b; out vec2 a;", "in vec2 x; in vec4 y;", "y", "b 1, a 0, x 0, y 1");
        check("out vec4 b, a[2];", "in vec4 z, x, y;", "z", "b 2, a 0, z 2, x 0, y 1");
        // The inputs that are read are defined.
        check("out vec4 b;", "in vec4 b, x;", "b", "b, b, x");
        let unknown = "unsupported: SSO with an input `x` that no output is called";
        check("out vec4 b; out vec2 a;", "in vec4 x;", "x", unknown);
        check("out mat2 a; out vec4 b;", "in vec2 w, v; in vec4 x;", "x", unknown);
        check("layout(location = 3) out vec4 a; out vec4 b;", "in vec4 x;", "x", unknown);
        check("out B { vec4 a; };", "in vec4 x;", "x", unknown);
        check(
            "layout(location = 3) out vec4 a;",
            "in vec4 a;",
            "a",
            "unsupported: SSO with an input `a` that no output is called",
        );
    }
    /// Checks the unsupported construct between an evaluation stage and the vertex stage before it.
    #[track_caller]
    fn check_tessellated(outputs: &str, inputs: &str, expected: Option<&str>) {
        let text = format!(
            "[require]\nGLSL >= 4.50\nSSO ENABLED\n\
             [vertex shader]\n#version 450\n{outputs}\nvoid main() {{ gl_Position = vec4(0.0); }}\n\
             [tessellation evaluation shader]\n#version 450\nlayout(quads) in;\n{inputs}\n\
             void main() {{ gl_Position = vec4(a[0]); }}\n[test]\nlink success\n"
        );
        let case = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        match compile_objects(&case.result.expect("a right file"), &Limits::guaranteed(&[])) {
            Ok(_) => assert_eq!(None, expected),
            Err(CompileError::Unsupported { word, .. }) => assert_eq!(Some(&*word), expected),
            Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                panic!("{}", errors[0].message);
            }
        }
    }

    #[test]
    fn beside_a_tessellation_stage_all_names_have_partners() {
        check_tessellated("out float a;", "in float a[];", None);
        check_tessellated(
            "layout(location = 1) out float b;",
            "layout(location = 1) in float a[];",
            None,
        );
        let lacks =
            |name: &str| format!("SSO with `{name}`, which one side of a tessellation stage lacks");
        check_tessellated("out float a, b;", "in float a[];", Some(&lacks("b")));
        check_tessellated("out float b;", "in float a[];", Some(&lacks("a")));
    }
}
