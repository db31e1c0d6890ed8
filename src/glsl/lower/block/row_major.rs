//! Row-major matrices of storage blocks.
//!
//! In memory a row-major matrix is a struct with one member, the array of its rows, so its type distinguishes it from
//! any other. No pointer can point to one of its columns: the column's scalars are accessed one by one, each in another
//! row.

use naga::{ArraySize, Expression, Handle, StructMember, TypeInner};

use ir::source::Span;

use crate::lower::Stage;
use crate::lower::body::Body;
use crate::lower::operand::{Place, Step, Value};
use crate::lower::types::layout::{Packing, StoredType};
use crate::lower::types::{Kind, Shape, Ty};

impl Stage<'_> {
    /// Type of a row-major matrix in a storage block.
    pub(in crate::lower) fn row_major_type(
        &mut self,
        columns: u8,
        rows: u8,
        kind: Kind,
        packing: Packing,
    ) -> StoredType {
        let base = self.vector(columns, kind);
        let alignment = packing.round(kind.bytes() * if columns == 2 { 2 } else { 4 });
        let size = ArraySize::Constant(
            std::num::NonZeroU32::new(u32::from(rows)).unwrap_or(std::num::NonZeroU32::MIN),
        );
        let array = TypeInner::Array { base, size, stride: alignment };
        let array = self.add_type(None, array);
        let span = alignment * u32::from(rows);
        let rows = Some("rows".to_owned());
        let member = StructMember { name: rows, ty: array, binding: None, offset: 0 };
        let inner = TypeInner::Struct { members: vec![member], span };
        StoredType { ty: self.add_type(Some("RowMajor".to_owned()), inner), size: span, alignment }
    }

    /// True if memory of type `stored` holds a row-major matrix.
    pub(in crate::lower) fn is_row_major(&self, stored: Ty, ty: Ty) -> bool {
        self.shape(stored) == Shape::Struct && matches!(self.shape(ty), Shape::Matrix(..))
    }
}

impl Body<'_, '_> {
    /// Reads a whole matrix.
    pub(in crate::lower) fn load_rows(
        &mut self,
        pointer: Handle<Expression>,
        ty: Ty,
        span: Span,
    ) -> Value {
        let Shape::Matrix(columns, rows, kind) = self.shape(ty) else {
            return self.load_pointer(pointer, ty, span);
        };
        let row_ty = self.stage.vector(columns, kind);
        let mut all = Vec::new();
        for idx in 0..u32::from(rows) {
            let steps = [Step::Known(0), Step::Known(idx)];
            let row = self.walk(pointer, &steps, span);
            all.push(self.load_pointer(row, row_ty, span));
        }
        let column_ty = self.stage.vector(rows, kind);
        let mut parts = Vec::new();
        for column in 0..u32::from(columns) {
            let scalars: Vec<Value> = all.iter().map(|row| self.part(*row, column, span)).collect();
            parts.push(self.compose(column_ty, &scalars, span));
        }
        self.compose(ty, &parts, span)
    }

    /// Writes a whole matrix.
    pub(in crate::lower) fn store_rows(
        &mut self,
        pointer: Handle<Expression>,
        value: Value,
        span: Span,
    ) {
        let Shape::Matrix(columns, rows, kind) = self.shape(value.ty) else { return };
        let row_ty = self.stage.vector(columns, kind);
        let parts = self.parts(value, span);
        for idx in 0..u32::from(rows) {
            let scalars: Vec<Value> =
                parts.iter().map(|column| self.part(*column, idx, span)).collect();
            let row = self.compose(row_ty, &scalars, span);
            let target = self.walk(pointer, &[Step::Known(0), Step::Known(idx)], span);
            self.store_pointer(target, row.handle, span);
        }
    }

    /// The place of a column of a row-major matrix.
    pub(in crate::lower) fn column_place(
        &mut self,
        matrix: Place,
        column: Step,
        span: Span,
    ) -> Place {
        let ty = self.stage.child(matrix.ty, 0);
        let stored = self.stage.child(matrix.stored, 0);
        let rows = self.descend(matrix, Step::Known(0), span);
        Place { ty, stored, column: Some(column), ..rows }
    }

    /// The place of a scalar in a column of a row-major matrix; `None` for any other place.
    pub(in crate::lower) fn scalar_of_column(
        &mut self,
        place: &Place,
        row: Step,
        span: Span,
    ) -> Option<Place> {
        let column = place.column?;
        let whole = Place { column: None, swizzle: None, ..place.clone() };
        let row = self.descend(whole, row, span);
        let scalar = self.descend(row, column, span);
        let ty = self.stage.child(place.ty, 0);
        Some(Place { ty, stored: ty, ..scalar })
    }
}
