//! Samplers, images and atomic counters, which can only be uniforms and parameters (GLSL 4.60 section 4.1.7).

use crate::ast::{Declarator, QualifiedType, Qualifiers, Storage, TypeName, TypeSpecifier};

use super::{Checker, has_storage, is_opaque};

impl Checker<'_> {
    /// True if samplers and images are ordinary values.
    pub(super) fn has_bindless(&self) -> bool {
        self.enables(&["GL_ARB_bindless_texture", "GL_NV_bindless_texture"])
    }

    /// True if the type contains an opaque type.
    pub(super) fn holds_opaque(&self, ty: &TypeSpecifier) -> bool {
        !self.has_bindless() && self.contains(ty, &is_opaque)
    }

    /// Checks that a global that contains an opaque type is a uniform without initialiser.
    pub(super) fn check_opaque_global(&mut self, ty: &QualifiedType, declarators: &[Declarator]) {
        if !declarators.is_empty() {
            self.check_format(ty);
        }
        if !self.holds_opaque(&ty.ty) {
            return;
        }
        for declarator in declarators {
            let span = declarator.name.span;
            if !has_storage(&ty.qualifiers, Storage::Uniform) {
                self.complain(
                    span,
                    "samplers, images and atomic counters must be uniforms or parameters",
                );
            } else if declarator.initializer.is_some() {
                self.complain(
                    span,
                    "samplers, images and atomic counters cannot have an initialiser",
                );
            } else if is_counter(&ty.ty) && !has_binding(&ty.qualifiers) {
                self.complain(span, "an atomic counter needs a `binding`");
            }
        }
    }
}

fn is_counter(ty: &TypeSpecifier) -> bool {
    matches!(&ty.kind, TypeName::Named(name) if name == "atomic_uint")
}

fn has_binding(qualifiers: &Qualifiers) -> bool {
    qualifiers.layout.iter().any(|entry| entry.name.name == "binding")
}
