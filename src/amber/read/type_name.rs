//! Reads the names of types.

use std::collections::HashMap;
use std::sync::Arc;

use super::format::pixel_format;
use super::text::at::At;
use super::text::problem::{Parsed, Problem};
use crate::syntax::data::{DataFormat, DataType, Scalar, Struct};

/// The scalar types by name.
pub(crate) const SCALARS: [(&str, Scalar); 11] = [
    ("int8", Scalar::Int8),
    ("int16", Scalar::Int16),
    ("int32", Scalar::Int32),
    ("int64", Scalar::Int64),
    ("uint8", Scalar::Uint8),
    ("uint16", Scalar::Uint16),
    ("uint32", Scalar::Uint32),
    ("uint64", Scalar::Uint64),
    ("float16", Scalar::Float16),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

/// The structures of a script by name.
pub(crate) type Structures = HashMap<String, Arc<Struct>>;

/// The type called `name`, and whether `[]` follows it.
pub(crate) fn data_type(name: At<&str>, structures: &Structures) -> Parsed<(DataType, bool)> {
    if let Some(structure) = structures.get(name.value) {
        return Ok((DataType::Struct(Arc::clone(structure)), false));
    }
    let element = name.value.strip_suffix("[]");
    let found = simple_type(element.unwrap_or(name.value));
    found.map(|found| (found, element.is_some())).ok_or_else(|| unknown(name, structures))
}

/// The type or image format called `name`, and whether `[]` follows it.
pub(crate) fn data_format(name: At<&str>, structures: &Structures) -> Parsed<(DataFormat, bool)> {
    if let Some(format) = pixel_format(name.value) {
        return Ok((DataFormat::Pixel(format), false));
    }
    let (data_type, is_array) = data_type(name, structures)?;
    Ok((DataFormat::Type(data_type), is_array))
}

fn unknown(name: At<&str>, structures: &Structures) -> Problem {
    let mut own: Vec<_> = structures.keys().map(String::as_str).collect();
    own.sort_unstable();
    let vectors = ["vec2<float>", "vec3<float>", "vec4<float>", "mat4x4<float>"];
    let known = SCALARS.iter().map(|(known, _)| *known).chain(vectors).chain(own);
    Problem::unknown("type", name, known)
}

/// Parses a scalar type, `vecN<…>` or `matCxR<…>`.
fn simple_type(name: &str) -> Option<DataType> {
    if let Some(scalar) = scalar(name) {
        return Some(DataType::Scalar(scalar));
    }
    let (shape, element) = name.strip_suffix('>')?.split_once('<')?;
    let scalar = scalar(element)?;
    if let Some(size) = shape.strip_prefix("vec") {
        return Some(DataType::Vector(extent(size)?, scalar));
    }
    let (columns, rows) = shape.strip_prefix("mat")?.split_once('x')?;
    Some(DataType::Matrix { columns: extent(columns)?, rows: extent(rows)?, scalar })
}

fn scalar(name: &str) -> Option<Scalar> {
    SCALARS.iter().find(|(known, _)| *known == name).map(|(_, scalar)| *scalar)
}

/// Parses 2, 3 or 4.
pub(crate) fn extent(text: &str) -> Option<u8> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use ir::source::Span;

    #[track_caller]
    fn check(name: &str, expected: Expect) {
        let span = Span::new(0, name.len());
        let text = match data_format(At::new(name, span), &Structures::new()) {
            Ok((format, is_array)) => format!("{format:?} {is_array}"),
            Err(problem) => format!("{problem:?}"),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn types_have_their_shape_and_scalar() {
        check("int8", expect!["Type(Scalar(Int8)) false"]);
        check("vec3<float16>", expect!["Type(Vector(3, Float16)) false"]);
        check(
            "mat2x4<double>",
            expect!["Type(Matrix { columns: 2, rows: 4, scalar: Double }) false"],
        );
        check("float[]", expect!["Type(Scalar(Float)) true"]);
    }

    #[test]
    fn other_types_are_unknown() {
        check(
            "flaot",
            expect![[
                r#"Broken(Diagnostic { severity: Error, message: "unknown type `flaot`", span: Some(Span { start: 0, end: 5 }), help: Some("did you mean `float`?") })"#
            ]],
        );
        check(
            "vec5<float>",
            expect![[
                r#"Broken(Diagnostic { severity: Error, message: "unknown type `vec5<float>`", span: Some(Span { start: 0, end: 11 }), help: Some("did you mean `vec2<float>`?") })"#
            ]],
        );
        check(
            "vec2<vec2<float>>",
            expect![[
                r#"Broken(Diagnostic { severity: Error, message: "unknown type `vec2<vec2<float>>`", span: Some(Span { start: 0, end: 17 }), help: None })"#
            ]],
        );
        check(
            "R8_UNORM[]",
            expect![[
                r#"Broken(Diagnostic { severity: Error, message: "unknown type `R8_UNORM[]`", span: Some(Span { start: 0, end: 10 }), help: None })"#
            ]],
        );
    }
}
