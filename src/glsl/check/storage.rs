//! Checks combinations of qualifiers of globals, by version (GLSL 4.60 sections 4.3 and 4.5 to 4.8).

use crate::ast::{Declarator, Ident, Initializer, QualifiedType, Qualifiers, Storage};
use crate::builtins::LEGACY_STORAGE;
use ir::stage::ShaderStage;

use super::site::Site;
use super::{Checker, NEVER, has_storage, is_bool, is_image};

/// True for a name that only built-in variables have.
fn is_reserved(name: &str) -> bool {
    name.starts_with("gl_")
}

impl<'a> Checker<'a> {
    /// Checks `type a, b;` at global scope.
    pub(super) fn check_globals(
        &mut self,
        position: usize,
        ty: &'a QualifiedType,
        declarators: &'a [Declarator],
    ) {
        let qualifiers = &ty.qualifiers;
        self.check_storage_words(qualifiers);
        let is_builtin = declarators.iter().any(|declarator| is_reserved(&declarator.name.name));
        let site = if is_builtin { Site::Builtin } else { Site::of_global(qualifiers, self.stage) };
        self.check_layout(qualifiers, site);
        self.check_interpolated(qualifiers);
        self.check_type_qualifiers(ty);
        self.check_opaque_global(ty, declarators);
        self.check_nameless(ty, declarators);
        for declarator in declarators {
            self.check_layout_owner(ty, declarator);
            if is_reserved(&declarator.name.name) {
                self.check_redeclaration(position, ty, declarator);
                self.check_builtin_sampling(qualifiers, &declarator.name);
                self.check_invariant_input(qualifiers, &declarator.name);
            } else {
                self.check_interface_type(ty, declarator);
                self.check_invariance(qualifiers, &declarator.name);
                self.check_invariant_input(qualifiers, &declarator.name);
            }
            self.check_initializer(qualifiers, declarator);
            self.check_sizes(&declarator.array);
            self.check_es_size(ty, declarator);
            self.check_sequence(declarator.initializer.as_ref());
        }
        self.check_sizes(&ty.ty.array);
        self.check_words(qualifiers, site);
    }

    fn check_storage_words(&mut self, qualifiers: &Qualifiers) {
        let words: Vec<_> =
            qualifiers.storage.iter().filter(|(word, _)| *word != Storage::Subroutine).collect();
        let [(first, span), rest @ ..] = &*words else { return };
        // GL_EXT_gpu_shader4 has `varying out` for fragment outputs.
        let is_pair = *first == Storage::Varying && self.enables(&["GL_EXT_gpu_shader4"]);
        if let Some((second, span)) = rest.first()
            && !(is_pair && *second == Storage::Out)
        {
            self.complain(*span, "a variable can have only one storage qualifier");
        }
        let is_interface = matches!(first, Storage::In | Storage::Out);
        if is_interface && !self.is_from(130, 300) && !self.has_layout_keyword() {
            self.complain(*span, "`in` and `out` are only allowed on parameters in this version");
        }
        let is_legacy = matches!(first, Storage::Attribute | Storage::Varying);
        if is_legacy && !self.has(&LEGACY_STORAGE) {
            self.complain(*span, "`attribute` and `varying` are not available in this version");
        }
        if is_legacy && let Some(entry) = qualifiers.layout.first() {
            let is_lenient = self.enables(&["GL_ARB_fragment_coord_conventions"]);
            if !is_lenient {
                self.complain(
                    entry.name.span,
                    "`layout` cannot be combined with `attribute` or `varying`; use `in` or `out`",
                );
            }
        }
    }

    /// True if an extension adds `layout`, and with it `in` and `out`, to an old version.
    fn has_layout_keyword(&self) -> bool {
        self.enables(&[
            "GL_AMD_conservative_depth",
            "GL_ARB_compute_shader",
            "GL_ARB_conservative_depth",
            "GL_ARB_explicit_attrib_location",
            "GL_ARB_fragment_coord_conventions",
            "GL_ARB_separate_shader_objects",
            "GL_EXT_gpu_shader4",
            "GL_EXT_shader_framebuffer_fetch",
        ])
    }

    /// Checks `invariant` and `precise` for existing names.
    pub(super) fn check_requalified(
        &mut self,
        position: usize,
        qualifiers: &Qualifiers,
        names: &[Ident],
    ) {
        self.check_words(qualifiers, Site::Known);
        self.check_layout(qualifiers, Site::Known);
        for name in names {
            if !(qualifiers.is_invariant || qualifiers.is_precise) {
                continue;
            }
            let is_es_100 = self.version.is_es && self.version.number < 300;
            if qualifiers.is_invariant && is_es_100 && name.name == "gl_FrontFacing" {
                self.complain(name.span, "`gl_FrontFacing` cannot be invariant");
            }
            let word = if qualifiers.is_invariant { "invariant" } else { "precise" };
            if self.is_used_before(position, &[&name.name]) {
                let message = format!("`{}` is used before it is declared `{word}`", name.name);
                self.complain(name.span, message);
            }
            if let Some(declared) = self.globals.get(&*name.name).copied()
                && qualifiers.is_invariant
            {
                self.check_invariance(&Qualifiers { is_invariant: true, ..declared.clone() }, name);
            }
        }
    }

    /// Checks that from ES 3.00 on no `#pragma` makes a fragment stage invariant.
    pub(super) fn check_pragma(&mut self) {
        let is_wrong =
            self.version.is_es && self.version.number >= 300 && self.stage == ShaderStage::Fragment;
        if let (true, Some(span)) = (is_wrong, self.unit.invariant_all) {
            self.complain(
                span,
                "`invariant(all)` is not allowed in fragment shaders of this version",
            );
        }
    }

    /// Checks qualifiers that only some types may have.
    pub(super) fn check_type_qualifiers(&mut self, ty: &QualifiedType) {
        let has_precision = ty.qualifiers.precision.is_some();
        let is_without = |name: &str| is_bool(name);
        if has_precision && (self.is_struct(&ty.ty) || self.contains(&ty.ty, &is_without)) {
            self.complain(ty.ty.span, "this type cannot have a precision qualifier");
        }
        let is_memory =
            has_storage(&ty.qualifiers, Storage::Buffer) || self.contains(&ty.ty, &is_image);
        if !ty.qualifiers.memory.is_empty() && !is_memory {
            self.complain(ty.ty.span, "only images and storage blocks can have memory qualifiers");
        }
    }

    /// Checks that uniforms have initialisers only from GLSL 1.20 on and never in ES, and that shared variables have
    /// none (GLSL 4.60, 4.3.8) except `{}` (`GL_EXT_null_initializer`).
    fn check_initializer(&mut self, qualifiers: &Qualifiers, declarator: &Declarator) {
        let is_uniform = has_storage(qualifiers, Storage::Uniform);
        if is_uniform && declarator.initializer.is_some() && !self.is_from(120, NEVER) {
            self.complain(
                declarator.name.span,
                "a uniform cannot have an initialiser in this version",
            );
        }
        let is_null = match &declarator.initializer {
            None => return,
            Some(Initializer::List(list, _)) => list.is_empty(),
            Some(Initializer::Expr(_)) => false,
        };
        let may_be_null = is_null && self.enables(&["GL_EXT_null_initializer"]);
        if has_storage(qualifiers, Storage::Shared) && !may_be_null {
            self.complain(declarator.name.span, "a shared variable cannot have an initialiser");
        }
    }
}
