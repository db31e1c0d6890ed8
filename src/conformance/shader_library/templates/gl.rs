//! Templates of OpenGL: integers and booleans are passed as floats, and converted in the stages.

use std::fmt::Write as _;

use super::compare::{Compared, functions};
use super::{comparison, types_of_outputs};
use crate::shader_library::syntax::Case;
use crate::shader_library::values::{ScalarType, Value, Values};

/// The position that every vertex stage writes.
const POSITION: &str = "gl_Position = dEQP_Position;\n";

/// The words that declare inputs and outputs of a stage.
struct Words {
    vertex_in: &'static str,
    vertex_out: &'static str,
    fragment_in: &'static str,
    /// The variable for the colour.
    color: &'static str,
    /// Its declaration.
    color_declaration: &'static str,
}

/// The words of a case's version.
const fn words(case: &Case) -> Words {
    if case.version.has_in_and_out() {
        Words {
            vertex_in: "in",
            vertex_out: "out",
            fragment_in: "in",
            color: "dEQP_FragColor",
            color_declaration: "layout(location = 0) out mediump vec4 dEQP_FragColor;\n",
        }
    } else {
        Words {
            vertex_in: "attribute",
            vertex_out: "varying",
            fragment_in: "varying",
            color: "gl_FragColor",
            color_declaration: "",
        }
    }
}

/// Name of a variable that passes a value: integers and booleans, as floats, have a prefix.
fn passed(value: &Value, prefix: &str) -> String {
    let prefix = if value.ty.is_float() { "" } else { prefix };
    format!("{prefix}{}", value.name)
}

/// Name of the type in which a value is passed.
fn float_type(value: &Value) -> String {
    value.ty.with(ScalarType::Float).name()
}

fn reference(value: &Value) -> String {
    format!("ref_{}", value.name)
}

/// Declarations of uniforms. Members are declared by the shaders.
pub(super) fn uniforms(values: &Values) -> String {
    let mut text = String::new();
    for value in values.uniforms.iter().filter(|value| !value.name.contains('.')) {
        let _ = writeln!(text, "uniform {} {};", value.ty.name(), value.name);
    }
    text
}

/// Declarations of the attributes, and statements that convert those which are passed as floats.
fn attributes(case: &Case) -> (String, String) {
    let word = words(case).vertex_in;
    let mut declarations = format!("{word} highp vec4 dEQP_Position;\n");
    let mut setup = String::new();
    for value in &case.values.inputs {
        let _ = writeln!(declarations, "{word} {} {};", float_type(value), passed(value, "a_"));
        setup += &converted(value, "a_", "");
    }
    (declarations, setup)
}

/// The declaration of a value that is passed as floats: its conversion back. `scale` follows what is converted.
fn converted(value: &Value, prefix: &str, scale: &str) -> String {
    if value.ty.is_float() {
        return String::new();
    }
    let (ty, name) = (value.ty.name(), &value.name);
    format!("{ty} {name} = {ty}({prefix}{name}{scale});\n")
}

/// Declarations of the expected values and of the outputs that the shader computes.
fn outputs(values: &Values) -> String {
    let declare = |value: &Value| {
        let (ty, name) = (value.ty.name(), &value.name);
        format!("uniform {ty} ref_{name};\n{ty} {name};\n")
    };
    values.outputs.iter().map(declare).collect()
}

/// The source of `both` as a vertex stage.
pub(super) fn vertex_of_both(case: &Case) -> Vec<(&'static str, String)> {
    let word = words(case).vertex_out;
    let (mut declarations, setup) = attributes(case);
    let mut output = POSITION.to_owned();
    for value in &case.values.outputs {
        let (floats, name) = (float_type(value), &value.name);
        let _ = writeln!(declarations, "{word} {floats} {};", passed(value, "v_"));
        if !value.ty.is_float() {
            let _ = writeln!(declarations, "{} {name};", value.ty.name());
            let _ = writeln!(output, "v_{name} = {floats}({name});");
        }
    }
    vec![
        ("DECLARATIONS", declarations),
        ("SETUP", setup),
        ("OUTPUT", output),
        ("POSITION_FRAG_COLOR", "gl_Position".to_owned()),
    ]
}

/// The source of `both` as a fragment stage.
pub(super) fn fragment_of_both(case: &Case) -> Vec<(&'static str, String)> {
    let (values, words) = (&case.values, words(case));
    let mut declarations = functions(&types_of_outputs(values), Compared::Own);
    declarations += words.color_declaration;
    let mut setup = String::new();
    for value in &values.inputs {
        let (floats, name) = (float_type(value), passed(value, "v_"));
        let _ = writeln!(declarations, "{} {floats} {name};", words.fragment_in);
        // An interpolated integer may be a little too small, and the conversion cuts off.
        let scale = if value.ty.scalar == ScalarType::Int { " * 1.0025" } else { "" };
        setup += &converted(value, "v_", scale);
    }
    declarations += &outputs(values);
    vec![
        ("DECLARATIONS", declarations),
        ("SETUP", setup),
        ("OUTPUT", comparison(values, words.color, |value| value.name.clone(), reference)),
        ("POSITION_FRAG_COLOR", words.color.to_owned()),
    ]
}

/// The vertex stage before the source of `both`: it passes on the attributes.
pub(super) fn vertex(case: &Case) -> String {
    let words = words(case);
    let mut text = format!(
        "{}\nprecision highp float;\nprecision highp int;\n{} highp vec4 dEQP_Position;\n",
        case.version.directive(),
        words.vertex_in
    );
    let mut body = POSITION.to_owned();
    for value in &case.values.inputs {
        let (floats, name) = (float_type(value), &value.name);
        let out = passed(value, "v_");
        let _ = writeln!(text, "{} {floats} a_{name};", words.vertex_in);
        let _ = writeln!(text, "{} {floats} {out};", words.vertex_out);
        let _ = writeln!(body, "{out} = a_{name};");
    }
    format!("{text}void main()\n{{\n{body}}}\n")
}

/// The fragment stage behind the source of `both`: it compares the outputs.
pub(super) fn fragment(case: &Case) -> String {
    let (values, words) = (&case.values, words(case));
    let precision = if case.version.has_in_and_out() { "highp" } else { "mediump" };
    let mut text = format!(
        "{}\nprecision {precision} float;\nprecision {precision} int;\n{}{}",
        case.version.directive(),
        words.color_declaration,
        functions(&types_of_outputs(values), Compared::AsFloats)
    );
    for value in &values.outputs {
        let (floats, name) = (float_type(value), passed(value, "v_"));
        let _ = writeln!(text, "{} {floats} {name};", words.fragment_in);
        let _ = writeln!(text, "uniform {} ref_{};", value.ty.name(), value.name);
    }
    let body = comparison(values, words.color, |value| passed(value, "v_"), reference);
    format!("{text}void main()\n{{\n{body}}}\n")
}

/// The vertex stage of a program.
pub(super) fn vertex_of_program(case: &Case) -> Vec<(&'static str, String)> {
    let (declarations, setup) = attributes(case);
    vec![
        ("VERTEX_DECLARATIONS", declarations + &uniforms(&case.values)),
        ("VERTEX_SETUP", setup),
        ("VERTEX_OUTPUT", POSITION.to_owned()),
    ]
}

/// The fragment stage of a program.
pub(super) fn fragment_of_program(case: &Case) -> Vec<(&'static str, String)> {
    let (values, words) = (&case.values, words(case));
    let functions = functions(&types_of_outputs(values), Compared::Own);
    let parts = [&*functions, words.color_declaration, &outputs(values), &uniforms(values)];
    vec![
        ("FRAGMENT_DECLARATIONS", parts.concat()),
        ("FRAGMENT_OUTPUT", comparison(values, words.color, |value| value.name.clone(), reference)),
        ("FRAG_COLOR", words.color.to_owned()),
    ]
}
