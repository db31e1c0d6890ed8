//! Lowers type specifiers: names, struct definitions and array dimensions.

use crate::ast::{
    ArraySize, Declarator, Ident, MemberDeclaration, QualifiedType, StructDefinition, TypeName,
    TypeSpecifier,
};
use ir::source::Span;

use super::body::Body;
use super::qualifier::At;
use super::scope::Symbol;
use super::types::{MAX_SCALARS, Shape, Ty, is_unsupported_type};
use super::{Result, unsupported, wrong};

/// A type whose array sizes may still be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// The type without dimensions.
    pub(super) element: Ty,
    /// The dimensions, outermost first; `None` for `[]`.
    pub(super) dims: Vec<Option<u32>>,
}

/// True for `void`.
pub(super) fn is_void(ty: &TypeSpecifier) -> bool {
    ty.array.is_empty() && ty.kind == TypeName::Named("void".to_owned())
}

impl Body<'_, '_> {
    /// A type with the dimensions after a name, which are outside the type's own dimensions.
    pub(super) fn declared_type(
        &mut self,
        ty: &TypeSpecifier,
        array: &[ArraySize],
    ) -> Result<Declared> {
        let specified = self.specified_type(ty)?;
        self.with_dimensions(&specified, array)
    }

    /// `specified` with additional outer dimensions.
    pub(super) fn with_dimensions(
        &mut self,
        specified: &Declared,
        array: &[ArraySize],
    ) -> Result<Declared> {
        let mut dims = self.dimensions(array)?;
        dims.extend(&specified.dims);
        Ok(Declared { element: specified.element, dims })
    }

    /// The type of a type specifier. A struct definition also declares its name.
    pub(super) fn specified_type(&mut self, ty: &TypeSpecifier) -> Result<Declared> {
        let element = match &ty.kind {
            TypeName::Named(name) => self.named_type(name, ty.span)?,
            TypeName::Struct(definition) => self.define_struct(definition)?,
        };
        Ok(Declared { element, dims: self.dimensions(&ty.array)? })
    }

    /// The array of indices that represents a subroutine uniform.
    pub(super) fn subroutine_array(
        &mut self,
        index: Ty,
        ty: &QualifiedType,
        declarator: &Declarator,
    ) -> Result<Declared> {
        let specified = Declared { element: index, dims: self.dimensions(&ty.ty.array)? };
        self.with_dimensions(&specified, &declarator.array)
    }

    fn named_type(&mut self, name: &str, span: Span) -> Result<Ty> {
        match self.find(name) {
            Some(Symbol::Type(ty)) => return Ok(ty),
            Some(_) => return wrong(span, format!("`{name}` is a variable, not a type")),
            None => {}
        }
        let known = self.stage.keyword_type(name).or_else(|| self.stage.opaque_type(name));
        if let Some(ty) = known {
            self.check_type_version(name, span)?;
            return Ok(ty);
        }
        if let Some(ty) = self.stage.state_struct(self.object, name) {
            return Ok(ty);
        }
        if is_unsupported_type(name) {
            return unsupported(span, name);
        }
        if name == "void" {
            return wrong(span, "`void` cannot be the type of a variable");
        }
        wrong(span, format!("there is no type `{name}`"))
    }

    fn define_struct(&mut self, definition: &StructDefinition) -> Result<Ty> {
        let mut members = Vec::new();
        for member in &definition.members {
            let declared = self.declared_type(&member.ty.ty, &member.array)?;
            let ty = self.sized(&declared, member.name.span)?;
            add_member(&mut members, member, ty)?;
        }
        let name = definition.name.as_ref().map_or("anonymous", |name| &name.name);
        let ty = self.stage.structure(name, &members);
        self.check_size(ty, definition.span)?;
        self.note_precisions(ty, definition, &members);
        if let Some(name) = &definition.name {
            self.declare(name, Symbol::Type(ty))?;
        }
        Ok(ty)
    }

    /// Records the precisions of a struct's members.
    fn note_precisions(&mut self, ty: Ty, definition: &StructDefinition, members: &[(String, Ty)]) {
        let at = At { object: self.object, position: self.position };
        let types = definition.members.iter().zip(members);
        let precisions =
            types.map(|(member, (_, ty))| self.stage.precision(at, &member.ty.qualifiers, *ty));
        let precisions: Vec<_> = precisions.collect();
        self.stage.member_precisions.entry(ty).or_insert(precisions);
    }

    fn dimensions(&mut self, array: &[ArraySize]) -> Result<Vec<Option<u32>>> {
        array.iter().map(|size| self.dimension(size)).collect()
    }

    fn dimension(&mut self, size: &ArraySize) -> Result<Option<u32>> {
        let Some(expr) = &size.size else { return Ok(None) };
        let constant = self.constant(expr)?;
        let length = self.stage.integer_of(&constant, expr.span)?;
        match u32::try_from(length) {
            Ok(length @ 1..) => Ok(Some(length)),
            _ => wrong(expr.span, format!("an array cannot have {length} elements")),
        }
    }

    /// The complete type; an error if a dimension has no size.
    pub(super) fn sized(&mut self, declared: &Declared, span: Span) -> Result<Ty> {
        let mut ty = declared.element;
        for dim in declared.dims.iter().rev() {
            let Some(length) = dim else {
                return wrong(span, "this array needs a size");
            };
            let scalars = self.stage.scalar_count(ty).saturating_mul(u64::from(*length));
            if scalars > MAX_SCALARS {
                return wrong(
                    span,
                    format!("interstage supports at most {MAX_SCALARS} scalars in a variable"),
                );
            }
            ty = self.stage.array(ty, *length);
        }
        Ok(ty)
    }

    /// Rejects types that are too large.
    pub(super) fn check_size(&self, ty: Ty, span: Span) -> Result<()> {
        if self.stage.scalar_count(ty) > MAX_SCALARS {
            return wrong(
                span,
                format!("interstage supports at most {MAX_SCALARS} scalars in a variable"),
            );
        }
        Ok(())
    }

    /// The complete type of `declared`, with its open sizes taken from the type of a value.
    pub(super) fn sized_like(&mut self, declared: &Declared, ty: Ty, span: Span) -> Result<Ty> {
        let mut filled = declared.clone();
        let mut inner = ty;
        for dim in &mut filled.dims {
            let Shape::Array(element, length) = self.shape(inner) else { break };
            *dim = dim.or(length);
            inner = element;
        }
        self.sized(&filled, span)
    }
}

/// Adds a member to a struct's or block's list; names must be unique.
pub(super) fn add_member(
    members: &mut Vec<(String, Ty)>,
    member: &MemberDeclaration,
    ty: Ty,
) -> Result<()> {
    let Ident { name, span } = &member.name;
    if members.iter().any(|(existing, _)| existing == name) {
        return wrong(*span, format!("the member `{name}` is declared twice"));
    }
    members.push((name.clone(), ty));
    Ok(())
}
