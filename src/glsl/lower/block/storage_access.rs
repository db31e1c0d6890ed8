//! Accesses memory whose type differs from the type in the shader.
//!
//! Buffers store booleans as `u32`, may have other strides than private variables, and may contain atomics. Some
//! built-ins differ in signedness. Values are decomposed only as far as the two types differ.

use naga::{Expression, Handle};

use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::{Shape, Ty};

impl Body<'_, '_> {
    /// Reads memory of type `stored` as a value of type `ty`.
    pub(in crate::lower) fn load_stored(
        &mut self,
        pointer: Handle<Expression>,
        stored: Ty,
        ty: Ty,
        span: Span,
    ) -> Value {
        if stored == ty {
            return self.load_pointer(pointer, ty, span);
        }
        match (self.shape(stored), self.shape(ty)) {
            (Shape::Scalar(from), Shape::Scalar(to))
            | (Shape::Vector(_, from), Shape::Vector(_, to)) => {
                let value = self.load_pointer(pointer, stored, span);
                if from == to { Value { ty, ..value } } else { self.convert(value, to, span) }
            }
            (Shape::Struct, Shape::Matrix(..)) => self.load_rows(pointer, ty, span),
            (Shape::Scalar(_), Shape::Array(element, _)) => {
                let value = self.load_stored(pointer, stored, element, span);
                self.compose(ty, &[value], span)
            }
            _ => {
                let mut parts = Vec::new();
                for index in 0..self.stage.child_count(ty) {
                    let part = self.emit(Expression::AccessIndex { base: pointer, index }, span);
                    let (inner, outer) =
                        (self.stage.child(stored, index), self.stage.child(ty, index));
                    parts.push(self.load_stored(part, inner, outer, span));
                }
                self.compose(ty, &parts, span)
            }
        }
    }

    /// Writes a value to memory of type `stored`.
    pub(in crate::lower) fn store_stored(
        &mut self,
        pointer: Handle<Expression>,
        stored: Ty,
        value: Value,
        span: Span,
    ) {
        if stored == value.ty {
            self.store_pointer(pointer, value.handle, span);
            return;
        }
        match (self.shape(stored), self.shape(value.ty)) {
            (Shape::Scalar(to), Shape::Scalar(from))
            | (Shape::Vector(_, to), Shape::Vector(_, from)) => {
                let value = if from == to { value } else { self.convert(value, to, span) };
                self.store_pointer(pointer, value.handle, span);
            }
            (Shape::Struct, Shape::Matrix(..)) => self.store_rows(pointer, value, span),
            (Shape::Scalar(_), Shape::Array(..)) => {
                let value = self.part(value, 0, span);
                self.store_stored(pointer, stored, value, span);
            }
            _ => {
                for index in 0..self.stage.child_count(value.ty) {
                    let part = self.part(value, index, span);
                    let target = self.emit(Expression::AccessIndex { base: pointer, index }, span);
                    let inner = self.stage.child(stored, index);
                    self.store_stored(target, inner, part, span);
                }
            }
        }
    }
}
