//! Declarations of uniforms outside blocks, which must agree in all shader objects and stages.

use naga::{GlobalVariable, Handle};

use crate::ast::{Ident, Qualifiers};
use ir::declared_uniform::DeclaredUniform;
use ir::precision::Precision;
use ir::uniform::location_count;

use crate::lower::declaration::Specifier;
use crate::lower::opaque::format_word;
use crate::lower::qualifier::At;
use crate::lower::types::{Shape, Ty};
use crate::lower::{Result, Stage};

impl Stage<'_> {
    /// Records the declaration of a uniform. The linker compares all declarations of the same name.
    pub(in crate::lower) fn note_uniform(
        &mut self,
        specifier: &Specifier<'_>,
        ty: Ty,
        name: &Ident,
        initial: Option<Vec<u64>>,
    ) -> Result<()> {
        if self.is_vulkan() {
            // Other stages may declare the resource at the same point differently.
            return Ok(());
        }
        let Specifier { at, qualifiers, .. } = *specifier;
        let declared = DeclaredUniform {
            name: name.name.clone(),
            ty: self.type_with_members(ty),
            precision: self.precision(at, qualifiers, ty),
            location: self.layout_value(at, qualifiers, "location")?,
            location_count: location_count(&self.interface_type(ty)),
            binding: self.layout_value(at, qualifiers, "binding")?,
            offset: None,
            format: format_word(qualifiers),
            initial,
            span: name.span,
        };
        self.declared_uniforms.push(declared);
        Ok(())
    }

    /// The type of a declaration in GLSL ES with all its precisions; empty in other languages.
    pub(in crate::lower) fn es_type(&self, at: At, qualifiers: &Qualifiers, ty: Ty) -> String {
        if !self.version(at.object).is_es {
            return String::new();
        }
        let precision = self.precision(at, qualifiers, ty).map_or("", Precision::word);
        let ty = self.type_with_members(ty);
        format!("{precision} {ty}").trim_start().to_owned()
    }

    /// The type as GLSL writes it, with the members of structs and, in ES, their precisions.
    fn type_with_members(&self, ty: Ty) -> String {
        let (mut base, mut suffix) = (ty, String::new());
        while let Shape::Array(element, Some(length)) = self.shape(base) {
            suffix.extend(["[", &length.to_string(), "]"]);
            base = element;
        }
        let name = self.type_name(base);
        if self.shape(base) != Shape::Struct || self.is_opaque(base) {
            return name + &suffix;
        }
        let precisions = self.member_precisions.get(&base).map_or(&[][..], Vec::as_slice);
        let mut text = format!("{name} {{ ");
        for (idx, member) in self.members(base).iter().enumerate() {
            if let Some(precision) = precisions.get(idx).copied().flatten() {
                text.extend([precision.word(), " "]);
            }
            let member_name = member.name.as_deref().unwrap_or_default();
            text.extend([&self.type_with_members(member.ty), " ", member_name, "; "]);
        }
        format!("{text}}}{suffix}")
    }

    /// Removes the precisions of uniforms that no code names: before ES 3.00 only the precisions of used uniforms must
    /// agree.
    pub(in crate::lower) fn forget_unused_precisions(&mut self) {
        if self.objects.iter().any(|object| object.version.number >= 300) {
            return;
        }
        let is_named = |global: &Handle<GlobalVariable>| {
            self.static_uses.iter().any(|used| used.global == *global)
        };
        for uniform in &mut self.declared_uniforms {
            if !self.shared.get(&uniform.name).is_some_and(is_named) {
                uniform.precision = None;
            }
        }
    }
}
