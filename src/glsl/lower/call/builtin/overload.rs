//! Overloads of built-in functions: rows of the tables, and the same rows with 64-bit types.
//!
//! `GL_ARB_gpu_shader_fp64` and GLSL 4.00 give most functions of floats an overload with `double` instead of `float`.
//! `GL_ARB_gpu_shader_int64` gives some functions of integers an overload with 64-bit integers.

use std::ops::RangeInclusive;

use crate::lower::types::{Kind, VECTORS};

use super::{Row, TABLES};

/// Functions of floats that also exist for doubles (GLSL 4.60, chapter 8).
const OF_DOUBLES: [&str; 42] = [
    "abs",
    "sign",
    "floor",
    "trunc",
    "round",
    "roundEven",
    "ceil",
    "fract",
    "mod",
    "modf",
    "min",
    "max",
    "clamp",
    "mix",
    "step",
    "smoothstep",
    "isnan",
    "isinf",
    "fma",
    "frexp",
    "ldexp",
    "sqrt",
    "inversesqrt",
    "length",
    "distance",
    "dot",
    "cross",
    "normalize",
    "faceforward",
    "reflect",
    "refract",
    "matrixCompMult",
    "outerProduct",
    "transpose",
    "determinant",
    "inverse",
    "lessThan",
    "lessThanEqual",
    "greaterThan",
    "greaterThanEqual",
    "equal",
    "notEqual",
];

/// Functions of integers that also exist for 64-bit integers.
const OF_INT64: [&str; 12] = [
    "abs",
    "sign",
    "min",
    "max",
    "clamp",
    "mix",
    "lessThan",
    "lessThanEqual",
    "greaterThan",
    "greaterThanEqual",
    "equal",
    "notEqual",
];

/// Prefix of the functions on memory that also exist for 64-bit integers (`GL_NV_shader_atomic_int64`).
const ATOMIC: &str = "atomic";

/// Width of the types of an overload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// The types in the table row.
    Narrow,
    /// `double` instead of `float`.
    Double,
    /// `int64_t` and `uint64_t` instead of `int` and `uint`.
    Int64,
}

/// An overload: a table row with the width of its types.
#[derive(Clone, Copy)]
pub(super) struct Overload {
    /// The table row.
    pub(super) row: &'static Row,
    /// Width of the overload's types.
    pub(super) width: Width,
}

impl Width {
    /// The scalar kind that replaces `kind` at this width.
    pub(super) const fn of(self, kind: Kind) -> Kind {
        match (self, kind) {
            (Self::Double, Kind::Float) => Kind::Double,
            (Self::Int64, Kind::Int) => Kind::Int64,
            (Self::Int64, Kind::Uint) => Kind::Uint64,
            _ => kind,
        }
    }
}

impl Overload {
    /// The 64-bit type that a shader must have for the overload to exist; `None` if it uses only the types of the row.
    pub(super) const fn wide_type(self) -> Option<&'static str> {
        match self.width {
            Width::Narrow => None,
            Width::Double => Some("double"),
            Width::Int64 => Some("int64_t"),
        }
    }

    /// True for an atomic function of 64-bit integers.
    pub(super) fn is_wide_atomic(self) -> bool {
        self.width == Width::Int64 && self.row.name.starts_with(ATOMIC)
    }
}

/// The overloads of a function. Those with the types of the table rows come first.
pub(super) fn overloads(name: &str) -> impl Iterator<Item = Overload> {
    let has = move |width: Width| match width {
        Width::Narrow => true,
        Width::Double => OF_DOUBLES.contains(&name),
        Width::Int64 => OF_INT64.contains(&name) || name.starts_with(ATOMIC),
    };
    let widths = [Width::Narrow, Width::Double, Width::Int64].into_iter().filter(move |w| has(*w));
    widths.flat_map(move |width| {
        let rows = TABLES.into_iter().flatten().filter(move |row| row.name == name);
        rows.filter(move |row| is_changed(row, width)).map(move |row| Overload { row, width })
    })
}

/// True if the row has an overload at this width. The type of its first parameter determines this.
fn is_changed(row: &Row, width: Width) -> bool {
    let (_, parameters) = super::parts(row.signature);
    let first = parameters.first().map(|parameter| super::word(parameter)).unwrap_or_default();
    match width {
        Width::Narrow => true,
        Width::Double => {
            ["genF", "float"].contains(&first)
                || first.starts_with("vec")
                || first.starts_with("mat")
        }
        Width::Int64 => ["genI", "genU", "int", "uint", "ivec", "uvec"].contains(&first),
    }
}

/// Vector sizes and scalar kind of a family of types (`genF`, `vec`); `None` for a single type.
pub(super) fn family(word: &str) -> Option<(RangeInclusive<u8>, Kind)> {
    let kind = match word.strip_prefix("gen") {
        Some("F") => Kind::Float,
        Some("I") => Kind::Int,
        Some("U") => Kind::Uint,
        Some("B") => Kind::Bool,
        Some("D") => Kind::Double,
        Some("I64") => Kind::Int64,
        Some("U64") => Kind::Uint64,
        Some(_) => return None,
        None => {
            let prefix = word.strip_suffix("vec")?;
            let (_, kind) = VECTORS.iter().find(|(name, _)| *name == prefix)?;
            return Some((2..=4, *kind));
        }
    };
    Some((1..=4, kind))
}
