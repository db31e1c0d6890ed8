//! Templates of Vulkan: inputs and outputs have locations, and booleans are passed as unsigned integers.

use std::fmt::Write as _;

use super::compare::{Compared, functions};
use super::{comparison, types_of_outputs};
use crate::shader_library::syntax::Case;
use crate::shader_library::values::{ScalarType, Value, ValueType, Values};

/// The position that every vertex stage writes.
const POSITION: &str = "gl_Position = dEQP_Position;\n";

/// The attribute with the position, at location 0.
const ATTRIBUTE: &str = "layout(location = 0) in highp vec4 dEQP_Position;\n";

/// The output of the fragment stage.
const COLOR: &str = "layout(location = 0) out mediump vec4 dEQP_FragColor;\n";

/// The variable of the output.
const TARGET: &str = "dEQP_FragColor";

/// The type in which a value is passed.
fn passed_type(value: &Value) -> ValueType {
    match value.ty.scalar {
        ScalarType::Bool => value.ty.with(ScalarType::Uint),
        ScalarType::Int | ScalarType::Uint | ScalarType::Float => value.ty,
    }
}

/// Name of a variable that passes a value: a boolean has a prefix, because it is converted.
fn passed(value: &Value, prefix: &str) -> String {
    let prefix = if passed_type(value) == value.ty { "" } else { prefix };
    format!("{prefix}{}", value.name)
}

fn reference(value: &Value) -> String {
    format!("ref.{}", value.name)
}

/// Locations of values one after another from `first` on; a matrix takes one for each column.
pub(in crate::shader_library) fn located(
    values: &[Value],
    first: u32,
) -> impl Iterator<Item = (u32, &Value)> {
    values.iter().scan(first, |next, value| {
        let location = *next;
        *next += u32::from(value.ty.columns);
        Some((location, value))
    })
}

/// A uniform block with a member for each value; nothing without values.
fn block(head: &str, instance: &str, values: &[Value]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let member = |value: &Value| format!("    {} {};\n", value.ty.name(), value.name);
    let members: String = values.iter().map(member).collect();
    format!("{head}\n{{\n{members}}}{instance};\n")
}

/// The block with the expected values.
fn references(values: &Values) -> String {
    block("layout(binding = 0, std140) uniform Reference", " ref", &values.outputs)
}

/// The block with the case's uniforms.
pub(super) fn uniforms(values: &Values) -> String {
    block("layout(binding = 1, std140) uniform Uniforms", "", &values.uniforms)
}

/// The declaration of a value by its conversion from what was passed; nothing for a value of its own type.
fn converted(value: &Value, prefix: &str) -> String {
    if passed_type(value) == value.ty {
        return String::new();
    }
    let (ty, name) = (value.ty.name(), &value.name);
    format!("{ty} {name} = {ty}({prefix}{name});\n")
}

/// Declarations of passed values from location `first` on. `words` are the qualifiers.
fn declared(values: &[Value], first: u32, words: &str, prefix: &str) -> String {
    let declare = |(location, value): (u32, &Value)| {
        let (ty, name) = (passed_type(value).name(), passed(value, prefix));
        format!("layout(location = {location}) {words} {ty} {name};\n")
    };
    located(values, first).map(declare).collect()
}

fn conversions(values: &[Value], prefix: &str) -> String {
    values.iter().map(|value| converted(value, prefix)).collect()
}

/// Declarations of the variables that the shader computes.
fn variables(values: &Values) -> String {
    let declare = |value: &Value| format!("{} {};\n", value.ty.name(), value.name);
    values.outputs.iter().map(declare).collect()
}

/// The source of `both` as a vertex stage.
pub(super) fn vertex_of_both(case: &Case) -> Vec<(&'static str, String)> {
    let values = &case.values;
    let mut declarations = ATTRIBUTE.to_owned() + &declared(&values.inputs, 1, "in", "a_");
    declarations += &uniforms(values);
    declarations += &declared(&values.outputs, 0, "flat out", "v_");
    let mut output = POSITION.to_owned();
    for value in values.outputs.iter().filter(|value| passed_type(value) != value.ty) {
        let (ty, name) = (passed_type(value).name(), &value.name);
        let _ = writeln!(declarations, "{} {name};", value.ty.name());
        let _ = writeln!(output, "v_{name} = {ty}({name});");
    }
    vec![
        ("DECLARATIONS", declarations),
        ("SETUP", conversions(&values.inputs, "a_")),
        ("OUTPUT", output),
        ("POSITION_FRAG_COLOR", "gl_Position".to_owned()),
    ]
}

/// The source of `both` as a fragment stage.
pub(super) fn fragment_of_both(case: &Case) -> Vec<(&'static str, String)> {
    let values = &case.values;
    let parts = [
        functions(&types_of_outputs(values), Compared::Own),
        COLOR.to_owned(),
        declared(&values.inputs, 0, "flat in", "v_"),
        uniforms(values),
        references(values),
        variables(values),
    ];
    vec![
        ("DECLARATIONS", parts.concat()),
        ("SETUP", conversions(&values.inputs, "v_")),
        ("OUTPUT", compared(values)),
        ("POSITION_FRAG_COLOR", TARGET.to_owned()),
    ]
}

fn compared(values: &Values) -> String {
    comparison(values, TARGET, |value| value.name.clone(), reference)
}

/// The vertex stage before the source of `both`: it passes on the attributes.
pub(super) fn vertex(case: &Case) -> String {
    let mut text = format!(
        "{}\nprecision highp float;\nprecision highp int;\n{ATTRIBUTE}",
        case.version.directive()
    );
    let mut body = POSITION.to_owned();
    for (location, value) in located(&case.values.inputs, 1) {
        let (ty, name) = (passed_type(value).name(), &value.name);
        let out = passed(value, "v_");
        let _ = writeln!(text, "layout(location = {location}) in {ty} a_{name};");
        let _ = writeln!(text, "layout(location = {}) flat out {ty} {out};", location - 1);
        let _ = writeln!(body, "{out} = a_{name};");
    }
    format!("{text}void main()\n{{\n{body}}}\n")
}

/// The fragment stage behind the source of `both`: it compares the outputs.
pub(super) fn fragment(case: &Case) -> String {
    let values = &case.values;
    let parts = [
        case.version.directive() + "\nprecision highp float;\nprecision highp int;\n",
        COLOR.to_owned(),
        functions(&types_of_outputs(values), Compared::Own),
        declared(&values.outputs, 0, "flat in", "v_"),
        references(values),
        "void main()\n{\n".to_owned(),
        conversions(&values.outputs, "v_"),
        compared(values),
        "}\n".to_owned(),
    ];
    parts.concat()
}

/// The vertex stage of a program.
pub(super) fn vertex_of_program(case: &Case) -> Vec<(&'static str, String)> {
    let values = &case.values;
    let attributes = declared(&values.inputs, 1, "in", "a_");
    vec![
        ("VERTEX_DECLARATIONS", ATTRIBUTE.to_owned() + &attributes + &uniforms(values)),
        ("VERTEX_SETUP", conversions(&values.inputs, "a_")),
        ("VERTEX_OUTPUT", POSITION.to_owned()),
    ]
}

/// The fragment stage of a program.
pub(super) fn fragment_of_program(case: &Case) -> Vec<(&'static str, String)> {
    let values = &case.values;
    let parts = [
        functions(&types_of_outputs(values), Compared::Own),
        COLOR.to_owned(),
        variables(values),
        references(values),
        uniforms(values),
    ];
    vec![
        ("FRAGMENT_DECLARATIONS", parts.concat()),
        ("FRAGMENT_OUTPUT", compared(values)),
        ("FRAG_COLOR", TARGET.to_owned()),
    ]
}
