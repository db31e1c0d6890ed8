//! Lowers constructors of scalars, vectors, matrices, structs and arrays.

use ir::diagnostic::counted;
use naga::Expression;

use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::{Kind, Shape, Ty};
use crate::lower::{Result, wrong};

/// A matrix type.
#[derive(Clone, Copy)]
struct MatrixType {
    /// The type itself.
    ty: Ty,
    /// Number of columns.
    columns: u8,
    /// Number of components of a column.
    rows: u8,
    /// Kind of the components.
    kind: Kind,
}

impl Body<'_, '_> {
    /// Lowers `type(arguments)`.
    pub(in crate::lower) fn construct(
        &mut self,
        ty: Ty,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Value> {
        match self.shape(ty) {
            Shape::Scalar(kind) | Shape::Vector(_, kind) => {
                self.construct_vector(ty, kind, arguments, span)
            }
            Shape::Matrix(columns, rows, kind) => {
                self.construct_matrix(MatrixType { ty, columns, rows, kind }, arguments, span)
            }
            Shape::Array(..) | Shape::Struct => self.construct_composite(ty, arguments, span),
        }
    }

    fn construct_vector(
        &mut self,
        ty: Ty,
        kind: Kind,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Value> {
        let size = self.shape(ty).components().unwrap_or(1);
        if let [(value, _)] = *arguments
            && let Some(count) = self.shape(value.ty).components()
        {
            let value = self.convert(value, kind, span);
            if count == size {
                return Ok(value);
            }
            if count == 1 {
                return Ok(self.splat(value, size, span));
            }
        }
        let parts = self.take_components(ty, usize::from(size), arguments, span)?;
        let parts: Vec<_> = parts.into_iter().map(|part| self.convert(part, kind, span)).collect();
        if let [single] = *parts
            && single.ty == ty
        {
            return Ok(single);
        }
        Ok(self.compose(ty, &parts, span))
    }

    /// Scalars and vectors that together have `needed` components; surplus components of the last one are dropped.
    fn take_components(
        &mut self,
        ty: Ty,
        needed: usize,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Vec<Value>> {
        let (mut parts, mut have) = (Vec::new(), 0);
        for (argument, at) in arguments {
            if have >= needed {
                let name = self.type_name(ty);
                return wrong(
                    *at,
                    format!(
                        "this argument is unused: the arguments before it fill all components of `{name}`"
                    ),
                );
            }
            for vector in self.vectors_of(*argument, *at)? {
                let count = usize::from(self.shape(vector.ty).components().unwrap_or(1));
                let taken = count.min(needed - have);
                if taken == count {
                    parts.push(vector);
                } else if taken > 0 {
                    let components: Vec<u8> = (0..4).take(taken).collect();
                    parts.push(self.swizzle(vector, &components, *at));
                }
                have += taken;
            }
        }
        if have < needed {
            let (name, needed) = (self.type_name(ty), counted(needed, "component"));
            return wrong(
                span,
                format!(
                    "the constructor of `{name}` needs {needed}, but its arguments have {have}"
                ),
            );
        }
        Ok(parts)
    }

    /// Scalars, vectors or matrix columns of a constructor's argument.
    fn vectors_of(&mut self, argument: Value, span: Span) -> Result<Vec<Value>> {
        match self.shape(argument.ty) {
            Shape::Scalar(_) | Shape::Vector(..) => Ok(vec![argument]),
            Shape::Matrix(..) => Ok(self.parts(argument, span)),
            Shape::Array(..) | Shape::Struct => {
                let name = self.type_name(argument.ty);
                wrong(span, format!("this constructor does not accept `{name}`"))
            }
        }
    }

    fn construct_matrix(
        &mut self,
        matrix: MatrixType,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Value> {
        let MatrixType { ty, columns, rows, kind } = matrix;
        if let [(value, _)] = *arguments {
            match self.shape(value.ty) {
                Shape::Scalar(_) => {
                    let value = self.convert(value, kind, span);
                    return Ok(self.diagonal(matrix, value, span));
                }
                Shape::Matrix(columns, rows, _) => {
                    self.check_matrix_version(span)?;
                    let value = self.convert(value, kind, span);
                    if value.ty == ty {
                        return Ok(value);
                    }
                    let old = MatrixType { ty: value.ty, columns, rows, kind };
                    return Ok(self.resize_matrix(matrix, old, value, span));
                }
                Shape::Vector(..) | Shape::Array(..) | Shape::Struct => {}
            }
        }
        let needed = usize::from(columns) * usize::from(rows);
        let parts = self.take_components(ty, needed, arguments, span)?;
        let mut scalars = Vec::new();
        for part in parts {
            let part = self.convert(part, kind, span);
            if matches!(self.shape(part.ty), Shape::Scalar(_)) {
                scalars.push(part);
            } else {
                scalars.extend(self.parts(part, span));
            }
        }
        let column_ty = self.stage.vector(rows, kind);
        let columns: Vec<_> = scalars
            .chunks(usize::from(rows))
            .map(|column| self.compose(column_ty, column, span))
            .collect();
        Ok(self.compose(ty, &columns, span))
    }

    fn diagonal(&mut self, matrix: MatrixType, value: Value, span: Span) -> Value {
        let MatrixType { ty, columns, rows, kind } = matrix;
        let zero = self.literal(kind.small(0), span);
        let column_ty = self.stage.vector(rows, kind);
        let columns: Vec<_> = (0..columns)
            .map(|column| {
                let scalars: Vec<_> =
                    (0..rows).map(|row| if row == column { value } else { zero }).collect();
                self.compose(column_ty, &scalars, span)
            })
            .collect();
        self.compose(ty, &columns, span)
    }

    /// The upper left part of `value`, a matrix of type `old`, extended with the identity.
    fn resize_matrix(
        &mut self,
        matrix: MatrixType,
        old: MatrixType,
        value: Value,
        span: Span,
    ) -> Value {
        let MatrixType { ty, columns, rows, kind } = matrix;
        let (zero, one) = (self.literal(kind.small(0), span), self.literal(kind.small(1), span));
        let column_ty = self.stage.vector(rows, kind);
        let mut new_columns = Vec::new();
        for column in 0..columns {
            let old_column =
                (column < old.columns).then(|| self.part(value, u32::from(column), span));
            let mut scalars = Vec::new();
            for row in 0..rows {
                scalars.push(match old_column {
                    Some(column) if row < old.rows => self.part(column, u32::from(row), span),
                    _ if row == column => one,
                    _ => zero,
                });
            }
            new_columns.push(self.compose(column_ty, &scalars, span));
        }
        self.compose(ty, &new_columns, span)
    }

    /// Constructs a struct or array: one argument for each part, converted implicitly.
    fn construct_composite(
        &mut self,
        ty: Ty,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Result<Value> {
        let needed = self.stage.child_count(ty);
        if arguments.len() != needed as usize {
            let (name, count) = (self.type_name(ty), counted(arguments.len(), "argument"));
            return wrong(
                span,
                format!("the constructor of `{name}` has {count} but needs {needed}"),
            );
        }
        let mut parts = Vec::new();
        for (idx, (argument, at)) in (0..).zip(arguments) {
            let part = self.stage.child(ty, idx);
            parts.push(self.implicit(*argument, part, *at)?);
        }
        Ok(self.compose(ty, &parts, span))
    }

    /// The zero value of a type.
    pub(in crate::lower) fn zero(&mut self, ty: Ty, span: Span) -> Value {
        self.value(Expression::ZeroValue(ty), ty, span)
    }
}
