//! Splits large arrays of plain variables into several variables.
//!
//! The time that software drivers need to compile a dynamic index into a private array grows with the cube of the
//! array's length. With several smaller arrays it is negligible. So a variable that is an array of many scalars becomes
//! *pieces* of equal length. A constant index selects its piece directly; a dynamic index selects it with a `switch`
//! around each read and write.
//!
//! An array of storage blocks, which are separate buffers, is indexed in the same way.

use naga::{
    BinaryOperator, Expression, GlobalVariable, Handle, Literal, Statement, SwitchCase, SwitchValue,
};

use crate::ast::Ident;
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::global::GlobalInfo;
use crate::lower::operand::{Chosen, Pieces, Place, Step, Value};
use crate::lower::types::{Kind, MAX_UNROLLED_SCALARS, Shape, Ty};
use crate::lower::{Result, Stage};

/// Maximum number of scalars in an array that stays whole.
const MAX_WHOLE_SCALARS: u64 = 256;

/// Number of scalars per piece, unless that makes too many pieces.
const PIECE_SCALARS: u64 = 64;

/// Maximum number of pieces of one variable: every access is repeated for each piece.
const MAX_PIECES: u64 = 64;

impl Stage<'_> {
    /// The type and length of a piece and the number of pieces, if a variable of type `ty` must be split.
    pub(in crate::lower) fn piece_of(&mut self, ty: Ty) -> Option<(Ty, u32, u32)> {
        let Shape::Array(element, Some(length)) = self.shape(ty) else { return None };
        let (all, one) = (self.scalar_count(ty), self.scalar_count(element).max(1));
        if all <= MAX_WHOLE_SCALARS || all > MAX_UNROLLED_SCALARS {
            return None;
        }
        let scalars = PIECE_SCALARS.max(all.div_ceil(MAX_PIECES));
        let piece = u32::try_from(scalars.div_ceil(one)).ok()?.max(1);
        let count = length.div_ceil(piece);
        (count > 1).then(|| (self.array(element, piece), piece, count))
    }

    /// Adds a private global for a plain variable, in pieces if it is large.
    pub(in crate::lower) fn add_plain(
        &mut self,
        name: &Ident,
        info: GlobalInfo,
    ) -> Handle<GlobalVariable> {
        let Some((stored, _, count)) = self.piece_of(info.ty) else {
            return self.add_private(name, info);
        };
        let first = self.add_private(name, GlobalInfo { stored, ..info.clone() });
        let mut pieces = vec![first];
        for idx in 1..count {
            let name = Ident { name: format!("{}_piece{idx}", name.name), span: name.span };
            pieces.push(self.add_private(&name, GlobalInfo { stored, ..info.clone() }));
        }
        if let Some(known) = self.globals.get_mut(&first) {
            known.pieces = Some(pieces.into());
        }
        first
    }
}

impl Body<'_, '_> {
    /// The pieces of a global, if it has them.
    pub(in crate::lower) fn global_pieces(
        &mut self,
        global: Handle<GlobalVariable>,
        span: Span,
    ) -> Option<Pieces> {
        let info = self.stage.globals.get(&global)?;
        let (handles, stored) = (info.pieces.clone()?, info.stored);
        let pointers = handles.iter().map(|handle| self.global(*handle, span)).collect();
        Some(Pieces { pointers, length: self.stage.child_count(stored), chosen: None })
    }

    /// Adds the variables for a large local array. Returns the type of a piece, and the pieces; `None` if the array
    /// stays whole.
    pub(in crate::lower) fn local_pieces(
        &mut self,
        name: &str,
        ty: Ty,
        span: Span,
    ) -> Option<(Ty, Pieces)> {
        let (stored, length, count) = self.stage.piece_of(ty)?;
        let pointers = (0..count).map(|_| self.local(name, stored, span)).collect();
        Some((stored, Pieces { pointers, length, chosen: None }))
    }

    /// The part `step` of a place in pieces.
    pub(in crate::lower) fn step_in_pieces(
        &mut self,
        place: &Place,
        step: Step,
        span: Span,
    ) -> Place {
        let idx = if let Step::Known(idx) = step { idx } else { 0 };
        let ty = self.stage.child(place.ty, idx);
        let stored = self.stage.child(place.stored, idx);
        let mut next = Place { ty, stored, swizzle: None, ..place.clone() };
        let Some(mut pieces) = next.pieces.take() else { return next };
        if let Some(chosen) = &mut pieces.chosen {
            chosen.steps.push(step);
            return Place { pieces: Some(pieces), ..next };
        }
        match step {
            Step::Known(idx) => {
                let (piece, within) = (idx / pieces.length, idx % pieces.length);
                let pointer = pieces.pointers.get(piece as usize).copied();
                let steps = [Step::Known(within)];
                next.pointer = self.walk(pointer.unwrap_or(place.pointer), &steps, span);
            }
            Step::Dynamic(index) => {
                let (piece, within) = self.split_index(index, pieces.length, span);
                let steps = vec![Step::Dynamic(within.handle)];
                pieces.chosen = Some(Chosen { piece, steps });
                next.pieces = Some(pieces);
            }
        }
        next
    }

    /// The place of one of several variables of the same type, selected by a dynamic index. `stored` and `ty` of
    /// `place` are those of each variable.
    pub(in crate::lower) fn chosen_place(
        &mut self,
        place: Place,
        pointers: Vec<Handle<Expression>>,
        index: Value,
        span: Span,
    ) -> Place {
        let (piece, _) = self.split_index(index.handle, 1, span);
        let chosen = Some(Chosen { piece, steps: Vec::new() });
        Place { pieces: Some(Pieces { pointers: pointers.into(), length: 1, chosen }), ..place }
    }

    /// Splits the index of an element into the index of its piece and the index within the piece.
    fn split_index(
        &mut self,
        index: Handle<Expression>,
        length: u32,
        span: Span,
    ) -> (Value, Value) {
        let unsigned = self.stage.scalar(Kind::Uint);
        let index = Expression::As { expr: index, kind: naga::ScalarKind::Uint, convert: None };
        let left = self.emit(index, span);
        let right = self.literal(Literal::U32(length), span).handle;
        let [piece, within] = [BinaryOperator::Divide, BinaryOperator::Modulo]
            .map(|op| self.value(Expression::Binary { op, left, right }, unsigned, span));
        (piece, within)
    }

    /// A pointer to the part at the end of the steps.
    pub(in crate::lower) fn walk(
        &mut self,
        mut pointer: Handle<Expression>,
        steps: &[Step],
        span: Span,
    ) -> Handle<Expression> {
        for step in steps {
            let base = pointer;
            pointer = match *step {
                Step::Known(index) => self.emit(Expression::AccessIndex { base, index }, span),
                Step::Dynamic(index) => self.emit(Expression::Access { base, index }, span),
            };
        }
        pointer
    }

    /// Takes one step towards a part; the caller sets the place's types.
    pub(in crate::lower) fn descend(&mut self, mut place: Place, step: Step, span: Span) -> Place {
        match place.pieces.as_mut().and_then(|pieces| pieces.chosen.as_mut()) {
            Some(chosen) => chosen.steps.push(step),
            None => place.pointer = self.walk(place.pointer, &[step], span),
        }
        place
    }

    /// Reads a place in pieces.
    pub(in crate::lower) fn load_pieces(&mut self, place: &Place, span: Span) -> Result<Value> {
        if !place.is_chosen() {
            let mut parts = Vec::new();
            for idx in 0..self.stage.child_count(place.ty) {
                let part = self.step_in_pieces(place, Step::Known(idx), span);
                parts.push(self.load(&part, span)?);
            }
            return Ok(self.compose(place.ty, &parts, span));
        }
        self.read_chosen(place, place.ty, span, |body, part| body.load(part, span))
    }

    /// A value of type `ty` that `read` reads from the selected part, in any piece.
    pub(in crate::lower) fn read_chosen(
        &mut self,
        place: &Place,
        ty: Ty,
        span: Span,
        mut read: impl FnMut(&mut Self, &Place) -> Result<Value>,
    ) -> Result<Value> {
        let found = self.local("read", ty, span);
        self.in_every_piece(place, span, |body, part| {
            let value = read(body, part)?;
            body.store_pointer(found, value.handle, span);
            Ok(())
        })?;
        Ok(self.load_pointer(found, ty, span))
    }

    /// Writes to a place in pieces.
    pub(in crate::lower) fn store_pieces(
        &mut self,
        place: &Place,
        value: Value,
        span: Span,
    ) -> Result<()> {
        if place.is_chosen() {
            return self.in_every_piece(place, span, |body, part| body.store(part, value, span));
        }
        for idx in 0..self.stage.child_count(place.ty) {
            let part = self.step_in_pieces(place, Step::Known(idx), span);
            let value = self.part(value, idx, span);
            self.store(&part, value, span)?;
        }
        Ok(())
    }

    /// Emits a `switch` over the pieces; each case works on the place in its own piece.
    fn in_every_piece(
        &mut self,
        place: &Place,
        span: Span,
        mut access: impl FnMut(&mut Self, &Place) -> Result<()>,
    ) -> Result<()> {
        let Some(Pieces { pointers, chosen: Some(chosen), .. }) = place.pieces.clone() else {
            return Ok(());
        };
        let mut cases = Vec::new();
        for (idx, pointer) in (0_u32..).zip(pointers.iter()) {
            self.code.open_block();
            let pointer = self.walk(*pointer, &chosen.steps, span);
            let done = access(self, &Place { pointer, pieces: None, ..place.clone() });
            let body = self.code.close_block();
            done?;
            // An index out of bounds may access any element.
            let is_last = idx as usize + 1 == pointers.len();
            let value = if is_last { SwitchValue::Default } else { SwitchValue::U32(idx) };
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        self.push(Statement::Switch { selector: chosen.piece.handle, cases }, span);
        Ok(())
    }
}
