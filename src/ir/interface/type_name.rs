//! Parses type names (`vec3`, `mat3x2[2]`), and paths to a part of a type (`[2].v`).

use std::str::FromStr;

use crate::interface::{ScalarKind, Type};

/// The error for a text that is not a type of interface values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a type")]
pub struct NotAType;

/// Parses GLSL type names with array dimensions; the first dimension is the outermost.
impl FromStr for Type {
    type Err = NotAType;

    fn from_str(text: &str) -> Result<Self, NotAType> {
        let (name, dimensions) = text.find('[').map_or((text, ""), |start| text.split_at(start));
        let mut ty = plain_type(name).ok_or(NotAType)?;
        let mut rest = dimensions;
        while let Some(start) = rest.rfind('[') {
            let length = rest[start + 1..].strip_suffix(']').ok_or(NotAType)?;
            ty = ty.array(length.trim().parse().ok().filter(|length| *length > 0).ok_or(NotAType)?);
            rest = &rest[..start];
        }
        if rest.is_empty() { Ok(ty) } else { Err(NotAType) }
    }
}

/// A part of a type, found by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOfType {
    /// The part's type.
    pub ty: Type,
    /// Number of 32-bit components of the whole type before the part.
    pub first_component: u32,
    /// Member, element and column indices from the whole to the part.
    pub path: Vec<u32>,
}

/// The part of `ty` at `path`, written as after a variable's name: `.f`, `[2].v[1]`, or empty. An index into a matrix
/// selects a column.
pub fn part_at(ty: &Type, path: &str) -> Option<PartOfType> {
    let mut part = PartOfType { ty: ty.clone(), first_component: 0, path: Vec::new() };
    let mut rest = path;
    while !rest.is_empty() {
        let (idx, before, inner, tail) = step(&part.ty, rest)?;
        part.first_component += before;
        part.path.push(idx);
        part.ty = inner;
        rest = tail;
    }
    Some(part)
}

fn step<'a>(ty: &Type, path: &'a str) -> Option<(u32, u32, Type, &'a str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let Type::Struct(ty) = ty else { return None };
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let idx = ty.members.iter().position(|member| member.name == rest[..end])?;
        let before = ty.members[..idx].iter().map(|member| member.ty.component_count()).sum();
        return Some((u32::try_from(idx).ok()?, before, ty.members[idx].ty.clone(), &rest[end..]));
    }
    let (number, tail) = path.strip_prefix('[')?.split_once(']')?;
    let idx: u32 = number.trim().parse().ok()?;
    let (inner, length) = match ty {
        Type::Array { element, length } => (element.as_ref().clone(), *length),
        Type::Matrix { columns, rows, scalar } => {
            (Type::scalar_or_vector(*rows, *scalar), u32::from(*columns))
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Struct(_) => return None,
    };
    (idx < length).then(|| (idx, idx * inner.component_count(), inner, tail))
}

fn plain_type(name: &str) -> Option<Type> {
    const SCALARS: [(&str, &str, ScalarKind); 7] = [
        ("float", "vec", ScalarKind::F32),
        ("int", "ivec", ScalarKind::I32),
        ("uint", "uvec", ScalarKind::U32),
        ("bool", "bvec", ScalarKind::Bool),
        ("double", "dvec", ScalarKind::F64),
        ("int64_t", "i64vec", ScalarKind::I64),
        ("uint64_t", "u64vec", ScalarKind::U64),
    ];
    for (scalar_name, vector_prefix, scalar) in SCALARS {
        if name == scalar_name {
            return Some(Type::Scalar(scalar));
        }
        if let Some(size) = name.strip_prefix(vector_prefix).and_then(dimension) {
            return Some(Type::Vector { size, scalar });
        }
    }
    matrix_type(name)
}

fn matrix_type(name: &str) -> Option<Type> {
    let (shape, scalar) = match name.strip_prefix('d') {
        Some(rest) => (rest.strip_prefix("mat")?, ScalarKind::F64),
        None => (name.strip_prefix("mat")?, ScalarKind::F32),
    };
    let (columns, rows) = shape.split_once('x').unwrap_or((shape, shape));
    Some(Type::Matrix { columns: dimension(columns)?, rows: dimension(rows)?, scalar })
}

fn dimension(text: &str) -> Option<u8> {
    text.parse().ok().filter(|size| (2..=4).contains(size) && text.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_display_are_inverse() {
        for name in [
            "float",
            "ivec3",
            "uvec2",
            "mat3",
            "mat4x2",
            "vec2[3]",
            "mat2[2][5]",
            "dmat3x2",
            "bool",
        ] {
            assert_eq!(name.parse::<Type>().expect(name).to_string(), name);
        }
        for name in
            ["vec5", "vec", "mat1", "mat2x", "vec2[0]", "vec2[", "vec2[1]x", "sampler2D", ""]
        {
            assert_eq!(name.parse::<Type>(), Err(NotAType), "{name}");
        }
    }

    #[test]
    fn parts_know_what_stands_before_them() {
        let ty = &crate::notation::variables("struct{float f; mat3x2 m; vec2 a[2];} s[2]")[0].ty;
        let part = part_at(ty, "[1].m[2]").expect("a part");
        assert_eq!((part.ty.to_string().as_str(), part.first_component), ("vec2", 11 + 1 + 4));
        assert_eq!(part.path, [1, 1, 2]);
        assert_eq!(part_at(ty, "[2]"), None);
        assert_eq!(part_at(ty, "[0].g"), None);
        assert_eq!(part_at(ty, "[0].f.x"), None);
    }
}
