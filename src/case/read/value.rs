//! Numbers and type names in cases.

use crate::Dialect;
use crate::limits::MAX_ARRAY_DIMENSIONS;
use crate::read::line::{Word, Words, wrong};
use crate::read::problem::Parsed;
use ir::interface::{ScalarKind, Type};
use ir::scalar::Number;

/// Reads one number that fits a scalar of `kind`.
pub(super) fn read_scalar(words: &mut Words<'_>, kind: ScalarKind, what: &str) -> Parsed<Number> {
    let word = words.peek();
    let number = words.number(what)?;
    match (fit(number, kind, words.dialect), word) {
        (Some(number), _) => Ok(number),
        (None, Some(word)) => Err(wrong(word, format!("`{}` does not fit `{kind}`", word.text))),
        (None, None) => Ok(number),
    }
}

/// Converts a number for a scalar of `kind`; `None` if it does not fit. In piglit's files, integers that are too large
/// wrap.
fn fit(number: Number, kind: ScalarKind, dialect: Dialect) -> Option<Number> {
    let bits = if kind.components() == 1 { 32 } else { 64 };
    match (number, kind) {
        (Number::Bits(value), _) if bits == 64 || value >> 32 == 0 => Some(number),
        (Number::Bits(value), ScalarKind::I32 | ScalarKind::U32) => {
            wrap(value.into(), false, 32, dialect)
        }
        (Number::Bits(_), _) => None,
        (Number::Real(value), ScalarKind::F32) => {
            #[expect(clippy::cast_possible_truncation, reason = "asks whether it would overflow")]
            let overflows = value.is_finite() && (value as f32).is_infinite();
            (!overflows || dialect == Dialect::Piglit).then_some(number)
        }
        (Number::Real(_) | Number::Integer(_), ScalarKind::F32 | ScalarKind::F64) => Some(number),
        (Number::Real(value), _) => (value == 0.0).then_some(Number::Integer(0)),
        (Number::Integer(value), ScalarKind::I32) => {
            wrap(value, i32::try_from(value).is_ok(), 32, dialect)
        }
        (Number::Integer(value), ScalarKind::U32) => {
            wrap(value, u32::try_from(value).is_ok(), 32, dialect)
        }
        (Number::Integer(value), ScalarKind::I64) => {
            wrap(value, i64::try_from(value).is_ok(), 64, dialect)
        }
        (Number::Integer(value), ScalarKind::U64) => {
            wrap(value, u64::try_from(value).is_ok(), 64, dialect)
        }
        (Number::Integer(value), ScalarKind::Bool) => matches!(value, 0 | 1).then_some(number),
    }
}

fn wrap(value: i128, fits: bool, bits: u32, dialect: Dialect) -> Option<Number> {
    let low = value.rem_euclid(1 << bits);
    match dialect {
        _ if fits => Some(Number::Integer(value)),
        Dialect::Piglit => u64::try_from(low).ok().map(Number::Bits),
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => None,
    }
}

/// Scalar kind of a type without structs.
pub(super) fn scalar_kind(ty: &Type) -> ScalarKind {
    match ty.without_arrays() {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => *scalar,
        Type::Array { .. } | Type::Struct(_) => ScalarKind::F32,
    }
}

/// Number of scalars in a type without structs.
pub(super) fn scalar_count(ty: &Type) -> u32 {
    ty.component_count() / scalar_kind(ty).components()
}

/// The GLSL scalar, vector or matrix type called `name`.
pub(super) fn basic_type(name: &str) -> Option<Type> {
    let scalar = match name {
        "float" => Some(ScalarKind::F32),
        "int" => Some(ScalarKind::I32),
        "uint" => Some(ScalarKind::U32),
        "double" => Some(ScalarKind::F64),
        "int64_t" => Some(ScalarKind::I64),
        "uint64_t" => Some(ScalarKind::U64),
        "bool" => Some(ScalarKind::Bool),
        _ => None,
    };
    scalar.map(Type::Scalar).or_else(|| matrix(name)).or_else(|| vector(name))
}

fn vector(name: &str) -> Option<Type> {
    let (prefix, size) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let scalar = match prefix {
        "vec" => ScalarKind::F32,
        "ivec" => ScalarKind::I32,
        "uvec" => ScalarKind::U32,
        "dvec" => ScalarKind::F64,
        "i64vec" => ScalarKind::I64,
        "u64vec" => ScalarKind::U64,
        "bvec" => ScalarKind::Bool,
        _ => return None,
    };
    Some(Type::Vector { size: dimension(size)?, scalar })
}

fn matrix(name: &str) -> Option<Type> {
    let (scalar, shape) = match name.strip_prefix("dmat") {
        Some(shape) => (ScalarKind::F64, shape),
        None => (ScalarKind::F32, name.strip_prefix("mat")?),
    };
    let (columns, rows) = shape.split_once('x').unwrap_or((shape, shape));
    Some(Type::Matrix { columns: dimension(columns)?, rows: dimension(rows)?, scalar })
}

fn dimension(digit: &str) -> Option<u8> {
    match digit {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}

/// Reads a GLSL type with array suffixes: `vec2[3]`, `float[2][4]`.
pub(super) fn read_type(word: Word<'_>) -> Parsed<Type> {
    let (base, suffix) = word.text.split_at(word.text.find('[').unwrap_or(word.text.len()));
    let Some(mut ty) = basic_type(base) else {
        return Err(unknown_type(word, base));
    };
    let mut lengths = Vec::new();
    let mut rest = suffix;
    while let Some(open) = rest.strip_prefix('[') {
        let length = open.split_once(']').and_then(|(digits, after)| {
            rest = after;
            digits.parse::<u32>().ok().filter(|length| *length > 0)
        });
        let Some(length) = length else {
            return Err(wrong(
                word,
                format!("`{}` has an array size that is not a number", word.text),
            ));
        };
        lengths.push(length);
        if lengths.len() > MAX_ARRAY_DIMENSIONS {
            let message = format!("an array has at most {MAX_ARRAY_DIMENSIONS} dimensions");
            return Err(wrong(word, message));
        }
    }
    if !rest.is_empty() {
        return Err(wrong(word, format!("unexpected `{rest}` after the type")));
    }
    for length in lengths.into_iter().rev() {
        ty = ty.array(length);
    }
    Ok(ty)
}

/// The error for an unknown type; `base` is the part of `word` without array suffixes.
pub(super) fn unknown_type(word: Word<'_>, base: &str) -> crate::read::problem::Problem {
    let problem = wrong(word, format!("unknown type `{base}`"));
    let is_wgsl = base.contains('<')
        || matches!(base, "f32" | "i32" | "u32" | "f16")
        || base.strip_suffix(['f', 'i', 'u', 'h']).is_some_and(|name| basic_type(name).is_some());
    if is_wgsl {
        return problem
            .with_help("types have their GLSL names here: `float`, `vec3`, `ivec2`, `mat3x2`");
    }
    problem.nearest(
        base,
        [
            "float", "int", "uint", "double", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4",
            "uvec2", "uvec3", "uvec4", "mat2", "mat3", "mat4",
        ],
    )
}

#[cfg(test)]
mod tests {
    use ir::source::Span;

    use super::*;

    #[track_caller]
    fn check_fit(number: Number, kind: ScalarKind, strict: Option<Number>, piglit: Option<Number>) {
        assert_eq!(fit(number, kind, Dialect::Interstage), strict);
        assert_eq!(fit(number, kind, Dialect::Piglit), piglit);
    }

    #[test]
    fn integers_out_of_range_wrap_only_in_piglit() {
        let bits = Some(Number::Bits(0xffff_ffff));
        check_fit(Number::Integer(-1), ScalarKind::U32, None, bits);
        check_fit(Number::Integer(0xffff_ffff), ScalarKind::I32, None, bits);
        check_fit(Number::Bits(1 << 32), ScalarKind::F32, None, None);
        check_fit(Number::Real(0.5), ScalarKind::I32, None, None);
        let large = Number::Integer(0xffff_ffff);
        check_fit(large, ScalarKind::U32, Some(large), Some(large));
    }

    #[track_caller]
    fn check_type(text: &str, expect: Option<&str>) {
        let word = Word { text, span: Span::new(0, text.len()), is_quoted: false };
        let found = read_type(word).ok().map(|ty| ty.to_string());
        assert_eq!(found.as_deref(), expect, "{text}");
    }

    #[test]
    fn types_have_their_glsl_names() {
        for name in ["float", "ivec3", "mat4", "mat3x2", "dmat2x4", "vec2[3]", "float[2][4]"] {
            check_type(name, Some(name));
        }
        check_type("mat3x3", Some("mat3"));
        for name in [
            "",
            "vec5",
            "vec",
            "f32",
            "vec3f",
            "vec3<f32>",
            "mat2x5",
            "vec2[0]",
            "vec2[",
            "vec2[1]x",
            "é",
        ] {
            check_type(name, None);
        }
        check_type("float[1][1][1][1][1]", None);
    }
}
