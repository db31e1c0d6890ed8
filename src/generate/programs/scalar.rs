//! Kinds of numbers.

/// Kind of the components of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Scalar {
    Bool,
    Int,
    Uint,
    /// 32-bit floats whose operations are exact, so that every implementation gives the same bits
    Float,
    /// 32-bit floats within a range; nothing discrete depends on them
    Rough,
    Long,
    Ulong,
    /// 64-bit floats whose operations are exact
    Double,
    /// 16-bit floats whose operations are exact
    Half,
}

impl Scalar {
    pub(super) const ALL: [Self; 9] = [
        Self::Bool,
        Self::Int,
        Self::Uint,
        Self::Float,
        Self::Rough,
        Self::Long,
        Self::Ulong,
        Self::Double,
        Self::Half,
    ];

    /// True for floats whose operations are exact.
    pub(super) const fn is_exact(self) -> bool {
        matches!(self, Self::Float | Self::Double | Self::Half)
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Rough | Self::Double | Self::Half)
    }

    /// True for scalars of 64 bits.
    pub(super) const fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Ulong | Self::Double)
    }

    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::Long)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float => "float",
            Self::Rough => "inexact float",
            Self::Long => "int64",
            Self::Ulong => "uint64",
            Self::Double => "double",
            Self::Half => "half",
        }
    }
}

/// The scalars of a program that have other widths than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Widths {
    /// None.
    Usual,
    /// Those of 64 bits.
    Wide,
    /// Those of 16 bits.
    Half,
}

impl Widths {
    /// True if programs with these widths may have the scalar.
    pub(super) const fn has(self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float | Scalar::Rough => true,
            Scalar::Long | Scalar::Ulong | Scalar::Double => matches!(self, Self::Wide),
            Scalar::Half => matches!(self, Self::Half),
        }
    }
}
