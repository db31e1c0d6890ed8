//! Ranks the functions that match the arguments of a call (GLSL 4.60 section 6.1; `GL_ARB_gpu_shader_int64`).

use crate::lower::types::Kind;

/// Implicit conversion of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Conversion {
    /// The types are the same.
    Exact,
    /// To a type of the same class with more bits: `int` to `int64_t`, `float` to `double`.
    Wider,
    /// `int` or `uint` to `float`.
    IntegerToFloat,
    /// `int` or `uint` to `double`.
    IntegerToDouble,
    /// Any other conversion.
    Other,
}

impl Conversion {
    /// The conversion between different types of these kinds; the kind of a struct or array is `None`.
    pub(in crate::lower) const fn between(from: Option<Kind>, to: Option<Kind>) -> Self {
        match (from, to) {
            (Some(Kind::Int), Some(Kind::Int64))
            | (Some(Kind::Uint), Some(Kind::Uint64))
            | (Some(Kind::Float), Some(Kind::Double)) => Self::Wider,
            (Some(Kind::Int | Kind::Uint), Some(Kind::Float)) => Self::IntegerToFloat,
            (Some(Kind::Int | Kind::Uint), Some(Kind::Double)) => Self::IntegerToDouble,
            _ => Self::Other,
        }
    }

    const fn is_better(self, other: Self) -> bool {
        use Conversion::{Exact, IntegerToDouble, IntegerToFloat, Other, Wider};
        matches!(
            (self, other),
            (Exact, Wider | IntegerToFloat | IntegerToDouble | Other)
                | (Wider, IntegerToFloat | IntegerToDouble | Other)
                | (IntegerToFloat, IntegerToDouble)
        )
    }
}

/// True if a function with conversions `own` is better than one with conversions `other`: better for at least one
/// argument, and worse for none.
pub(in crate::lower) fn is_better(own: &[Conversion], other: &[Conversion]) -> bool {
    let pairs = || own.iter().zip(other);
    pairs().any(|(own, other)| own.is_better(*other))
        && !pairs().any(|(own, other)| other.is_better(*own))
}

/// Number of arguments that are converted.
pub(in crate::lower) fn count(conversions: &[Conversion]) -> usize {
    conversions.iter().filter(|conversion| **conversion != Conversion::Exact).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own: &[Conversion], other: &[Conversion], expected: [bool; 2]) {
        assert_eq!([is_better(own, other), is_better(other, own)], expected);
    }

    #[test]
    fn one_better_argument_decides_if_none_is_worse() {
        use Conversion::{Exact, IntegerToDouble, IntegerToFloat, Other, Wider};
        check(&[Exact], &[Wider], [true, false]);
        check(&[Wider], &[IntegerToFloat], [true, false]);
        check(&[IntegerToFloat], &[IntegerToDouble], [true, false]);
        check(&[IntegerToFloat], &[Other], [false, false]);
        check(&[Exact, Wider], &[Exact, Other], [true, false]);
        check(&[Exact, Other], &[Other, Exact], [false, false]);
        check(&[Exact, IntegerToDouble, IntegerToDouble], &[Wider, Exact, Exact], [false, false]);
        check(&[], &[], [false, false]);
    }
}
