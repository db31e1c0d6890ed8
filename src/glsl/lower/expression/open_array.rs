//! Arrays that are declared without a size, such as `float a[];` or `gl_ClipDistance` (GLSL 4.60 section 4.1.9).
//!
//! Until a declaration of the same shader object gives it a size, an array is *open*: only constant indices may select
//! its elements, and it can be neither read as a whole nor assigned. Its final size follows from the highest constant
//! index. Arrays at the end of storage blocks are not open arrays: their size follows from the buffer.

use crate::ast::{BlockDeclaration, Expr, ExprKind, Ident, MemberDeclaration};
use ir::diagnostic::counted;
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::declaration::implied_length::MAX_ELEMENTS;
use crate::lower::operand::{Operand, Place};
use crate::lower::scope::{LocalScope, Symbol};
use crate::lower::types::{Shape, Ty};
use crate::lower::{Result, geometry, scan, unsupported, wrong};

/// Built-in arrays that are open until the shader redeclares them.
const BUILTINS: [&str; 3] = ["gl_ClipDistance", "gl_CullDistance", "gl_TexCoord"];

/// Maximum number of elements that are copied when a local array gets its size.
const MAX_COPIED_ELEMENTS: u32 = 256;

/// An open local array that is declared again.
#[derive(Clone, Debug)]
pub(in crate::lower) struct OpenLocal {
    symbol: Symbol,
    /// Number of elements that constant indices have selected.
    count: u32,
}

impl Body<'_, '_> {
    /// The place of a variable, marked when the variable is an open array.
    pub(in crate::lower) fn opened(&self, place: Place, name: &str, symbol: &Symbol) -> Place {
        let is_array = matches!(self.shape(place.ty), Shape::Array(_, Some(_)));
        let info = match symbol {
            Symbol::Global(global) => self.stage.globals.get(global),
            Symbol::LocalPieces { .. } | Symbol::Local { .. } => {
                let is_open =
                    self.innermost(name).is_some_and(|scope| scope.open.contains_key(name));
                return Place { is_open, ..place };
            }
            Symbol::Type(_) | Symbol::Constant(_) | Symbol::Blocks(..) | Symbol::Member(..) => None,
        };
        let lacks_size = match info {
            // Arrays of vertices in tessellation stages have a size without any declaration.
            Some(info) if info.has_vertices => {
                self.stage.geometry.is_some() && self.lacks_vertices(name)
            }
            Some(_) => self.lacks_size(name),
            None => false,
        };
        let is_open = place.is_open || is_array && lacks_size;
        Place { is_open, ..place }
    }

    /// The innermost scope of the function that declares a name.
    fn innermost(&self, name: &str) -> Option<&LocalScope> {
        self.scopes.iter().rev().find(|scope| scope.names.contains_key(name))
    }

    /// Records that a constant index selects an element of `base`, which limits the size of an open local array.
    pub(in crate::lower) fn note_open_index(&mut self, base: &Expr, idx: u32) {
        let ExprKind::Variable(name) = &base.kind else { return };
        let scope = self.scopes.iter_mut().rev().find(|scope| scope.names.contains_key(name));
        if let Some(count) = scope.and_then(|scope| scope.open.get_mut(name)) {
            *count = (*count).max(idx.saturating_add(1));
        }
    }

    /// Marks the local array `name`, just declared, as open. `before` is its earlier declaration.
    pub(in crate::lower) fn leave_open(&mut self, name: &Ident, before: Option<&OpenLocal>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.open.insert(name.name.clone(), before.map_or(0, |before| before.count));
        }
    }

    /// Takes the symbol of an open local array of the innermost scope, which a declaration of type `ty` replaces.
    ///
    /// # Errors
    /// The declaration has another element type, or fewer elements than the indices so far need.
    pub(in crate::lower) fn take_open(
        &mut self,
        name: &Ident,
        ty: Ty,
    ) -> Result<Option<OpenLocal>> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(None) };
        let Some(count) = scope.open.remove(&name.name) else { return Ok(None) };
        let Some(symbol) = scope.names.remove(&name.name) else { return Ok(None) };
        let (Symbol::Local { ty: before, .. } | Symbol::LocalPieces { ty: before, .. }) = symbol
        else {
            return Ok(None);
        };
        let (Shape::Array(old, _), Shape::Array(new, length)) =
            (self.shape(before), self.shape(ty))
        else {
            return wrong(name.span, format!("`{}` is already declared as an array", name.name));
        };
        if old != new {
            let [old, new] = [old, new].map(|ty| self.type_name(ty));
            let message =
                format!("`{}` is already declared as an array of `{old}`, not `{new}`", name.name);
            return wrong(name.span, message);
        }
        if length.is_some_and(|length| length < count) {
            let message = format!(
                "`{}` needs at least {} for the indices above",
                name.name,
                counted(count, "element")
            );
            return wrong(name.span, message);
        }
        Ok(Some(OpenLocal { symbol, count }))
    }

    /// Copies the elements of an open local array to the array that replaces it.
    pub(in crate::lower) fn copy_open(
        &mut self,
        open: &OpenLocal,
        to: &Symbol,
        span: Span,
    ) -> Result<()> {
        if open.count > MAX_COPIED_ELEMENTS {
            return unsupported(
                span,
                "a local array that gets its size after many elements are used",
            );
        }
        for idx in 0..open.count {
            let (Some(from), Some(to)) =
                (self.place_of(&open.symbol, span), self.place_of(to, span))
            else {
                return Ok(());
            };
            let (from, to) = (self.step(from, idx, span), self.step(to, idx, span));
            let value = self.load(&from, span)?;
            self.store(&to, value, span)?;
        }
        Ok(())
    }

    /// True if no declaration before the code being lowered gives the array a size.
    fn lacks_size(&self, name: &str) -> bool {
        let Some(unit) = self.stage.units.get(self.object) else { return false };
        let earlier = unit.items.iter().take(self.position.saturating_add(1));
        let mut sizes = earlier.filter_map(|item| scan::has_size(item, name)).peekable();
        let is_open_array = sizes.peek().is_some() || BUILTINS.contains(&name);
        is_open_array && !sizes.any(|has_size| has_size)
    }

    /// True if only another shader object declares the size of an open array, and `index` is out of bounds only because
    /// of it. That is an error of linking.
    pub(in crate::lower) fn is_sized_elsewhere(
        &self,
        indexed: &Operand,
        base: &Expr,
        index: i64,
    ) -> bool {
        let (Operand::Place(Place { is_open: true, .. }), ExprKind::Variable(name)) =
            (indexed, &base.kind)
        else {
            return false;
        };
        if BUILTINS.contains(&&**name) && index >= i64::from(MAX_ELEMENTS) {
            return false;
        }
        let items = self.stage.units.get(self.object).map_or(&[][..], |unit| &unit.items);
        !items.iter().any(|item| {
            scan::declared_size(item, name).is_some() || geometry::input_primitive(item).is_some()
        })
    }

    /// Rejects the length of an open array before GLSL 4.30. The length is known only when the stage is linked.
    pub(in crate::lower) fn check_open_length(&self, place: &Place, span: Span) -> Result<()> {
        let has_late_lengths =
            self.is_from(430, 310) || self.enables(&["GL_ARB_shader_storage_buffer_object"]);
        if place.is_open && !has_late_lengths {
            return wrong(
                span,
                "the length of an array without a size is not available in this version",
            );
        }
        Ok(())
    }
}

/// Rejects a dynamic index if the array is open.
pub(in crate::lower) fn check_open_index(indexed: &Operand, span: Span) -> Result<()> {
    match indexed {
        Operand::Place(place) if place.is_open => {
            wrong(span, "an array without a size needs constant indices")
        }
        Operand::Place(_) | Operand::Value(_) | Operand::Void => Ok(()),
    }
}

/// The members of a block that are open arrays, among the first `count`.
pub(in crate::lower) fn open_members(block: &BlockDeclaration, count: usize) -> Vec<u32> {
    let is_open = |member: &MemberDeclaration| {
        let outermost = member.array.first().or(member.ty.ty.array.first());
        outermost.is_some_and(|dimension| dimension.size.is_none())
    };
    let members = (0..).zip(block.members.iter().take(count));
    members.filter(|(_, member)| is_open(member)).map(|(idx, _)| idx).collect()
}
