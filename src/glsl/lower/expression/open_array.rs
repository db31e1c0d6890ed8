//! Arrays that are declared without a size, such as `float a[];` or `gl_ClipDistance` (GLSL 4.60 section 4.1.9).
//!
//! Until a declaration of the same shader object gives it a size, an array is *open*: only constant indices may select
//! its elements, and it can be neither read as a whole nor assigned. Its final size follows from the highest constant
//! index. Arrays at the end of storage blocks are not open arrays: their size follows from the buffer.

use crate::ast::{BlockDeclaration, Expr, ExprKind, MemberDeclaration};
use ir::source::Span;

use crate::lower::body::Body;
use crate::lower::operand::{Operand, Place};
use crate::lower::scope::Symbol;
use crate::lower::types::Shape;
use crate::lower::{Result, geometry, scan, wrong};

/// Built-in arrays that are open until the shader redeclares them.
const BUILTINS: [&str; 3] = ["gl_ClipDistance", "gl_CullDistance", "gl_TexCoord"];

impl Body<'_, '_> {
    /// The place of a global variable, marked when the variable is an open array.
    pub(in crate::lower) fn opened(&self, place: Place, name: &str, symbol: &Symbol) -> Place {
        let is_array = matches!(self.shape(place.ty), Shape::Array(_, Some(_)));
        let info = match symbol {
            Symbol::Global(global) => self.stage.globals.get(global),
            Symbol::Type(_)
            | Symbol::Constant(_)
            | Symbol::Blocks(..)
            | Symbol::Member(..)
            | Symbol::LocalPieces { .. }
            | Symbol::Local { .. } => None,
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

    /// True if no declaration before the code being lowered gives the array a size.
    fn lacks_size(&self, name: &str) -> bool {
        let Some(unit) = self.stage.units.get(self.object) else { return false };
        let earlier = unit.items.iter().take(self.position.saturating_add(1));
        let mut sizes = earlier.filter_map(|item| scan::has_size(item, name)).peekable();
        let is_open_array = sizes.peek().is_some() || BUILTINS.contains(&name);
        is_open_array && !sizes.any(|has_size| has_size)
    }

    /// True if only another shader object declares the size of an open array. An index out of bounds is then an error
    /// of linking.
    pub(in crate::lower) fn is_sized_elsewhere(&self, indexed: &Operand, base: &Expr) -> bool {
        let (Operand::Place(Place { is_open: true, .. }), ExprKind::Variable(name)) =
            (indexed, &base.kind)
        else {
            return false;
        };
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
