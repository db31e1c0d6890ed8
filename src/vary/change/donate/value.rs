//! Bits of values in other shapes.

use naga::{BinaryOperator, Expression, Handle, Scalar, ScalarKind};

use crate::change::values::Shape;
use crate::copy::Copy;

/// A new value and its shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) new: Handle<Expression>,
    pub(super) shape: Shape,
}

/// True if bits of these scalars can become those of each other.
pub(super) fn is_given(scalar: Scalar) -> bool {
    [Scalar::BOOL, Scalar::I32, Scalar::U32, Scalar::F32].contains(&scalar)
}

impl Copy<'_> {
    /// Bits of a value in another shape.
    pub(super) fn like(&mut self, value: Value, shape: Shape) -> Option<Value> {
        let Value { mut new, shape: from } = value;
        let mut size = from.size;
        if size.is_some() && size != shape.size {
            new = self.new.part(new, 0);
            size = None;
        }
        let from = Shape { size, ..from };
        let to = Shape { size, ..shape };
        let is_bool = |shape: Shape| shape.scalar.kind == ScalarKind::Bool;
        new = match (is_bool(from), is_bool(to)) {
            (true, true) => new,
            (true, false) => {
                let [accept, reject] = [self.spread(1, to)?, self.spread(0, to)?];
                self.new.select(new, accept, reject)
            }
            (false, true) => {
                let zero = self.spread(0, from)?;
                self.new.binary(BinaryOperator::NotEqual, new, zero)
            }
            (false, false) if from.scalar == to.scalar => new,
            (false, false) => {
                let kind = to.scalar.kind;
                self.new.emit(Expression::As { expr: new, kind, convert: None })
            }
        };
        if let (None, Some(size)) = (size, shape.size) {
            new = self.new.emit(Expression::Splat { size, value: new });
        }
        Some(Value { new, shape })
    }
}
