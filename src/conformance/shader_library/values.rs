//! Values of a case's inputs, outputs and uniforms.

use ir::source::Span;

/// The values of a case.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Attributes of the vertex stage.
    pub(super) inputs: Vec<Value>,
    /// Expected results.
    pub(super) outputs: Vec<Value>,
    /// Uniforms.
    pub(super) uniforms: Vec<Value>,
}

impl Values {
    /// Number of draws: one for each value of the lists, and at least one. The first output counts, or without outputs the
    /// first value.
    pub(super) fn draws(&self) -> usize {
        let first = self.outputs.first().or(self.inputs.first()).or(self.uniforms.first());
        first.map_or(1, |value| value.list.len())
    }

    /// All values, inputs first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Value> {
        self.inputs.iter().chain(&self.outputs).chain(&self.uniforms)
    }
}

/// A value, or a list of values.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Name of the variable; it may name a member (`light.color`).
    pub(super) name: String,
    /// Type of the variable.
    pub(super) ty: ValueType,
    /// The values, each with its scalars in the order of the file; matrices column by column.
    pub(super) list: Vec<Vec<Scalar>>,
    /// Position of the name.
    pub(super) span: Span,
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    /// A float.
    Float(f64),
    /// A signed or unsigned integer, as its 32 bits.
    Integer(i32),
    /// A boolean.
    Bool(bool),
}

impl Scalar {
    /// The scalar as a number of a float type.
    pub(super) fn as_float(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Integer(value) => f64::from(value),
            Self::Bool(value) => f64::from(u8::from(value)),
        }
    }

    /// The scalar as the text of a number of this type.
    pub(super) fn text(self, kind: ScalarType) -> String {
        match (self, kind) {
            (Self::Integer(value), ScalarType::Uint) => value.cast_unsigned().to_string(),
            (Self::Integer(value), _) => value.to_string(),
            (Self::Bool(value), _) => u8::from(value).to_string(),
            (Self::Float(value), _) => format!("{value:?}"),
        }
    }
}

/// Type of the scalars of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScalarType {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
}

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ValueType {
    /// Type of the scalars.
    pub(super) scalar: ScalarType,
    /// Columns of a matrix; 1 for a scalar or vector.
    pub(super) columns: u8,
    /// Components of a vector or of a matrix's columns.
    pub(super) rows: u8,
}

impl ValueType {
    /// The type with this name in GLSL.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::all().find(|ty| ty.name() == name)
    }

    /// All types: scalars, vectors and matrices.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        const SCALARS: [ScalarType; 4] =
            [ScalarType::Bool, ScalarType::Int, ScalarType::Uint, ScalarType::Float];
        let vectors = SCALARS
            .into_iter()
            .flat_map(|scalar| (1..=4).map(move |rows| Self { scalar, columns: 1, rows }));
        let matrices = (2..=4).flat_map(|columns| {
            (2..=4).map(move |rows| Self { scalar: ScalarType::Float, columns, rows })
        });
        vectors.chain(matrices)
    }

    /// The type's name in GLSL.
    pub(super) fn name(self) -> String {
        let Self { scalar, columns, rows } = self;
        let prefix = match scalar {
            ScalarType::Bool => "b",
            ScalarType::Int => "i",
            ScalarType::Uint => "u",
            ScalarType::Float => "",
        };
        match (scalar, columns, rows) {
            (ScalarType::Bool, 1, 1) => "bool".to_owned(),
            (ScalarType::Int, 1, 1) => "int".to_owned(),
            (ScalarType::Uint, 1, 1) => "uint".to_owned(),
            (ScalarType::Float, 1, 1) => "float".to_owned(),
            (_, 1, _) => format!("{prefix}vec{rows}"),
            _ if columns == rows => format!("mat{rows}"),
            _ => format!("mat{columns}x{rows}"),
        }
    }

    /// Number of scalars.
    pub(super) const fn count(self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// True for floats, and vectors and matrices of them.
    pub(super) const fn is_float(self) -> bool {
        matches!(self.scalar, ScalarType::Float)
    }

    /// True for matrices.
    pub(super) const fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// The type of the same shape with other scalars.
    pub(super) const fn with(self, scalar: ScalarType) -> Self {
        Self { scalar, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_those_of_glsl() {
        let names: Vec<String> = ValueType::all().map(ValueType::name).collect();
        let expected = "bool bvec2 bvec3 bvec4 int ivec2 ivec3 ivec4 uint uvec2 uvec3 uvec4 float vec2 vec3 vec4 \
                        mat2 mat2x3 mat2x4 mat3x2 mat3 mat3x4 mat4x2 mat4x3 mat4";
        assert_eq!(names.join(" "), expected);
        assert_eq!(ValueType::named("mat2x3").map(ValueType::count), Some(6));
        assert_eq!(ValueType::named("dvec2"), None);
    }
}
