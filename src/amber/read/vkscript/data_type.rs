//! Reads the names of types, which are those of GLSL.

use crate::read::text::at::At;
use crate::read::text::problem::{Parsed, Problem};
use crate::read::type_name::extent;
use crate::syntax::data::{DataType, Scalar};

const SCALARS: [(&str, Scalar); 11] = [
    ("int", Scalar::Int32),
    ("uint", Scalar::Uint32),
    ("int8_t", Scalar::Int8),
    ("uint8_t", Scalar::Uint8),
    ("int16_t", Scalar::Int16),
    ("uint16_t", Scalar::Uint16),
    ("int64_t", Scalar::Int64),
    ("uint64_t", Scalar::Uint64),
    ("float16_t", Scalar::Float16),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
];

/// Prefixes of `vec`.
const VECTOR_SCALARS: [(&str, Scalar); 11] = [
    ("", Scalar::Float),
    ("f16", Scalar::Float16),
    ("d", Scalar::Double),
    ("i", Scalar::Int32),
    ("u", Scalar::Uint32),
    ("i8", Scalar::Int8),
    ("u8", Scalar::Uint8),
    ("i16", Scalar::Int16),
    ("u16", Scalar::Uint16),
    ("i64", Scalar::Int64),
    ("u64", Scalar::Uint64),
];

/// The type called `name`.
pub(super) fn data_type(name: At<&str>) -> Parsed<DataType> {
    find(name.value).ok_or_else(|| {
        let known = SCALARS.iter().map(|(known, _)| *known);
        let others = ["vec2", "vec3", "vec4", "ivec4", "uvec4", "mat2", "mat3", "mat4"];
        Problem::unknown("type", name, known.chain(others))
    })
}

fn find(name: &str) -> Option<DataType> {
    if let Some(scalar) = lookup(&SCALARS, name) {
        return Some(DataType::Scalar(scalar));
    }
    if let Some((prefix, size)) = name.split_once("vec") {
        let size = if size.is_empty() { 4 } else { extent(size)? };
        return Some(DataType::Vector(size, lookup(&VECTOR_SCALARS, prefix)?));
    }
    let (prefix, size) = name.split_once("mat")?;
    let scalar = match prefix {
        "" => Scalar::Float,
        "d" => Scalar::Double,
        _ => return None,
    };
    let (columns, rows) = size.split_once('x').unwrap_or((size, size));
    Some(DataType::Matrix { columns: extent(columns)?, rows: extent(rows)?, scalar })
}

fn lookup(table: &[(&str, Scalar)], name: &str) -> Option<Scalar> {
    table.iter().find(|(known, _)| *known == name).map(|(_, scalar)| *scalar)
}

/// The type of a column `LOCATION/STORED/SHADER` of vertex data, such as `float/vec3`.
pub(super) fn column_type(stored: &str, shader: &str) -> Option<DataType> {
    let scalar = match stored {
        "byte" => Scalar::Int8,
        "ubyte" => Scalar::Uint8,
        "short" => Scalar::Int16,
        "ushort" => Scalar::Uint16,
        "int" => Scalar::Int32,
        "uint" => Scalar::Uint32,
        "half" => Scalar::Float16,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => return None,
    };
    match find(shader)? {
        DataType::Scalar(_) => Some(DataType::Scalar(scalar)),
        DataType::Vector(size, _) => Some(DataType::Vector(size, scalar)),
        DataType::Matrix { .. } | DataType::Struct(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(name: &str, expected: Expect) {
        expected.assert_eq(&find(name).map_or("none".to_owned(), |found| format!("{found:?}")));
    }

    #[test]
    fn types_have_the_names_of_glsl() {
        check("uint16_t", expect!["Scalar(Uint16)"]);
        check("vec", expect!["Vector(4, Float)"]);
        check("i8vec3", expect!["Vector(3, Int8)"]);
        check("dmat2x3", expect!["Matrix { columns: 2, rows: 3, scalar: Double }"]);
        check("mat3", expect!["Matrix { columns: 3, rows: 3, scalar: Float }"]);
    }

    #[test]
    fn other_names_are_no_types() {
        for name in ["", "vec5", "xvec2", "mat", "imat2", "mat2x", "vec2vec2", "sampler2D"] {
            check(name, expect!["none"]);
        }
    }
}
