//! Conversions: the explicit conversions of constructors, and the implicit conversions of a language version.

use naga::{Expression, Scalar};

use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::constant::{convert_bits, literal_bits, literal_of};
use crate::lower::types::{Kind, Shape, Ty};
use crate::lower::{Result, wrong};

/// The implicit conversions that a shader object allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Implicit {
    /// No conversions: GLSL 1.10 and ES.
    None,
    /// Integers to float: GLSL 1.20 to 3.30.
    ToFloat,
    /// Integers to float, and signed to unsigned integers: GLSL 4.00.
    All,
}

impl Body<'_, '_> {
    /// Implicit conversions of the current object.
    pub(in crate::lower) fn implicit_rules(&self) -> Implicit {
        let version = self.version();
        let extensions = [
            "GL_ARB_gpu_shader5",
            "GL_MESA_shader_integer_functions",
            "GL_EXT_shader_implicit_conversions",
        ];
        if self.stage.has_extension(self.object, &extensions) {
            Implicit::All
        } else if version.is_es || version.number < 120 {
            Implicit::None
        } else if version.number < 400 {
            Implicit::ToFloat
        } else {
            Implicit::All
        }
    }

    /// True if `from` converts implicitly to `to`.
    pub(in crate::lower) fn is_convertible(&self, from: Kind, to: Kind) -> bool {
        from == to
            || match (self.implicit_rules(), from, to) {
                (Implicit::ToFloat | Implicit::All, Kind::Int | Kind::Uint, Kind::Float)
                | (Implicit::All, Kind::Int, Kind::Uint) => true,
                (Implicit::ToFloat | Implicit::All, from, to) => widens(from, to),
                (Implicit::None, _, _) => false,
            }
    }

    /// True if a value of type `from` converts implicitly to `to`.
    pub(in crate::lower) fn is_type_convertible(&self, from: Ty, to: Ty) -> bool {
        if from == to {
            return true;
        }
        let (from, to) = (self.shape(from), self.shape(to));
        match (from, to) {
            (Shape::Scalar(from), Shape::Scalar(to)) => self.is_convertible(from, to),
            (Shape::Vector(m, from), Shape::Vector(n, to)) => {
                m == n && self.is_convertible(from, to)
            }
            (Shape::Matrix(columns, rows, from), Shape::Matrix(n, m, to)) => {
                (columns, rows) == (n, m) && self.is_convertible(from, to)
            }
            _ => false,
        }
    }

    /// Converts a value implicitly to the required type.
    pub(in crate::lower) fn implicit(&mut self, value: Value, ty: Ty, span: Span) -> Result<Value> {
        if value.ty == ty {
            return Ok(value);
        }
        match self.shape(ty).kind() {
            Some(kind) if self.is_type_convertible(value.ty, ty) => {
                Ok(self.convert(value, kind, span))
            }
            _ => {
                let (from, to) = (self.type_name(value.ty), self.type_name(ty));
                wrong(span, format!("`{from}` cannot be converted to `{to}`"))
            }
        }
    }

    /// The kind that both operands convert to.
    pub(in crate::lower) fn common_kind(&self, left: Kind, right: Kind) -> Option<Kind> {
        if self.is_convertible(left, right) {
            Some(right)
        } else if self.is_convertible(right, left) {
            Some(left)
        } else {
            None
        }
    }

    /// Converts the components of a scalar, vector or matrix, as a constructor does.
    pub(in crate::lower) fn convert(&mut self, value: Value, kind: Kind, span: Span) -> Value {
        let shape = self.shape(value.ty);
        let Some(from) = shape.kind().filter(|from| *from != kind) else { return value };
        if let Shape::Matrix(columns, rows, _) = shape {
            let parts = self.parts(value, span);
            let parts: Vec<_> =
                parts.into_iter().map(|column| self.convert(column, kind, span)).collect();
            let ty = self.stage.matrix(columns, rows, kind);
            return self.compose(ty, &parts, span);
        }
        let Some(size) = shape.components() else { return value };
        let ty = self.stage.vector(size, kind);
        if let Expression::Literal(literal) = self.code.function.expressions[value.handle]
            && let Some((from, bits)) = literal_bits(literal)
            && let Some(literal) = literal_of(kind, convert_bits(from, kind, bits))
        {
            return self.literal(literal, span);
        }
        // naga 30 extends integers by the sign of the target type, but the sign of the source type must be used.
        let same_sign = match (from, kind) {
            (Kind::Uint, Kind::Int64) => Some(Kind::Uint64),
            (Kind::Int, Kind::Uint64) => Some(Kind::Int64),
            _ => None,
        };
        if let Some(same_sign) = same_sign {
            let wide = self.convert(value, same_sign, span);
            return self.bitcast(wide, kind, span);
        }
        let Scalar { kind: naga_kind, width } = kind.scalar();
        let cast = Expression::As { expr: value.handle, kind: naga_kind, convert: Some(width) };
        self.value(cast, ty, span)
    }

    /// Reinterprets the bits of a scalar or vector as another kind of the same size.
    pub(in crate::lower) fn bitcast(&mut self, value: Value, kind: Kind, span: Span) -> Value {
        let Some(size) = self.shape(value.ty).components() else { return value };
        let ty = self.stage.vector(size, kind);
        if ty == value.ty {
            return value;
        }
        let kind = kind.scalar().kind;
        self.value(Expression::As { expr: value.handle, kind, convert: None }, ty, span)
    }

    /// Checks that a condition is a boolean scalar.
    pub(in crate::lower) fn condition(&self, value: Value, span: Span) -> Result<Value> {
        if self.shape(value.ty) == Shape::Scalar(Kind::Bool) {
            return Ok(value);
        }
        let name = self.type_name(value.ty);
        wrong(span, format!("a condition must be `bool`, not `{name}`"))
    }
}

/// Implicit conversions to 64-bit types (GLSL 4.60, 4.1.10; `GL_ARB_gpu_shader_int64`). No version check is needed: a
/// shader without these types has no such values.
const fn widens(from: Kind, to: Kind) -> bool {
    match to {
        Kind::Double => !matches!(from, Kind::Bool),
        Kind::Uint64 => from.is_integer(),
        Kind::Int64 => matches!(from, Kind::Int),
        Kind::Bool | Kind::Int | Kind::Uint | Kind::Float => false,
    }
}
