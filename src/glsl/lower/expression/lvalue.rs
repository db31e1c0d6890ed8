//! Places: l-values, which can be assigned, read, or passed to `out` parameters.
//!
//! A place is a pointer and, for swizzles, the selected components. Its type in the shader and the type in memory may
//! differ (`bool` in a buffer, `int gl_VertexID` over naga's `u32`); accesses convert.

use naga::{Expression, Handle, Literal};

use crate::ast::Ident;
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::global::{Role, Use};
use crate::lower::operand::{Access, Place, Step, Value};
use crate::lower::scope::{Constancy, Symbol};
use crate::lower::types::{Kind, MAX_UNROLLED_SCALARS, Shape, Ty};
use crate::lower::{Result, unsupported, wrong};

impl Body<'_, '_> {
    /// The place of a symbol; `None` if it is not a variable.
    pub(in crate::lower) fn place_of(&mut self, symbol: &Symbol, span: Span) -> Option<Place> {
        match *symbol {
            Symbol::Type(_) | Symbol::Constant(_) | Symbol::Blocks(..) => None,
            Symbol::Local { pointer, ty, constancy } => Some(Place {
                pointer,
                ty,
                stored: ty,
                swizzle: None,
                column: None,
                pieces: None,
                access: if constancy == Constancy::Variable {
                    Access::ReadWrite
                } else {
                    Access::ReadOnly("constant")
                },
                root: None,
                is_block: false,
                is_open: false,
            }),
            Symbol::LocalPieces { ref pieces, ty, stored } => Some(Place {
                pointer: *pieces.pointers.first()?,
                ty,
                stored,
                swizzle: None,
                column: None,
                pieces: Some(pieces.clone()),
                access: Access::ReadWrite,
                root: None,
                is_block: false,
                is_open: false,
            }),
            Symbol::Global(global) => self.global_place(global, span),
            Symbol::Member(global, idx) => {
                let block = self.global_place(global, span)?;
                Some(self.step(block, idx, span))
            }
        }
    }

    fn global_place(&mut self, global: Handle<naga::GlobalVariable>, span: Span) -> Option<Place> {
        let info = self.stage.globals.get(&global)?;
        let (ty, stored, is_block) = (info.ty, info.stored, info.is_block);
        let access = match info.role {
            Role::Output if info.has_vertices => Access::OwnVertex,
            Role::Plain | Role::Output | Role::Storage | Role::Shared => Access::ReadWrite,
            Role::Const => Access::ReadOnly("constant"),
            Role::Input => Access::ReadOnly("input"),
            Role::Uniform => Access::ReadOnly("uniform"),
        };
        let pointer = self.global(global, span);
        let root = Use { global, member: None, is_write: false };
        self.stage.record_mention(root);
        let pieces = self.global_pieces(global, span);
        Some(Place {
            pointer,
            ty,
            stored,
            swizzle: None,
            column: None,
            pieces,
            access,
            root: Some(root),
            is_block,
            is_open: false,
        })
    }

    /// The direct part `idx` of a place.
    pub(in crate::lower) fn step(&mut self, place: Place, idx: u32, span: Span) -> Place {
        let swizzled = place.swizzle.as_ref().and_then(|all| all.get(idx as usize)).copied();
        let row = Step::Known(swizzled.map_or(idx, u32::from));
        if let Some(scalar) = self.scalar_of_column(&place, row, span) {
            return scalar;
        }
        if self.stage.is_row_major(place.stored, place.ty) {
            return self.column_place(place, Step::Known(idx), span);
        }
        let ty = self.stage.child(place.ty, idx);
        if let Some(swizzle) = &place.swizzle {
            let component = swizzle.get(idx as usize).copied().unwrap_or(0);
            let whole = Place { swizzle: None, ty: place.stored, ..place };
            return Place { ty, ..self.step(whole, u32::from(component), span) };
        }
        let mut next = Place { ty, is_open: false, ..place.clone() };
        if place.is_block && self.shape(place.ty) == Shape::Struct {
            self.enter_block_member(&mut next, idx);
        }
        if place.pieces.is_some() {
            let Place { access, root, is_block, is_open, .. } = next;
            let place = Place { access, root, is_block, is_open, ..place };
            return self.step_in_pieces(&place, Step::Known(idx), span);
        }
        if is_one_word(self, place.stored) && !is_one_word(self, place.ty) {
            return next;
        }
        let index = idx;
        next.stored = self.stage.child(place.stored, idx);
        next.pointer = self.emit(Expression::AccessIndex { base: place.pointer, index }, span);
        next
    }

    fn enter_block_member(&mut self, place: &mut Place, idx: u32) {
        place.is_block = false;
        let Some(root) = &mut place.root else { return };
        root.member = Some(idx);
        self.stage.record_mention(*root);
        let Some(info) = self.stage.globals.get(&root.global) else { return };
        place.is_open = info.open_members.contains(&idx);
        let memory = info.memory.get(idx as usize).copied().unwrap_or_default();
        if memory.is_read_only {
            place.access = Access::ReadOnly("readonly");
        } else if memory.is_write_only {
            place.access = Access::WriteOnly;
        }
    }

    /// The part of a place selected by a dynamic index.
    pub(in crate::lower) fn step_dynamic(
        &mut self,
        place: Place,
        index: Value,
        span: Span,
    ) -> Place {
        let ty = self.stage.child(place.ty, 0);
        if is_one_word(self, place.stored) && !is_one_word(self, place.ty) {
            return Place { ty, ..place };
        }
        let index = match &place.swizzle {
            Some(swizzle) => self.swizzled_index(&swizzle.clone(), index, span),
            None => index,
        };
        if let Some(scalar) = self.scalar_of_column(&place, Step::Dynamic(index.handle), span) {
            return scalar;
        }
        if self.stage.is_row_major(place.stored, place.ty) {
            return self.column_place(place, Step::Dynamic(index.handle), span);
        }
        if place.pieces.is_some() {
            return self.step_in_pieces(&place, Step::Dynamic(index.handle), span);
        }
        let stored = self.stage.child(place.stored, 0);
        let access = Expression::Access { base: place.pointer, index: index.handle };
        let pointer = self.emit(access, span);
        Place { pointer, ty, stored, swizzle: None, ..place }
    }

    /// The index of the vector component that component `index` of a swizzle selects.
    fn swizzled_index(&mut self, swizzle: &[u8], index: Value, span: Span) -> Value {
        let ty = self.stage.vector(u8::try_from(swizzle.len()).unwrap_or(4), Kind::Uint);
        let table: Vec<Value> = swizzle
            .iter()
            .map(|component| self.literal(Literal::U32(u32::from(*component)), span))
            .collect();
        let table = self.compose(ty, &table, span);
        let ty = self.stage.scalar(Kind::Uint);
        self.value(Expression::Access { base: table.handle, index: index.handle }, ty, span)
    }

    /// Selects components of a vector's place; the vector has at least two.
    pub(in crate::lower) fn select(
        &mut self,
        place: Place,
        components: &[u8],
        span: Span,
    ) -> Place {
        if let [component] = *components {
            return self.step(place, u32::from(component), span);
        }
        let inner = place.swizzle.as_deref();
        let swizzle = components
            .iter()
            .map(|idx| {
                inner.map_or(*idx, |inner| inner.get(usize::from(*idx)).copied().unwrap_or(0))
            })
            .collect();
        let kind = self.shape(place.ty).kind().unwrap_or(Kind::Float);
        let ty = self.stage.vector(u8::try_from(components.len()).unwrap_or(4), kind);
        Place { ty, swizzle: Some(swizzle), ..place }
    }

    /// Reads a place at this point.
    pub(in crate::lower) fn load(&mut self, place: &Place, span: Span) -> Result<Value> {
        self.check_unrolled(place, span)?;
        if place.access == Access::WriteOnly {
            return wrong(span, "a `writeonly` variable cannot be read");
        }
        self.record(place, false);
        if place.pieces.is_some() {
            return self.load_pieces(place, span);
        }
        if place.column.is_some() {
            let count = self.stage.child_count(place.ty);
            let parts: Vec<Place> =
                (0..count).map(|idx| self.step(place.clone(), idx, span)).collect();
            let parts: Result<Vec<Value>> =
                parts.iter().map(|part| self.load(part, span)).collect();
            return Ok(self.compose(place.ty, &parts?, span));
        }
        let Some(swizzle) = &place.swizzle else {
            return Ok(self.load_stored(place.pointer, place.stored, place.ty, span));
        };
        let kind = self.shape(place.ty).kind().unwrap_or(Kind::Float);
        let size = self.shape(place.stored).components().unwrap_or(4);
        let whole_ty = self.stage.vector(size, kind);
        let whole = self.load_stored(place.pointer, place.stored, whole_ty, span);
        Ok(self.swizzle(whole, &swizzle.clone(), span))
    }

    /// Writes a value of the place's own type to it at this point.
    pub(in crate::lower) fn store(
        &mut self,
        place: &Place,
        value: Value,
        span: Span,
    ) -> Result<()> {
        self.check_writable(place, span)?;
        self.check_unrolled(place, span)?;
        self.record(place, true);
        if place.pieces.is_some() {
            return self.store_pieces(place, value, span);
        }
        if place.column.is_some() {
            for idx in 0..self.stage.child_count(place.ty) {
                let target = self.step(place.clone(), idx, span);
                let part = self.part(value, idx, span);
                self.store(&target, part, span)?;
            }
            return Ok(());
        }
        let Some(swizzle) = place.swizzle.clone() else {
            self.store_stored(place.pointer, place.stored, value, span);
            return Ok(());
        };
        for (idx, component) in (0..).zip(swizzle) {
            let index = u32::from(component);
            let pointer = self.emit(Expression::AccessIndex { base: place.pointer, index }, span);
            let stored = self.stage.child(place.stored, index);
            let part = self.part(value, idx, span);
            self.store_stored(pointer, stored, part, span);
        }
        Ok(())
    }

    /// Rejects assignments to a read-only place.
    #[expect(clippy::unused_self, reason = "reads as one of the steps of an assignment")]
    pub(in crate::lower) fn check_writable(&self, place: &Place, span: Span) -> Result<()> {
        if let Access::ReadOnly(what) = place.access {
            let article = if what.starts_with(['i', 'o']) { "an" } else { "a" };
            let what = if what == "readonly" { "`readonly` variable" } else { what };
            return wrong(span, format!("{article} {what} cannot be assigned to"));
        }
        if place.access == Access::OwnVertex {
            let message =
                "the outputs of a control stage are written at the index `gl_InvocationID`";
            return wrong(span, message);
        }
        let mut seen = [false; 4];
        for component in place.swizzle.iter().flatten() {
            if std::mem::replace(&mut seen[usize::from(*component) % 4], true) {
                return wrong(span, "a swizzle that is assigned to must not repeat a component");
            }
        }
        Ok(())
    }

    /// Rejects copying large memory part by part if its layout is not that of plain variables.
    fn check_unrolled(&self, place: &Place, span: Span) -> Result<()> {
        let is_large = self.stage.scalar_count(place.ty) > MAX_UNROLLED_SCALARS;
        if is_large && place.stored != place.ty {
            let word = format!("a copy of more than {MAX_UNROLLED_SCALARS} scalars of a buffer");
            return unsupported(span, word);
        }
        Ok(())
    }

    /// Records a read or write of the place.
    pub(in crate::lower) fn record(&mut self, place: &Place, is_write: bool) {
        if let Some(root) = place.root {
            self.stage.record_use(Use { is_write, ..root });
        }
    }

    /// The selected components of a vector; the type follows from their number.
    pub(in crate::lower) fn swizzle(
        &mut self,
        vector: Value,
        components: &[u8],
        span: Span,
    ) -> Value {
        if let [component] = *components {
            return self.part(vector, u32::from(component), span);
        }
        let letter = |idx: usize| match components.get(idx) {
            None | Some(0) => naga::SwizzleComponent::X,
            Some(1) => naga::SwizzleComponent::Y,
            Some(2) => naga::SwizzleComponent::Z,
            Some(_) => naga::SwizzleComponent::W,
        };
        let count = u8::try_from(components.len()).unwrap_or(4);
        let kind = self.shape(vector.ty).kind().unwrap_or(Kind::Float);
        let ty = self.stage.vector(count, kind);
        let pattern = [letter(0), letter(1), letter(2), letter(3)];
        let size = crate::lower::types::vector_size(count);
        self.value(Expression::Swizzle { size, vector: vector.handle, pattern }, ty, span)
    }
}

/// The components that a field name selects from a vector of `size`; all letters must belong to the same set.
pub(in crate::lower) fn swizzle_components(field: &Ident, size: u8) -> Result<Vec<u8>> {
    let sets = ["xyzw", "rgba", "stpq"];
    let name = &field.name;
    let components = sets.iter().find_map(|set| {
        name.chars().map(|letter| set.find(letter)).collect::<Option<Vec<usize>>>()
    });
    let components: Option<Vec<u8>> = components
        .filter(|components| (1..=4).contains(&components.len()))
        .map(|components| components.iter().map(|idx| u8::try_from(*idx).unwrap_or(3)).collect());
    match components {
        Some(components) if components.iter().all(|idx| *idx < size) => Ok(components),
        Some(_) => wrong(
            field.span,
            format!("`.{name}` is out of range for a vector of {size} components"),
        ),
        None => wrong(field.span, format!("a vector has no components `.{name}`")),
    }
}

/// True for a scalar type, in which `int gl_SampleMask[1]` is stored.
fn is_one_word(body: &Body<'_, '_>, ty: Ty) -> bool {
    matches!(body.shape(ty), Shape::Scalar(_))
}
