//! Checks restrictions on arguments of built-in functions and constructors other than their types. They are checked
//! first, so that a violation is an error even if the function is not supported.

use crate::ast::{Expr, ExprKind, Ident};

use crate::lower::body::Body;
use crate::lower::global::Role;
use crate::lower::scope::Symbol;
use crate::lower::types::Shape;
use crate::lower::{Result, opaque, wrong};

impl Body<'_, '_> {
    /// Rejects constructors of samplers and images, which only bindless textures have (GLSL 4.60 section 4.1.7).
    pub(in crate::lower) fn check_constructible(&self, name: &Ident) -> Result<()> {
        let is_type = opaque::is_type(&name.name) && self.candidates(&name.name).is_empty();
        if is_type && !self.enables(&["GL_ARB_bindless_texture", "GL_NV_bindless_texture"]) {
            return wrong(name.span, format!("`{}` has no constructor", name.name));
        }
        Ok(())
    }

    /// Rejects arguments that are not constant, or that are not inputs, if the built-in function `name` requires this.
    pub(in crate::lower) fn check_argument_kinds(
        &self,
        name: &Ident,
        arguments: &[Expr],
    ) -> Result<()> {
        if let Some(offset) = offset_index(&name.name, arguments.len())
            && let Some(offset) = arguments.get(offset)
        {
            self.check_constant_expression(offset)?;
        }
        if name.name.starts_with("interpolateAt")
            && let Some(first) = arguments.first()
        {
            self.check_interpolant(first)?;
        }
        Ok(())
    }

    /// Checks that the interpolant is an input, or an element or member of one. Components may be selected since GLSL 4.40
    /// and in ES 3.20 (GLSL 4.60 section 8.13.2, `GL_ARB_gpu_shader5`).
    fn check_interpolant(&self, interpolant: &Expr) -> Result<()> {
        let is_swizzle = |inner: &Expr| self.is_vector_input(inner) && !self.is_from(440, 320);
        if let ExprKind::Field(inner, _) = &interpolant.kind
            && is_swizzle(inner)
        {
            let message = "components of an interpolant cannot be selected in this version";
            return wrong(interpolant.span, message);
        }
        let mut root = interpolant;
        while let ExprKind::Field(inner, _) | ExprKind::Index(inner, _) = &root.kind {
            root = inner;
        }
        let is_input = if let ExprKind::Variable(name) = &root.kind {
            // A name without a declaration is a built-in.
            self.find(name).is_none_or(|symbol| self.is_input(&symbol))
        } else {
            false
        };
        if is_input {
            Ok(())
        } else {
            wrong(interpolant.span, "the interpolant must be a shader input")
        }
    }

    /// True for the name of a global that is a vector.
    fn is_vector_input(&self, expr: &Expr) -> bool {
        let ExprKind::Variable(name) = &expr.kind else { return false };
        let Some(Symbol::Global(global)) = self.find(name) else { return false };
        let info = self.stage.globals.get(&global);
        info.is_some_and(|info| matches!(self.shape(info.ty), Shape::Vector(..)))
    }

    fn is_input(&self, symbol: &Symbol) -> bool {
        let (Symbol::Global(global) | Symbol::Member(global, _)) = symbol else { return false };
        self.stage.globals.get(global).is_some_and(|info| info.role == Role::Input)
    }
}

/// Index of the argument of a texture function that is an offset and must be constant (GLSL 4.60 section 8.9). Since
/// GLSL 4.00 the offsets of gathers need not be constant, which the gathers themselves check.
fn offset_index(name: &str, count: usize) -> Option<usize> {
    let is_texture = ["texture", "texel", "shadow"].iter().any(|prefix| name.starts_with(prefix));
    if !is_texture || !name.contains("Offset") || name.contains("Gather") {
        None
    } else if name.starts_with("texelFetch") {
        count.checked_sub(1)
    } else if name.contains("Grad") {
        Some(4)
    } else if name.contains("Lod") {
        Some(3)
    } else {
        Some(2)
    }
}
